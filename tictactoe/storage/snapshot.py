"""The saved state of one round or of a described game: its file, and the checks of a reader.

A file of kind "snapshot" holds the fields of `Snapshot`. The arrays regrets, strategy_sums and current_strategy are
float64, or float32 in a file saved in single precision; readers return float64. Regrets of 0 everywhere after the first
iteration mean: not kept. In a file without current_strategy the strategy sums are probabilities, and the current
strategy is equal to them.

A file of kind "game_snapshot" holds the fields of `GameSnapshot`, numbers by node, and neither the game's rules nor its
payoffs: `game` names these, and `fingerprint` tells whether they are still the same. The directory of a solved game
also has strategy.csv, the average strategy by the names of moves and types.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.arrays import CHANCE, FloatArray
from ..algorithms.built_game import BuiltGame
from ..algorithms.cfr.solver import CFRState
from ..algorithms.strategy import strategy_problem
from ..errors import FormatError, StateError, StoreError
from ..games.rules import OutcomeValues, Rules, goal_name
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from . import records
from .atomic_files import read_bytes, regular_file, replacing
from .directory_layout import MOST_ITERATIONS, parse_snapshot_name, snapshot_name
from .file_format import content_of, file_bytes, read_file, start_of, write_bytes
from .records import as_record

SNAPSHOT_KIND = "snapshot"


@dataclass(frozen=True, eq=False, kw_only=True)
class Snapshot(CFRState):
    """A solver's state of one round, with the round's description and the strategies' quality; a run continues from it.

    >>> from tictactoe import open_saved
    >>> snapshot = open_saved("single_round").load().snapshot
    >>> snapshot.iteration, snapshot.outcome_values
    (0, OutcomeValues(both=0.0, first=1.0, second=-1.0, neither=0.0))
    >>> print(f"{snapshot.value:.6f}")
    -0.111111
    """

    score: Score | None
    """The score of the subgame; None for a round on its own."""
    winning_score: int | None
    """Points that win the match; None for a round on its own."""
    outcome_values: OutcomeValues
    """The values of the four results that the round was last solved with."""
    options: dict[str, Any]
    """The settings of the run, in maps, lists, text, numbers, booleans and None."""
    rules: str
    """The rules of the round, as str(Rules) writes them."""
    tree_fingerprint: str
    """GameTree.fingerprint of the round's tree."""
    exploitability: float
    """NashConv of the average strategy, in payoff."""
    value: float
    """Value of the average strategies to the first mover, in payoff."""
    convergence: FloatArray
    """float64 (num_checks, 4): iteration, exploitability of the average strategy, exploitability of the current
    strategy (-1 if not measured), value."""
    beliefs: FloatArray | None = None
    """float64 (num_nodes, 3), of a refined strategy: the weights that a mover's types have after a mistake, and 0
    elsewhere, as `refinement.Refined` has them; None for a strategy that is not refined."""

    @classmethod
    def of_strategy(cls, tree: GameTree, strategy: FloatArray, **described: Any) -> Snapshot:
        """A snapshot of a strategy without regrets: nobody can solve it further. Its strategy sums are the strategy.

        strategy: float64 (num_nodes, 3). described: the fields without a default here.
        """
        sums = strategy.copy()
        sums[0] = 0.0
        fields: dict[str, Any] = {"iteration": 0, "started_at": 0, "convergence": np.zeros((0, 4)), **described}
        return cls(
            regrets=np.zeros_like(sums),
            strategy_sums=sums,
            current_strategy=strategy,
            skippable=np.zeros((2, tree.num_decision_nodes), np.int8),
            rules=str(tree.rules),
            tree_fingerprint=tree.fingerprint,
            **fields,
        )

    def save(self, path: Path, *, compression: int = 1, single_precision: bool = False) -> None:
        """Write `file_bytes` to `path`. Raises OSError when that fails; then an old file stays."""
        write_bytes(path, self.file_bytes(compression=compression, single_precision=single_precision))

    def file_bytes(self, *, compression: int = 1, single_precision: bool = False) -> bytes:
        """The bytes of a file that `load` reads. Raises StateError for a field that `load` would refuse.

        compression: zlib's level, 1 (fast) to 9 (small). single_precision: write each of the arrays regrets,
        strategy_sums and current_strategy as float32 if that changes none of its numbers.
        """
        content = self.as_dict()
        for name in content.keys() & _ROOT_ROWS.keys() if single_precision else ():
            with np.errstate(over="ignore", under="ignore"):
                single = content[name].astype(np.float32)
            if np.array_equal(single, content[name]):
                content[name] = single
        return file_bytes(SNAPSHOT_KIND, content, compression=compression)

    @classmethod
    def load(cls, path: Path, tree: GameTree) -> Snapshot:
        """Read a snapshot of `tree`. Raises FormatError, also when its current strategy is no strategy."""
        return cls.from_bytes(path, read_bytes(path), tree)

    @classmethod
    def from_bytes(cls, path: Path, data: bytes, tree: GameTree) -> Snapshot:
        """Like `load`, but for a file that the caller has read: `path` only appears in errors."""
        return cls.from_dict(path, content_of(path, data, SNAPSHOT_KIND), tree)

    def as_dict(self) -> dict[str, Any]:
        """The fields as a file holds them. Raises StateError for a field that `from_dict` would refuse."""
        for problem in self._problems(len(self.regrets), self.skippable.shape[-1]):
            raise StateError(f"{problem}; this state cannot be saved, solve it again from its start")
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        if np.array_equal(self.current_strategy[1:], self.strategy_sums[1:]):
            del content["current_strategy"]
        content["outcome_values"] = [float(number) for number in self.outcome_values]
        return content | {"exploitability": float(self.exploitability), "value": float(self.value)}

    @classmethod
    def of_score(cls, path: Path, data: bytes, tree: GameTree, score: Score, winning_score: int) -> Snapshot:
        """Like `from_bytes`, but also raises FormatError for another score than `score`, or another winning score."""
        snapshot = cls.from_bytes(path, data, tree)
        if snapshot.score != score or snapshot.winning_score != winning_score:
            raise FormatError(path, f"not a snapshot of the score {score} of a match to {winning_score}")
        return snapshot

    @classmethod
    def from_dict(cls, path: Path, content: dict[str, Any], tree: GameTree) -> Snapshot:
        """The snapshot of `tree` with the fields of `content`, the content of the file `path`.

        Raises FormatError as `load` does, also when the name of the file tells another iteration.
        """
        single = {name: content[name] for name in _ROOT_ROWS if getattr(content.get(name), "dtype", None) == "float32"}
        content = content | {name: array.astype(np.float64) for name, array in single.items()}
        left_out = "current_strategy" not in content and isinstance(content.get("strategy_sums"), np.ndarray)
        if left_out:
            content["current_strategy"] = content["strategy_sums"].copy()
            if content["current_strategy"].ndim > 0:
                content["current_strategy"][:1] = 1
        snapshot = as_record(path, content, cls)
        if snapshot.rules != str(tree.rules):
            raise FormatError(path, f"of a round by the rules {snapshot.rules[:40]!r}, not {str(tree.rules)!r}")
        if snapshot.tree_fingerprint != tree.fingerprint:
            raise FormatError(path, "of another game tree; solve it again, or use the program that it was made with")
        for problem in snapshot._problems(tree.num_nodes, tree.num_decision_nodes):
            raise FormatError(path, problem)
        if parse_snapshot_name(path.name) not in (None, snapshot.iteration):
            what = f"holds iteration {snapshot.iteration}, not the one that its name says"
            raise FormatError(path, f"{what}; rename it to {snapshot_name(snapshot.iteration)}, or use another copy")
        bad = strategy_problem(tree, snapshot.current_strategy)
        if bad is not None:
            place = f"{tree.history_name(bad.node)}, goal {goal_name(bad.type)}"
            what = "missing required field current_strategy: strategy_sums cannot stand for it, " if left_out else ""
            raise FormatError(path, f"{what or 'current_strategy: '}{place}: {bad.what}")
        return snapshot

    def average_strategy(self, tree: GameTree) -> FloatArray:
        """float64 (num_nodes, 3): normalised strategy sums, uniform where all sums are 0; the root's row is 1, 1, 1.

        Raises ValueError for another tree than the snapshot's.
        """
        if tree.fingerprint != self.tree_fingerprint:
            raise ValueError(f"tree: fingerprint {tree.fingerprint} where {self.tree_fingerprint} is needed")
        totals = tree.sums_over_children(self.strategy_sums)
        never = totals == 0.0
        shift = tree.at_children(never / tree.num_children[tree.decision_nodes, None])
        # Strategy sums that already add up to 1, as an imported strategy's do, are not divided.
        divisors = np.where(never | (np.abs(totals - 1.0) <= 1e-13), 1.0, totals)
        result = np.ones_like(self.strategy_sums)
        result[1:] = self.strategy_sums[1:] / tree.at_children(divisors)[1:] + shift[1:]
        return result

    def without_regrets(self) -> Snapshot:
        """A copy with the same strategies. It can be played, judged and explored, but not solved further."""
        return replace(self, regrets=np.zeros_like(self.regrets), skippable=np.zeros_like(self.skippable))

    def _problems(self, num_nodes: int, num_decision_nodes: int) -> Iterator[str]:
        """The problems with the fields, in words, as far as the size of the tree reveals them."""
        if not 0 <= self.iteration < MOST_ITERATIONS:
            yield f"iteration: {self.iteration} is not in 0 to {MOST_ITERATIONS - 1}"
        if not -MOST_ITERATIONS < self.started_at <= self.iteration:
            yield f"started_at: {self.started_at} is not in {1 - MOST_ITERATIONS} to {self.iteration}"
        points = math.inf if self.winning_score is None else self.winning_score
        if points < 1:
            yield f"winning_score: {points} is not positive"
        if self.score is not None and not 0 <= min(self.score) <= max(self.score) < points:
            yield f"score: {self.score} does not exist in a match to {self.winning_score}"
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(_ROOT_ROWS, (num_nodes, 3))
        shapes |= {"skippable": (2, num_decision_nodes), "convergence": (*self.convergence.shape[:1], 4)}
        shapes |= {name: (num_nodes, 3) for name in ("recent_sums", "beliefs") if getattr(self, name) is not None}
        for name, shape in shapes.items():
            array, dtype = getattr(self, name), "int8" if name == "skippable" else "float64"
            if array.dtype != dtype or array.shape != shape:
                yield f"{name}: {array.dtype} {array.shape} where {dtype} {shape} is needed"
        for name, number in _ROOT_ROWS.items():
            if np.any(getattr(self, name)[:1] != number):
                yield f"{name}: the root's row is not {number}"
        if np.any((self.skippable < 0) | (self.skippable > 1)):
            yield "skippable: not 0 or 1"
        for name in ("strategy_sums", "recent_sums", "beliefs"):
            yield from records.sum_problems(name, getattr(self, name))
        yield from records.regret_problems(self.regrets)
        yield from records.outcome_problems(self.outcome_values, self.winning_score is not None)
        yield from records.judgement_problems(self.outcome_values, self.value, self.exploitability)
        yield from records.convergence_problems(self.outcome_values, self.convergence)


