"""A refined match that takes seconds to make."""

from pathlib import Path

from support.programs import MATCH, call

from tictactoe import Solution, load_solution


def solved_and_refined(directory: Path) -> tuple[Solution, Solution]:
    """A match to 1 by uneven odds of the goals, in a new directory: solved roughly; polished and refined."""
    options = ("--winning-score", 1, "--goal-odds", "2:1:1", "--maximum-subgame-exploitability", "1e-3", "--quiet")
    assert call(MATCH, "-o", directory / "solved", *options).code == 0
    assert call("polish-multiround", "-s", directory / "solved", "-o", directory / "refined", "--quiet").code == 0
    return load_solution(directory / "solved"), load_solution(directory / "refined")
