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
WANTED = "float64 (37538, 3) is needed"
NO_SUMS = "strategy_sums: not a float64 array of shape (37538, 3), or a float32 one"
OTHER_SUMS = NO_SUMS.replace("37538", "47202")
THREE_ODDS = "three-in-a-row 2:1:1"
OTHER_ODDS = {"end_rule": THREE_ODDS, "tree_fingerprint": game_tree(rules=THREE_ODDS).fingerprint}
SNAPSHOTS: list[tuple[str, Json, str]] = [
    (
        "one",
        {"strategy_sums": np.r_[np.zeros((1, 3)), np.full((37_537, 3), -1.0)]},
        "strategy_sums: negative, or above 1e300, too large to be added up",
    ),
    ("one", {"strategy_sums": np.ones((7, 3))}, NO_SUMS),
    ("one", {"strategy_sums": np.ones((37_538, 3), np.int8)}, NO_SUMS),
    ("one", {"strategy_sums": 1.0}, NO_SUMS),
    *(
        (name, {"current_strategy": np.ones(shape)}, f"current_strategy: float64 {shape} where {WANTED}")
        for name in ("one", "single")
        for shape in ((7, 3), (37_538,), ())
    ),
    ("one", {"end_rule": "none"}, UNKNOWN.format("'none'")),
    ("one", {"end_rule": "filled 2:2:2"}, UNKNOWN.format("'filled 2:2:2'")),
    ("one", {"end_rule": None}, UNKNOWN.format("None")),
    ("one", {"end_rule": "filled"}, OTHER_TREE),
    ("one", {"end_rule": "filled", "tree_fingerprint": game_tree(rules="filled").fingerprint}, OTHER_SUMS),
    ("one", OTHER_ODDS, "of a round by the rules 'three-in-a-row 2:1:1', not 'three-in-a-row'"),
    ("one", {"tree_fingerprint": "0"}, OTHER_TREE),
    ("one", {"winning_score": 7}, "not a snapshot of 0-0 of a match to 1"),
    (
        "single",
        {"strategy_sums": np.r_[np.zeros((1, 3)), np.full((37_537, 3), -1.0)]},
        "strategy_sums: negative, or above 1e300, too large to be added up",
    ),
    ("single", {"end_rule": "none"}, UNKNOWN.format("'none'")),
    ("single", {"end_rule": "filled", "tree_fingerprint": game_tree(rules="filled").fingerprint}, OTHER_SUMS),
    ("single", {"tree_fingerprint": "0"}, OTHER_TREE),
    ("single", {"outcome_values": [0, 1, -1, 0]}, "outcome_values: not four floats"),
    ("single", {"outcome_values": [0.0] * 3}, "outcome_values: expected list of length 4, got 3"),
    ("single", {"outcome_values": 1.0}, "outcome_values: expected list, got float"),
    ("single", {"outcome_values": [1e200] * 4}, "outcome_values: 1e+200 is beyond 1e100, the largest of all values"),
    ("single", {"score": [0, 5], "winning_score": 5}, "score: 0-5 does not exist in a match to 5"),
    ("single", {"score": [0]}, "score: expected list of length 2, got 1"),
    ("single", {"winning_score": 0}, "winning_score: 0 is not positive"),
    ("single", {"winning_score": False}, "winning_score: expected int | null, got bool"),
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
    with pytest.raises(
        FormatError, match=r"subgame_0_0/snapshot_000000.msgpack: cannot be read: No such file or directory$"
    ):
        certify(tmp_path / "copy")


ENTRY = {"score": [0, 0], "value": 0.0, "exploitability": 0.0, "iteration": 1, "converged": True, "following": []}
RECORDS: list[tuple[Json, str]] = [
    ({"winning_score": 0}, "winning_score: expected int >= 1"),
    ({"winning_score": 101}, "winning_score: expected int <= 100"),
    ({"winning_score": "1"}, "winning_score: expected int, got str"),
    ({"winning_score": True}, "winning_score: expected int, got bool"),
    ({"subgames": {}}, "subgames: expected list, got map"),
    ({"subgames": [1]}, "subgames[0]: expected map, got int"),
    ({"subgames": [{"score": [0, 0], "value": 0.0}]}, "subgames[0]: missing required field exploitability"),
    ({"subgames": [ENTRY | {"score": [0] * 3}]}, "subgames[0].score: expected list of length 2, got 3"),
    ({"subgames": [ENTRY | {"iteration": -1}]}, "subgames[0].iteration: expected int >= 0"),
    ({"subgames": [ENTRY | {"score": [0, 1]}]}, "subgames: score 0-1 does not exist in a match to 1"),
    ({"subgames": [ENTRY | {"score": [-1, 0]}]}, "subgames: score -1-0 does not exist in a match to 1"),
    ({"subgames": [ENTRY] * 2}, "subgames: score 0-0 stands twice"),
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
