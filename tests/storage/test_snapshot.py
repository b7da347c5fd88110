"""A saved round: what is saved is loaded, what is no state of a solver is refused, and how the average is made."""

from __future__ import annotations

import itertools
import os
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from oracle import small_games
from oracle.lifting import game_tree
from support.storage_files import frame, make_snapshot, packed_array, refusal, same, small_tree

from tictactoe import FormatError, GameTree, Score
from tictactoe.algorithms.cfr.cfr_state import CFRState, in_single_precision
from tictactoe.algorithms.strategy import strategy_problem
from tictactoe.games.goals import OutcomeValues
from tictactoe.storage.directory_layout import snapshot_name
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.snapshot import Snapshot, tree_of

TREE = small_tree()
ARRAYS = ("regrets", "strategy_sums", "current_strategy")


@pytest.mark.parametrize("built", [False, True])
def test_snapshot_round_trip(path: Path, built: bool) -> None:
    tree = GameTree.build() if built else TREE
    before = make_snapshot(tree)
    before.save(path)
    after = Snapshot.load(path, tree)
    data = path.read_bytes()
    after.save(path)  # again: the same bytes, and nothing else
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == [path.name]
    names = vars(before).keys() - {"score", "outcome_values"}
    assert same({name: getattr(before, name) for name in names}, {name: getattr(after, name) for name in names})
    assert isinstance(after.score, Score)
    assert isinstance(after.outcome_values, OutcomeValues)
    assert (after.score, after.outcome_values) == (before.score, before.outcome_values)
    for name in ("regrets", "strategy_sums", "current_strategy", "skippable", "convergence"):
        array = getattr(after, name)
        assert array.flags.carray  # in C order, aligned and writable
        assert array.dtype.isnative


def test_round_on_its_own(path: Path) -> None:
    ints: Any = {"exploitability": 0, "value": np.float64(0.5), "outcome_values": OutcomeValues(0, 1, -1, 0)}
    ints |= {"score": None, "winning_score": None, "iteration": 0, "started_at": 0, "convergence": np.zeros((0, 4))}
    path = path.with_name(snapshot_name(0))
    replace(make_snapshot(TREE), **ints).save(path)
    after = Snapshot.load(path, TREE)
    assert (after.score, after.winning_score, after.iteration, after.convergence.shape) == (None, None, 0, (0, 4))
    assert (after.exploitability, after.value, after.outcome_values) == (0.0, 0.5, (0.0, 1.0, -1.0, 0.0))


def test_single_precision_is_written_where_it_holds_the_numbers_and_read_as_double(path: Path) -> None:
    whole = make_snapshot(TREE)
    state = CFRState(**{field.name: getattr(whole, field.name) for field in fields(CFRState)})
    brief = replace(whole, **vars(in_single_precision(TREE, state)))
    huge = replace(brief, regrets=np.where(brief.regrets != 0.0, 1e100, 0.0))
    thirds = replace(brief, regrets=brief.regrets / 3.0)
    for snapshot, dtypes in ((brief, "float32"), (huge, "float64"), (thirds, "float64"), (whole, None)):
        snapshot.save(path, single_precision=True)
        raw, after = read_file(path, "snapshot"), Snapshot.load(path, TREE)
        if dtypes:
            assert [str(raw[name].dtype) for name in ARRAYS] == [dtypes, "float32", "float32"]
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(after, name), getattr(snapshot, name))
            assert getattr(after, name).dtype == np.float64
    brief.save(path)
    assert str(read_file(path, "snapshot")["regrets"].dtype) == "float64", "only where it is asked for"


def test_a_state_in_single_precision() -> None:
    """Close to the state, and still one: what float32 cannot hold stays."""
    tree = game_tree()
    generator = np.random.default_rng(7)
    regrets = generator.normal(size=(tree.num_nodes, 3)) * 10.0 ** generator.integers(-30, 30, (tree.num_nodes, 1))
    sums, strategy = np.abs(regrets), small_games.random_strategy(tree, 3, 0.3)
    regrets[0], sums[0] = 0.0, 0.0
    state = CFRState(
        iteration=7,
        started_at=0,
        regrets=regrets,
        strategy_sums=sums,
        current_strategy=strategy,
        skippable=np.ones((2, tree.num_decision_nodes), np.int8),
    )
    brief = in_single_precision(tree, state)
    np.testing.assert_allclose(brief.regrets, regrets, rtol=6e-8)
    np.testing.assert_allclose(brief.strategy_sums, sums, rtol=6e-8)
    np.testing.assert_allclose(brief.current_strategy, strategy, rtol=0, atol=1e-6)
    assert strategy_problem(tree, brief.current_strategy, tolerance=0.0) is None
    for name in ARRAYS:
        assert (getattr(brief, name).astype(np.float32) == getattr(brief, name)).all()
    large = in_single_precision(tree, replace(state, strategy_sums=1e200 * sums))
    np.testing.assert_array_equal(large.strategy_sums, 1e200 * sums)


