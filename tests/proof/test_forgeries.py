"""Files and certificates that would make somebody believe what is not so: each is refused, or is only what it shows."""

from __future__ import annotations

import builtins
import hashlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.certifying import CLOSED_FORMS, Bot, Json, change_record, change_snapshot, copy_of, edited

from tictactoe.errors import FormatError
from tictactoe.proof import bot_files
from tictactoe.proof.certificate_format import proved_fields
from tictactoe.proof.checker import Refused
from tictactoe.storage.directory_layout import SOLUTION_FILE, snapshot_name
from tictactoe.storage.open_saved import open_saved
from tictactoe.storage.shipped import shipped_solution
from tictactoe.storage.solution import load_solution

UNIFORM = np.zeros((37_538, 3))


def digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def single() -> Bot:
    """As elsewhere, on the reduced tree alone."""
    return Bot(CLOSED_FORMS / "single_round")


@pytest.fixture
def uniform_round(single: Bot, tmp_path: Path) -> Bot:
    """A bot that plays uniformly, which is far from perfect."""
    (tmp_path / "uniform").mkdir()
    directory = copy_of(single, tmp_path / "uniform")
    change_snapshot(directory, strategy_sums=UNIFORM)
    return Bot(directory)


@pytest.mark.parametrize("number", [10**18, 10**12, -1, "0000001", "1.5", "\u0661\u0661\u0661\u0661\u0661\u0661"])
def test_names_that_play_would_not_read_are_not_judged_and_the_other_way_round(
    number: int | str, single: Bot, uniform_round: Bot, tmp_path: Path
) -> None:
    """One parser of names: beside the perfect bot another one, under a name with too many digits, say."""
    copy = copy_of(single, tmp_path)
    name = f"snapshot_{number:06d}.msgpack" if isinstance(number, int) else f"snapshot_{number}.msgpack"
    (copy / name).write_bytes((uniform_round.path / snapshot_name(0)).read_bytes())
    assert list(single.certify(copy)["files"]) == [snapshot_name(0)]
    assert open_saved(copy).iterations() == [0]


def test_a_snapshot_under_the_name_of_another_iteration_is_not_judged(single: Bot, tmp_path: Path) -> None:
    """Neither play nor certify takes it."""
    copy = copy_of(single, tmp_path)
    (copy / snapshot_name(0)).rename(copy / snapshot_name(7))
    for use in (lambda: single.certify(copy), lambda: open_saved(copy).load()):
        with pytest.raises(FormatError, match=r"snapshot_000007.msgpack: holds iteration 0, not the one that its name"):
            use()


TURNS = ("BGGB", "BGB", "BG", "GBBG", "GBG", "GB", "BBG", "GGB")
"""Whether the good or the bad bot lies there at the first reading, the second, and so on; then the last one."""


