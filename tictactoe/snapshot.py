"""The saved state of one round, the names of the files that hold it, and what is checked before it is believed."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .files import FormatError, read_file, write_file
from .match import OutcomeValues, Score
from .tree import GameTree

FloatArray = NDArray[np.float64]

SNAPSHOT_KIND = "snapshot"


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of a solver of one round after `iteration` iterations: enough to continue as if never stopped.

    The (num_nodes, 3) arrays are indexed by node and the mover's goal and are about the move INTO the node,
    made by the player who moves at its parent. Nobody moves into the root: its row is 0, 0, 0 in `regrets` and
    `strategy_sums` and 1, 1, 1 in `current_strategy`.
    """

    score: Score | None  # the subgame; None for a round on its own
    winning_score: int | None
    iteration: int
    started_at: int
    """The iteration after which regrets and averages were last forgotten; 0 if never."""
    outcome_values: OutcomeValues  # what the round was last played for
    options: dict[str, Any]  # how it was computed: maps, lists, text, numbers, booleans, None
    end_rule: str
    tree_fingerprint: str
    regrets: FloatArray
    strategy_sums: FloatArray
    current_strategy: FloatArray
    settled: NDArray[np.int8]  # (2, num_decision_nodes): 0 or 1
    exploitability: float  # NashConv of the average strategy
    value: float  # match value to the first mover
    convergence: FloatArray  # (num_checks, 4): iteration, exploitability of average and of current strategy, value

    def save(self, path: Path, *, compression: int = 1) -> None:
        """Write to `path`, as `write_file` does. Raises ValueError for a field that `load` would not take."""
        write_file(path, SNAPSHOT_KIND, self.as_dict(), compression=compression)

    @classmethod
    def load(cls, path: Path, tree: GameTree) -> Snapshot:
        """Read a snapshot that was saved for `tree`; raises FormatError, also for numbers that are no strategy."""
        return cls.from_dict(path, read_file(path, SNAPSHOT_KIND), tree)

    def as_dict(self) -> dict[str, Any]:
        """The fields as a file holds them. Raises ValueError for a field that `from_dict` would not take."""
        for problem in self._problems(len(self.regrets), self.settled.shape[-1]):
            raise ValueError(problem)
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        content["outcome_values"] = [float(number) for number in self.outcome_values]
        return content | {"exploitability": float(self.exploitability), "value": float(self.value)}

    @classmethod
    def from_dict(cls, path: Path, content: dict[str, Any], tree: GameTree) -> Snapshot:
        """The snapshot of `tree` with the fields of `content`, which came from `path`; FormatError as for `load`."""
        for problem in _field_problems(content):
            raise FormatError(path, problem)
        content = dict(content)
        content["score"] = None if content["score"] is None else Score(*content["score"])
        content["outcome_values"] = OutcomeValues(*content["outcome_values"])
        snapshot = cls(**content)
        if snapshot.end_rule != tree.end_rule:
            raise FormatError(path, f"of end rule {snapshot.end_rule[:40]!r} where {tree.end_rule!r} is needed")
        if snapshot.tree_fingerprint != tree.fingerprint:
            raise FormatError(path, "of another game tree; solve it again, or use the program that it was made with")
        for problem in snapshot._problems(tree.num_nodes, tree.num_decision_nodes):
            raise FormatError(path, problem)
        with np.errstate(over="ignore"):
            distances = np.abs(_sums_over_children(snapshot.current_strategy, tree) - 1.0)
        if np.any(distances > 1e-9):
            raise FormatError(path, "current_strategy: probabilities that do not sum to 1")
        return snapshot

    def average_strategy(self, tree: GameTree) -> FloatArray:
        """(num_nodes, 3): the strategy sums normalised, uniform where all are zero; the root's row is 1, 1, 1.

        Raises ValueError for another tree than the snapshot's.
        """
        if tree.fingerprint != self.tree_fingerprint:
            raise ValueError(f"tree: fingerprint {tree.fingerprint} where {self.tree_fingerprint} is needed")
        num_children = tree.num_children[tree.decision_nodes]
        totals = _sums_over_children(self.strategy_sums, tree)
        never = totals == 0.0
        shift = np.repeat(never / num_children[:, None], num_children, axis=0)
        # Sums that are probabilities already, as those of an imported strategy, stay what they are.
        divisors = np.where(never | (np.abs(totals - 1.0) <= 1e-13), 1.0, totals)
        result = np.ones_like(self.strategy_sums)
        np.divide(self.strategy_sums[1:], np.repeat(divisors, num_children, axis=0), out=result[1:])
        result[1:] += shift
        return result

    def _problems(self, num_nodes: int, num_decision_nodes: int) -> Iterator[str]:
        """What is wrong with the fields, as far as the tree's size tells."""
        if self.iteration < 0:
            yield f"iteration: {self.iteration} is negative"
        if not 0 <= self.started_at <= self.iteration:
            yield f"started_at: {self.started_at} is not in 0 to {self.iteration}"
        points = math.inf if self.winning_score is None else self.winning_score
        if points < 1:
            yield f"winning_score: {points} is not positive"
        if self.score is not None and not 0 <= min(self.score) <= max(self.score) < points:
            yield f"score: {self.score} does not exist in a match to {self.winning_score}"
        shapes = [(num_nodes, 3)] * 3 + [(2, num_decision_nodes), (*self.convergence.shape[:1], 4)]
        for name, shape in zip(_ARRAYS, shapes, strict=True):
            array, dtype = getattr(self, name), "int8" if name == "settled" else "float64"
            if array.dtype != dtype or array.shape != shape:
                yield f"{name}: {array.dtype} {array.shape} where {dtype} {shape} is needed"
        for name, number in (("regrets", 0.0), ("strategy_sums", 0.0), ("current_strategy", 1.0)):
            if np.any(getattr(self, name)[:1] != number):
                yield f"{name}: the root's row is not {number}"
        if np.any((self.settled < 0) | (self.settled > 1)):
            yield "settled: not 0 or 1"
        if np.any((self.strategy_sums < 0.0) | (self.strategy_sums > 1e300)):
            yield "strategy_sums: negative, or above 1e300, too large to be added up"
        if np.any(self.current_strategy < 0.0):
            yield "current_strategy: a negative probability"


