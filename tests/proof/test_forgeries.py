"""Files and certificates that would make somebody believe a falsehood: they are refused."""

import builtins
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from support.certifying import CLOSED_FORMS, Bot, change_record, change_snapshot, copy_of, edited
from support.slowness import slow
from support.storage_files import refusal

from tictactoe import FormatError, open_saved
from tictactoe.proof import bot_files
from tictactoe.proof.certificate_format import proved_fields
from tictactoe.proof.checker import Refused
from tictactoe.storage.directory_layout import SOLUTION_FILE, snapshot_name
from tictactoe.storage.shipped import shipped_solution

UNIFORM = np.zeros((37_538, 3))


def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def uniform_round(single: Bot, tmp_path_factory: pytest.TempPathFactory) -> Bot:
    directory = copy_of(single, tmp_path_factory.mktemp("uniform"))
    change_snapshot(directory, strategy_sums=UNIFORM)
    return Bot(directory)


def test_certify_judges_the_names_that_play_reads(single: Bot, uniform_round: Bot, tmp_path: Path) -> None:
    copy = copy_of(single, tmp_path)
    for number in (f"{10**18}", f"{10**12}", "-00001", "0000001", "1.5", 6 * "\u0661"):
        (copy / f"snapshot_{number}.msgpack").write_bytes((uniform_round.path / snapshot_name(0)).read_bytes())
        assert list(single.certify(copy)["files"]) == [snapshot_name(0)]
        assert open_saved(copy).iterations() == [0]
    (copy / snapshot_name(0)).rename(copy / snapshot_name(7))
    for use in (lambda: single.certify(copy), lambda: open_saved(copy).load()):
        with pytest.raises(FormatError, match=r"snapshot_000007.msgpack: it has iteration 0, not the one in its name"):
            use()


TURNS = ("BGGB", "BGB", "BG", "GBBG", "GBG", "GB", "BBG", "GGB")
"""Whether the good or the bad bot lies there at the first reading, the second, and so on; then the last one."""


