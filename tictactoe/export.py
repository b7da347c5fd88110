"""Strategies as tables: one row per action of every information set, in CSV or JSON lines, written and read.

The columns, which are the keys of a JSON line, too:

    score          points before the round of the player who moves first in it, and of the other: 4-3.
                   Empty (JSON: null) for a round that was solved on its own
    history        the squares played so far, in order: 513. Empty before the first move
    goal           win, lose or tie: the goal of the player to move, seen from that player's own seat
    move           the square
    probability    of the move, given history and goal; written so that reading it gives the same float64
    reach          own reach of the information set: the product of the probabilities of the mover's own earlier moves
                   in the history, given the goal; 1 where there are none. Neither the opponent's moves nor the
                   probability of the goal are in it
    winning_score  of the match. Empty (null) for a round on its own
    end_rule       the rule that ends a round

Rows stand by score, then history in preorder, then goal, then square. A reader takes the rows of one score in any
order, but not mixed with those of another; CSV columns in any order; and it computes reach anew.
Text is ASCII, lines end in a line feed.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import itertools
import json
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

import numpy as np

from .files import FormatError, replacing_output
from .game import FloatArray
from .match import LARGEST_WINNING_SCORE, Goal, Score
from .published import goal_name, history_name, read_parts, strategy_problem
from .tree import GameTree

COLUMNS = ("score", "history", "goal", "move", "probability", "reach", "winning_score", "end_rule")
FORMATS = ("csv", "jsonl")

_LONGEST_LINE = 1000
_ROWS_AT_ONCE = 20_000
_NAME = re.compile(r".*\.(csv|jsonl)(\.gz)?", re.IGNORECASE)
_SCORE = re.compile(r"(0|[1-9][0-9]{0,3})-(0|[1-9][0-9]{0,3})")


class Row(NamedTuple):
    """A row as text, whatever the format, except for the probability and the reach."""

    score: str
    history: str
    goal: str
    move: str
    probability: float
    reach: float
    winning_score: str
    end_rule: str


class TableStrategy(NamedTuple):
    """One score's strategy out of a table: float64 (num_nodes, 3), the probability of the move into the node."""

    winning_score: int
    score: Score
    strategy: FloatArray


