"""Numbers that the public names are given: what the commands would refuse is refused here, too, by its name."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tictactoe
from tictactoe import Goal, OutcomeValues, Score, Seat

TREE, KUHN = tictactoe.GameTree.build(), tictactoe.kuhn_poker()
CFR, METHOD, OPTIONS = tictactoe.update_rule("cfr"), tictactoe.LearningMethod(), tictactoe.MatchOptions()
SOLVED = tictactoe.load_solution("match_to_1")
LIKE_WHOLE = (True, 1.5, 2.0, math.nan, math.inf, -1, "2", None)
LIKE_NUMBERS = (True, math.nan, math.inf, -1.0, "2", None)
NOWHERE = Path("/dev/null/nothing")
VALUES = OutcomeValues(0.0, 1.0, -1.0, 0.0)

Case = tuple[str, str, Callable[[Any], object]]


def case(function: Callable[..., object], name: str, *given: object, **named: object) -> Case:
    """A function that is given a number by that name."""
    return function.__qualname__, name, lambda value: function(*given, **named, **{name: value})


WHOLE: list[Case] = [
    case(tictactoe.MatchOptions, "winning_score"),
    case(tictactoe.MatchOptions, "check_exploitability_every"),
    ("MatchOptions", "snapshot_at", lambda value: tictactoe.MatchOptions(snapshot_at=(value,))),
    case(tictactoe.GameOptions, "check_exploitability_every"),
    case(tictactoe.CFRSolver, "seed", KUHN, CFR),
    ("run", "num_iterations", lambda value: tictactoe.CFRSolver(KUHN, CFR).run(value)),
    case(tictactoe.LearningMethod, "epsilon_episodes"),
    case(tictactoe.TabularLearner, "seed", KUHN, METHOD),
    ("run", "num_rounds", lambda value: tictactoe.TabularLearner(KUHN, METHOD).run(value)),
    case(tictactoe.LearntTable.new, "seed", TREE, METHOD),
    case(tictactoe.train_agent, "rounds", NOWHERE),
    case(tictactoe.UniformStrategy, "winning_score", TREE),
    case(tictactoe.best_response_over_match, "winning_score", TREE, {}),
    case(tictactoe.head_to_head, "winning_score", TREE, {}, {}),
    case(tictactoe.match_facts, "winning_score", TREE, {}),
    case(tictactoe.values_by_formula, "winning_score"),
    case(tictactoe.solve_by_formula, "winning_score", NOWHERE),
    case(tictactoe.RunControl, "workers"),
    case(tictactoe.CompactOptions, "bits", smallest=0.0),
    case(tictactoe.save_solution, "winning_score", NOWHERE, TREE, {}, source="somewhere"),
    ("Position", "moves", lambda value: tictactoe.Position(Score(0, 0), (None, None), (value,))),
    ("Position", "score", lambda value: tictactoe.Position(Score(value, 0), (None, None), ())),
    case(tictactoe.Judge(tictactoe.open_saved("match_to_1")).match, "winning_score"),
    case(tictactoe.planned_trials, "num_seeds", [CFR]),
    case(tictactoe.planned_trials, "num_perturbations", [CFR]),
]
OR_NONE: list[Case] = [
    case(tictactoe.GameOptions, "iterations"),
    case(tictactoe.GameOptions, "winning_score"),
    case(tictactoe.GameOptions, "seed", algorithm=tictactoe.update_rule("es-mccfr")),
    (
        "LearntTable.new",
        "winning_score",
        lambda value: tictactoe.LearntTable.new(TREE, METHOD, played=tictactoe.RoundToLearn(winning_score=value)),
    ),
    case(tictactoe.solve_match, "max_iterations", NOWHERE, TREE, OPTIONS),
    case(tictactoe.MatchBot, "winning_score", SOLVED),
    case(tictactoe.values_by_formula, "digits", 1),
    case(tictactoe.parse_agent("uniform").agent, "seed", TREE),
    case(SOLVED.iteration_of, "iteration", Score(0, 0)),
    case(tictactoe.observation, "winning_score", (), Goal.WIN, Seat.FIRST),
]
NUMBERS: list[Case] = [
    case(tictactoe.MatchOptions, "maximum_subgame_exploitability"),
    case(tictactoe.BonusSchedule, "small_move_epsilon"),
    case(tictactoe.BonusSchedule, "small_move_epsilon_decay", small_move_epsilon=0.1),
    case(tictactoe.Budget, "amount", unit=tictactoe.Unit.SECONDS),
    case(tictactoe.LearningMethod, "epsilon"),
    case(tictactoe.LearningMethod, "epsilon_end"),
    case(tictactoe.CompactOptions, "smallest", bits=20),
    case(tictactoe.parse_agent, "seconds", "uniform"),
    (
        "update_rule",
        "discount_gamma",
        lambda value: tictactoe.update_rule("dcfr", discount_gamma=math.nan if value is None else value),
    ),
]


OF_A_ROUND: dict[str, tuple[Any, ...]] = {
    "alternate_updates": (1, None, "false"),
    "snapshot_at": (5, "12"),
    "algorithm": ("cfr", None),
    "small_move_epsilon": (-0.1, None),
    "score": ((1.5, 2), "x", Score(-1, 2), Score(True, 0), Score(5, 0), 5),
    "outcome_values": ((1.0, 1.0), OutcomeValues(True, 1.0, 0.0, 0.0), OutcomeValues("1", 1.0, 0.0, 0.0)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(
    ("function", "name", "call", "values"),
    [
        *((*each, LIKE_WHOLE) for each in WHOLE),
        *((*each, LIKE_WHOLE[:-1]) for each in OR_NONE),
        *((*each, LIKE_NUMBERS) for each in NUMBERS),
        *((*case(tictactoe.GameOptions, name, winning_score=5), values) for name, values in OF_A_ROUND.items()),
    ],
)
def test_refused_by_name(function: str, name: str, call: Callable[[Any], object], values: tuple[object, ...]) -> None:
    for value in values:
        with pytest.raises(ValueError, match=rf"^{name}\b.*: "):
            call(value)
    assert not NOWHERE.exists(), function


def test_numbers_of_numpy_are_kept_as_pythons(tmp_path: Path) -> None:
    options = tictactoe.MatchOptions(
        winning_score=np.int64(1), maximum_subgame_exploitability=np.float32(0.5), snapshot_at=[np.int8(3)]
    )
    assert [type(value) for value in options.as_dict().values() if value is not None] == [
        *(int, float, int, str, *(float,) * len(options.algorithm.parameters), bool, float, float, list)
    ]
    for existing in (tictactoe.Existing.CONTINUE, tictactoe.Existing.RESUME):
        control = tictactoe.RunControl(workers=np.int64(1), existing=existing)
        assert tictactoe.solve_match(tmp_path / "match", TREE, options, control=control).winning_score == 1


@pytest.mark.parametrize("node", [-1, TREE.num_nodes, True, 1.0, None, "1"])
def test_a_node_that_does_not_exist(node: Any) -> None:
    for name in ("children", "history", "move", "move_name", "history_name", "outcome"):
        with pytest.raises(IndexError, match=rf"^node {node} is not from [01] to 37537$"):
            getattr(TREE, name)(node)
        if node != TREE.num_nodes and hasattr(KUHN.tree, name):
            with pytest.raises(IndexError, match=rf"^node {node} is not from "):
                getattr(KUHN.tree, name)(node)
    bot = tictactoe.RoundBot(TREE, tictactoe.uniform_strategy(TREE), VALUES)
    for asked in (bot.possible_outcomes, lambda node: bot.belief(node, Seat.FIRST)):
        with pytest.raises(IndexError, match=r"^node "):
            asked(node)


def test_the_root_has_no_move_into_it() -> None:
    for tree in (TREE, KUHN.tree):
        assert tree.history(np.int32(0)) == ()
        for of in (tree.move, tree.move_name):
            with pytest.raises(IndexError, match=r"^node 0 is not from 1 to "):
                of(0)


def test_bots_and_cursors_of_nothing() -> None:
    strategy = tictactoe.uniform_strategy(TREE)
    for field, arguments in (
        ("tree", (None, strategy, VALUES)),
        ("strategy", (TREE, None, VALUES)),
        ("strategy", (TREE, strategy[1:], VALUES)),
        ("values", (TREE, strategy, None)),
        ("values", (TREE, strategy, OutcomeValues(math.nan, 1.0, 0.0, 0.0))),
    ):
        with pytest.raises(ValueError, match=f"^{field}: "):
            tictactoe.RoundBot(*arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^tree: None is not a GameTree$"):
        tictactoe.Cursor(None)  # type: ignore[arg-type]
    for square in (True, 1.0, "1", None, 0, 10):
        with pytest.raises(ValueError, match=r" is not a square$"):
            tictactoe.Cursor(TREE).play(square)  # type: ignore[arg-type]
    for square in (0, 10, True, 1.5):
        with pytest.raises(ValueError, match=r"^moves: .* is not a square, 1 to 9$"):
            tictactoe.observation((square,), Goal.WIN, Seat.FIRST)  # type: ignore[arg-type]
