"""Pictures: how algorithms compare, how a solution converged, and what its scores are worth.

matplotlib, the optional extra "plots", is imported when the first picture is drawn. It is used through its objects
alone: no window, no global figure, nothing of the user's configuration. The same data and version of matplotlib give
the same bytes. Pictures are 16 cm wide, for print; colours are those of Okabe and Ito, which the colour-blind tell
apart, and every line has a marker and its name beside it, so that black and white will do.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .comparison import Measurement, Run, Unit
from .files import replacing_output
from .game import FloatArray
from .match import Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 16.0 / 2.54
"""Of every picture, in inches."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F", "#8B6914")
"""Okabe and Ito's without the yellow, which is hard to see on white, then grey and brown."""
MARKERS = "osD^vPX<>"
AVERAGE_COLOUR, CURRENT_COLOUR = COLOURS[0], COLOURS[1]

LARGEST_GRID = 7
"""Winning score up to which every score has a panel of its own in the picture of convergence."""
LARGEST_LABELLED = 12
"""Winning score up to which the cells of the map of values hold numbers."""

_SMALLEST, _LARGEST = 1e-17, 1e6
"""Exploitabilities outside are not drawn: rounding below, and what no solver writes above."""
_MOST_POINTS = 150
"""Drawn of one curve: more cannot be told apart."""
_TIMES = "\N{MULTIPLICATION SIGN}"
_STYLE = {
    "font.size": 8.0, "axes.titlesize": 9.0, "axes.labelsize": 8.0, "xtick.labelsize": 7.0, "ytick.labelsize": 7.0,
    "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4, "grid.linewidth": 0.4, "grid.color": "#D9D9D9", "axes.axisbelow": True,
    "lines.linewidth": 1.3, "svg.hashsalt": "smbc-tictactoe", "savefig.dpi": 200, "figure.dpi": 100,
}  # fmt: skip


class MissingPlotsError(Exception):
    """matplotlib is not installed. The message says what to do."""


def require_plots() -> None:
    """Raises MissingPlotsError when matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise MissingPlotsError(
            "this needs the package matplotlib, which is not installed: pip install 'smbc-tictactoe[plots]'"
        ) from error


@contextlib.contextmanager
def _style() -> Iterator[None]:
    """matplotlib's own defaults and ours, whatever the user has configured."""
    require_plots()
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def save_figure(figure: Figure, path: Path) -> None:
    """Replace `path`, a PNG or an SVG as its name says. Raises OSError, and FormatError if the name is no file's."""
    metadata: dict[str, str | None] = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    with _style(), replacing_output(path) as file:
        figure.savefig(file, format=path.suffix[1:], metadata=metadata)


# --- comparisons


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
    with _style():
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
                f"exploitability in match value\n({_TIMES} 50: percentage points of matches)" if in_match_value
                else "exploitability\nin the unit of the outcome values"
            )  # fmt: skip
        caption = "Solid lines: average strategy. Dashed, with hollow ends: current strategy."
        num_seeds = max(map(len, groups))
        if num_seeds > 1:
            caption += f" Bands: {num_seeds} seeds, all of them, and their median."
        _write_around(figure, title, caption)
        return figure


def _write_around(figure: Figure, title: str, caption: str) -> None:
    """The title above the panels and the caption, of up to two lines, below them."""
    height = figure.get_figheight()
    figure.text(0.01, 1 - 0.18 / height, title, fontsize=9, weight="bold", ha="left", va="center")
    figure.text(0.01, 0.06 / height, caption, fontsize=7, ha="left", va="bottom", color="#404040", linespacing=1.3)


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
    _finish_log_axes(axes)
    _label_ends(axes, ends)


def _curve(group: Sequence[Run], unit: Unit, exploitability: Callable[[Measurement], float]) -> _Curve | None:
    """The median of the runs and their range; None when there is no number that a logarithmic axis can show."""
    curves = []
    for run in group:
        x = np.array([_spent(m, unit) for m in run.measurements])
        y = np.array([exploitability(m) for m in run.measurements])
        drawn = (x > 0.0) & (y > _SMALLEST) & (y < _LARGEST)
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


