"""train-agent and plot-learning: what they do, print and refuse."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from support.pictures import check_png, check_svg
from support.programs import Result, call, complaint, environment, json_of, program, text_of
from support.waiting import HANGS, wait_until
from tictactoe.tools.commands import train_agent

from tictactoe.algorithms.learning import learning_method
from tictactoe.games import state_rows
from tictactoe.storage.learnt_table import LearntTable

TRAIN, PLOT = "train-agent", "plot-learning"
UNIFORM = ("--opponent", "uniform")


def test_the_choices_are_those_of_the_library() -> None:
    """Said again, because importing numpy is slow."""
    assert train_agent.METHODS == learning_method.METHODS
    assert train_agent.STATES == state_rows.STATES
    assert learning_method.MOST_LEARNING_ROUNDS - 1 == train_agent.MOST_EPISODES


def test_what_it_prints(tmp_path: Path) -> None:
    path = tmp_path / "agent"
    printed = text_of(TRAIN, "-o", path, "--episodes", "2000", *UNIFORM).splitlines()
    found = json_of(TRAIN, "-o", path, "--episodes", "1000", "--continue")
    assert printed == [
        f"average-reward, state history, 2,000 rounds, {found['nodes']:,} nodes touched",
        f"its best moves against uniform: {found['value']:+.6f} on average, {found['value_first']:+.6f} moving first, "
        f"{found['value_second']:+.6f} moving second",
        "the most that anybody gets: +0.529817, +0.465278, +0.594356",
        f"exploitability: {found['exploitability']:.6f} in the unit of the outcome values",
        f"saved in {path}",
    ]
    assert found["log"][-1]["rounds"] == 1995
    assert (found["epsilon_end"], found["best_value"]) == (0.1, pytest.approx(0.529817, abs=1e-6))
    assert f"{path} holds a later state already" in text_of(TRAIN, "-o", path, "--episodes", "1000", *UNIFORM)
    assert "against themselves: " in text_of(TRAIN, "-o", tmp_path / "self", "--episodes", "50")


def test_a_round_of_a_match_by_other_rules(tmp_path: Path) -> None:
    path = tmp_path / "agent"
    words = ("--score", "4", "3", "--values-from", "filled", "--opponent", "careless", "--state", "board")
    printed = text_of(TRAIN, "-o", path, "--episodes", "100", *words)
    assert printed.startswith("rules: filled\naverage-reward, state board, 100 rounds")
    assert "percentage points of matches won" in printed
    table = LearntTable.load(path)
    assert (table.score, table.winning_score, table.opponent, table.rules) == ((4, 3), 5, "careless", "filled")


def test_interrupted_continued_and_exported(tmp_path: Path) -> None:
    """A real process, a real signal: the same file in the end, and other commands take what it plays."""
    words = ["--method", "q-learning", "--seed", "7", *UNIFORM]
    cut, whole = tmp_path / "cut", tmp_path / "whole"
    command = [program(TRAIN), "-o", str(cut), "--episodes", "500000000", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment(), cwd=tmp_path) as process:
        wait_until(cut.exists)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert said.splitlines()[-1].startswith("train-agent: interrupted; everything is saved, continue with: train-agent")
    rounds = LearntTable.load(cut).rounds + 1000
    assert (
        call(TRAIN, "-o", cut, "--continue", "--episodes", rounds, "--quiet", "--export", tmp_path / "round").code == 0
    )
    assert call(TRAIN, "-o", whole, "--episodes", rounds, "--quiet", *words).code == 0
    assert cut.read_bytes() == whole.read_bytes()
    judged = json_of("best-response-subgame", "-s", tmp_path / "round")
    assert judged["iteration"] == rounds
    learnt = json_of(TRAIN, "-o", cut, "--continue", "--episodes", "1")
    assert judged["exploitability"] == pytest.approx(learnt["exploitability"])


def test_an_agent_can_be_the_opponent(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert call(TRAIN, "-o", one, "--episodes", "200", "--quiet").code == 0
    assert call(TRAIN, "-o", other, "--episodes", "200", "--quiet", "--opponent", one).code == 0
    strategy = LearntTable.load(other).opponent_strategy
    assert strategy is not None
    assert np.array_equal(strategy, LearntTable.load(one).strategy)


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        ("--continue", 1, "agent: no agent to continue"),
        ("--continue --epsilon 1.0", 2, "--continue and --epsilon exclude each other: the file says how to go on"),
        ("--continue --restart", 2, "--continue and --restart exclude each other"),
        ("--continue --rules filled", 2, "--continue and --rules exclude each other"),
        ("--learning-rate 0.1", 2, "--learning-rate: average-reward has none"),
        ("--opponent nobody", 2, "--opponent: 'nobody' names no opponent; give one of perfect, "),
        ("--opponent learner-10 --rules filled-tie", 2, "--opponent: learner-10 has learnt by "),
        ("--opponent shipped", 1, "a whole solution"),
        ("--score 1 1", 2, "--score and --values-from need each other"),
    ],
)
def test_what_is_refused(words: str, code: int, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert what in complaint(call(TRAIN, "-o", "agent", *words.split()), code, TRAIN)
    assert list(tmp_path.iterdir()) == []


def test_other_options_for_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "agent"
    assert call(TRAIN, "-o", path, "--episodes", "50", "--quiet").code == 0
    line = complaint(call(TRAIN, "-o", path, "--episodes", "60", "--epsilon-end", "0.2"), 1, TRAIN)
    assert line.startswith(f"train-agent: {path}: learnt with other options: --epsilon-end; go on with its own by")
    assert call(TRAIN, "-o", path, "--episodes", "60", "--epsilon-end", "0.2", "--restart", "--quiet").code == 0
    assert LearntTable.load(path).method.epsilon_end == 0.2


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Against somebody, against itself, of another round, and one that has played too little."""
    directory = tmp_path_factory.mktemp("agents")
    uses = {"some": (300, *UNIFORM), "self": (300,), "other": (300, "--rules", "filled"), "new": (50,)}
    for name, (episodes, *words) in uses.items():
        assert call(TRAIN, "-o", directory / name, "--quiet", "--episodes", episodes, *words).code == 0
    return directory