def opened_in_turn(patch: pytest.MonkeyPatch, path: Path, contents: Sequence[bytes]) -> list[int]:
    """Let `path` hold the next of these contents whenever it is opened for reading, the last one from then on.

    What a link that flips between files does to a program that reads one of them twice. The list grows with each time.
    """
    opened: list[int] = []
    plain: Callable[..., Any] = builtins.open

    def flipping(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if Path(str(file)) == path and mode == "rb":
            with plain(path, "wb") as changed:
                changed.write(contents[min(len(opened), len(contents) - 1)])
            opened.append(len(opened))
        return plain(file, mode, *arguments, **named)

    patch.setattr(builtins, "open", flipping)
    return opened


@pytest.mark.parametrize("bot", ["one", "single"], indirect=True)
def test_the_bytes_that_are_hashed_are_those_that_are_checked(
    bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate of the good bot that names the hash of the bad one, whichever of them is there at each reading."""
    copy = copy_of(bot, tmp_path)
    path, name = copy / bot.last / snapshot_name(0), str(Path(bot.last) / snapshot_name(0))
    good = path.read_bytes()
    change_snapshot(copy / bot.last, strategy_sums=UNIFORM)
    bad, digest = path.read_bytes(), digest_of(path)
    forged = edited(bot.certificate, f"files {name}", digest)
    for turns in TURNS:
        with monkeypatch.context() as patch:
            opened = opened_in_turn(patch, path, [good if turn == "G" else bad for turn in turns])
            with pytest.raises((Refused, FormatError)):
                bot.verify(forged, copy)
            assert opened, "the hook is where files are read"


@pytest.mark.parametrize("bot", ["one", "single"], indirect=True)
def test_a_certificate_that_is_made_names_the_bytes_that_were_checked(
    bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever is there at each reading: refused, or made of one of the two and of nothing else."""
    copy = copy_of(bot, tmp_path)
    path, name = copy / bot.last / snapshot_name(0), str(Path(bot.last) / snapshot_name(0))
    good, made = path.read_bytes(), 0
    change_snapshot(copy / bot.last, strategy_sums=UNIFORM)
    bad, bad_certificate = path.read_bytes(), bot.certify(copy)
    by_digest = {certificate["files"][name]: certificate for certificate in (bot.certificate, bad_certificate)}
    for turns in TURNS:
        with monkeypatch.context() as patch:
            opened_in_turn(patch, path, [good if turn == "G" else bad for turn in turns])
            try:
                found = bot.certify(copy)
            except FormatError as error:
                assert str(error).endswith("copy: files were changed while they were read")  # noqa: PT017
                continue
        made += 1
        assert found == by_digest[found["files"][name]]
    assert made


def test_a_solver_that_saves_in_between_gets_no_certificate_of_the_old_record_with_the_new_hash(
    two: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old record has one score solved, the new one all."""
    copy = copy_of(two, tmp_path)
    path = copy / SOLUTION_FILE
    new = path.read_bytes()
    change_record(copy, subgames=lambda entries: [entry for entry in entries if entry["score"] == [1, 1]])
    old = path.read_bytes()
    with monkeypatch.context() as patch:
        opened_in_turn(patch, path, [old, new])
        with pytest.raises(FormatError, match=r"copy: files were changed while they were read$"):
            two.certify(copy)
    path.write_bytes(old)
    with monkeypatch.context() as patch:
        opened_in_turn(patch, path, [old, new])
        forged = edited(edited(two.certificate, "scores", lambda scores: scores[:1]), "total", None)
        with pytest.raises(Refused, match=r"^files\.s"):
            two.verify(forged, copy)


def test_a_snapshot_that_is_saved_meanwhile_is_noticed(
    single: Bot, uniform_round: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is what play takes from then on."""
    copy = copy_of(single, tmp_path)
    read = bot_files.read_bytes

    def saving(path: Path) -> bytes:
        data = read(path)
        (copy / snapshot_name(9)).write_bytes((uniform_round.path / snapshot_name(0)).read_bytes())
        return data

    monkeypatch.setattr(bot_files, "read_bytes", saving)
    with pytest.raises(FormatError, match=r"copy: files were changed while they were read$"):
        single.certify(copy)


def test_what_the_record_names_is_judged_and_not_what_lies_beside_it(one: Bot, tmp_path: Path) -> None:
    """The record names a worse snapshot; the certificate of the good one has the new record's hash."""
    copy = copy_of(one, tmp_path)
    directory, good = copy / one.last, (copy / one.last / snapshot_name(0)).read_bytes()
    change_snapshot(directory, strategy_sums=UNIFORM, iteration=3).rename(directory / snapshot_name(3))
    (directory / snapshot_name(0)).write_bytes(good)
    record = change_record(copy, subgames=lambda entries: [entries[0] | {"iteration": 3}])
    with pytest.raises(Refused, match=r"^files.subgame_0_0/snapshot_000000.msgpack: unknown$"):
        one.verify(edited(one.certificate, f"files {SOLUTION_FILE}", digest_of(record)), copy)


NO_MATCH = "outcome_values: not what the results of a round at 4-4 of a match to 5 are worth: "
FIRST, SECOND = f"{NO_MATCH}first: {{}} where the match has ended: 1", f"{NO_MATCH}second: {{}} where the match has end"
MISLABELLED: list[tuple[list[float], str]] = [
    ([0.0, 0.0, 0.0, 0.0], FIRST.format("0.0")),
    ([0.1, 1.0, 1.0, 0.1], SECOND.format("1.0")),
    ([0.1, 1.0 - 2**-53, -1.0, 0.1], FIRST.format("0.9999999999999999")),
    ([0.1, 1.0, -1.0, 0.2], f"{NO_MATCH}neither: 0.2, and both: 0.1, lead to the same round"),
    ([1.0 + 1e-10, 1.0, -1.0, 1.0], f"{NO_MATCH}both: 1.0000000001 is no match value (-1 to 1)"),
]


@pytest.mark.parametrize(("values", "message"), MISLABELLED)
def test_the_outcome_values_of_a_score_are_those_of_its_match(
    values: list[float], message: str, single: Bot, tmp_path: Path
) -> None:
    """What ends the match is worth 1 or -1; results that lead to the same round are worth the same."""
    copy = copy_of(single, tmp_path)
    path = change_snapshot(copy, score=[4, 4], winning_score=5, outcome_values=values)
    with pytest.raises(FormatError) as caught:
        single.certify(copy)
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize("perfect", [True, False])
def test_a_tied_round_is_not_played_for_what_it_cannot_be_worth(
    perfect: bool, single: Bot, uniform_round: Bot, tmp_path: Path
) -> None:
    """4-4 follows 4-4 when nobody scores. Whoever plays, and whatever is claimed: loose bounds are no way around it."""
    bot = single if perfect else uniform_round
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
        with pytest.raises(
            FormatError, match=r"outcome_values: not those of 4-4 of a match to 5: with neither: 0.8 the"
        ):
            use()


@pytest.mark.parametrize("values", [[0.0] * 4, [0.5] * 4])
def test_a_score_of_an_open_match_is_worth_something(values: list[float], single: Bot, tmp_path: Path) -> None:
    """As what is imported is saved with where later scores are missing."""
    copy = copy_of(single, tmp_path)
    change_snapshot(copy, score=[0, 0], winning_score=5, outcome_values=values)
    with pytest.raises(
        FormatError, match=r"results of a round at 0-0 of a match to 5 are worth: first: .* whoever sco"
    ):
        single.certify(copy)


def test_what_a_solver_has_come_to_early_on_is_no_forgery(tmp_path: Path) -> None:
    """The first snapshots of the last score, whose own value is far from what it will be."""
    for iteration in (0, 10):
        name = snapshot_name(iteration)
        (tmp_path / name).write_bytes((shipped_solution() / "subgame_4_4" / name).read_bytes())
        assert Bot(tmp_path).certify(tmp_path)["score"] == [4, 4]


def test_a_score_stands_with_its_match(single: Bot, tmp_path: Path) -> None:
    for changes in ({"score": [4, 4]}, {"winning_score": 5}):
        path = change_snapshot(copy_of(single, tmp_path / str(*changes)), **changes)
        with pytest.raises(FormatError) as caught:
            single.certify(path.parent)
        assert str(caught.value) == f"{path}: score and winning_score: one of them without the other"


def test_the_outcome_values_of_a_score_are_those_of_the_record_above(tmp_path: Path) -> None:
    """Of the snapshot that the record names; what they were in another one is no lie."""
    copy = copy_of(Bot(CLOSED_FORMS / "match_to_1"), tmp_path)
    directory = copy / "subgame_0_0"
    kept = (directory / snapshot_name(0)).read_bytes()
    found = Bot(directory).certify(directory)
    values = [0.125, 1.0, -1.0, 0.125]
    path = change_snapshot(directory, outcome_values=values)
    with pytest.raises(FormatError) as caught:
        Bot(directory).certify(directory)
    assert str(caught.value) == (
        f"{path}: outcome_values: not those that ../{SOLUTION_FILE} gives: both: 0.125 where it is 0.07692307692307693"
    )
    with pytest.raises(FormatError, match="not those that"):
        Bot(directory).verify(edited(found, f"files {path.name}", digest_of(path)), directory)
    change_record(copy, subgames=lambda entries: [entries[0] | {"iteration": 500}])
    assert Bot(directory).certify(directory)["outcome_values"]["both"] == "1/8"
    path.write_bytes(kept)
    assert Bot(directory).certify(directory) == found


@pytest.mark.parametrize("linked", ["subgame_0_0", f"subgame_0_0/{snapshot_name(0)}", "."])
def test_a_link_is_no_way_around_the_record_above(linked: str, tmp_path: Path) -> None:
    """Other outcome values than the record's, in a file, or a directory, that is a link to somewhere else; or seen
    through a link from there."""
    copy = copy_of(Bot(CLOSED_FORMS / "match_to_1"), tmp_path)
    directory, elsewhere = copy / "subgame_0_0", tmp_path / "elsewhere"
    change_snapshot(directory, outcome_values=[0.25, 1.0, -1.0, 0.25])
    if linked == ".":
        elsewhere.symlink_to(directory)
        directory = elsewhere
    else:
        (copy / linked).rename(elsewhere)
        (copy / linked).symlink_to(elsewhere)
    with pytest.raises(FormatError, match=r"not those that \.\./solution.msgpack gives: both: 0.25 where it is 0.07"):
        Bot(directory).certify(directory)


def test_a_rounds_certificate_is_of_no_solution(single: Bot, one: Bot, tmp_path: Path) -> None:
    """In a directory whose solution.msgpack is about another bot, which is what play takes, nothing is certified."""
    copy = copy_of(one, tmp_path)
    for name in (snapshot_name(0), "certificate.json"):
        (copy / name).write_bytes((single.path / name).read_bytes())
    assert open_saved(copy).solution is not None
    for use in (lambda: single.verify(single.certificate, copy), lambda: single.certify(copy)):
        with pytest.raises(FormatError, match=r"copy: a whole solution \(solution.msgpack\) and no round on its own$"):
            use()


@pytest.mark.parametrize("bot", ["two", "single"], indirect=True)
@pytest.mark.parametrize("claimed", [549_947, 37_538, 0, -1])
def test_the_nodes_of_the_unreduced_tree_are_those_that_it_has(bot: Bot, claimed: int) -> None:
    """Without that tree being walked, too. It is no claim of a certificate that does not name it."""
    with pytest.raises(Refused, match=rf"^nodes.unreduced: {claimed} where 549946 is right$"):
        bot.verify(edited(bot.certificate, "nodes unreduced", claimed), bot.path)
    bot.verify(edited(bot.certificate, "nodes unreduced", None), bot.path)
    bot.verify(edited(bot.certificate, "nodes unreduced", 549_946), bot.path)


def five(entries: list[Json]) -> list[Json]:
    return [entry | {"value": 5.0} for entry in entries]


RECORDS: list[tuple[Json, str]] = [
    ({"subgames": five}, "subgames[0].value: expected `float` <= 1.000000001"),
    ({"author": "me"}, "contains unknown field author"),
    ({"subgames": lambda entries: [entry | {"author": "me"} for entry in entries]}, "subgames[0]: contains unknown fi"),
    ({"subgames": lambda entries: [entry | {"score": [0.0, False]} for entry in entries]}, "subgames[0].score[0]: exp"),
    ({"subgames": lambda entries: [entry | {"converged": 1} for entry in entries]}, "subgames[0].converged: expected "),
]


@pytest.mark.parametrize(
    ("changes", "message"), RECORDS, ids=lambda item: item[:30] if isinstance(item, str) else ",".join(item)
)
def test_a_record_that_play_refuses_is_not_certified(changes: Json, message: str, one: Bot, tmp_path: Path) -> None:
    """In the same words."""
    copy = copy_of(one, tmp_path)
    change_record(copy, **changes)
    for use in (lambda: one.certify(copy), lambda: one.verify(one.certificate, copy), lambda: load_solution(copy)):
        with pytest.raises(FormatError) as caught:
            use()
        assert str(caught.value).replace("`", "").startswith(f"{copy / SOLUTION_FILE}: {message}".replace("`", ""))


SNAPSHOTS: list[tuple[Json, str]] = [
    ({"strategy_sums": lambda sums: np.where(sums > 0.0, 1.7e308, 0.0)}, "strategy_sums: negative, or above 1e300"),
    ({"score": [0.0, False], "winning_score": 1, "outcome_values": [0.1, 1.0, -1.0, 0.1]}, "score[0]: expected int"),
    ({"author": "me"}, "contains unknown field author"),
    ({"value": "1"}, "value: expected float, got str"),
    ({"current_strategy": np.full((37_538, 3), 0.5)}, "current_strategy: the root's row is not 1.0"),
    ({"strategy_sums": lambda sums: sums + 1.0}, "strategy_sums: the root's row is not 0.0"),
]


@pytest.mark.parametrize("bot", ["one", "single"], indirect=True)
@pytest.mark.parametrize(
    ("changes", "message"), SNAPSHOTS, ids=lambda item: item[:30] if isinstance(item, str) else ",".join(item)
)
def test_a_snapshot_that_play_refuses_is_not_certified(bot: Bot, changes: Json, message: str, tmp_path: Path) -> None:
    """In the same words."""
    copy = copy_of(bot, tmp_path)
    path = change_snapshot(copy / bot.last, **changes)
    for use in (lambda: bot.certify(copy), lambda: open_saved(copy).load()):
        with pytest.raises(FormatError) as caught:
            use()
        assert str(caught.value).startswith(f"{path}: {message}")


def test_sums_in_single_precision_are_the_fractions_that_they_are(single: Bot, tmp_path: Path) -> None:
    """Play takes them, so they are judged. Those of a closed form are 0 and 1 in either precision."""
    copy = copy_of(single, tmp_path)
    change_snapshot(copy, strategy_sums=lambda sums: sums.astype(np.float32))
    assert single.certify(copy) | {"files": {}} == single.certificate | {"files": {}}
