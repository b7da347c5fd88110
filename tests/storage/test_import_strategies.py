"""Imports: the published program's files, read bit for bit and refused by the byte; a solution made of strategies."""

import gzip
import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from oracle.matches import SHORT_RULE, short_rounds
from oracle.small_games import random_strategy
from support.slowness import slow
from support.storage_files import bincode, entries_of, imported, patched, publish, refusal

from tictactoe import SINGLE_ROUND, GameTree, exploitability, load_solution, tic_tac_toe_round, uniform_strategy
from tictactoe.match.scores import all_scores, outcome_values
from tictactoe.storage.import_strategies import read_published


@pytest.mark.parametrize("seed", [1, *slow(0)])
def test_a_published_file_is_read_bit_for_bit_in_any_order(tree: GameTree, tmp_path: Path, seed: int) -> None:
    strategy = random_strategy(tree, seed, 0.2 * seed) if seed else uniform_strategy(tree)
    entries = entries_of(tree, strategy, leaves=seed != 0)
    random.Random(seed).shuffle(entries)
    data = bincode(entries)
    for name, content in (("strategy_1.bincode", data), ("strategy_1.bincode.gz", gzip.compress(data, 1))):
        read = read_published(publish(tmp_path, {name: content}) / name, tree)
        assert np.array_equal(read, strategy)
    total = exploitability(tic_tac_toe_round(tree, SINGLE_ROUND), read).total
    assert seed or total == pytest.approx(1.034711, abs=1e-6)


PATCHES: list[tuple[int, str, float, str]] = [
    (0, "<Q", 2**64 - 1, "at byte 0: claims 18446744073709551615"),
    (0, "<Q", 43228, "ends within information set 43228 of 43228"),
    (0, "<Q", 0, "at byte 8: .* after the last of 0"),
    (8, "<Q", 37538, "at byte 8: node 37538 is not from 0 to 37537"),
    (8, "<Q", 37537, r"at byte 20: leaf 37537 \(.*it has 3 moves, but 0 in our tree"),
    (16, "<I", 3, "at byte 16: node 0: goal 3 is not from 0 to 2"),
    (16, "<I", 1, r"at byte 52: node 0 .* goal lose occurs twice"),
    (20, "<Q", 2, "at byte 20: .* goal win: it has 2 moves, but 3 in our tree"),
    (36, "<d", -1e-300, "at byte 28, .* square 2 has the probability -1e-300"),
    (44, "<d", float("inf"), "at byte 28, 3 .* square 5 has the probability inf"),
]
"""Place, format, number, message. The first information set has its node at 8, its goal at 16, its length at 20, and
three probabilities from 28 on."""
SUMS = {"inf": (1e308,) * 3, "1.1, not 1": (0.5, 0.5, 0.1), "0.0, not 1": (0.0,) * 3, "1.000000002": (0.5, 0.5, 2e-9)}
DAMAGE: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda data: data[:5], "at byte 5: the file ends within the number"),
    *(
        (lambda data, end=end: data[:end], "at byte 8: the file ends within information set 1 of 43227")
        for end in (8, 18)
    ),
    (lambda data: bytes(8), r"node 0 \(empty history\), goal win is missing, and 43226 more"),
    (lambda data: data[:39], r"at byte 28: the file ends within node 0 \(empty history\)"),
    (lambda data: data + b"x", "the file continues after the last of 43227 information sets"),
    (lambda data: data[:-1], r"the file ends within node \d+ \(history \d+\), goal tie"),
]


def said_of(path: Path, data: bytes, tree: GameTree) -> str:
    path.write_bytes(data)
    return refusal(read_published, path, tree)


def test_damaged_published_files(tree: GameTree, path: Path) -> None:
    data = bincode(entries_of(tree, random_strategy(tree, 1), leaves=False))
    damaged = [(damage(data), message) for damage, message in DAMAGE]
    damaged += [(patched(data, *change), message) for *change, message in PATCHES]  # type: ignore[arg-type]
    damaged += [(patched(data, 28, "<3d", *sums), f"sum to {total}") for total, sums in SUMS.items()]
    for content, message in damaged:
        assert re.search(message, said_of(path, content, tree)), message


def test_an_imported_solution_is_one(tmp_path: Path) -> None:
    with short_rounds():
        tree = GameTree.build(SHORT_RULE)
        for winning_score in (1, 2, 3):
            solution = load_solution(imported(tmp_path / str(winning_score), tree, winning_score))
            assert solution.missing_scores == []
            assert list(solution.average_strategy) == list(solution.results)
            for seed, score in enumerate(all_scores(winning_score)):
                strategy = random_strategy(tree, seed, 0.3)
                snapshot, result = solution.snapshot(score), solution.results[score]
                average = solution.average_strategy[score]
                assert np.array_equal(snapshot.current_strategy, strategy)
                np.testing.assert_allclose(average, strategy, rtol=1e-15, atol=0.0)
                gained = exploitability(tic_tac_toe_round(tree, solution.outcome_values(score)), average)
                assert abs(gained.value - solution.value[score]) < 1e-13
                assert gained.total == solution.exploitability[score] > 1e-3
                assert not result.converged
                assert all(solution.value[later] == value for later, value in result.following.items())
                assert snapshot.outcome_values == outcome_values(score, solution.value, winning_score)
                assert snapshot.options["values_known"] is True
                assert not snapshot.regrets.any()
                assert snapshot.convergence.shape == (0, 4)
