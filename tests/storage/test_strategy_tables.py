"""Strategies as tables: the rows of an export, and refusals that name the line."""

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
from oracle.matches import SHORT_RULE, short_rounds
from oracle.small_games import random_strategy
from support.storage_files import pure_strategy, refusal, small_tree

from tictactoe import GameTree, Goal, Score
from tictactoe.storage.strategy_tables import TABLE_COLUMNS, StrategyTable, read_table, rules_of_table

SMALL = StrategyTable(small_tree())
TEXT = SMALL.csv_header() + "".join(SMALL.rows(pure_strategy(SMALL.tree), Score(0, 0), 1))
"""The CSV of a match to 1: a header and 18 rows."""


def said_of(path: Path, text: str) -> str:
    path.write_bytes(text.encode("latin-1"))
    return refusal(lambda *arguments: list(read_table(*arguments)), path, SMALL)


def test_rows_and_columns_in_another_order(path: Path) -> None:
    with short_rounds():
        table = StrategyTable(GameTree.build(SHORT_RULE))
    strategy = random_strategy(table.tree, 1)
    rows = [row.split(",") for row in "".join(table.rows(strategy, Score(0, 0), 1)).splitlines()]
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


def test_columns(tree: GameTree) -> None:
    strategy, table = random_strategy(tree, 7, 0.3), StrategyTable(tree)
    lines = "".join(table.rows(strategy, Score(1, 0), 3)).splitlines()
    assert len(lines) == 3 * (tree.num_nodes - 1)
    json_rows = "".join(table.rows(strategy, None, None, file_format="jsonl")).splitlines()
    for index in random.Random(8).sample(range(len(lines)), 1000):
        (row,) = csv.DictReader([lines[index]], TABLE_COLUMNS)
        assert (row["score"], row["winning_score"], row["rules"]) == ("1-0", "3", "three-in-a-row")
        history = tuple(map(int, row["history"]))
        goal = Goal[row["goal"].upper()]
        assert float(row["probability"]) == strategy[tree.find([*history, int(row["move"])]), goal]
        reach = 1.0
        for length in range(len(history) % 2, len(history), 2):
            reach *= float(strategy[tree.find(history[: length + 1]), goal])
        assert float(row["reach"]) == reach
        numbers = {"move": int(row["move"]), "probability": float(row["probability"]), "reach": reach}
        assert json.loads(json_rows[index]) == row | numbers | {"score": None, "winning_score": None}


NO_HEADER = f"line 1: neither JSON lines nor the CSV header {','.join(TABLE_COLUMNS)}, in any order"
PARTIAL = "; an export of only the reachable positions cannot be imported"
TWICE = "the same score, history, goal and move as"
ALONE = "a round that was solved on its own is not part of a match"
OPEN = "not CSV: a quoted field does not end on its line"
FIELDS = [
    ("goal", "draw", "goal: invalid value 'draw'"),
    ("move", "0", "move: expected int >= 1"),
    ("move", "3", "move: 3 after history '' is not in the tree of this game"),
    ("history", "99", "history: '99' is not a decision in the tree of this game"),
    ("score", "zero", "score: 'zero' is not a score such as 4-3"),
    ("score", "1-0", "score: 1-0 does not exist in a match to 1"),
    ("winning_score", "1001", "winning_score: expected int <= 100"),
    ("winning_score", "", f"winning_score is empty: {ALONE}"),
    ("rules", "full", "rules: 'full', but 'three-in-a-row' is needed"),
    ("probability", "-0.1", "probability: expected float >= 0.0"),
    ("probability", "half", "probability: expected float, got str"),
    ("probability", "0.999", "score 0-0, empty history, goal win: the probabilities sum to 0.999, not 1"),
]
"""Of line 2: column, new value, message."""
LINES = [
    (1, ",reach", "", NO_HEADER),
    (1, "rules", "rules,x", NO_HEADER),
    (1, "score", '"score', f"line 1: {OPEN}"),
    (2, "three-in-a-row", '"three\n-in-a-row"', f"line 2: {OPEN}"),
    (2, ",1,three", ",2,three", "line 3: winning_score: 1 after rows with 2"),
    (3, ",three-in-a-row", "", "line 3: 7 fields, but 8 are needed"),
    (3, "three", "a,three", "line 3: 9 fields, but 8 are needed"),
    (3, "0-0", "\n0-0", "line 3: 0 fields, but 8 are needed"),
    (3, "win", "w\u00efn", "line 3: a byte that is not ASCII"),
    (3, "win", "w" * 2000, "line 3: longer than 1000 bytes"),
    (5, "lose,1", "win,1", f"line 5: {TWICE} in line 2"),
]
"""Line, text there, new text, message."""
TABLES: list[tuple[Callable[[str], str], str]] = [
    (lambda text: "", NO_HEADER),
    (lambda text: text.split("\n")[0] + "\n", "line 1: the file has no rows"),
    (lambda text: text.split("\n", 1)[1], NO_HEADER),
    (lambda text: text + '"0-0', "line 20: not CSV: a quoted field does not end, or something follows it"),
    (lambda text: text[:-9], "line 19: rules: 'three-', but 'three-in-a-row' is needed"),
    (lambda text: text + "0-1" + text.split("\n")[1][3:], "line 20: score: 0-1 does not exist in a match to 1"),
    (
        lambda text: text[: text[:-1].rindex("\n") + 1],
        f"line 2 and after, score 0-0: history 5, goal tie, move 1 is missing (rows missing in all: 1){PARTIAL}",
    ),
    (
        lambda text: text.replace(",1,three", ",2,three").replace("\n0-0", "\n1-1", 1),
        f"line 2 and after, score 1-1: empty history, goal win, move 2 is missing (rows missing in all: 17){PARTIAL}",
    ),
]


