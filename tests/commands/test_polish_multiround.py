"""polish-multiround, and solve-multiround --polish."""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.matches import SHORT, SHORT_RULE, never, short_rounds, solve
from rich.console import Console
from support.measured import two_seconds_a_pair
from support.programs import MATCH, Result, call, command_to_continue, complaint, contents, json_of
from tictactoe.tools.progress import PolishProgress

from tictactoe.algorithms.exact import double_oracle as equilibrium
from tictactoe.games.rules import DEFAULT_RULES, RULES
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.scores import Score, all_scores
from tictactoe.run_control import RunControl
from tictactoe.solving import match_run, polish
from tictactoe.solving.polish import polish_solution
from tictactoe.storage.directory_layout import SOLUTION_FILE, UNPOLISHED
from tictactoe.storage.solution import load_solution

__all__ = ["two_seconds_a_pair"]
pytestmark = pytest.mark.usefixtures("two_seconds_a_pair")

POLISH = "polish-multiround"
TWO = ("--winning-score", "2", "--algorithm", "pdcfr+", "--jobs", "1")
NUMBER = r"[0-9.]+e[-+][0-9]+"


@pytest.fixture(scope="module", autouse=True)
def _short_rounds() -> Iterator[None]:
    with short_rounds():
        yield


@pytest.fixture
def every_round_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes solve-multiround, which knows one rule, solve short rounds."""
    monkeypatch.setitem(RULES, DEFAULT_RULES, SHORT)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quickly solved match to 2 of short rounds; to be copied, not changed."""
    directory = tmp_path_factory.mktemp("commands") / "source"
    solve(GameTree.build(SHORT_RULE), directory, 2, 1e-3)
    return directory


@pytest.fixture(scope="module")
def exact(source: Path) -> Path:
    """What polishing makes of it."""
    output = source.parent / "exact"
    polish_solution(load_solution(source), output, control=RunControl(workers=1))
    return output


@pytest.fixture
def mine(source: Path, tmp_path: Path) -> Path:
    """A copy of the source that a test may change."""
    shutil.copytree(source, tmp_path / "mine")
    return tmp_path / "mine"


def total_of(directory: Path) -> float:
    """Measured over the match."""
    solution = load_solution(directory)
    response = best_response_over_match(solution.tree, solution.average_strategy, solution.winning_score)
    return response.scores[Score(0, 0)].exploitability


def assert_text(result: Result, directory: Path) -> None:
    """The table of all scores and the total, in both units."""
    assert result.code == 0, result
    assert "\x1b" not in result.out + result.err
    lines = result.out.splitlines()
    assert lines[0].split()[:2] == ["score", "value"]
    solution = load_solution(directory)
    for line, score in zip(lines[1:5], ((1, 1), (1, 0), (0, 1), (0, 0)), strict=True):
        cells = line.split()
        assert cells[0] == str(Score(*score))
        assert float(cells[1]) == pytest.approx(solution.value[Score(*score)], abs=6e-7)
    by = "" if solution.rules == DEFAULT_RULES else f" by the rules {solution.rules}"
    total = re.search(
        rf"Total exploitability of the bot in a match to 2{by}: ({NUMBER}) in match value \(-1 to 1\), "
        rf"({NUMBER}) percentage points of matches won\.",
        " ".join(result.out.split()),
    )
    assert total is not None, result.out
    assert 0.0 <= float(total[1]) < 1e-12
    assert float(total[2]) == pytest.approx(50.0 * float(total[1]), rel=0.01, abs=1e-30)


