"""What an earlier run's options have different, as a person reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tictactoe.tools.messages import words_of

from tictactoe import MatchOptions, OutcomeValues, RoundOptions, Rules, Score, update_rule
from tictactoe.algorithms.cfr.update_rules import ALGORITHMS, FULL_WIDTH_ALGORITHMS
from tictactoe.errors import Difference, OtherOptionsError, in_brief
from tictactoe.storage.option_differences import option_differences, rules_differences


def match(algorithm: str = "rdcfr", **parameters: float) -> dict[str, Any]:
    return MatchOptions(rule=update_rule(algorithm, **parameters)).as_dict()


def at(
    score: Score | None, *values: float, to: int | None = 5, algorithm: str = "rdcfr", **parameters: float
) -> dict[str, Any]:
    rule = update_rule(algorithm, **parameters)
    outcome_values = OutcomeValues(*values) if values else OutcomeValues(0.0, 1.0, -1.0, 0.0)
    return RoundOptions(
        rule=rule, score=score, winning_score=None if score is None else to, outcome_values=outcome_values
    ).as_dict()


def words(theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    return in_brief(map(words_of, option_differences(theirs, ours)))


@pytest.mark.parametrize("there", ALGORITHMS)
def test_another_algorithm_is_one_difference(there: str) -> None:
    """Whatever its parameters are: they follow from it."""
    theirs = at(None, algorithm=there)
    assert words(theirs, theirs) == []
    for here in set(ALGORITHMS) - {there}:
        assert words(theirs, at(None, algorithm=here)) == [f"--algorithm is {there} there, {here} here"]
    if there in FULL_WIDTH_ALGORITHMS:
        assert all(" is not given" not in line for line in words(match(there), match("cfr")))


@pytest.mark.parametrize(
    ("theirs", "ours", "expected"),
    [
        (
            match(),
            match("dcfr", alpha=2.0),
            ["--algorithm is rdcfr there, dcfr here", "--discount-alpha is 1.5 there, 2 here"],
        ),
        (
            match(gamma=3.0),
            match("cfr"),
            ["--algorithm is rdcfr there, cfr here", "--discount-gamma is 3 there, not given here"],
        ),
        (match("dcfr", beta=0.5), match("dcfr"), ["--discount-beta is 0.5 there, 0 here"]),
        (match("hs-dcfr", horizon=50.0), match("hs-dcfr"), ["--schedule-horizon is 50 there, 1000 here"]),
        (
            match("rpcfr+", blend=0.5, grow=3.0),
            match("rpcfr+"),
            ["rpcfr+ had other settings there, those of another version or of a program of your own"],
        ),
        (at(None, algorithm="es-mccfr"), at(None, algorithm="es-mccfr", full_average=1, draw_own_type=1), []),
        (
            at(None, algorithm="es-mccfr", full_average=0, draw_own_type=0),
            at(None, algorithm="es-mccfr"),
            ["es-mccfr had other settings there, those of another version or of a program of your own"],
        ),
        (
            {**match(), "algorithm": "new", "twist": 1},  # of a later version of the program
            match(),
            ["--algorithm is new there, rdcfr here", "--twist is 1 there, not given here"],
        ),
        (at(Score(4, 3), 1, 1, 0, 0.5), at(Score(3, 3), 1, 1, 0, 0.2, to=4), ["--score is 4 3 there, 3 3 here"]),
        (at(None), at(Score(3, 3), 1, 1, 0, 0.2), ["--score is not given there, 3 3 here"]),
        (at(Score(3, 3), 1, 1, 0, 0.1), at(Score(3, 3)), ["--values-from is a solution with other values there"]),
        (at(Score(3, 3)), at(Score(3, 3), to=7), ["--values-from is a match to 5 there, to 7 here"]),
        (match() | {"imported_from": "x"}, match("cfr"), ["it was imported, not solved"]),
        (match() | {"compact_bits": 20}, match(), ["it is a compact copy, with nothing to solve on from"]),
        (
            match() | {"polished_from": "a", "polished_random": 1.0},
            match() | {"polished_from": "b", "polished_random": 2.0},
            ["it was made from another solution, or by another version of the program"],
        ),
        (match() | {"start_from": "a"}, match(), ["--start-from is given there, not here"]),
        (match(), match() | {"start_from": "a"}, ["--start-from is not given there, but here"]),
        (match() | {"start_from": "a"}, match() | {"start_from": "b"}, ["--start-from has other values there"]),
        ({"snapshot_at": [0, 10]}, {"snapshot_at": []}, ["--snapshot-at is 0,10 there, none here"]),
        ({"snapshot_at": [7]}, {"snapshot_at": None}, ["--snapshot-at is 7 there, not given here"]),
    ],
)
def test_what_is_said(theirs: dict[str, Any], ours: dict[str, Any], expected: list[str]) -> None:
    assert words(theirs, ours) == expected


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        ("filled", []),
        ("filled-tie 2:1:1", ["--rules is filled-tie there, filled here", "--goal-odds is 2:1:1 there, 1:1:1 here"]),
        ("filled 1:1:1", ["its rules are unknown here, 'filled 1:1:1'"]),  # never written so
        ("filled 0:0:0", ["its rules are unknown here, 'filled 0:0:0'"]),
        ("wild cards\n", [r"its rules are unknown here, 'wild cards\n'"]),
        ("", ["its rules are unknown here, ''"]),
    ],
    ids=repr,
)
def test_what_is_said_of_rules(theirs: str, expected: list[str]) -> None:
    """What is spelt as no rules are is named as a whole: it is neither a name nor odds."""
    assert list(map(words_of, rules_differences(theirs, Rules("filled")))) == expected


def test_what_to_do() -> None:
    """The options of the earlier run help only if they are what differs."""
    anew = "choose another output directory, or throw away what is there with --restart"
    for differences, advice in (
        ([Difference("a", 1, 2)], f"use the options that it was begun with, {anew}"),
        (["it was imported, not solved"], anew),
        ([Difference("a", 1, 2), "the game tree is another one"], anew),
    ):
        expected = (
            f"here: cannot go on with what it holds: {'; '.join(map(words_of, differences))}. What to do: {advice}"
        )
        assert words_of(OtherOptionsError(Path("here"), differences)) == expected


@pytest.mark.parametrize("algorithm", [["pdcfr+"], {"a": 1}, None, 3])
def test_an_algorithm_that_is_no_name(algorithm: Any) -> None:
    """A record may hold anything there."""
    differences = words(at(None) | {"algorithm": algorithm}, at(None))
    assert differences
    assert "algorithm" in differences[0]


def test_long_values_are_shown_in_part() -> None:
    """A record may hold texts, names and numbers of options of any length."""
    ours = at(None)
    for more in (
        {"outcome_values": [0.0, 1.0, -1.0, "x" * 50_000]},
        {"x" * 50_000: 1},
        {f"x{n}": n for n in range(50_000)},
    ):
        error = OtherOptionsError(Path("run"), option_differences(ours | more, ours))
        assert max(len(str(error)), len(words_of(error))) < 2000