def _finish_log_axes(axes: Axes, most_ticks: int = 9, *, minor_ticks: bool = True) -> None:
    """At least a decade each way, numbers at powers of ten only, a grid at these."""
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if high < 10.0 * low:
            (axes.set_xlim if axis is axes.xaxis else axes.set_ylim)(low / 3.0, high * 3.0)
        axis.set_major_locator(LogLocator(numticks=most_ticks))
        axis.set_minor_formatter(NullFormatter())
        if not minor_ticks:
            axis.set_minor_locator(NullLocator())
    axes.grid(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _label_ends(axes: Axes, ends: Sequence[tuple[str, float, float, str, str]]) -> None:
    """Names in a column to the right of the panel, each as near as there is room to the height of its line's end."""
    width = axes.get_position().width * axes.figure.get_figwidth()
    height = axes.get_position().height * axes.figure.get_figheight()
    to_fraction = axes.transScale + axes.transLimits
    ordered = sorted((float(to_fraction.transform((x, y))[1]), name, x, y, c, m) for name, x, y, c, m in ends)
    places = spread_out([item[0] for item in ordered], 0.135 / height, -0.02, 1.0)
    for place, (_, name, x, y, colour, marker) in zip(places, ordered, strict=True):
        axes.annotate(
            "", (x, y), xytext=(1.0 + 0.2 / width, place), textcoords=axes.transAxes, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "linestyle": (0, (1, 1.5)),
                        "shrinkA": 0.0, "shrinkB": 2.0},
        )  # fmt: skip
        axes.plot(
            [1.0 + 0.25 / width], [place], transform=axes.transAxes, color=colour, marker=marker, markersize=4.0,
            clip_on=False,
        )  # fmt: skip
        axes.text(1.0 + 0.34 / width, place, name, transform=axes.transAxes, va="center_baseline")