def test_text_and_progress(source: Path, exact: Path, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    result = call(POLISH, "-s", source, "-o", output, "--jobs", 2)
    assert_text(result, output)
    assert contents(output) == contents(exact)
    lines = result.err.splitlines()
    assert [re.match(r"polished (\S+) \((\d) of 3\): ", line).groups() for line in lines] == [  # type: ignore[union-attr]
        ("1-1", "1"),
        ("1-0/0-1", "2"),
        ("0-0", "3"),
    ]
    again = call(POLISH, "-s", source, "-o", output)
    assert (again.out, again.err) == (result.out, "")


def test_json(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    printed = json_of(POLISH, "-s", source, "-o", output, "--quiet")
    solution = load_solution(output)
    assert printed["winning_score"] == 2
    assert printed["converged"] is True
    assert printed["options"] == solution.options
    assert [entry["score"] for entry in printed["subgames"]] == [[1, 1], [1, 0], [0, 1], [0, 0]]
    for entry in printed["subgames"]:
        assert entry["value"] == solution.value[Score(*entry["score"])]
        assert entry["exploitability"] == solution.exploitability[Score(*entry["score"])]
    assert 0.0 <= printed["total_exploitability"] < 1e-12
    assert printed["total_exploitability"] == max(0.0, total_of(output))
    assert printed["total_exploitability_percentage_points"] == 50.0 * printed["total_exploitability"]


def test_defaults_and_kept_scores(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(source, "my_solution")
    assert call(POLISH, "--keep", 1, 0, "--keep", 0, 0, "--quiet").code == 0
    assert total_of(tmp_path / "exact_solution") < 1e-12
    line = complaint(call(POLISH, "-o", "other", "--keep", 7, 7), 1, POLISH)
    assert line == f"{POLISH}: my_solution: has no score 7-7 to keep snapshots of"
    before, after = load_solution(source), load_solution(tmp_path / "exact_solution")
    for score in all_scores(2):
        kept = score in (Score(1, 0), Score(0, 0))
        assert after.iterations(score) == (before.iterations(score) if kept else before.iterations(score)[-1:])


def test_without_the_solver(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before anything is solved or written; what needs no solver needs none."""
    monkeypatch.setitem(sys.modules, "highspy", None)
    output = tmp_path / "out"
    for name, arguments in ((POLISH, ("-s", source)), (MATCH, ("--polish", *TWO))):
        line = complaint(call(name, "-o", output, *arguments), 1, name)
        assert line.endswith(": pip install highspy")
        assert not output.exists()
    assert call(MATCH, "-o", output, "--polish", "--dry-run", *TWO).code == 0
    assert call(POLISH, "--help").code == 0
    assert not output.exists()


TERMINAL: dict[str, Any] = {"_environ": {"TERM": "xterm"}}  # wherever the tests run


def test_progress_on_a_terminal(source: Path, tmp_path: Path) -> None:
    """Redrawn lines that say what is going on, and that are gone in the end."""
    screen = io.StringIO()
    progress = PolishProgress(2, console=Console(file=screen, force_terminal=True, width=100, **TERMINAL))
    with progress.showing():
        polish_solution(load_solution(source), tmp_path / "exact", control=RunControl(workers=2, reporter=progress))
    drawn = screen.getvalue()
    assert re.search(r"[0-3] of 3 pairs of scores exact", drawn)
    assert "polished" not in drawn


@pytest.fixture
def interrupting(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Sends the signals in the list to this process, one after every pair that has been saved."""
    signals: list[int] = []
    save = polish._PolishRun._record

    def save_and_signal(*arguments: Any) -> None:
        save(*arguments)
        if signals:
            os.kill(os.getpid(), signals.pop())

    monkeypatch.setattr(polish._PolishRun, "_record", save_and_signal)
    yield signals
    signals.clear()


@pytest.mark.usefixtures("every_round_short")
def test_an_interrupted_polishing_after_solving_goes_on(tmp_path: Path, interrupting: list[int]) -> None:
    interrupting.append(signal.SIGINT)
    result = call(MATCH, "-o", tmp_path / "out", "--polish", *TWO)
    assert result.code == 130, result
    assert result.out == ""
    last = result.err.splitlines()[-1]
    assert last.startswith(f"{MATCH}: interrupted; ")
    unpolished = contents(tmp_path / "out" / UNPOLISHED)
    done = call(MATCH, *command_to_continue(last, MATCH), "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert contents(tmp_path / "out" / UNPOLISHED) == unpolished
    assert call(MATCH, "-o", tmp_path / "expected", "--polish", "--quiet", *TWO).code == 0
    assert contents(tmp_path / "out") == contents(tmp_path / "expected")


@pytest.mark.usefixtures("every_round_short")
@pytest.mark.parametrize("there", ["not polished", "polished from elsewhere"])
def test_solving_anew_that_is_interrupted_goes_on_and_polishes(
    there: str, exact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What --restart throws away is gone when the command that goes on, which is without it, looks."""
    output, save, signals = tmp_path / "out", match_run._MatchRun._record, [signal.SIGINT]
    if there == "not polished":
        assert call(MATCH, "-o", output, *TWO, "--max-iterations", 10, "--quiet").code == 1
    else:
        shutil.copytree(exact, output)

    def save_and_signal(*arguments: Any) -> None:
        save(*arguments)
        if signals:  # a second one would not wait
            os.kill(os.getpid(), signals.pop())

    with monkeypatch.context() as patch:
        patch.setattr(match_run._MatchRun, "_record", save_and_signal)
        result = call(MATCH, "-o", output, "--polish", "--restart", *TWO)
    assert result.code == 130, result
    done = call(MATCH, *command_to_continue(result.err.splitlines()[-1], MATCH), "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert call(MATCH, "-o", tmp_path / "expected", "--polish", "--quiet", *TWO).code == 0
    assert contents(output) == contents(tmp_path / "expected")


def test_restarting_touches_nothing_where_it_is_refused(exact: Path, tmp_path: Path) -> None:
    """Neither what is polished nor what is behind links."""
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
    assert "unpolished: a link, and nothing is written behind it" in complaint(call(*restart), 1, MATCH)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("command", [MATCH, POLISH])
@pytest.mark.parametrize("options", [(), ("--restart",)])
def test_nothing_is_removed_behind_links(command: str, options: tuple[str, ...], exact: Path, tmp_path: Path) -> None:
    """A score of one solution that is a link to that of another one."""
    output, other = tmp_path / "out", tmp_path / "other"
    shutil.copytree(exact, output)
    shutil.copytree(exact, other)
    shutil.rmtree(output / "subgame_0_0")
    (output / "subgame_0_0").symlink_to(Path("..", "other", "subgame_0_0"))
    before = contents(tmp_path)
    source = ("-s", other) if command == POLISH else TWO
    line = complaint(call(command, "-o", output, *source, *options), 1, command)
    assert f"{output / 'subgame_0_0'}: not a directory of its own; remove it, or choose another" in line
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("every_round_short")
def test_solving_and_polishing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "out"
    result = call(MATCH, "-o", output, "--polish", *TWO)
    assert_text(result, output)
    assert total_of(output) < 1e-12
    unpolished = load_solution(output / UNPOLISHED)
    assert unpolished.unconverged_scores == []
    assert unpolished.options["maximum_subgame_exploitability"] == 1e-4
    assert 1e-9 < total_of(output / UNPOLISHED) < 1e-3
    assert call(POLISH, "-s", output / UNPOLISHED, "-o", tmp_path / "other", "--quiet").code == 0
    other = {path: data for path, data in contents(output).items() if not path.startswith(UNPOLISHED)}
    assert contents(tmp_path / "other") == other
    # and the same command once more has nothing to do
    before = contents(output)
    monkeypatch.setattr(equilibrium, "solve_program", never)
    monkeypatch.setattr("tictactoe.algorithms.cfr.solver.CFRSolver.run", never)
    again = call(MATCH, "-o", output, "--polish", *TWO)
    assert (again.code, again.out, again.err) == (0, result.out, "")
    printed = json_of(MATCH, "-o", output, "--polish", *TWO, "--quiet")
    assert printed["total_exploitability"] == max(0.0, total_of(output))
    assert printed["converged"] is True
    assert contents(output) == before


@pytest.mark.usefixtures("every_round_short")
def test_polishing_a_poor_start(tmp_path: Path) -> None:
    """Three iterations are not enough to converge, but enough to start from: the end is exact, and no failure."""
    output = tmp_path / "out"
    result = call(MATCH, "-o", output, "--polish", *TWO, "--max-iterations", 3)
    assert_text(result, output)
    assert len(load_solution(output / UNPOLISHED).unconverged_scores) == 4
    assert "not converged" not in result.err
    solution = load_solution(output)
    assert solution.unconverged_scores == []
    assert {result.iteration for result in solution.results.values()} == {3}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), 1e-6),
        (("--polish",), 1e-4),
        (("--maximum-subgame-exploitability", "0.003"), 0.003),
        (("--polish", "--maximum-subgame-exploitability", "0.003"), 0.003),
        (("--polish", "--maximum-subgame-exploitability", "1e-6"), 1e-6),
    ],
)
def test_the_default_target(arguments: tuple[str, ...], expected: float, tmp_path: Path) -> None:
    plan = json_of(MATCH, "-o", tmp_path / "out", "--dry-run", *arguments)
    assert plan["options"]["maximum_subgame_exploitability"] == expected
    assert contents(tmp_path) == {}


@pytest.mark.usefixtures("every_round_short")
def test_what_would_stop_the_polishing_stops_it_before_the_solving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    assert call(MATCH, "-o", output, *TWO, "--max-iterations", 10, "--quiet").code == 1
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("mine")
    before = contents(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("tictactoe.algorithms.cfr.solver.CFRSolver.run", never)
        assert "not polished" in complaint(call(MATCH, "-o", output, "--polish", *TWO), 1, MATCH)
        assert "thesis" in complaint(call(MATCH, "-o", tmp_path / "thesis", "--polish", *TWO), 1, MATCH)
        assert "--resume" in complaint(call(MATCH, "-o", output, "--polish", "--resume", "--restart"), 2, MATCH)
        line = complaint(call(MATCH, "-o", tmp_path / "new", "--polish", "--resume", *TWO), 1, MATCH)
        assert str(tmp_path / "new" / UNPOLISHED) in line
    assert contents(tmp_path) == before
    assert call(MATCH, "-o", output, "--polish", "--restart", "--quiet", *TWO).code == 0
    assert total_of(output) < 1e-12


@pytest.mark.usefixtures("every_round_short")
def test_an_exact_solution_is_not_solved_further(tmp_path: Path) -> None:
    """Without --polish, the directory of an exact solution is somebody else's."""
    output = tmp_path / "out"
    assert call(MATCH, "-o", output, "--polish", "--quiet", *TWO).code == 0
    before = contents(output)
    for more in ((), ("--maximum-subgame-exploitability", "0.0001")):
        line = complaint(call(MATCH, "-o", output, *TWO, *more), 1, MATCH)
        assert "it is exact already, made by polish-multiround. What to do: choose another" in line
    other = ("--maximum-subgame-exploitability", "0.01")
    line = complaint(call(MATCH, "-o", output, "--polish", *TWO, *other), 1, MATCH)
    assert "--maximum-subgame-exploitability is " in line
    assert contents(output) == before
    assert call(MATCH, "-o", output, "--polish", "--restart", "--quiet", *TWO, *other).code == 0
    assert load_solution(output / UNPOLISHED).options["maximum_subgame_exploitability"] == 0.01
    assert total_of(output) < 1e-12
    strategy = load_solution(output).average_strategy[Score(1, 1)]
    assert np.all(strategy[0] == 1.0)


@pytest.mark.usefixtures("every_round_short")
def test_what_changed_its_own_source_is_polished_again(tmp_path: Path) -> None:
    """A higher limit changes OUTPUT/unpolished; the exact solution follows, and is no other configuration."""
    output = tmp_path / "out"
    for limit in (3, 40):
        result = call(MATCH, "-o", output, *TWO, "--polish", "--max-iterations", limit, "--quiet")
        assert result.code == 0, result
        polished_from = load_solution(output).options["polished_from"]
        assert polished_from == hashlib.sha256((output / UNPOLISHED / SOLUTION_FILE).read_bytes()).hexdigest()
        assert max(load_solution(output).exploitability.values()) < 1e-10


@pytest.mark.usefixtures("every_round_short")
def test_an_exact_solution_from_elsewhere_stops_it_before_the_solving(exact: Path, tmp_path: Path) -> None:
    shutil.copytree(exact, tmp_path / "out")
    before = contents(tmp_path)
    line = complaint(call(MATCH, "-o", tmp_path / "out", *TWO, "--polish"), 1, MATCH)
    assert "polished from another one" in line
    assert contents(tmp_path) == before
