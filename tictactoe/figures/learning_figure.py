"""The picture of how agents and solvers learn: exploitability and value against nodes touched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..algorithms.learning.learning_method import LearningFigures
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST_NAME = 30
"""Characters of a label in a picture."""
_SOLVER_COLOUR = "#000000"
_SOLVER_LINE = (0, (4, 2))
_AGENTS = tuple(zip(style.COLOURS[:6] + style.COLOURS[7:], style.MARKERS[:6] + style.MARKERS[7:], strict=True))


@dataclass(frozen=True)
class LearningCurve:
    """The curve of an agent or a solver."""

    label: str
    figures: Sequence[LearningFigures]
    """The points of the curve, in order."""
    opponent: str = ""
    """The opponent of its values; "" if they are not drawn."""
    is_solver: bool = False

    def as_dict(self) -> dict[str, Any]:
        figures = [row._asdict() for row in self.figures]
        return {"label": self.label, "opponent": self.opponent or None, "figures": figures}


def learning_figure(
    curves: Sequence[LearningCurve], best: dict[str, float], title: str, *, in_match_value: bool
) -> Figure:
    """Exploitability above, one line a label; below, the value of every curve that has an opponent.

    best: by opponent, the most that anybody gets against that opponent, the mean of both seats.
    in_match_value: whether values are match values; otherwise they are payoffs.

    Raises ValueError when there is nothing to draw, and MissingPlotsError.
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
        longest = max(len(_name(curve)) for curve in [*by_label, *valued])
        style.set_margins(figure, 0.75, 0.45 + 0.07 * longest, above, below, hspace=between / panel)
        style.log_axes(grid[0])
        ends = [_draw(grid[0], curve, looks[curve.label], lambda row: row.exploitability) for curve in by_label]
        style.finish_log_axes(grid[0])
        style.label_line_ends(grid[0], [end for end in ends if end is not None])
        grid[0].set_ylabel(f"exploitability\n{unit}")
        caption = "Solid: what learnt tables play, always the move of the highest value. Dashed: a solver's average."
        if valued:
            _draw_values(grid[1], valued, looks, best)
            grid[1].set_ylabel(f"value against the opponent\n{unit}")
            caption += "\nBelow: the mean of both seats. Dotted: the most that anybody can get against that opponent."
        grid[-1].set_xlabel("nodes touched")
        style.write_title_and_caption(figure, title, caption)
        return figure


def _looks(curves: Sequence[LearningCurve]) -> dict[str, tuple[str, str]]:
    """By label, the colour and the marker: black and a star for solvers, the others in turn for agents."""
    agents = [curve.label for curve in curves if not curve.is_solver]
    looks = {label: _AGENTS[index % len(_AGENTS)] for index, label in enumerate(agents)}
    return {curve.label: (_SOLVER_COLOUR, "*") for curve in curves if curve.is_solver} | looks


def _draw(
    axes: Axes, curve: LearningCurve, look: tuple[str, str], value: Callable[[LearningFigures], float]
) -> tuple[str, float, float, str, str] | None:
    """Draw a line. Returns its end, for the name; None if a logarithmic axis can show no point."""
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
    return _name(curve), float(x[-1]), float(y[-1]), colour, marker


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
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    style.label_line_ends(axes, [end for end in ends if end is not None])


def _name(curve: LearningCurve) -> str:
    """The label, cut to LONGEST_NAME characters."""
    label = curve.label
    return label if len(label) <= LONGEST_NAME else f"{label[: LONGEST_NAME - 3]}..."
