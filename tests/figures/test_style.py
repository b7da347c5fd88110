"""What all pictures share: whole files, the same every time, without windows; names beside the ends of lines."""

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib
import pytest
from support.pictures import check_png, check_svg, made_up_logs, made_up_runs
from support.programs import contents

from tictactoe.algorithms.comparing.measured_run import Unit
from tictactoe.errors import FormatError, MissingPlotsError
from tictactoe.figures.learning_figure import LearningCurve, algorithms_figure, learning_figure
from tictactoe.figures.solution_figures import convergence_figure, rules_figure, values_figure
from tictactoe.figures.style import require_plots, save_figure


def test_files_are_whole_and_the_same_every_time(tmp_path: Path) -> None:
    figure = convergence_figure(1, made_up_logs(1), 1e-4)
    save_figure(figure, tmp_path / "a.png")
    save_figure(figure, tmp_path / "a.svg")
    check_png(tmp_path / "a.png")
    check_svg(tmp_path / "a.svg", "Convergence of a match to 1", "dotted: the target, 0.0001.")
    before = contents(tmp_path)
    with matplotlib.rc_context({"font.size": 20.0, "lines.linewidth": 9.0, "svg.fonttype": "none", "axes.grid": True}):
        again = convergence_figure(1, made_up_logs(1), 1e-4)
        save_figure(again, tmp_path / "a.svg")
        save_figure(again, tmp_path / "a.png")
        assert matplotlib.rcParams["font.size"] == 20.0, "the user's configuration is left alone"
    assert contents(tmp_path) == before


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "a.png").mkdir()
    with pytest.raises(FormatError):
        save_figure(values_figure(1, {}), tmp_path / "a.png")
    with pytest.raises(OSError, match="missing"):
        save_figure(values_figure(1, {}), tmp_path / "missing" / "a.png")
    assert contents(tmp_path) == {"a.png": None}


@pytest.mark.parametrize(
    "draw",
    [
        lambda: algorithms_figure([], [Unit.NODES], "", in_match_value=True),
        lambda: algorithms_figure(made_up_runs(), [], "", in_match_value=True),
        lambda: learning_figure([LearningCurve("x", [])], {}, "", in_match_value=True),
        lambda: rules_figure(5, {}),
    ],
    ids=["no runs", "no units", "no curves", "no rules"],
)
def test_nothing_to_draw(draw: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        draw()


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPlotsError, match="pip install"):
        require_plots()
    with pytest.raises(MissingPlotsError):
        values_figure(1, {})
