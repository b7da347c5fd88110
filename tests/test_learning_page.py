"""docs/learning.md: its cheapest column is measured again, and the round that it speaks of."""

from pathlib import Path

import pytest

from tictactoe import SINGLE_ROUND, CFRSolver, GameTree, LearningMethod, open_saved, tic_tac_toe_round, update_rule
from tictactoe.algorithms.learning import TabularLearner, best_values_against, values_against
from tictactoe.games.tic_tac_toe_tree import state_rows
from tictactoe.storage.population import constant_strategy

PAGE = (Path(__file__).parent.parent / "docs" / "learning.md").read_text("utf-8")
ROWS = [[cell.strip() for cell in line.strip("| ").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
TREE = GameTree.build()
GAME = tic_tac_toe_round(TREE, SINGLE_ROUND)


@pytest.mark.parametrize("row", [row for row in ROWS if len(row) == 7 and row[0] in ("uniform", "learner-10")])
def test_against_an_opponent(row: list[str]) -> None:
    name, most, method, state, shown = row[:5]
    opponent = constant_strategy(name, TREE)
    learner = TabularLearner(GAME, LearningMethod(method=method), opponent=opponent, row=state_rows(TREE, state))
    learner.run(100_000)
    best = sum(best_values_against(GAME, opponent)) / 2
    assert f"{best:.4f}" == most
    assert f"{best - learner.figures().value:.4f}" == shown


@pytest.mark.parametrize("row", [row for row in ROWS if len(row) == 6 and row[1] in ("history", "board")])
def test_against_itself(row: list[str]) -> None:
    learner = TabularLearner(GAME, LearningMethod(method=row[0]), row=state_rows(TREE, row[1]))
    learner.run(100_000)
    assert f"{learner.figures().exploitability:.2f}" == row[2]


def test_what_the_solver_gets_and_that_what_ships_is_pure() -> None:
    solver = CFRSolver(GAME, update_rule("rdcfr"))
    solver.run(300)
    for name, value in (("uniform", "0.36"), ("learner-10", "0.11")):
        gains = values_against(GAME, solver.average_strategy(), constant_strategy(name, TREE))
        assert f"{sum(gains) / 2:.2f}" == value
        assert f"{value} against {name}" in PAGE
    reached = TREE.own_reach(open_saved("single_round").load().average_strategy)
    own = [reached[TREE.mover[node], node] for node in range(1, TREE.num_nodes)]
    assert {float(number) for row in own for number in row} == {0.0, 1.0}
    for state in ("history", "board"):
        assert f"{int(state_rows(TREE, state).max()):,}" in PAGE