def test_the_picture(agents: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.png"
    assert call(PLOT, agents / "some", agents / "self", "-o", out) == Result(0, f"written: {out}\n", "")
    check_png(out)
    content = json.loads(text_of(PLOT, agents / "some", agents / "self", "-o", tmp_path / "out.svg", "--json"))
    check_svg(tmp_path / "out.svg", "some", "self", "rdcfr", "best against uniform")
    curves = {curve["label"]: curve for curve in content["curves"]}
    assert list(curves) == ["some", "self", "rdcfr"]
    assert curves["some"]["figures"] == json_of(TRAIN, "-o", agents / "some", "--continue", "--episodes", "1")["log"]
    assert curves["rdcfr"]["figures"][-1]["nodes"] >= curves["some"]["figures"][-1]["nodes"]
    assert content["best_values"] == {"uniform": pytest.approx(0.529817, abs=1e-6)}
    (alone,) = json_of(PLOT, agents / "self", "-o", out, "--algorithm", "none")["curves"]
    assert alone["label"] == "self"


def test_what_is_not_drawn(agents: Path, tmp_path: Path) -> None:
    def refused(code: int, *words: object) -> str:
        return complaint(call(PLOT, *words), code, PLOT)

    assert "learnt another round than" in refused(1, agents / "some", agents / "other", "-o", tmp_path / "x.png")
    assert "nothing to draw yet" in refused(1, agents / "new", "-o", tmp_path / "x.png")
    assert "x.txt: the name must end with" in refused(2, agents / "some", "-o", tmp_path / "x.txt")
    assert "Missing argument 'AGENT...'" in refused(2, "-o", tmp_path / "x.png")
    assert "nowhere/x.png" in refused(1, agents / "some", "-o", tmp_path / "nowhere" / "x.png")
    assert list(tmp_path.iterdir()) == []
