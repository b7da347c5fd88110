"""The solution that ships: its figure, its size, and that it comes with the program."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tictactoe import StoreError, load_solution
from tictactoe.adversary import best_response_over_match
from tictactoe.compact import compact_solution
from tictactoe.game import tic_tac_toe_round
from tictactoe.match import Score
from tictactoe.response import exploitability
from tictactoe.solution import Solution, shipped_solution


def test_its_exploitability_is_what_its_readme_says() -> None:
    solution = load_solution(shipped_solution())
    assert solution.winning_score == 5
    assert solution.missing_scores == []
    total = best_response_over_match(solution.tree, solution.average_strategy, 5).scores[Score(0, 0)].exploitability
    assert total <= 1e-5
    assert f"{total:.2e} in match value" in (shipped_solution().parent / "README.md").read_text()


def test_every_round_is_as_good_as_it_claims() -> None:
    solution = load_solution(shipped_solution())
    for score, result in solution.results.items():
        game = tic_tac_toe_round(solution.tree, solution.outcome_values(score))
        assert exploitability(game, solution.average_strategy[score]).total == pytest.approx(
            result.exploitability, abs=1e-12
        )


def test_it_is_small_and_has_the_iterations_of_the_last_score() -> None:
    files = [path for path in shipped_solution().rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 10_000_000
    assert load_solution(shipped_solution()).iterations(Score(4, 4))[:4] == [0, 1, 10, 100]


def test_a_compact_copy_plays_the_same_within_rounding(tmp_path: Path) -> None:
    """From the shipped one, which is compact already: with as many bits nothing changes, with fewer a little."""
    shipped = load_solution(shipped_solution())
    scores = (Score(4, 4), Score(1, 3))
    solution = Solution(
        shipped.directory, shipped.winning_score, shipped.options, shipped.end_rule, shipped.tree_fingerprint,
        {score: shipped.results[score] for score in scores},
    )  # fmt: skip
    for bits, most in ((20, 0.0), (10, 2.0**-9 * 5)):
        compact_solution(solution, tmp_path / str(bits), smallest=0.0, bits=bits)
        copy = load_solution(tmp_path / str(bits))
        for score in scores:
            strategy = copy.average_strategy[score]
            sums = np.add.reduceat(strategy, solution.tree.first_child[solution.tree.decision_nodes], axis=0)
            assert np.all(sums == 1.0)
            assert np.all(strategy * 2.0**bits == np.round(strategy * 2.0**bits))
            assert np.abs(strategy - solution.average_strategy[score]).max() <= most
    with pytest.raises(StoreError, match="--restart"):
        compact_solution(solution, tmp_path / "20", smallest=0.0, bits=20)
