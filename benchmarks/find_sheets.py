"""Sheets to play by: python benchmarks/find_sheets.py OUTPUT_FILE [RULES [SECONDS [SEED]]]

Finds lists and pictures, as tictactoe/browser/sheets.py explains them, that nobody gains anything against, with as few
pictures as possible, and writes them to OUTPUT_FILE (JSON). Where that has a sheet by these rules, the search goes on
from it: tictactoe/browser/sheets.json has the best of some runs. RULES is three-in-a-row, the default, or filled. It
takes SECONDS, 600 by default: the longer, the fewer pictures.

Three steps. First the closed form that ships is made one that looks at the marks alone: where it answers the same
board differently, by the order of the marks, one of its answers is taken, until the best responses gain nothing. Then
lists are fitted to it by chance and improvement. Then every picture that the lists can do without goes, wherever the
best responses still gain nothing: in the corners of the polygon of outcome values (both, neither) in which
docs/closed-forms.md proves the story optimal, and so in all of it. The last two steps are repeated, and answers
exchanged that are as good.

What a page says of a sheet is measured again by tests/browser/test_learn.py; nothing rests on this search.
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from tictactoe import GameTree, OutcomeValues, load_solution, tic_tac_toe_round
from tictactoe.algorithms.arrays import FloatArray, make_workspace, rows_of
from tictactoe.algorithms.best_response import best_response_value
from tictactoe.browser.sheets import (
    LINES_IN_WORDS,
    SHEETS_FORMAT,
    Sheet,
    costs_at,
    costs_in_match,
    fits,
    sheet_strategy,
)
from tictactoe.games.board import Board
from tictactoe.games.rules import Goal
from tictactoe.match.scores import Score

CORNERS = {"three-in-a-row": [(-1, -1), (1, 1), (-1, 1)], "filled": [(-1, -1), (1, 0), (1, 1), (-1, 1)]}
RESULTS = {"three-in-a-row": (3, 2, 3, 1), "filled": (3, 1, 3, 2)}
"""How many of the nine rounds of the story end so that both, first, second, neither score."""
CLOSED_FORMS = {"three-in-a-row": "match_to_1", "filled": "filled_match_to_1"}
SHIPPED = {"three-in-a-row": "shipped", "filled": "filled"}
LONGEST_LIST = 5
NOT_FOR = {Goal.WIN: {"not complete"}, Goal.LOSE: {"complete"}, Goal.TIE: {"complete"}}
"""Lines that would only puzzle whoever has the goal."""
GAIN_TOLERANCE = 1e-9

Move = tuple[Board, Board]
"""A board and the one after a move, both in canonical form."""
Lists = dict[Goal, list[str]]
Story = dict[tuple[Board, Goal], tuple[int, ...]]
"""By board, in canonical form, and goal: the squares marked up to and with the move made there."""


class Boards:
    """The tree by boards instead of histories: moves from the same board, up to symmetry, are one."""

    def __init__(self, rules: str) -> None:
        self.tree = tree = GameTree.build(rules)
        boards = [Board()]
        for node in range(1, tree.num_nodes):
            boards.append(boards[tree.parent[node]].play(int(tree.square[node])))
        self.canonical = [board.canonical() for board in boards]
        self.printed: dict[Board, Board] = {}
        for node in tree.decision_nodes:
            self.printed.setdefault(self.canonical[node], boards[node])
        self.squares: dict[Board, dict[Board, list[int]]] = {board: {} for board in self.printed}
        for board, squares in self.squares.items():
            for square in board.free_squares:
                squares.setdefault(board.play(square).canonical(), []).append(square)
        moves = [(board, after) for board, squares in self.squares.items() for after in squares]
        self.index = {move: index for index, move in enumerate(moves)}
        self.of_node = np.array(
            [len(moves)]
            + [self.index[self.canonical[tree.parent[node]], self.canonical[node]] for node in range(1, tree.num_nodes)]
        )
        self.lines = {
            move: {line for line in LINES_IN_WORDS if fits(line, move[0], self.squares[move[0]][move[1]][0])}
            for move in moves
        }
        self.work = make_workspace(tree.sweep_arrays)
        points = [OutcomeValues(b, 1.0, -1.0, n) for b, n in CORNERS[rules]]
        counts = np.array(RESULTS[rules])
        self.games = [(tic_tac_toe_round(tree, point), float(counts @ np.array(point)) / 9) for point in points]

    def strategy(self, play: FloatArray) -> FloatArray:
        """On the tree; play: by index of a move and goal."""
        result: FloatArray = np.vstack([play, np.ones(len(Goal))])[self.of_node]
        return result

    def is_exact(self, play: FloatArray, seat: int) -> bool:
        """Whether the adversary of a seat gains nothing in any corner."""
        rows, sign = rows_of(self.strategy(play)), 1.0 if seat == 1 else -1.0
        return all(
            best_response_value(game, 1 - seat, rows, self.work) - sign * value < GAIN_TOLERANCE
            for game, value in self.games
        )

    def reached(self, play: FloatArray, seat: int) -> set[tuple[Board, Goal]]:
        """Where the moves of a seat lead, whatever the other one does."""
        tree, possible = self.tree, self.strategy(play) > 0.0
        possible[tree.mover != seat] = True
        for nodes in tree.nodes_by_depth[1:]:
            possible[nodes] &= possible[tree.parent[nodes]]
        own = np.flatnonzero(tree.owner == seat)
        return {(self.canonical[node], goal) for node in own for goal in Goal if possible[node, goal]}

    def by_list(self, board: Board, lines: Iterable[str]) -> list[Board]:
        """What a list leaves: the boards that may come next."""
        left = list(self.squares[board])
        for line in lines:
            left = [after for after in left if line in self.lines[board, after]] or left
        return left

    def answers(self, play: FloatArray, board: Board, goal: Goal) -> list[Board]:
        return [after for after in self.squares[board] if play[self.index[board, after], goal] > 0.0]

    def set(self, play: FloatArray, board: Board, goal: Goal, afters: Sequence[Board]) -> None:
        """Have chance choose between the squares that lead to these boards."""
        squares = self.squares[board]
        total = sum(len(squares[after]) for after in afters)
        for after in squares:
            play[self.index[board, after], goal] = len(squares[after]) / total if after in afters else 0.0


def after_moves(moves: Iterable[int]) -> Board:
    board = Board()
    for square in moves:
        board = board.play(square)
    return board


def story_of(tree: GameTree, strategy: FloatArray) -> Story:
    """The moves of the closed form's nine rounds, which no search exchanges."""
    result = {}
    for goals in product(Goal, Goal):
        node = 0
        while tree.owner[node] >= 0:
            goal, board = goals[tree.owner[node]], after_moves(tree.history(node))
            node = next(child for child in tree.children(node) if strategy[child, goal] > 0.5)
            result[board.canonical(), goal] = tree.history(node)
    return result