def played(tree: GameTree) -> Snapshot:
    """A snapshot whose sums are the probabilities of its current strategy, as those of polished and imported ones."""
    made = make_snapshot(tree)
    return replace(made, strategy_sums=np.r_[np.zeros((1, 3)), made.current_strategy[1:]])


@pytest.mark.parametrize("single", [False, True])
def test_the_average_strategy_is_not_written_twice(path: Path, single: bool) -> None:
    """Where the current strategy is the average one, to the bit; a file of before, which has both, is read alike."""
    before = played(TREE)
    if single:
        half = np.array([[1.0] * 3] + [[0.5] * 3] * 2 + [[0.0] * 3] + [[0.5] * 3] * 2 + [[1.0] * 3])
        before = replace(before, current_strategy=half, strategy_sums=np.r_[np.zeros((1, 3)), half[1:]])
    before.save(path, single_precision=single)
    content = read_file(path, "snapshot")
    assert "current_strategy" not in content
    assert str(content["strategy_sums"].dtype) == ("float32" if single else "float64")
    after, size = Snapshot.load(path, TREE), path.stat().st_size
    for name in ARRAYS:
        assert same(getattr(before, name), getattr(after, name))
    assert same(after.average_strategy(TREE), before.average_strategy(TREE))
    after.save(path, single_precision=single)
    assert path.stat().st_size == size
    older = content | {"current_strategy": before.current_strategy}
    write_file(path, "snapshot", older)
    for name in ARRAYS:
        assert same(getattr(before, name), getattr(Snapshot.load(path, TREE), name))


def test_another_current_strategy_is_written(path: Path) -> None:
    """Even if it differs in one place by one bit."""
    before = played(TREE)
    current = before.current_strategy.copy()
    current[1, 0] = np.nextafter(current[1, 0], 0.0)
    other = replace(before, current_strategy=current)
    other.save(path)
    assert "current_strategy" in read_file(path, "snapshot")
    assert same(Snapshot.load(path, TREE).current_strategy, current)


@pytest.mark.parametrize(
    ("sums", "said"),
    [
        (
            make_snapshot(TREE).strategy_sums,
            "missing required field current_strategy: strategy_sums cannot stand for it, ",
        ),
        (np.zeros((7, 3)), "missing required field current_strategy: strategy_sums cannot stand for it, empty history"),
        (np.zeros((7, 2)), "strategy_sums: float64 (7, 2) where float64 (7, 3) is needed"),
        (np.zeros((7, 3, 1)), "strategy_sums: float64 (7, 3, 1) where float64 (7, 3) is needed"),
        (np.zeros((0, 3)), "strategy_sums: float64 (0, 3) where float64 (7, 3) is needed"),
        (np.zeros(7), "strategy_sums: float64 (7,) where float64 (7, 3) is needed"),
        (np.zeros((6, 3), np.float32), "strategy_sums: float64 (6, 3) where float64 (7, 3) is needed"),
        (np.ones((7, 3), np.int8), "strategy_sums: int8 (7, 3) where float64 (7, 3) is needed"),
        (7, "strategy_sums: "),
        (None, "missing required field "),
    ],
)
def test_sums_that_cannot_stand_for_the_current_strategy(path: Path, sums: Any, said: str) -> None:
    played(TREE).save(path)
    content = read_file(path, "snapshot") | {"strategy_sums": sums}
    if sums is None:
        del content["strategy_sums"]
    write_file(path, "snapshot", content)
    assert refusal(Snapshot.load, path, TREE).startswith(said)


@pytest.mark.parametrize(
    "change",
    [
        *({name: number} for name, number in (("iteration", -1), ("winning_score", 0), ("value", float("nan")))),
        *({"score": score} for score in (Score(5, 0), Score(-1, 0))),
        *({"regrets": array} for array in (np.zeros((6, 3)), np.zeros((7, 3), np.float32), np.ones((7, 3)))),
        {"skippable": np.full((2, 3), 2, np.int8)},
        {"convergence": np.zeros((3, 3))},
        {"options": {"a": float("inf")}},
        {"strategy_sums": np.full((7, 3), -1.0)},
    ],
)
def test_wrong_fields_are_not_saved(path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(change)) + "|settled|strategy_sums: float64"):
        replace(make_snapshot(TREE), **change).save(path)
    assert os.listdir(path.parent) == []


