"""Pictures of solved matches, of rules and of tournaments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..agents.ratings import Rating
from ..agents.results import PairResult
from ..algorithms.arrays import FloatArray
from ..algorithms.cfr import NOT_JUDGED
from ..games.rules import DEFAULT_RULES, by_rules
from ..match.percentages import win_percentage
from ..match.scores import Score
from ..storage.solution import Solution
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AVERAGE_COLOUR, CURRENT_COLOUR = style.COLOURS[0], style.COLOURS[1]
LARGEST_GRID = 7
"""The longest match whose scores each have a panel in the picture of convergence."""
LARGEST_LABELLED = 12
"""The longest match whose map of values has numbers in its cells."""
_MOST_POINTS = 150
"""The largest number of points of a curve."""


def figures_of(solution: Solution) -> dict[str, Figure]:
    """The pictures of a solution by name: "values", and "convergence" if it has a record to draw."""
    figures = {}
    logs = {score: solution.snapshot(score).convergence for score in solution.results}
    logs = {score: log for score, log in logs.items() if len(_drawable(log))}  # an imported solution has empty ones
    points, rules = solution.winning_score, solution.rules
    if logs:
        target: Any = solution.options.get("maximum_subgame_exploitability")
        if not (type(target) is float and 0.0 < target < 1.0):  # another program may have written the options
            target = None
        solved = sorted(solution.results)
        figures["convergence"] = convergence_figure(points, logs, target, solved=solved, rules=rules)
    return figures | {"values": values_figure(points, solution.value, rules=rules)}


def convergence_figure(
    winning_score: int,
    logs: Mapping[Score, FloatArray],
    target: float | None,
    *,
    solved: Sequence[Score] = (),
    rules: str = DEFAULT_RULES,
) -> Figure:
    """The exploitability of every subgame by its iterations.

    logs: by score, float64 (n, 3 or more): iteration, exploitability of the average and of the current strategy.
    target: drawn as a line unless it is None.
    solved: the scores to show as solved even without a log.
    rules: the text of the rules.

    Raises ValueError if no log has anything to draw, and MissingPlotsError.
    """
    drawn = {score: log for score, log in ((score, _drawable(log)) for score, log in logs.items()) if len(log)}
    if not drawn:
        raise ValueError("logs: nothing to draw")
    with style.plot_style():
        from matplotlib.figure import Figure

        dotted = "" if target is None else f"; dotted: the target, {target:g}"
        if winning_score <= LARGEST_GRID:
            figure = Figure(figsize=(style.WIDTH, style.WIDTH * 1.06 if winning_score > 2 else 4.4))
            _draw_grid(figure, winning_score, drawn, target, solved)
            caption = f"Solid: average strategy; dashed: current strategy, cut off at the panel's edge{dotted}."
            panels = "Panels: points of the player who moves first, of the other; iterations. "
        else:
            figure = Figure(figsize=(style.WIDTH, 4.4))
            _draw_all_in_one(figure, drawn, target)
            caption = f"Average strategies; scores: {len(drawn):,}, named where most iterations were needed{dotted}."
            panels = ""
        caption += f"\n{panels}A jump up: a new start with better values."
        style.write_title_and_caption(figure, f"Convergence of a match to {winning_score}{by_rules(rules)}", caption)
        height = figure.get_figheight()
        figure.text(0.5, 0.44 / height, "iterations", ha="center", va="center")
        units = f"match value{' ' if height > 5.5 else chr(10)}({style.TIMES} 50: points of winning chance)"
        figure.text(0.023, 0.52, f"exploitability in the round, {units}", rotation=90, ha="center", va="center")
        return figure


def _drawable(log: FloatArray) -> FloatArray:
    if log.ndim != 2 or log.shape[1] < 3:
        return np.zeros((0, 3))
    average, current = log[:, 1], log[:, 2]
    shown = (average > style.SMALLEST_DRAWN) & (average < style.LARGEST_DRAWN)
    shown &= (current == NOT_JUDGED) | ((current > style.SMALLEST_DRAWN) & (current < style.LARGEST_DRAWN))
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

    grid = figure.subplots(winning_score, winning_score, squeeze=False, sharex=True, sharey=True)
    style.set_margins(figure, 0.62, 0.08, 0.36, 0.74, wspace=0.07, hspace=0.07)
    for place, axes in np.ndenumerate(grid):
        score = Score(*place)
        style.log_axes(axes)
        log = logs.get(score)
        if log is not None:
            judged = log[log[:, 2] != NOT_JUDGED]
            axes.plot(judged[:, 0], judged[:, 2], color=CURRENT_COLOUR, linewidth=0.6, linestyle=(0, (3, 1.5)))
            axes.plot(log[:, 0], log[:, 1], color=AVERAGE_COLOUR, linewidth=1.2)
            axes.text(0.05, 0.05, f"{log[-1, 0]:,.0f}", transform=axes.transAxes, fontsize=6, color=style.DARK_GREY)
            _draw_target(axes, target)
        else:
            what = "no log" if score in solved else "not solved"
            axes.text(0.5, 0.4, what, transform=axes.transAxes, ha="center", va="center", color="#808080")
        axes.text(0.95, 0.94, str(score), transform=axes.transAxes, ha="right", va="top", weight="bold")
    low, high = grid[0, 0].get_ylim()
    # Current strategies are sometimes exact to rounding for a while; showing that would take ten empty decades.
    smallest = min(float(log[:, 1].min()) for log in logs.values())
    low = max(low, 10.0 ** (math.floor(math.log10(smallest)) - 0.7))
    grid[0, 0].set_ylim(low, high * (high / low) ** 0.17)  # room for the names of scores
    most_ticks = 9 if winning_score <= 5 else 3
    for (row, column), axes in np.ndenumerate(grid):
        style.finish_log_axes(axes, most_ticks, minor_ticks=winning_score <= 2)
        axes.tick_params(axis="x", which="both", length=2.0 if row == winning_score - 1 else 0.0)
        axes.tick_params(axis="y", which="both", length=2.0 if column == 0 else 0.0)
    numbers = [at for at in grid[0, 0].yaxis.get_major_locator().tick_values(low, high) if at <= high]
    grid[0, 0].yaxis.set_major_locator(FixedLocator(numbers))


def _draw_all_in_one(figure: Figure, logs: Mapping[Score, FloatArray], target: float | None) -> None:
    axes = figure.subplots()
    style.set_margins(figure, 0.7, 0.8, 0.36, 0.8)
    style.log_axes(axes)
    slowest = sorted(logs, key=lambda score: float(logs[score][-1, 0]))[-len(style.COLOURS) :]
    for score, log in logs.items():
        if score not in slowest:
            axes.plot(log[:, 0], log[:, 1], color="#B0B0B0", linewidth=0.4)
    ends = []
    for index, score in enumerate(slowest):
        log, colour, marker = logs[score], style.COLOURS[index], style.MARKERS[index]
        axes.plot(log[:, 0], log[:, 1], color=colour, linewidth=0.9, marker=marker, markersize=3, markevery=25)
        ends.append((str(score), float(log[-1, 0]), float(log[-1, 1]), colour, marker))
    _draw_target(axes, target)
    style.finish_log_axes(axes)
    style.label_line_ends(axes, ends)


def _draw_target(axes: Axes, target: float | None) -> None:
    if target is not None:
        axes.axhline(target, color=style.DARK_GREY, linewidth=0.7, linestyle=style.DOTTED)


def values_figure(winning_score: int, values: Mapping[Score, float], *, rules: str = DEFAULT_RULES) -> Figure:
    """The map of values: how often the player who moves first wins the match from every score, in per cent.

    values: match values (-1 to 1) to that player; the cells of missing scores stay blank.

    Raises MissingPlotsError.
    """
    return value_map(_by_points(winning_score, values), rules=rules)


def _by_points(winning_score: int, values: Mapping[Score, float]) -> FloatArray:
    found = np.full((winning_score, winning_score), np.nan)
    for score, value in values.items():
        if max(score) < winning_score:
            found[score] = value
    return found


def value_map(values: FloatArray, *, rules: str = DEFAULT_RULES) -> Figure:
    """The map of `values_figure` for an array.

    values: (winning_score, winning_score), by the points of the first mover and the other player; NaN if unknown.
    """
    with style.plot_style():
        from matplotlib.figure import Figure

        winning_score, wins = len(values), 50.0 * (1.0 + values)  # `win_percentage` of an array
        height = 5.36  # inches
        figure = Figure(figsize=(style.WIDTH, height))
        axes = figure.add_axes((0.7 / style.WIDTH, 0.5 / height, 4.5 / style.WIDTH, 4.5 / height))
        image = _draw_scores(axes, wins)
        axes.set_facecolor("#EEEEEE")
        axes.set_xlabel("points of the player who moves second")
        axes.set_ylabel("points of the player who moves first")
        colour_axes = figure.add_axes((5.4 / style.WIDTH, 0.5 / height, 0.16 / style.WIDTH, 4.5 / height))
        bar = figure.colorbar(image, cax=colour_axes)
        colour_axes.set_ylim(0.0, 100.0)
        bar.set_ticks([0, 25, 50, 75, 100])
        bar.set_label("matches won by the player who moves first, %")
        style.write_title_and_caption(
            figure, f"Who wins a match to {winning_score}{by_rules(rules)}, from every score", ""
        )
        return figure


def _draw_scores(axes: Axes, wins: FloatArray) -> Any:
    winning_score = len(wins)
    digits = 2 if winning_score <= 6 else 1 if winning_score <= 9 else 0
    image = style.draw_shares(
        axes, wins, digits if winning_score <= LARGEST_LABELLED else None, min(10.0, 70.0 / winning_score)
    )
    step = max(1, math.ceil(winning_score / LARGEST_LABELLED))
    axes.set_xticks(range(0, winning_score, step))
    axes.set_yticks(range(0, winning_score, step))
    return image


MAPS_PER_ROW = 2
SMALLEST_RANGE = 1.0
"""The least distance from 50 % that the axis of percentages reaches up and down, which keeps tiny differences tiny."""


def rules_figure(winning_score: int, values: Mapping[str, Mapping[Score, float]]) -> Figure:
    """The percentage of matches that the player who moves first wins: from tied scores, and from all scores by rules.

    values: match values (-1 to 1) to that player, by the text of the rules and by score.

    Raises ValueError if there is nothing to draw, and MissingPlotsError.
    """
    if not values:
        raise ValueError("values: nothing to draw")
    with style.plot_style():
        from matplotlib.figure import Figure

        rows, above, lines, between, side, below = math.ceil(len(values) / MAPS_PER_ROW), 0.34, 1.75, 0.38, 2.55, 0.62
        gap = 0.34  # above every map, for its name; all in inches
        height = above + lines + between + rows * (side + gap) + below
        figure = Figure(figsize=(style.WIDTH, height))
        names = 0.45 + 0.065 * max(map(len, values))
        top = figure.add_axes(
            (0.7 / style.WIDTH, 1 - (above + lines) / height, 1 - (0.7 + names) / style.WIDTH, lines / height)
        )
        _draw_tied_scores(top, winning_score, values)
        for index, (name, by_score) in enumerate(values.items()):
            row, column = divmod(index, MAPS_PER_ROW)
            bottom = below + (rows - 1 - row) * (side + gap)
            place = ((0.7 + column * (side + 0.4)) / style.WIDTH, bottom / height, side / style.WIDTH, side / height)
            axes = figure.add_axes(place)
            _draw_scores(axes, 50.0 * (1.0 + _by_points(winning_score, by_score)))
            axes.set_title(name, loc="left")
            if row == (len(values) - 1 - column) // MAPS_PER_ROW:
                axes.set_xlabel("points of the player who moves second")
            else:
                axes.set_xticks([])
            if column == 0:
                axes.set_ylabel("points of the player who moves first")
        caption = "Matches won by the player who moves first, %. Above: from level scores."
        style.write_title_and_caption(figure, f"Who wins a match to {winning_score}, by the rules of a round", caption)
        return figure


def _draw_tied_scores(axes: Axes, winning_score: int, values: Mapping[str, Mapping[Score, float]]) -> None:
    ends, low, high = [], 50.0 - SMALLEST_RANGE, 50.0 + SMALLEST_RANGE
    axes.axhline(50.0, color=style.DARK_GREY, linewidth=0.7, linestyle=style.DOTTED)
    for index, (name, by_score) in enumerate(values.items()):
        colour, marker = style.COLOURS[index % len(style.COLOURS)], style.MARKERS[index % len(style.MARKERS)]
        tied = [score for score in sorted(by_score) if score == score.twin]
        x, y = [score.first for score in tied], [win_percentage(by_score[score]) for score in tied]
        axes.plot(x, y, color=colour, marker=marker, markersize=4.0)
        low, high = min(low, *y), max(high, *y)
        ends.append((name, float(x[-1]), y[-1], colour, marker))
    axes.set_xlim(-0.15, winning_score - 1 + 0.15)
    axes.set_ylim(low - 0.07 * (high - low), high + 0.07 * (high - low))
    step = max(1, math.ceil(winning_score / LARGEST_LABELLED))
    axes.set_xticks(range(0, winning_score, step), [f"{points}-{points}" for points in range(0, winning_score, step)])
    axes.set_ylabel("first mover wins, %")
    axes.grid(True, axis="y")
    style.hide_edges(axes)
    style.label_line_ends(axes, ends)


MOST_AGENTS = 24
"""The largest number of agents in a picture."""


def tournament_figure(
    winning_score: int, rules: str, ratings: Sequence[Rating], results: Sequence[PairResult]
) -> Figure:
    """The percentage of matches that each agent wins against each other agent, and the ratings.

    ratings: the ratings, best first.
    results: the results of every pair.

    Raises ValueError for more than MOST_AGENTS agents, and MissingPlotsError.
    """
    number = len(ratings)
    if number > MOST_AGENTS:
        raise ValueError(f"ratings: a picture has room for {MOST_AGENTS} agents, not for {number}")
    with style.plot_style():
        from matplotlib.figure import Figure

        names = 0.3 + 0.068 * max(len(f"{number} {row.name}") for row in ratings)
        above, below, gap, right = 0.55, 0.75, 0.25, 0.2  # all in inches
        room = style.WIDTH - names - gap - right
        cell = min(0.42, 0.68 * room / number)
        side = cell * number
        figure = Figure(figsize=(style.WIDTH, above + max(side, 0.8) + below))
        height = figure.get_figheight()
        tall = max(side, 0.8)
        places = ((names, side), (names + side + gap, room - side))
        left, beside = (
            figure.add_axes((start / style.WIDTH, below / height, width / style.WIDTH, tall / height))
            for start, width in places
        )
        _draw_matrix(left, ratings, _shares(ratings, results), cell)
        _draw_ratings(beside, ratings)
        kinds = {result.exact is not None for result in results}
        how = "Exact" if kinds == {True} else "From matches that were played" if kinds == {False} else "Partly exact"
        caption = f"Left: matches won by the row against the column, %. {how}. Right: Bradley and Terry's rating, 0 on"
        caption += "\naverage, 400 points for odds of 10 to 1"
        caption += "." if kinds == {True} else "; lines: 95 % confidence intervals."
        style.write_title_and_caption(figure, f"A tournament of matches to {winning_score}{by_rules(rules)}", caption)
        return figure


def _shares(ratings: Sequence[Rating], results: Sequence[PairResult]) -> FloatArray:
    order = {row.name: place for place, row in enumerate(ratings)}
    shares = np.full((len(ratings), len(ratings)), np.nan)
    for result in results:
        a, b = (order[name] for name in result.names)
        shares[a, b], shares[b, a] = 100.0 * result.share, 100.0 - 100.0 * result.share
    return shares


def _draw_matrix(axes: Axes, ratings: Sequence[Rating], shares: FloatArray, cell: float) -> None:
    number = len(ratings)
    style.draw_shares(axes, shares, 1 if cell > 0.33 else 0, min(8.0, 22.0 * cell), "auto")
    axes.set_xticks(range(number), [str(place) for place in range(1, number + 1)])
    axes.set_yticks(range(number), [f"{place} {row.name}" for place, row in enumerate(ratings, 1)])
    axes.xaxis.tick_top()


def _draw_ratings(axes: Axes, ratings: Sequence[Rating]) -> None:
    for place, row in enumerate(ratings):
        if row.interval is not None:
            axes.plot(row.interval, [place, place], color=style.COLOURS[0], linewidth=1.3)
        axes.plot([row.rating], [place], color=style.COLOURS[0], marker=style.MARKERS[0], markersize=4.0)
    axes.set_ylim(len(ratings) - 0.5, -0.5)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, -50.0), max(high, 50.0))
    axes.set_yticks(range(len(ratings)), [""] * len(ratings))
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(axis="y", length=0)
    axes.grid(True)
    axes.set_xlabel("rating")
    style.hide_edges(axes, "top", "right", "left")