def by_marks_alone(boards: Boards, strategy: FloatArray, seat: int, story: Story) -> FloatArray:
    """A pure strategy as `play`, made to look at the marks alone; SystemExit where no choice of its answers does."""
    tree = boards.tree
    own = strategy > 0.0
    own[tree.mover != seat] = True
    for nodes in tree.nodes_by_depth[1:]:
        own[nodes] &= own[tree.parent[nodes]]
    found: dict[tuple[Board, Goal], Counter[Board]] = defaultdict(Counter)
    for child in np.flatnonzero(tree.mover == seat):
        for goal in Goal:
            if own[child, goal]:
                found[boards.canonical[tree.parent[child]], goal][boards.canonical[child]] += 1
    for (board, goal), moves in story.items():
        if (board, goal) in found:
            found[board, goal] = Counter([after_moves(moves).canonical()])
    play = np.zeros((len(boards.index), len(Goal)))
    for board in boards.squares:
        for goal in Goal:
            answers = [after for after, _ in found[board, goal].most_common(1)] or list(boards.squares[board])
            boards.set(play, board, goal, answers)
    open_ones = {key: list(answers) for key, answers in found.items() if len(answers) > 1}
    choices = list(product(*open_ones.values()))
    random.shuffle(choices)
    for choice in choices:
        for (board, goal), after in zip(open_ones, choice, strict=True):
            boards.set(play, board, goal, [after])
        if boards.is_exact(play, seat):
            return play
    raise SystemExit("no choice of its answers makes this strategy one that looks at the marks alone")


