"""A solution made of strategies: the values are a fixed point, the exploitabilities those of the saved strategies."""

from pathlib import Path

import numpy as np
from oracle.matches import SHORT_RULE, short_rounds
from oracle.small_games import random_strategy
from support.storage_files import imported

from tictactoe import GameTree, exploitability, load_solution, tic_tac_toe_round
from tictactoe.match.scores import all_scores, outcome_values


def test_an_imported_solution_is_one(tmp_path: Path) -> None:
    with short_rounds():
        tree = GameTree.build(SHORT_RULE)
        for winning_score in (1, 2, 3):
            solution = load_solution(imported(tmp_path / str(winning_score), tree, winning_score))
            assert solution.missing_scores == []
            assert list(solution.average_strategy) == list(solution.results)
            for seed, score in enumerate(all_scores(winning_score)):
                strategy = random_strategy(tree, seed, 0.3)
                snapshot, result = solution.snapshot(score), solution.results[score]
                average = solution.average_strategy[score]
                assert np.array_equal(snapshot.current_strategy, strategy)
                np.testing.assert_allclose(average, strategy, rtol=1e-15, atol=0.0)
                gained = exploitability(tic_tac_toe_round(tree, solution.outcome_values(score)), average)
                assert abs(gained.value - solution.value[score]) < 1e-13
                assert gained.total == solution.exploitability[score] > 1e-3
                assert not result.converged
                assert all(solution.value[later] == value for later, value in result.following.items())
                assert snapshot.outcome_values == outcome_values(score, solution.value, winning_score)
                assert snapshot.options["values_known"] is True
                assert not snapshot.regrets.any()
                assert snapshot.convergence.shape == (0, 4)
