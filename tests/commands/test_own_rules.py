"""solve-multiround with update rules of one's own."""

from pathlib import Path

import numpy as np
from support.programs import ROUND, call, complaint

from tictactoe import SINGLE_ROUND, CFRSolver, GameTree, load_solution, open_saved, parse_rule, tic_tac_toe_round

RULE = """
from tictactoe import register_rule
fill = lambda table, own: setattr(table, "averaging_weight", table.t ** own["winning_score"])  # an option's name, too
register_rule("mine", fill, {"winning_score": 1.0})
"""


def test_a_rule_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "rule.py").write_text(RULE)
    own = ("--algorithms-from", tmp_path / "rule.py", "--algorithm", "mine(winning_score=3)")
    there = (ROUND, *own, "-o", tmp_path / "out", "--snapshot-at", "none", "--quiet", "--max-iterations")
    assert [call(*there, 20).code, call(*there, 30).code] == [0, 0]
    solver = CFRSolver(tic_tac_toe_round(GameTree.build(), SINGLE_ROUND), parse_rule("mine(winning_score=3)"))
    solver.run(30)
    np.testing.assert_allclose(
        open_saved(tmp_path / "out").load().average_strategy, solver.average_strategy(), rtol=1e-12
    )
    assert "(winning_score=3) there, mine here" in complaint(call(*there, 30, "--algorithm", "mine"), 1, there[0])
    match = ("solve-multiround", "--winning-score", 1, "--max-iterations", 40, *own, "-o", tmp_path / "match")
    assert call(*match, "--maximum-subgame-exploitability", 1, "--quiet", "--jobs", 1).code == 0
    options = load_solution(tmp_path / "match").options
    assert (options["winning_score"], options["algorithm"]) == (1, "mine(winning_score=3)")
    (tmp_path / "rule.py").write_text(f"{RULE}# changed\n")
    assert "the code of its update rule is different" in complaint(call(*there, 30), 1, there[0])
