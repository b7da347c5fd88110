"""Cheat sheets on paper, with a list of rules of thumb for each goal, and pictures of boards that are exceptions.

A picture names the squares to choose from. Otherwise, each line of the list removes the squares that do not fit it,
unless that would remove all. Chance chooses among the rest. `benchmarks/find_sheets.py` found the sheets.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import best_response_value
from ..games.board import LINES, SYMMETRIES, Board
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import Goal, OutcomeValues, goal_name
from ..games.tic_tac_toe_tree import GameTree
from ..match.best_response_over_match import best_response_over_match
from ..match.scores import Score
from ..storage.solution import Solution
from ..storage.texts import json_text

SHEETS_FILE = Path(__file__).parent / "sheets.json"
SHEETS_FORMAT = 1

Answers = Mapping[Goal, tuple[int, ...]]
"""The squares to choose from, by goal. All of them are symmetric."""


@dataclass(frozen=True)
class Sheet:
    """A sheet for both seats by given rules."""

    rules: str
    """The rules, as str(Rules) writes them."""
    name: str
    """The name of the sheet, unique among sheets by the same rules."""
    lists: Mapping[Goal, tuple[str, ...]]
    """The lines of each goal's list from the top, as keys of `LINES_IN_WORDS`."""
    pictures: Mapping[Board, Answers]
    """The squares to choose from, by board, turned as printed."""
    rounds: Sequence[Sequence[tuple[int, ...]]] = ()
    """The squares that two players with this sheet mark, by both movers' goals."""
    costs: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The costs of the sheet (`costs_at`), by score of a match to 5."""
    match_costs: tuple[float, float] | None = None
    """The costs of the sheet over a match (`costs_in_match`)."""

    def choices(self, board: Board, goal: Goal) -> tuple[int, ...]:
        """The squares among which chance chooses, for the player to move."""
        printed = self._printed.get(board.canonical())
        if printed is not None and goal in (answers := self.pictures[printed]):
            return _turned_back(board, printed, answers[goal])
        squares = board.free_squares
        for line in self.lists[goal]:
            squares = tuple(square for square in squares if fits(line, board, square)) or squares
        return squares

    @cached_property
    def _printed(self) -> Mapping[Board, Board]:
        return {board.canonical(): board for board in self.pictures}

    def to_data(self) -> dict[str, Any]:
        """The sheet as JSON types."""
        return {
            "rules": self.rules,
            "name": self.name,
            "lists": {goal_name(goal): list(lines) for goal, lines in self.lists.items()},
            "pictures": [
                {
                    "board": board_text(board),
                    "answers": {goal_name(goal): list(squares) for goal, squares in answers.items()},
                }
                for board, answers in self.pictures.items()
            ],
            "rounds": [["".join(map(str, moves)) for moves in row] for row in self.rounds],
            "costs": self.costs,
            "match_costs": self.match_costs,
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Sheet:
        """Read a sheet that `to_data` wrote."""
        return Sheet(
            data["rules"],
            data["name"],
            {goal: tuple(data["lists"][goal_name(goal)]) for goal in Goal},
            {
                board_of(picture["board"]): {
                    goal: tuple(squares) for goal in Goal if (squares := picture["answers"].get(goal_name(goal)))
                }
                for picture in data["pictures"]
            },
            [[tuple(map(int, moves)) for moves in row] for row in data["rounds"]],
            {score: (first, second) for score, (first, second) in data["costs"].items()},
            (data["match_costs"][0], data["match_costs"][1]),
        )


def board_text(board: Board) -> str:
    """The board as nine characters, square 1 first: X, O, or a point for a free square.

    >>> board_text(Board().play(5).play(1)), board_of("O...X....") == Board().play(5).play(1)
    ('O...X....', True)
    """
    marks = {1 << bit: "XO"[seat] for seat, marks in enumerate(board) for bit in range(9) if marks >> bit & 1}
    return "".join(marks.get(1 << bit, ".") for bit in range(9))


def board_of(text: str) -> Board:
    """The board that `board_text` wrote."""
    return Board(*(sum(1 << bit for bit, letter in enumerate(text) if letter == mark) for mark in "XO"))


@cache
def _turned_back(board: Board, printed: Board, squares: tuple[int, ...]) -> tuple[int, ...]:
    turns = [turn for turn in SYMMETRIES if board.image(turn) == printed]
    return tuple(square for square in board.free_squares if any(turn[square - 1] in squares for turn in turns))


LINES_IN_WORDS = {
    "complete": "completes three in a row of yours",
    "not complete": "does not complete three in a row of yours",
    "block": "blocks: the other could complete three in a row there",
    "not block": "does not block: the other could not complete three in a row there",
    "threat": "makes two of yours in a line whose third square is free",
    "not threat": "makes no two of yours in a line whose third square is free",
    "own line": "is in a line that has a mark of yours and none of theirs",
    "not own line": "is in no line that has a mark of yours and none of theirs",
    "spoil": "is in a line that has a mark of theirs and none of yours",
    "not spoil": "is in no line that has a mark of theirs and none of yours",
    "leaves": "lets the other complete three in a row next",
    "not leaves": "does not let the other complete three in a row next",
    "corner": "is a corner",
    "side": "is the middle of a side",
    "centre": "is the centre",
    "opposite theirs": "is across the centre from a mark of theirs",
    "opposite yours": "is across the centre from a mark of yours",
}
"""The text of each line of a list, which continues the words "a square that"."""


def fits(line: str, board: Board, square: int) -> bool:
    """Whether a free square fits a line, for the player to move. Raises KeyError for an unknown line."""
    if line.startswith("not "):
        return not fits(line.removeprefix("not "), board, square)
    return _FITS[line](*_sides(board), square)


def _sides(board: Board) -> tuple[int, int]:
    return (board.first, board.second) if board.num_marks % 2 == 0 else (board.second, board.first)


def _bit(square: int) -> int:
    return 1 << (square - 1)


def _mask(squares: Iterable[int]) -> int:
    return sum(map(_bit, squares))


_MASKS = tuple(map(_mask, LINES))
_CORNERS, _SIDES = _mask((1, 3, 7, 9)), _mask((2, 4, 6, 8))


def _complete(own: int, other: int, square: int) -> bool:
    return any(mask & _bit(square) and (own | _bit(square)) & mask == mask for mask in _MASKS)


def _open_rows(own: int, other: int) -> int:
    free = ~(own | other)
    return _mask(square for square in range(1, 10) if free & _bit(square) and _complete(own, other, square))


def _threat(own: int, other: int, square: int) -> bool:
    before = _open_rows(own, other) & ~_bit(square)
    return bool(_open_rows(own | _bit(square), other) & ~before)


def _in_line_with(marks: int, without: int, square: int) -> bool:
    return any(mask & _bit(square) and mask & marks and not mask & without for mask in _MASKS)


_FITS: Mapping[str, Callable[[int, int, int], bool]] = {
    "complete": _complete,
    "block": lambda own, other, square: _complete(other, own, square),
    "threat": _threat,
    "own line": lambda own, other, square: _in_line_with(own, other, square),
    "spoil": lambda own, other, square: _in_line_with(other, own, square),
    "leaves": lambda own, other, square: bool(_open_rows(other, own | _bit(square))),
    "corner": lambda own, other, square: bool(_CORNERS & _bit(square)),
    "side": lambda own, other, square: bool(_SIDES & _bit(square)),
    "centre": lambda own, other, square: square == 5,
    "opposite theirs": lambda own, other, square: square != 5 and bool(other & _bit(10 - square)),
    "opposite yours": lambda own, other, square: square != 5 and bool(own & _bit(10 - square)),
}


@cache
def read_sheets() -> tuple[Sheet, ...]:
    """The sheets that ship."""
    return tuple(map(Sheet.from_data, json.loads(SHEETS_FILE.read_text("utf-8"))["sheets"]))


def sheets_file(rules: Iterable[str]) -> bytes:
    """The page's JSON file of the sheets by these rules, with the words that describe their lines."""
    wanted = set(rules)
    sheets = [sheet.to_data() for sheet in read_sheets() if sheet.rules in wanted]
    content = {"format": SHEETS_FORMAT, "lines": LINES_IN_WORDS, "sheets": sheets}
    return json_text(content, compact=True).encode()


