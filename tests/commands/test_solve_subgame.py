"""solve-subgame: which round, with which values, and its results. test_solve_multiround.py has the rest."""

from __future__ import annotations

from pathlib import Path

from support.programs import ROUND, SHORT, call, contents, json_of

from tictactoe import GameTree, Score, Snapshot, load_solution


def test_json_of_a_round(tmp_path: Path, solved: Path) -> None:
    """On its own, at a score of a match, and with the largest outcome values that can be added up."""
    found = json_of(ROUND, "-o", tmp_path / "out", *SHORT)
    snapshot = Snapshot.load(tmp_path / "out" / "snapshot_000030.msgpack", GameTree.build())
    assert (found["value"], found["exploitability"]) == (snapshot.value, snapshot.exploitability)
    assert (found["iterations"], found["score"]) == (30, None)
    found = json_of(ROUND, "-o", tmp_path / "of_match", *SHORT, "--score", "1", "0", "--values-from", solved)
    assert found["outcome_values"] == load_solution(solved).outcome_values(Score(1, 0))._asdict()
    assert (found["score"], found["winning_score"]) == ([1, 0], 2)
    values = ("1e100", "-1e100", "1e100", "-1e100")
    found = json_of(ROUND, "-o", tmp_path / "huge", "--outcome-values", *values, *SHORT)
    assert 0.0 <= found["exploitability"] < float("inf")


def test_a_seed_gives_the_same_files_and_another_seed_others(tmp_path: Path) -> None:
    for seed, directory in ((3, "one"), (3, "two"), (4, "three")):
        arguments = ("--algorithm", "es-mccfr", "--iterations", "150", "--seed", seed, "--quiet")
        assert call(ROUND, "-o", tmp_path / directory, *arguments).code == 0
    files = [(tmp_path / name / "snapshot_000150.msgpack").read_bytes() for name in ("one", "two", "three")]
    assert files[0] == files[1] != files[2]


def test_discount_false_is_plain_cfr(tmp_path: Path) -> None:
    basic = ("--iterations", "20", "--quiet")
    assert call(ROUND, "-o", tmp_path / "one", "--discount", "false", *basic).code == 0
    assert call(ROUND, "-o", tmp_path / "other", "--algorithm", "cfr", *basic).code == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_a_finished_round_is_left_alone(tmp_path: Path) -> None:
    first = call(ROUND, "-o", tmp_path / "out", *SHORT)
    before = contents(tmp_path)
    again = call(ROUND, "-o", tmp_path / "out", *SHORT, "--resume")
    assert (again.code, again.out, again.err) == (0, first.out, "")
    shorter = call(ROUND, "-o", tmp_path / "out", *SHORT, "--iterations", 20)
    assert (shorter.code, "holds a later state already" in shorter.out, shorter.err) == (0, True, "")
    assert contents(tmp_path) == before
