"""A saved round: the round trip, impossible states, and the average strategy."""

import os
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.storage_files import make_snapshot, refusal, same, small_tree

from tictactoe import GameTree, OutcomeValues, Score, Snapshot
from tictactoe.algorithms.cfr import CFRState, in_single_precision
from tictactoe.algorithms.strategy import strategy_problem
from tictactoe.storage.directory_layout import snapshot_name
from tictactoe.storage.file_format import read_file, write_file

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
    for name in (*ARRAYS, "skippable", "convergence"):
        assert getattr(after, name).flags.carray  # in C order, aligned and writable
        assert getattr(after, name).dtype.isnative


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
    large = in_single_precision(TREE, replace(state, strategy_sums=1e200 * state.strategy_sums))
    np.testing.assert_array_equal(large.strategy_sums, 1e200 * state.strategy_sums)
    assert strategy_problem(TREE, brief.current_strategy, tolerance=0.0) is None
    np.testing.assert_allclose(brief.regrets, whole.regrets, rtol=6e-8)
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
    assert str(read_file(path, "snapshot")["regrets"].dtype) == "float64", "only on request"


def played(sums: np.ndarray) -> Snapshot:
    """A snapshot whose sums are the probabilities of its current strategy, as in polished and imported solutions."""
    return replace(make_snapshot(TREE), current_strategy=sums, strategy_sums=np.r_[np.zeros((1, 3)), sums[1:]])


@pytest.mark.parametrize("single", [False, True])
def test_the_average_strategy_is_not_written_twice(path: Path, single: bool) -> None:
    """The writer leaves out a current strategy that equals the average to the bit; older files hold both."""
    half = np.array([[1.0] * 3] + [[0.5] * 3] * 2 + [[0.0] * 3] + [[0.5] * 3] * 2 + [[1.0] * 3])
    before = played(half if single else make_snapshot(TREE).current_strategy)
    before.save(path, single_precision=single)
    content = read_file(path, "snapshot")
    assert "current_strategy" not in content
    assert str(content["strategy_sums"].dtype) == ("float32" if single else "float64")
    after, size = Snapshot.load(path, TREE), path.stat().st_size
    assert same(after.average_strategy(TREE), before.average_strategy(TREE))
    after.save(path, single_precision=single)
    assert path.stat().st_size == size
    write_file(path, "snapshot", content | {"current_strategy": before.current_strategy})
    for name in ARRAYS:
        assert same(getattr(before, name), getattr(after, name))
        assert same(getattr(before, name), getattr(Snapshot.load(path, TREE), name))
    current = before.current_strategy.copy()
    current[1, 0] = np.nextafter(current[1, 0], 0.0)
    replace(before, current_strategy=current).save(path)
    assert "current_strategy" in read_file(path, "snapshot"), "another strategy, by one bit"
    assert same(Snapshot.load(path, TREE).current_strategy, current)


GOOD = make_snapshot(TREE)
SUMS_ALONE = "missing required field current_strategy: strategy_sums cannot replace it, "
BAD_SUMS: list[tuple[Any, str]] = [
    (GOOD.strategy_sums, SUMS_ALONE),
    (np.zeros((7, 3)), f"{SUMS_ALONE}empty history"),
    *((np.zeros(shape), f"strategy_sums: float64 {shape}, but") for shape in ((7, 2), (7, 3, 1), (0, 3), (7,), ())),
    (np.zeros((6, 3), np.float32), "strategy_sums: float64 (6, 3), but float64 (7, 3) is needed"),
    (np.ones((7, 3), np.int8), "strategy_sums: int8 (7, 3), but float64 (7, 3) is needed"),
    (7, "strategy_sums: "),
    (None, "missing required field "),
]


def test_sums_that_cannot_stand_for_the_current_strategy(path: Path) -> None:
    played(GOOD.current_strategy).save(path)
    content = read_file(path, "snapshot")
    for sums, message in BAD_SUMS:
        left = {name: value for name, value in content.items() if name != "strategy_sums"}
        write_file(path, "snapshot", left if sums is None else left | {"strategy_sums": sums})
        assert refusal(Snapshot.load, path, TREE).startswith(message)


