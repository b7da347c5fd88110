"""A solution that waits to be put in its place, as a killed replacement leaves it: play takes it, so nothing else is
proved."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.certifying import CLOSED_FORMS, Bot, copy_of
from support.programs import contents

from tictactoe.errors import FormatError
from tictactoe.proof import bot_files
from tictactoe.proof.checker import Refused
from tictactoe.storage.directory_layout import COMPLETE, MOVING, SOLUTION_FILE, snapshot_name
from tictactoe.storage.open_saved import open_saved

OTHER, SNAPSHOT = CLOSED_FORMS / "filled" / "match_to_1", f"subgame_0_0/{snapshot_name(0)}"
WAITING: list[tuple[str, str, str, Sequence[str]]] = [
    ("a match", ".", MOVING, (SOLUTION_FILE, SNAPSHOT)),
    ("a match", ".", COMPLETE, (SOLUTION_FILE, SNAPSHOT)),
    ("a match", ".", MOVING, (SNAPSHOT,)),
    ("a match", ".", COMPLETE, ()),
    ("a round", ".", MOVING, (SOLUTION_FILE, SNAPSHOT)),
    ("a round", ".", COMPLETE, (SOLUTION_FILE, SNAPSHOT)),
    ("a round of a match", ".", MOVING, (SOLUTION_FILE, SNAPSHOT)),
    ("a round of a match", "..", MOVING, (SNAPSHOT,)),
    ("a round of a match", "..", COMPLETE, (SOLUTION_FILE, SNAPSHOT)),
    ("a link to it", "..", MOVING, (SOLUTION_FILE, SNAPSHOT)),
]
"""Of what, where, under which name and which files of another solution wait to be put in their places."""


@pytest.mark.parametrize(("what", "place", "name", "files"), WAITING)
def test_what_waits_to_be_put_in_its_place_is_what_play_takes(
    what: str, place: str, name: str, files: Sequence[str], single: Bot, tmp_path: Path
) -> None:
    """A replacement was killed, or somebody pretends so: nothing is proved of what is about to go, nothing is changed,
    and what lies there once it has been opened is what is judged."""
    directory = copy_of(single if what == "a round" else Bot(CLOSED_FORMS / "match_to_1"), tmp_path)
    if what in ("a round of a match", "a link to it"):
        directory /= "subgame_0_0"
    around = (directory / place).resolve()
    if what == "a link to it":
        (tmp_path / "link").symlink_to(directory)
        directory = tmp_path / "link"
    bot = Bot(directory)
    certificate = bot.certificate
    for file in files:
        (around / name / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(OTHER / file, around / name / file)
    (around / name).mkdir(exist_ok=True)
    (around / name / "notes").write_bytes(b"mine")
    before = contents(tmp_path)
    for use in (lambda: bot.verify(certificate, directory), lambda: bot.certify(directory)):
        with pytest.raises(
            FormatError, match=rf": a new solution waits here, in {name}, and is what would be played; "
        ):
            use()
        assert contents(tmp_path) == before
    if files:
        open_saved(directory if around == directory else around)
        assert not (around / name).exists()
        with pytest.raises((Refused, FormatError)):
            bot.verify(certificate, directory)


@pytest.mark.parametrize("bot", ["one", "single"], indirect=True)
def test_a_replacement_that_begins_meanwhile_is_noticed(
    bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, certificate, read = copy_of(bot, tmp_path), bot.certificate, bot_files.read_bytes

    def replacing(path: Path) -> bytes:
        (copy / MOVING).mkdir(exist_ok=True)
        return read(path)

    monkeypatch.setattr(bot_files, "read_bytes", replacing)
    with pytest.raises(FormatError, match="a new solution waits here"):
        bot.verify(certificate, copy)
