"""The picture of a tournament: who beats whom how often, and the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..agents.pair_results import PairResult
from ..agents.ratings import Rating
from ..algorithms.arrays import FloatArray
from ..games.rules import by_rules
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_AGENTS = 24
"""Agents that a picture has room for."""


def tournament_figure(
    winning_score: int, rules: str, ratings: Sequence[Rating], results: Sequence[PairResult]
) -> Figure:
    """On the left the percentage of matches that each agent wins against each; on the right the ratings.

    rules: their text.
    ratings: the best first, as `rate` has them.
    results: of every pair.

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
        caption += "." if kinds == {True} else "; lines: intervals of 95 %."
        style.write_title_and_caption(figure, f"A tournament of matches to {winning_score}{by_rules(rules)}", caption)
        return figure


def _shares(ratings: Sequence[Rating], results: Sequence[PairResult]) -> FloatArray:
    """float64 (n, n): percentages, NaN on the diagonal."""
    order = {row.name: place for place, row in enumerate(ratings)}
    shares = np.full((len(ratings), len(ratings)), np.nan)
    for result in results:
        a, b = (order[name] for name in result.names)
        shares[a, b], shares[b, a] = 100.0 * result.share, 100.0 - 100.0 * result.share
    return shares


def _draw_matrix(axes: Axes, ratings: Sequence[Rating], shares: FloatArray, cell: float) -> None:
    from matplotlib.colors import Normalize

    number = len(ratings)
    image = axes.imshow(np.ma.masked_invalid(shares), cmap="PuOr", norm=Normalize(-10.0, 110.0), aspect="auto")
    digits = 1 if cell > 0.33 else 0
    for row, column in np.argwhere(~np.isnan(shares)).tolist():
        share = shares[row, column]
        red, green, blue, _ = image.cmap(image.norm(share))
        colour = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "black"
        size = min(8.0, 22.0 * cell)
        axes.text(column, row, f"{share:.{digits}f}", ha="center", va="center", fontsize=size, color=colour)
    for edge in range(1, number):
        axes.axhline(edge - 0.5, color="white", linewidth=1.0)
        axes.axvline(edge - 0.5, color="white", linewidth=1.0)
    axes.set_xticks(range(number), [str(place) for place in range(1, number + 1)])
    axes.set_yticks(range(number), [f"{place} {row.name}" for place, row in enumerate(ratings, 1)])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


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
    for edge in ("top", "right", "left"):
        axes.spines[edge].set_visible(False)