@contextmanager
def opened_in_turn(path: Path, contents: Sequence[bytes]) -> Iterator[list[int]]:
    """`path` holds the next of these contents whenever it is opened, as by a link that flips."""
    opened: list[int] = []
    plain: Callable[..., Any] = builtins.open

    def flipping(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if Path(str(file)) == path and mode == "rb":
            with plain(path, "wb") as changed:
                changed.write(contents[min(len(opened), len(contents) - 1)])
            opened.append(len(opened))
        return plain(file, mode, *arguments, **named)

    with mock.patch.object(builtins, "open", flipping):
        yield opened


@pytest.mark.parametrize("bot", ["one", *slow("single")], indirect=True)
def test_the_bytes_that_are_hashed_are_those_that_are_checked(bot: Bot, tmp_path: Path) -> None:
    """Verify refuses the good bot's certificate with the bad bot's hash. Certify judges either bot, or none."""
    copy = copy_of(bot, tmp_path)
    path, name = copy / bot.last / snapshot_name(0), str(Path(bot.last) / snapshot_name(0))
    good, made = path.read_bytes(), 0
    change_snapshot(copy / bot.last, strategy_sums=UNIFORM)
    bad, digest, bad_certificate = path.read_bytes(), digest_of(path), bot.certify(copy)
    forged = edited(bot.certificate, f"files {name}", digest)
    by_digest = {certificate["files"][name]: certificate for certificate in (bot.certificate, bad_certificate)}
    for turns in TURNS if bot.last == "." else TURNS[2::4]:
        contents = [good if turn == "G" else bad for turn in turns]
        with opened_in_turn(path, contents) as opened, pytest.raises((Refused, FormatError)):
            bot.verify(forged, copy)
        assert opened, "the hook is where files are read"
        with opened_in_turn(path, contents):
            try:
                certificate = bot.certify(copy)
            except FormatError as error:
                assert str(error).endswith("copy: files were changed while they were read")  # noqa: PT017
                continue
        made += 1
        assert certificate == by_digest[certificate["files"][name]]
    assert made


def test_a_solver_that_saves_in_between_gets_no_certificate_of_the_old_record(two: Bot, tmp_path: Path) -> None:
    copy = copy_of(two, tmp_path)
    path = copy / SOLUTION_FILE
    new = path.read_bytes()
    change_record(copy, subgames=lambda entries: [entry for entry in entries if entry["score"] == [1, 1]])
    old = path.read_bytes()
    with opened_in_turn(path, [old, new]), pytest.raises(FormatError, match="files were changed while they were read"):
        two.certify(copy)
    path.write_bytes(old)
    forged = edited(edited(two.certificate, "scores", lambda scores: scores[:1]), "total", None)
    with opened_in_turn(path, [old, new]), pytest.raises(Refused, match=r"^files\.s"):
        two.verify(forged, copy)


def test_a_snapshot_that_is_saved_meanwhile_is_noticed(single: Bot, uniform_round: Bot, tmp_path: Path) -> None:
    copy, read = copy_of(single, tmp_path), bot_files.read_bytes

    def saving(path: Path) -> bytes:
        data = read(path)
        (copy / snapshot_name(9)).write_bytes((uniform_round.path / snapshot_name(0)).read_bytes())
        return data

    with (
        mock.patch.object(bot_files, "read_bytes", saving),
        pytest.raises(FormatError, match=r"copy: files were changed while they were read$"),
    ):
        single.certify(copy)


def test_the_snapshot_that_the_record_names_is_judged(one: Bot, tmp_path: Path) -> None:
    """The record names a worse snapshot; the certificate of the good one has the new record's hash."""
    copy = copy_of(one, tmp_path)
    directory, good = copy / one.last, (copy / one.last / snapshot_name(0)).read_bytes()
    change_snapshot(directory, strategy_sums=UNIFORM, iteration=3).rename(directory / snapshot_name(3))
    (directory / snapshot_name(0)).write_bytes(good)
    record = change_record(copy, subgames=lambda entries: [entries[0] | {"iteration": 3}])
    with pytest.raises(Refused, match=r"^files.subgame_0_0/snapshot_000000.msgpack: unknown$"):
        one.verify(edited(one.certificate, f"files {SOLUTION_FILE}", digest_of(record)), copy)


AT_44 = "outcome_values: not what the results of a round at 4-4 of a match to 5 are worth: "
AT_00 = AT_44.replace("4-4", "0-0")
FIRST, SECOND = f"{AT_44}first: {{}} where the match has ended: 1", f"{AT_44}second: 1.0 where the match has end"
MISLABELLED: list[tuple[list[int], list[float], str]] = [
    ([4, 4], [0.0, 0.0, 0.0, 0.0], FIRST.format("0.0")),
    ([4, 4], [0.1, 1.0, 1.0, 0.1], SECOND),
    ([4, 4], [0.1, 1.0 - 2**-53, -1.0, 0.1], FIRST.format("0.9999999999999999")),
    ([4, 4], [0.1, 1.0, -1.0, 0.2], f"{AT_44}neither: 0.2, and both: 0.1, lead to the same round"),
    ([4, 4], [1.0 + 1e-10, 1.0, -1.0, 1.0], f"{AT_44}both: 1.0000000001 is not a match value (-1 to 1)"),
    ([0, 0], [0.5] * 4, f"{AT_00}first: 0.5, and second: 0.5: it must matter"),
]


def test_the_outcome_values_of_a_score_are_those_of_its_match(single: Bot, tmp_path: Path) -> None:
    """The end of the match is worth 1 or -1. Results that lead to the same round are worth the same."""
    copy = copy_of(single, tmp_path)
    for score, values, message in MISLABELLED:
        path = change_snapshot(copy, score=score, winning_score=5, outcome_values=values)
        assert refusal(lambda _: single.certify(copy), path).startswith(message)


@pytest.mark.parametrize("bot", ["single", "uniform_round"], indirect=True)
def test_a_tied_round_is_not_played_for_an_impossible_value(bot: Bot, tmp_path: Path) -> None:
    """4-4 follows 4-4 when nobody scores. Loose bounds are no way around it."""
    copy, outcomes = copy_of(bot, tmp_path), [0.8, 1.0, -1.0, 0.8]
    path = change_snapshot(copy, outcome_values=outcomes)
    certificate = bot.certify(copy) | {"score": [4, 4], "winning_score": 5}
    change_snapshot(copy, score=[4, 4], winning_score=5)
    loose = certificate | proved_fields(Fraction(-1), Fraction(1), (True, 1), (True, 1))
    loose["arithmetic"] = certificate["arithmetic"]
    for use in (
        lambda: bot.certify(copy),
        lambda: bot.verify(edited(certificate, f"files {path.name}", digest_of(path)), copy),
        lambda: bot.verify(edited(loose, f"files {path.name}", digest_of(path)), copy),
    ):
        with pytest.raises(FormatError, match=r"values: not those of 4-4 of a match to 5: by neither: 0.8, the"):
            use()


def test_an_early_state_of_a_solver_is_no_forgery(tmp_path: Path) -> None:
    name = snapshot_name(10)
    (tmp_path / name).write_bytes((shipped_solution() / "subgame_4_4" / name).read_bytes())
    assert Bot(tmp_path).certify(tmp_path)["score"] == [4, 4]


def test_the_outcome_values_of_a_score_are_those_of_the_record_above(tmp_path: Path) -> None:
    copy = copy_of(Bot(CLOSED_FORMS / "match_to_1"), tmp_path)
    directory = copy / "subgame_0_0"
    bot, kept = Bot(directory), (directory / snapshot_name(0)).read_bytes()
    path = change_snapshot(directory, outcome_values=[0.125, 1.0, -1.0, 0.125])
    said = f"outcome_values: not those that ../{SOLUTION_FILE} gives: both: 0.125, but it is 0.07692307692307693"
    assert refusal(lambda _: bot.certify(directory), path) == said
    path.write_bytes(kept)
    forged = bot.certificate
    change_snapshot(directory, outcome_values=[0.125, 1.0, -1.0, 0.125])
    with pytest.raises(FormatError, match="not those that"):
        bot.verify(edited(forged, f"files {path.name}", digest_of(path)), directory)
    change_record(copy, subgames=lambda entries: [entries[0] | {"iteration": 500}])
    assert bot.certify(directory)["outcome_values"]["both"] == "1/8"
    path.write_bytes(kept)
    assert bot.certify(directory) == bot.certificate


@pytest.mark.parametrize("linked", ["subgame_0_0", f"subgame_0_0/{snapshot_name(0)}", "."])
def test_a_link_is_no_way_around_the_record_above(linked: str, tmp_path: Path) -> None:
    """A file or a directory links to other outcome values elsewhere, or a link from elsewhere leads to them."""
    copy = copy_of(Bot(CLOSED_FORMS / "match_to_1"), tmp_path)
    directory, elsewhere = copy / "subgame_0_0", tmp_path / "elsewhere"
    change_snapshot(directory, outcome_values=[0.25, 1.0, -1.0, 0.25])
    if linked == ".":
        elsewhere.symlink_to(directory)
        directory = elsewhere
    else:
        (copy / linked).rename(elsewhere)
        (copy / linked).symlink_to(elsewhere)
    with pytest.raises(FormatError, match=r"not those that \.\./solution.msgpack gives: both: 0.25, but it is 0.07"):
        Bot(directory).certify(directory)


def test_a_rounds_certificate_is_of_no_solution(single: Bot, one: Bot, tmp_path: Path) -> None:
    copy = copy_of(one, tmp_path)
    for name in (snapshot_name(0), "certificate.json"):
        (copy / name).write_bytes((single.path / name).read_bytes())
    assert open_saved(copy).solution is not None
    for use in (lambda: single.verify(single.certificate, copy), lambda: single.certify(copy)):
        with pytest.raises(FormatError, match=r"copy: a whole solution \(solution.msgpack\), not a round on its own$"):
            use()


def test_sums_in_single_precision_are_exact_fractions(single: Bot, tmp_path: Path) -> None:
    """Play takes them. The sums of a closed form are 0 and 1 in either precision."""
    copy = copy_of(single, tmp_path)
    change_snapshot(copy, strategy_sums=lambda sums: sums.astype(np.float32))
    assert single.certify(copy) | {"files": {}} == single.certificate | {"files": {}}
