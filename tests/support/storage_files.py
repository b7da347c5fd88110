"""Files as the tests want them, written without the code that reads them."""

import hashlib
import itertools
import re
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from oracle.small_games import random_strategy

from tictactoe import Existing, FormatError, GameTree, OutcomeValues, Rules, RunControl, Score, Snapshot, save_solution
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.match.scores import all_scores
from tictactoe.storage.file_format import read_file
from tictactoe.storage.import_strategies import ImportedStrategy

linux = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and devices as on Linux")


def small_tree(rules: str = "three-in-a-row", last_class: int = 1) -> GameTree:
    """A root with three children; the first and the third have two and one of their own, all leaves."""
    return GameTree(
        parent=np.array([-1, 0, 0, 0, 1, 1, 3], np.int32),
        owner=np.array([0, 1, -1, 1, -1, -1, -1], np.int8),
        leaf_class=np.array([-1, -1, 0, -1, 0, 2, last_class], np.int8),
        square=np.array([0, 1, 2, 5, 2, 3, 1], np.int8),
        rules=Rules.parse(rules),
    )


def make_snapshot(tree: GameTree, seed: int = 0, iteration: int = 500) -> Snapshot:
    rng = np.random.default_rng(seed)
    regrets, sums, strategy = rng.normal(size=(3, tree.num_nodes, 3))
    sums, strategy = np.abs(sums), np.abs(strategy)
    strategy[1:] /= tree.at_children(tree.sums_over_children(strategy))[1:]
    sums[tree.children(1)] = 0.0
    regrets[0], sums[0], strategy[0] = 0.0, 0.0, 1.0
    fields: dict[str, Any] = {"regrets": regrets, "strategy_sums": sums, "current_strategy": strategy}
    fields |= {"score": Score(4, 3), "winning_score": 5, "iteration": iteration, "started_at": iteration // 2}
    fields |= {"rules": str(tree.rules), "tree_fingerprint": tree.fingerprint, "exploitability": 0.001}
    return Snapshot(
        **fields,
        value=-1 / 9,
        outcome_values=OutcomeValues(0.25, 1.0, -1.0, -0.1),
        options={"alpha": 1.5, "name": "dcfr", "nested": {"list": [1, None, True]}},
        skippable=rng.integers(0, 2, (2, tree.num_decision_nodes)).astype(np.int8),
        convergence=rng.random((3, 4)),
    )


def packed_array(array: np.ndarray, **changes: Any) -> dict[str, Any]:
    fields = {"__array__": array.dtype.str, "shape": list(array.shape), "zlib": zlib.compress(array.tobytes())}
    return fields | changes


def frame(payload: bytes, kind: Any = "snapshot", version: Any = 2, magic: Any = "smbc-tictactoe") -> bytes:
    start = b"\x95" + b"".join(msgpack.packb(item) for item in (magic, kind, version, payload))
    return start + b"\xc4\x20" + hashlib.sha256(start).digest()


def refusal(read: Callable[..., object], path: Path, *arguments: object) -> str:
    """What a reader says of a file that it refuses, in one short line, after the file's name."""
    with pytest.raises(FormatError) as caught:
        read(path, *arguments)
    message, start = str(caught.value), f"{path}: "
    assert message.startswith(start)
    assert len(message.splitlines()) == 1
    assert len(message) < len(start) + 250
    return message.removeprefix(start)


def refuse_bytes(path: Path, data: bytes, match: str = "") -> None:
    path.write_bytes(data)
    assert re.search(match, refusal(read_file, path, "snapshot"))


def same(a: Any, b: Any) -> bool:
    """Equal as content: tuples are lists, arrays are equal bit by bit in dtype and shape."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and repr(a) == repr(b)


def pure_strategy(tree: GameTree) -> FloatArray:
    result = np.zeros((tree.num_nodes, 3))
    result[[0, *tree.first_child[tree.decision_nodes]]] = 1.0
    return result


Entry = tuple[int, int, list[float]]
"""Node in preorder, goal, probabilities."""


def entries_of(tree: GameTree, strategy: FloatArray, *, leaves: bool = True) -> list[Entry]:
    """The information sets in preorder, by a walk of its own."""
    result: list[Entry] = []
    counter = itertools.count()

    def walk(node: int) -> None:
        number, children = next(counter), sorted(tree.children(node), key=lambda child: int(tree.square[child]))
        if children or leaves:
            result.extend((number, goal, [float(strategy[child, goal]) for child in children]) for goal in range(3))
        for child in children:
            walk(child)

    walk(0)
    return result


def bincode(entries: list[Entry], count: int | None = None) -> bytes:
    parts = [struct.pack("<Q", len(entries) if count is None else count)]
    parts += [struct.pack(f"<QIQ{len(p)}d", number, goal, len(p), *p) for number, goal, p in entries]
    return b"".join(parts)


def patched(data: bytes, offset: int, form: str, *values: float) -> bytes:
    return data[:offset] + struct.pack(form, *values) + data[offset + struct.calcsize(form) :]


def publish(directory: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return directory


def imported(
    directory: Path, tree: GameTree, winning_score: int, *, leave_out: tuple[Score, ...] = (), restart: bool = False
) -> Path:
    seeds = {score: seed for seed, score in enumerate(all_scores(winning_score)) if score not in leave_out}
    strategies = {s: ImportedStrategy(0, random_strategy(tree, seed, 0.3)) for s, seed in seeds.items()}
    control = RunControl(existing=Existing.RESTART if restart else Existing.CONTINUE)
    save_solution(directory, tree, strategies, winning_score, "export", control=control)
    return directory
