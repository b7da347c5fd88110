"""rules-atlas: its files against the library, its progress. The console atlas.txt has the tables."""

import csv
import json
import re
import shutil
from itertools import product
from pathlib import Path

import pytest
from oracle.matches import SHORT_RULE, never, short_rounds_in_module
from support.pictures import check_png, check_svg
from support.programs import Result, call, complaint, json_of
from support.terminal import Terminal, too_wide

from tictactoe import best_response_over_match, load_solution
from tictactoe.errors import EndlessMatchError
from tictactoe.solving import pair_work, rules_atlas

ATLAS = "rules-atlas"
TWO_RULES = ("--rules", "four-moves,four-more", "--winning-score", "2", "--maximum-subgame-exploitability", "0.001")
QUICK = (*TWO_RULES, "--jobs", "1", "--no-plot")


_short_rounds = short_rounds_in_module(SHORT_RULE, "four-more")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The atlas of two rules; to be copied, not changed."""
    output = tmp_path_factory.mktemp("atlas") / "made"
    assert call(ATLAS, "-o", output, *TWO_RULES, "--jobs", "1", "--quiet") == Result(0, "", "")
    return output


def test_the_files(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["atlas.csv", "atlas.json", "atlas.png", "atlas.svg", "four-more", "four-moves"]
    assert sorted(path.name for path in made.iterdir()) == names
    check_png(made / "atlas.png")
    check_svg(made / "atlas.svg", "four-moves", "four-more", "Who wins a match to 2")
    content = json.loads((made / "atlas.json").read_text())
    assert [entry["rules"] for entry in content["rules"]] == ["four-moves", "four-more"]
    with open(made / "atlas.csv", newline="", encoding="utf-8") as file:
        rows = {(row["rules"], row["score"]): row for row in csv.DictReader(file)}
    assert list(rows) == [*product(("four-moves", "four-more"), ("single", "0-0", "0-1", "1-0", "1-1"))]
    for entry in content["rules"]:
        solution = load_solution(made / entry["rules"] / "match_to_2")
        response = best_response_over_match(solution.tree, solution.average_strategy, 2).scores
        assert float(rows[entry["rules"], "single"]["value"]) == entry["single_round"]["value"]
        for round_at in entry["scores"]:
            row = rows[entry["rules"], "{}-{}".format(*round_at["score"])]
            expected = response[tuple(round_at["score"])]
            assert (float(row["least"]), float(row["most"])) == (round_at["least"], round_at["most"])
            assert round_at["value"] == pytest.approx(expected.value, abs=1e-12)
            bounds = (expected.minimum, expected.maximum)
            assert (round_at["least"], round_at["most"]) == pytest.approx(bounds, abs=1e-12)
            assert float(row["first_mover_wins_percent"]) == pytest.approx(50.0 + 50.0 * round_at["value"])
            assert list(round_at["results"].values()) == [
                float(row[name]) for name in ("both_score", "first_scores", "second_scores", "neither_scores")
            ]
            assert sum(round_at["endings"].values()) == pytest.approx(1.0)
            assert row["ends_both_lines"] == ""
    shutil.copytree(made, tmp_path / "made")
    monkeypatch.setattr(pair_work, "PairSolver", never)
    printed = json_of(ATLAS, "-o", tmp_path / "made", *QUICK)
    assert printed.pop("files") == [str(tmp_path / "made" / name) for name in ("atlas.csv", "atlas.json")]
    assert printed == content
    for name in ("atlas.csv", "atlas.json"):
        assert (tmp_path / "made" / name).read_bytes() == (made / name).read_bytes()


def test_rules_that_are_as_fair_as_each_other(tmp_path: Path) -> None:
    exact = (*TWO_RULES[:-1], "1e-6", "--no-plot")
    result = call(ATLAS, "-o", tmp_path / "made", *exact)
    assert "Fairest in a match to 2: four-moves and four-more, equally fair; " in result.out
    assert json_of(ATLAS, "-o", tmp_path / "made", *exact)["fairest"]["match"] == ["four-moves", "four-more"]


def test_a_match_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*arguments: object) -> None:
        raise EndlessMatchError("at 0-0 neither player ever scores alone: the match never ends")

    monkeypatch.setattr(rules_atlas, "match_facts", endless)
    words = ("--rules", "three-in-a-row", "--winning-score", "1", "--no-plot", "--quiet")
    assert complaint(call(ATLAS, "-o", tmp_path, *words), 1, ATLAS) == (
        f"tictactoe {ATLAS}: three-in-a-row: at 0-0 neither player ever scores alone: the match never ends; choose "
        "other odds, or other rules (--rules)"
    )


def test_progress_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_atlas, "MOST_ROUND_ITERATIONS", 40)
    endless = ("--rules", "filled-none", "--winning-score", "2", "--maximum-subgame-exploitability", "1e-9")
    terminal = Terminal(ATLAS, "-o", tmp_path / "out", *endless, "--no-plot", columns=70)
    shown = terminal.until(r"exploitability [\d.]+e-\d+ match value \([\d.]+e[-+]\d+ points\)")
    assert re.search(r"filled-none \(1 of 1\), \d:\d\d elapsed, no pairs of scores solved", shown)
    code, output = terminal.interrupt()
    assert code == 130
    assert "continue with: tictactoe rules-atlas -o" in " ".join(output.split())
    assert too_wide(output[: output.index("tictactoe rules-atlas: interrupted")], 70) == []
