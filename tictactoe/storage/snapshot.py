"""The saved state of a solver of one game: its file and the checks of a reader.

A file of kind "snapshot" contains the fields of `Snapshot`. The arrays regrets, strategy_sums and current_strategy may
be float32 in it. If all regrets are 0 after the first iteration, they were not kept. Without current_strategy, the
strategy sums are probabilities and the current strategy as well.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.arrays import CHANCE, NUM_TYPES, FloatArray
from ..algorithms.built_game import BuiltGame
from ..algorithms.cfr import NOT_JUDGED, CFRState
from ..algorithms.public_tree import PublicTree
from ..algorithms.strategy import strategy_problem
from ..errors import FormatError, StateError
from ..games.rules import OutcomeValues, Rules, goal_name
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from ..number_text import NOISE, in_words
from .atomic_files import read_bytes, regular_file, replacing
from .directory_layout import MOST_ITERATIONS, parse_snapshot_name, snapshot_name
from .file_format import content_of, file_bytes, read_file, write_bytes
from .records import LARGEST_REGRET, LARGEST_SUM, RELATIVE_TOLERANCE, as_record, outcome_problems, shown

SNAPSHOT_KIND = "snapshot"
AnyGame = GameTree | BuiltGame
"""The game of a snapshot: a round of tic-tac-toe, or a described game."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Snapshot(CFRState):
    """A solver's state of one game, with the game's description and the strategies' quality.

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
    """The points that win the match; None for a round on its own."""
    outcome_values: OutcomeValues | None
    """The values of the four results with which the round was last solved; None for a described game."""
    options: dict[str, Any]
    """The settings of the run, as maps, lists, text, numbers, booleans and None."""
    rules: str
    """The rules of the round, as str(Rules) writes them; the name of another game, as `named_game` takes it."""
    tree_fingerprint: str
    """The `fingerprint` of the game, or of a round's tree."""
    exploitability: float
    """NashConv of the average strategy, in payoff."""
    value: float
    """The value of the average strategies to player 0, who moves first in a round, in payoff."""
    convergence: FloatArray
    """float64 (num_checks, 4): iteration, exploitability of the average strategy, exploitability of the current
    strategy (-1 if not measured), value."""
    beliefs: FloatArray | None = None
    """float64 (num_nodes, 3), of a refined strategy: the weights of a mover's types after a mistake, as in
    `refinement.Refined`, and 0 elsewhere; None for a strategy that is not refined.
    """

    @classmethod
    def of_strategy(cls, game: AnyGame, strategy: FloatArray, **described: Any) -> Snapshot:
        """A snapshot of a strategy, float64 (num_nodes, k), without regrets, which therefore cannot be solved further.

        described: the fields without a default value.
        """
        sums = strategy.copy()
        sums[0] = 0.0
        fields: dict[str, Any] = {"iteration": 0, "started_at": 0, "convergence": np.zeros((0, 4))}
        fields |= {"score": None, "winning_score": None, "outcome_values": None, **described}
        return cls(
            regrets=np.zeros_like(sums),
            strategy_sums=sums,
            current_strategy=strategy,
            skippable=np.zeros((2, tree_of_game(game).num_decision_nodes), np.int8),
            rules=name_of(game),
            tree_fingerprint=game.fingerprint,
            **fields,
        )

    def save(self, path: Path, *, compression: int = 1, single_precision: bool = False) -> None:
        """Write `file_bytes` to `path`. Raises OSError."""
        write_bytes(path, self.file_bytes(compression=compression, single_precision=single_precision))

    def file_bytes(self, *, compression: int = 1, single_precision: bool = False) -> bytes:
        """The bytes of a file that `load` reads. Raises StateError for a field that `load` would refuse.

        compression: zlib's level, 1 (fast) to 9 (small). single_precision: write regrets, strategy_sums and
        current_strategy as float32, each only if that changes none of its numbers.
        """
        content = self.as_dict()
        for name in content.keys() & _ROOT_ROWS.keys() if single_precision else ():
            with np.errstate(over="ignore", under="ignore"):
                single = content[name].astype(np.float32)
            if np.array_equal(single, content[name]):
                content[name] = single
        return file_bytes(SNAPSHOT_KIND, content, compression=compression)

    @classmethod
    def load(cls, path: Path, game: AnyGame) -> Snapshot:
        """Read a snapshot of a game. Raises FormatError."""
        return cls.from_dict(path, read_file(path, SNAPSHOT_KIND), game)

    @staticmethod
    def about(path: Path) -> dict[str, Any]:
        """The content of a file, with None for each array. Raises FormatError."""
        return content_of(path, read_bytes(path), SNAPSHOT_KIND, inflate=False)

    def as_dict(self) -> dict[str, Any]:
        """The fields as in a file. Raises StateError for a field that `from_dict` would refuse."""
        rows = self.current_strategy.shape if self.outcome_values is None else (len(self.regrets), NUM_TYPES)
        for problem in self._problems(rows, self.skippable.shape[-1]):
            raise StateError(f"{problem}; this state cannot be saved, solve it again from its start")
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        if np.array_equal(self.current_strategy[1:], self.strategy_sums[1:]):
            del content["current_strategy"]
        if self.outcome_values is not None:
            content["outcome_values"] = [float(number) for number in self.outcome_values]
        return content | {"exploitability": float(self.exploitability), "value": float(self.value)}

    @classmethod
    def of_score(cls, path: Path, data: bytes, tree: GameTree, score: Score, winning_score: int) -> Snapshot:
        """Like `load`, for bytes that the caller has read. path: named in errors.

        Raises FormatError like `load`, and for another score or winning score.
        """
        snapshot = cls.from_dict(path, content_of(path, data, SNAPSHOT_KIND), tree)
        if snapshot.score != score or snapshot.winning_score != winning_score:
            raise FormatError(path, f"not a snapshot of the score {score} of a match to {winning_score}")
        return snapshot

    @classmethod
    def from_dict(cls, path: Path, content: dict[str, Any], game: AnyGame) -> Snapshot:
        """The snapshot of a game with the fields of `content`, the content of the file `path`.

        Raises FormatError like `load`, and if the name of the file has another iteration.
        """
        single = {name: content[name] for name in _ROOT_ROWS if getattr(content.get(name), "dtype", None) == "float32"}
        content = content | {name: array.astype(np.float64) for name, array in single.items()}
        left_out = "current_strategy" not in content and isinstance(content.get("strategy_sums"), np.ndarray)
        if left_out:
            content["current_strategy"] = content["strategy_sums"].copy()
            if content["current_strategy"].ndim > 0:
                content["current_strategy"][:1] = 1
        snapshot = as_record(path, content, cls)
        if isinstance(game, GameTree) and snapshot.rules != str(game.rules):
            raise FormatError(path, f"belongs to a round by the rules {snapshot.rules[:40]!r}, not {str(game.rules)!r}")
        if snapshot.tree_fingerprint != game.fingerprint:
            what = "belongs to another game tree; solve it again, or use the program with which it was made"
            if isinstance(game, BuiltGame):
                what = f"belongs to another game, {snapshot.rules[:60]!r}, or the game's rules have changed since"
            raise FormatError(path, what)
        if isinstance(game, GameTree) != (snapshot.outcome_values is not None):
            raise FormatError(path, "outcome_values: a round has them, and no other game")
        tree = tree_of_game(game)
        for problem in snapshot._problems((tree.num_nodes, tree.num_types), tree.num_decision_nodes):
            raise FormatError(path, problem)
        if isinstance(game, BuiltGame):
            largest = game.largest_payoff
            if abs(snapshot.value) > largest * (1.0 + RELATIVE_TOLERANCE) or snapshot.exploitability < -1e-9:
                raise FormatError(path, "value, exploitability: impossible in this game")
        if parse_snapshot_name(path.name) not in (None, snapshot.iteration):
            what = f"it has iteration {snapshot.iteration}, not the one in its name"
            raise FormatError(path, f"{what}; rename it to {snapshot_name(snapshot.iteration)}, or use another copy")
        bad = strategy_problem(tree, snapshot.current_strategy)
        if bad is not None:
            what = "missing required field current_strategy: strategy_sums cannot replace it, " if left_out else ""
            raise FormatError(path, f"{what or 'current_strategy: '}{_place(game, bad.node, bad.type)}: {bad.what}")
        return snapshot

    def average_strategy(self, game: AnyGame) -> FloatArray:
        """float64 (num_nodes, k): normalised strategy sums, uniform where all sums are 0; 1 for the root and for chance
        moves.

        Raises ValueError if the game is not the snapshot's.
        """
        if game.fingerprint != self.tree_fingerprint:
            raise ValueError(f"game: fingerprint {game.fingerprint}, but {self.tree_fingerprint} is needed")
        tree, sums = tree_of_game(game), self.strategy_sums
        totals = tree.sums_over_children(sums)
        never = totals == 0.0
        shift = tree.at_children(never / tree.num_children[tree.decision_nodes, None])
        # Strategy sums that already sum to 1, such as an imported strategy's, are not divided.
        divisors = np.where(never | (np.abs(totals - 1.0) <= 1e-13), 1.0, totals)
        result = np.ones_like(sums)
        result[1:] = sums[1:] / tree.at_children(divisors)[1:] + shift[1:]
        result[tree.mover == CHANCE] = 1.0
        return result

    @property
    def round_values(self) -> OutcomeValues:
        """The outcome values of a round. Raises ValueError for another game."""
        if self.outcome_values is None:
            raise ValueError(f"outcome_values: {self.rules} has none")
        return self.outcome_values

    @property
    def convergence_rows(self) -> list[tuple[int, float, float | None, float]]:
        """The run's checks and its end, by CONVERGENCE_COLUMNS; None if the current strategy was not judged."""
        rows: list[tuple[int, float, float | None, float]] = [
            (int(iteration), average, None if current == NOT_JUDGED else current, value)
            for iteration, average, current, value in self.convergence.tolist()
        ]
        if not rows or rows[-1][0] < self.iteration:
            rows.append((self.iteration, float(self.exploitability), None, float(self.value)))
        return rows

    def without_regrets(self) -> Snapshot:
        """A copy with the same strategies that cannot be solved further."""
        return replace(self, regrets=np.zeros_like(self.regrets), skippable=np.zeros_like(self.skippable))

    def _problems(self, rows: tuple[int, ...], num_decision_nodes: int) -> Iterator[str]:
        if not 0 <= self.iteration < MOST_ITERATIONS:
            yield f"iteration: {self.iteration} is not from 0 to {MOST_ITERATIONS - 1}"
        if not -MOST_ITERATIONS < self.started_at <= self.iteration:
            yield f"started_at: {self.started_at} is not from {1 - MOST_ITERATIONS} to {self.iteration}"
        points = math.inf if self.winning_score is None else self.winning_score
        if points < 1:
            yield f"winning_score: {points} is not positive"
        if self.score is not None and not 0 <= min(self.score) <= max(self.score) < points:
            yield f"score: {self.score} does not exist in a match to {self.winning_score}"
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(_ROOT_ROWS, rows)
        shapes |= {"skippable": (2, num_decision_nodes), "convergence": (*self.convergence.shape[:1], 4)}
        shapes |= {name: rows for name in ("recent_sums", "beliefs") if getattr(self, name) is not None}
        for name, shape in shapes.items():
            array, dtype = getattr(self, name), "int8" if name == "skippable" else "float64"
            if array.dtype != dtype or array.shape != shape:
                yield f"{name}: {array.dtype} {array.shape}, but {dtype} {shape} is needed"
        for name, number in _ROOT_ROWS.items():
            if np.any(getattr(self, name)[:1] != number):
                yield f"{name}: the root's row is not {number}"
        if np.any((self.skippable < 0) | (self.skippable > 1)):
            yield "skippable: not 0 or 1"
        for name in ("strategy_sums", "recent_sums", "beliefs"):
            sums = getattr(self, name)
            if sums is not None and not np.all((sums >= 0.0) & (sums <= LARGEST_SUM)):
                yield f"{name}: negative, or above {shown(LARGEST_SUM)}, too large to be summed"
        if not np.all(np.abs(self.regrets) <= LARGEST_REGRET):
            yield f"regrets: beyond {shown(LARGEST_REGRET)}, too large to continue with"
        if self.outcome_values is not None:
            yield from self._problems_of_round(self.outcome_values)

    def _problems_of_round(self, values: OutcomeValues) -> Iterator[str]:
        yield from outcome_problems(values, self.winning_score is not None)
        scale = (1.0 + RELATIVE_TOLERANCE) * max(1.0, *map(abs, values))
        if not abs(self.value) <= scale:
            yield f"value: {self.value} is more than any result is worth"
        if not -RELATIVE_TOLERANCE * scale <= self.exploitability <= 4.0 * scale:
            yield f"exploitability: {self.exploitability} is negative, or larger than the difference of any two results"
        iterations = self.convergence[:, 0]
        if np.any((iterations < 0.0) | (iterations >= MOST_ITERATIONS)):
            yield f"convergence: an iteration that is not from 0 to {MOST_ITERATIONS - 1}"
        if np.any(np.abs(self.convergence[:, 1:]) > 4.0 * scale):
            yield "convergence: larger than the difference of any two results"


