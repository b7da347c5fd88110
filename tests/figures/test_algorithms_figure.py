"""The picture of several algorithms: legible, every line told from the others, several seeds as a band."""

from functools import cache

import numpy as np
import pytest
from matplotlib.figure import Figure
from support.pictures import NAMES, check_legible, made_up_run, made_up_runs, texts_of

from tictactoe.algorithms.comparing.measured_run import Measurement, Run, Unit
from tictactoe.figures.learning_figure import LONGEST_NAME, algorithms_figure

RUNS = made_up_runs()


def figure_of(runs: list[Run], *units: Unit, title: str = "", in_match_value: bool = True) -> Figure:
    return algorithms_figure(runs, units or [Unit.NODES], title, in_match_value=in_match_value)


several = cache(lambda: figure_of(RUNS, Unit.NODES, Unit.SECONDS, title="Title"))
single = cache(lambda: figure_of(RUNS[-1:], title="Title", in_match_value=False))


def test_names_stand_beside_lines_and_everything_written_can_be_read() -> None:
    check_legible(several())
    check_legible(single())
    texts = texts_of(several())
    assert [texts.count(name) for name in (*NAMES, "es-mccfr")] == [2] * 9, "once a panel"
    assert {"nodes touched", "seconds of updates", "Title"} <= set(texts)
    caption = "Solid lines: average strategy. Dashed, with hollow ends: current strategy."
    assert f"{caption}\nBands: the middle half of up to 5 runs, around their median." in texts
    assert texts.count("exploitability in match value\n(\N{MULTIPLICATION SIGN} 50: points of winning chance)") == 2
    assert {caption, "exploitability\nin payoff"} <= set(texts_of(single()))


def test_every_line_has_a_look_of_its_own_and_axes_hold_them() -> None:
    lines = [line for line in several().axes[0].lines if line.get_linestyle() == "-" and len(line.get_xdata()) > 1]
    looks = {(line.get_color(), line.get_marker()) for line in lines}
    assert len(looks) == len({colour for colour, _ in looks}) == len({marker for _, marker in looks}) == 9
    assert [(axes.get_xscale(), axes.get_yscale()) for axes in several().axes] == [("log", "log")] * 2
    low, high = several().axes[0].get_ylim()
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


@pytest.mark.slow
def test_a_long_label_is_cut_where_it_would_take_the_room_of_the_picture() -> None:
    figure = figure_of([made_up_run("rpcfr+(first_restart=100, second_restart=700)", RUNS[0].measurements)])
    check_legible(figure)
    (name,) = (artist.get_text() for artist in figure.axes[0].texts if artist.get_text())
    assert (name[-3:], len(name)) == ("...", LONGEST_NAME)
