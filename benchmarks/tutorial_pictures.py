"""Draw the pictures of docs/tutorial.md from what its code computes: python benchmarks/tutorial_pictures.py"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe import GameTree, Goal
from tictactoe.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "tutorial.md"
BEGINNING = (5, 1, 9, 3, 6)
ENDS = {Goal.WIN: "X gets three in a row", Goal.LOSE: "O gets three in a row", Goal.TIE: "a tie"}
CURRENT, AVERAGE = style.COLOURS[:2]
SHOWN = 300
"""Iterations that are drawn of regret matching."""


# --- section 2 ---------------------------------------------------------------------------------------------------


def regret_figure(names: dict[str, Any]) -> Figure:
    """The current and the average strategies of section 2: in the triangle of strategies, and rock by iteration."""
    with style.plot_style():
        from matplotlib.figure import Figure

        currents, averages = names["currents"][:SHOWN], names["averages"][:SHOWN]
        figure = Figure(figsize=(style.WIDTH, 2.75))
        triangle, lines = figure.subplots(1, 2, width_ratios=(1, 1.5))
        style.set_margins(figure, 0.15, 0.8, 0.42, 0.75, wspace=0.3)
        _draw_triangle(triangle, currents, averages)
        times = range(1, SHOWN + 1)
        lines.plot(times, [play[0] for play in currents], color=CURRENT, linewidth=0.8)
        lines.plot(times, [play[0] for play in averages], color=AVERAGE, linewidth=2.0)
        lines.axhline(1 / 3, color=style.DARK_GREY, linewidth=0.8, linestyle=style.DOTTED)
        lines.text(1.02 * SHOWN, averages[-1][0], "average", va="center", clip_on=False)
        lines.text(1.02 * SHOWN, 0.97, "current", va="center", clip_on=False)
        lines.set(xlabel="iteration", ylabel="probability of rock", xlim=(1, SHOWN), ylim=(0, 1.03))
        lines.set_yticks([0, 1 / 3, 2 / 3, 1], ["0", "1/3", "2/3", "1"])
        for side in ("top", "right"):
            lines.spines[side].set_visible(False)
        title = "Rock-paper-scissors: the current strategy goes round, the average settles"
        caption = (
            f"The first player's strategies in {SHOWN} iterations. Thin lines: current strategy. Thick lines: average "
            "of all so far.\nIn the triangle a corner is a pure strategy, and the middle is a third each."
        )
        style.write_title_and_caption(figure, title, caption)
        return figure


def _draw_triangle(axes: Axes, *paths: list[Any]) -> None:
    corners = [(0.5, math.sqrt(0.75)), (0.0, 0.0), (1.0, 0.0)]  # rock, paper, scissors
    axes.fill(*zip(*corners, strict=True), facecolor="none", edgecolor=style.DARK_GREY, linewidth=0.8)
    looks = ({"color": CURRENT, "linewidth": 0.5}, {"color": AVERAGE, "linewidth": 1.6})
    for path, look in zip(paths, looks, strict=True):
        places = [
            [sum(share * corner[side] for share, corner in zip(play, corners, strict=True)) for play in path]
            for side in (0, 1)
        ]
        axes.plot(*places, **look)
    axes.plot([0.5], [math.sqrt(0.75) / 3], marker="o", color="black", markersize=3.5, zorder=4)
    axes.text(0.5, 0.9, "rock", ha="center", va="bottom")
    axes.text(0.0, -0.04, "paper", ha="center", va="top")
    axes.text(1.0, -0.04, "scissors", ha="center", va="top")
    axes.set(xlim=(-0.15, 1.15), ylim=(-0.12, 1.0), aspect="equal")
    axes.axis("off")


# --- section 4 ---------------------------------------------------------------------------------------------------

COLUMN, ROW, CELL = 3.1, 1.0, 0.27
"""Distances in the picture of the tree, where a row is 1: of columns, of rows, of the squares of a board."""


def tree_figure(names: dict[str, Any]) -> Figure:
    """All nodes of section 4's tree as boards, from left to right."""
    tree: GameTree = names["tree"]
    places = dict(_places(tree, tree.find(BEGINNING)))
    rows = 1 + max(row for _, row in places.values())
    with style.plot_style():
        from matplotlib.figure import Figure

        width = 3 * COLUMN + 3.4
        scale = style.WIDTH / width
        figure = Figure(figsize=(style.WIDTH, (rows + 0.7) * scale + 0.8))
        axes = figure.subplots()
        style.set_margins(figure, 0.0, 0.0, 0.32, 0.48)
        axes.set(xlim=(-0.7, width - 0.7), ylim=(rows - 0.4, -1.1), aspect="equal")
        axes.axis("off")
        for column, who in enumerate(("O moves", "X moves", "O moves")):
            axes.text(column * COLUMN, -0.85, who, ha="center", va="center", weight="bold")
        for node, (x, y) in places.items():
            _draw_board(axes, tree.history(node), x, y)
            for child in tree.children(node):
                _draw_move(axes, int(tree.square[child]), (x, y), places[child])
            end = tree.outcome(node)
            if end is not None:
                axes.text(x + 0.62, y, ENDS[Goal(end)], va="center", fontsize=7)
        num_decisions = sum(tree.outcome(node) is None for node in places)
        title = (
            f"The endgame after {'-'.join(map(str, BEGINNING))}: {len(places)} nodes, {num_decisions} of them decisions"
        )
        caption = (
            "On the lines: the square that is marked. Grey: the last mark. A game ends where nothing is left to "
            "decide.\nWho moves sees the board and its own goal: each decision has three information sets."
        )
        style.write_title_and_caption(figure, title, caption)
        return figure


