"""Options of matches and rounds: what is refused, what files hold, and when snapshots are due."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import pytest

from tictactoe.algorithms.cfr.update_rules import update_rule
from tictactoe.algorithms.game import BonusSchedule
from tictactoe.games.goals import OutcomeValues
from tictactoe.match.options import MatchOptions, RoundOptions
from tictactoe.match.scores import Score, all_scores

START = dict.fromkeys(all_scores(5), 0.25)


def test_match_options_defaults() -> None:
    """Those of the documented program, but for the restarts and the rarer checks."""
    assert MatchOptions().as_dict() == {
        "winning_score": 5,
        "maximum_subgame_exploitability": 1e-6,
        "check_exploitability_every": 20,
        "algorithm": "rdcfr",
        "discount_alpha": 1.5,
        "discount_beta": 0.0,
        "discount_gamma": 2.0,
        "first_restart": 100.0,
        "alternate_updates": True,
        "small_move_epsilon": 0.0,
        "small_move_epsilon_decay": 0.0,
        "snapshot_at": None,
    }


REFUSED = {
    "winning_score": (0, -3),
    "check_exploitability_every": (0, -10),
    "maximum_subgame_exploitability": (0.0, -1e-6, math.nan, math.inf),
    "snapshot_at": ((0, 5, -1),),
    "rule": (update_rule("es-mccfr"),),
    "start_values": (
        {},
        {score: 0.0 for score in START if score != Score(2, 1)},
        {**START, Score(5, 5): 0.0},
        *({**START, Score(0, 0): value} for value in (-1.1, 1.0000001, math.nan, math.inf)),
    ),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in REFUSED for value in REFUSED[name]])
def test_match_options_rejects(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: "):
        MatchOptions(**{name: value})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"iterations": 0}, "iterations: 0 is not at least 1"),
        ({"check_exploitability_every": 0}, "check_exploitability_every: 0 is not at least 1"),
        ({"snapshot_at": (-1,)}, "snapshot_at: -1 is not at least 0"),
        ({"seed": 0}, "seed: dcfr draws nothing at random"),
        ({"rule": "es-mccfr", "seed": 2**63}, "seed: 9223372036854775808 is not in 0 to 9223372036854775807"),
        ({"rule": "es-mccfr", "alternate_updates": False}, "alternate_updates: es-mccfr has no other way than to"),
        ({"rule": "es-mccfr", "bonus_schedule": BonusSchedule(0.1)}, "bonus_schedule: es-mccfr knows no bonus"),
        ({"outcome_values": OutcomeValues(0.0, 2e100, 0.0, 0.0)}, "outcome_values: "),
        ({"outcome_values": OutcomeValues(0.0, math.nan, 0.0, 0.0)}, "outcome_values: "),
        ({"outcome_values": OutcomeValues(0.0, 1.1, 0.0, 0.0), "winning_score": 5}, "outcome_values: "),
    ],
)
def test_round_options_rejects(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        RoundOptions(**{**changed, "rule": update_rule(changed.get("rule", "dcfr"))})


CHANGES: dict[str, tuple[Any, ...]] = {
    "winning_score": (4,),
    "maximum_subgame_exploitability": (1e-5,),
    "check_exploitability_every": (11,),
    "rule": (update_rule("cfr+"), *(update_rule("dcfr", **{name: 2.5}) for name in ("alpha", "beta", "gamma"))),
    "alternate_updates": (False,),
    "bonus_schedule": (BonusSchedule(1e-3), BonusSchedule(0.0, 0.1)),
    "snapshot_at": ((), (5,)),
    "start_values": (START,),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in CHANGES for value in CHANGES[name]])
def test_everything_that_a_result_depends_on_stands_in_the_dictionary(name: str, value: Any) -> None:
    assert CHANGES.keys() == {field.name for field in fields(MatchOptions)}
    assert MatchOptions(**{name: value}).as_dict() != MatchOptions().as_dict()


def test_start_values_stand_in_the_dictionary_as_a_digest() -> None:
    """Whatever their order; another value, be it by a bit, makes it another one; without them there is none."""
    digest = MatchOptions(start_values=START).as_dict()["start_from"]
    assert MatchOptions(start_values=dict(reversed(START.items()))).as_dict()["start_from"] == digest
    swapped = {Score(3, 1): 0.5, Score(1, 3): 0.25}, {Score(3, 1): 0.25, Score(1, 3): 0.5}
    changes = ({Score(0, 0): math.nextafter(0.25, 1)}, *swapped)
    digests = {MatchOptions(start_values=START | changed).as_dict()["start_from"] for changed in changes}
    assert len(digests | {digest}) == 4
    assert "start_from" not in MatchOptions().as_dict()


def test_what_sampling_does_stands_there_where_it_is_not_what_it_did_before_there_was_a_choice() -> None:
    """Files of versions without the choice are read as these options, and are written byte for byte as they were."""
    usual = RoundOptions(rule=update_rule("es-mccfr")).as_dict()
    assert list(usual) == [
        "outcome_values",
        "score",
        "winning_score",
        "check_exploitability_every",
        "algorithm",
        "alternate_updates",
        "small_move_epsilon",
        "small_move_epsilon_decay",
        "seed",
        "snapshot_at",
    ]
    for name in ("full_average", "draw_own_type"):
        other = RoundOptions(rule=update_rule("es-mccfr", **{name: 0})).as_dict()
        assert other == usual | {name: 0.0}


def test_the_dictionary_is_plain_data() -> None:
    options = MatchOptions(rule=update_rule("pdcfr+"), snapshot_at=(1, 2), start_values=START)
    for value in options.as_dict().values():
        assert type(value) in (int, float, str, bool, list, type(None))


def test_the_geometric_schedule() -> None:
    options = MatchOptions()
    assert [at for at in range(-1, 1200) if at >= 0 and options.is_snapshot(at)] == [0, 1, 10, 100, 1000]
    nexts = {-1: 0, 0: 1, 1: 10, 9: 10, 10: 100, 99: 100, 100: 1000, 999_999: 1_000_000}
    assert {at: options.next_snapshot(at) for at in nexts} == nexts


def test_a_long_match_keeps_the_last_iteration_alone_unless_something_else_is_asked_for() -> None:
    for points, kept in ((1, [0, 1, 10]), (5, [0, 1, 10]), (6, []), (100, [])):
        options = MatchOptions(winning_score=points)
        assert [at for at in range(50) if options.is_snapshot(at)] == kept
        assert options.next_snapshot(-1) == (0 if kept else None)
        assert (options.has_schedule, options.in_full) == (bool(kept), False)
    for asked in ((), (5, 7)):
        options = MatchOptions(winning_score=6, snapshot_at=asked)
        assert tuple(at for at in range(50) if options.is_snapshot(at)) == asked
        assert options.in_full


def test_a_schedule_of_ones_own() -> None:
    options = MatchOptions(snapshot_at=(30, 5, 5, 12))
    assert [at for at in range(40) if options.is_snapshot(at)] == [5, 12, 30]
    nexts = {-1: 5, 0: 5, 4: 5, 5: 12, 12: 30, 29: 30, 30: None, 1000: None}
    assert {at: options.next_snapshot(at) for at in nexts} == nexts
    assert MatchOptions(snapshot_at=()).next_snapshot(-1) is None
    assert not MatchOptions(snapshot_at=()).is_snapshot(0)
    assert MatchOptions(snapshot_at=(0,)).is_snapshot(0)


@pytest.mark.parametrize(
    ("epsilon", "decay", "left"), [(0.01, 0.0, "0.01"), (0.01, 1e-8, "0.0099"), (1.0, 1e-6, "0.37")]
)
def test_a_bonus_that_keeps_the_target_out_of_reach(epsilon: float, decay: float, left: str) -> None:
    said = f"^bonus_schedule: the bonus is still {left} after a million iterations, too large for"
    with pytest.raises(ValueError, match=said):
        MatchOptions(bonus_schedule=BonusSchedule(epsilon, decay)).check_target()


@pytest.mark.parametrize(
    ("epsilon", "decay", "target"), [(0.0, 0.0, 1e-12), (9e-6, 0.0, 1e-6), (1.0, 1e-4, 1e-6), (0.01, 0.0, 2e-3)]
)
def test_a_bonus_that_is_small_enough(epsilon: float, decay: float, target: float) -> None:
    options = MatchOptions(bonus_schedule=BonusSchedule(epsilon, decay), maximum_subgame_exploitability=target)
    options.check_target()