class StrategyTable:
    """The rows of any strategy on one tree. R rows: 3 goals for every node but the root."""

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        counts = tree.num_children[tree.decision_nodes]
        parents = np.repeat(tree.decision_nodes, 3 * counts)
        # Within the block of a decision node with c children: c rows of the first goal, then of the next.
        starts = np.repeat(np.r_[0, np.cumsum(3 * counts)[:-1]], 3 * counts)
        within = np.arange(len(parents)) - starts
        width = np.repeat(counts, 3 * counts)
        self.node = tree.first_child[parents] + within % width
        """(R,) the node that the row's move leads to."""
        self.goal = within // width
        """(R,) the mover's goal."""

    def csv_header(self) -> str:
        return ",".join(COLUMNS) + "\n"

    def rows(
        self, strategy: FloatArray, score: Score | None, winning_score: int | None, *, file_format: str = "csv",
        reachable_only: bool = False,
    ) -> Iterator[str]:
        """The lines of a strategy, float64 (num_nodes, 3), some thousands in one text at a time; no header.

        reachable_only: leave out the information sets that the mover's own moves, or the opponent's for every goal,
        never lead to. Raises ValueError for an unknown format.
        """
        if file_format not in FORMATS:
            raise ValueError(f"file_format: {file_format!r} is not one of {', '.join(FORMATS)}")
        reach = own_reach(self.tree, strategy)
        parents = self.tree.parent[self.node]
        mover = self.tree.owner[parents]
        own = reach[mover, parents, self.goal]
        kept = np.arange(len(self.node))
        if reachable_only:
            kept = np.flatnonzero((own > 0.0) & (reach[1 - mover, parents] > 0.0).any(axis=1))
        middle, start, reach_key, end = self._texts(score, winning_score, file_format)
        for first in range(0, len(kept), _ROWS_AT_ONCE):
            rows = kept[first : first + _ROWS_AT_ONCE]
            texts = itemgetter(*rows.tolist())(middle) if len(rows) > 1 else (middle[rows[0]],)
            probabilities = map(repr, strategy[self.node[rows], self.goal[rows]].tolist())
            reaches = map(repr, own[rows].tolist())
            fields = zip(texts, probabilities, reaches, strict=True)
            yield "".join([f"{start}{text}{p}{reach_key}{r}{end}" for text, p, r in fields])

    def _texts(
        self, score: Score | None, winning_score: int | None, file_format: str
    ) -> tuple[list[str], str, str, str]:
        """What stands in a row around its two numbers: by row between score and probability; and in every row."""
        if file_format == "csv":
            start = "," if score is None else f"{score},"
            points = "" if winning_score is None else str(winning_score)
            return self._csv_middle, start, ",", f",{points},{self.tree.end_rule}\n"
        start = f'{{"score": {json.dumps(None if score is None else str(score))}, '
        end = f', "winning_score": {json.dumps(winning_score)}, "end_rule": {json.dumps(self.tree.end_rule)}}}\n'
        return self._jsonl_middle, start, ', "reach": ', end

    @cached_property
    def keys(self) -> list[tuple[str, str, str]]:
        """History, goal and move of every row, as text."""
        tree = self.tree
        history = [""] * tree.num_nodes
        square, parent = tree.square.tolist(), tree.parent.tolist()
        for node in range(1, tree.num_nodes):
            history[node] = history[parent[node]] + str(square[node])
        goals = [goal_name(goal) for goal in Goal]
        return [
            (history[node][:-1], goals[goal], history[node][-1])
            for node, goal in zip(self.node.tolist(), self.goal.tolist(), strict=True)
        ]

    @cached_property
    def row_of(self) -> dict[tuple[str, str, str], int]:
        """The row of a history, goal and move."""
        return {key: row for row, key in enumerate(self.keys)}

    @cached_property
    def _csv_middle(self) -> list[str]:
        return [f"{history},{goal},{move}," for history, goal, move in self.keys]

    @cached_property
    def _jsonl_middle(self) -> list[str]:
        return [
            f'"history": "{history}", "goal": "{goal}", "move": {move}, "probability": '
            for history, goal, move in self.keys
        ]


def own_reach(tree: GameTree, strategy: FloatArray) -> FloatArray:
    """float64 (2, num_nodes, 3), by player, node and the player's goal: the product of the player's own probabilities
    on the way to the node. The probability of the goal is not in it."""
    result = np.ones((2, tree.num_nodes, 3))
    for depth in range(1, int(tree.depth.max()) + 1):
        nodes = np.flatnonzero(tree.depth == depth)
        result[:, nodes] = result[:, tree.parent[nodes]]
        result[tree.owner[tree.parent[nodes]], nodes] *= strategy[nodes]
    return result


def format_of_name(path: Path) -> str | None:
    """csv or jsonl, as the file's name says; None when it says neither."""
    match = _NAME.fullmatch(path.name)
    return match[1].lower() if match else None


@contextlib.contextmanager
def replacing_table(path: Path) -> Iterator[IO[bytes]]:
    """`files.replacing_output` for a table: gzipped if the name ends in .gz."""
    with replacing_output(path) as file:
        if path.resolve().name.lower().endswith(".gz"):  # without name and time: the same content gives the same bytes
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                yield packed  # type: ignore[misc]
        else:
            yield file


def read_table(path: Path, table: StrategyTable) -> Iterator[TableStrategy]:
    """The strategies in a table of either format, gzipped or not, one score at a time as the file is read.

    Raises FormatError, naming the line, for anything but whole strategies on the tree of `table`. Memory does not
    depend on the size of the file: every line must be short, and a new row of a strategy.
    """
    return _TableReader(path, table).strategies()


