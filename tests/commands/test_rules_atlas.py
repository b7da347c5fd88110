"""rules-atlas: its tables, files and JSON, what it refuses, and that it goes on where it was stopped."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from oracle.matches import never, short_rounds
from support.pictures import check_png, check_svg
from support.programs import Result, call, command_to_continue, complaint, contents, json_of
from support.slowness import slow
from support.terminal import Terminal, too_wide
from tictactoe.tools.commands import rules_atlas as tool

from tictactoe.errors import EndlessMatchError
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.pair_cfr import PairSolver
from tictactoe.match.shorter_match import part_for_shorter_match
from tictactoe.solving import pair_work, rules_atlas
from tictactoe.storage.solution import load_solution

ATLAS = "rules-atlas"
TWO_RULES = ("--rules", "four-moves,four-more", "--winning-score", "2", "--maximum-subgame-exploitability", "0.001")
QUICK = (*TWO_RULES, "--jobs", "1", "--no-plot")
ALL = ("--winning-score", "2", "--maximum-subgame-exploitability", "0.01", "--no-plot")


@pytest.fixture(scope="module", autouse=True)
def _short_rounds() -> Iterator[None]:
    with short_rounds(), short_rounds("four-more"):
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The atlas of two rules; to be copied, not changed."""
    output = tmp_path_factory.mktemp("atlas") / "made"
    assert call(ATLAS, "-o", output, *TWO_RULES, "--jobs", "1", "--quiet") == Result(0, "", "")
    return output


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def tables_of(text: str) -> list[list[list[str]]]:
    """The words of every table: of its heading, and of its rows."""
    tables: list[list[list[str]]] = []
    for line in text.splitlines():
        words = re.split(r"\s{2,}", line.strip())
        if len(words) < 3:
            continue
        if words[0] in ("rules", "round", "score"):  # how a heading begins
            tables.append([])
        tables[-1].append(words)
    return tables


def test_the_files(made: Path) -> None:
    assert sorted(path.name for path in made.iterdir()) == [
        "atlas.csv",
        "atlas.json",
        "atlas.png",
        "atlas.svg",
        "four-more",
        "four-moves",
    ]
    check_png(made / "atlas.png")
    check_svg(made / "atlas.svg", "four-moves", "four-more", "Who wins a match to 2")
    content = json.loads((made / "atlas.json").read_text())
    assert [entry["rules"] for entry in content["rules"]] == ["four-moves", "four-more"]
    assert content["winning_score"] == 2
    rows = rows_of(made / "atlas.csv")
    assert [(row["rules"], row["score"]) for row in rows] == [
        (name, score) for name in ("four-moves", "four-more") for score in ("single", "0-0", "0-1", "1-0", "1-1")
    ]
    for entry in content["rules"]:
        solution = load_solution(made / entry["rules"] / "match_to_2")
        response = best_response_over_match(solution.tree, solution.average_strategy, 2).scores
        table = {row["score"]: row for row in rows if row["rules"] == entry["rules"]}
        assert float(table["single"]["value"]) == entry["single_round"]["value"]
        for round_at in entry["scores"]:
            row, found = table["{}-{}".format(*round_at["score"])], response[tuple(round_at["score"])]
            assert (float(row["least"]), float(row["most"])) == (round_at["least"], round_at["most"])
            assert round_at["value"] == pytest.approx(found.value, abs=1e-12)
            assert (round_at["least"], round_at["most"]) == pytest.approx((found.minimum, found.maximum), abs=1e-12)
            assert float(row["first_mover_wins_percent"]) == pytest.approx(50.0 + 50.0 * round_at["value"])
            assert list(round_at["results"].values()) == [
                float(row[name]) for name in ("both_score", "first_scores", "second_scores", "neither_scores")
            ]
            assert sum(round_at["endings"].values()) == pytest.approx(1.0)
            assert row["ends_both_lines"] == ""