def changed(name: str, row: Any, value: float) -> dict[str, Any]:
    """An array of the good snapshot with a row that is not."""
    array = getattr(make_snapshot(TREE), name).copy()
    array[row] = value
    return {"settled" if name == "skippable" else name: packed_array(array)}


def exchanged() -> dict[str, Any]:
    """Probabilities of which one is negative, and another makes up for it."""
    strategy = make_snapshot(TREE).current_strategy.copy()
    strategy[4, 0], strategy[5, 0] = 1.5, -0.5
    return {"current_strategy": packed_array(strategy)}


GOOD = make_snapshot(TREE)
SUMS = "strategy_sums: negative, or above 1e300, too large to be added up"
HOSTILE = [
    (exchanged(), "current_strategy: history 1, goal win: square 3 has the probability -0.5"),
    (changed("current_strategy", slice(1, 4), 0.5), "current_strategy: empty history, goal win: the probabilities"),
    (changed("current_strategy", 1, 1e308), "current_strategy: empty history, goal win: the probabilities sum to 1e"),
    (changed("current_strategy", 6, 1.0 + 2e-9), "current_strategy: history 5, goal win: the probabilities sum to 1.0"),
    (changed("current_strategy", 0, 0.5), "current_strategy: the root's row is not 1.0"),
    (changed("regrets", 0, 1.0), "regrets: the root's row is not 0.0"),
    (changed("strategy_sums", 0, 1.0), "strategy_sums: the root's row is not 0.0"),
    (changed("strategy_sums", 3, -1e-300), SUMS),
    (changed("strategy_sums", 3, 1e308), SUMS),
    (changed("skippable", 0, 2), "settled: not 0 or 1"),
    (changed("skippable", 1, -1), "settled: not 0 or 1"),
    ({"settled": packed_array(GOOD.skippable.astype("<f8"))}, "settled: float64 (2, 3) where int8 (2, 3) is needed"),
    ({"settled": packed_array(GOOD.skippable[:, :2].copy())}, "settled: int8 (2, 2) where int8 (2, 3) is needed"),
    ({"settled": packed_array(np.array(1, np.int8))}, "settled: int8 () where int8 (2, 3) is needed"),
    ({"regrets": packed_array(GOOD.regrets.astype("<i8"))}, "regrets: int64 (7, 3) where float64 (7, 3) is needed"),
    (
        {"strategy_sums": packed_array(GOOD.strategy_sums[:6].astype("<f4"))},
        "strategy_sums: float64 (6, 3) where float64 (7, 3) is needed",
    ),
    ({"convergence": packed_array(np.zeros((0, 4), "<f4"))}, "convergence: float32 (0, 4) where float64 (0, 4)"),
    ({"regrets": packed_array(GOOD.regrets[:6])}, "regrets: float64 (6, 3) where float64 (7, 3) is needed"),
    ({"regrets": packed_array(np.zeros((0, 3)))}, "regrets: float64 (0, 3) where float64 (7, 3) is needed"),
    ({"convergence": packed_array(np.zeros(4))}, "convergence: float64 (4,) where float64 (4, 4) is needed"),
    ({"convergence": packed_array(np.array(4.0))}, "convergence: float64 () where float64 (4,) is needed"),
    ({"end_rule": "misere"}, "of a round by the rules 'misere', not 'three-in-a-row'"),
    ({"iteration": -1}, "iteration: -1 is not in 0 to 999999999999"),
    ({"iteration": 10**12}, "iteration: 1000000000000 is not in 0 to 999999999999"),
    ({"started_at": 501}, "started_at: 501 is not in -999999999999 to 500"),
    ({"started_at": -(10**12)}, "started_at: -1000000000000 is not in -999999999999 to 500"),
    ({"recent_sums": packed_array(GOOD.regrets[:6])}, "recent_sums: float64 (6, 3) where float64 (7, 3) is needed"),
    ({"recent_sums": packed_array(np.full((7, 3), -1.0))}, "recent_sums: negative, or above 1e300, too large to be"),
    (changed("regrets", 3, -1e308), "regrets: beyond 1e120, too large to go on with"),
    ({"outcome_values": [0.0, 1.5, -1.0, 0.0]}, "outcome_values: 1.5 is beyond 1, the largest of all match values"),
    (
        {"outcome_values": [0.0, 1e308, -1.0, 0.0], "score": None, "winning_score": None},
        "outcome_values: 1e+308 is beyond 1e100, the largest of all values",
    ),
    ({"value": -1e308}, "value: -1e+308 is more than any result is worth"),
    ({"exploitability": 4.1}, "exploitability: 4.1 is negative, or more than any results differ by"),
    ({"exploitability": -1e-3}, "exploitability: -0.001 is negative, or more than any results differ by"),
    ({"convergence": packed_array(np.full((1, 4), 1e308))}, "convergence: an iteration that is not in 0 to 9999"),
    ({"convergence": packed_array(np.full((1, 4), -9.0))}, "convergence: an iteration that is not in 0 to 9999"),
    ({"convergence": packed_array(np.full((1, 4), 9.0))}, "convergence: more than any results differ by"),
    ({"score": [1, True]}, "score[1]: expected int, got bool"),
    ({"score": [1]}, "score: expected list of length 2, got 1"),
    ({"score": [-1, 0]}, "score: -1-0 does not exist in a match to 5"),
    ({"score": [5, 0]}, "score: 5-0 does not exist in a match to 5"),
    ({"winning_score": 0}, "winning_score: 0 is not positive"),
    ({"outcome_values": [0.0, 1.0, 1.0]}, "outcome_values: expected list of length 4, got 3"),
]


