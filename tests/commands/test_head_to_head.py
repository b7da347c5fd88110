"""head-to-head: exact matches between solutions. consoles/head_to_head.txt shows its words, and what is refused."""

from pathlib import Path

from support.programs import call, complaint, remove_scores

VERSUS = "head-to-head"


def test_head_to_head_with_missing_scores(mine: Path) -> None:
    remove_scores(mine, (0, 1))
    for sides in ((mine, "uniform"), ("uniform", mine), (mine, mine)):
        line = complaint(call(VERSUS, "-s", sides[0], "-s", sides[1]), 1, VERSUS)
        assert "0-1" in line
        assert str(mine) in line
    assert call(VERSUS, "-s", mine, "-s", "uniform", "--winning-score", 1).code == 0
