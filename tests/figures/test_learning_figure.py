"""Pictures of algorithms and of agents that learn, and what all pictures share: whole files, always the same."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from support import pictures
from support.pictures import check_legible, check_png, check_svg, made_up_logs, made_up_run, made_up_runs, texts_of
from support.programs import contents

from tictactoe.algorithms.learning import LearningFigures
from tictactoe.algorithms.measured_run import Measurement, Run, Unit
from tictactoe.errors import FormatError, MissingPlotsError
from tictactoe.figures.learning_figure import LONGEST_NAME, LearningCurve, algorithms_figure, learning_figure
from tictactoe.figures.solution_figures import convergence_figure, rules_figure, values_figure
from tictactoe.figures.style import require_plots, save_figure

BEST = {"uniform": 0.55, "learner-10": 0.3}


def curve(label: str, slope: float, opponent: str = "", *, is_solver: bool = False) -> LearningCurve:
    counts = [round(100 * 1.26**k) for k in range(40)]
    figures = [LearningFigures(n, 7 * n, 0.5 - n**-0.2, 0.4 - n**-0.2, 20.0 * n**-slope) for n in counts]
    return LearningCurve(label, figures, opponent, is_solver=is_solver)


CURVES = [
    *(curve(f"agent-{number}", 0.01 * number, "uniform") for number in range(6)),
    curve("a-name-that-is-longer-than-anybody-wants", 0.1, "learner-10"),
    curve("itself", 0.1),
    *(curve("rdcfr", 1.5, name, is_solver=True) for name in BEST),
]
several = cache(lambda: learning_figure(CURVES, BEST, "Title", in_match_value=True))
alone = cache(lambda: learning_figure([curve("itself", 0.1)], {}, "Title", in_match_value=False))


def test_names_and_panels_can_be_read() -> None:
    check_legible(several())
    check_legible(alone())
    texts = texts_of(several())
    assert [texts.count(name) for name in ("agent-3", "itself", "rdcfr")] == [2, 1, 3]
    assert texts.count("a-name-that-is-longer-than-anybody-wants"[: LONGEST_NAME - 3] + "...") == 2
    assert {"best against uniform", "best against learner-10", "nodes touched"} <= set(texts)
    assert len(alone().axes) == 1
    assert "best" not in "".join(texts_of(alone()))


def test_lines_hold_the_figures() -> None:
    above, below = several().axes
    drawn = {line.get_color(): line.get_ydata() for line in above.lines if len(line.get_xdata()) > 1}
    assert len(drawn) == 9, "a colour each"
    assert drawn["#000000"][0] == CURVES[-1].figures[0].exploitability
    values = [line.get_ydata()[-1] for line in below.lines if len(line.get_xdata()) == 40]
    assert values == [curve.figures[-1].value for curve in CURVES if curve.opponent]
    low, high = below.get_ylim()
    assert low < min(row.value for row in CURVES[0].figures)
    assert high > max(BEST.values())


RUNS = made_up_runs()


def figure_of(runs: list[Run], *units: Unit, title: str = "", in_match_value: bool = True) -> Figure:
    return algorithms_figure(runs, units or [Unit.NODES], title, in_match_value=in_match_value)


drawn = cache(lambda: figure_of(RUNS, Unit.NODES, Unit.SECONDS, title="Title"))
single = cache(lambda: figure_of(RUNS[-1:], title="Title", in_match_value=False))


def test_names_stand_beside_lines_and_everything_written_can_be_read() -> None:
    check_legible(drawn())
    check_legible(single())
    texts = texts_of(drawn())
    assert [texts.count(name) for name in (*pictures.NAMES, "es-mccfr")] == [2] * 9, "once a panel"
    assert {"nodes touched", "seconds of updates", "Title"} <= set(texts)
    caption = "Solid lines: average strategy. Dashed, with hollow ends: current strategy."
    assert f"{caption}\nBands: the middle half of up to 5 runs, around their median." in texts
    assert texts.count("exploitability in match value\n(\N{MULTIPLICATION SIGN} 50: points of winning chance)") == 2
    assert {caption, "exploitability\nin payoff"} <= set(texts_of(single()))


def test_every_line_has_a_look_of_its_own_and_axes_hold_them() -> None:
    lines = [line for line in drawn().axes[0].lines if line.get_linestyle() == "-" and len(line.get_xdata()) > 1]
    looks = {(line.get_color(), line.get_marker()) for line in lines}
    assert len(looks) == len({colour for colour, _ in looks}) == len({marker for _, marker in looks}) == 9
    assert [(axes.get_xscale(), axes.get_yscale()) for axes in drawn().axes] == [("log", "log")] * 2
    low, high = drawn().axes[0].get_ylim()
    assert all(low <= m.average_exploitability <= high for run in RUNS for m in run.measurements)


def test_several_runs_are_a_band_between_their_quartiles_around_their_median() -> None:
    def measured(seed: int) -> list[Measurement]:
        return [Measurement(10**k, 10**k, 10**k, 1.0, (seed + 1.0) * 10.0**-k, 1.0, 0.0) for k in range(1, 5)]

    axes = figure_of([made_up_run("es", measured(seed), seed=seed) for seed in range(5)]).axes[0]
    (band,) = axes.collections
    corners = band.get_paths()[0].vertices
    at_end = corners[np.isclose(corners[:, 0], 1e4), 1]
    assert (at_end.min(), at_end.max()) == pytest.approx((2e-4, 4e-4))
    average = next(line for line in axes.lines if line.get_linestyle() == "-" and len(line.get_xdata()) > 1)
    assert average.get_ydata() == pytest.approx(3.0 / np.asarray(average.get_xdata()))


def test_the_horizontal_axis_has_the_unit() -> None:
    run = made_up_run("cfr", [Measurement(k, 10 * k, 90 * k, 0.5 * k, 1.0 / k, 1.0, 0.0) for k in (1, 2, 4)])
    steps = {Unit.ITERATIONS: 1.0, Unit.NODES: 10.0, Unit.HISTORIES: 90.0, Unit.SECONDS: 0.5}
    for unit in Unit:
        lines = figure_of([run], unit).axes[0].lines[:2]
        assert [list(line.get_xdata()) for line in lines] == [[steps[unit], 2 * steps[unit], 4 * steps[unit]]] * 2


def test_exploitabilities_of_nothing() -> None:
    exact = made_up_run("exact", [Measurement(k, k, k, float(k), 0.0, -1e-17, 0.0) for k in (1, 2)])
    axes = figure_of([exact, *RUNS[:1]]).axes[0]
    assert [artist.get_text() for artist in axes.texts if artist.get_text()] == ["cfr"]
    figure_of([exact])


def test_restarts_are_ticks_on_the_line() -> None:
    """Where rdcfr restarts, after 100, 200, 400, ... iterations, by any unit; the caption names them."""
    measurements = [Measurement(at, 7 * at, 63 * at, 1.0 * at, 1.0 / at, 1.0, 0.0) for at in (10, 90, 1000)]
    figure = figure_of([made_up_run("again", measurements, rule="rdcfr")])
    (ticks,) = (line for line in figure.axes[0].lines if line.get_marker() == "|")
    assert list(ticks.get_xdata()) == pytest.approx([700.0, 1400.0, 2800.0, 5600.0])
    assert list(ticks.get_ydata()) == pytest.approx([7 / x for x in ticks.get_xdata()])
    assert any(text.endswith("Ticks: restarts from the average.") for text in texts_of(figure))
    without = figure_of([made_up_run("dcfr", measurements, rule="dcfr")])
    assert not any("Ticks" in text for text in texts_of(without))


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