def test_bad_tables(path: Path) -> None:
    lines = TEXT.split("\n")
    for name, value, message in FIELDS:
        fields = dict(zip(TABLE_COLUMNS, lines[1].split(","), strict=True)) | {name: value}
        changed = [lines[0], ",".join(fields.values()), *lines[2:]]
        assert said_of(path, "\n".join(changed)) == f"line 2: {message}", (name, value)
    for number, old, new, message in LINES:
        assert old in lines[number - 1]
        changed = [*lines[: number - 1], lines[number - 1].replace(old, new, 1), *lines[number:]]
        assert said_of(path, "\n".join(changed)) == message, (number, new)
    for change, message in TABLES:
        assert said_of(path, change(TEXT)) == message
    for changes, message in JSON_FIELDS:
        assert said_of(path, json_line(**changes)) == f"line 1: {message}", changes
    for text, message in JSON_TEXTS:
        assert said_of(path, text) == message
    path.write_text(TEXT.replace("three-in-a-row", "full"))
    assert refusal(rules_of_table, path).startswith("line 2: rules: rules: unknown rules 'full'")
    first, second = ("".join(SMALL.rows(random_strategy(SMALL.tree, 1), Score(at, at), 2)) for at in (1, 0))
    what = "rows of 1-1 again after those of another score; a score's rows must be together"
    assert said_of(path, SMALL.csv_header() + first + second + first) == f"line 38: score: {what}"


def json_line(**changes: object) -> str:
    fields = ("0-0", "", "win", 1, 0.5, 1.0, 1, "three-in-a-row")
    row = dict(zip(TABLE_COLUMNS, fields, strict=True)) | changes
    return json.dumps({name: value for name, value in row.items() if value != "gone"}) + "\n"


JSON_FIELDS: list[tuple[dict[str, object], str]] = [
    ({"move": "gone"}, "missing required field move"),
    ({"extra": 1}, "contains unknown field extra"),
    ({"move": 10}, "move: expected int <= 9"),
    ({"winning_score": None, "score": None}, f"winning_score is empty: {ALONE}"),
    ({"probability": float("nan")}, "not JSON at byte 74"),
    ({"probability": 10**400}, "probability: number out of range"),
]
JSON_TEXTS = [
    ('{"probability": 0.25, ' + json_line()[1:], "line 1: probability occurs twice"),
    (json_line()[:-2] + ', "rules": "filled 2:1:1"}\n', "line 1: rules occurs twice"),
    ('{"\\u006dove": 2, ' + json_line()[1:], "line 1: move occurs twice"),
    ("{\n", "line 1: not JSON: it breaks off"),
    ('{"a":' * 150 + "1" + "}" * 150 + "\n", "line 1: contains unknown field a"),
    (json_line() + "[]\n", "line 2: expected map, got list"),
    (json_line() + "\n", "line 2: not JSON: it breaks off"),
    (json_line() + json_line(), f"line 2: {TWICE} in line 1"),
    (
        json_line(),
        f"line 1 and after, score 0-0: empty history, goal win, move 2 is missing (rows missing in all: 17){PARTIAL}",
    ),
]
