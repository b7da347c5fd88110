"""The example that trains a network: how it judges, by values known otherwise; and a short run where its library is."""

import runpy
import sys
from pathlib import Path

import pytest

from tictactoe import SINGLE_ROUND, GameTree, exploitability, tic_tac_toe_round
from tictactoe.environments.match_game import opponent_to_meet
from tictactoe.match.scores import Score

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_ppo.py"
SCRIPT = runpy.run_path(str(EXAMPLE))


def test_a_round_against_the_perfect_opponent() -> None:
    tree, root = GameTree.build(), Score(0, 0)
    theirs = {root: opponent_to_meet("perfect", "three-in-a-row", None).round_bot(root).strategy}
    best = SCRIPT["possible"](tree, theirs, None)
    assert (best.as_first, best.as_second) == pytest.approx((-1 / 9, 1 / 9), abs=1e-12)
    ours = SCRIPT["strategies_of"](tree, lambda shown, masks: masks / masks.sum(axis=1, keepdims=True), None)
    judged = SCRIPT["judged"](tree, ours, theirs, None)
    assert judged.as_first < best.as_first - 0.1
    assert judged.as_second < best.as_second - 0.1
    assert judged.exploitability == exploitability(tic_tac_toe_round(tree, SINGLE_ROUND), ours[root]).total
    itself = SCRIPT["judged"](tree, theirs, theirs, None)
    assert (itself.as_first, itself.as_second) == pytest.approx((-1 / 9, 1 / 9), abs=1e-12)
    assert itself.exploitability < 1e-12


def test_a_short_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: pip install sb3-contrib")
    monkeypatch.setattr(sys, "argv", ["train_ppo.py", "--steps", "2048", "--parts", "1", "--opponent", "uniform"])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[2] for line in lines[2:]] == ["drawn", "likeliest"] * 2
    before, after = (line.split()[-2:] for line in (lines[2], lines[4]))
    assert before != after