def test_the_tables(tmp_path: Path) -> None:
    """Of all rules, two of which ship: the figures are those of the files."""
    result = call(ATLAS, "-o", tmp_path / "out", "--rules", "filled, three-in-a-row", *ALL)
    assert result.code == 0, result
    content = json.loads((tmp_path / "out" / "atlas.json").read_text())
    favoured, who, how, scores, sizes = tables_of(result.out)
    assert favoured[0] == ["rules", "first wins", "favoured", "by", "one round", "rounds", "off by"]
    for row, entry in zip(favoured[1:], content["rules"], strict=True):
        wins = entry["match"]["first_mover_wins_percent"]
        assert row[:4] == [entry["rules"], f"{wins:.3f} %", "second", f"{50.0 - wins:.3f} %"]
        assert row[5] == f"{entry['match']['expected_rounds']:.2f}"
    for row, entry in zip(sizes[1:], content["rules"], strict=True):
        assert row == [entry["rules"], *(f"{entry[name]:,}" for name in ("histories", "nodes", "decision_nodes"))]
    assert [entry["histories"] for entry in content["rules"]] == [986_410, 549_946]
    assert who[0] == ["round", "rules", "both", "first", "second", "neither"]
    assert [row[0] for row in who[1::2]] == ["on its own", "at 0-0", "at 1-1", "in a match"]
    last = content["rules"][1]["scores"][-1]["results"]
    assert who[6] == ["at 1-1", "three-in-a-row", *(f"{100.0 * share:.1f} %" for share in last.values())]
    assert [row[:2] for row in how[1:]] == [
        [w, n] for w in ("on its own", "in a match") for n in ("filled", "three-in-a-row")
    ]
    assert (how[1][5] != "-", how[2][5]) == (True, "-")
    assert scores[0] == ["score", "filled", "three-in-a-row"]
    assert [row[0] for row in scores[1:]] == ["1-1", "1-0", "0-1", "0-0"]
    values = [f"{entry['scores'][0]['first_mover_wins_percent']:.3f}" for entry in content["rules"]]
    assert scores[-1][1:] == values
    for name, entry in zip(("filled", "three-in-a-row"), content["rules"], strict=True):
        assert entry["comes_with_the_program"] == ("filled" if name == "filled" else "shipped")
        part = part_for_shorter_match(load_solution(entry["comes_with_the_program"]).value, 5, 2)
        shown = {tuple(each["score"]): each["value"] for each in entry["scores"]}
        assert shown == pytest.approx(dict(part), abs=1e-12)
    assert "Fairest in a match to 2: three-in-a-row; whoever moves second in the first round wins" in result.out
    assert re.search(r"Fairest in a round on its own: three-in-a-row; moving second gains 0\.11\d+ points", result.out)
    assert content["fairest"] == {"match": ["three-in-a-row"], "single_round": ["three-in-a-row"]}
    assert "Three in a row does not end the round" in result.out


def test_nothing_is_called_even_or_fairest_that_is_not_certain(tmp_path: Path) -> None:
    """Nearly unsolved, any value is possible; polished, the same rules are told apart."""
    words = ("--rules", "filled-none,filled-tie", "--winning-score", "1", "--goal-odds", "2:1:1", "--no-plot")
    rough = call(ATLAS, "-o", tmp_path / "rough", *words, "--maximum-subgame-exploitability", "0.5").out
    assert re.findall(r"^ *filled-\w+ +[\d.]+ % +(\w+) ", rough, re.M)[:2] == ["unknown", "unknown"]
    assert " neither " not in rough.partition("Between perfect players")[0]
    for where in ("match to 1", "round on its own"):
        assert f"Fairest in a {where}: cannot be told; solve more exactly, with --polish" in rough
    exact = call(ATLAS, "-o", tmp_path / "exact", *words, "--maximum-subgame-exploitability", "1e-4").out
    assert re.findall(r"^ *filled-\w+ +[\d.]+ % +(\w+) ", exact, re.M)[:2] == ["second", "neither"]
    assert "Fairest in a match to 1: filled-tie; whoever moves first in the first round wins half" in exact


