"""The style of all pictures, which need matplotlib, the extra "plots".

Equal data and an equal version of matplotlib give equal bytes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.arrays import FloatArray
from ..errors import MissingPlotsError
from ..storage.atomic_files import Replacements, output_file, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 16.0 / 2.54
"""The width of every picture, in inches."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F", "#8B6914", "#6A3D9A")
"""Okabe and Ito's colours without the yellow, which is hard to see on white, and then grey, brown and purple."""
MARKERS = "osD^vPX<>*"
SMALLEST_DRAWN, LARGEST_DRAWN = 1e-17, 1e6
"""The range of exploitabilities that are drawn: smaller ones are rounding errors, and no solver has larger ones."""
TIMES = "\N{MULTIPLICATION SIGN}"
DARK_GREY = "#404040"
DOTTED = (0, (1, 1.5))
_STYLE = {
    "font.size": 8.0,
    "axes.titlesize": 9.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "grid.linewidth": 0.4,
    "grid.color": "#D9D9D9",
    "axes.axisbelow": True,
    "lines.linewidth": 1.3,
    "svg.hashsalt": "smbc-tictactoe",
    "savefig.dpi": 200,
    "figure.dpi": 100,
}


def require_plots() -> None:
    """Raise MissingPlotsError unless matplotlib is installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise MissingPlotsError(
            "this needs the package matplotlib, which is not installed: pip install matplotlib"
        ) from error


@contextlib.contextmanager
def plot_style() -> Iterator[None]:
    """Ignore the user's configuration of matplotlib within the block."""
    require_plots()
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def save_figure(figure: Figure, path: Path, together: Replacements | None = None) -> None:
    """Write a picture in the format that its suffix names. together: replaces this file together with others.

    Raises OSError, and FormatError if no file can have that name.
    """
    names = {".svg": "Date", ".pdf": "CreationDate"}  # what differs from run to run
    metadata: dict[str, str | None] = {names.get(path.suffix, "Software"): None}
    place = output_file(path)
    with plot_style(), together.file(place) if together else replacing(place) as file:
        figure.savefig(file, format=path.suffix[1:], metadata=metadata)


def replace_together(
    texts: Mapping[Path, str], figures: Iterable[tuple[Path, Figure]], earlier: Iterable[Path] = ()
) -> list[Path]:
    """Write texts and pictures that belong together, and return their paths.

    earlier: files of an earlier result, which are deleted unless they are written again.

    Raises OSError, and FormatError if no file can have such a name, without changing anything.
    """
    written = list(texts)
    with Replacements() as new:
        for path, text in texts.items():
            with new.file(output_file(path)) as file:
                file.write(text.encode())
        for path, figure in figures:
            save_figure(figure, path, new)
            written.append(path)
        new.remove(earlier)
    return written


def set_margins(figure: Figure, left: float, right: float, above: float, below: float, **between: float) -> None:
    """Leave room around the panels, in inches. between: wspace and hspace."""
    width, height = figure.get_size_inches()
    figure.subplots_adjust(
        left=left / width, right=1 - right / width, top=1 - above / height, bottom=below / height, **between
    )


def write_title_and_caption(figure: Figure, title: str, caption: str) -> None:
    """Write the title above the panels, and a caption of up to two lines below them."""
    height = figure.get_figheight()
    figure.text(0.01, 1 - 0.18 / height, title, fontsize=9, weight="bold", ha="left", va="center")
    figure.text(0.01, 0.06 / height, caption, fontsize=7, ha="left", va="bottom", color=DARK_GREY, linespacing=1.3)


def log_axes(axes: Axes) -> None:
    """Make both axes logarithmic, before anything is drawn."""
    axes.set_xscale("log")
    axes.set_yscale("log")


def finish_log_axes(axes: Axes, most_ticks: int = 9, *, minor_ticks: bool = True) -> None:
    """Make each axis at least a decade long, with numbers and grid lines at powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if high < 10.0 * low:
            (axes.set_xlim if axis is axes.xaxis else axes.set_ylim)(low / 3.0, high * 3.0)
        axis.set_major_locator(LogLocator(numticks=most_ticks))
        axis.set_minor_formatter(NullFormatter())
        if not minor_ticks:
            axis.set_minor_locator(NullLocator())
    axes.grid(True)
    hide_edges(axes)


def hide_edges(axes: Axes, *sides: str) -> None:
    """Hide the edges at these sides of the panel."""
    for side in sides or ("top", "right"):
        axes.spines[side].set_visible(False)


def draw_shares(axes: Axes, shares: FloatArray, digits: int | None, fontsize: float, aspect: str = "equal") -> Any:
    """Draw percentages, float64 (rows, columns), as colours of cells, and return the image.

    digits: the digits after the point of the number in every cell; None for no numbers.
    """
    from matplotlib.colors import Normalize

    # The ends of the scale are light enough for the numbers on them to be read in print.
    scale = Normalize(-10.0, 110.0)
    image = axes.imshow(np.ma.masked_invalid(shares), cmap="PuOr", norm=scale, aspect=aspect)
    if digits is not None:
        for row, column in np.argwhere(~np.isnan(shares)).tolist():
            share = shares[row, column]
            red, green, blue, _ = image.cmap(image.norm(share))
            colour = "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "black"
            axes.text(column, row, f"{share:.{digits}f}", ha="center", va="center", fontsize=fontsize, color=colour)
        for edge in range(1, len(shares)):
            axes.axhline(edge - 0.5, color="white", linewidth=1.0)
            axes.axvline(edge - 0.5, color="white", linewidth=1.0)
    hide_edges(axes, *axes.spines)
    axes.tick_params(length=0)
    return image


def label_line_ends(axes: Axes, ends: Sequence[tuple[str, float, float, str, str]]) -> None:
    """Write names to the right of the panel, each close to the end of its line.

    ends: name, x, y, colour and marker of every line.
    """
    width = axes.get_position().width * axes.figure.get_figwidth()
    height = axes.get_position().height * axes.figure.get_figheight()
    to_fraction = axes.transScale + axes.transLimits
    ordered = sorted((float(to_fraction.transform((x, y))[1]), name, x, y, c, m) for name, x, y, c, m in ends)
    places = spread_out([item[0] for item in ordered], 0.135 / height, -0.02, 1.0)
    arrow = {"arrowstyle": "-", "linewidth": 0.6, "linestyle": DOTTED, "shrinkA": 0.0, "shrinkB": 2.0}
    for place, (_, name, x, y, colour, marker) in zip(places, ordered, strict=True):
        line: dict[str, Any] = {"arrowprops": arrow | {"color": colour}, "annotation_clip": False}
        axes.annotate("", (x, y), xytext=(1.0 + 0.2 / width, place), textcoords=axes.transAxes, **line)
        beside = {"transform": axes.transAxes, "clip_on": False}
        axes.plot([1.0 + 0.25 / width], [place], color=colour, marker=marker, markersize=4.0, **beside)
        axes.text(1.0 + 0.34 / width, place, name, va="center_baseline", **beside)


def spread_out(wanted: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Places at least `distance` apart, as near as possible to the `wanted` places, and between low and high if there
    is room."""
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