def spread_out(wanted: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Places in increasing order, at least `distance` apart, as near as can be to the `wanted` ones (increasing too).

    Within low and high as long as there is room for all. Neighbours that are too close are moved apart around the
    middle of their group.
    """
    blocks: list[list[float]] = []  # [sum of wanted less offset, number of places]: places of a block touch
    for index, place in enumerate(wanted):
        blocks.append([place - index * distance, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, number = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += number
    starts = [total / number for total, number in blocks for _ in range(int(number))]
    highest = high - (len(starts) - 1) * distance
    return [max(min(start, highest), low) + index * distance for index, start in enumerate(starts)]


# --- solutions


def convergence_figure(
    winning_score: int, logs: Mapping[Score, FloatArray], target: float | None, *, solved: Sequence[Score] = ()
) -> Figure:
    """Exploitability of every subgame against its iterations: a panel per score, or one for all in a long match.

    logs: by score, float64 (n, 2 or more): iteration, exploitability of average and of current strategy.
    target: drawn as a line unless None. solved: scores without a log, to be told from those that are not solved.
    Raises ValueError when no log has anything to draw, and MissingPlotsError.
    """
    drawn = {score: log for score, log in ((score, _drawable(log)) for score, log in logs.items()) if len(log)}
    if not drawn:
        raise ValueError("logs: nothing to draw")
    with _style():
        from matplotlib.figure import Figure

        dotted = "" if target is None else f"; dotted: the target, {target:g}"
        if winning_score <= LARGEST_GRID:
            figure = Figure(figsize=(WIDTH, WIDTH * 1.06 if winning_score > 2 else 4.4))
            _draw_grid(figure, winning_score, drawn, target, solved)
            caption = f"Solid: average strategy; dashed: current strategy, cut off at the panel's edge{dotted}."
            panels = "Panels: points of the player who moves first, of the other; iterations. "
        else:
            figure = Figure(figsize=(WIDTH, 4.4))
            _draw_all_in_one(figure, drawn, target)
            caption = f"Average strategies of {len(drawn):,} scores, named where most iterations were needed{dotted}."
            panels = ""
        caption += f"\n{panels}A jump up: begun afresh, with better values."
        _write_around(figure, f"Convergence of a match to {winning_score}", caption)
        height = figure.get_figheight()
        figure.text(0.5, 0.44 / height, "iterations", ha="center", va="center")
        units = f"match value{' ' if height > 5.5 else chr(10)}({_TIMES} 50: percentage points of matches)"
        figure.text(
            0.023, 0.52, f"exploitability in the round, {units}", rotation=90, ha="center", va="center"
        )  # fmt: skip
        return figure


def is_drawable(log: FloatArray) -> bool:
    """Whether a record of convergence has anything that can be drawn: that of an imported solution is empty."""
    return len(_drawable(log)) > 0


def _drawable(log: FloatArray) -> FloatArray:
    """The rows of a log that logarithmic axes can show, thinned to what can be told apart, the last one included."""
    if log.ndim != 2 or log.shape[1] < 3:
        return np.zeros((0, 3))
    shown = np.all((log[:, 1:3] > _SMALLEST) & (log[:, 1:3] < _LARGEST), axis=1)
    kept: FloatArray = log[shown & (log[:, 0] > 0.0) & (log[:, 0] < 1e12)]
    kept = kept[np.argsort(kept[:, 0], kind="stable")]
    if len(kept) <= _MOST_POINTS:
        return kept
    wanted = np.geomspace(kept[0, 0], kept[-1, 0], _MOST_POINTS)
    thinned: FloatArray = kept[np.unique(np.minimum(np.searchsorted(kept[:, 0], wanted), len(kept) - 1))]
    return thinned


def _draw_grid(
    figure: Figure, winning_score: int, logs: Mapping[Score, FloatArray], target: float | None, solved: Sequence[Score]
) -> None:
    from matplotlib.ticker import FixedLocator

    width, height = figure.get_size_inches()
    grid = figure.subplots(winning_score, winning_score, squeeze=False, sharex=True, sharey=True)
    figure.subplots_adjust(
        left=0.62 / width, right=1 - 0.08 / width, top=1 - 0.36 / height, bottom=0.74 / height, wspace=0.07, hspace=0.07
    )
    for first in range(winning_score):
        for second in range(winning_score):
            score, axes = Score(first, second), grid[first, second]
            axes.set_xscale("log")
            axes.set_yscale("log")
            log = logs.get(score)
            if log is not None:
                axes.plot(log[:, 0], log[:, 2], color=CURRENT_COLOUR, linewidth=0.6, linestyle=(0, (3, 1.5)))
                axes.plot(log[:, 0], log[:, 1], color=AVERAGE_COLOUR, linewidth=1.2)
                axes.text(0.05, 0.05, f"{log[-1, 0]:,.0f}", transform=axes.transAxes, fontsize=6, color="#404040")
                if target is not None:
                    axes.axhline(target, color="#404040", linewidth=0.7, linestyle=(0, (1, 1.5)))
            else:
                what = "no log" if score in solved else "not solved"
                axes.text(0.5, 0.4, what, transform=axes.transAxes, ha="center", va="center", color="#808080")
            axes.text(0.95, 0.94, str(score), transform=axes.transAxes, ha="right", va="top", weight="bold")
    _limit_to_averages(grid[0, 0], logs)
    low, high = grid[0, 0].get_ylim()
    grid[0, 0].set_ylim(low, high * (high / low) ** 0.17)  # room for the scores
    most_ticks = 9 if winning_score <= 5 else 3
    for (row, column), axes in np.ndenumerate(grid):
        _finish_log_axes(axes, most_ticks, minor_ticks=winning_score <= 2)
        axes.tick_params(axis="x", which="both", length=2.0 if row == winning_score - 1 else 0.0)
        axes.tick_params(axis="y", which="both", length=2.0 if column == 0 else 0.0)
    numbers = [at for at in grid[0, 0].yaxis.get_major_locator().tick_values(low, high) if at <= high]
    grid[0, 0].yaxis.set_major_locator(FixedLocator(numbers))


def _limit_to_averages(axes: Axes, logs: Mapping[Score, FloatArray]) -> None:
    """Current strategies are sometimes exact to rounding for a while: ten empty decades to show that are too many."""
    smallest = min(float(log[:, 1].min()) for log in logs.values())
    axes.set_ylim(bottom=max(axes.get_ylim()[0], 10.0 ** (math.floor(math.log10(smallest)) - 0.7)))


def _draw_all_in_one(figure: Figure, logs: Mapping[Score, FloatArray], target: float | None) -> None:
    width, height = figure.get_size_inches()
    axes = figure.subplots()
    figure.subplots_adjust(left=0.7 / width, right=1 - 0.8 / width, top=1 - 0.36 / height, bottom=0.8 / height)
    axes.set_xscale("log")
    axes.set_yscale("log")
    slowest = sorted(logs, key=lambda score: float(logs[score][-1, 0]))[-len(COLOURS) :]
    for score, log in logs.items():
        if score not in slowest:
            axes.plot(log[:, 0], log[:, 1], color="#B0B0B0", linewidth=0.4)
    ends = []
    for index, score in enumerate(slowest):
        log, colour, marker = logs[score], COLOURS[index], MARKERS[index]
        axes.plot(log[:, 0], log[:, 1], color=colour, linewidth=0.9, marker=marker, markersize=3, markevery=25)
        ends.append((str(score), float(log[-1, 0]), float(log[-1, 1]), colour, marker))
    if target is not None:
        axes.axhline(target, color="#404040", linewidth=0.7, linestyle=(0, (1, 1.5)))
    _finish_log_axes(axes)
    _label_ends(axes, ends)


def values_figure(winning_score: int, values: Mapping[Score, float]) -> Figure:
    """The map of values: how often the player who moves first wins the match from every score, in per cent.

    values: match values (-1 to 1) to that player; the cells of scores that are missing stay blank. Raises
    MissingPlotsError.
    """
    with _style():
        from matplotlib.colors import Normalize
        from matplotlib.figure import Figure

        wins = np.full((winning_score, winning_score), np.nan)
        for score, value in values.items():
            if max(score) < winning_score:
                wins[score] = 50.0 * (1.0 + value)
        width, height = WIDTH, 5.36
        figure = Figure(figsize=(width, height))
        axes = figure.add_axes((0.7 / width, 0.5 / height, 4.5 / width, 4.5 / height))
        # The ends of the scale are light enough for the numbers on them to be read in print.
        scale = Normalize(-10.0, 110.0)
        image = axes.imshow(np.ma.masked_invalid(wins), cmap="PuOr", norm=scale, aspect="equal")
        axes.set_facecolor("#EEEEEE")
        _label_cells(axes, wins, image)
        step = 1 if winning_score <= LARGEST_LABELLED else math.ceil(winning_score / LARGEST_LABELLED)
        axes.set_xticks(range(0, winning_score, step))
        axes.set_yticks(range(0, winning_score, step))
        axes.tick_params(length=0)
        axes.set_xlabel("points of the player who moves second")
        axes.set_ylabel("points of the player who moves first")
        colour_axes = figure.add_axes((5.4 / width, 0.5 / height, 0.16 / width, 4.5 / height))
        bar = figure.colorbar(image, cax=colour_axes)
        colour_axes.set_ylim(0.0, 100.0)
        bar.set_ticks([0, 25, 50, 75, 100])
        bar.set_label("matches won by the player who moves first, %")
        _write_around(figure, f"Who wins a match to {winning_score}, from every score", "")
        return figure


def _label_cells(axes: Axes, wins: FloatArray, image: Any) -> None:
    """Lines between the cells, and the percentage in each that has one."""
    winning_score = len(wins)
    if winning_score <= LARGEST_LABELLED:
        digits = 2 if winning_score <= 6 else 1 if winning_score <= 9 else 0
        size = min(10.0, 70.0 / winning_score)
        for (first, second), share in np.ndenumerate(wins):
            if math.isnan(share):
                continue
            red, green, blue, _ = image.cmap(image.norm(share))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            axes.text(
                second, first, f"{share:.{digits}f}", ha="center", va="center", fontsize=size,
                color="white" if dark else "black",
            )  # fmt: skip
        for edge in range(1, winning_score):
            axes.axhline(edge - 0.5, color="white", linewidth=1.0)
            axes.axvline(edge - 0.5, color="white", linewidth=1.0)
    for spine in axes.spines.values():
        spine.set_visible(False)
