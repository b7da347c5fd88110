"""solve-by-formula and match-values: what they print and write, and that it is right."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from threading import Event

import pytest
from support.programs import call, complaint, contents, json_of
from support.terminal import ESCAPE, Terminal

from tictactoe.errors import Interrupted
from tictactoe.run_control import Existing, RunControl
from tictactoe.solving.formula_run import solve_by_formula
from tictactoe.storage.open_saved import open_saved

SOLVE, VALUES = "solve-by-formula", "match-values"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("rules", ["three-in-a-row", "filled", "filled-none", "filled-tie"])
def test_nobody_gains_anything_over_the_match(rules: str) -> None:
    """As the command that judges any solution finds."""
    solved = json_of(SOLVE, "--rules", rules, "--winning-score", "3")
    assert solved["rules"] == rules
    assert solved["converged"] is True
    assert len(solved["subgames"]) == 9
    assert max(one["exploitability"] for one in solved["subgames"]) < 1e-14
    judged = json_of("best-response-multiround", "-s", "by_formula")
    assert 0 <= max(one["exploitability"] for one in judged["subgames"]) < 1e-13


def test_the_match_to_5_is_the_one_that_ships() -> None:
    """Values of linear programs, to rounding."""
    assert call(SOLVE, "-o", "five", "--quiet").code == 0
    found, expected = open_saved("five").solution.value, open_saved("match_to_5").solution.value
    assert found.keys() == expected.keys()
    assert max(abs(found[score] - expected[score]) for score in found) < 1e-13


def test_what_is_printed() -> None:
    """A table and two sentences; only sentences where the table would be long."""
    short = call(SOLVE, "-o", "short", "--winning-score", "2")
    assert "\n  1-0  +0.654312" in short.out
    assert "Written to short; in no round can anybody gain more than" in short.out
    long = call(SOLVE, "-o", "long", "--winning-score", "11", "--rules", "filled-tie")
    assert len(long.out.splitlines()) == 2
    assert call(SOLVE, "-o", "silent", "--winning-score", "1", "--quiet").out == ""


def test_the_result_is_a_solution_like_any_other() -> None:
    assert call(SOLVE, "-o", "two", "--winning-score", "2", "--quiet").code == 0
    assert "1-0" in call("explore", "-s", "two", "--position", "1-0 ww 5").out
    proved = call("certify", "-s", "two", "-o", "certificate.json", "--jobs", "1")
    assert proved.code == 0, proved.err


def test_an_interruption_changes_nothing() -> None:
    """What was to be replaced stays, bit for bit."""
    assert call(SOLVE, "-o", "out", "--winning-score", "1", "--quiet").code == 0
    before, stop = contents(Path()), Event()
    stop.set()
    with pytest.raises(Interrupted, match=r"^nothing was written$"):
        solve_by_formula(Path("out"), 1, control=RunControl(existing=Existing.RESTART, stop=stop))
    assert contents(Path()) == before


def test_the_square_of_values_fits_a_narrow_terminal() -> None:
    """With all its digits."""
    terminal = Terminal(VALUES)
    terminal.resize(20, 60)
    code, output = terminal.finish()
    assert code == 0
    shown = ESCAPE.sub("", output)
    assert "4  +0.989838  +0.966816  +0.895221  +0.654312  -0.076923" in shown
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown


def test_all_values() -> None:
    """A square for a short match, a line for each score of a longer one."""
    square = call(VALUES).out
    assert len(square.splitlines()) == 8
    assert "4  +0.989838  +0.966816  +0.895221  +0.654312  -0.076923" in square
    lines = call(VALUES, "--winning-score", "6").out.splitlines()
    assert len(lines) == 36
    assert lines[-1] == "5-5 -0.076923076923"


def test_values_of_some_scores() -> None:
    digits = call(VALUES, "--digits", "40", "--score", "4", "3").out
    assert digits == "4-3 +0.6543121970834012321978814462116300526590\n"
    assert call(VALUES, "--rules", "filled", "--fractions", "--score", "3", "4").out == "3-4 -431/539\n"
    found = json_of(VALUES, "--winning-score", "7", "--score", "6", "6", "--score", "0", "1")
    assert [one["score"] for one in found["scores"]] == [[6, 6], [0, 1]]
    assert found["scores"][0]["value"] == pytest.approx(-1 / 13)


@pytest.mark.parametrize(("option", "kind"), [("", float), ("--digits 30", Decimal), ("--fractions", Fraction)])
def test_values_as_json(option: str, kind: type) -> None:
    """By the points of both players; a text where a number would lose digits."""
    found = json.loads(call(VALUES, "--rules", "filled", "--winning-score", "3", "--json", *option.split()).out)
    assert found["rules"] == "filled"
    assert found["winning_score"] == 3
    values = found["values"]
    assert [len(row) for row in values] == [3, 3, 3]
    assert isinstance(values[0][0], float if kind is float else str)
    assert float(kind(values[2][1])) == pytest.approx(361 / 539)


def test_a_picture() -> None:
    """Beside what is printed; its name says of which kind."""
    assert call(VALUES, "--plot", "map.svg", "--winning-score", "2").out.startswith("first")
    assert "<svg" in Path("map.svg").read_text()
    assert "--plot: map.txt: the name must end with .png, .svg, .pdf" in complaint(
        call(VALUES, "--plot", "map.txt"), 2, VALUES
    )


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--score", "5", "0"), "--score: 5-0 does not exist in a match to 5"),
        (("--digits", "5", "--fractions"), "--fractions and --digits exclude each other"),
        (("--fractions",), "the values by the rules three-in-a-row are irrational"),
        (("--goal-odds", "2:1:1"), "no closed form is known for goal odds of 2:1:1"),
    ],
)
def test_what_there_is_not(arguments: tuple[str, ...], what: str) -> None:
    assert what in complaint(call(VALUES, *arguments), 2, VALUES)


def test_no_formula_and_nothing_written() -> None:
    line = complaint(call(SOLVE, "--rules", "filled", "--goal-odds", "2:1:1"), 2, SOLVE)
    assert "no closed form is known for goal odds of 2:1:1" in line
    assert not Path("by_formula").exists()
