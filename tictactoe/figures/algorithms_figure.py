"""The picture of several algorithms: exploitability against iterations, nodes, histories or seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.comparing.measured_run import Measurement, Run, Unit
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST_NAME = 30
"""Characters of a label in a picture."""

_AXIS_LABELS = {
    Unit.ITERATIONS: "iterations",
    Unit.NODES: "nodes touched",
    Unit.HISTORIES: "histories touched",
    Unit.SECONDS: "seconds of updates",
}
_SPENT: dict[Unit, Callable[[Measurement], float]] = {
    Unit.ITERATIONS: lambda measurement: measurement.iteration,
    Unit.NODES: lambda measurement: measurement.nodes,
    Unit.HISTORIES: lambda measurement: measurement.histories,
    Unit.SECONDS: lambda measurement: measurement.seconds,
}


@dataclass(frozen=True, eq=False)
class _Curve:
    """A line with a band, float64 (n,) each, n >= 1."""

    x: FloatArray
    y: FloatArray
    lower: FloatArray
    """The lower edge of the band; y if there is no band."""
    upper: FloatArray
    """The upper edge of the band; y if there is no band."""


def algorithms_figure(runs: Sequence[Run], against: Sequence[Unit], title: str, *, in_match_value: bool) -> Figure:
    """Exploitability against each of `against`, one panel below the other: average strategy solid, current dashed.

    Several runs of a contender are drawn as their median in a band between the quartiles. Restarts of a rule are ticks
    on its solid line.

    in_match_value: whether the exploitabilities are match values; otherwise they are payoffs.

    Raises ValueError when there is nothing to draw, and MissingPlotsError.
    """
    if not runs or not against:
        raise ValueError("runs, against: nothing to draw")
    with style.plot_style():
        from matplotlib.figure import Figure

        groups = [list(group) for _, group in groupby(runs, key=attrgetter("label"))]
        panel, above, between, below = 2.45, 0.34, 0.5, 0.72  # inches
        height = above + below + panel * len(against) + between * (len(against) - 1)
        match_value = f" in match value\n({style.TIMES} 50: points of winning chance)"
        unit_of_values = match_value if in_match_value else "\nin payoff"
        names = 0.45 + 0.07 * max(len(_name(run)) for run in runs)
        figure = Figure(figsize=(style.WIDTH, height))
        grid = figure.subplots(len(against), 1, squeeze=False, sharey=True)[:, 0]
        style.set_margins(figure, 0.75, names, above, below, hspace=between / panel)
        for axes, unit in zip(grid, against, strict=True):
            _draw_panel(axes, groups, unit)
            axes.set_xlabel(_AXIS_LABELS[unit])
            axes.set_ylabel(f"exploitability{unit_of_values}")
        caption = "Solid lines: average strategy. Dashed, with hollow ends: current strategy."
        num_runs = max(map(len, groups))
        if num_runs > 1:
            caption += f"\nBands: the middle half of up to {num_runs} runs, around their median."
        if any(_restarts(group) for group in groups):
            caption += f"{' ' if num_runs > 1 else chr(10)}Ticks: restarts from the average."
        style.write_title_and_caption(figure, title, caption)
        return figure


def _draw_panel(axes: Axes, groups: Sequence[Sequence[Run]], unit: Unit) -> None:
    ends = []
    style.log_axes(axes)
    for index, group in enumerate(groups):
        colour, marker = style.COLOURS[index % len(style.COLOURS)], style.MARKERS[index % len(style.MARKERS)]
        current = _curve(group, unit, lambda m: m.current_exploitability)
        if current is not None:
            dashed = {"linewidth": 0.7, "linestyle": (0, (4, 2)), "alpha": 0.75, "zorder": 2}
            hollow_end = {"markersize": 3.0, "markerfacecolor": "white", "markevery": [len(current.x) - 1]}
            axes.plot(current.x, current.y, color=colour, marker=marker, **dashed, **hollow_end)
        average = _curve(group, unit, lambda m: m.average_exploitability)
        if average is None:
            continue
        if len(group) > 1:
            axes.fill_between(average.x, average.lower, average.upper, color=colour, alpha=0.25, linewidth=0, zorder=1)
        every = max(1, len(average.x) // 6)
        marked = {"marker": marker, "markersize": 3.5, "markevery": (index * every // max(len(groups), 1), every)}
        axes.plot(average.x, average.y, color=colour, zorder=3, **marked)
        _draw_restarts(axes, group, average, unit, colour)
        ends.append((_name(group[0]), float(average.x[-1]), float(average.y[-1]), colour, marker))
    style.finish_log_axes(axes)
    style.label_line_ends(axes, ends)


def _name(run: Run) -> str:
    """The label, cut to LONGEST_NAME characters."""
    return run.label if len(run.label) <= LONGEST_NAME else f"{run.label[: LONGEST_NAME - 3]}..."


def _restarts(group: Sequence[Run]) -> tuple[int, ...]:
    return group[0].trial.contender.restarts_until(group[0].measurements[-1].iteration)


def _draw_restarts(axes: Axes, group: Sequence[Run], curve: _Curve, unit: Unit, colour: str) -> None:
    """Draw a tick on the curve at every restart of the rule, by the iterations of the first run."""
    measured = group[0].measurements
    iterations, spent = [m.iteration for m in measured], [_SPENT[unit](m) for m in measured]
    x = np.interp(_restarts(group), iterations, spent)
    x = x[(x >= curve.x[0]) & (x <= curve.x[-1])]
    if len(x):
        y = np.exp(np.interp(np.log(x), np.log(curve.x), np.log(curve.y)))
        axes.plot(x, y, color=colour, linestyle="none", marker="|", markersize=11.0, markeredgewidth=1.2, zorder=4)


def _curve(group: Sequence[Run], unit: Unit, exploitability: Callable[[Measurement], float]) -> _Curve | None:
    """The median of the runs and their quartiles; None if a logarithmic axis can show no number of them."""
    curves = []
    for run in group:
        x = np.array([_SPENT[unit](m) for m in run.measurements], np.float64)
        y = np.array([exploitability(m) for m in run.measurements])
        drawn = (x > 0.0) & (y > style.SMALLEST_DRAWN) & (y < style.LARGEST_DRAWN)
        if drawn.any():
            curves.append((x[drawn], y[drawn]))
    if not curves:
        return None
    if len(curves) == 1:
        x, y = curves[0]
        return _Curve(x, y, y, y)
    # Runs are measured at different places: interpolate on logarithmic scales, in the range that all runs cover.
    first, last = max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves)
    common = np.geomspace(first, max(first, last), max(len(x) for x, _ in curves))
    values = np.exp([np.interp(np.log(common), np.log(x), np.log(y)) for x, y in curves])
    lower, median, upper = np.percentile(values, (25, 50, 75), axis=0)
    return _Curve(common, median, lower, upper)
