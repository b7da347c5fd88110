"""The picture of a tournament: legible, and right."""

from itertools import combinations

import pytest
from support.pictures import check_legible
from support.slowness import slow

from tictactoe.agents.pair_results import PairResult
from tictactoe.agents.ratings import rate
from tictactoe.figures.tournament_figure import MOST_AGENTS, tournament_figure


def made_up(number: int) -> tuple[list[str], list[PairResult]]:
    """Names of every length up to the longest; the ones further down lose more."""
    names = [f"{'WwQ' * 6}"[: 1 + place * 18 // number] + f"{place:02}" for place in range(number)]
    won = [(a, b, 50 + min(49, 7 * (j - i))) for (i, a), (j, b) in combinations(enumerate(names), 2)]
    return names, [PairResult((a, b), wins=(wins, 100 - wins)) for a, b, wins in won]


@pytest.mark.parametrize("number", [2, MOST_AGENTS, *slow(3, 7)])
def test_everything_written_can_be_read(number: int) -> None:
    names, results = made_up(number)
    check_legible(tournament_figure(5, "filled 1:2:999999", rate(names, results), results))


def test_values_in_the_picture() -> None:
    results = [
        PairResult(("b", "a"), wins=(2, 8)),
        PairResult(("a", "c"), wins=(9, 1)),
        PairResult(("c", "b"), wins=(5, 5)),
    ]
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
    names, results = made_up(MOST_AGENTS + 1)
    with pytest.raises(ValueError, match="room for 24 agents, not for 25"):
        tournament_figure(5, "three-in-a-row", rate(names, results), results)