def tree_of_game(game: AnyGame) -> PublicTree:
    """The tree whose nodes index strategies of the game."""
    return game if isinstance(game, GameTree) else game.tree


def name_of(game: AnyGame) -> str:
    """The name of a game in files."""
    return str(game.rules) if isinstance(game, GameTree) else game.name


def _place(game: AnyGame, node: int, own_type: int) -> str:
    if isinstance(game, GameTree):
        return f"{game.history_name(node)}, goal {goal_name(own_type)}"
    history = "/".join(map(in_words, game.history_seen(node))) or "empty"
    own = in_words(game.type_at(node, own_type))
    return f"history {' '.join(history.split())}{f', type {own}' if own else ''}"


def tree_of(path: Path, rules: Any, fingerprint: Any) -> GameTree:
    """The game tree of these rules, from the file `path`. Raises FormatError for another fingerprint."""
    tree = GameTree.build(rules_of(path, rules))
    if tree.fingerprint != fingerprint:
        raise FormatError(
            path, "made with another game tree; solve it again, or use the program with which it was made"
        )
    return tree


def rules_of(path: Path, rules: Any) -> Rules:
    """The rules that the file `path` names. Raises FormatError for unknown rules."""
    try:
        return Rules.parse(rules if isinstance(rules, str) else "")
    except ValueError as error:
        shown = repr(rules) if len(repr(rules)) <= 60 else f"{repr(rules)[:57]}..."
        raise FormatError(path, f"made with rules that are unknown here, {shown}; upgrade to read it") from error


