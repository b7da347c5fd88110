"""Tables of strategies, written and read: one row per action of every information set, in CSV or JSON lines.

The columns, which are also the keys of a JSON line:

    score          points before the round of its first mover, and of the other: 4-3. Empty (JSON: null) for a
                   round on its own
    history        the squares played so far, in order: 513. Empty before the first move
    goal           win, lose or tie: the goal of the mover, seen from that player's own seat
    move           the square
    probability    of the move, given history and goal; reading it gives the same float64
    reach          own reach of the information set; readers ignore it
    winning_score  of the match. Empty (null) for a round on its own
    rules          as str(Rules) writes them: filled 2:1:1

Rows are sorted by score, history in preorder, goal and square. A reader accepts the rows of one score, and CSV columns,
in any order. Text is ASCII, lines end in a line feed.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import IO, Annotated, Any, Literal, NoReturn

import msgspec
import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.strategy import strategy_problem
from ..errors import FormatError, Remedy
from ..games.rules import Goal, Rules, goal_name
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import LARGEST_WINNING_SCORE, Score
from ..run_control import DEFAULT_CONTROL, RunControl
from .atomic_files import read_parts, replacing_output
from .snapshot import Snapshot
from .texts import in_our_words, json_of

ROW_FORMATS = {"csv": "%s,%s,%d,", "jsonl": '"history": "%s", "goal": "%s", "move": %d, "probability": '}
"""By format, a template for the part of a row between score and probability."""
_LONGEST_LINE = 1000
_ROWS_AT_ONCE = 20_000
_NAME = re.compile(r".*\.(csv|jsonl)(\.gz)?", re.IGNORECASE)
_SCORE = re.compile(r"(0|[1-9][0-9]{0,3})-(0|[1-9][0-9]{0,3})")
_Probability = Annotated[float, msgspec.Meta(ge=0.0, le=1.0 + 1e-6)]


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """A row of a table in either format. Its fields are the columns, in order."""

    score: str | None
    history: str
    goal: Literal["win", "lose", "tie"]
    move: Annotated[int, msgspec.Meta(ge=1, le=9)]
    probability: _Probability
    reach: _Probability
    winning_score: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_WINNING_SCORE)] | None
    rules: str


TABLE_COLUMNS = Row.__struct_fields__


class StrategyTable:
    """The rows of any strategy on one tree. There are R rows: 3 goals for every node but the root."""

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        blocks = [tree.children(node) for node in tree.decision_nodes.tolist()]
        self.node = np.array([child for block in blocks for _ in Goal for child in block])
        """int (R,): the node to which the row's move leads."""
        self.goal = np.array([int(goal) for block in blocks for goal in Goal for _ in block])
        """int (R,): the mover's goal."""
        self._middles: dict[str, list[str]] = {}

    def csv_header(self) -> str:
        return ",".join(TABLE_COLUMNS) + "\n"

    def rows(
        self,
        strategy: FloatArray,
        score: Score | None,
        winning_score: int | None,
        *,
        file_format: str = "csv",
        reachable_only: bool = False,
    ) -> Iterator[str]:
        """The rows of a strategy, float64 (num_nodes, 3), without a header, as texts of some thousand lines each.

        reachable_only: leave out information sets that either player's strategy never reaches. Raises ValueError for an
        unknown format.
        """
        if file_format not in ROW_FORMATS:
            raise ValueError(f"file_format: {file_format!r} is not one of {', '.join(ROW_FORMATS)}")
        reach = self.tree.own_reach(strategy)
        parents, mover = self.tree.parent[self.node], self.tree.mover[self.node]
        own = reach[mover, parents, self.goal]
        kept = np.arange(len(self.node))
        if reachable_only:
            kept = np.flatnonzero((own > 0.0) & (reach[1 - mover, parents] > 0.0).any(axis=1))
        if file_format not in self._middles:
            self._middles[file_format] = [ROW_FORMATS[file_format] % key for key in self.keys]
        middle = self._middles[file_format]
        if file_format == "csv":
            start, between = f"{'' if score is None else score},", ","
            end = f",{'' if winning_score is None else winning_score},{self.tree.rules}\n"
        else:
            start, between = f'{{"score": {json.dumps(None if score is None else str(score))}, ', ', "reach": '
            end = f', "winning_score": {json.dumps(winning_score)}, "rules": {json.dumps(str(self.tree.rules))}}}\n'
        for first in range(0, len(kept), _ROWS_AT_ONCE):
            rows = kept[first : first + _ROWS_AT_ONCE]
            probabilities = strategy[self.node[rows], self.goal[rows]].tolist()
            fields = zip(rows.tolist(), probabilities, own[rows].tolist(), strict=True)
            yield "".join([f"{start}{middle[row]}{p!r}{between}{r!r}{end}" for row, p, r in fields])

    @cached_property
    def keys(self) -> list[tuple[str, str, int]]:
        """The history, goal and move of every row."""
        tree, square = self.tree, self.tree.square.tolist()
        history = [""] * tree.num_nodes
        for node, parent in enumerate(tree.parent.tolist()[1:], 1):
            history[node] = history[parent] + str(square[node])
        goals = [goal_name(goal) for goal in Goal]
        places = zip(self.node.tolist(), self.goal.tolist(), strict=True)
        return [(history[node][:-1], goals[goal], square[node]) for node, goal in places]


