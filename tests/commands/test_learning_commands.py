"""train-agent and plot: files and pictures. consoles/learning.txt shows their words, and what is refused."""

import json
from pathlib import Path

import pytest
from support.pictures import check_png, check_svg
from support.programs import Result, call, called, complaint, json_of, text_of
from tictactoe.tools.commands import train_agent

from tictactoe.agents.card_player import QTable
from tictactoe.algorithms.learning import LearningMethod
from tictactoe.storage.learnt_table import LearntTable

TRAIN, PLOT = "train-agent", "plot"


def test_a_method_has_its_parameters_in_brackets() -> None:
    method, state = train_agent.read_method("q-learning(learning_rate=0.1, epsilon_episodes=2e3, state=board)")
    assert method == LearningMethod(method="q-learning", learning_rate=0.1, epsilon_episodes=2000)
    assert state == "board"
    assert train_agent.read_method("average-reward") == (LearningMethod(), "history")


def test_other_options_for_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "agent"
    assert call(TRAIN, "-o", path, "--episodes", "50", "--quiet").code == 0
    other = ("-o", path, "--episodes", "60", "--method", "average-reward(epsilon_end=0.2)")
    line = complaint(call(TRAIN, *other), 1, TRAIN)
    assert line.startswith(f"{called(TRAIN)}: {path}: learnt with other options: epsilon_end; ")
    nobody = complaint(call(TRAIN, "-o", tmp_path / "none", "--resume"), 1, TRAIN)
    assert nobody.endswith("none: no agent to continue; leave out resume to begin one")
    assert call(TRAIN, *other, "--restart", "--quiet").code == 0
    assert LearntTable.load(path).method.epsilon_end == 0.2


def test_the_picture(tmp_path: Path) -> None:
    some, alone, out = tmp_path / "some", tmp_path / "self", tmp_path / "out.png"
    for agent, words in ((some, ("--opponent", "uniform")), (alone, ())):
        assert call(TRAIN, "-o", agent, "--quiet", "--episodes", 300, *words).code == 0
    assert call(PLOT, some, alone, "-o", out) == Result(0, f"written: {out}\n", "")
    check_png(out)
    content = json.loads(text_of(PLOT, some, alone, "-o", tmp_path / "out.svg", "--json"))
    check_svg(tmp_path / "out.svg", "some", "self", "rdcfr", "best against uniform")
    curves = {curve["label"]: curve for curve in content["curves"]}
    assert list(curves) == ["some", "self", "rdcfr"]
    assert curves["some"]["figures"] == json_of(TRAIN, "-o", some, "--resume", "--episodes", "1")["log"]
    assert curves["rdcfr"]["figures"][-1]["nodes"] >= curves["some"]["figures"][-1]["nodes"]
    assert content["best_values"] == {"uniform": pytest.approx(0.529817, abs=1e-6)}
    (curve,) = json_of(PLOT, alone, "-o", out, "--algorithm", "none")["curves"]
    assert curve["label"] == "self"


def test_what_was_learnt_of_twenty_one_is_a_table(tmp_path: Path) -> None:
    agent, path = tmp_path / "agent", tmp_path / "q.csv"
    assert call("train-agent", "--game", "twenty-one", "-o", agent, "--episodes", 2000, "--quiet").code == 0
    result = call("convert", agent, "-o", path, "--json")
    rows = path.read_text().splitlines()[1:]
    assert json.loads(result.out) == {"output": str(path), "rows": len(rows)}
    learnt = LearntTable.of_any_game(agent)
    table = QTable.load(path)
    assert sum(average.tried for average in table.averages.values()) == learnt.visits.sum()
    hits = [row.split(",")[1:5:3] for row in rows]
    by_hand = {hand: sum(int(count) for each, count in hits if each == hand) for hand in ("hard", "soft", "any")}
    assert by_hand["hard"] + by_hand["soft"] == by_hand["any"]
    assert "exists already" in complaint(call("convert", agent, "-o", path), 1, "convert")
