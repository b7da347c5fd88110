"""The saved state of a game of any kind: its file, and the checks of a reader.

A file of kind "game_snapshot" holds the fields of `GameSnapshot`; the key of `skippable` is "settled". It holds numbers
by node, and neither the game's rules nor its payoffs: `game` names these, and `fingerprint` tells whether they are
still the same. The directory of a solved game also has strategy.csv, the average strategy by the names of moves and
types.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.arrays import CHANCE, FloatArray
from ..algorithms.built_game import BuiltGame
from ..algorithms.cfr.cfr_state import CFRState
from ..algorithms.strategy import strategy_problem
from ..errors import FormatError, StoreError
from ..match.file_keys import file_key
from . import limits
from .atomic_files import regular_file, replacing
from .directory_layout import MOST_ITERATIONS, parse_snapshot_name
from .file_format import file_bytes, read_file, start_of, write_bytes
from .typed_records import as_record

GAME_SNAPSHOT_KIND = "game_snapshot"
STRATEGY_FILE = "strategy.csv"
SMALLEST_PROBABILITY = 1e-12
"""What is played less often is rounding, or left of the first iterations."""
COLUMNS = "history", "player", "type", "move", "probability"


@dataclass(frozen=True, eq=False, kw_only=True)
class GameSnapshot(CFRState):
    """A solver's state of a named game, with the strategies' quality; a run continues from it."""

    game: str
    """The game's name, as `named_game` takes it."""
    fingerprint: str
    """Of the game, see `fingerprint_of`."""
    options: dict[str, Any]
    """The settings of the run."""
    value: float
    """Of the average strategies to player 0, in the payoffs' unit."""
    exploitability: float
    """NashConv of the average strategy, in the payoffs' unit."""
    convergence: FloatArray
    """float64 (num_checks, 4): iteration, exploitability of the average strategy, exploitability of the current
    strategy (-1 if not measured), value."""

    def save(self, path: Path) -> None:
        """Write the snapshot. Raises OSError when that fails; then an old file stays."""
        content = {file_key(field.name): getattr(self, field.name) for field in fields(self)}
        write_bytes(path, file_bytes(GAME_SNAPSHOT_KIND, content))

    @staticmethod
    def load(path: Path, game: BuiltGame) -> GameSnapshot:
        """Read a snapshot of `game`. Raises FormatError for any other file, and for impossible numbers."""
        snapshot = as_record(path, read_file(path, GAME_SNAPSHOT_KIND), GameSnapshot)
        if snapshot.fingerprint != fingerprint_of(game):
            what = f"of another game, {snapshot.game[:60]!r}, or the game's rules have changed since"
            raise FormatError(path, what)
        for problem in snapshot._problems(game):
            raise FormatError(path, problem)
        return snapshot

    def average_strategy(self, game: BuiltGame) -> FloatArray:
        """float64 (num_nodes, k): the normalised strategy sums, uniform where all are 0; 1 for moves of chance."""
        tree, sums = game.tree, self.strategy_sums.copy()
        sums[tree.mover == CHANCE] = 0.0
        totals = tree.sums_over_children(sums)
        never = totals == 0.0
        shares = never / tree.num_children[tree.decision_nodes, None]
        divisors = np.where(never | (np.abs(totals - 1.0) <= 1e-13), 1.0, totals)
        result = sums / np.where(tree.at_children(divisors) == 0.0, 1.0, tree.at_children(divisors))
        result += tree.at_children(shares)
        result[(tree.mover == CHANCE) | (tree.mover < 0)] = 1.0
        return result

    def _problems(self, game: BuiltGame) -> Iterator[str]:
        tree = game.tree
        if not 0 <= self.iteration < MOST_ITERATIONS or not -MOST_ITERATIONS < self.started_at <= self.iteration:
            yield f"iteration, started_at: {self.iteration} and {self.started_at} are impossible"
        rows = (tree.num_nodes, tree.num_types)
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("regrets", "strategy_sums", "current_strategy"), rows)
        shapes |= {"skippable": (2, tree.num_decision_nodes), "convergence": (len(self.convergence), 4)}
        shapes |= {} if self.recent_sums is None else {"recent_sums": rows}
        for name, shape in shapes.items():
            array, dtype = getattr(self, name), "int8" if name == "skippable" else "float64"
            if array.dtype != dtype or array.shape != shape:
                yield f"{file_key(name)}: {array.dtype} {array.shape} where {dtype} {shape} is needed"
                return
        if np.any((self.skippable < 0) | (self.skippable > 1)):
            yield "settled: not 0 or 1"
        for name in ("strategy_sums", "recent_sums"):
            yield from limits.sum_problems(name, getattr(self, name))
        yield from limits.regret_problems(self.regrets)
        if (problem := strategy_problem(tree, self.current_strategy)) is not None:
            yield f"current_strategy: node {problem.node}: {problem.what}"
        largest = float(np.abs(game.payoffs).max()) if game.chance is None and not game.shared else np.inf
        if not abs(self.value) <= largest * (1.0 + limits.RELATIVE_TOLERANCE) or self.exploitability < -1e-9:
            yield "value, exploitability: impossible in this game"


def fingerprint_of(game: BuiltGame) -> str:
    """SHA-256 (hexadecimal) of everything that a strategy of the game depends on: tree, payoffs, prior and names."""
    digest, tree = hashlib.sha256(), game.tree
    arrays = [tree.parent, tree.owner, tree.leaf_class.astype(np.int32), game.payoffs, game.prior]
    for array in [*arrays, *(tree.knowledge or ()), *(game.shared or ())]:
        digest.update(str(array.shape).encode() + np.ascontiguousarray(array).tobytes())
    digest.update("\0".join(map(str, (*tree.names, game.types))).encode())
    return digest.hexdigest()


def check_only_games(directory: Path) -> None:
    """Raises StoreError when the directory holds a snapshot of something else, which no run of a game may remove."""
    for path in directory.iterdir() if directory.is_dir() else ():
        if parse_snapshot_name(path.name) is not None and path.is_file():
            with path.open("rb") as file:
                start = file.read(100)
            if not start.startswith(start_of(GAME_SNAPSHOT_KIND)):
                raise StoreError(f"{path}: not of a game; choose another output directory")


def strategy_rows(game: BuiltGame, strategy: FloatArray) -> Iterator[tuple[Any, ...]]:
    """The rows of strategy.csv: history (names with "/" between them), player, type, move, probability.

    A probability below SMALLEST_PROBABILITY is 0 there.
    """
    tree = game.tree
    strategy = np.where(strategy < SMALLEST_PROBABILITY, 0.0, strategy)
    strategy = strategy / np.maximum(tree.at_children(tree.sums_over_children(strategy)), SMALLEST_PROBABILITY)
    drawn = [np.flatnonzero(game.prior.sum(axis=1 - player) > 0.0).tolist() for player in (0, 1)]
    for node in tree.decision_nodes[tree.owner[tree.decision_nodes] != CHANCE].tolist():
        player = int(tree.owner[node])
        history = "/".join(map(str, tree.history(node)))
        for number in drawn[player]:
            for child in tree.children(node):
                probability = float(strategy[child, number])
                yield history, player, game.types[player][number], tree.move(child), probability


def write_strategy(directory: Path, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> Path:
    """Write strategy.csv, complete or not at all; its path. Raises OSError and FormatError."""
    path = regular_file(directory / STRATEGY_FILE)
    with replacing(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
        text.flush()
        text.detach()
    return path
