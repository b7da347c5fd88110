"""The sheets to play by: whatever the page says of them is computed again."""

import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from tictactoe import Board, GameTree, Goal, Rules, Score, exploitability, load_solution, tic_tac_toe_round
from tictactoe.browser.sheets import (
    LINES_IN_WORDS,
    Sheet,
    costs_at,
    costs_in_match,
    read_sheets,
    sheet_strategy,
    sheets_file,
)
from tictactoe.games.board import SYMMETRIES

SHEETS = {sheet.rules: sheet for sheet in read_sheets()}
STORIES = {
    "three-in-a-row": [["519362", "5193684", "5193684"], *2 * [["519362", "51936872", "51936874"]]],
    "filled": [["51936842", "51936847", "51936842"], *2 * [["51936872", "51936872", "51936874"]]],
}
"""docs/closed-forms.md: the nine rounds."""


def assert_rounded_up(computed: tuple[float, float], stated: tuple[float, float] | None) -> None:
    assert stated is not None
    for cost, most in zip(computed, stated, strict=True):
        assert -1e-12 < most - cost < 1e-4 + 1e-12, (computed, stated)


@pytest.mark.parametrize("rules", SHEETS)
def test_costs_are_what_the_page_states(rules: str) -> None:
    """Nobody gains anything where it states a cost of 0: at 4-4, at all scores when the board is filled, and by three
    in a row wherever the first mover is behind."""
    sheet = SHEETS[rules]
    solution = load_solution("shipped" if rules == "three-in-a-row" else rules)
    strategy = sheet_strategy(sheet, solution.tree)
    assert sheet.costs.keys() == {str(score) for score in solution.results}
    assert_rounded_up(costs_in_match(solution, strategy), sheet.match_costs)
    for score in solution.results:
        costs = costs_at(solution.tree, strategy, solution.outcome_values(score), solution.value[score])
        assert_rounded_up(costs, sheet.costs[str(score)])
        without_cost = sheet.costs[str(score)] == (0.0, 0.0)
        if score == Score(4, 4) or rules == "filled" or score.first < score.second:
            assert without_cost
        if without_cost:
            game = tic_tac_toe_round(solution.tree, solution.outcome_values(score))
            assert abs(exploitability(game, strategy).total) < 1e-12, score


@pytest.mark.parametrize("rules", SHEETS)
def test_rounds_are_those_of_the_sheet(rules: str) -> None:
    sheet = SHEETS[rules]
    tree = GameTree.build(rules)
    assert [["".join(map(str, moves)) for moves in row] for row in sheet.rounds] == STORIES[sheet.rules]
    for goals in product(Goal, Goal):
        board, moves = Board(), sheet.rounds[goals[0]][goals[1]]
        for square in moves:
            assert square in sheet.choices(board, goals[board.num_marks % 2])
            board = board.play(square)
        assert tree.outcome(tree.find(moves)) is not None


@pytest.mark.parametrize("rules", SHEETS)
def test_pictures_say_what_the_lists_do_not_and_turn_with_the_board(rules: str) -> None:
    sheet, generator = SHEETS[rules], random.Random(14)
    assert len({board.canonical() for board in sheet.pictures}) == len(sheet.pictures)
    lists_alone = replace(sheet, pictures={})
    for board, answers in sheet.pictures.items():
        assert any(lists_alone.choices(board, goal) != squares for goal, squares in answers.items()), board
        assert all(set(squares) <= set(board.free_squares) for squares in answers.values()), board
    for _ in range(100):
        board = Board()
        for _ in range(generator.randrange(8)):
            board = board.play(generator.choice(board.free_squares))
        for goal, turn in product(Goal, SYMMETRIES):
            squares = sheet.choices(board, goal)
            assert set(sheet.choices(board.image(turn), goal)) == {turn[square - 1] for square in squares}


def test_data_and_back() -> None:
    for sheet in SHEETS.values():
        assert Sheet.from_data(sheet.to_data()) == sheet
        assert LINES_IN_WORDS.keys() >= set().union(*sheet.lists.values())
        assert str(Rules.parse(sheet.rules)) == sheet.rules
    assert b'"filled"' not in sheets_file(["three-in-a-row"])
    assert len(sheets_file(["three-in-a-row", "filled"])) < 40_000


def test_the_documentation_says_the_same() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "closed-forms.md").read_text("utf-8")
    for sheet in SHEETS.values():
        assert f"| `{sheet.rules}` | {len(sheet.pictures)} | 0 |" in text
        worst = max(max(costs) for costs in sheet.costs.values())
        assert sheet.match_costs is not None
        if worst > 0.0:
            over_match = f"{-(-max(sheet.match_costs) * 100 // 1) / 100:.2f}"
            assert f"else {-(-worst * 100 // 1) / 100:.2f}, at 4-3, moving first | {over_match} |" in text
            readme = Path(__file__).parents[2].joinpath("README.md").read_text("utf-8")
            assert (
                f"over a whole match it costs {over_match} points of winning chance (of 100 matches) at most" in readme
            )
            assert sheet.costs["4-3"][0] == worst
