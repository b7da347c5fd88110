"""Numbers that the public names are given: what the commands would refuse is refused here, too, by its name."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tictactoe
from tictactoe.games.goals import Goal, OutcomeValues, Seat
from tictactoe.match.scores import Score

TREE, KUHN = tictactoe.GameTree.build(), tictactoe.kuhn_poker()
LIKE_WHOLE = (True, 1.5, 2.0, math.nan, math.inf, -1, "2", None)
LIKE_NUMBERS = (True, math.nan, math.inf, -1.0, "2", None)
NOWHERE = Path("/dev/null/nothing")

Call = Callable[[Any], object]


def with_seed(algorithm: str) -> Call:
    return lambda seed: tictactoe.RoundOptions(rule=tictactoe.update_rule(algorithm), seed=seed)


def compared(name: str) -> Call:
    return lambda value: tictactoe.planned_trials([tictactoe.update_rule("cfr")], **{name: value})


WHOLE: dict[str, Call] = {
    **{
        f"MatchOptions.{name}": lambda value, name=name: tictactoe.MatchOptions(**{name: value})
        for name in ("winning_score", "check_exploitability_every")
    },
    **{
        f"RoundOptions.{name}": lambda value, name=name: tictactoe.RoundOptions(**{name: value})
        for name in ("iterations", "check_exploitability_every")
    },
    "MatchOptions.snapshot_at": lambda value: tictactoe.MatchOptions(snapshot_at=(value,)),
    "CFRSolver.seed": lambda value: tictactoe.CFRSolver(KUHN, tictactoe.update_rule("cfr"), seed=value),
    "CFRSolver.num_iterations": tictactoe.CFRSolver(KUHN, tictactoe.update_rule("cfr")).run,
    "LearningMethod.epsilon_rounds": lambda value: tictactoe.LearningMethod(epsilon_rounds=value),
    "TabularLearner.seed": lambda value: tictactoe.TabularLearner(KUHN, tictactoe.LearningMethod(), seed=value),
    "TabularLearner.num_rounds": tictactoe.TabularLearner(KUHN, tictactoe.LearningMethod()).run,
    "LearntTable.seed": lambda value: tictactoe.LearntTable.new(TREE, tictactoe.LearningMethod(), seed=value),
    "train_agent.rounds": lambda value: tictactoe.train_agent(NOWHERE, value),
    "UniformStrategy.winning_score": lambda value: tictactoe.UniformStrategy(TREE, value),
    "best_response_over_match.winning_score": lambda value: tictactoe.best_response_over_match(TREE, {}, value),
    "head_to_head.winning_score": lambda value: tictactoe.head_to_head(TREE, {}, {}, value),
    "match_facts.winning_score": lambda value: tictactoe.match_facts(TREE, {}, value),
    "values_by_formula.winning_score": tictactoe.values_by_formula,
    "solve_by_formula.winning_score": lambda value: tictactoe.solve_by_formula(NOWHERE, value),
    "RunControl.workers": lambda value: tictactoe.RunControl(workers=value),
    "CompactOptions.bits": lambda value: tictactoe.CompactOptions(smallest=0.0, bits=value),
    "save_solution.winning_score": lambda value: tictactoe.save_solution(NOWHERE, TREE, {}, value, "somewhere"),
    "Position.moves": lambda value: tictactoe.Position(Score(0, 0), (None, None), (value,)),
    "Position.score": lambda value: tictactoe.Position(Score(value, 0), (None, None), ()),
    "Judge.winning_score": tictactoe.Judge(tictactoe.open_saved("match_to_1")).match,
    **{f"planned_trials.{name}": compared(name) for name in ("num_seeds", "num_perturbations")},
}
OR_NONE: dict[str, Call] = {
    "RoundOptions.winning_score": lambda value: tictactoe.RoundOptions(winning_score=value),
    "RoundOptions.seed": with_seed("es-mccfr"),
    "LearntTable.winning_score": lambda value: tictactoe.LearntTable.new(
        TREE, tictactoe.LearningMethod(), played=tictactoe.RoundToLearn(winning_score=value)
    ),
    "solve_match.max_iterations": lambda value: tictactoe.solve_match(
        NOWHERE, TREE, tictactoe.MatchOptions(), max_iterations=value
    ),
    "MatchBot.winning_score": lambda value: tictactoe.MatchBot(tictactoe.load_solution("match_to_1"), value),
    "values_by_formula.digits": lambda value: tictactoe.values_by_formula(1, digits=value),
    "agent.seed": lambda value: tictactoe.parse_agent("uniform").agent(TREE, value),
    "iteration_of.iteration": lambda value: tictactoe.load_solution("match_to_1").iteration_of(Score(0, 0), value),
    "observation.winning_score": lambda value: tictactoe.observation((), Goal.WIN, Seat.FIRST, winning_score=value),
}
NUMBERS: dict[str, Call] = {
    "MatchOptions.maximum_subgame_exploitability": lambda value: tictactoe.MatchOptions(
        maximum_subgame_exploitability=value
    ),
    "BonusSchedule.epsilon": lambda value: tictactoe.BonusSchedule(epsilon=value),
    "BonusSchedule.decay": lambda value: tictactoe.BonusSchedule(epsilon=0.1, decay=value),
    "Budget.amount": lambda value: tictactoe.Budget(value, tictactoe.Unit.SECONDS),
    "LearningMethod.epsilon": lambda value: tictactoe.LearningMethod(epsilon=value),
    "LearningMethod.epsilon_end": lambda value: tictactoe.LearningMethod(epsilon_end=value),
    "CompactOptions.smallest": lambda value: tictactoe.CompactOptions(smallest=value, bits=20),
    "parse_agent.seconds": lambda value: tictactoe.parse_agent("uniform", seconds=value),
    "update_rule.gamma": lambda value: tictactoe.update_rule("dcfr", gamma=math.nan if value is None else value),
}


@pytest.mark.parametrize(
    ("name", "call", "values"),
    [
        *((name, call, LIKE_WHOLE) for name, call in WHOLE.items()),
        *((name, call, LIKE_WHOLE[:-1]) for name, call in OR_NONE.items()),
        *((name, call, LIKE_NUMBERS) for name, call in NUMBERS.items()),
    ],
)
def test_what_is_no_such_number_is_refused(name: str, call: Call, values: tuple[Any, ...]) -> None:
    """And by its name, before anything is written."""
    for value in values:
        with pytest.raises(ValueError, match=rf"^{name.partition('.')[2]}\b.*: "):
            call(value)
    assert not NOWHERE.exists()


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("alternate_updates", (1, None, "false")),
        ("snapshot_at", (5, "12")),
        ("rule", ("cfr", None)),
        ("bonus_schedule", (0.1, None)),
        ("score", ((1.5, 2), "x", Score(-1, 2), Score(True, 0), Score(5, 0), 5)),
        ("outcome_values", ((1.0, 1.0), None, OutcomeValues(True, 1.0, 0.0, 0.0), OutcomeValues("1", 1.0, 0.0, 0.0))),  # type: ignore[arg-type]
    ],
)
def test_other_options_of_a_round(field: str, values: tuple[Any, ...]) -> None:
    for value in values:
        with pytest.raises(ValueError, match=f"^{field}: "):
            tictactoe.RoundOptions(**{"winning_score": 5, field: value})


def test_numbers_of_numpy_are_kept_as_pythons(tmp_path: Path) -> None:
    """Files hold no others: a match that was begun so can be gone on with."""
    options = tictactoe.MatchOptions(
        winning_score=np.int64(1), maximum_subgame_exploitability=np.float32(0.5), snapshot_at=[np.int8(3)]
    )
    assert [type(value) for value in options.as_dict().values() if value is not None] == [
        *(int, float, int, str, *(float,) * len(options.rule.parameters), bool, float, float, list)
    ]
    tictactoe.solve_match(tmp_path / "match", TREE, options, control=tictactoe.RunControl(workers=np.int64(1)))
    again = tictactoe.RunControl(existing=tictactoe.Existing.RESUME)
    assert tictactoe.solve_match(tmp_path / "match", TREE, options, control=again).winning_score == 1


@pytest.mark.parametrize("name", ["children", "history", "move", "move_name", "history_name", "outcome"])
@pytest.mark.parametrize("node", [-1, TREE.num_nodes, True, 1.0, None, "1"])
def test_a_node_that_does_not_exist(name: str, node: Any) -> None:
    """Is an error whatever is asked of it: no number counts from the end."""
    with pytest.raises(IndexError, match=rf"^node {node} is not in [01] to 37537$"):
        getattr(TREE, name)(node)
    if node != TREE.num_nodes and hasattr(KUHN.tree, name):
        with pytest.raises(IndexError, match=rf"^node {node} is not in "):
            getattr(KUHN.tree, name)(node)


def test_the_root_has_no_move_into_it() -> None:
    for tree in (TREE, KUHN.tree):
        assert tree.history(np.int32(0)) == ()
        for of in (tree.move, tree.move_name):
            with pytest.raises(IndexError, match=r"^node 0 is not in 1 to "):
                of(0)


def test_bots_and_cursors_of_nothing() -> None:
    strategy, values = tictactoe.uniform_strategy(TREE), OutcomeValues(0.0, 1.0, -1.0, 0.0)
    bot = tictactoe.RoundBot(TREE, strategy, values)
    for field, arguments in (
        ("tree", (None, strategy, values)),
        ("strategy", (TREE, None, values)),
        ("strategy", (TREE, strategy[1:], values)),
        ("values", (TREE, strategy, None)),
        ("values", (TREE, strategy, OutcomeValues(math.nan, 1.0, 0.0, 0.0))),
    ):
        with pytest.raises(ValueError, match=f"^{field}: "):
            tictactoe.RoundBot(*arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^tree: None is no GameTree$"):
        tictactoe.Cursor(None)  # type: ignore[arg-type]
    for node in (-1, TREE.num_nodes, True):
        with pytest.raises(IndexError, match=r"^node "):
            bot.possible_outcomes(node)
        with pytest.raises(IndexError, match=r"^node "):
            bot.belief(node, Seat.FIRST)
    for square in (True, 1.0, "1", None, 0, 10):
        with pytest.raises(ValueError, match=r" is not a square$"):
            tictactoe.Cursor(TREE).play(square)  # type: ignore[arg-type]
    for moves in ((0,), (10,), (True,), (1.5,)):
        with pytest.raises(ValueError, match=r"^moves: .* is not a square, 1 to 9$"):
            tictactoe.observation(moves, Goal.WIN, Seat.FIRST)  # type: ignore[arg-type]
