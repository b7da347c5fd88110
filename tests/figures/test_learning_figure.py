"""The picture of how agents learnt: legible, agents beside a solver, values only where there is an opponent."""

from functools import cache

from support.pictures import check_legible, texts_of

from tictactoe.algorithms.learning.learning_method import LearningFigures
from tictactoe.figures.learning_figure import LONGEST_NAME, LearningCurve, learning_figure

BEST = {"uniform": 0.55, "learner-10": 0.3}


def curve(label: str, slope: float, opponent: str = "", *, is_solver: bool = False) -> LearningCurve:
    counts = [round(100 * 1.26**k) for k in range(40)]
    figures = [LearningFigures(n, 7 * n, 0.5 - n**-0.2, 0.4 - n**-0.2, 20.0 * n**-slope) for n in counts]
    return LearningCurve(label, figures, opponent, is_solver=is_solver)


CURVES = [
    *(curve(f"agent-{number}", 0.01 * number, "uniform") for number in range(6)),
    curve("a-name-that-is-longer-than-anybody-wants", 0.1, "learner-10"),
    curve("itself", 0.1),
    *(curve("rdcfr", 1.5, name, is_solver=True) for name in BEST),
]
several = cache(lambda: learning_figure(CURVES, BEST, "Title", in_match_value=True))
alone = cache(lambda: learning_figure([curve("itself", 0.1)], {}, "Title", in_match_value=False))


def test_names_and_panels_can_be_read() -> None:
    check_legible(several())
    check_legible(alone())
    texts = texts_of(several())
    assert [texts.count(name) for name in ("agent-3", "itself", "rdcfr")] == [2, 1, 3]
    assert texts.count("a-name-that-is-longer-than-anybody-wants"[: LONGEST_NAME - 3] + "...") == 2
    assert {"best against uniform", "best against learner-10", "nodes touched"} <= set(texts)
    assert len(alone().axes) == 1
    assert "best" not in "".join(texts_of(alone()))


def test_lines_hold_the_figures() -> None:
    above, below = several().axes
    drawn = {line.get_color(): line.get_ydata() for line in above.lines if len(line.get_xdata()) > 1}
    assert len(drawn) == 9, "a colour each"
    assert drawn["#000000"][0] == CURVES[-1].figures[0].exploitability
    values = [line.get_ydata()[-1] for line in below.lines if len(line.get_xdata()) == 40]
    assert values == [curve.figures[-1].value for curve in CURVES if curve.opponent]
    low, high = below.get_ylim()
    assert low < min(row.value for row in CURVES[0].figures)
    assert high > max(BEST.values())
