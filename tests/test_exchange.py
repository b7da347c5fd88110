"""import-solution and export-strategy: what is exchanged stays what it was, and what is damaged is refused by place."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from commands import Result, call, complaint, contents, environment, program, run

from tictactoe import FormatError, GameTree, Goal, Outcome, Score, load_solution, tic_tac_toe_round
from tictactoe.export import COLUMNS, StrategyTable, own_reach, read_table
from tictactoe.game import FloatArray, result_probabilities
from tictactoe.match import SINGLE_ROUND, all_scores, outcome_values, scores
from tictactoe.published import ImportedStrategy, read_published, save_solution, self_play_values
from tictactoe.response import exploitability, leaf_distribution
from tictactoe.snapshot import Snapshot, snapshot_name, subgame_name

IMPORT, EXPORT = "import-solution", "export-strategy"
PEER = Path(__file__).resolve().parent.parent.parent / "shared" / "peer"
linux = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and devices as on Linux")


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return GameTree.build()


def random_strategy(tree: GameTree, seed: int, *, zeros: float = 0.0) -> FloatArray:
    """Random probabilities, as rounded as division leaves them; a part of them 0."""
    rng = np.random.default_rng(seed)
    result = rng.exponential(size=(tree.num_nodes, 3)) ** 3
    result[rng.random(result.shape) < zeros] = 0.0
    result[0] = 1.0
    result[tree.first_child[tree.decision_nodes]] += 1e-300  # never all 0
    starts = tree.first_child[tree.decision_nodes]
    result[1:] /= np.repeat(np.add.reduceat(result, starts, axis=0), tree.num_children[tree.decision_nodes], axis=0)
    return result


Entry = tuple[int, int, list[float]]
"""Node in preorder, goal, probabilities."""


def entries_of(tree: GameTree, strategy: FloatArray, *, leaves: bool = True) -> list[Entry]:
    """The information sets in preorder, by a walk of its own."""
    result: list[Entry] = []
    counter = 0

    def walk(node: int) -> None:
        nonlocal counter
        number, children = counter, sorted(tree.children(node), key=lambda child: int(tree.square[child]))
        counter += 1
        if children or leaves:
            result.extend((number, goal, [float(strategy[child, goal]) for child in children]) for goal in range(3))
        for child in children:
            walk(child)

    walk(0)
    return result


def bincode(entries: list[Entry], count: int | None = None) -> bytes:
    """The bytes of a published file."""
    parts = [struct.pack("<Q", len(entries) if count is None else count)]
    parts += [struct.pack(f"<QIQ{len(p)}d", number, goal, len(p), *p) for number, goal, p in entries]
    return b"".join(parts)


@pytest.fixture(scope="module")
def strategy(tree: GameTree) -> FloatArray:
    return random_strategy(tree, 1)


@pytest.fixture(scope="module")
def entries(tree: GameTree, strategy: FloatArray) -> list[Entry]:
    """In preorder: the first three are the root's."""
    return entries_of(tree, strategy, leaves=False)


@pytest.fixture(scope="module")
def table(tree: GameTree) -> StrategyTable:
    return StrategyTable(tree)


@pytest.fixture(scope="module")
def table_text(table: StrategyTable, strategy: FloatArray) -> str:
    """The CSV of a match to 1 in which `strategy` is played."""
    return table.csv_header() + "".join(table.rows(strategy, Score(0, 0), 1))


@pytest.fixture(scope="module")
def data(entries: list[Entry]) -> bytes:
    """A published file."""
    return bincode(entries)


