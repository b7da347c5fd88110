"""The points (b, n) of the scores of matches, drawn: python research/closed_forms/scores_picture.py [FILE]

By default it writes docs/pictures/scores.svg. Needs matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tictactoe.figures import style
from tictactoe.formulas.match_values import formula_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILE = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "scores.svg"
LENGTHS = (100, 25, 5)
SIZES = (1.6, 2.6, 4.0)
MOST_DRAWN = 400
"""Of a length with more scores as many are drawn, evenly chosen."""
CORNER = (-0.06, 0.1, -0.03, 0.04)
"""Of the second panel: b from, to, n from, to."""


def points_to(length: int) -> NDArray[np.float64]:
    """(2, number): b and n of all scores of a match."""
    table = formula_table(length)
    both, first, second, neither = np.array(
        [table.moved_outcome_values(i, j) for i in range(1, length + 1) for j in range(1, length + 1)]
    ).T
    middle, half = (first + second) / 2, (first - second) / 2
    return np.array([(both - middle) / half, (neither - middle) / half])


def figure() -> Figure:
    """Both panels: the square, and its middle enlarged."""
    with style.plot_style():
        from matplotlib.figure import Figure

        result = Figure(figsize=(style.WIDTH, 3.6))
        panels = result.subplots(1, 2)
        style.set_margins(result, 0.6, 0.1, 0.42, 0.75, wspace=0.3)
        for number, (length, size) in enumerate(zip(LENGTHS, SIZES, strict=True)):
            points = points_to(length)
            for axes in panels:
                _draw(axes, points, length, size, style.COLOURS[len(LENGTHS) - 1 - number])
        for axes in panels:
            axes.plot([-1, 1], [-1, 1], color=style.DARK_GREY, linewidth=0.8)
            axes.set(xlabel="b: both scoring", ylabel="n: neither scoring")
        panels[0].set(xlim=(-1.05, 1.05), ylim=(-1.05, 1.05))
        panels[1].set(xlim=CORNER[:2], ylim=CORNER[2:], xticks=(-0.04, 0.0, 0.04, 0.08))
        panels[0].legend(loc="upper left", fontsize=7, frameon=False, title="match to", title_fontsize=7)
        style.write_title_and_caption(
            result,
            "Where the scores of matches lie",
            "A dot is a score: what both and neither scoring are worth to the first mover, where scoring alone is "
            "worth 1 and -1.\nBelow the line three plans are drawn, above it nothing is left to chance. Right: the "
            "middle, enlarged.",
        )
        return result


def _draw(axes: Axes, points: NDArray[np.float64], length: int, size: float, colour: str) -> None:
    step = max(1, points.shape[1] // MOST_DRAWN)
    axes.plot(*points[:, ::step], "o", color=colour, markersize=size, markeredgewidth=0, label=f"{length} points")


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    style.save_figure(figure(), path)
    print(path)


if __name__ == "__main__":
    main()
