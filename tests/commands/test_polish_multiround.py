"""solve-multiround --polish, of a solution and after solving. The console polish.txt has the text."""

import io
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle.matches import SHORT, SHORT_RULE, never, short_rounds_in_module, solve
from rich.console import Console
from support.programs import MATCH, call, complaint, contents, json_of
from tictactoe.tools.progress import PolishProgress

from tictactoe import RULES, GameTree, RunControl, Score, best_response_over_match, load_solution, polish_solution
from tictactoe.algorithms import punishing_double_oracle as equilibrium
from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.match.scores import all_scores
from tictactoe.storage.directory_layout import UNPOLISHED

pytestmark = pytest.mark.usefixtures("quick_forecasts")

POLISH = "solve-multiround --polish"
POLISHED = ("--polish", "--against", "uniform")
"""Learners have learnt another tree than the short one."""
TWO = ("--winning-score", "2", "--algorithm", "pdcfr+", "--jobs", "1")


_short_rounds = short_rounds_in_module()


@pytest.fixture
def every_round_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes solve-multiround, which knows the rules that ship, solve short rounds."""
    monkeypatch.setitem(RULES, DEFAULT_RULES, SHORT)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quickly solved match to 2 of short rounds; to be copied, not changed."""
    directory = tmp_path_factory.mktemp("commands") / "source"
    solve(GameTree.build(SHORT_RULE), directory, 2, 1e-3)
    return directory


@pytest.fixture(scope="module")
def exact(source: Path) -> Path:
    output = source.parent / "exact"
    polish_solution(load_solution(source), output)
    return output


def total_of(directory: Path) -> float:
    """Measured over the match."""
    solution = load_solution(directory)
    response = best_response_over_match(solution.tree, solution.average_strategy, solution.winning_score)
    return response.scores[Score(0, 0)].exploitability