def publish(directory: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return directory


def imported(directory: Path, tree: GameTree, winning_score: int, *, leave_out: tuple[Score, ...] = ()) -> Path:
    """A solution of random strategies."""
    strategies = {
        score: ImportedStrategy(0, random_strategy(tree, seed, zeros=0.3))
        for seed, score in enumerate(all_scores(winning_score))
        if score not in leave_out
    }
    save_solution(directory, tree, strategies, winning_score, "export")
    return directory


# What is read.


@pytest.mark.parametrize("seed", range(3))
def test_a_published_file_is_read_bit_for_bit_in_any_order(tree: GameTree, tmp_path: Path, seed: int) -> None:
    strategy = random_strategy(tree, seed, zeros=0.2 * seed)
    entries = entries_of(tree, strategy, leaves=seed != 0)
    random.Random(seed).shuffle(entries)
    data = bincode(entries)
    path = tmp_path / "strategy_1.bincode"
    path.write_bytes(data)
    assert np.array_equal(read_published(path, tree), strategy)
    packed = tmp_path / "strategy_1.bincode.gz"
    packed.write_bytes(gzip.compress(data, 1))
    assert np.array_equal(read_published(packed, tree), strategy)


def test_import_takes_the_last_file_of_every_subgame(tree: GameTree, data: bytes, tmp_path: Path) -> None:
    other = b"not looked at"
    source = publish(tmp_path / "in", {
        "subgame_0_0/strategy_9.bincode": other, "subgame_0_0/strategy_10.bincode.gz": gzip.compress(data, 1),
        "subgame_0_0/strategy_11.bincode.tmp": other, "subgame_0_0/debug_99.bincode": other, "notes": other,
        "subgame_00_1/strategy_1.bincode": other,
    })  # fmt: skip
    (source / "subgame_7_7").symlink_to(source / "subgame_0_0")
    (source / "subgame_0_0" / "strategy_12.bincode").symlink_to(source / "notes")
    result = call(IMPORT, source, "-o", tmp_path / "out", "--winning-score", 1, "--json")
    assert result.code == 0, result
    solution = load_solution(tmp_path / "out")
    assert json.loads(result.out) == {
        "winning_score": 1, "imported_from": "published program", "without_value": [], "subgames": [{
            "score": [0, 0], "value": solution.value[Score(0, 0)], "iterations": 10,
            "exploitability": solution.exploitability[Score(0, 0)],
            "exploitability_percentage_points": 50.0 * solution.exploitability[Score(0, 0)],
        }],
    }  # fmt: skip
    assert sorted(contents(tmp_path / "out")) == [
        "solution.msgpack", "subgame_0_0", "subgame_0_0/snapshot_000010.msgpack"
    ]  # fmt: skip
    assert solution.options == {"imported_from": "published program", "winning_score": 1}


def test_an_imported_solution_is_one(tree: GameTree, tmp_path: Path) -> None:
    """The values are a fixed point, the exploitabilities those of the strategies on the disk."""
    for winning_score in (1, 2, 3):
        solution = load_solution(imported(tmp_path / str(winning_score), tree, winning_score))
        assert solution.missing_scores == []
        for seed, score in enumerate(all_scores(winning_score)):
            strategy = random_strategy(tree, seed, zeros=0.3)
            assert np.array_equal(solution.snapshot(score).current_strategy, strategy)
            average = solution.average_strategy[score]
            np.testing.assert_allclose(average, strategy, rtol=1e-15, atol=0.0)
            found = exploitability(tic_tac_toe_round(tree, solution.outcome_values(score)), average)
            assert abs(found.value - solution.value[score]) < 1e-13
            assert found.total == solution.exploitability[score] > 1e-3
            result = solution.results[score]
            assert not result.converged
            assert all(solution.value[later] == value for later, value in result.following.items())
            snapshot = solution.snapshot(score)
            assert snapshot.outcome_values == outcome_values(score, solution.value, winning_score)
            assert snapshot.options["values_known"] is True
            assert not snapshot.regrets.any()
            assert snapshot.convergence.shape == (0, 4)


def test_scores_that_lead_to_missing_ones_have_no_value(tree: GameTree, tmp_path: Path) -> None:
    directory = imported(tmp_path / "in", tree, 2, leave_out=(Score(1, 0),))
    table = tmp_path / "all.csv"
    assert call(EXPORT, "-s", directory, "-o", table, "--quiet") == Result(0, "", "")
    result = call(IMPORT, table, "-o", tmp_path / "out")
    assert result.code == 0, result
    solution = load_solution(tmp_path / "out")
    assert set(solution.results) == {Score(1, 1)}
    assert "0-1: imported without a value: it leads to 1-0, missing here" in result.out
    assert "0-0: imported without a value: it leads to 1-0, missing here" in result.out
    assert "1-1: value to the first mover" in result.out
    snapshot = Snapshot.load(tmp_path / "out" / "subgame_0_0" / snapshot_name(0), tree)
    assert snapshot.options == {"imported_from": "export", "winning_score": 2, "values_known": False}
    assert (snapshot.value, snapshot.exploitability, *snapshot.outcome_values) == (0.0,) * 6
    again = tmp_path / "again.csv"  # scores without a value are exported, too
    assert call(EXPORT, "-s", tmp_path / "out", "-o", again).code == 0
    assert again.read_bytes() == table.read_bytes()


def test_a_match_that_never_ends_has_no_value(tree: GameTree, tmp_path: Path) -> None:
    """Both tell their goals by their first moves, and then play to an ending that does neither of them any good."""
    strategy = np.ones((tree.num_nodes, 3))
    strategy[1:] = 0.0
    strategy[tree.first_child[tree.decision_nodes]] = 1.0

    def lead(node: int, first_goals: list[Goal], second_goals: list[Goal]) -> None:
        while node:
            parent = int(tree.parent[node])
            goals = first_goals if tree.owner[parent] == 0 else second_goals
            for goal in goals:
                strategy[list(tree.children(parent)), goal] = 0.0
                strategy[node, goal] = 1.0
            node = parent

    def leaf_below(node: int, outcome: Outcome) -> int:
        stack = [node]
        while stack:
            node = stack.pop()
            if tree.outcome(node) is outcome:
                return node
            stack.extend(tree.children(node))
        raise AssertionError

    for goal, opening in zip(Goal, tree.children(0), strict=True):
        answers: dict[Outcome, list[Goal]] = {}
        for other in Goal:
            for outcome in Outcome:
                if scores(outcome, goal, other) == (False, False):
                    answers.setdefault(outcome, []).append(other)
                    break
        for reply, (outcome, others) in zip(tree.children(opening), answers.items(), strict=False):
            lead(leaf_below(reply, outcome), [goal], others)
    probabilities = result_probabilities(leaf_distribution(tree, strategy))
    assert probabilities.neither == pytest.approx(1.0, abs=1e-12)
    with pytest.raises(ValueError, match="score 0-0: with these strategies the match never ends"):
        self_play_values(tree, {Score(0, 0): strategy}, 1)
    source = publish(tmp_path / "in", {"subgame_0_0/strategy_1.bincode": bincode(entries_of(tree, strategy))})
    failed = call(IMPORT, source, "-o", tmp_path / "out", "--winning-score", 1)
    assert "never ends" in complaint(failed, 1, IMPORT)
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not PEER.is_dir(), reason="the other program's files are not here")
def test_the_published_subgames(tree: GameTree, tmp_path: Path) -> None:
    result = call(IMPORT, PEER, "-o", tmp_path / "peer")
    assert result.code == 0, result
    solution = load_solution(tmp_path / "peer")
    last, pair = Score(4, 4), (Score(4, 3), Score(3, 4))
    assert set(solution.results) == {last, *pair}
    assert abs(solution.value[last] + 1 / 13) < 1e-12
    assert abs(solution.exploitability[last]) < 1e-12
    assert solution.results[last].converged
    assert [solution.results[score].iteration for score in (last, *pair)] == [1079, 3399, 3399]
    # Of the pair, these are current strategies; the published averages are at 1e-4.
    assert [solution.exploitability[score] for score in pair] == pytest.approx([3.1165e-3, 6.368e-4], rel=1e-3)
    assert [solution.value[score] for score in pair] == pytest.approx([0.654319, -0.722274], abs=1e-5)


