"""The picture of how algorithms compare: exploitability against what it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from .comparison import Measurement, Run, Unit
from .game import FloatArray
from .plots import (
    COLOURS,
    LARGEST,
    MARKERS,
    SMALLEST,
    TIMES,
    WIDTH,
    finish_log_axes,
    label_ends,
    plot_style,
    write_around,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AXIS_LABELS = {
    Unit.ITERATIONS: "iterations",
    Unit.NODES: "nodes touched",
    Unit.SECONDS: "seconds of updates",
}


@dataclass(frozen=True, eq=False)
class _Curve:
    """y over x; lower and upper are the band around it, the same as y where there is none. float64 (n,), n >= 1."""

    x: FloatArray
    y: FloatArray
    lower: FloatArray
    upper: FloatArray


def comparison_figure(runs: Sequence[Run], against: Sequence[Unit], title: str, *, in_match_value: bool) -> Figure:
    """Exploitability against each of `against`, one panel below the other: average strategy solid, current dashed.

    Several runs of an algorithm are drawn as their median in a band from the smallest to the largest.
    in_match_value: whether the exploitabilities are match values; otherwise in the unit of the outcome values.
    Raises ValueError when there is nothing to draw, and MissingPlotsError.
    """
    if not runs or not against:
        raise ValueError("runs, against: nothing to draw")
    with plot_style():
        from matplotlib.figure import Figure

        groups = [list(group) for _, group in groupby(runs, key=lambda run: run.algorithm)]
        panel, above, between, below = 2.45, 0.34, 0.5, 0.72  # inches
        height = above + below + panel * len(against) + between * (len(against) - 1)
        names = 0.45 + 0.07 * max(len(run.algorithm) for run in runs)
        figure = Figure(figsize=(WIDTH, height))
        grid = figure.subplots(len(against), 1, squeeze=False, sharey=True)[:, 0]
        figure.subplots_adjust(
            left=0.75 / WIDTH, right=1 - names / WIDTH, top=1 - above / height, bottom=below / height,
            hspace=between / panel,
        )  # fmt: skip
        for axes, unit in zip(grid, against, strict=True):
            _draw_comparison(axes, groups, unit)
            axes.set_xlabel(_AXIS_LABELS[unit])
            axes.set_ylabel(
                f"exploitability in match value\n({TIMES} 50: percentage points of matches)" if in_match_value
                else "exploitability\nin the unit of the outcome values"
            )  # fmt: skip
        caption = "Solid lines: average strategy. Dashed, with hollow ends: current strategy."
        num_seeds = max(map(len, groups))
        if num_seeds > 1:
            caption += f" Bands: {num_seeds} seeds, all of them, and their median."
        write_around(figure, title, caption)
        return figure


def _draw_comparison(axes: Axes, groups: Sequence[Sequence[Run]], unit: Unit) -> None:
    ends = []
    axes.set_xscale("log")
    axes.set_yscale("log")
    for index, group in enumerate(groups):
        colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
        current = _curve(group, unit, lambda m: m.current_exploitability)
        if current is not None:
            axes.plot(
                current.x, current.y, color=colour, linewidth=0.7, linestyle=(0, (4, 2)), alpha=0.75, zorder=2,
                marker=marker, markersize=3.0, markerfacecolor="white", markevery=[len(current.x) - 1],
            )  # fmt: skip
        average = _curve(group, unit, lambda m: m.average_exploitability)
        if average is None:
            continue
        if len(group) > 1:
            axes.fill_between(average.x, average.lower, average.upper, color=colour, alpha=0.25, linewidth=0, zorder=1)
        every = max(1, len(average.x) // 6)
        axes.plot(
            average.x, average.y, color=colour, marker=marker, markersize=3.5, zorder=3,
            markevery=(index * every // max(len(groups), 1), every),
        )  # fmt: skip
        ends.append((group[0].algorithm, float(average.x[-1]), float(average.y[-1]), colour, marker))
    finish_log_axes(axes)
    label_ends(axes, ends)


def _curve(group: Sequence[Run], unit: Unit, exploitability: Callable[[Measurement], float]) -> _Curve | None:
    """The median of the runs and their range; None when there is no number that a logarithmic axis can show."""
    curves = []
    for run in group:
        x = np.array([_spent(m, unit) for m in run.measurements])
        y = np.array([exploitability(m) for m in run.measurements])
        drawn = (x > 0.0) & (y > SMALLEST) & (y < LARGEST)
        if drawn.any():
            curves.append((x[drawn], y[drawn]))
    if not curves:
        return None
    if len(curves) == 1:
        x, y = curves[0]
        return _Curve(x, y, y, y)
    # Runs are measured at different places: interpolated on logarithmic scales, where all of them have been.
    first, last = max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves)
    common = np.geomspace(first, max(first, last), max(len(x) for x, _ in curves))
    values = np.exp([np.interp(np.log(common), np.log(x), np.log(y)) for x, y in curves])
    return _Curve(common, np.median(values, axis=0), values.min(axis=0), values.max(axis=0))


def _spent(measurement: Measurement, unit: Unit) -> float:
    return {
        Unit.ITERATIONS: float(measurement.iteration),
        Unit.NODES: float(measurement.nodes),
        Unit.SECONDS: measurement.seconds,
    }[unit]
