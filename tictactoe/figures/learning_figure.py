"""Pictures of learning: agents and solvers of one game, and a comparison's algorithms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.learning import LearningFigures, best_values_against
from ..algorithms.measured_run import Measurement, Run, Trial, Unit, parse_contender
from ..algorithms.update_rules import UpdateRule
from ..errors import FormatError, cut
from ..solving.comparison_run import solver_figures
from ..storage.learnt_table import LearntTable
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST_NAME = 30
"""The largest number of characters of a label."""
_SOLVER_COLOUR = "#000000"
_SOLVER_LINE = (0, (4, 2))
_AGENTS = tuple(zip(style.COLOURS[:6] + style.COLOURS[7:], style.MARKERS[:6] + style.MARKERS[7:], strict=True))


@dataclass(frozen=True)
class LearningCurve:
    label: str
    figures: Sequence[LearningFigures]
    """The points of the curve, in order."""
    opponent: str = ""
    """The opponent of the curve's values; "" if they are not drawn."""
    is_solver: bool = False

    def as_dict(self) -> dict[str, Any]:
        figures = [row._asdict() for row in self.figures]
        return {"label": self.label, "opponent": self.opponent or None, "figures": figures}


def learning_figure(
    curves: Sequence[LearningCurve], best: dict[str, float], title: str, *, in_match_value: bool
) -> Figure:
    """Exploitability by nodes touched, and below it the value of every curve that has an opponent.

    best: the value of a best response to each opponent, averaged over both seats.
    in_match_value: whether values are match values; otherwise they are payoffs.

    Raises ValueError if there is nothing to draw, and MissingPlotsError.
    """
    if not any(curve.figures for curve in curves):
        raise ValueError("curves: nothing to draw")
    with style.plot_style():
        from matplotlib.figure import Figure

        by_label = list({curve.label: curve for curve in reversed(curves) if curve.figures}.values())[::-1]
        looks = _looks(by_label)
        valued = [curve for curve in curves if curve.opponent and curve.figures]
        num_panels, panel, above, between, below = 1 + bool(valued), 2.6, 0.34, 0.3, 0.78  # inches
        unit = f"in match value ({style.TIMES} 50: points of winning chance)" if in_match_value else "in payoff"
        figure = Figure(figsize=(style.WIDTH, above + below + panel * num_panels + between * (num_panels - 1)))
        grid = figure.subplots(num_panels, 1, squeeze=False, sharex=True)[:, 0]
        longest = max(len(cut(curve.label, LONGEST_NAME)) for curve in [*by_label, *valued])
        style.set_margins(figure, 0.75, 0.45 + 0.07 * longest, above, below, hspace=between / panel)
        style.log_axes(grid[0])
        ends = [_draw(grid[0], curve, looks[curve.label], lambda row: row.exploitability) for curve in by_label]
        style.finish_log_axes(grid[0])
        style.label_line_ends(grid[0], [end for end in ends if end is not None])
        grid[0].set_ylabel(f"exploitability\n{unit}")
        caption = "Solid: learnt tables, which always play the move of the highest value. Dashed: a solver's average."
        if valued:
            _draw_values(grid[1], valued, looks, best)
            grid[1].set_ylabel(f"value against the opponent\n{unit}")
            caption += "\nBelow: the mean of both seats. Dotted: the most that anybody can get against that opponent."
        grid[-1].set_xlabel("nodes touched")
        style.write_title_and_caption(figure, title, caption)
        return figure


def _looks(curves: Sequence[LearningCurve]) -> dict[str, tuple[str, str]]:
    agents = [curve.label for curve in curves if not curve.is_solver]
    looks = {label: _AGENTS[index % len(_AGENTS)] for index, label in enumerate(agents)}
    return {curve.label: (_SOLVER_COLOUR, "*") for curve in curves if curve.is_solver} | looks