def test_rules_that_are_as_fair_as_each_other(tmp_path: Path) -> None:
    exact = (*TWO_RULES[:-1], "1e-6", "--no-plot")
    result = call(ATLAS, "-o", tmp_path / "made", *exact)
    assert "Fairest in a match to 2: four-moves and four-more, as fair as each other; " in result.out
    assert json_of(ATLAS, "-o", tmp_path / "made", *exact)["fairest"]["match"] == ["four-moves", "four-more"]


def test_one_rule_is_not_compared_with_itself(tmp_path: Path) -> None:
    result = call(ATLAS, "-o", tmp_path, "--rules", "three-in-a-row", *ALL)
    assert (result.code, "airest" in result.out) == (0, False)
    assert result.err.splitlines()[-1].startswith("looked up three-in-a-row (1 of 1): exploitability ")


def test_json_is_what_the_file_holds(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "made")
    printed = json_of(ATLAS, "-o", tmp_path / "made", *QUICK)
    assert printed.pop("files") == [str(tmp_path / "made" / name) for name in ("atlas.csv", "atlas.json")]
    assert printed == json.loads((made / "atlas.json").read_text())
    for name in ("atlas.csv", "atlas.json"):
        assert (tmp_path / "made" / name).read_bytes() == (made / name).read_bytes()


def test_odds_of_the_goals(tmp_path: Path) -> None:
    """They are in the names of the rules, and have a directory of their own."""
    result = call(ATLAS, "-o", tmp_path, "--rules", "four-moves", *QUICK[2:], "--goal-odds", "2:4:2")
    assert result.code == 0, result
    assert "Goals are drawn win:lose:tie as 1:2:1." in result.out
    content = json.loads((tmp_path / "atlas.json").read_text())
    assert (content["goal_odds"], content["rules"][0]["rules"]) == ([1, 2, 1], "four-moves 1:2:1")
    assert load_solution(tmp_path / "four-moves_1-2-1" / "match_to_2").rules == "four-moves 1:2:1"