def _places(tree: GameTree, root: int) -> Iterator[tuple[int, tuple[float, float]]]:
    """Nodes with column and row: ends in rows from the top to the bottom, decisions in the middle of their moves."""
    first = int(tree.depth[root])
    next_row = 0.0

    def below(node: int) -> Iterator[tuple[int, tuple[float, float]]]:
        nonlocal next_row
        row = next_row
        children = tree.children(node)
        if children:
            found = [list(below(child)) for child in children]
            yield from (place for places in found for place in places)
            own = [dict(places)[child][1] for child, places in zip(children, found, strict=True)]
            row = (own[0] + own[-1]) / 2
        else:
            next_row += ROW
        yield node, ((int(tree.depth[node]) - first) * COLUMN, row)

    return below(root)


def _draw_board(axes: Axes, history: tuple[int, ...], x: float, y: float) -> None:
    from matplotlib.patches import Rectangle

    def square_at(square: int) -> tuple[float, float]:
        return x + ((square - 1) % 3 - 1) * CELL, y + ((square - 1) // 3 - 1) * CELL

    for square in range(1, 10):
        middle = square_at(square)
        is_last = len(history) > len(BEGINNING) and square == history[-1]
        look = {"facecolor": "#C8C8C8" if is_last else "white", "edgecolor": style.DARK_GREY, "linewidth": 0.4}
        axes.add_patch(Rectangle((middle[0] - CELL / 2, middle[1] - CELL / 2), CELL, CELL, zorder=2, **look))
    for turn, square in enumerate(history):
        weight = "bold" if turn >= len(BEGINNING) else "normal"
        centred = {"ha": "center", "va": "center_baseline", "fontsize": 6, "weight": weight}
        axes.text(*square_at(square), "XO"[turn % 2], zorder=3, **centred)


def _draw_move(axes: Axes, square: int, start: tuple[float, float], end: tuple[float, float]) -> None:
    left, right = start[0] + 1.5 * CELL, end[0] - 1.5 * CELL
    axes.plot([left, right], [start[1], end[1]], color=style.DARK_GREY, linewidth=0.6, zorder=1)
    share = 0.68
    place = left + share * (right - left), start[1] + share * (end[1] - start[1])
    box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    axes.text(*place, str(square), ha="center", va="center", fontsize=7, bbox=box, zorder=3)


# --- section 9 ---------------------------------------------------------------------------------------------------


def rules_figure(names: dict[str, Any]) -> Figure:
    """The comparison of section 9: exploitability of the average by iteration, a panel for each game."""
    with style.plot_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(style.WIDTH, 2.9))
        panels = figure.subplots(1, 2)
        style.set_margins(figure, 0.55, 1.15, 0.55, 0.75, wspace=1.05)
        for axes, (game, runs) in zip(panels, names["runs"].items(), strict=True):
            style.log_axes(axes)
            ends = []
            for run, colour, marker in zip(runs, style.COLOURS, style.MARKERS, strict=False):
                x = [float(measurement.iteration) for measurement in run.measurements]
                y = [measurement.average_exploitability for measurement in run.measurements]
                axes.plot(x, y, color=colour, marker=marker, markersize=3.0, linewidth=0.9)
                ends.append((run.algorithm, x[-1], y[-1], colour, marker))
            style.finish_log_axes(axes)
            style.label_line_ends(axes, ends)
            axes.set(title=game, xlabel="iterations")
        panels[0].set_ylabel("exploitability of the average")
        title = "A rule of one's own beside others, on two games"
        style.write_title_and_caption(
            figure, title, "In the unit of each game: points of a round, antes of Kuhn poker."
        )
        return figure


PICTURES: dict[str, Callable[[dict[str, Any]], Figure]] = {
    "regret": regret_figure,
    "tree": tree_figure,
    "rules": rules_figure,
}
"""Names of pictures, each with a function of the page's names."""


@click.command()
def main() -> None:
    """Draw the pictures of docs/tutorial.md anew, from what the code of the page computes."""
    names: dict[str, Any] = {}
    for code in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        exec(compile(code, str(PAGE), "exec"), names)
    for name, draw in PICTURES.items():
        path = DOCS / "pictures" / f"tutorial_{name}.svg"
        style.save_figure(draw(names), path)
        print(f"written: {path}")


if __name__ == "__main__":
    main()