def _draw(
    axes: Axes, curve: LearningCurve, look: tuple[str, str], value: Callable[[LearningFigures], float]
) -> tuple[str, float, float, str, str] | None:
    colour, marker = look
    log = axes.get_yscale() == "log"
    points = [(row.nodes, value(row)) for row in curve.figures]
    points = [(x, y) for x, y in points if x > 0 and (not log or style.SMALLEST_DRAWN < y < style.LARGEST_DRAWN)]
    if not points:
        return None
    x, y = zip(*points, strict=True)
    every = max(1, len(x) // 6)
    line = {"linestyle": _SOLVER_LINE} if curve.is_solver else {}
    axes.plot(x, y, color=colour, marker=marker, markersize=3.5, markevery=(0, every), **line)
    return cut(curve.label, LONGEST_NAME), float(x[-1]), float(y[-1]), colour, marker


def _draw_values(
    axes: Axes, curves: Sequence[LearningCurve], looks: dict[str, tuple[str, str]], best: dict[str, float]
) -> None:
    for opponent in dict.fromkeys(curve.opponent for curve in curves):
        axes.axhline(best[opponent], color=style.DARK_GREY, linewidth=0.8, linestyle=style.DOTTED)
        axes.annotate(
            f"best against {opponent}", (0.01, best[opponent]), xycoords=("axes fraction", "data"), xytext=(0, 2),
            textcoords="offset points", fontsize=7, color=style.DARK_GREY,
        )  # fmt: skip
    ends = [_draw(axes, curve, looks[curve.label], lambda row: row.value) for curve in curves]
    highest, lowest = max(best.values()), min(row.value for curve in curves for row in curve.figures)
    axes.set_ylim(lowest - 0.05 * (highest - lowest) - 1e-9, highest + 0.12 * (highest - lowest) + 1e-9)
    axes.grid(True)
    style.hide_edges(axes)
    style.label_line_ends(axes, [end for end in ends if end is not None])


class LearningPicture(NamedTuple):
    title: str
    curves: list[LearningCurve]
    best: dict[str, float]
    """The value of a best response to each opponent."""
    in_match_value: bool = False


def learning_picture(
    paths: Sequence[Path], solver: tuple[str, UpdateRule] | None = None, stop: Event | None = None
) -> LearningPicture:
    """The picture of agents that learnt the same game. solver: its label and its rule, drawn only beside a round.

    Raises FormatError for a file of another kind or game, or without a log, and Interrupted if `stop` is set.
    """
    tables = {path: LearntTable.of_any_game(path) for path in paths}
    table = tables[paths[0]]
    for path, other in tables.items():
        if (other.tree_fingerprint, other.outcome_values) != (table.tree_fingerprint, table.outcome_values):
            raise FormatError(path, f"it learnt a game other than that of {paths[0]}, or has other outcome values")
    for path, other in tables.items():
        if not len(other.log):
            raise FormatError(path, f"nothing to draw yet: it has played {other.rounds} rounds; let it play more")
    if table.outcome_values is None:
        curves = [LearningCurve(path.stem, learnt.figures) for path, learnt in tables.items()]
        return LearningPicture(f"Learning by trial and error: {table.rules}", curves, {})
    score = "" if table.score is None else f", the round at {table.score} of a match to {table.winning_score}"
    title = f"Learning by trial and error: {table.rules}{score}"
    return LearningPicture(title, *learning_curves(tables, solver, stop), table.score is not None)


def learning_curves(
    tables: Mapping[Path, LearntTable], solver: tuple[str, UpdateRule] | None = None, stop: Event | None = None
) -> tuple[list[LearningCurve], dict[str, float]]:
    """The curves of the agents, named after their files, and of the solver; and the `best` of `learning_figure`.

    solver: its label and its rule; it touches as many nodes.

    Raises Interrupted if `stop` is set.
    """
    stems = Counter(path.stem for path in tables)
    table = next(iter(tables.values()))
    game = table.game
    curves, opponents = [], {}
    for path, table in tables.items():
        against = ""
        if table.opponent_strategy is not None:
            against = Path(table.opponent).name
            opponents[against] = table.opponent_strategy
        label = path.stem if stems[path.stem] == 1 else str(path)
        curves.append(LearningCurve(label, table.figures, against))
    best = {name: sum(best_values_against(game, strategy)) / 2.0 for name, strategy in opponents.items()}
    if solver is not None:
        name, rule = solver
        nodes = max(table.nodes for table in tables.values())
        *against_others, alone = solver_figures(game, rule, nodes, list(opponents.values()), stop)
        curves += [
            LearningCurve(name, found, opponent, is_solver=True)
            for opponent, found in zip(opponents, against_others, strict=True)
        ] or [LearningCurve(name, alone, is_solver=True)]
    return curves, best


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
    x: FloatArray
    y: FloatArray
    lower: FloatArray
    """The lower edge of the band; y without a band."""
    upper: FloatArray
    """The upper edge of the band; y without a band."""


def algorithms_figure(runs: Sequence[Run], against: Sequence[Unit], title: str, *, in_match_value: bool) -> Figure:
    """Exploitability by each unit of `against`: the average strategy solid, the current one dashed.

    Several runs of a contender are drawn as their median in a band between the quartiles. Restarts are ticks.

    in_match_value: whether the exploitabilities are match values; otherwise they are payoffs.

    Raises ValueError if there is nothing to draw, and MissingPlotsError.
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
        names = 0.45 + 0.07 * max(len(cut(run.label, LONGEST_NAME)) for run in runs)
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


def convergence_figure(algorithm: str, rows: Sequence[tuple[int, float, float | None, float]], title: str) -> Figure:
    """A run's exploitability in payoff by iterations. rows: those of `Snapshot.convergence_rows`."""
    measured = (Measurement(at, 0, 0, 0.0, average, current or 0.0, value) for at, average, current, value in rows)
    run = Run(Trial(parse_contender(algorithm)), tuple(measured))
    return algorithms_figure([run], [Unit.ITERATIONS], title, in_match_value=False)


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
        ends.append((cut(group[0].label, LONGEST_NAME), float(average.x[-1]), float(average.y[-1]), colour, marker))
    style.finish_log_axes(axes)
    style.label_line_ends(axes, ends)


def _restarts(group: Sequence[Run]) -> tuple[int, ...]:
    return group[0].trial.contender.restarts_until(group[0].measurements[-1].iteration)


def _draw_restarts(axes: Axes, group: Sequence[Run], curve: _Curve, unit: Unit, colour: str) -> None:
    measured = group[0].measurements
    iterations, spent = [m.iteration for m in measured], [_SPENT[unit](m) for m in measured]
    x = np.interp(_restarts(group), iterations, spent)
    x = x[(x >= curve.x[0]) & (x <= curve.x[-1])]
    if len(x):
        y = np.exp(np.interp(np.log(x), np.log(curve.x), np.log(curve.y)))
        axes.plot(x, y, color=colour, linestyle="none", marker="|", markersize=11.0, markeredgewidth=1.2, zorder=4)


def _curve(group: Sequence[Run], unit: Unit, exploitability: Callable[[Measurement], float]) -> _Curve | None:
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