class Search:
    """Plays of both seats that stay exact, and lists that need as few pictures as possible to give them."""

    def __init__(self, rules: str, begun: Sheet | None) -> None:
        """begun: the sheet to go on from."""
        self.boards = Boards(rules)
        closed_form = load_solution(CLOSED_FORMS[rules]).average_strategy[Score(0, 0)]
        self.story = story_of(self.boards.tree, closed_form)
        self.lists: Lists = {goal: list(begun.lists[goal]) if begun else [] for goal in Goal}
        self.plays = [
            self._play(begun) if begun else by_marks_alone(self.boards, closed_form, seat, self.story)
            for seat in (0, 1)
        ]

    def _play(self, sheet: Sheet) -> FloatArray:
        play = np.zeros((len(self.boards.index), len(Goal)))
        for board, goal in product(self.boards.squares, Goal):
            afters = [board.play(square).canonical() for square in sheet.choices(board, goal)]
            self.boards.set(play, board, goal, afters)
        return play

    def pictured(self, lists: Lists) -> list[tuple[int, Board, Goal]]:
        """Where the lists do not say what is played, by seat."""
        return [
            (seat, board, goal)
            for seat in (0, 1)
            for board, goal in self.boards.reached(self.plays[seat], seat)
            if set(self.boards.by_list(board, lists[goal])) != set(self.boards.answers(self.plays[seat], board, goal))
        ]

    def fit(self, goal: Goal, attempts: int) -> None:
        """Change the list of a goal by chance, and keep what needs no more answers in pictures."""
        keys = [
            (self.plays[seat], board)
            for seat in (0, 1)
            for board, other in self.boards.reached(self.plays[seat], seat)
            if other == goal
        ]
        wanted = [(board, set(self.boards.answers(play, board, goal))) for play, board in keys]

        def missed(lines: Sequence[str]) -> int:
            return sum(set(self.boards.by_list(board, lines)) != answers for board, answers in wanted)

        allowed = [line for line in LINES_IN_WORDS if line not in NOT_FOR[goal]]
        best = missed(self.lists[goal])
        for _ in range(attempts):
            lines = list(self.lists[goal])
            if lines and random.random() < 0.5:
                lines.pop(random.randrange(len(lines)))
            if len(lines) < LONGEST_LIST and random.random() < 0.8:
                lines.insert(random.randrange(len(lines) + 1), random.choice(allowed))
            if len({line.removeprefix("not ") for line in lines}) == len(lines) and missed(lines) <= best:
                best, self.lists[goal] = missed(lines), lines

    def drop_pictures(self) -> None:
        """Play by the lists wherever that stays exact, in any order; then exchange some answers for others."""
        where = self.pictured(self.lists)
        random.shuffle(where)
        for seat, board, goal in where:
            self.try_out(seat, board, goal, self.boards.by_list(board, self.lists[goal]))
        for seat, board, goal in random.sample(where, min(30, len(where))):
            self.try_out(seat, board, goal, [random.choice(list(self.boards.squares[board]))])

    def try_out(self, seat: int, board: Board, goal: Goal, afters: Sequence[Board]) -> None:
        before = self.boards.answers(self.plays[seat], board, goal)
        if (board, goal) in self.story or set(before) == set(afters):
            return
        self.boards.set(self.plays[seat], board, goal, afters)
        if not self.boards.is_exact(self.plays[seat], seat):
            self.boards.set(self.plays[seat], board, goal, before)


def sheet_of(search: Search, rules: str) -> Sheet:
    """The sheet with its rounds and costs."""
    boards, pictures = search.boards, {}
    for board in dict.fromkeys(board for _, board, _ in search.pictured(search.lists)):
        seat, printed = board.num_marks % 2, boards.printed[board]
        pictures[printed] = {
            goal: tuple(
                square
                for square in printed.free_squares
                if printed.play(square).canonical() in boards.answers(search.plays[seat], board, goal)
            )
            for goal in Goal
            if (board, goal) in boards.reached(search.plays[seat], seat)
        }
    ordered = dict(sorted(pictures.items(), key=lambda item: (item[0].num_marks % 2, item[0].num_marks, item[0])))
    rounds = [[_round(boards.tree, search.story, first, second) for second in Goal] for first in Goal]
    lists = {goal: tuple(lines) for goal, lines in search.lists.items()}
    sheet = Sheet(rules, "exact", lists, ordered, rounds)
    solution = load_solution(SHIPPED[rules])
    strategy = sheet_strategy(sheet, solution.tree)
    costs = {}
    for score in sorted(solution.results):
        found = costs_at(solution.tree, strategy, solution.outcome_values(score), solution.value[score])
        costs[str(score)] = _rounded(found)
    return replace(sheet, costs=costs, match_costs=_rounded(costs_in_match(solution, strategy)))


def _rounded(costs: tuple[float, float]) -> tuple[float, float]:
    """The costs rounded up to four digits, for they are bounds; a cost that is 0 but for rounding stays 0."""
    first, second = (math.ceil(max(0.0, cost - 1e-10) * 1e4) / 1e4 for cost in costs)
    return first, second


def _round(tree: GameTree, story: Story, *goals: Goal) -> tuple[int, ...]:
    moves: tuple[int, ...] = ()
    while tree.owner[tree.find(moves)] >= 0:
        moves = story[after_moves(moves).canonical(), goals[len(moves) % 2]]
    return moves


def main() -> None:
    output = Path(sys.argv[1])
    rules, seconds, seed = (*sys.argv[2:], *("three-in-a-row", "600", "1")[len(sys.argv) - 2 :])
    random.seed(int(seed))
    others = json.loads(output.read_text("utf-8"))["sheets"] if output.exists() else []
    best = next((Sheet.from_data(other) for other in others if other["rules"] == rules), None)
    search = Search(rules, best)
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        for goal in Goal:
            search.fit(goal, 60)
        search.drop_pictures()
        count = len({board for _, board, _ in search.pictured(search.lists)})
        if best is None or count < len(best.pictures):
            best = sheet_of(search, rules)
            print(f"{count} pictures, lists {best.lists}", flush=True)
    sheets = [other for other in others if other["rules"] != rules] + ([best.to_data()] if best else [])
    output.write_text(json.dumps({"format": SHEETS_FORMAT, "sheets": sheets}, separators=(",", ":")), "utf-8")


if __name__ == "__main__":
    main()