def format_of_name(path: Path) -> str | None:
    """The format, "csv" or "jsonl", by the end of the file's name; None for another name."""
    match = _NAME.fullmatch(path.name)
    return match[1].lower() if match else None


def table_texts(
    tree: GameTree,
    snapshots: Iterable[Snapshot],
    *,
    file_format: str = "csv",
    reachable_only: bool = False,
    average: bool = True,
) -> Iterator[str]:
    """The table of several snapshots, as texts of some thousand lines each; see `StrategyTable.rows`."""
    table = StrategyTable(tree)
    if file_format == "csv":
        yield table.csv_header()
    for snapshot in snapshots:
        strategy = snapshot.average_strategy(tree) if average else snapshot.current_strategy
        yield from table.rows(
            strategy, snapshot.score, snapshot.winning_score, file_format=file_format, reachable_only=reachable_only
        )


def write_table(path: Path, texts: Iterable[str], control: RunControl[Any] = DEFAULT_CONTROL) -> int:
    """Write a table, gzipped if the file's name ends in .gz, and return the number of lines.

    Raises OSError, and Interrupted after a stop. An earlier file then stays.
    """
    num_lines = 0
    with contextlib.ExitStack() as stack:
        file: IO[bytes] | gzip.GzipFile = stack.enter_context(replacing_output(path))
        if (
            path.resolve().name.lower().endswith(".gz")
        ):  # without name and time, so that equal content gives equal bytes
            file = stack.enter_context(gzip.GzipFile("", "wb", 6, file, mtime=0))
        for text in texts:
            control.check_stop("nothing was written")
            file.write(text.encode("ascii"))
            num_lines += text.count("\n")
    return num_lines


def read_table(path: Path, table: StrategyTable) -> Iterator[tuple[int, Score, FloatArray]]:
    """Read the strategies in a table of either format, gzipped or not.

    Yields the winning score, the score, and float64 (num_nodes, 3), the probability of the move into each node. Raises
    FormatError, which names the line, for anything but complete strategies on the tree of `table`.
    """
    return _TableReader(path, table).strategies()


def rules_of_table(path: Path) -> Rules:
    """The rules in the first row of a table. Raises FormatError."""
    reader = _Rows(path)
    row = next(reader.rows(), None)
    if row is None:
        reader.refuse("the file has no rows")
    try:
        return Rules.parse(row.rules)
    except ValueError as error:
        reader.refuse(f"rules: {error}")


class _Rows:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._line = 0
        self._in_row = False  # whether the csv module has taken a line and not yet returned its row

    def refuse(self, what: str) -> NoReturn:
        raise FormatError(self._path, f"line {max(self._line, 1)}: {what}")

    def rows(self) -> Iterator[Row]:
        lines = self._text_lines()
        first = next(lines, "")
        lines = itertools.chain([first], lines)
        try:
            is_json = first.lstrip().startswith("{")
            yield from self._json_rows(lines) if is_json else self._csv_rows(lines)
        except (msgspec.DecodeError, RecursionError) as error:
            self.refuse(in_our_words(error))
        except csv.Error:
            self.refuse("not CSV: a quoted field does not end, or something follows it")

    def _json_rows(self, lines: Iterator[str]) -> Iterator[Row]:
        decode = msgspec.json.Decoder(Row).decode
        for line in lines:
            row = decode(line)
            colons = f"{row.score}{row.history}{row.rules}".count(":")
            if "\\" in line or line.count(":") != len(TABLE_COLUMNS) + colons:  # perhaps more keys than columns
                json_of(line, object_pairs_hook=self._check_keys)
            yield row

    def _check_keys(self, pairs: list[tuple[str, object]]) -> None:
        keys = [key for key, _ in pairs]
        for key in TABLE_COLUMNS:
            if keys.count(key) > 1:
                self.refuse(f"{key} occurs twice")

    def _single_lines(self, lines: Iterator[str]) -> Iterator[str]:
        for line in lines:
            if self._in_row:
                self._line -= 1
                self.refuse("not CSV: a quoted field does not end on its line")
            self._in_row = True
            yield line

    def _csv_rows(self, lines: Iterator[str]) -> Iterator[Row]:
        reader = csv.reader(self._single_lines(lines), strict=True)
        header = next(reader, [])
        self._in_row = False
        if sorted(header) != sorted(TABLE_COLUMNS):
            self.refuse(f"neither JSON lines nor the CSV header {','.join(TABLE_COLUMNS)}, in any order")
        for fields in reader:
            self._in_row = False
            if len(fields) != len(TABLE_COLUMNS):
                self.refuse(f"{len(fields)} fields, but {len(TABLE_COLUMNS)} are needed")
            row: dict[str, str | None] = dict(zip(header, fields, strict=True))
            row["winning_score"] = row["winning_score"] or None
            yield msgspec.convert(row, Row, strict=False)

    def _text_lines(self) -> Iterator[str]:
        inflate, rest = next(read_parts(self._path), b"").startswith(b"\x1f\x8b"), b""
        for part in itertools.chain(read_parts(self._path, inflate=inflate), [b""]):
            *pieces, rest = (rest + part).split(b"\n")
            if len(rest) > _LONGEST_LINE or (rest and not part):  # a line too long, or a last line without an end
                pieces.append(rest)
            for piece in pieces:
                self._line += 1
                if len(piece) > _LONGEST_LINE:
                    self.refuse(f"longer than {_LONGEST_LINE} bytes")
                if self._line == 1:
                    piece = piece.removeprefix(b"\xef\xbb\xbf")
                try:
                    yield piece.decode("ascii")
                except UnicodeDecodeError:
                    self.refuse("a byte that is not ASCII")


