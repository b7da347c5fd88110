"""convert to a directory: copies and their strength. The console compact.txt has sizes and refusals."""

from pathlib import Path

import numpy as np
import pytest
from oracle.matches import SHORT_RULE, short_rounds_in_module, solve
from support.programs import text_of
from support.storage_files import imported

from tictactoe import GameTree, Rules, Score, exploitability, load_solution, open_saved, tic_tac_toe_round
from tictactoe.match.head_to_head import match_self_play_values
from tictactoe.match.scores import outcome_values
from tictactoe.number_text import rounded_up

COMPACT = "convert"
TARGET = 1e-4


_short_rounds = short_rounds_in_module()


def test_the_strength_of_a_copy(tmp_path: Path) -> None:
    source = tmp_path / "source"
    solved = solve(GameTree.build(Rules(SHORT_RULE, (3, 1, 2))), source, 2, TARGET)
    fine = text_of(COMPACT, source, "-o", tmp_path / "fine", "--bits", 52, "--smallest", 0)
    coarse = text_of(COMPACT, source, "-o", tmp_path / "coarse", "--bits", 8, "--smallest", 0.1)
    copies = {name: load_solution(tmp_path / name) for name in ("fine", "coarse")}
    copy = copies["coarse"]
    assert copy.value == match_self_play_values(copy.tree, copy.average_strategy, 2)
    assert "beyond" not in fine
    assert copies["fine"].value == pytest.approx(solved.value, abs=1e-12)
    assert copies["fine"].unconverged_scores == []
    assert copy.value != pytest.approx(solved.value, abs=1e-4)
    for score, result in copy.results.items():
        snapshot, worth = copy.snapshot(score), outcome_values(score, copy.value, 2)
        left = exploitability(tic_tac_toe_round(copy.tree, worth), copy.average_strategy[score]).total
        assert (snapshot.outcome_values, snapshot.value) == (worth, copy.value[score])
        assert (result.exploitability, result.converged) == (left, left <= TARGET)
        assert result.following == {later: copy.value[later] for later in result.following}
    most, beyond = max(copy.exploitability.values()), len(copy.unconverged_scores)
    assert most > TARGET
    assert f"less exact than the target: {beyond} score" in coarse
    assert f"exploitable by up to {rounded_up(most)} in" in coarse


def test_imported_scores_without_a_value_are_copied(tmp_path: Path) -> None:
    tree = GameTree.build(SHORT_RULE)
    source = imported(tmp_path / "source", tree, 2, leave_out=(Score(1, 1),))
    said = text_of(COMPACT, source, "-o", tmp_path / "small", "--bits", 52, "--smallest", 0)
    before, after = open_saved(source), open_saved(tmp_path / "small")
    assert "without a value, like the imported ones: 3 scores" in said
    assert before.solution is not None
    assert after.solution is not None
    assert after.solution.whole_scores == before.solution.whole_scores == [Score(1, 0), Score(0, 1), Score(0, 0)]
    for score in after.solution.whole_scores:
        strategies = [each.snapshot(score).average_strategy(tree) for each in (before, after)]
        assert np.abs(strategies[0] - strategies[1]).max() < 1e-12