# What is written.


@pytest.mark.parametrize("file_format", ["csv", "jsonl"])
def test_an_export_is_read_back_bit_for_bit(tree: GameTree, tmp_path: Path, file_format: str) -> None:
    directory = imported(tmp_path / "in", tree, 1)
    first, second = tmp_path / f"first.{file_format}", tmp_path / f"second.{file_format}.gz"
    said = call(EXPORT, "-s", directory, "-o", first)
    assert said.code == 0, said
    assert said.out == f"{3 * (tree.num_nodes - 1):,} rows written to {first}\n"
    assert call(IMPORT, first, "-o", tmp_path / "out").code == 0
    assert call(EXPORT, "-s", tmp_path / "out", "-o", second, "--quiet").code == 0
    assert gzip.decompress(second.read_bytes()) == first.read_bytes()
    second = second.rename(tmp_path / "without_extension")
    assert call(IMPORT, second, "-o", tmp_path / "out", "--restart").code == 0
    mine, theirs = load_solution(directory), load_solution(tmp_path / "out")
    assert mine.value == theirs.value
    for score in mine.value:
        assert np.array_equal(mine.snapshot(score).current_strategy, theirs.snapshot(score).current_strategy)


def test_rows_and_columns_may_stand_in_another_order(
    table: StrategyTable, strategy: FloatArray, tmp_path: Path
) -> None:
    rows = [row.split(",") for row in "".join(table.rows(strategy, Score(0, 0), 1)).splitlines()]
    order = list(range(len(COLUMNS)))
    random.Random(5).shuffle(order)
    random.Random(6).shuffle(rows)
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)  # with CR LF
    writer.writerows([[row[column] for column in order] for row in [list(COLUMNS), *rows]])
    path = tmp_path / "table.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text.getvalue().removesuffix("\r\n").encode())
    (read,) = read_table(path, table)
    assert (read.winning_score, read.score) == (1, Score(0, 0))
    assert np.array_equal(read.strategy, strategy)


def test_what_the_columns_say(tree: GameTree, table: StrategyTable) -> None:
    strategy = random_strategy(tree, 7, zeros=0.3)
    lines = io.StringIO("".join(table.rows(strategy, Score(1, 0), 3)))
    rows = list(csv.DictReader(lines, COLUMNS))
    assert len(rows) == 3 * (tree.num_nodes - 1)
    json_rows = [json.loads(line) for text in table.rows(strategy, None, None, file_format="jsonl")
                 for line in text.splitlines()]  # fmt: skip
    goals = {"win": Goal.WIN, "lose": Goal.LOSE, "tie": Goal.TIE}
    for index in random.Random(8).sample(range(len(rows)), 3000):
        row, json_row = rows[index], json_rows[index]
        assert (row["score"], row["winning_score"], row["end_rule"]) == ("1-0", "3", "three-in-a-row")
        history = tuple(map(int, row["history"]))
        goal = goals[row["goal"]]
        node = tree.find([*history, int(row["move"])])
        assert float(row["probability"]) == strategy[node, goal]
        reach = 1.0
        for length in range(len(history) % 2, len(history), 2):
            reach *= float(strategy[tree.find(history[: length + 1]), goal])
        assert float(row["reach"]) == reach
        assert json_row == {
            "score": None, "history": row["history"], "goal": row["goal"], "move": int(row["move"]),
            "probability": float(row["probability"]), "reach": reach, "winning_score": None,
            "end_rule": "three-in-a-row",
        }  # fmt: skip


