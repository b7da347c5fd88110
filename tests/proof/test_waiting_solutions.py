"""A killed replacement left a solution waiting. Play takes that solution, and certify proves nothing of the old one."""

import shutil
from pathlib import Path
from unittest import mock

import pytest
from support.certifying import CLOSED_FORMS, Bot, copy_of
from support.programs import contents

from tictactoe import FormatError, open_saved
from tictactoe.proof import bot_files
from tictactoe.proof.checker import Refused
from tictactoe.storage.directory_layout import COMPLETE, MOVING, SOLUTION_FILE, snapshot_name

OTHER, SNAPSHOT = CLOSED_FORMS / "filled" / "match_to_1", f"subgame_0_0/{snapshot_name(0)}"
WAITING = [
    ("match", ".", MOVING, [SOLUTION_FILE, SNAPSHOT]),
    ("match", ".", COMPLETE, []),
    ("match", ".", MOVING, [SNAPSHOT]),
    ("round", ".", MOVING, [SOLUTION_FILE, SNAPSHOT]),
    ("round of a match", ".", COMPLETE, [SOLUTION_FILE, SNAPSHOT]),
    ("round of a match", "..", MOVING, [SNAPSHOT]),
    ("round of a match", "..", COMPLETE, [SOLUTION_FILE, SNAPSHOT]),
    ("link", "..", MOVING, [SOLUTION_FILE, SNAPSHOT]),
]
"""Judged directory, place of the waiting solution, its name, its files."""


@pytest.mark.parametrize(("judged", "place", "name", "files"), WAITING)
def test_waiting(judged: str, place: str, name: str, files: list[str], single: Bot, tmp_path: Path) -> None:
    directory = copy_of(single if judged == "round" else Bot(CLOSED_FORMS / "match_to_1"), tmp_path)
    if judged in ("round of a match", "link"):
        directory /= "subgame_0_0"
    around = (directory / place).resolve()
    if judged == "link":
        (tmp_path / "link").symlink_to(directory)
        directory = tmp_path / "link"
    bot = Bot(directory)
    certificate = bot.certificate
    (around / name / "subgame_0_0").mkdir(parents=True)
    for file in files:
        shutil.copyfile(OTHER / file, around / name / file)
    (around / name / "notes").write_bytes(b"mine")
    before = contents(tmp_path)
    for use in (lambda: bot.verify(certificate, directory), lambda: bot.certify(directory)):
        with pytest.raises(FormatError, match=rf": a new solution waits here in {name} and would be played;"):
            use()
        assert contents(tmp_path) == before
    if files:
        open_saved(directory if around == directory else around)
        assert not (around / name).exists()
        with pytest.raises((Refused, FormatError)):
            bot.verify(certificate, directory)


@pytest.mark.parametrize("bot", ["one", "single"], indirect=True)
def test_a_replacement_that_begins_meanwhile_is_noticed(bot: Bot, tmp_path: Path) -> None:
    copy, certificate, read = copy_of(bot, tmp_path), bot.certificate, bot_files.read_bytes

    def replacing(path: Path) -> bytes:
        (copy / MOVING).mkdir(exist_ok=True)
        return read(path)

    with (
        mock.patch.object(bot_files, "read_bytes", replacing),
        pytest.raises(FormatError, match="a new solution waits here"),
    ):
        bot.verify(certificate, copy)