_ARRAYS = ("regrets", "strategy_sums", "current_strategy", "settled", "convergence")


def _field_problems(content: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the names and types of a snapshot's fields as they come from a file."""
    types: dict[str, tuple[type, ...]] = {
        "score": (list, type(None)), "winning_score": (int, type(None)), "iteration": (int,), "started_at": (int,),
        "outcome_values": (list,), "options": (dict,), "end_rule": (str,), "tree_fingerprint": (str,),
        "value": (float,), "exploitability": (float,), **dict.fromkeys(_ARRAYS, (np.ndarray,)),
    }  # fmt: skip
    for name in sorted(types.keys() ^ content.keys()):
        yield f"{name[:40]}: {'missing' if name in types else 'unknown field'}"
    for name, allowed in types.items():
        if type(content[name]) not in allowed:
            yield f"{name}: unexpected type {type(content[name]).__name__}"
    if content["score"] is not None and [type(points) for points in content["score"]] != [int, int]:
        yield "score: not two integers"
    if [type(number) for number in content["outcome_values"]] != [float] * 4:
        yield "outcome_values: not four floats"


def _sums_over_children(array: FloatArray, tree: GameTree) -> FloatArray:
    """(num_decision_nodes, 3): `array` summed over the children of each decision node, in preorder."""
    result: FloatArray = np.add.reduceat(array, tree.first_child[tree.decision_nodes], axis=0)
    return result


def snapshot_name(iteration: int) -> str:
    """The file name: snapshot_000500.msgpack for 500. Raises ValueError for a negative iteration."""
    if iteration < 0:
        raise ValueError(f"iteration: {iteration} is negative")
    return f"snapshot_{iteration:06d}.msgpack"


def parse_snapshot_name(name: str) -> int | None:
    """The iteration of a name that `snapshot_name` gives, None for any other name."""
    match = re.fullmatch(r"snapshot_([0-9]{6,})\.msgpack", name)
    return int(match[1]) if match and snapshot_name(int(match[1])) == name else None


def subgame_name(score: Score) -> str:
    """The directory's name: subgame_4_3 for 4-3. Raises ValueError for a negative score."""
    if min(score) < 0:
        raise ValueError(f"score: {score} is negative")
    return f"subgame_{score.first}_{score.second}"


def parse_subgame_name(name: str) -> Score | None:
    """The score of a name that `subgame_name` gives, None for any other name."""
    match = re.fullmatch(r"subgame_(0|[1-9][0-9]*)_(0|[1-9][0-9]*)", name)
    return Score(int(match[1]), int(match[2])) if match else None


def list_snapshots(directory: Path) -> list[int]:
    """The iterations of the snapshots in `directory`, lowest first; none if there is no such directory."""
    names = os.listdir(directory) if directory.exists() else []
    return sorted(iteration for name in names if (iteration := parse_snapshot_name(name)) is not None)
