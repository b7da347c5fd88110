"""Pictures of a solved match: legible, right, and drawn from whatever log a file may hold."""

import tracemalloc
from functools import cache

import numpy as np
import pytest
from support.pictures import check_legible, made_up_logs, texts_of

from tictactoe.figures.solution_figures import convergence_figure, is_drawable, value_map, values_figure
from tictactoe.match.scores import Score, all_scores

full = cache(lambda: values_figure(5, {score: (score.first - score.second) / 5.0 for score in all_scores(5)}))
blank = cache(lambda: values_figure(12, {Score(11, 11): 0.25}))


def test_everything_written_on_the_map_can_be_read() -> None:
    for figure in (full(), blank()):
        check_legible(figure)
        assert {(axes.get_xscale(), axes.get_yscale()) for axes in figure.axes} == {("linear", "linear")}


@pytest.mark.parametrize(("winning_score", "target"), [(3, 1e-4), (1, None), (9, 1e-4)])
def test_everything_written_on_convergence_can_be_read(winning_score: int, target: float | None) -> None:
    figure = convergence_figure(winning_score, made_up_logs(winning_score), target)
    check_legible(figure)
    assert {(axes.get_xscale(), axes.get_yscale()) for axes in figure.axes} == {("log", "log")}


def test_the_map_holds_percentages() -> None:
    cells = {artist.get_position(): artist.get_text() for artist in full().axes[0].texts}
    assert cells == {(second, first): f"{50 + 10 * (first - second)}.00" for first in range(5) for second in range(5)}
    assert [artist.get_text() for artist in blank().axes[0].texts] == ["62"]


def test_scores_without_a_log_say_so() -> None:
    logs = made_up_logs(2)
    del logs[Score(0, 0)], logs[Score(0, 1)]
    found = texts_of(convergence_figure(2, logs, None, solved=[Score(0, 1), *logs]))
    assert found.count("not solved") == found.count("no log") == 1
    assert not any("target" in text for text in found)


@pytest.mark.parametrize("shape", [(0, 4), (5, 0), (5, 4), (5,)])
@pytest.mark.parametrize("number", [0.0, -1.0, 1e300, 1e-300])
def test_logs_with_nothing_to_draw(shape: tuple[int, ...], number: float) -> None:
    log = np.full(shape, number)
    assert not is_drawable(log)
    with pytest.raises(ValueError, match="nothing to draw"):
        convergence_figure(1, {Score(0, 0): log}, None)


def test_a_log_of_one_row_and_one_in_disorder() -> None:
    one = np.array([[10.0, 0.1, 0.1, 0.0]])
    disorder = np.array([[1e5, 1e-3, 1.0, 0.0], [10.0, 1e5, 1e-16, 0.0], [10.0, -1.0, 0.0, 0.0]])
    figure = convergence_figure(2, {Score(0, 0): one, Score(1, 1): disorder}, 1e-6)
    figure.draw_without_rendering()
    assert [list(figure.axes[at].lines[1].get_xdata()) for at in (0, 3)] == [[10.0], [10.0, 1e5]]


def test_long_logs_are_thinned_and_keep_their_end() -> None:
    log = np.stack([np.arange(1.0, 1e5)] + 3 * [1.0 / np.arange(1.0, 1e5)], 1)
    x = convergence_figure(1, {Score(0, 0): log}, None).axes[0].lines[1].get_xdata()
    assert len(x) <= 150
    assert x[-1] == log[-1, 0]


def test_the_map_of_a_long_match_does_not_take_an_object_for_every_score() -> None:
    """A match to 10,000 has a hundred million."""
    values = np.zeros((500, 500))
    tracemalloc.start()
    figure = value_map(values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert figure.axes[0].images[0].get_array().shape == (500, 500)
    assert peak < 6 * values.nbytes