def test_reachable_only(tree: GameTree, table: StrategyTable, tmp_path: Path) -> None:
    strategy = random_strategy(tree, 9, zeros=0.7)
    every = "".join(table.rows(strategy, Score(0, 0), 1)).splitlines()
    some = "".join(table.rows(strategy, Score(0, 0), 1, reachable_only=True)).splitlines()
    reach = own_reach(tree, strategy)
    expected = []
    for line, (history, goal, _) in zip(every, table.keys, strict=True):
        node, mover = tree.find(map(int, history)), len(history) % 2
        if reach[mover, node, Goal[goal.upper()]] > 0.0 and max(reach[1 - mover, node]) > 0.0:
            expected.append(line)
    assert some == expected
    assert 3 < len(some) < len(every) / 2
    path = tmp_path / "some.csv"
    path.write_text(table.csv_header() + "\n".join(some) + "\n")
    line = complaint(call(IMPORT, path, "-o", tmp_path / "out"), 1, IMPORT)
    assert "is missing" in line
    assert "--reachable-only" in line
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def round_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A round that was solved on its own."""
    directory = tmp_path_factory.mktemp("round") / "round"
    assert call("solve-subgame", "-o", directory, "--iterations", 20, "--snapshot-at", "10", "--quiet").code == 0
    return directory


def test_export_of_a_round_on_its_own(
    tree: GameTree, table: StrategyTable, round_directory: Path, tmp_path: Path
) -> None:
    for options, iteration, field in (
        ((), 20, "average"), (("--iteration", 10), 10, "average"), (("--average-strategy", "false"), 20, "current"),
    ):  # fmt: skip
        result = call(EXPORT, "-s", round_directory, *options)
        assert result.code == 0
        snapshot = Snapshot.load(round_directory / snapshot_name(iteration), tree)
        strategy = snapshot.average_strategy(tree) if field == "average" else snapshot.current_strategy
        assert result.out == table.csv_header() + "".join(table.rows(strategy, None, None))
    path = tmp_path / "round.jsonl"
    path.write_text(call(EXPORT, "-s", round_directory, "--format", "jsonl").out)
    line = complaint(call(IMPORT, path, "-o", tmp_path / "out"), 1, IMPORT)
    assert "line 1: winning_score is empty: a round that was solved on its own" in line


def test_export_of_a_solved_match(tree: GameTree, tmp_path: Path) -> None:
    """Real averages and real current strategies survive two journeys unchanged."""
    solved = tmp_path / "solved"
    arguments = ("--winning-score", 1, "--algorithm", "pdcfr+", "--max-iterations", 50, "--quiet")
    assert call("solve-multiround", "-o", solved, *arguments).code == 1
    for average in ("true", "false"):
        first = call(EXPORT, "-s", solved, "--average-strategy", average)
        (tmp_path / "table").write_text(first.out)
        assert call(IMPORT, tmp_path / "table", "-o", tmp_path / "out", "--restart").code == 0
        assert call(EXPORT, "-s", tmp_path / "out") == first
    assert call(EXPORT, "-s", tmp_path / "out" / "subgame_0_0") == first


# What is refused: published files.


def refusal(path: Path, data: bytes, tree: GameTree) -> str:
    path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        read_published(path, tree)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    return message


def patched(data: bytes, offset: int, form: str, *values: float) -> bytes:
    return data[:offset] + struct.pack(form, *values) + data[offset + struct.calcsize(form) :]


FIRST = 8
"""Where the first information set begins: node at 8, goal at 16, length at 20, three probabilities from 28."""

DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda data: b"", "at byte 0: the file ends within the number of information sets"),
    "half a count": (lambda data: data[:5], "at byte 5: the file ends within the number"),
    "only a count": (lambda data: data[:8], "at byte 8: the file ends within information set 1 of 43227"),
    "count 2^64 - 1": (lambda data: patched(data, 0, "<Q", 2**64 - 1), "at byte 0: claims 18446744073709551615"),
    "count one more": (lambda data: patched(data, 0, "<Q", 43228), "ends within information set 43228 of 43228"),
    "count one less": (lambda data: patched(data, 0, "<Q", 43226), "bytes after the last of 43226 information sets"),
    "count 0": (lambda data: patched(data, 0, "<Q", 0), "at byte 8: .* after the last of 0"),
    "only count 0": (lambda data: bytes(8), r"node 0 \(empty history\), goal win is missing, and 43226 more"),
    "half a node": (lambda data: data[: FIRST + 3], "at byte 8: the file ends within information set 1 of"),
    "half a goal": (lambda data: data[: FIRST + 10], "at byte 8: the file ends within information set 1 of"),
    "half a length": (lambda data: data[: FIRST + 19], "at byte 8: the file ends within information set 1 of"),
    "half a number": (lambda data: data[: FIRST + 31], r"at byte 28: the file ends within node 0 \(empty history\)"),
    "a trailing byte": (lambda data: data + b"x", "1 bytes after the last of 43227 information sets"),
    "the last byte": (lambda data: data[:-1], r"the file ends within node \d+ \(history \d+\), goal tie"),
    "node too high": (lambda data: patched(data, FIRST, "<Q", 37538), "at byte 8: node 37538 is not in 0 to 37537"),
    "node 2^63": (lambda data: patched(data, FIRST, "<Q", 2**63), "at byte 8: node 9223372036854775808 is not"),
    "a leaf": (lambda data: patched(data, FIRST, "<Q", 37537), r"at byte 20: leaf 37537 \(.*3 moves, 0 in our"),
    "goal 3": (lambda data: patched(data, FIRST + 8, "<I", 3), "at byte 16: node 0: goal 3 is not in 0 to 2"),
    "goal 2^32 - 1": (lambda data: patched(data, FIRST + 8, "<I", 2**32 - 1), "at byte 16: .* goal 4294967295"),
    "a goal twice": (lambda data: patched(data, FIRST + 8, "<I", 1), r"at byte 52: node 0 .* goal lose stands twice"),
    "length 2^64 - 1": (lambda data: patched(data, FIRST + 12, "<Q", 2**64 - 1), "at byte 20: .* 3 in our tree"),
    "length 2^61": (lambda data: patched(data, FIRST + 12, "<Q", 2**61), "at byte 20: .* 3 in our tree"),
    "length 0": (lambda data: patched(data, FIRST + 12, "<Q", 0), "at byte 20: .* goal win: 0 moves, 3 in our tree"),
    "length 2": (lambda data: patched(data, FIRST + 12, "<Q", 2), "at byte 20: .* goal win: 2 moves, 3 in our tree"),
    "negative": (lambda data: patched(data, 36, "<d", -1e-300), "at byte 28, .* square 2 has the probability -1e-300"),
    "nan": (lambda data: patched(data, 28, "<d", float("nan")), "at byte 28, 3 .* square 1 has the probability nan"),
    "inf": (lambda data: patched(data, 44, "<d", float("inf")), "at byte 28, 3 .* square 5 has the probability inf"),
    "too large": (lambda data: patched(data, 28, "<3d", 1e308, 1e308, 1e308), "goal win: the probabilities sum to inf"),
    "sum 1.1": (lambda data: patched(data, 28, "<3d", 0.5, 0.5, 0.1), "goal win: the probabilities sum to 1.1, not 1"),
    "sum 0": (lambda data: patched(data, 28, "<3d", 0.0, 0.0, 0.0), "goal win: the probabilities sum to 0.0, not 1"),
    "sum off by 2e-9": (lambda data: patched(data, 28, "<3d", 0.5, 0.5, 2e-9), "the probabilities sum to 1.000000002"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_published_files(tree: GameTree, data: bytes, tmp_path: Path, name: str) -> None:
    damage, expected = DAMAGE[name]
    path = tmp_path / "strategy_1.bincode"
    path.write_bytes(damage(data))
    with pytest.raises(FormatError, match=expected):
        read_published(path, tree)


def test_every_byte_before_the_first_probability_matters(
    tree: GameTree, data: bytes, tmp_path: Path
) -> None:
    bits = random.Random(4)
    for position in [*range(28), *range(28)]:
        flipped = bytearray(data)
        flipped[position] ^= 1 << bits.randrange(8)
        refusal(tmp_path / "strategy_1.bincode", bytes(flipped), tree)


def test_information_sets_anywhere(tree: GameTree, entries: list[Entry], data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "strategy_1.bincode"
    chosen = random.Random(3)
    for _ in range(5):
        index = chosen.randrange(len(entries))
        number, goal, probabilities = entries[index]
        others = [*entries[:index], *entries[index + 1 :]]
        name = Goal(goal).name.lower()
        message = refusal(path, bincode(others), tree)
        assert f"node {number} (" in message
        assert f"goal {name} is missing" in message
        assert "stands twice" in refusal(path, bincode([*entries, entries[index]]), tree)
        bad = [*others, (number, goal, [2.0, *probabilities[1:]])]
        offset = len(bincode(others)) + 20
        place = f"at byte {offset}, {len(probabilities)} probabilities of node {number} ("
        assert place in refusal(path, bincode(bad), tree)
        assert "ends within" in refusal(path, data[: chosen.randrange(8, len(data))], tree)


def test_sums_within_rounding_are_kept(tree: GameTree, data: bytes, tmp_path: Path) -> None:
    close = patched(data, 28, "<3d", 0.5, 0.5, 5e-10)
    source = publish(tmp_path / "in", {"subgame_0_0/strategy_1.bincode": close})
    assert call(IMPORT, source, "-o", tmp_path / "out", "--winning-score", 1).code == 0
    solution = load_solution(tmp_path / "out")
    assert solution.snapshot(Score(0, 0)).current_strategy[1:4, 0].tolist() == [0.5, 0.5, 5e-10]
    assert solution.average_strategy[Score(0, 0)][1:4, 0].sum() == pytest.approx(1.0, abs=1e-15)


@linux
def test_claims_and_bombs_cost_no_memory(data: bytes, tmp_path: Path) -> None:
    zeros = gzip.compress(bytes(2**20), 1) * 300  # members of a gzip file may be repeated
    cases = {
        "count": ("subgame_0_0/strategy_1.bincode", patched(data, 0, "<Q", 2**63), "claims"),
        "length": ("subgame_0_0/strategy_1.bincode", patched(data, FIRST + 12, "<Q", 2**60), "in our tree"),
        "bomb": ("subgame_0_0/strategy_1.bincode.gz", zeros, "larger than the limit of 256 MiB"),
        "line": ("table.csv.gz", zeros, "line 1: longer than 1000 bytes"),
    }
    for name, (file, content, expected) in cases.items():
        source = publish(tmp_path / name, {file: content})
        done = subprocess.run(
            [program(IMPORT), source, "-o", tmp_path / "out", "--winning-score", "1"], env=environment(), text=True,
            capture_output=True, timeout=60, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30)),
        )  # fmt: skip
        assert expected in complaint(Result(done.returncode, done.stdout, done.stderr), 1, IMPORT)
        assert not (tmp_path / "out").exists()


# What is refused: tables.


def with_line(number: int, old: str, new: str) -> Callable[[str], str]:
    """A change of one line, counted from 1."""

    def change(text: str) -> str:
        lines = text.split("\n", number)
        assert old in lines[number - 1], lines[number - 1]
        lines[number - 1] = lines[number - 1].replace(old, new, 1)
        return "\n".join(lines)

    return change


def field(name: str, value: str) -> Callable[[str], str]:
    """A change of one field of line 2."""

    def change(text: str) -> str:
        header, row, rest = text.split("\n", 2)
        fields = row.split(",")
        fields[COLUMNS.index(name)] = value
        return "\n".join([header, ",".join(fields), rest])

    return change


BAD_TABLES: dict[str, tuple[Callable[[str], str], str]] = {
    "empty": (lambda text: "", "line 1: neither JSON lines nor the CSV header"),
    "only a header": (lambda text: text.split("\n")[0] + "\n", "line 1: the file holds no rows"),
    "no header": (lambda text: text.split("\n", 1)[1], "line 1: neither JSON lines nor the CSV header"),
    "a column is missing": (with_line(1, ",reach", ""), "line 1: neither JSON lines nor the CSV header"),
    "a column twice": (with_line(1, ",reach", ",move"), "line 1: neither JSON lines nor the CSV header"),
    "unknown column": (with_line(1, "end_rule", "end_rule,x"), "line 1: neither JSON lines nor the CSV header"),
    "a field is missing": (with_line(3, ",three-in-a-row", ""), "line 3: 7 fields where 8 are needed"),
    "a field too many": (with_line(3, "three", "a,three"), "line 3: 9 fields where 8 are needed"),
    "a blank line": (with_line(3, "0-0", "\n0-0"), "line 3: 0 fields where 8 are needed"),
    "an open quote": (with_line(3, "0-0", '"0-0'), "not CSV"),
    "not ASCII": (with_line(3, "win", "w\u00efn"), "line 3: a byte that is not ASCII"),
    "long line": (with_line(3, "win", "w" * 2000), "line 3: longer than 1000 bytes"),
    "goal": (field("goal", "draw"), "line 2: goal: 'draw' is not win, lose or tie"),
    "move": (field("move", "0"), "line 2: move: '0' is not a square, 1 to 9"),
    "merged move": (field("move", "3"), "line 2: move: 3 after history '' does not stand in the tree"),
    "history": (field("history", "99"), "line 2: history: '99' is not a decision in the tree"),
    "history of a leaf": (field("history", "123456789"), "line 2: history: '123456789' is not a decision"),
    "score": (field("score", "zero"), "line 2: score: 'zero' is not a score such as 4-3"),
    "score empty": (field("score", ""), "line 2: score: '' is not a score such as 4-3"),
    "score too high": (field("score", "1-0"), "line 2: score: 1-0 does not exist in a match to 1"),
    "scores mixed": (
        lambda text: text.replace(",1,three", ",2,three").replace("\n0-0", "\n1-1", 1),
        "line 2 and after, score 1-1: empty history, goal win, move 2 is missing, 112610 rows in all",
    ),
    "winning score 0": (field("winning_score", "0"), "line 2: winning_score: '0' is not in 1 to 100"),
    "winning score huge": (field("winning_score", "1001"), "line 2: winning_score: '1001' is not in 1 to 100"),
    "winning score empty": (field("winning_score", ""), "line 2: winning_score is empty"),
    "winning scores differ": (field("winning_score", "2"), "line 3: winning_score: 1 after rows with 2"),
    "rule": (field("end_rule", "full"), "line 2: end_rule: 'full' where 'three-in-a-row' is needed"),
    "negative": (field("probability", "-0.1"), "line 2: probability: -0.1 is not in 0 to 1"),
    "nan": (field("probability", "nan"), "line 2: probability: nan is not in 0 to 1"),
    "inf": (field("probability", "inf"), "line 2: probability: inf is not in 0 to 1"),
    "text": (field("probability", "half"), "line 2: probability, reach: 'half', '1.0' are not two numbers"),
    "reach": (field("reach", "-1"), "line 2: reach: -1.0 is not in 0 to 1"),
    "sum": (field("probability", "0.999"), "line 2: score 0-0, empty history, goal win: the probabilities sum to"),
    "a row twice": (
        lambda text: text + text.split("\n")[4] + "\n",
        "line 112613: the same score, history, goal and move as in line 5",
    ),
    "a row is missing": (
        lambda text: text[: text[:-1].rindex("\n") + 1],
        "line 2 and after, score 0-0: history 5287964, goal tie, move 3 is missing, 1 rows in all",
    ),
    "the end is missing": (lambda text: text[:-9], "line 112612: end_rule: 'three-' where"),
    "a score twice": (lambda text: text + "0-1" + text.split("\n")[1][3:] + "\n", "line 112613: score: 0-1 does not"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables(table: StrategyTable, table_text: str, tmp_path: Path, name: str) -> None:
    change, expected = BAD_TABLES[name]
    path = tmp_path / "table.csv"
    path.write_bytes(change(table_text).encode("latin-1"))
    with pytest.raises(FormatError) as caught:
        list(read_table(path, table))
    assert expected in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def json_line(**changes: object) -> str:
    row = {"score": "0-0", "history": "", "goal": "win", "move": 1, "probability": 0.5, "reach": 1.0,
           "winning_score": 1, "end_rule": "three-in-a-row"}  # fmt: skip
    return json.dumps({name: value for name, value in (row | changes).items() if value != "gone"}) + "\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{\n", "line 1: not a JSON object"),
        ('{"a":' * 150 + "1" + "}" * 150 + "\n", "line 1: not a JSON object with the keys"),
        (json_line(move="gone"), "line 1: not a JSON object with the keys"),
        (json_line(extra=1), "line 1: not a JSON object with the keys"),
        (json_line() + "[]\n", "line 2: not a JSON object with the keys"),
        (json_line() + "\n", "line 2: not a JSON object"),
        (json_line() + json_line(), "line 2: the same score, history, goal and move as in line 1"),
        (json_line(move="1"), "line 1: move and winning_score must be whole numbers"),
        (json_line(move=True), "line 1: move and winning_score must be whole numbers"),
        (json_line(move=10), "line 1: move: '10' is not a square, 1 to 9"),
        (json_line(winning_score=1.5), "line 1: move and winning_score must be whole numbers"),
        (json_line(winning_score=-1), "line 1: winning_score: '-1' is not in 1 to 100"),
        (json_line(winning_score=None, score=None), "line 1: winning_score is empty"),
        (json_line(probability="0.5"), "line 1: probability and reach must be numbers"),
        (json_line(probability=float("nan")), "line 1: probability: nan is not in 0 to 1"),
        (json_line(probability=10**400), "line 1: probability and reach must be in 0 to 1"),
        (json_line(history=[5]), "line 1: score, history, goal and end_rule must be texts"),
        (json_line(score=[0, 0]), "line 1: score, history, goal and end_rule must be texts"),
        (json_line(), "line 1 and after, score 0-0: empty history, goal win, move 2 is missing, 112610 rows in all"),
    ],
)
def test_bad_json_lines(table: StrategyTable, tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "table.jsonl"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        list(read_table(path, table))
    assert expected in str(caught.value)


def test_a_score_that_comes_back(table: StrategyTable, strategy: FloatArray, tmp_path: Path) -> None:
    rows = {score: "".join(table.rows(strategy, score, 2)) for score in (Score(1, 1), Score(0, 0))}
    path = tmp_path / "table.csv"
    path.write_text(table.csv_header() + rows[Score(1, 1)] + rows[Score(0, 0)] + rows[Score(1, 1)])
    with pytest.raises(FormatError, match="line 225224: score: rows of 1-1 again"):
        list(read_table(path, table))


# What is refused: arguments and directories.


def test_bad_arguments_of_import(tree: GameTree, data: bytes, table_text: str, tmp_path: Path) -> None:
    source = publish(tmp_path / "in", {"subgame_1_0/strategy_3.bincode": data})
    table, out = tmp_path / "table.csv", tmp_path / "out"
    table.write_text(table_text)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "broken.csv.gz").write_bytes(gzip.compress(table_text.encode(), 1)[:-100])
    (tmp_path / "empty").mkdir()
    publish(tmp_path / "two", {"a.csv": b"", "b.jsonl.gz": b""})
    publish(tmp_path / "double", {"subgame_0_0/strategy_3.bincode": data, "subgame_0_0/strategy_03.bincode.gz": b""})
    publish(tmp_path / "gz", {"subgame_0_0/strategy_3.bincode.gz": b"no gzip"})
    before = contents(tmp_path)
    cases: list[tuple[tuple[object, ...], int, str]] = [
        ((), 2, "Missing argument 'INPUT'"),
        ((source,), 2, "Missing option '-o'"),
        ((source, "-o", out, "--nonsense"), 2, "No such option"),
        ((source, "-o", out, "--winning-score", "0"), 2, "0 is not in 1 to 100"),
        ((source, "-o", out, "--winning-score", "-1"), 2, "-1 is not in 1 to 100"),
        ((source, "-o", out, "--winning-score", "nan"), 2, "'nan' is not a whole number"),
        ((source, "-o", out, "--winning-score", "1"), 1, "1-0 is no score of a match to 1"),
        ((table, "-o", out, "--winning-score", "2"), 1, "of a match to 1, but --winning-score is 2"),
        ((tmp_path / "nothing", "-o", out), 1, "no such file or directory"),
        ((tmp_path / "pipe", "-o", out), 1, "not a regular file"),
        ((tmp_path / "empty", "-o", out), 1, "nothing to import"),
        ((tmp_path / "two", "-o", out), 1, "several tables: a.csv, b.jsonl.gz; name one of them"),
        ((tmp_path / "double", "-o", out), 1, "the same iteration as strategy_03.bincode.gz; remove one"),
        ((tmp_path / "gz", "-o", out), 1, "not a whole gzip file"),
        ((tmp_path / "broken.csv.gz", "-o", out), 1, "not a whole gzip file"),
        ((source, "-o", table), 1, "a file, not a directory"),
        ((source, "-o", tmp_path), 1, "not empty, and not a solution"),
        ((source, "-o", source), 1, "not empty, and not a solution"),
        ((source, "-o", source, "--restart"), 1, "not empty, and not a solution"),
        ((table, "-o", table / "below"), 1, "cannot be used: Not a directory"),
    ]
    for arguments, code, expected in cases:
        assert expected in complaint(call(IMPORT, *arguments), code, IMPORT), arguments
        assert contents(tmp_path) == before


def test_existing_solutions(tree: GameTree, table_text: str, tmp_path: Path) -> None:
    table, out = tmp_path / "table.csv", tmp_path / "out"
    table.write_text(table_text)
    imported(out, tree, 2)
    (out / "subgame_1_1" / "notes").touch()
    before = contents(out)
    assert "holds a solution" in complaint(call(IMPORT, table, "-o", out), 1, IMPORT)
    from tictactoe.directory import DirectoryLock

    lock = DirectoryLock()
    lock.acquire(out)
    assert "another run is using it" in complaint(call(IMPORT, table, "-o", out, "--restart"), 1, IMPORT)
    lock.release()
    bad = tmp_path / "bad.csv"
    bad.write_text(table_text[:-1000])
    complaint(call(IMPORT, bad, "-o", out, "--restart"), 1, IMPORT)
    assert contents(out) == before
    assert call(IMPORT, table, "-o", out, "--restart", "--quiet") == Result(0, "", "")
    assert sorted(contents(out)) == [
        "solution.msgpack", "subgame_0_0", "subgame_0_0/snapshot_000000.msgpack", "subgame_1_1", "subgame_1_1/notes"
    ]  # fmt: skip
    (out / "solution.msgpack").unlink()  # what a killed import leaves
    line = complaint(call(IMPORT, table, "-o", out), 1, IMPORT)
    assert "parts of a solution without its record; use --restart" in line
    assert call(IMPORT, table, "-o", out, "--restart").code == 0
    solver = call("solve-multiround", "-o", out, "--winning-score", 1)
    assert "another configuration" in complaint(solver, 1, "solve-multiround")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_nothing_half_written_stays(
    tree: GameTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    saved: list[Path] = []
    save = Snapshot.save

    def fail(self: Snapshot, path: Path) -> None:
        if len(saved) == 2:
            raise error
        saved.append(path)
        save(self, path)

    monkeypatch.setattr(Snapshot, "save", fail)
    (tmp_path / "empty").mkdir()
    for output in (tmp_path / "out", tmp_path / "empty"):
        saved.clear()
        with pytest.raises(type(error)):
            imported(output, tree, 2)
        assert len(saved) == 2
    assert contents(tmp_path) == {"empty": None}


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_import_is_interrupted(data: bytes, tmp_path: Path, number: signal.Signals) -> None:
    files = {f"{subgame_name(score)}/strategy_1.bincode": data for score in all_scores(3)}
    source = publish(tmp_path / "in", files)
    process = subprocess.Popen(
        [program(IMPORT), "in", "-o", "out", "--winning-score", "3"], cwd=tmp_path, env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    while not list(tmp_path.glob("out/subgame_*")) and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    line = complaint(Result(process.returncode, out, err), 130, IMPORT)
    assert line == "import-solution: interrupted; nothing was written"
    assert [path.name for path in tmp_path.iterdir()] == [source.name]


def test_bad_arguments_of_export(tree: GameTree, round_directory: Path, tmp_path: Path) -> None:
    solution = imported(tmp_path / "solution", tree, 2, leave_out=(Score(1, 0),))
    partial = imported(tmp_path / "partial", tree, 1)
    damaged = partial / "subgame_0_0" / snapshot_name(0)
    damaged.write_bytes(damaged.read_bytes()[:-1])
    swapped = imported(tmp_path / "swapped", tree, 2)
    os.replace(swapped / "subgame_0_1" / snapshot_name(0), swapped / "subgame_1_0" / snapshot_name(0))
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("kept")
    before = contents(tmp_path)
    out = tmp_path / "out.csv"
    cases: list[tuple[tuple[object, ...], int, str]] = [
        ((), 2, "Missing option '-s'"),
        (("-s", tmp_path / "nothing"), 1, "no such directory"),
        (("-s", tmp_path / "file"), 1, "not a directory"),
        (("-s", tmp_path / "empty"), 1, "neither a solution nor a subgame"),
        (("-s", solution, "--format", "xml"), 2, "'xml' is not one of"),
        (("-s", solution, "--score", "2", "0"), 2, "2-0 is no score of a match to 2"),
        (("-s", solution, "--score", "1"), 2, "requires 2 arguments"),
        (("-s", solution, "--score", "-1", "0"), 2, "-1 is not in 0"),
        (("-s", solution, "--score", "1", "0"), 1, "nothing is saved of the score 1-0"),
        (("-s", solution, "--iteration", "7"), 1, "no snapshot of iteration 7; saved are 0"),
        (("-s", solution, "--iteration", "inf"), 2, "'inf' is not a whole number"),
        (("-s", solution, "--average-strategy", "perhaps"), 2, "'perhaps' is not a valid boolean"),
        (("-s", round_directory, "--score", "0", "0"), 2, "holds one subgame, not a solution"),
        (("-s", round_directory, "--iteration", "7"), 1, "no snapshot of iteration 7; saved are 10, 20"),
        (("-s", partial, "-o", out), 1, "the checksum does not match"),
        (("-s", swapped, "-o", out, "--score", "1", "0"), 1, "not a snapshot of the score 1-0 of a match to 2"),
        (("-s", solution, "-o", tmp_path / "empty"), 1, "not a regular file"),
        (("-s", solution, "-o", tmp_path / "file" / "out"), 1, "Not a directory"),
        (("-s", solution, "-o", tmp_path / "no" / "out"), 1, "No such file or directory"),
    ]
    for arguments, code, expected in cases:
        assert expected in complaint(call(EXPORT, *arguments), code, EXPORT), arguments
        assert contents(tmp_path) == before


# Output.


def test_chosen_scores_in_the_order_that_they_were_named(tree: GameTree, tmp_path: Path) -> None:
    directory = imported(tmp_path / "in", tree, 2)
    result = call(EXPORT, "-s", directory, "--score", 0, 1, "--score", 1, 1, "--score", 0, 1, "--format", "jsonl")
    order = [json.loads(line)["score"] for line in result.out.splitlines()[:: 3 * (tree.num_nodes - 1)]]
    assert order == ["0-1", "1-1"]


def test_the_old_file_stays_until_the_new_one_is_complete(
    tree: GameTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = imported(tmp_path / "in", tree, 1)
    output = tmp_path / "table.csv.gz"
    output.write_text("old")
    (tmp_path / "link.csv.gz").symlink_to(output)
    rows = StrategyTable.rows

    def fail(self: StrategyTable, *arguments: object, **options: object) -> Iterator[str]:
        yield next(rows(self, *arguments, **options))  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(StrategyTable, "rows", fail)
        assert call(EXPORT, "-s", directory, "-o", output).code == 130
    assert output.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "link.csv.gz", "table.csv.gz"]
    assert call(EXPORT, "-s", directory, "-o", tmp_path / "link.csv.gz").code == 0
    assert (tmp_path / "link.csv.gz").is_symlink()
    first = output.read_bytes()
    assert gzip.decompress(first).startswith(b"score,history,goal,move,probability,reach,")
    assert call(EXPORT, "-s", directory, "-o", output).code == 0
    assert output.read_bytes() == first


@linux
def test_standard_output(tree: GameTree, tmp_path: Path) -> None:
    """A reader that stops reading is no error; a full or a closed output is one of one line."""
    directory = imported(tmp_path / "in", tree, 1)
    process = subprocess.Popen(
        [program(EXPORT), "-s", "in"], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().decode().rstrip("\n") == ",".join(COLUMNS)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) in (0, 1)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [program(EXPORT), "-s", directory], stdout=full, stderr=subprocess.PIPE, text=True, env=environment(),
            check=False,
        )  # fmt: skip
    assert "No space left" in complaint(Result(done.returncode, "", done.stderr), 1, EXPORT)
    done = subprocess.run(
        [program(EXPORT), "-s", directory], stderr=subprocess.PIPE, text=True, env=environment(), check=False,
        preexec_fn=lambda: os.close(1),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")  # whoever closes it does not want it


def test_from_another_directory(tree: GameTree, tmp_path: Path) -> None:
    """As processes of their own, with relative paths."""
    imported(tmp_path / "in", tree, 1)
    exported = run(EXPORT, "-s", "in", "-o", "table.jsonl", cwd=tmp_path)
    assert exported == Result(0, "112,611 rows written to table.jsonl\n", "")
    (tmp_path / "table.jsonl").rename(tmp_path / "table")
    result = run(IMPORT, "table", "-o", "new/out", cwd=tmp_path)
    assert result.code == 0, result
    assert result.out.startswith("1 score of a match to 1 imported into new/out\n0-0: value to the first mover ")
    assert load_solution(tmp_path / "new" / "out").value == load_solution(tmp_path / "in").value


@pytest.mark.parametrize("name", [IMPORT, EXPORT])
def test_help_needs_no_numpy(name: str) -> None:
    module = f"tictactoe.tools.{name.replace('-', '_')}"
    source = (
        f"import sys; from {module} import command\n"
        "try: command.main(['--help'], standalone_mode=True)\n"
        "except SystemExit: pass\n"
        "assert 'numpy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "winning_score" in done.stdout or "--winning-score" in done.stdout


def test_uniform_play_is_as_exploitable_as_known(tree: GameTree, tmp_path: Path) -> None:
    """The figure of design.md, section 7, through a published file."""
    uniform = np.ones((tree.num_nodes, 3))
    uniform[1:] = 1.0 / tree.num_children[tree.parent[1:], None]
    path = tmp_path / "strategy_0.bincode"
    path.write_bytes(bincode(entries_of(tree, uniform)))
    found = exploitability(tic_tac_toe_round(tree, SINGLE_ROUND), read_published(path, tree))
    assert found.total == pytest.approx(1.034711, abs=1e-6)
