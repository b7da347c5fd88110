"""The pictures of several rules and of a tournament: legible, and right."""

from itertools import combinations

import pytest
from support.pictures import check_legible, texts_of
from support.slowness import slow

from tictactoe.agents.ratings import rate
from tictactoe.agents.results import PairResult
from tictactoe.figures.solution_figures import MOST_AGENTS, rules_figure, tournament_figure
from tictactoe.match.scores import Score, all_scores

NAMES = ("three-in-a-row", "filled", "filled-none", "filled-tie", "a rule to come 999999:1:999998", "one")
OTHER_SIZES = [(1, 6), (5, 3), (14, 6)]


def made_up_rules(winning_score: int, number: int) -> dict[str, dict[Score, float]]:
    """By every rule the leader wins a little more, and the first mover a little less."""
    return {
        name: {s: (s.first - s.second) * 0.9 / winning_score - 0.015 * index for s in all_scores(winning_score)}
        for index, name in enumerate(NAMES[:number])
    }


@pytest.mark.parametrize(("winning_score", "number"), [(1, 1), (5, 6), *slow(*OTHER_SIZES)])
def test_everything_written_on_rules_can_be_read(winning_score: int, number: int) -> None:
    check_legible(rules_figure(winning_score, made_up_rules(winning_score, number)))


@pytest.mark.slow
def test_rules_that_are_all_the_same() -> None:
    check_legible(rules_figure(5, dict.fromkeys(NAMES, dict.fromkeys(all_scores(5), 0.0))))


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
    """Names of every length up to the longest; the ones further down lose more."""
    names = [f"{'WwQ' * 6}"[: 1 + place * 18 // number] + f"{place:02}" for place in range(number)]
    won = [(a, b, 50 + min(49, 7 * (j - i))) for (i, a), (j, b) in combinations(enumerate(names), 2)]
    return names, [PairResult((a, b), wins=(wins, 100 - wins)) for a, b, wins in won]


@pytest.mark.parametrize("number", [2, MOST_AGENTS, *slow(3, 7)])
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
