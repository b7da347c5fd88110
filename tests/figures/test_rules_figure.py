"""The picture of several rules: legible, and right."""

import pytest
from support.pictures import check_legible, texts_of
from support.slowness import slow

from tictactoe.figures.rules_figure import rules_figure
from tictactoe.match.scores import Score, all_scores

NAMES = ("three-in-a-row", "filled", "filled-none", "filled-tie", "a rule to come 999999:1:999998", "one")
OTHER_SIZES = [(1, 6), (5, 3), (14, 6)]


def made_up(winning_score: int, number: int) -> dict[str, dict[Score, float]]:
    """By every rule the leader wins a little more, and the first mover a little less."""
    return {
        name: {s: (s.first - s.second) * 0.9 / winning_score - 0.015 * index for s in all_scores(winning_score)}
        for index, name in enumerate(NAMES[:number])
    }


@pytest.mark.parametrize(("winning_score", "number"), [(1, 1), (5, 6), *slow(*OTHER_SIZES)])
def test_everything_written_can_be_read(winning_score: int, number: int) -> None:
    check_legible(rules_figure(winning_score, made_up(winning_score, number)))


@pytest.mark.slow
def test_rules_that_are_all_the_same() -> None:
    check_legible(rules_figure(5, dict.fromkeys(NAMES, dict.fromkeys(all_scores(5), 0.0))))


def test_values_in_the_picture() -> None:
    values = made_up(3, 3)
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
