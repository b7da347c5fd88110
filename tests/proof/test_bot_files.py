"""The files of a bot that is judged: what cannot be used, what is not solved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.certifying import Bot, Json, change_snapshot, copy_of

from tictactoe.errors import FormatError
from tictactoe.proof.bot_files import read_solution
from tictactoe.proof.certificate import certify, verify
from tictactoe.proof.checker import Refused
from tictactoe.storage.directory_layout import SOLUTION_FILE
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.solution import SOLUTION_KIND

UNKNOWN = "made with rules that are unknown here, {}; upgrade to read it"
OTHER_TREE = "made with another game tree than the checker's"
NO_SUMS = "strategy_sums: not a float64 array of shape (37538, 3)"
OTHER_SUMS = NO_SUMS.replace("37538", "47202")
THREE_ODDS = "three-in-a-row 2:1:1"
OTHER_ODDS = {"end_rule": THREE_ODDS, "tree_fingerprint": game_tree(rules=THREE_ODDS).fingerprint}
NO_SCORE = "score: neither nil nor a score of the match"
SNAPSHOTS: list[tuple[str, Json, str]] = [
    ("one", {"strategy_sums": np.full((37_538, 3), -1.0)}, "strategy_sums: negative"),
    ("one", {"strategy_sums": np.ones((7, 3))}, NO_SUMS),
    ("one", {"strategy_sums": np.ones((37_538, 3), np.int8)}, NO_SUMS),
    ("one", {"strategy_sums": 1.0}, NO_SUMS),
    ("one", {"end_rule": "none"}, UNKNOWN.format("'none'")),
    ("one", {"end_rule": "filled 2:2:2"}, UNKNOWN.format("'filled 2:2:2'")),
    ("one", {"end_rule": None}, UNKNOWN.format("None")),
    ("one", {"end_rule": "filled"}, OTHER_TREE),
    ("one", {"end_rule": "filled", "tree_fingerprint": game_tree(rules="filled").fingerprint}, OTHER_SUMS),
    ("one", OTHER_ODDS, "of a round by the rules 'three-in-a-row 2:1:1', not 'three-in-a-row'"),
    ("one", {"tree_fingerprint": "0"}, OTHER_TREE),
    ("one", {"winning_score": 7}, "not a snapshot of 0-0 of a match to 1"),
    ("single", {"strategy_sums": np.full((37_538, 3), -1.0)}, "strategy_sums: negative"),
    ("single", {"end_rule": "none"}, UNKNOWN.format("'none'")),
    ("single", {"end_rule": "filled", "tree_fingerprint": game_tree(rules="filled").fingerprint}, OTHER_SUMS),
    ("single", {"tree_fingerprint": "0"}, OTHER_TREE),
    ("single", {"outcome_values": [0, 1, -1, 0]}, "outcome_values: not four floats"),
    ("single", {"outcome_values": [0.0] * 3}, "Expected `array` of length 4, got 3 - at `$.outcome_values`"),
    ("single", {"outcome_values": 1.0}, "Expected `array`, got `float` - at `$.outcome_values`"),
    ("single", {"outcome_values": [1e200] * 4}, "outcome_values: beyond 1e+100"),
    ("single", {"score": [0, 5], "winning_score": 5}, NO_SCORE),
    ("single", {"score": [0, 100]}, NO_SCORE),
    ("single", {"score": [0]}, "Expected `array` of length 2, got 1 - at `$.score`"),
    ("single", {"winning_score": 0}, "Expected `int` >= 1 - at `$.winning_score`"),
    ("single", {"winning_score": False}, "Expected `int | null`, got `bool` - at `$.winning_score`"),
]


@pytest.mark.parametrize(("bot", "changes", "message"), SNAPSHOTS, indirect=["bot"])
def test_snapshots_that_cannot_be_used_get_one_line(bot: Bot, changes: Json, message: str, tmp_path: Path) -> None:
    """Of a match and of a round."""
    copy = copy_of(bot, tmp_path)
    path = change_snapshot(copy / bot.last, **changes)
    with pytest.raises(FormatError) as caught:
        bot.certify(copy)
    assert str(caught.value) == f"{path}: {message}"


def test_snapshots_that_are_missing_get_one_line(one: Bot, tmp_path: Path) -> None:
    change_snapshot(copy_of(one, tmp_path) / one.last).unlink()
    with pytest.raises(FormatError, match=r"subgame_0_0/snapshot_000000.msgpack: missing, or not a regular file$"):
        certify(tmp_path / "copy")


ENTRY = {"score": [0, 0], "value": 0.0, "iteration": 1}
RECORDS: list[tuple[Json, str]] = [
    ({"winning_score": 0}, "Expected `int` >= 1 - at `$.winning_score`"),
    ({"winning_score": 101}, "Expected `int` <= 100 - at `$.winning_score`"),
    ({"winning_score": "1"}, "Expected `int`, got `str` - at `$.winning_score`"),
    ({"winning_score": True}, "Expected `int`, got `bool` - at `$.winning_score`"),
    ({"subgames": {}}, "Expected `array`, got `object` - at `$.subgames`"),
    ({"subgames": [1]}, "Expected `object`, got `int` - at `$.subgames[0]`"),
    ({"subgames": [{"score": [0, 0], "value": 0.0}]}, "Object missing required field `iteration` - at `$.subgames[0]`"),
    ({"subgames": [ENTRY | {"score": [0] * 3}]}, "Expected `array` of length 2, got 3 - at `$.subgames[0].score`"),
    ({"subgames": [ENTRY | {"iteration": -1}]}, "Expected `int` >= 0 - at `$.subgames[0].iteration`"),
    ({"subgames": [ENTRY | {"score": [0, 1]}]}, "subgames: score 0-1 stands twice, or there is no such score"),
    ({"subgames": [ENTRY | {"score": [-1, 0]}]}, "subgames: score -1-0 stands twice, or there is no such score"),
    ({"subgames": [ENTRY] * 2}, "subgames: score 0-0 stands twice, or there is no such score"),
    ({"end_rule": 5}, UNKNOWN.format("5")),
    ({"end_rule": "x" * 100}, UNKNOWN.format("'" + "x" * 59)),
    ({"end_rule": "filled"}, OTHER_TREE),
    ({"tree_fingerprint": None}, OTHER_TREE),
]


@pytest.mark.parametrize(("change", "message"), RECORDS, ids=str)
def test_records_that_cannot_be_used_get_one_line(one: Bot, change: Json, message: str, tmp_path: Path) -> None:
    """It names the file, and the field that is missing or wrong."""
    content = read_file(one.path / SOLUTION_FILE, SOLUTION_KIND)
    write_file(tmp_path / SOLUTION_FILE, SOLUTION_KIND, content | change)
    with pytest.raises(FormatError) as caught:
        read_solution(tmp_path)
    assert str(caught.value) == f"{tmp_path / SOLUTION_FILE}: {message}"


def test_what_is_not_solved_is_not_judged(two: Bot, tmp_path: Path) -> None:
    solution = copy_of(two, tmp_path)
    record = read_file(solution / SOLUTION_FILE, SOLUTION_KIND)

    def keep(*scores: list[int]) -> None:
        kept = [entry for entry in record["subgames"] if entry["score"] in scores]
        write_file(solution / SOLUTION_FILE, SOLUTION_KIND, record | {"subgames": kept})

    keep([1, 1], [0, 0], [1, 0])
    certificate = certify(solution)
    assert [entry["score"] for entry in certificate["scores"]] == [[1, 1]]
    assert certificate["not_judged"] == [[0, 1], [1, 0], [0, 0]]
    assert certificate["total"] is None
    assert len(certificate["files"]) == 2
    verify(certificate, solution)
    keep([0, 0], [1, 0], [0, 1])
    with pytest.raises(Refused, match=r"copy: no score can be judged, because the last ones are not solved$"):
        certify(solution)
    with pytest.raises(Refused, match=r"^files.subgame_1_1/snapshot_000000.msgpack: unknown$"):
        verify(certificate, solution)
