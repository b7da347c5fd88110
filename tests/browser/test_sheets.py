"""The sheets to play by: whatever the page says of them is computed again."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from tictactoe import exploitability, load_solution, tic_tac_toe_round
from tictactoe.browser.sheet_strategy import costs_at, costs_in_match, sheet_strategy
from tictactoe.browser.sheets import LINES_IN_WORDS, Sheet, board_of, fits, read_sheets, sheets_file
from tictactoe.games.board import SYMMETRIES, Board
from tictactoe.games.goals import Goal
from tictactoe.games.rules import Rules
from tictactoe.match.scores import Score
from tictactoe.storage.solution import Solution

SHEETS = {f"{sheet.rules} {sheet.name}": sheet for sheet in read_sheets()}
EXACT = {name: sheet for name, sheet in SHEETS.items() if sheet.name == "exact"}
STORIES = {
    "three-in-a-row": [["519362", "5193684", "5193684"], *2 * [["519362", "51936872", "51936874"]]],
    "filled": [["51936842", "51936847", "51936842"], *2 * [["51936872", "51936872", "51936874"]]],
}
"""docs/closed-forms.md: the nine rounds."""


def solution_by(rules: str) -> Solution:
    return load_solution("shipped" if rules == "three-in-a-row" else rules)


def assert_rounded_up(found: tuple[float, float], stated: tuple[float, float] | None) -> None:
    assert stated is not None
    for cost, most in zip(found, stated, strict=True):
        assert -1e-12 < most - cost < 1e-4 + 1e-12, (found, stated)


@pytest.mark.parametrize("name", SHEETS)
def test_costs_are_what_the_page_states(name: str) -> None:
    """At every score of a match to 5, in both seats, rounded up to the digits that are stated: it is the most."""
    sheet = SHEETS[name]
    solution = solution_by(sheet.rules)
    strategy = sheet_strategy(sheet, solution.tree)
    assert sheet.costs.keys() == {str(score) for score in solution.results}
    for score in solution.results:
        found = costs_at(solution.tree, strategy, solution.outcome_values(score), solution.value[score])
        assert_rounded_up(found, sheet.costs[str(score)])


@pytest.mark.parametrize("name", SHEETS)
def test_costs_of_a_whole_match(name: str) -> None:
    solution = solution_by(SHEETS[name].rules)
    found = costs_in_match(solution, sheet_strategy(SHEETS[name], solution.tree))
    assert_rounded_up(found, SHEETS[name].match_costs)


@pytest.mark.parametrize("name", EXACT)
def test_nobody_gains_anything_where_the_page_says_so(name: str) -> None:
    """At 4-4 and wherever else it states a cost of 0, to rounding: by all scores when the board is filled, and by
    three in a row wherever whoever moves first is behind."""
    sheet = EXACT[name]
    solution = solution_by(sheet.rules)
    strategy = sheet_strategy(sheet, solution.tree)
    free = [score for score in solution.results if sheet.costs[str(score)] == (0.0, 0.0)]
    assert Score(4, 4) in free
    assert {score for score in solution.results if sheet.rules == "filled" or score.first < score.second} <= set(free)
    for score in free:
        game = tic_tac_toe_round(solution.tree, solution.outcome_values(score))
        assert abs(exploitability(game, strategy).total) < 1e-12, score


@pytest.mark.parametrize("name", EXACT)
def test_rounds_are_those_of_the_sheet(name: str) -> None:
    """And of docs/closed-forms.md; each is played to where its end is certain."""
    sheet = EXACT[name]
    tree = solution_by(sheet.rules).tree
    assert [["".join(map(str, moves)) for moves in row] for row in sheet.rounds] == STORIES[sheet.rules]
    for first in Goal:
        for second in Goal:
            board = Board()
            for square in sheet.rounds[first][second]:
                assert square in sheet.choices(board, (first, second)[board.num_marks % 2])
                board = board.play(square)
            assert tree.outcome(tree.find(sheet.rounds[first][second])) is not None


@pytest.mark.parametrize("name", SHEETS)
def test_every_picture_says_what_the_lists_do_not(name: str) -> None:
    sheet = SHEETS[name]
    assert len({board.canonical() for board in sheet.pictures}) == len(sheet.pictures)
    lists_alone = replace(sheet, pictures={})
    for board, answers in sheet.pictures.items():
        assert any(lists_alone.choices(board, goal) != squares for goal, squares in answers.items()), board
        assert all(set(squares) <= set(board.free_squares) for squares in answers.values()), board


@pytest.mark.parametrize("name", SHEETS)
def test_a_turned_board_is_played_alike(name: str) -> None:
    """Two hundred boards after random moves, in all eight images."""
    sheet, generator = SHEETS[name], random.Random(14)
    for _ in range(200):
        board = Board()
        for _ in range(generator.randrange(8)):
            board = board.play(generator.choice(board.free_squares))
        for goal in Goal:
            squares = sheet.choices(board, goal)
            for turn in SYMMETRIES:
                assert set(sheet.choices(board.image(turn), goal)) == {turn[square - 1] for square in squares}


def test_fewer_pictures_cost_something() -> None:
    """The measure can tell: with a third of the pictures a sheet is far from exact."""
    for sheet in EXACT.values():
        solution = solution_by(sheet.rules)
        kept = dict(list(sheet.pictures.items())[: len(sheet.pictures) // 3])
        strategy = sheet_strategy(replace(sheet, pictures=kept), solution.tree)
        values, value = solution.outcome_values(Score(4, 4)), solution.value[Score(4, 4)]
        assert max(costs_at(solution.tree, strategy, values, value)) > 1.0


LINES = [
    ("complete", "XX.OO....", 3, True),
    ("complete", "XX.OO....", 6, False),
    ("block", "XX.OO....", 6, True),
    ("block", "XX.OO....", 3, False),
    ("threat", "X...O....", 2, True),
    ("threat", "X...O....", 9, False),
    ("threat", "XX.OO....", 7, False),  # 4 is O's
    ("own line", "X...O....", 7, True),
    ("own line", "X...O....", 6, False),
    ("spoil", "X...O....", 6, True),
    ("spoil", "X...O....", 9, False),
    ("leaves", "XX.OO....", 7, True),
    ("leaves", "XX.OO....", 6, False),
    ("corner", "....X....", 1, True),
    ("corner", "....X....", 2, False),
    ("side", "....X....", 2, True),
    ("side", "....X....", 3, False),
    ("centre", ".........", 5, True),
    ("centre", ".........", 1, False),
    ("opposite theirs", "X........", 9, True),
    ("opposite theirs", "X........", 8, False),
    ("opposite yours", "XO.......", 9, True),
    ("opposite yours", "XO.......", 8, False),
]


@pytest.mark.parametrize(("line", "board", "square", "fitting"), LINES)
def test_lines(line: str, board: str, square: int, fitting: bool) -> None:
    assert fits(line, board_of(board), square) == fitting
    if f"not {line}" in LINES_IN_WORDS:
        assert fits(f"not {line}", board_of(board), square) != fitting


def test_all_lines_are_tried_and_written_down() -> None:
    assert {line.removeprefix("not ") for line in LINES_IN_WORDS} == {line for line, *_ in LINES}
    used = {line for sheet in SHEETS.values() for lines in sheet.lists.values() for line in lines}
    assert used <= LINES_IN_WORDS.keys()


def test_data_and_back() -> None:
    for sheet in SHEETS.values():
        assert Sheet.from_data(sheet.to_data()) == sheet
        assert str(Rules.parse(sheet.rules)) == sheet.rules


def test_the_page_gets_its_rules_alone_and_little_to_load() -> None:
    assert b'"filled"' not in sheets_file(["three-in-a-row"])
    assert len(sheets_file(["three-in-a-row", "filled"])) < 40_000


def test_the_documentation_says_the_same() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "closed-forms.md").read_text("utf-8")
    for sheet in EXACT.values():
        assert f"| `{sheet.rules}` | {len(sheet.pictures)} | 0 |" in text
        worst = max(max(costs) for costs in sheet.costs.values())
        assert sheet.match_costs is not None
        if worst > 0.0:
            over_match = f"{-(-max(sheet.match_costs) * 100 // 1) / 100:.2f} % of matches"
            assert f"else {-(-worst * 100 // 1) / 100:.2f} %, at 4-3, moving first | {over_match} |" in text
            readme = Path(__file__).parents[2].joinpath("README.md").read_text("utf-8")
            assert f"over a whole match it costs {over_match} at most" in readme
            assert sheet.costs["4-3"][0] == worst