def tree_of(path: Path, rules: Any, fingerprint: Any) -> GameTree:
    """The game tree of these rules, from the file `path`. Raises FormatError if its fingerprint here is another one."""
    tree = GameTree.build(rules_of(path, rules))
    if tree.fingerprint != fingerprint:
        raise FormatError(path, "made with another game tree; solve it again, or use the program that it was made with")
    return tree


def rules_of(path: Path, rules: Any) -> Rules:
    """The rules that the file `path` names. Raises FormatError when this program does not know them."""
    try:
        return Rules.parse(rules if isinstance(rules, str) else "")
    except ValueError as error:
        shown = repr(rules) if len(repr(rules)) <= 60 else f"{repr(rules)[:57]}..."
        raise FormatError(path, f"made with rules that are unknown here, {shown}; upgrade to read it") from error


_ROOT_ROWS = {"regrets": 0.0, "strategy_sums": 0.0, "current_strategy": 1.0}
"""The arrays with a row per node, by name, with the number that fills the root's row."""


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
        content = {field.name: getattr(self, field.name) for field in fields(self)}
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
                yield f"{name}: {array.dtype} {array.shape} where {dtype} {shape} is needed"
                return
        if np.any((self.skippable < 0) | (self.skippable > 1)):
            yield "skippable: not 0 or 1"
        for name in ("strategy_sums", "recent_sums"):
            yield from records.sum_problems(name, getattr(self, name))
        yield from records.regret_problems(self.regrets)
        if (problem := strategy_problem(tree, self.current_strategy)) is not None:
            yield f"current_strategy: node {problem.node}: {problem.what}"
        largest = float(np.abs(game.payoffs).max()) if game.chance is None and not game.shared else np.inf
        if not abs(self.value) <= largest * (1.0 + records.RELATIVE_TOLERANCE) or self.exploitability < -1e-9:
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