_ROOT_ROWS = {"regrets": 0.0, "strategy_sums": 0.0, "current_strategy": 1.0}
"""The number that fills the root's row, by the name of each array with a row per node."""


STRATEGY_FILE = "strategy.csv"
"""The file of a described game's average strategy, by names of moves and types, in the directory of its snapshots."""
COLUMNS = "history", "player", "type", "move", "probability"
CONVERGENCE_FILE = "convergence.csv"
"""The file, beside the strategy, of the convergence of a described game's run."""
CONVERGENCE_COLUMNS = "iteration", "average_exploitability", "current_exploitability", "value"


def strategy_rows(game: BuiltGame, strategy: FloatArray) -> Iterator[tuple[Any, ...]]:
    """The rows of strategy.csv, by COLUMNS. A history is the names that the player sees, with "/" between them.

    A probability below NOISE is 0 there. If a player sees different things that read alike, the second has [2] after
    its history, and so on.
    """
    tree, strategy = game.tree, noiseless(game.tree, strategy)
    alike: Counter[tuple[str, int, str]] = Counter()
    for node, numbers in game.decisions():
        words = " ".join("/".join(map(in_words, game.history_seen(node))).split())
        for number in numbers:
            own = in_words(game.type_at(node, number))
            key = words, int(tree.owner[node]), own
            alike[key] += 1
            history = words if alike[key] == 1 else f"{words} [{alike[key]}]"
            for child in tree.children(node):
                yield history, int(tree.owner[node]), own, in_words(tree.move(child)), float(strategy[child, number])


def noiseless(tree: PublicTree, strategy: FloatArray) -> FloatArray:
    """A strategy without probabilities below NOISE; the others still sum to 1."""
    strategy = np.where(strategy < NOISE, 0.0, strategy)
    totals = tree.at_children(tree.sums_over_children(strategy))
    totals[tree.mover == CHANCE] = 1.0
    result: FloatArray = strategy / np.maximum(totals, NOISE)
    result[0] = 1.0
    return result


def write_table(path: Path, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    """Write a CSV file, complete or not at all. Raises OSError and FormatError."""
    with replacing(regular_file(path)) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
        text.flush()
        text.detach()