def test_a_match_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when both always want to win: a line that names the rules."""

    def endless(*arguments: object) -> None:
        raise EndlessMatchError("at 0-0 neither player ever scores alone: the match never ends")

    monkeypatch.setattr(rules_atlas, "match_facts", endless)
    words = ("--rules", "three-in-a-row", "--winning-score", "1", "--no-plot", "--quiet")
    assert complaint(call(ATLAS, "-o", tmp_path, *words), 1, ATLAS) == (
        f"{ATLAS}: three-in-a-row: at 0-0 neither player ever scores alone: the match never ends; choose other odds, "
        "or other rules (--goal-odds, --rules)"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rules", "filled,nonsense"), "'nonsense' is not the name of rules; known: three-in-a-row, filled, "),
        (("--rules", ""), "'' is not the name of rules"),
        (("--rules", "filled,"), "'' is not the name of rules"),
        (("--rules", "x" * 5000), "xxx...' is not the name of rules"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_options_that_are_refused(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    line = complaint(call(ATLAS, "-o", tmp_path / "out", *arguments), 2, ATLAS)
    assert said in line
    assert len(line) < 300
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("typed", "completed"),
    [("fil", ["filled", "filled-none", "filled-tie"]), ("filled,th", ["filled,three-in-a-row"]), ("x", [])],
    ids=["one", "a second one", "none"],
)
def test_names_are_completed(typed: str, completed: list[str]) -> None:
    context = click.Context(tool.command)
    (option,) = [option for option in tool.command.params if "--rules" in option.opts]
    assert [item.value for item in option.shell_complete(context, typed)] == completed


def test_other_options_than_those_of_the_run_before(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "made")
    before = contents(tmp_path / "made")
    other = (*QUICK, "--maximum-subgame-exploitability", "0.01")
    line = complaint(call(ATLAS, "-o", tmp_path / "made", *other), 1, ATLAS)
    assert "four-moves/match_to_2: cannot go on with what it holds" in line
    assert line.endswith("or throw away what is there with --restart")
    assert contents(tmp_path / "made") == before
    assert call(ATLAS, "-o", tmp_path / "made", *other, "--restart", "--quiet") == Result(0, "", "")


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so before anything is solved."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    line = complaint(call(ATLAS, "-o", tmp_path / "out", *TWO_RULES), 1, ATLAS)
    assert line.endswith("pip install matplotlib; or leave the picture out with --no-plot")
    assert not (tmp_path / "out").exists()
    assert call(ATLAS, "-o", tmp_path / "out", *QUICK).code == 0


def test_stopped_and_gone_on_with(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a signal in the middle of the second rule: the first one is not solved again, and the files are the same."""
    check, checks, sent = PairSolver.check, [], []

    def interrupting(solver: PairSolver, *arguments: Any) -> None:
        checks.append(solver.pair)
        check(solver, *arguments)
        if (tmp_path / "out" / "four-more").exists() and not sent:  # a second one would not wait
            sent.append(signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    arguments = ("-o", tmp_path / "out", *QUICK)
    with monkeypatch.context() as patch:
        patch.setattr(PairSolver, "check", interrupting)
        stopped = call(ATLAS, *arguments)
    assert (stopped.code, stopped.out) == (130, "")
    *progress, line = stopped.err.splitlines()
    assert [text.partition(":")[0] for text in progress] == ["solved four-moves (1 of 2)"]
    assert line.startswith(f"{ATLAS}: interrupted; everything is saved, continue with: ")
    assert command_to_continue(line, ATLAS) == list(map(str, arguments))
    assert not (tmp_path / "out" / "atlas.json").exists()
    assert call(ATLAS, *arguments).code == 0
    for name in ("atlas.csv", "atlas.json"):
        assert (tmp_path / "out" / name).read_bytes() == (made / name).read_bytes()
    monkeypatch.setattr(pair_work, "PairSolver", never)
    assert call(ATLAS, *arguments).code == 0


def test_progress_without_a_terminal(tmp_path: Path) -> None:
    lines = call(ATLAS, "-o", tmp_path, *QUICK).err.splitlines()
    number = r"\d\.\de[-+]\d\d"
    for at, (line, name) in enumerate(zip(lines, ("four-moves", "four-more"), strict=True), 1):
        assert re.fullmatch(
            rf"solved {name} \({at} of 2\): exploitability {number} match value \({number} % of matches\), "
            r"\d:\d\d elapsed",
            line,
        )


@pytest.mark.parametrize("columns", [60, 80, *slow(100)])
def test_widths_of_terminals(columns: int, tmp_path: Path) -> None:
    """Nothing is broken in the middle, who is favoured and by how much is always there."""
    words = ("-o", tmp_path / "out", "--rules", "three-in-a-row,filled", *ALL)
    code, output = Terminal(ATLAS, *words, columns=columns, rows=40).finish()
    assert code == 0
    assert too_wide(output.replace(str(tmp_path), ""), columns) == []
    heading = next(line for line in output.splitlines() if "first wins" in line)
    for word in ("rules", "first wins", "favoured", "by", "one round"):
        assert word in heading
    assert ("rounds" in heading) == ("off by" in heading) == (columns > 60)
    assert re.search(r"at 0-0.*three-in-a-row.*\d %.*\d %.*\d %.*\d %", output)


def test_progress_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two lines: which rules and how long it has taken, how many scores and how exploitable by now."""
    monkeypatch.setattr(rules_atlas, "MOST_ROUND_ITERATIONS", 40)
    endless = ("--rules", "filled-none", "--winning-score", "2", "--maximum-subgame-exploitability", "1e-9")
    terminal = Terminal(ATLAS, "-o", tmp_path / "out", *endless, "--no-plot", columns=70)
    shown = terminal.until(r"exploitability [\d.]+e-\d+ match value \([\d.]+e[-+]\d+ % of matches\)")
    assert re.search(r"filled-none \(1 of 1\), \d:\d\d elapsed, no pairs of scores solved", shown)
    code, output = terminal.interrupt()
    assert code == 130
    assert "continue with: rules-atlas -o" in " ".join(output.split())
    assert too_wide(output[: output.index("rules-atlas: interrupted")], 70) == []
