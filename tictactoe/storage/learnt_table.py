"""Tables learnt by trial and error, on disk: of a round, or of a described game.

A file of kind "learnt_table" holds the fields of `LearntTable`, which has its round, its learning method and its
progress. A file of kind "learnt_game" holds the fields of `LearntGame`,
which names the game; `fingerprint` tells whether its rules are still the same. `method` is a map of the method's
fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import NUM_TYPES, FloatArray, IntArray
from ..algorithms.learning.learning_method import MOST_LEARNING_ROUNDS, LearningFigures, LearningMethod
from ..algorithms.strategy import greedy_strategy, strategy_problem
from ..checked_numbers import LARGEST_SEED, whole_number
from ..errors import FormatError
from ..games.rules import SINGLE_ROUND, OutcomeValues
from ..games.tic_tac_toe_tree import STATES, GameTree, state_rows
from ..match.options import LARGEST_OUTCOME_VALUE, checked_outcome_values
from ..match.scores import LARGEST_WINNING_SCORE, Score, checked_score
from .atomic_files import output_file
from .file_format import read_file, start_of, write_file
from .records import as_record
from .snapshot import Snapshot, tree_of

LEARNT_KIND = "learnt_table"
SELF_PLAY = "self"
"""The opponent of a learner that plays itself."""
_NUM_FIGURES = len(LearningFigures._fields)


class RoundToLearn(NamedTuple):
    """The round that a learner plays.

    >>> RoundToLearn().outcome_values
    OutcomeValues(both=0.0, first=1.0, second=-1.0, neither=0.0)
    """

    outcome_values: OutcomeValues = SINGLE_ROUND
    """Rewards of the four results to the first mover."""
    score: Score | None = None
    """The score of the round; None for a round on its own."""
    winning_score: int | None = None
    """Points that win the match; None for a round on its own."""


class FixedOpponent(NamedTuple):
    """An opponent of a learner that does not learn.

    >>> from tictactoe import uniform_strategy
    >>> table = LearntTable.new(
    ...     GameTree.build(), LearningMethod(), opponent=FixedOpponent("uniform", uniform_strategy(GameTree.build()))
    ... )
    >>> table.opponent
    'uniform'
    """

    name: str
    strategy: FloatArray
    """float64 (num_nodes, 3)"""


@dataclass(frozen=True, eq=False, kw_only=True)
class LearntTable:
    """The knowledge of a learner of one round: enough to play, to be judged and to learn further.

    >>> from tempfile import TemporaryDirectory
    >>> table = LearntTable.new(GameTree.build(), LearningMethod(), state="board")
    >>> with TemporaryDirectory() as directory:
    ...     table.save(Path(directory) / "agent")
    ...     again = LearntTable.load(Path(directory) / "agent")
    >>> again.rounds, again.values.shape, again.strategy.shape
    (0, (1943, 3), (37538, 3))
    """

    rules: str
    """The rules of the round, as str(Rules) writes them."""
    tree_fingerprint: str
    """GameTree.fingerprint of the round's tree."""
    score: Score | None
    """The score of the round; None for a round on its own."""
    winning_score: int | None
    """Points that win the match; None for a round on its own."""
    outcome_values: OutcomeValues
    """Rewards of the four results to the first mover."""
    state: str
    """What the learner distinguishes: a name of STATES."""
    method: LearningMethod
    seed: int
    opponent: str
    """The opponent's name; SELF_PLAY for a learner that plays itself."""
    opponent_strategy: FloatArray | None
    """float64 (num_nodes, 3): the opponent's strategy; None for a learner that plays itself."""
    rounds: int
    """Rounds played so far."""
    nodes: int
    """Decision nodes visited so far."""
    values: FloatArray
    """float64 (num_rows, 3): values of moves, see TabularLearner."""
    visits: NDArray[np.int64]
    """int64 (num_rows, 3): how often each move was made, see TabularLearner."""
    log: FloatArray
    """float64 (num_checkpoints, 5): rows of LearningFigures."""

    @staticmethod
    def new(
        tree: GameTree,
        method: LearningMethod,
        *,
        played: RoundToLearn | None = None,
        state: str = "history",
        opponent: FixedOpponent | None = None,
        seed: int = 0,
    ) -> LearntTable:
        """A table before the first round. Raises ValueError for fields that do not fit together.

        played: None for a round on its own. opponent: None for a learner that plays itself.
        """
        outcome_values, score, winning_score = played or RoundToLearn()
        size = int(state_rows(tree, state).max()) + 1, NUM_TYPES
        if winning_score is not None:
            winning_score = whole_number("winning_score", winning_score, 1, LARGEST_WINNING_SCORE)
        table = LearntTable(
            rules=str(tree.rules),
            tree_fingerprint=tree.fingerprint,
            score=None if score is None else checked_score("score", score, winning_score or 0),
            winning_score=winning_score,
            outcome_values=checked_outcome_values("outcome_values", outcome_values),
            state=state,
            method=method,
            seed=whole_number("seed", seed, 0, LARGEST_SEED),
            opponent=opponent.name if opponent else SELF_PLAY,
            opponent_strategy=opponent.strategy if opponent else None,
            rounds=0,
            nodes=0,
            values=np.zeros(size),
            visits=np.zeros(size, np.int64),
            log=np.zeros((0, _NUM_FIGURES)),
        )
        for problem in table._problems(tree):
            raise ValueError(problem)
        return table

    def save(self, path: Path) -> None:
        """Write the table to `path`, over an earlier one.

        Raises FormatError when `path` holds other data of this program, and OSError when it cannot be written.
        """
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        content |= {"method": vars(self.method), "outcome_values": [float(number) for number in self.outcome_values]}
        write_file(output_file(path, start_of(LEARNT_KIND)), LEARNT_KIND, content)

    @staticmethod
    def load(path: Path) -> LearntTable:
        """Read a table that `save` wrote. Raises FormatError for any other file, and for impossible numbers."""
        content = read_file(path, LEARNT_KIND)
        tree = tree_of(path, content.get("rules"), content.get("tree_fingerprint"))
        method = content.get("method")
        if type(method) is not dict or method.keys() != vars(LearningMethod()).keys():
            raise FormatError(path, "method: unknown or missing fields")
        table = as_record(path, content, LearntTable)
        for problem in table._problems(tree):
            raise FormatError(path, problem)
        return table

    @property
    def tree(self) -> GameTree:
        """The tree of the round."""
        return GameTree.build(self.rules)

    @property
    def row(self) -> IntArray:
        """int32 (num_nodes,): the table's row for the move into a node."""
        return state_rows(self.tree, self.state)

    @cached_property
    def strategy(self) -> FloatArray:
        """float64 (num_nodes, 3): the greedy policy: 1 for the move of the highest value (the first of equal ones)."""
        return greedy_strategy(self.tree, self.values[self.row])

    @property
    def figures(self) -> list[LearningFigures]:
        """The log, a record per checkpoint."""
        return [LearningFigures(int(row[0]), int(row[1]), *row[2:]) for row in self.log.tolist()]

    def task(self) -> dict[str, Any]:
        """The round and the learning method, by the names of train-agent's options."""
        return {
            "rules": self.rules,
            "outcome_values": list(self.outcome_values),
            "score": None if self.score is None else list(self.score),
            "winning_score": self.winning_score,
            "opponent": self.opponent,
            "state": self.state,
            **vars(self.method),
            "seed": self.seed,
        }

    def snapshot(self, exploitability: float, value: float) -> Snapshot:
        """The greedy policy as a snapshot, for code that takes solved rounds. The snapshot's iteration counts rounds.

        exploitability: NashConv of the greedy policy. value: what it earns the first mover if both seats play it.
        """
        log = [(row.rounds, row.exploitability, row.exploitability, 0.0) for row in self.figures]
        return Snapshot.of_strategy(
            self.tree,
            self.strategy,
            iteration=self.rounds,
            score=self.score,
            winning_score=self.winning_score,
            outcome_values=self.outcome_values,
            options={"algorithm": self.method.method, "learnt": self.task()},
            exploitability=exploitability,
            value=value,
            convergence=np.array(log, np.float64).reshape(-1, 4),
        )

    def _problems(self, tree: GameTree) -> Iterator[str]:
        """The problems with the fields, in words. Does not check the tree's fingerprint."""
        if self.state not in STATES:
            yield f"state: {self.state[:40]!r} is not one of {', '.join(STATES)}"
            return
        if not 0 <= self.seed < 2**63:
            yield f"seed: {self.seed} is not in 0 to {2**63 - 1}"
        if not all(abs(value) <= LARGEST_OUTCOME_VALUE for value in self.outcome_values):
            yield f"outcome_values: not all within +-{LARGEST_OUTCOME_VALUE:g}"
        if self.score is not None and not 0 <= min(self.score) <= max(self.score) < (self.winning_score or 0):
            yield f"score: {self.score} does not exist in a match to {self.winning_score}"
        if not 0 <= self.rounds < MOST_LEARNING_ROUNDS or not self.rounds <= self.nodes <= 9 * self.rounds:
            yield f"rounds, nodes: {self.rounds} and {self.nodes} are impossible"
        yield from self._problems_of_arrays(tree)

    def _problems_of_arrays(self, tree: GameTree) -> Iterator[str]:
        size = int(state_rows(tree, self.state).max()) + 1, NUM_TYPES
        for name, dtype, shape in (
            ("values", "float64", size),
            ("visits", "int64", size),
            ("log", "float64", (len(self.log), _NUM_FIGURES)),
        ):
            array = getattr(self, name)
            if array.dtype != dtype or array.shape != shape:
                yield f"{name}: {array.dtype} {array.shape} where {dtype} {shape} is needed"
                return
        if np.any(self.visits < 0) or np.any(self.visits > self.rounds) or int(self.visits.sum()) > self.nodes:
            yield f"visits: impossible after {self.rounds} rounds"
        largest = max(map(abs, self.outcome_values)) * (1.0 + 1e-9)
        if np.any(self.values[self.visits == 0]) or np.any(np.abs(self.values) > largest):
            yield "values: more than can be won, or of moves that were never made"
        counts = self.log[:, :2]
        if np.any(counts != np.floor(counts)) or np.any(np.diff(counts, axis=0, prepend=0.0) <= 0.0):
            yield "log: rounds and nodes are not whole numbers that grow"
        if len(counts) and (counts[-1, 0] > self.rounds or counts[-1, 1] > self.nodes):
            yield "log: of later rounds than the table"
        if (self.opponent_strategy is None) != (self.opponent == SELF_PLAY):
            yield f"opponent: {self.opponent[:40]!r} does not fit its strategy"
        elif self.opponent_strategy is not None:
            strategy = self.opponent_strategy
            fits = strategy.dtype == "float64" and strategy.shape == (tree.num_nodes, NUM_TYPES)
            if not fits or strategy_problem(tree, strategy) is not None:
                yield "opponent_strategy: no strategy of this tree"