class _TableReader:
    def __init__(self, path: Path, table: StrategyTable) -> None:
        self._path = path
        self._table = table
        self._tree = table.tree
        self._line = 0
        self._score = ""
        self._score_line = 0
        self._winning_score = 0
        self._done: set[Score] = set()
        self._values: list[float] = []
        self._lines: list[int] = []

    def strategies(self) -> Iterator[TableStrategy]:
        current: str | None = None
        end_rule, winning_score = self._tree.end_rule, ""
        row_of = self._table.row_of
        num_rows = len(row_of)
        values, lines = self._values, self._lines
        for row in self._rows():
            if row.score != current:
                if current is not None:
                    yield self._finished()
                self._start(row)
                current, winning_score = row.score, row.winning_score
                self._values, self._lines = [0.0] * num_rows, [0] * num_rows
                values, lines = self._values, self._lines
            if row.winning_score != winning_score or row.end_rule != end_rule:
                self._check_match(row)
            index = row_of.get(row[1:4], -1)
            if index < 0:
                self._refuse_key(row)
            if lines[index]:
                self._refuse(f"the same score, history, goal and move as in line {lines[index]}")
            if not 0.0 <= row.reach <= 1.0 + 1e-6:
                self._refuse(f"reach: {row.reach!r} is not in 0 to 1")
            if not 0.0 <= row.probability <= 1.0 + 1e-6:
                self._refuse(f"probability: {row.probability!r} is not in 0 to 1")
            values[index] = row.probability
            lines[index] = self._line
        if current is None:
            self._refuse("the file holds no rows")
        yield self._finished()

    def _check_match(self, row: Row) -> None:
        """That winning score and rule are those of the rows before, or can be those of a first row."""
        if row.end_rule != self._tree.end_rule:
            self._refuse(f"end_rule: {row.end_rule[:40]!r} where {self._tree.end_rule!r} is needed")
        if row.winning_score == "":
            self._refuse("winning_score is empty: a round that was solved on its own is no part of a match")
        if not re.fullmatch("[1-9][0-9]{0,3}", row.winning_score) or int(row.winning_score) > LARGEST_WINNING_SCORE:
            self._refuse(f"winning_score: {row.winning_score[:40]!r} is not in 1 to {LARGEST_WINNING_SCORE}")
        if self._winning_score not in (0, int(row.winning_score)):
            self._refuse(f"winning_score: {row.winning_score} after rows with {self._winning_score}")
        self._winning_score = int(row.winning_score)

    def _start(self, row: Row) -> None:
        self._check_match(row)
        match = _SCORE.fullmatch(row.score)
        if match is None:
            self._refuse(f"score: {row.score[:40]!r} is not a score such as 4-3")
        score = Score(int(match[1]), int(match[2]))
        if max(score) >= self._winning_score:
            self._refuse(f"score: {score} does not exist in a match to {self._winning_score}")
        if score in self._done:
            self._refuse(f"score: rows of {score} again after those of another score; a score's rows stand together")
        self._done.add(score)
        self._score, self._score_line = row.score, self._line

    def _finished(self) -> TableStrategy:
        tree, table = self._tree, self._table
        lines = np.array(self._lines)
        if not lines.all():
            missing = np.flatnonzero(lines == 0)
            history, goal, move = table.keys[missing[0]]
            what = f"history {history}" if history else "empty history"
            raise FormatError(
                self._path,
                f"line {self._score_line} and after, score {self._score}: {what}, goal {goal}, move {move} is missing, "
                f"{len(missing)} rows in all; an export made with --reachable-only cannot be imported",
            )
        strategy = np.ones((tree.num_nodes, 3))
        strategy[table.node, table.goal] = self._values
        bad = strategy_problem(tree, strategy)
        if bad is not None:
            rows = (tree.parent[table.node] == bad.node) & (table.goal == bad.goal)
            raise FormatError(
                self._path,
                f"line {lines[rows].min()}: score {self._score}, {history_name(tree, bad.node)}, "
                f"goal {goal_name(bad.goal)}: {bad.what}",
            )
        score = Score(*map(int, self._score.split("-")))
        return TableStrategy(self._winning_score, score, strategy)

    def _refuse_key(self, row: Row) -> NoReturn:
        if row.goal not in {goal_name(goal) for goal in Goal}:
            self._refuse(f"goal: {row.goal[:40]!r} is not win, lose or tie")
        if re.fullmatch("[1-9]?", row.move) is None or not row.move:
            self._refuse(f"move: {row.move[:40]!r} is not a square, 1 to 9")
        histories = {history for history, _, _ in self._table.keys}
        if row.history not in histories:
            self._refuse(f"history: {row.history[:40]!r} is not a decision in the tree of this game")
        self._refuse(f"move: {row.move} after history {row.history!r} does not stand in the tree of this game")

    def _refuse(self, what: str) -> NoReturn:
        raise FormatError(self._path, f"line {max(self._line, 1)}: {what}")

    def _rows(self) -> Iterator[Row]:
        lines = self._text_lines()
        first = next(lines, "")
        lines = itertools.chain([first], lines)
        return self._json_rows(lines) if first.lstrip().startswith("{") else self._csv_rows(lines)

    def _csv_rows(self, lines: Iterator[str]) -> Iterator[Row]:
        reader = csv.reader(lines, strict=True)
        try:
            header = next(reader, [])
            if sorted(header) != sorted(COLUMNS):
                self._refuse(f"neither JSON lines nor the CSV header {','.join(COLUMNS)}, in any order")
            arrange: Callable[[list[str]], tuple[str, ...]] = itemgetter(*(header.index(name) for name in COLUMNS))
            for fields in reader:
                if len(fields) != len(COLUMNS):
                    self._refuse(f"{len(fields)} fields where {len(COLUMNS)} are needed")
                score, history, goal, move, probability, reach, winning_score, end_rule = arrange(fields)
                try:
                    numbers = float(probability), float(reach)
                except ValueError:
                    self._refuse(f"probability, reach: {probability[:40]!r}, {reach[:40]!r} are not two numbers")
                yield Row(score, history, goal, move, *numbers, winning_score, end_rule)
        except csv.Error as error:
            self._refuse(f"not CSV: {error}")

    def _json_rows(self, lines: Iterator[str]) -> Iterator[Row]:
        keys = sorted(COLUMNS)
        for line in lines:
            try:
                item: Any = json.loads(line)
            except (ValueError, RecursionError):
                self._refuse("not a JSON object")
            if type(item) is not dict or sorted(item) != keys:
                self._refuse(f"not a JSON object with the keys {', '.join(COLUMNS)}")
            fields: list[Any] = [item[name] for name in COLUMNS]
            score, history, goal, move, probability, reach, winning_score, end_rule = fields
            texts = ("" if score is None else score, history, goal, end_rule)
            if not all(type(text) is str for text in texts):
                self._refuse("score, history, goal and end_rule must be texts")
            if type(move) is not int or type(winning_score) not in (int, type(None)):
                self._refuse("move and winning_score must be whole numbers")
            if type(probability) not in (int, float) or type(reach) not in (int, float):
                self._refuse("probability and reach must be numbers")
            try:
                numbers = float(probability), float(reach)
            except OverflowError:
                self._refuse("probability and reach must be in 0 to 1")
            points = "" if winning_score is None else str(winning_score)
            yield Row(texts[0], history, goal, str(move), *numbers, points, end_rule)

    def _text_lines(self) -> Iterator[str]:
        """The lines of the file, inflated if need be, without their ends; keeps count of them."""
        start = next(read_parts(self._path, inflate=False), b"")[:2]
        rest = b""
        parts = read_parts(self._path, inflate=start == b"\x1f\x8b")
        for part in itertools.chain(parts, [b""]):
            pieces = (rest + part).split(b"\n")
            rest = pieces.pop() if part else b""
            if not part and pieces == [b""]:
                return
            for piece in pieces:
                self._line += 1
                if len(piece) > _LONGEST_LINE:
                    self._refuse(f"longer than {_LONGEST_LINE} bytes")
                if self._line == 1:
                    piece = piece.removeprefix(b"\xef\xbb\xbf")
                try:
                    yield piece.decode("ascii")
                except UnicodeDecodeError:
                    self._refuse("a byte that is not ASCII")
            if len(rest) > _LONGEST_LINE:
                self._line += 1
                self._refuse(f"longer than {_LONGEST_LINE} bytes")