def sheet_strategy(sheet: Sheet, tree: GameTree) -> FloatArray:
    """float64 (num_nodes, 3): the strategy of a player with the sheet, who draws evenly from the remaining squares."""
    boards = [Board()]
    for node in range(1, tree.num_nodes):
        boards.append(boards[tree.parent[node]].play(int(tree.square[node])))
    result = np.zeros((tree.num_nodes, len(Goal)))
    known: dict[tuple[Board, Goal], dict[Board, float]] = {}
    for node in tree.decision_nodes:
        board = boards[node]
        for goal in Goal:
            if (board, goal) not in known:
                known[board, goal] = _chances(board, sheet.choices(board, goal))
            for child in tree.children(node):
                result[child, goal] = known[board, goal].get(boards[child].canonical(), 0.0)
    result[0] = 1.0
    return result


def _chances(board: Board, squares: tuple[int, ...]) -> dict[Board, float]:
    result: dict[Board, float] = {}
    for square in squares:
        after = board.play(square).canonical()
        result[after] = result.get(after, 0.0) + 1.0 / len(squares)
    return result


def costs_at(tree: GameTree, strategy: FloatArray, values: OutcomeValues, value: float) -> tuple[float, float]:
    """The largest cost of playing one round by a strategy, in points of winning chance, moving first and moving second.

    The opponent knows the strategy, but not the drawn goal. The rest of the match is perfect. values, value: the
    outcome values, and the value of the round between perfect players, to the first mover.
    """
    game = tic_tac_toe_round(tree, values)
    against_first, against_second = (best_response_value(game, adversary, strategy) for adversary in (1, 0))
    return 50.0 * (value + against_first), 50.0 * (against_second - value)


def costs_in_match(solution: Solution, strategy: FloatArray) -> tuple[float, float]:
    """The largest cost of playing a match by one strategy at every score, against the opponent of `costs_at`.

    The costs are in points of winning chance, for the player who moves first in the first round and for the other.
    """
    everywhere = dict.fromkeys(solution.results, strategy)
    response = best_response_over_match(solution.tree, everywhere, solution.winning_score).scores[Score(0, 0)]
    value = solution.value[Score(0, 0)]
    return 50.0 * (value - response.minimum), 50.0 * (response.maximum - value)
