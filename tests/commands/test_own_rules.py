"""solve-subgame and solve-multiround with update rules of one's own."""

from pathlib import Path

import numpy as np
from support.programs import call, complaint

from tictactoe import SINGLE_ROUND, CFRSolver, GameTree, load_solution, open_saved, parse_rule, tic_tac_toe_round

RULE = """
from tictactoe import register_rule

def fill(table, parameters):
    table.averaging_weight = table.t ** parameters["winning_score"]

register_rule("mine", fill, {"winning_score": 1.0})
"""
SUBGAME, MATCH = ("solve-subgame", "--only-save-last"), ("solve-multiround", "--winning-score", 1, "--jobs", 1)


def test_a_rule_of_ones_own(tmp_path: Path) -> None:
    """Its parameter has the name of an option, which must not be taken for it."""
    file, output = tmp_path / "rule.py", ("-o", tmp_path / "out")
    file.write_text(RULE)
    own = ("--algorithms-from", file, "--algorithm", "mine(winning_score=3)", *output)
    assert call(*SUBGAME, "--iterations", 20, *own, "--quiet").code == 0
    assert call(*SUBGAME, "--iterations", 30, *own, "--quiet").code == 0
    solver = CFRSolver(tic_tac_toe_round(GameTree.build(), SINGLE_ROUND), parse_rule("mine(winning_score=3)"))
    solver.run(30)
    found = open_saved(tmp_path / "out").load()
    np.testing.assert_allclose(found.average_strategy, solver.average_strategy(), rtol=1e-12)
    line = complaint(call(*SUBGAME, "--algorithms-from", file, "--algorithm", "mine", *output), 1, SUBGAME[0])
    assert "--algorithm is mine(winning_score=3) there, mine here" in line
    file.write_text(RULE + "\n# changed\n")
    assert "the code of its update rule is another one" in complaint(call(*SUBGAME, *own), 1, SUBGAME[0])
    assert complaint(call(*SUBGAME, *own, "--discount-alpha", 2), 2, SUBGAME[0]).startswith(f"{SUBGAME[0]}: --")
    file.write_text(RULE.replace("table.averaging", "table.nothing.averaging"))
    line = complaint(
        call(*SUBGAME, "--algorithms-from", file, "--algorithm", "mine", "--restart", *output), 1, SUBGAME[0]
    )
    assert f"{file}:5: AttributeError" in line


def test_a_match_by_a_rule_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "rule.py").write_text(RULE)
    own = ("--algorithms-from", tmp_path / "rule.py", "--algorithm", "mine(winning_score=3)", "-o", tmp_path / "out")
    assert call(*MATCH, *own, "--max-iterations", 40, "--maximum-subgame-exploitability", 1, "--quiet").code == 0
    options = load_solution(tmp_path / "out").options
    assert (options["winning_score"], options["algorithm"]) == (1, "mine(winning_score=3)")
    assert len(options["algorithm_sha256"]) == 64
