"""Strategies as tables: what the rows say, and what is refused by the line."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.storage_files import random_strategy, refusal, small_tree

from tictactoe import GameTree, Goal, Score
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.storage.strategy_tables import TABLE_COLUMNS, StrategyTable, read_table


@pytest.fixture(scope="module")
def table(tree: GameTree) -> StrategyTable:
    return StrategyTable(tree)


@pytest.fixture(scope="module")
def table_text(table: StrategyTable, strategy: FloatArray) -> str:
    """The CSV of a match to 1 in which `strategy` is played."""
    return table.csv_header() + "".join(table.rows(strategy, Score(0, 0), 1))


def test_rows_and_columns_in_another_order(
    table: StrategyTable, table_text: str, strategy: FloatArray, path: Path
) -> None:
    rows = [row.split(",") for row in table_text.splitlines()[1:]]
    order = list(range(len(TABLE_COLUMNS)))
    random.Random(5).shuffle(order)
    random.Random(6).shuffle(rows)
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)  # with CR LF
    writer.writerows([[row[column] for column in order] for row in [list(TABLE_COLUMNS), *rows]])
    path.write_bytes(b"\xef\xbb\xbf" + text.getvalue().removesuffix("\r\n").encode())
    ((winning_score, score, read),) = read_table(path, table)
    assert (winning_score, score) == (1, Score(0, 0))
    assert np.array_equal(read, strategy)


def test_what_the_columns_say(tree: GameTree, table: StrategyTable) -> None:
    strategy = random_strategy(tree, 7, zeros=0.3)
    lines = "".join(table.rows(strategy, Score(1, 0), 3)).splitlines()
    assert len(lines) == 3 * (tree.num_nodes - 1)
    json_rows = "".join(table.rows(strategy, None, None, file_format="jsonl")).splitlines()
    for index in random.Random(8).sample(range(len(lines)), 1000):
        (row,) = csv.DictReader([lines[index]], TABLE_COLUMNS)
        assert (row["score"], row["winning_score"], row["end_rule"]) == ("1-0", "3", "three-in-a-row")
        history = tuple(map(int, row["history"]))
        goal = Goal[row["goal"].upper()]
        node = tree.find([*history, int(row["move"])])
        assert float(row["probability"]) == strategy[node, goal]
        reach = 1.0
        for length in range(len(history) % 2, len(history), 2):
            reach *= float(strategy[tree.find(history[: length + 1]), goal])
        assert float(row["reach"]) == reach
        numbers = {"move": int(row["move"]), "probability": float(row["probability"]), "reach": reach}
        assert json.loads(json_rows[index]) == row | numbers | {"score": None, "winning_score": None}


def line(number: int, old: str, new: str) -> Callable[[str], str]:
    """A change of one line, counted from 1."""

    def change(text: str) -> str:
        lines = text.split("\n", number)
        assert old in lines[number - 1], lines[number - 1]
        lines[number - 1] = lines[number - 1].replace(old, new, 1)
        return "\n".join(lines)

    return change


NO_HEADER = f"line 1: neither JSON lines nor the CSV header {','.join(TABLE_COLUMNS)}, in any order"
PARTIAL = "; an export of reachable positions alone cannot be imported"
START, TWICE = "empty history", "the same score, history, goal and move as"
NO_TREE = "does not stand in the tree of this game"
NO_DECISION = "is not a decision in the tree of this game"
ALONE = "a round that was solved on its own is no part of a match"
OPEN = "not CSV: a quoted field does not end on its line"
BAD_FIELDS = [
    ("goal", "draw", "goal: invalid value 'draw'"),
    ("move", "0", "move: expected int >= 1"),
    ("move", "3", f"move: 3 after history '' {NO_TREE}"),
    ("history", "99", f"history: '99' {NO_DECISION}"),
    ("history", "123456789", f"history: '123456789' {NO_DECISION}"),
    ("score", "zero", "score: 'zero' is not a score such as 4-3"),
    ("score", "", "score: '' is not a score such as 4-3"),
    ("score", "1-0", "score: 1-0 does not exist in a match to 1"),
    ("winning_score", "0", "winning_score: expected int >= 1"),
    ("winning_score", "1001", "winning_score: expected int <= 100"),
    ("winning_score", "", f"winning_score is empty: {ALONE}"),
    ("end_rule", "full", "end_rule: 'full' where 'three-in-a-row' is needed"),
    ("probability", "-0.1", "probability: expected float >= 0.0"),
    ("probability", "nan", "probability: expected float >= 0.0"),
    ("probability", "inf", "probability: expected float <= 1.000001"),
    ("probability", "half", "probability: expected float, got str"),
    ("probability", "0.999", f"score 0-0, {START}, goal win: the probabilities sum to 1.9195484575338506, not 1"),
    ("reach", "-1", "reach: expected float >= 0.0"),
]
"""Of line 2: column, what stands there, what is said of it."""
BAD_TABLES: list[tuple[Callable[[str], str], str]] = [
    (lambda text: "", NO_HEADER),
    (lambda text: text.split("\n")[0] + "\n", "line 1: the file holds no rows"),
    (lambda text: text.split("\n", 1)[1], NO_HEADER),
    (line(1, ",reach", ""), NO_HEADER),
    (line(1, ",reach", ",move"), NO_HEADER),
    (line(1, "end_rule", "end_rule,x"), NO_HEADER),
    (line(3, ",three-in-a-row", ""), "line 3: 7 fields where 8 are needed"),
    (line(3, "three", "a,three"), "line 3: 9 fields where 8 are needed"),
    (line(3, "0-0", "\n0-0"), "line 3: 0 fields where 8 are needed"),
    (line(3, "0-0", '"0-0'), f"line 3: {OPEN}"),
    (line(3, "three", '"three'), f"line 3: {OPEN}"),
    (lambda text: text.replace("three-in-a-row", '"three\n-in-a-row"', 1), f"line 2: {OPEN}"),
    (lambda text: text + '"0-0', "line 112613: not CSV: a quoted field does not end, or something follows it"),
    (line(1, "score", '"score'), f"line 1: {OPEN}"),
    (line(3, "win", "w\u00efn"), "line 3: a byte that is not ASCII"),
    (line(3, "win", "w" * 2000), "line 3: longer than 1000 bytes"),
    (line(2, ",1,three", ",2,three"), "line 3: winning_score: 1 after rows with 2"),
    (
        lambda text: text.replace(",1,three", ",2,three").replace("\n0-0", "\n1-1", 1),
        f"line 2 and after, score 1-1: {START}, goal win, move 2 is missing (rows missing in all: 112610){PARTIAL}",
    ),
    (lambda text: text + text.split("\n")[4] + "\n", f"line 112613: {TWICE} in line 5"),
    (
        lambda text: text[: text[:-1].rindex("\n") + 1],
        f"line 2 and after, score 0-0: history 5287964, goal tie, move 3 is missing (rows missing in all: 1){PARTIAL}",
    ),
    (lambda text: text[:-9], "line 112612: end_rule: 'three-' where 'three-in-a-row' is needed"),
    (lambda text: text + "0-1" + text.split("\n")[1][3:], "line 112613: score: 0-1 does not exist in a match to 1"),
]


def said_of(path: Path, table: StrategyTable) -> str:
    return refusal(lambda *arguments: list(read_table(*arguments)), path, table)


@pytest.mark.parametrize(("name", "value", "message"), BAD_FIELDS)
def test_bad_fields(table: StrategyTable, table_text: str, path: Path, name: str, value: str, message: str) -> None:
    header, row, rest = table_text.split("\n", 2)
    fields = dict(zip(TABLE_COLUMNS, row.split(","), strict=True)) | {name: value}
    path.write_text("\n".join([header, ",".join(fields.values()), rest]))
    assert said_of(path, table) == f"line 2: {message}"


@pytest.mark.parametrize(("change", "expected"), BAD_TABLES, ids=[expected for _, expected in BAD_TABLES])
def test_bad_tables(
    table: StrategyTable, table_text: str, path: Path, change: Callable[[str], str], expected: str
) -> None:
    path.write_bytes(change(table_text).encode("latin-1"))
    assert said_of(path, table) == expected


def json_line(**changes: object) -> str:
    fields = ("0-0", "", "win", 1, 0.5, 1.0, 1, "three-in-a-row")
    row = dict(zip(TABLE_COLUMNS, fields, strict=True)) | changes
    return json.dumps({name: value for name, value in row.items() if value != "gone"}) + "\n"


BAD_JSON_FIELDS: list[tuple[dict[str, object], str]] = [
    ({"move": "gone"}, "missing required field move"),
    ({"extra": 1}, "contains unknown field extra"),
    ({"move": "1"}, "move: expected int, got str"),
    ({"move": True}, "move: expected int, got bool"),
    ({"move": 10}, "move: expected int <= 9"),
    ({"winning_score": 1.5}, "winning_score: expected int | null, got float"),
    ({"winning_score": -1}, "winning_score: expected int >= 1"),
    ({"winning_score": None, "score": None}, f"winning_score is empty: {ALONE}"),
    ({"probability": "0.5"}, "probability: expected float, got str"),
    ({"probability": float("nan")}, "not JSON at byte 74"),
    ({"probability": 10**400}, "probability: number out of range"),
    ({"history": [5]}, "history: expected str, got list"),
    ({"score": [0, 0]}, "score: expected str | null, got list"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((json_line(**changes), f"line 1: {message}") for changes, message in BAD_JSON_FIELDS),
        ('{"probability": 0.25, ' + json_line()[1:], "line 1: probability stands there twice"),
        (json_line()[:-2] + ', "end_rule": "filled 2:1:1"}\n', "line 1: end_rule stands there twice"),
        ('{"\\u006dove": 2, ' + json_line()[1:], "line 1: move stands there twice"),
        ("{\n", "line 1: not JSON: it breaks off"),
        ('{"a":' * 150 + "1" + "}" * 150 + "\n", "line 1: contains unknown field a"),
        (json_line() + "[]\n", "line 2: expected map, got list"),
        (json_line() + "\n", "line 2: not JSON: it breaks off"),
        (json_line() + json_line(), f"line 2: {TWICE} in line 1"),
        (
            json_line(),
            f"line 1 and after, score 0-0: {START}, goal win, move 2 is missing (rows missing in all: 112610){PARTIAL}",
        ),
    ],
)
def test_bad_json_lines(table: StrategyTable, path: Path, text: str, expected: str) -> None:
    path.write_text(text)
    assert said_of(path, table) == expected


def test_a_score_that_comes_back(path: Path) -> None:
    table, strategy = StrategyTable(small_tree()), random_strategy(small_tree(), 1)
    first, second = ("".join(table.rows(strategy, score, 2)) for score in (Score(1, 1), Score(0, 0)))
    path.write_text(table.csv_header() + first + second + first)
    what = "rows of 1-1 again after those of another score; a score's rows stand together"
    assert said_of(path, table) == f"line 38: score: {what}"
