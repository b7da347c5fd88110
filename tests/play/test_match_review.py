"""The review of a match: luck, marks, and the line that is drawn. The console review.txt shows its figures."""

import pytest

from tictactoe.play.luck_and_mistakes import Terms
from tictactoe.play.match_review import luck_of, mark_of
from tictactoe.play.review_text import columns_of, labels_below, line_chart, thresholds
from tictactoe.play.round_text import Speaker


def test_luck_is_what_nobody_did() -> None:
    terms = Terms(*(float(2**number) for number in range(len(Terms._fields))))
    assert luck_of(terms) == terms.goals + terms.own_hidden + terms.other_hidden + terms.inexact


def test_marks_by_cost() -> None:
    limits = {0.01: "?!", 1.99: "?!", 2.0: "?", 4.99: "?", 5.0: "??", 50.0: "??"}
    assert {percent: mark_of(percent / 50.0, in_points=False) for percent in limits} == limits
    assert [mark_of(points, in_points=True) for points in (0.05, 0.1, 0.25)] == ["?!", "?", "??"]
    said = "?! costs less than 2_points of winning chance, ? 2_points or more, ?? 5_points or more."
    assert thresholds(Speaker()).endswith(said.replace("_", "\N{NO-BREAK SPACE}"))


@pytest.mark.parametrize("count", [1, 2, 13, 51, 52, 53, 300])
def test_a_line_of_any_length(count: int) -> None:
    ends = columns_of(count, 52)
    assert len(ends) == count
    assert sorted(ends) == ends
    assert ends[0] >= 0
    assert ends[-1] < 52
    values = [(-1.0) ** number for number in range(count)]
    drawn = line_chart(values, (-1.0, 1.0), 52, ["+1", "", "-1"])
    assert len(drawn) == 3
    assert max(map(len, drawn)) <= 60
    assert all(any(row[8 + end : 9 + end].strip() for row in drawn) for end in ends)


def test_values_beyond_the_limits_stay_in_the_picture() -> None:
    low, high = line_chart([-5.0], (-1.0, 1.0), 52, ["+", "-"]), line_chart([5.0], (-1.0, 1.0), 52, ["+", "-"])
    assert (low[1], high[0]) == ("      - ----", "      + ----")


def test_labels_do_not_touch() -> None:
    assert labels_below({0: "10", 1: "11", 4: "12"}) == f"{'':7} 10  12"
