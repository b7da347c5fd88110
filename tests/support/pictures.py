"""What the tests of pictures share: things to draw, and whether what was drawn can be read."""

import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text

from tictactoe import Contender, Score, update_rule
from tictactoe.algorithms.measured_run import Measurement, Run, Trial
from tictactoe.match.scores import all_scores
from tictactoe.storage.atomic_files import Replacements

NAMES = ("cfr", "cfr+", "linear-cfr", "dcfr", "pcfr+", "pdcfr+", "one-more", "the-last-one")


def made_up_runs() -> list[Run]:
    """Eight full-width algorithms and a sampling one with five seeds, which end at nearly the same exploitability."""
    draw = random.Random(1)

    def one(name: str, seed: int | None, nodes: int, slope: float) -> Run:
        measurements = []
        for at in sorted({round(1.3**k) for k in range(1, 30)}):
            used = at, nodes * at, 9 * nodes * at, 1e-8 * nodes * at
            measurements.append(Measurement(*used, at**-slope * draw.uniform(0.8, 1.2), at ** (0.3 - slope), 0))
        return made_up_run(name, measurements, seed=seed)

    runs = [one(name, None, 20_000, 1.5 + 0.001 * index) for index, name in enumerate(NAMES)]
    return runs + [one("es-mccfr", seed, 300, 0.5) for seed in range(5)]


def made_up_run(label: str, measurements: Iterable[Measurement], *, seed: int | None = None, rule: str = "cfr") -> Run:
    return Run(Trial(Contender(update_rule(rule), label=label), seed), tuple(measurements))


def made_up_logs(winning_score: int) -> dict[Score, Any]:
    iterations = np.arange(10.0, 3000.0, 10.0)
    return {
        score: np.stack([iterations, iterations ** -(1.0 + score.first / 10.0), 3.0 / iterations, 0.0 * iterations], 1)
        for score in all_scores(winning_score)
    }


def texts_of(figure: Figure) -> list[str]:
    """What is written in a picture, apart from the numbers at the axes."""
    return [artist.get_text() for artist in _written(figure)]


def _written(figure: Figure) -> list[Text]:
    axes = [axis for panel in figure.axes for axis in (panel.xaxis, panel.yaxis)]
    ticks = [tick for axis in axes for tick in (*axis.majorTicks, *axis.minorTicks)]  # without working out new ones
    numbers = {id(label) for tick in ticks for label in (tick.label1, tick.label2)}
    return [artist for artist in figure.findobj(Text) if artist.get_text() and id(artist) not in numbers]


def check_legible(figure: Figure) -> None:
    """Titles, captions, labels and names lie within the picture, which is 16 cm wide, and touch none of their kind."""
    whole, canvas = figure.bbox, FigureCanvasAgg(figure)
    assert abs(figure.get_figwidth() - 16.0 / 2.54) < 1e-9
    canvas.draw()
    shown = [artist for artist in _written(figure) if artist.get_visible()]
    boxes = [artist.get_window_extent(canvas.get_renderer()) for artist in shown]
    for artist, box in zip(shown, boxes, strict=True):
        assert whole.x0 <= box.x0 <= box.x1 <= whole.x1, artist
        assert whole.y0 <= box.y0 <= box.y1 <= whole.y1, artist
    for (one, box), (other, other_box) in combinations(zip(shown, boxes, strict=True), 2):
        assert not box.overlaps(other_box), (one, other)


def check_png(path: Path) -> None:
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    image = imread(path)
    assert abs(image.shape[1] - 200 * 16 / 2.54) <= 1
    assert len(np.unique(image[::3, ::3, 0])) > 10, "not blank"


def check_svg(path: Path, *labels: str) -> None:
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert sum(1 for element in root.iter() if element.tag.endswith("path")) > 10
    text = path.read_text(encoding="utf-8")
    assert [label for label in labels if label not in text] == []


def save_nothing(figure: object, path: Path, together: Replacements) -> None:
    """In place of `save_figure`, where there is no time to draw: an empty file."""
    with together.file(path):
        pass