def test_text_progress_and_json(source: Path, exact: Path, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    result = call(POLISH, "-s", source, "-o", output, "--jobs", 2)
    assert result.code == 0, result
    assert contents(output) == contents(exact)
    lines = result.err.splitlines()
    assert [re.match(r"polished (\S+) \((\d) of 3\): ", line).groups() for line in lines] == [  # type: ignore[union-attr]
        ("1-1", "1"),
        ("1-0/0-1", "2"),
        ("0-0", "3"),
    ]
    again = call(POLISH, "-s", source, "-o", output)
    assert (again.out, again.err) == (result.out, "")
    printed, solution = json_of(POLISH, "-s", source, "-o", output, "--quiet"), load_solution(output)
    assert (printed["winning_score"], printed["converged"], printed["options"]) == (2, True, solution.options)
    for entry in printed["subgames"]:
        score = Score(*entry["score"])
        assert entry["value"] == solution.value[score]
        assert entry["exploitability"] == solution.exploitability[score]
    total = printed["total_exploitability"]
    assert 0.0 <= total == max(0.0, total_of(output)) < 1e-12
    assert printed["total_exploitability_percentage_points"] == 50.0 * total


def test_whom_it_is_to_win_from(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    given = ("-s", source, "-o", output, "--against")
    result = call(f"{POLISH} unrefined", *given, "naive-a:2.5,uniform", "--quiet")
    assert (result.code, load_solution(output).options["polished_against"]) == (0, "naive-a:2.5,uniform:1")
    said = call(f"{POLISH} unrefined", *given, "naive-a:2.5,uniform").out
    assert "This exact equilibrium was chosen because it wins much from naive-a:2.5, uniform:1." in said
    for wrong, expected in (
        ("nobody", "'nobody' does not name a fixed policy; give the name of an opponent"),
        ("adaptive", "'adaptive' does not name a fixed policy; give the name of an opponent"),
        ("cmd:python", "'cmd:python' does not name a fixed policy; give the name of an opponent"),
        ("uniform:0", "uniform:0: the weight 0 is not a number above 0"),
        ("learner-1", "learner-1 learnt under three-in-a-row and under filled, not under"),
    ):
        line = complaint(call(POLISH, *given, wrong), 2, POLISH)
        assert expected in line
        assert "adaptive," not in line
        assert "PROGRAM" not in line
    assert "--against requires --polish" in complaint(call(MATCH, "-o", output, "--against", "uniform"), 2, MATCH)


def test_without_the_solver(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    output = tmp_path / "out"
    for name, arguments in ((POLISH, ("-s", source)), (MATCH, ("--polish", *TWO))):
        assert complaint(call(name, "-o", output, *arguments), 1, name).endswith(": pip install highspy")
    assert call(MATCH, "-o", output, "--polish", "--dry-run", *TWO).code == 0
    assert call(POLISH, "--help").code == 0
    assert not output.exists()


def test_restarting_touches_nothing_where_it_is_refused(exact: Path, tmp_path: Path) -> None:
    """Neither the polished solution nor files behind links."""
    output = tmp_path / "out"
    shutil.copytree(exact, output)
    (output / UNPOLISHED).mkdir()
    (output / UNPOLISHED / "mine.txt").write_text("kept")
    before = contents(tmp_path)
    restart = (MATCH, "-o", output, "--polish", "--restart", *TWO)
    assert "unpolished: not empty, and not a solution" in complaint(call(*restart), 1, MATCH)
    assert contents(tmp_path) == before
    (output / UNPOLISHED).rename(tmp_path / "elsewhere")
    (output / UNPOLISHED).symlink_to(tmp_path / "elsewhere")
    before = contents(tmp_path)
    assert "unpolished: this is a link, which is never written through" in complaint(call(*restart), 1, MATCH)
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("every_round_short")
def test_solving_and_polishing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out"
    result = call(MATCH, "-o", output, *POLISHED, *TWO)
    assert (result.code, total_of(output) < 1e-12) == (0, True)
    unpolished = load_solution(output / UNPOLISHED)
    assert unpolished.unconverged_scores == []
    assert unpolished.options["maximum_subgame_exploitability"] == 1e-4
    assert 1e-9 < total_of(output / UNPOLISHED) < 1e-3
    assert call(POLISH, *POLISHED[1:], "-s", output / UNPOLISHED, "-o", tmp_path / "other", "--quiet").code == 0
    other = {path: data for path, data in contents(output).items() if not path.startswith(UNPOLISHED)}
    assert contents(tmp_path / "other") == other
    before = contents(output)
    monkeypatch.setattr(equilibrium, "solve_program", never)
    monkeypatch.setattr("tictactoe.algorithms.cfr.CFRSolver.run", never)
    again = call(MATCH, "-o", output, *POLISHED, *TWO)
    assert (again.code, again.out, again.err) == (0, result.out, "")
    printed = json_of(MATCH, "-o", output, *POLISHED, *TWO, "--quiet")
    assert printed["total_exploitability"] == max(0.0, total_of(output))
    assert contents(output) == before


@pytest.mark.usefixtures("every_round_short")
def test_an_exact_solution_is_not_solved_further(tmp_path: Path) -> None:
    output, target = tmp_path / "out", ("--maximum-subgame-exploitability", "0.01")
    assert call(MATCH, "-o", output, *POLISHED, "--quiet", *TWO).code == 0
    before = contents(output)
    for more in ((), ("--maximum-subgame-exploitability", "0.0001")):
        line = complaint(call(MATCH, "-o", output, *TWO, *more), 1, MATCH)
        assert "it is exact already, made by linear programs; choose another" in line
    line = complaint(call(MATCH, "-o", output, *POLISHED, *TWO, *target), 1, MATCH)
    assert "maximum_subgame_exploitability is " in line
    assert contents(output) == before
    assert call(MATCH, "-o", output, *POLISHED, "--restart", "--quiet", *TWO, *target).code == 0
    assert load_solution(output / UNPOLISHED).options["maximum_subgame_exploitability"] == 0.01
    assert total_of(output) < 1e-12
    assert np.all(load_solution(output).average_strategy[Score(1, 1)][0] == 1.0)


def test_progress_on_a_terminal(source: Path, tmp_path: Path) -> None:
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=100, _environ={"TERM": "xterm"})
    progress = PolishProgress(2, console=terminal)
    with progress.showing():
        polish_solution(load_solution(source), tmp_path / "exact", control=RunControl(workers=2, reporter=progress))
    assert re.search(r"[0-3] of 3 pairs of scores exact", screen.getvalue())
    assert "polished" not in screen.getvalue()


def test_defaults_and_kept_scores(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(POLISH, "-s", source, "--keep", "1-0", "--keep", "0-0", "--quiet").code == 0
    before, after = load_solution(source), load_solution(tmp_path / "exact_solution")
    for score in all_scores(2):
        kept = score in (Score(1, 0), Score(0, 0))
        assert after.iterations(score) == (before.iterations(score) if kept else before.iterations(score)[-1:])