class _TableReader(_Rows):
    def __init__(self, path: Path, table: StrategyTable) -> None:
        super().__init__(path)
        self._table = table
        self._row_of = {key: row for row, key in enumerate(table.keys)}
        self._winning_score = 0
        self._done: set[Score] = set()

    def strategies(self) -> Iterator[tuple[int, Score, FloatArray]]:
        for _, rows in itertools.groupby(self.rows(), attrgetter("score")):
            first = next(rows)
            score = self._new_score(first)
            yield self._winning_score, score, self._strategy(score, itertools.chain([first], rows))  # noqa: B031
        if not self._done:
            self.refuse("the file has no rows")

    def _check_match(self, row: Row) -> None:
        rules = str(self._table.tree.rules)
        if row.rules != rules:
            self.refuse(f"rules: {row.rules[:40]!r}, but {rules!r} is needed")
        if row.winning_score is None:
            self.refuse("winning_score is empty: a round that was solved on its own is not part of a match")
        if self._winning_score not in (0, row.winning_score):
            self.refuse(f"winning_score: {row.winning_score} after rows with {self._winning_score}")
        self._winning_score = row.winning_score

    def _new_score(self, row: Row) -> Score:
        self._check_match(row)
        match = _SCORE.fullmatch(text := row.score or "")
        if match is None:
            self.refuse(f"score: {text[:40]!r} is not a score such as 4-3")
        score = Score(int(match[1]), int(match[2]))
        if max(score) >= self._winning_score:
            self.refuse(f"score: {score} does not exist in a match to {self._winning_score}")
        if score in self._done:
            self.refuse(f"score: rows of {score} again after those of another score; a score's rows must be together")
        self._done.add(score)
        return score

    def _strategy(self, score: Score, rows: Iterable[Row]) -> FloatArray:
        tree, table, start = self._table.tree, self._table, self._line
        row_of, match = self._row_of, (self._winning_score, str(tree.rules))
        values, lines = [0.0] * len(row_of), [0] * len(row_of)
        for row in rows:
            if (row.winning_score, row.rules) != match:
                self._check_match(row)
            index = row_of.get((row.history, row.goal, row.move), -1)
            if index < 0 and any(row.history == history for history, _, _ in table.keys):
                self.refuse(f"move: {row.move} after history {row.history!r} is not in the tree of this game")
            if index < 0:
                self.refuse(f"history: {row.history[:40]!r} is not a decision in the tree of this game")
            if lines[index]:
                self.refuse(f"the same score, history, goal and move as in line {lines[index]}")
            values[index], lines[index] = row.probability, self._line
        if 0 in lines:
            history, goal, move = table.keys[lines.index(0)]
            place = f"{f'history {history}' if history else 'empty history'}, goal {goal}, move {move}"
            missing = f"score {score}: {place} is missing (rows missing in all: {lines.count(0)})"
            raise FormatError(self._path, f"line {start} and after, {missing}", Remedy.WHOLE_EXPORT)
        strategy = np.ones((tree.num_nodes, 3))
        strategy[table.node, table.goal] = values
        bad = strategy_problem(tree, strategy)
        if bad is not None:
            of_set = (tree.parent[table.node] == bad.node) & (table.goal == bad.type)
            place = f"{tree.history_name(bad.node)}, goal {goal_name(bad.type)}"
            raise FormatError(self._path, f"line {np.array(lines)[of_set].min()}: score {score}, {place}: {bad.what}")
        return strategy
