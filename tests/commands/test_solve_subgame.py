"""solve-subgame: which round, with which values, and what comes of it; the rest is in test_solve_multiround.py."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.programs import ROUND, SHORT, call, complaint, contents

from tictactoe import GameTree, Score, Snapshot, load_solution


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--seed 0", "--seed: rdcfr draws nothing at random"),
        (
            "--algorithm es-mccfr --alternate-updates false",
            "--alternate-updates: es-mccfr has no other way than to alternate",
        ),
        ("--algorithm es-mccfr --small-move-epsilon 0.1", "--small-move-epsilon: es-mccfr knows no bonus"),
        ("--score 0 0", "--score and --values-from need each other"),
        ("--values-from {solved}", "--score and --values-from need each other"),
        (
            "--score 0 0 --values-from {solved} --outcome-values 0 1 -1 0",
            "--outcome-values and --score exclude each other",
        ),
        ("--score 2 0 --values-from {solved}", "--score: 2-0 is no score of a match to 2"),
        ("--only-save-last --snapshot-at 1,2", "--only-save-last and --snapshot-at exclude each other"),
    ],
)
def test_options_that_contradict_each_other(arguments: str, expected: str, solved: Path, tmp_path: Path) -> None:
    line = complaint(call(ROUND, "-o", tmp_path / "out", *arguments.format(solved=solved).split()), 2, ROUND)
    assert line == f"{ROUND}: {expected} (see {ROUND} --help)"
    assert contents(tmp_path) == {}


def test_the_largest_outcome_values(tmp_path: Path) -> None:
    """What can be added up over many iterations is solved."""
    values = ("1e100", "-1e100", "1e100", "-1e100")
    result = call(ROUND, "-o", tmp_path / "out", "--outcome-values", *values, *SHORT, "--json")
    assert result.code == 0, result
    assert 0.0 <= json.loads(result.out)["exploitability"] < float("inf")


def test_a_seed_gives_the_same_files_and_another_seed_others(tmp_path: Path) -> None:
    for seed, directory in ((3, "one"), (3, "two"), (4, "three")):
        arguments = ("--algorithm", "es-mccfr", "--iterations", "150", "--seed", seed, "--quiet")
        assert call(ROUND, "-o", tmp_path / directory, *arguments).code == 0
    files = [(tmp_path / name / "snapshot_000150.msgpack").read_bytes() for name in ("one", "two", "three")]
    assert files[0] == files[1] != files[2]
    line = complaint(call(ROUND, "-o", tmp_path / "one", "--algorithm", "es-mccfr", "--seed", 4), 1, ROUND)
    assert "--seed is 3 there, 4 here" in line


def test_discount_false_is_plain_cfr(tmp_path: Path) -> None:
    basic = ("--iterations", "20", "--quiet")
    assert call(ROUND, "-o", tmp_path / "one", "--discount", "false", *basic).code == 0
    assert call(ROUND, "-o", tmp_path / "other", "--algorithm", "cfr", *basic).code == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_values_from_a_solution(tmp_path: Path, solved: Path) -> None:
    result = call(ROUND, "-o", tmp_path / "out", *SHORT, "--score", "1", "0", "--values-from", solved, "--json")
    assert result.code == 0
    found = json.loads(result.out)
    assert found["outcome_values"] == load_solution(solved).outcome_values(Score(1, 0))._asdict()
    assert (found["score"], found["winning_score"]) == ([1, 0], 2)


def test_another_configuration_is_named(tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert call(ROUND, "-o", output, "--quiet", *SHORT).code == 0
    before = contents(output)
    for changed, named in (
        (("--outcome-values", "1", "1", "0", "0"), ["--outcome-values is 0 1 -1 0 there, 1 1 0 0 here"]),
        (
            ("--check-exploitability-every", "20", "--only-save-last"),
            ["--check-exploitability-every is 10 there, 20 here", "--snapshot-at is not given there, none here"],
        ),
        (("--algorithm", "cfr"), ["--algorithm is pdcfr+ there, cfr here"]),
    ):
        line = complaint(call(ROUND, "-o", output, *SHORT, *changed), 1, ROUND)
        what = f"{ROUND}: {output}: cannot go on with what it holds: {'; '.join(named)}. What to do: "
        assert line.startswith(f"{what}use the options that it was begun with, choose another output directory, or ")
        assert contents(output) == before


def test_json_of_a_round(tmp_path: Path) -> None:
    found = json.loads(call(ROUND, "-o", tmp_path / "out", "--json", *SHORT).out)
    snapshot = Snapshot.load(tmp_path / "out" / "snapshot_000030.msgpack", GameTree.build())
    assert found["value"] == snapshot.value
    assert found["exploitability"] == snapshot.exploitability
    assert found["iterations"] == 30
    assert found["score"] is None


def test_a_finished_round_is_printed_again(tmp_path: Path) -> None:
    first = call(ROUND, "-o", tmp_path / "out", *SHORT)
    before = contents(tmp_path)
    again = call(ROUND, "-o", tmp_path / "out", *SHORT, "--resume")
    assert (again.code, again.out, again.err) == (0, first.out, "")
    assert contents(tmp_path) == before


def test_a_shorter_round_than_is_there_says_how_to_go_on(tmp_path: Path) -> None:
    assert call(ROUND, "-o", tmp_path / "out", *SHORT).code == 0
    before = contents(tmp_path)
    again = call(ROUND, "-o", tmp_path / "out", *SHORT, "--iterations", 20)
    said = "holds a later state already: nothing was done; --iterations above 30 goes on from there\n"
    assert (again.code, again.out.startswith(f"{tmp_path / 'out'} {said}"), again.err) == (0, True, "")
    assert contents(tmp_path) == before
