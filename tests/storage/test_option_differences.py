"""Differences between an earlier run's options and those of this one, as a person reads them."""

from itertools import product
from pathlib import Path
from typing import Any

from tictactoe import GameOptions, MatchOptions, OutcomeValues, Rules, Score, update_rule
from tictactoe.algorithms.update_rules import ALGORITHMS, FULL_WIDTH_ALGORITHMS
from tictactoe.errors import Difference, OtherOptionsError, in_brief
from tictactoe.storage.solution import option_differences, rules_differences


def match(algorithm: str = "rdcfr", **parameters: float) -> dict[str, Any]:
    return MatchOptions(algorithm=update_rule(algorithm, **parameters)).as_dict()


def at(
    score: Score | None, *values: float, to: int | None = 5, algorithm: str = "rdcfr", **parameters: float
) -> dict[str, Any]:
    rule = update_rule(algorithm, **parameters)
    outcome_values = OutcomeValues(*values) if values else OutcomeValues(0.0, 1.0, -1.0, 0.0)
    return GameOptions(
        algorithm=rule, score=score, winning_score=None if score is None else to, outcome_values=outcome_values
    ).as_dict()


def words(theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    return in_brief(map(str, option_differences(theirs, ours)))


def test_another_algorithm_is_one_difference() -> None:
    options = {name: at(None, algorithm=name) for name in ALGORITHMS}
    for there, here in product(ALGORITHMS, ALGORITHMS):
        expected = [] if there == here else [f"algorithm is {there} there, {here} here"]
        assert words(options[there], options[here]) == expected
    for there in FULL_WIDTH_ALGORITHMS:
        assert all(" is not given" not in line for line in words(match(there), match("cfr")))


RDCFR_3 = match(discount_gamma=3.0)
OTHER_SETTINGS = "had other settings there, from another version or a program of your own"
SAMPLING, AT_33 = at(None, algorithm="es-mccfr"), at(Score(3, 3))
DIFFERENCES: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    (match(), match("dcfr", discount_alpha=2.0), ["algorithm is rdcfr there, dcfr here"]),
    (RDCFR_3, match(), ["discount_gamma is 3.0 there, 2.0 here"]),
    (match("dcfr", discount_beta=0.5), match("dcfr"), ["discount_beta is 0.5 there, 0.0 here"]),
    (match("hs-dcfr", schedule_horizon=50.0), match("hs-dcfr"), ["schedule_horizon is 50.0 there, 1000.0 here"]),
    (match("rpcfr+", blend=0.5, grow=3.0), match("rpcfr+"), [f"rpcfr+ {OTHER_SETTINGS}"]),
    (SAMPLING, at(None, algorithm="es-mccfr", full_average=1, draw_own_type=1), []),
    (at(None, algorithm="es-mccfr", full_average=0, draw_own_type=0), SAMPLING, [f"es-mccfr {OTHER_SETTINGS}"]),
    (
        {**match(), "algorithm": "new", "twist": 1},  # of a later version of the program
        match(),
        ["algorithm is new there, rdcfr here", "twist is 1 there, not given here"],
    ),
    (at(Score(4, 3), 1, 1, 0, 0.5), at(Score(3, 3), 1, 1, 0, 0.2, to=4), ["score is [4, 3] there, [3, 3] here"]),
    (at(None), at(Score(3, 3), 1, 1, 0, 0.2), ["score is not given there, [3, 3] here"]),
    (
        at(Score(3, 3), 1, 1, 0, 0.1),
        AT_33,
        ["outcome_values is [1.0, 1.0, 0.0, 0.1] there, [0.0, 1.0, -1.0, 0.0] here"],
    ),
    (AT_33, at(Score(3, 3), to=7), ["winning_score is 5 there, 7 here"]),
    (match() | {"compact_bits": 20}, match(), ["it is a compact copy, which cannot be solved further"]),
    (
        match() | {"polished_from": "a", "polished_random": 1.0},
        match() | {"polished_from": "b", "polished_random": 2.0},
        ["it was made from another solution, or by another version of the program"],
    ),
    (match(), match() | {"start_from": "a"}, ["start_from is not given there, a here"]),
    ({"snapshot_at": [0, 10]}, {"snapshot_at": []}, ["snapshot_at is [0, 10] there, [] here"]),
    ({"snapshot_at": [7]}, {"snapshot_at": None}, ["snapshot_at is [7] there, not given here"]),
]
"""Options of the earlier run, options of this one, and the differences."""
UNKNOWN = "its rules are unknown here, {!r}"


def test_differences_in_words() -> None:
    for theirs, ours, expected in DIFFERENCES:
        assert words(theirs, ours) == expected
    for algorithm in (["pdcfr+"], {"a": 1}, None, 3):  # a record may hold anything
        first, *_ = words(at(None) | {"algorithm": algorithm}, at(None))
        assert "algorithm" in first
    for theirs, said in (
        ("filled", []),
        ("filled-tie 2:1:1", ["rules is filled-tie there, filled here", "goal_odds is 2:1:1 there, 1:1:1 here"]),
        *((odd, [UNKNOWN.format(odd)]) for odd in ("filled 1:1:1", "filled 0:0:0", "wild cards\n", "")),
    ):
        assert list(map(str, rules_differences(theirs, Rules("filled")))) == said


def test_advice_and_long_values() -> None:
    tree = "the game tree is different"
    said = str(OtherOptionsError(Path("here"), [Difference("a", 1, 2), tree]))
    assert said.endswith(f"; {tree}; choose another output directory, or restart to replace what is there")
    ours = at(None)
    for more in (
        {"outcome_values": [0.0, 1.0, -1.0, "x" * 50_000]},
        {"x" * 50_000: 1},
        {f"x{n}": n for n in range(50_000)},
    ):
        error = OtherOptionsError(Path("run"), option_differences(ours | more, ours))
        assert len(str(error)) < 2000