LEARNT_GAME_KIND = "learnt_game"


@dataclass(frozen=True, eq=False, kw_only=True)
class LearntGame:
    """The knowledge of a learner of a described game: enough to play, to be judged and to learn further."""

    game: str
    """The game's name, as `named_game` takes it."""
    fingerprint: str
    method: LearningMethod
    seed: int
    opponent: str
    """The opponent's name; "self" for a learner that plays itself, or alone."""
    opponent_strategy: FloatArray | None
    """float64 (num_nodes, k): of an opponent that does not learn."""
    rounds: int
    """Rounds played so far."""
    nodes: int
    """Decisions and chance moves of these rounds."""
    values: FloatArray
    """float64 (num_rows, k), see TabularLearner and StateLearner."""
    visits: NDArray[np.int64]
    """int64 (num_rows, k)."""
    log: FloatArray
    """float64 (num_checkpoints, 5): rows of LearningFigures."""

    def save(self, path: Path) -> None:
        """Write the table, over an earlier one. Raises FormatError when `path` holds other data, and OSError."""
        content = {field.name: getattr(self, field.name) for field in fields(self)} | {"method": vars(self.method)}
        write_file(output_file(path, start_of(LEARNT_GAME_KIND)), LEARNT_GAME_KIND, content)

    @staticmethod
    def load(path: Path) -> LearntGame:
        """Read a table that `save` wrote. Raises FormatError for any other file, and for impossible numbers."""
        content = read_file(path, LEARNT_GAME_KIND)
        method = content.get("method")
        if type(method) is not dict or method.keys() != vars(LearningMethod()).keys():
            raise FormatError(path, "method: unknown or missing fields")
        table = as_record(path, content, LearntGame)
        for problem in table._problems():
            raise FormatError(path, problem)
        return table

    @property
    def figures(self) -> list[LearningFigures]:
        """The log, a record per checkpoint."""
        return [LearningFigures(int(row[0]), int(row[1]), *row[2:]) for row in self.log.tolist()]

    def task(self) -> dict[str, Any]:
        """The game and the learning method, by the names of train-agent's options."""
        return {"game": self.game, "opponent": self.opponent, **vars(self.method), "seed": self.seed}

    def _problems(self) -> Iterator[str]:
        if not 0 <= self.seed < 2**63:
            yield f"seed: {self.seed} is not in 0 to {2**63 - 1}"
        if not 0 <= self.rounds < MOST_LEARNING_ROUNDS or self.nodes < self.rounds:
            yield f"rounds, nodes: {self.rounds} and {self.nodes} are impossible"
        if self.values.ndim != 2 or self.values.dtype != "float64":
            yield f"values: {self.values.dtype} {self.values.shape} is no table"
        if self.visits.shape != self.values.shape or self.visits.dtype != "int64" or np.any(self.visits < 0):
            yield "visits: they do not fit the values"
        if self.log.dtype != "float64" or self.log.shape != (len(self.log), _NUM_FIGURES):
            yield f"log: {self.log.dtype} {self.log.shape} where rows of {_NUM_FIGURES} are needed"
            return
        counts = self.log[:, :2]
        if np.any(counts != np.floor(counts)) or np.any(np.diff(counts, axis=0, prepend=0.0) <= 0.0):
            yield "log: rounds and nodes are not whole numbers that grow"
