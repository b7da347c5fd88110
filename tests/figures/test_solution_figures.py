"""Pictures of a solved match, of several rules and of a tournament: legible, and right, whatever a file holds."""

import tracemalloc
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from support.pictures import check_legible, made_up_logs, texts_of
from support.slowness import slow

from tictactoe.agents.ratings import rate
from tictactoe.agents.results import PairResult
from tictactoe.figures import solution_figures
from tictactoe.figures.solution_figures import (
    MOST_AGENTS,
    convergence_figure,
    rules_figure,
    tournament_figure,
    values_figure,
)
from tictactoe.match.scores import Score, all_scores

full = cache(lambda: values_figure(5, {score: (score.first - score.second) / 5.0 for score in all_scores(5)}))
blank = cache(lambda: values_figure(12, {Score(11, 11): 0.25}))


def test_everything_written_on_the_map_can_be_read() -> None:
    for figure in (full(), blank()):
        check_legible(figure)
        assert {(axes.get_xscale(), axes.get_yscale()) for axes in figure.axes} == {("linear", "linear")}


@pytest.mark.parametrize(("winning_score", "target"), [(3, 1e-4), *slow((1, None), (9, 1e-4))])
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
    figure = solution_figures.value_map(values)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert figure.axes[0].images[0].get_array().shape == (500, 500)
    assert peak < 6 * values.nbytes


NAMES = ("three-in-a-row", "filled", "filled-none", "filled-tie", "a rule to come 999999:1:999998", "one")
OTHER_SIZES = [(1, 6), (5, 3), (14, 6)]


def made_up_rules(winning_score: int, number: int) -> dict[str, dict[Score, float]]:
    return {
        name: {s: (s.first - s.second) * 0.9 / winning_score - 0.015 * index for s in all_scores(winning_score)}
        for index, name in enumerate(NAMES[:number])
    }


@pytest.mark.parametrize(("winning_score", "number"), [(1, 1), (5, 6), *slow(*OTHER_SIZES)])
def test_everything_written_on_rules_can_be_read(winning_score: int, number: int) -> None:
    check_legible(rules_figure(winning_score, made_up_rules(winning_score, number)))


def test_values_in_the_picture_of_rules() -> None:
    values = made_up_rules(3, 3)
    figure = rules_figure(3, values)
    top, *maps = figure.axes
    assert [axes.get_title(loc="left") for axes in maps] == list(values)
    for axes, by_score in zip(maps, values.values(), strict=True):
        cells = {artist.get_position(): artist.get_text() for artist in axes.texts}
        assert cells == {(s.second, s.first): f"{50.0 + 50.0 * value:.2f}" for s, value in by_score.items()}
    lines = [line for line in top.lines if len(line.get_xdata()) == 3]
    for line, by_score in zip(lines, values.values(), strict=True):
        assert list(line.get_ydata()) == pytest.approx([50.0 + 50.0 * by_score[Score(at, at)] for at in range(3)])
    assert [label.get_text() for label in top.get_xticklabels()] == ["0-0", "1-1", "2-2"]
    assert {"three-in-a-row", "filled", "filled-none"} <= set(texts_of(figure))
    low, high = top.get_ylim()
    assert low < 50.0 < high


def made_up_results(number: int) -> tuple[list[str], list[PairResult]]:
    names = [f"{'WwQ' * 6}"[: 1 + place * 18 // number] + f"{place:02}" for place in range(number)]
    won = [(a, b, 50 + min(49, 7 * (j - i))) for (i, a), (j, b) in combinations(enumerate(names), 2)]
    return names, [PairResult((a, b), wins=(wins, 100 - wins)) for a, b, wins in won]


@pytest.mark.parametrize("number", [7, *slow(2, MOST_AGENTS)])
def test_everything_written_on_a_tournament_can_be_read(number: int) -> None:
    names, results = made_up_results(number)
    check_legible(tournament_figure(5, "filled 1:2:999999", rate(names, results), results))


def test_values_in_the_picture_of_a_tournament() -> None:
    won = {("b", "a"): (2, 8), ("a", "c"): (9, 1), ("c", "b"): (5, 5)}
    results = [PairResult(pair, wins=wins) for pair, wins in won.items()]
    rows = rate(["a", "b", "c"], results)
    matrix, ratings = tournament_figure(5, "three-in-a-row", rows, results).axes
    assert [label.get_text() for label in matrix.get_yticklabels()] == ["1 a", "2 b", "3 c"]
    cells = {artist.get_position(): artist.get_text() for artist in matrix.texts}
    by_row = {(1, 0): "80.0", (2, 0): "90.0", (0, 1): "20.0", (2, 1): "50.0", (0, 2): "10.0", (1, 2): "50.0"}
    assert cells == by_row  # (column, row): a against b first
    points = [line.get_xdata()[0] for line in ratings.lines if len(line.get_xdata()) == 1]
    assert points == pytest.approx([row.rating for row in rows])
    assert sum(len(line.get_xdata()) == 2 for line in ratings.lines) == 3


def test_too_many_agents() -> None:
    names, results = made_up_results(MOST_AGENTS + 1)
    with pytest.raises(ValueError, match="room for 24 agents, not for 25"):
        tournament_figure(5, "three-in-a-row", rate(names, results), results)
