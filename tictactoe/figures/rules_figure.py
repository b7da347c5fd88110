"""The picture of several rules: which player each of them favours, and who wins from every score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..match.percentages import win_percentage
from ..match.scores import Score
from . import style
from .solution_figures import LARGEST_LABELLED, label_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAPS_PER_ROW = 2
SMALLEST_RANGE = 1.0
"""The axis of percentages reaches at least this far from 50 %, up and down, so that tiny differences stay tiny."""


def rules_figure(winning_score: int, values: Mapping[str, Mapping[Score, float]]) -> Figure:
    """Above, how often the player who moves first wins from every tied score; below, a map of all scores by rules.

    values: by the rules as text, and by score, match values (-1 to 1) to the player who moves first.

    Raises ValueError when there is nothing to draw, and MissingPlotsError.
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
            _draw_map(axes, winning_score, name, by_score)
            if row == (len(values) - 1 - column) // MAPS_PER_ROW:
                axes.set_xlabel("points of the player who moves second")
            else:
                axes.set_xticks([])
            if column == 0:
                axes.set_ylabel("points of the player who moves first")
        caption = "Matches won by the player who moves first, %. Above: from scores with as many points for both."
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
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)
    style.label_line_ends(axes, ends)


def _draw_map(axes: Axes, winning_score: int, name: str, values: Mapping[Score, float]) -> None:
    from matplotlib.colors import Normalize

    wins = np.full((winning_score, winning_score), np.nan)
    for score, value in values.items():
        wins[score] = win_percentage(value)
    image = axes.imshow(np.ma.masked_invalid(wins), cmap="PuOr", norm=Normalize(-10.0, 110.0), aspect="equal")
    label_cells(axes, wins, image)
    step = 1 if winning_score <= LARGEST_LABELLED else math.ceil(winning_score / LARGEST_LABELLED)
    axes.set_xticks(range(0, winning_score, step))
    axes.set_yticks(range(0, winning_score, step))
    axes.tick_params(length=0)
    axes.set_title(name, loc="left")
