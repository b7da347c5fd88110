"""plot of a solution: the pictures, and the reasons for missing ones; pictures and values by formula; LaTeX tables and
PDF pictures of all commands that write them. The console plot.txt has more."""

import re
from pathlib import Path

import numpy as np
import pytest
from oracle.matches import SHORT_RULE
from support.pictures import check_png, check_svg, save_nothing
from support.programs import Result, call, complaint, contents, json_of, remove_scores

from tictactoe.figures import style
from tictactoe.match.scores import all_scores
from tictactoe.storage.atomic_files import Replacements
from tictactoe.storage.directory_layout import SOLUTION_FILE, snapshot_name
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.snapshot import SNAPSHOT_KIND
from tictactoe.storage.solution import SOLUTION_KIND, load_solution

PLOT = "plot"


def without_logs(solution: Path) -> None:
    """As convert and solve-multiround --polish leave it."""
    for entry in read_file(solution / SOLUTION_FILE, SOLUTION_KIND)["subgames"]:
        path = solution / f"subgame_{entry['score'][0]}_{entry['score'][1]}" / snapshot_name(entry["iteration"])
        write_file(path, SNAPSHOT_KIND, read_file(path, SNAPSHOT_KIND) | {"convergence": np.zeros((0, 4))})


def test_pictures_of_a_solution(solved: Path, tmp_path: Path) -> None:
    before, out = contents(solved), tmp_path / "new" / "out"
    result = call(PLOT, "-s", solved, "-o", out)
    names = ["convergence.png", "convergence.svg", "values.png", "values.svg"]
    assert result == Result(0, f"written: {', '.join(str(out / name) for name in names)}\n", "")
    assert sorted(contents(out)) == names
    check_png(out / "convergence.png")
    check_png(out / "values.png")
    check_svg(out / "convergence.svg", *(f"<!-- {score} -->" for score in all_scores(2)), "dotted", "0.05")
    percentages = [f"{50.0 + 50.0 * value:.2f}" for value in load_solution(solved).value.values()]
    check_svg(out / "values.svg", *percentages, "points of the player who moves first")
    assert contents(solved) == before


def test_pictures_name_the_rules(world: Path, odd: Path) -> None:
    for solution, picture, title in (
        (odd, "values", "Who wins a match to 1 by the rules filled-none 1:0:2, from every score"),
        (world / "match", "values", "Who wins a match to 1, from every score"),
        (world / "short", "convergence", f"Convergence of a match to 1 by the rules {SHORT_RULE}"),
    ):
        assert call(PLOT, "-s", solution, "-o", title, "--quiet").code == 0
        assert title in re.sub(r"\s+", " ", Path(title, f"{picture}.svg").read_text())


def test_half_a_solution_in_the_working_directory(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent)
    mine = mine.rename(mine.parent / "my_solution")
    remove_scores(mine, (0, 0), (0, 1), (1, 0))
    content = read_file(mine / SOLUTION_FILE, SOLUTION_KIND)
    options = {"maximum_subgame_exploitability": "x"}  # as another program may write it
    write_file(mine / SOLUTION_FILE, SOLUTION_KIND, content | {"options": options})
    assert call(PLOT, "--quiet") == Result(0, "", "")
    assert sorted(contents(mine.parent / "plots")) == ["convergence.png", "convergence.svg", "values.png", "values.svg"]
    check_svg(mine.parent / "plots" / "convergence.svg", "not solved", "<!-- 1-1 -->")
    assert "dotted" not in (mine.parent / "plots" / "convergence.svg").read_text()
    remove_scores(mine, (1, 1))
    assert (
        complaint(call(PLOT, "-s", mine, "-o", "not"), 1, PLOT)
        == f"tictactoe plot: {mine}: no score has been solved yet"
    )
    assert not (mine.parent / "not").exists()


def test_a_solution_without_logs(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style, "save_figure", save_nothing)
    without_logs(mine)
    why = f"{mine}: no picture of convergence: the solution has no record of how it was computed"
    for end in ("", f"; to draw what it was made from: tictactoe plot -s {mine / 'unpolished'}"):
        result = call(PLOT, "-s", mine, "-o", mine.parent / "out", "--quiet")
        assert result == Result(0, "", f"tictactoe plot: {why}{end}\n")
        assert sorted(contents(mine.parent / "out")) == ["values.png", "values.svg"]
        (mine / "unpolished").mkdir(exist_ok=True)


def test_pictures_of_another_solution_go(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = mine.parent / "out"

    def saved(figure: object, path: Path, together: Replacements) -> None:
        with together.file(path) as file:
            file.write(b"new")

    monkeypatch.setattr(style, "save_figure", saved)
    out.mkdir()
    for name in ("convergence.png", "convergence.svg", "values.png", "values.svg", "other.png"):
        (out / name).write_bytes(b"old")
    without_logs(mine)
    assert call(PLOT, "-s", mine, "-o", out, "--quiet").code == 0
    assert contents(out) == {"other.png": b"old", "values.png": b"new", "values.svg": b"new"}


@pytest.mark.parametrize("rules", ["three-in-a-row", "filled", "filled-none", "filled-tie"])
def test_nobody_gains_anything_over_the_match(rules: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # by_formula is the name of the output that nobody names
    solved = json_of("solve-multiround", "--algorithm", "formula", "--rules", rules, "--winning-score", "3")
    assert solved["rules"] == rules
    assert solved["converged"] is True
    assert len(solved["subgames"]) == 9
    assert max(one["exploitability"] for one in solved["subgames"]) < 1e-14
    judged = json_of("best-response-multiround", "-s", "by_formula")
    assert 0 <= max(one["exploitability"] for one in judged["subgames"]) < 1e-13


def test_a_picture(tmp_path: Path) -> None:
    assert call("rules-atlas", "--values", "-o", tmp_path / "map.svg", "--winning-score", "2").out.startswith("first")
    assert "<svg" in (tmp_path / "map.svg").read_text()


COMPARE = "compare-algorithms --game kuhn --algorithm cfr --budget 3 --perturbations 2 --against nodes --for-paper -o ."
ATLAS = "rules-atlas --rules filled --winning-score 1 --maximum-subgame-exploitability 0.1 --for-paper -o ."
TOURNAMENT = "tournament match_to_1 uniform -o t.tex -o t.pdf"


@pytest.mark.parametrize(
    ("command", "name", "cell"),
    [(COMPARE, "comparison", "worst"), (ATLAS, "atlas", "filled"), (TOURNAMENT, "t", "match\\_to\\_1"),
     ("plot -s match_to_1 -o . --for-paper", "values", "$46.154$")],
)  # fmt: skip
def test_for_paper(command: str, name: str, cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(*command.split(), "--quiet").code == 0
    tables = re.findall(r"\\begin\{tabular\}\{(\w+)\}\n(.*?)\\end", Path(f"{name}.tex").read_text(), re.DOTALL)
    rows = [[line.split(" & ") for line in body.splitlines() if line != "\\hline"] for _, body in tables]
    assert [{len(row) for row in each} for each in rows] == [{len(columns)} for columns, _ in tables]
    assert any(cell in row for row in rows[0])
    assert Path(f"{name}.pdf").read_bytes().startswith(b"%PDF")