def test_wrong_fields_are_not_saved(path: Path) -> None:
    changes: list[dict[str, Any]] = [
        *({name: number} for name, number in (("iteration", -1), ("winning_score", 0), ("value", float("nan")))),
        *({"regrets": array} for array in (np.zeros((7, 2)), np.zeros((7, 3), np.float32), np.ones((7, 3)))),
        {"skippable": np.full((2, 3), 2, np.int8)},
        {"score": Score(5, 0)},
    ]
    for change in changes:
        with pytest.raises(ValueError, match=next(iter(change)) + "|skippable"):
            replace(make_snapshot(TREE), **change).save(path)
    assert os.listdir(path.parent) == []


SHAPES = {"regrets": (7, 3), "recent_sums": (7, 3), "skippable": (2, 3), "convergence": (4, 4)}
IMPOSSIBLE: list[tuple[str, Any, str]] = [
    ("regrets", np.vstack([np.zeros((6, 3)), [-1e308] * 3]), "beyond 1e120, too large to continue with"),
    ("strategy_sums", -GOOD.strategy_sums, "negative, or above 1e300, too large to be summed"),
    ("recent_sums", np.full((7, 3), -1.0), "negative, or above 1e300, too large to be"),
    ("current_strategy", np.full((7, 3), 0.5), "the root's row is not 1.0"),
    ("current_strategy", np.ones((7, 3)), "empty history, goal win: the probabilities sum to 3.0, not 1"),
    ("convergence", np.full((1, 4), 1e308), "an iteration that is not from 0 to 9999"),
    ("convergence", np.full((1, 4), 9.0), "larger than the difference of any two results"),
    ("rules", "misere", "belongs to a round by the rules 'misere', not 'three-in-a-row'"),
    ("iteration", -1, "-1 is not from 0 to 999999999999"),
    ("started_at", 501, "501 is not from -999999999999 to 500"),
    ("outcome_values", [0.0, 1.5, -1.0, 0.0], "1.5 is beyond 1, the largest of all match values"),
    ("outcome_values", [0.0, 1.0, 1.0], "expected list of length 4, got 3"),
    ("value", -1e308, "-1e+308 is more than any result is worth"),
    ("exploitability", 4.1, "4.1 is negative, or larger than the difference of any two results"),
    ("score", [1, True], "[1]: expected int, got bool"),
    ("score", [5, 0], "5-0 does not exist in a match to 5"),
    ("winning_score", 0, "0 is not positive"),
]
"""Field, value, message after the field's name."""


def test_no_state_of_a_solver(path: Path) -> None:
    make_snapshot(TREE).save(path)
    content = read_file(path, "snapshot")
    for name, shape in SHAPES.items():
        right = "int8" if name == "skippable" else "float64"
        for dtype, other in (("int64", shape), (right, (shape[0], 2)), (right, shape[:1]), (right, ())):
            write_file(path, "snapshot", content | {name: np.zeros(other, dtype)})
            assert refusal(Snapshot.load, path, TREE).startswith(f"{name}: {dtype} {other}, but {right} (")
    for name, value, message in IMPOSSIBLE:
        write_file(path, "snapshot", content | {name: value})
        said = refusal(Snapshot.load, path, TREE).removeprefix(name).removeprefix(": ")
        assert said.startswith(message), (name, said)
    alone = {"outcome_values": [0.0, 1e308, -1.0, 0.0], "score": None, "winning_score": None}
    write_file(path, "snapshot", content | alone)
    said = "outcome_values: 1e+308 is beyond 1e100, the largest of all values"
    assert refusal(Snapshot.load, path, TREE).startswith(said)


def test_average_strategy() -> None:
    with pytest.raises(ValueError, match=r"^game: fingerprint"):
        make_snapshot(TREE).average_strategy(small_tree(last_class=0))
    for number in (5e-324, 1e-310, 1e300):
        sums = np.full((7, 3), number)
        sums[0] = 0.0
        average = replace(make_snapshot(TREE), strategy_sums=sums).average_strategy(TREE)
        np.testing.assert_allclose(average[:, 0], [1, 1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 1], rtol=1e-15)
