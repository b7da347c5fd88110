"""The files of a bot that is judged: damaged ones get one line, in the words of play, and unsolved scores none."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.certifying import Bot, Json, change_record, change_snapshot, copy_of
from support.storage_files import refusal

from tictactoe import load_solution, open_saved
from tictactoe.proof.bot_files import read_solution
from tictactoe.proof.checker import Refused
from tictactoe.storage.directory_layout import SOLUTION_FILE, snapshot_name
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.snapshot import SNAPSHOT_KIND

UNKNOWN = "made with rules that are unknown here, {}; upgrade to read it"
OTHER_TREE = "made with another game tree than the checker's"
NO_SUMS = "strategy_sums: not a float64 array of shape ({}, 3), or a float32 one"
IN_ITS_OWN_WORDS: list[tuple[Json, str]] = [
    *(({"strategy_sums": sums}, NO_SUMS.format(37538)) for sums in (np.ones((7, 3)), np.ones((37_538, 3), "i1"), 1.0)),
    *(({"rules": name}, UNKNOWN.format(repr(name))) for name in ("none", "filled 2:2:2", None)),
    ({"rules": "filled"}, OTHER_TREE),
    ({"tree_fingerprint": "0"}, OTHER_TREE),
]
BY_PLAY: list[tuple[Json, str]] = [
    ({"strategy_sums": np.full((37_538, 3), 1.7e308)}, "strategy_sums: the root's row is not 0.0"),
    ({"strategy_sums": np.r_[np.zeros((1, 3)), np.full((37_537, 3), -1.0)]}, "strategy_sums: negative, or above 1e300"),
    ({"current_strategy": np.full((37_538, 3), 0.5)}, "current_strategy: the root's row is not 1.0"),
    ({"current_strategy": np.ones((7, 3))}, "current_strategy: float64 (7, 3), but "),
    ({"score": [0.0, False], "winning_score": 1, "outcome_values": [0.1, 1.0, -1.0, 0.1]}, "score[0]: expected int"),
    ({"author": "me"}, "contains unknown field author"),
]


def by(rules: str) -> Json:
    return {"rules": rules, "tree_fingerprint": game_tree(rules=rules).fingerprint}


@pytest.mark.parametrize("bot", ["one", "single"], indirect=True)
def test_snapshots_that_cannot_be_used_get_one_line(bot: Bot, tmp_path: Path) -> None:
    copy = copy_of(bot, tmp_path)
    path = copy / bot.last / snapshot_name(0)
    content, filled = read_file(path, SNAPSHOT_KIND), (by("filled"), NO_SUMS.format(47202))
    for number, (changes, message) in enumerate((*BY_PLAY, *IN_ITS_OWN_WORDS, filled)):
        write_file(path, SNAPSHOT_KIND, content | changes)
        assert refusal(lambda _: bot.certify(copy), path).startswith(message)
        if number < len(BY_PLAY):
            assert refusal(lambda _: open_saved(copy).load(), path).startswith(message)


def test_snapshots_of_another_match_get_one_line(one: Bot, single: Bot, tmp_path: Path) -> None:
    copy, alone = copy_of(one, tmp_path / "match"), copy_of(single, tmp_path / "round")
    path = change_snapshot(copy / one.last, winning_score=7)
    assert refusal(lambda _: one.certify(copy), path) == "not a snapshot of 0-0 of a match to 1"
    change_snapshot(copy / one.last, winning_score=1, **by("three-in-a-row 2:1:1"))
    said = "belongs to a round by the rules 'three-in-a-row 2:1:1', not 'three-in-a-row'"
    assert refusal(lambda _: one.certify(copy), path) == said
    path.unlink()
    assert refusal(lambda _: one.certify(copy), path) == "cannot be read: No such file or directory"
    path = change_snapshot(alone, outcome_values=[0, 1, -1, 0])
    assert refusal(lambda _: single.certify(alone), path) == "outcome_values: not four floats"
    for changes in ({"score": [4, 4]}, {"score": None, "winning_score": 5}):
        change_snapshot(alone, outcome_values=[0.0, 1.0, -1.0, 0.0], **changes)
        said = refusal(lambda _: single.certify(alone), path)
        assert said == "score and winning_score: one of them without the other"


ENTRY = {"score": [0, 0], "value": 0.0, "exploitability": 0.0, "iteration": 1, "converged": True, "following": []}


def entry(**changes: Any) -> Json:
    return {"subgames": [ENTRY | changes]}


RECORDS: list[tuple[Json, str]] = [
    ({"winning_score": 0}, "winning_score: expected int >= 1"),
    ({"author": "me"}, "contains unknown field author"),
    ({"subgames": [ENTRY] * 2}, "subgames: score 0-0 occurs twice"),
    (entry(score=[0] * 3), "subgames[0].score: expected list of length 2, got 3"),
    (entry(score=[0.0, False]), "subgames[0].score[0]: expected int, got float"),
    (entry(score=[0, 1]), "subgames: score 0-1 does not exist in a match to 1"),
    (entry(iteration=-1), "subgames[0].iteration: expected int >= 0"),
    (entry(value=5.0), "subgames[0].value: expected float <= 1.000000001"),
]
RULES: list[tuple[Json, str]] = [
    ({"rules": 5}, UNKNOWN.format("5")),
    ({"rules": "x" * 100}, UNKNOWN.format("'" + "x" * 59)),
    ({"rules": "filled"}, OTHER_TREE),
    ({"tree_fingerprint": None}, OTHER_TREE),
]


def test_records_that_cannot_be_used_get_one_line(one: Bot, tmp_path: Path) -> None:
    copy = copy_of(one, tmp_path)
    original = (copy / SOLUTION_FILE).read_bytes()
    for changes, message in (*RECORDS, *RULES):
        (copy / SOLUTION_FILE).write_bytes(original)
        path = change_record(copy, **changes)
        uses = [read_solution, one.certify, lambda directory: one.verify(one.certificate, directory)]
        for use in [*uses, load_solution] if (changes, message) in RECORDS else uses:
            assert refusal(lambda _, use=use: use(copy), path).replace("`", "") == message


def test_unsolved_scores_are_not_judged(two: Bot, tmp_path: Path) -> None:
    solution = copy_of(two, tmp_path)
    original = (solution / SOLUTION_FILE).read_bytes()

    def keep(*scores: list[int]) -> None:
        (solution / SOLUTION_FILE).write_bytes(original)
        change_record(solution, subgames=lambda entries: [one for one in entries if one["score"] in scores])

    keep([1, 1], [0, 0], [1, 0])
    certificate = two.certify(solution)
    assert [entry["score"] for entry in certificate["scores"]] == [[1, 1]]
    assert certificate["not_judged"] == [[0, 1], [1, 0], [0, 0]]
    assert certificate["total"] is None
    assert len(certificate["files"]) == 2
    two.verify(certificate, solution)
    keep([0, 0], [1, 0], [0, 1])
    with pytest.raises(Refused, match=r"copy: no score can be judged, because the last ones are not solved$"):
        two.certify(solution)
    with pytest.raises(Refused, match=r"^files.subgame_1_1/snapshot_000000.msgpack: unknown$"):
        two.verify(certificate, solution)