@pytest.mark.parametrize(("change", "message"), HOSTILE, ids=[message for _, message in HOSTILE])
def test_no_state_of_a_solver(path: Path, data: bytes, change: dict[str, Any], message: str) -> None:
    """Fields of the right types that no solver can have left."""
    path.write_bytes(frame(msgpack.packb(msgpack.unpackb(msgpack.unpackb(data)[3]) | change)))
    assert refusal(Snapshot.load, path, TREE).startswith(message)


@pytest.mark.parametrize("shape", [(), (3,), (7, 3, 1)])
def test_sums_that_cannot_stand_for_the_strategy(path: Path, data: bytes, shape: tuple[int, ...]) -> None:
    """Whatever their shape, where the current strategy is left out."""
    content = msgpack.unpackb(msgpack.unpackb(data)[3]) | {"strategy_sums": packed_array(np.zeros(shape))}
    del content["current_strategy"]
    path.write_bytes(frame(msgpack.packb(content)))
    said = refusal(Snapshot.load, path, TREE)
    assert said == f"strategy_sums: float64 {shape} where float64 (7, 3) is needed"


def test_a_snapshot_is_of_the_iteration_that_its_name_says(path: Path) -> None:
    """Whoever reads it; a file of another name may hold any."""
    make_snapshot(TREE, iteration=7).save(path)
    said = refusal(Snapshot.load, path, TREE)
    assert (
        said == "holds iteration 7, not the one that its name says; rename it to snapshot_000007.msgpack, or use "
        "another copy"
    )
    for name in (snapshot_name(7), "checkpoint.msgpack"):
        assert Snapshot.load(path.replace(path.with_name(name)), TREE).iteration == 7
        path = path.with_name(name)


def test_a_file_names_its_tree(path: Path, data: bytes) -> None:
    """Whatever stands there in place of the end rule."""
    assert tree_of(path, "three-in-a-row", GameTree.build().fingerprint) is GameTree.build()
    for end_rule in ("misere", None, ["three-in-a-row"], {}):
        with pytest.raises(FormatError, match=r"made with rules that are unknown here, .*; upgrade to read it"):
            tree_of(path, end_rule, TREE.fingerprint)
    with pytest.raises(FormatError, match="made with another game tree; solve it again"):
        tree_of(path, "three-in-a-row", TREE.fingerprint)


def test_average_strategy() -> None:
    for game, seed in ((TREE, 0), (GameTree.build(), 1)):
        saved = make_snapshot(game, seed)
        sums, average = saved.strategy_sums, saved.average_strategy(game)
        expected = np.ones_like(sums)
        for node, goal in itertools.product(game.decision_nodes, range(3)):
            children = game.children(node)
            total = sum(sums[child, goal] for child in children)
            for child in children:
                expected[child, goal] = sums[child, goal] / total if total > 0 else 1 / len(children)
        np.testing.assert_allclose(average, expected, rtol=1e-14, atol=0)
        assert average.dtype == np.float64
        assert np.all(average[game.children(1)] == 1 / len(game.children(1)))
        assert saved.strategy_sums is sums
        with pytest.raises(ValueError, match="tree"):
            saved.average_strategy(small_tree(last_class=0))


def test_average_strategy_of_tiny_and_huge_sums() -> None:
    for number in (5e-324, 1e-310, 1e300):
        sums = np.full((7, 3), number)
        sums[0] = 0.0
        average = replace(make_snapshot(TREE), strategy_sums=sums).average_strategy(TREE)
        np.testing.assert_allclose(average[:, 0], [1, 1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 1], rtol=1e-15)
