"""Options of matches and rounds: refusals, the dictionary in files, and the schedule of snapshots."""

import math
from dataclasses import fields
from typing import Any

import pytest

from tictactoe import GameOptions, MatchOptions, OutcomeValues, Score, register_rule, update_rule
from tictactoe.match.scores import all_scores

START = dict.fromkeys(all_scores(5), 0.25)


def test_parameters_of_added_rules_stand_beside_the_name() -> None:
    names = {"epsilon": 0.5, "decay": 0.25, "rule": 3.0, "rules": 4.0}
    register_rule("named-alike", lambda table, parameters: None, names)
    written = MatchOptions(algorithm=update_rule("named-alike", epsilon=0.75)).as_dict()
    assert written.items() >= {**names, "epsilon": 0.75, "algorithm": "named-alike", "small_move_epsilon": 0.0}.items()


REFUSED: dict[str, tuple[Any, ...]] = {
    "winning_score": (0, -3),
    "check_exploitability_every": (0, -10),
    "maximum_subgame_exploitability": (0.0, -1e-6, math.nan, math.inf),
    "snapshot_at": ((0, 5, -1),),
    "algorithm": (update_rule("es-mccfr"),),
    "start_from": (
        {},
        {score: 0.0 for score in START if score != Score(2, 1)},
        {**START, Score(5, 5): 0.0},
        *({**START, Score(0, 0): value} for value in (-1.1, 1.0000001, math.nan, math.inf)),
    ),
}
REFUSED_ROUNDS = [
    ({"iterations": 0}, "iterations: 0 is not at least 1"),
    ({"check_exploitability_every": 0}, "check_exploitability_every: 0 is not at least 1"),
    ({"snapshot_at": (-1,)}, "snapshot_at: -1 is not at least 0"),
    ({"seed": 0}, "seed: dcfr draws nothing at random"),
    ({"algorithm": "es-mccfr", "seed": 2**63}, "seed: 9223372036854775808 is not from 0 to 9223372036854775807"),
    ({"algorithm": "es-mccfr", "alternate_updates": False}, "alternate_updates: es-mccfr always alternates"),
    ({"algorithm": "es-mccfr", "small_move_epsilon": 0.1}, "small_move_epsilon: es-mccfr does not support a bonus"),
    *(({"outcome_values": OutcomeValues(0.0, v, 0.0, 0.0)}, "outcome_values: ") for v in (2e100, math.nan)),
    ({"outcome_values": OutcomeValues(0.0, 1.1, 0.0, 0.0), "winning_score": 5}, "outcome_values: "),
]


def test_refused_options() -> None:
    for name, value in ((name, value) for name, refused in REFUSED.items() for value in refused):
        with pytest.raises(ValueError, match=rf"^{name}: "):
            MatchOptions(**{name: value})
    for changed, message in REFUSED_ROUNDS:
        with pytest.raises(ValueError, match=f"^{message}"):
            GameOptions(**{**changed, "algorithm": update_rule(changed.get("algorithm", "dcfr"))})


CHANGES: dict[str, tuple[Any, ...]] = {
    "winning_score": (4,),
    "maximum_subgame_exploitability": (1e-5,),
    "check_exploitability_every": (11,),
    "algorithm": (
        update_rule("cfr+"),
        *(update_rule("dcfr", **{name: 2.5}) for name in ("discount_alpha", "discount_beta", "discount_gamma")),
    ),
    "algorithm_sha256": ("0" * 64,),
    "alternate_updates": (False,),
    "small_move_epsilon": (1e-3,),
    "small_move_epsilon_decay": (0.1,),
    "snapshot_at": ((), (5,)),
    "start_from": (START,),
}


def test_the_dictionary_holds_everything_that_a_result_depends_on() -> None:
    assert CHANGES.keys() == {field.name for field in fields(MatchOptions)}
    for name, value in ((name, value) for name, changed in CHANGES.items() for value in changed):
        assert MatchOptions(**{name: value}).as_dict() != MatchOptions().as_dict(), (name, value)
    digest = MatchOptions(start_from=START).as_dict()["start_from"]
    assert MatchOptions(start_from=dict(reversed(START.items()))).as_dict()["start_from"] == digest
    swapped = {Score(3, 1): 0.5, Score(1, 3): 0.25}, {Score(3, 1): 0.25, Score(1, 3): 0.5}
    changes = ({Score(0, 0): math.nextafter(0.25, 1)}, *swapped)
    digests = {MatchOptions(start_from=START | changed).as_dict()["start_from"] for changed in changes}
    assert len(digests | {digest}) == 4
    assert "start_from" not in MatchOptions().as_dict()


def test_schedules_of_snapshots() -> None:
    for options, kept, nexts in (
        (MatchOptions(), [0, 1, 10, 100, 1000], {-1: 0, 0: 1, 1: 10, 9: 10, 99: 100, 100: 1000, 999_999: 1_000_000}),
        (MatchOptions(snapshot_at=(30, 5, 5, 12)), [5, 12, 30], {-1: 5, 4: 5, 5: 12, 12: 30, 29: 30, 30: None}),
        (MatchOptions(snapshot_at=()), [], {-1: None}),
        (MatchOptions(snapshot_at=(0,)), [0], {-1: 0, 0: None}),
        (MatchOptions(winning_score=6), [], {-1: None}),
        (MatchOptions(winning_score=100), [], {-1: None}),
        (MatchOptions(winning_score=6, snapshot_at=(5, 7)), [5, 7], {-1: 5, 7: None}),
    ):
        assert [at for at in range(1200) if options.is_snapshot(at)] == kept
        assert {at: options.next_snapshot(at) for at in nexts} == nexts
        assert options.has_schedule == (options.winning_score <= 5)
        assert options.in_full == (options.snapshot_at is not None)


def test_a_bonus_may_keep_the_target_out_of_reach() -> None:
    for epsilon, decay, left in ((0.01, 0.0, "0.01"), (0.01, 1e-8, "0.0099"), (1.0, 1e-6, "0.37")):
        said = f"^small_move_epsilon: the bonus is still {left} after a million iterations, too large for"
        with pytest.raises(ValueError, match=said):
            MatchOptions(small_move_epsilon=epsilon, small_move_epsilon_decay=decay).check_target()
    for epsilon, decay, target in ((0.0, 0.0, 1e-12), (9e-6, 0.0, 1e-6), (1.0, 1e-4, 1e-6), (0.01, 0.0, 2e-3)):
        bonus = {"small_move_epsilon": epsilon, "small_move_epsilon_decay": decay}
        MatchOptions(**bonus, maximum_subgame_exploitability=target).check_target()
