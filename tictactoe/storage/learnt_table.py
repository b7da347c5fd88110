"""A table learnt by trial and error, on disk, with its game and its learning method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import NUM_TYPES, FloatArray, IntArray
from ..algorithms.built_game import BuiltGame
from ..algorithms.game import Game
from ..algorithms.learning import MOST_LEARNING_ROUNDS, LearningFigures, LearningMethod, StateGraph
from ..algorithms.strategy import greedy_strategy, strategy_problem
from ..checked_numbers import LARGEST_SEED, whole_number
from ..errors import FormatError
from ..games.payoffs import tic_tac_toe_round
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
"""The opponent of a learner that plays itself or alone."""
_NUM_FIGURES = len(LearningFigures._fields)
GameToLearn = GameTree | BuiltGame | StateGraph
"""The game of a table: a round of tic-tac-toe, or a described game of one or two players."""


class RoundToLearn(NamedTuple):
    """The round that a learner plays.

    >>> RoundToLearn().outcome_values
    OutcomeValues(both=0.0, first=1.0, second=-1.0, neither=0.0)
    """

    outcome_values: OutcomeValues = SINGLE_ROUND
    """The rewards of the four results to the first mover."""
    score: Score | None = None
    """The score of the round; None for a round on its own."""
    winning_score: int | None = None
    """The points that win the match; None for a round on its own."""


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
    """The opponent's strategy, float64 (num_nodes, 3)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LearntTable:
    """What a learner knows about one game, which is enough to play, to be judged and to learn further.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> table = LearntTable.new(GameTree.build(), LearningMethod(), state="board")
    >>> with TemporaryDirectory() as directory:
    ...     table.save(Path(directory) / "agent")
    ...     again = LearntTable.load(Path(directory) / "agent")
    >>> again.rounds, again.values.shape, again.strategy.shape
    (0, (1943, 3), (37538, 3))
    """

    rules: str
    """The rules of the round, as str(Rules) writes them; the name of another game, as `named_game` takes it."""
    tree_fingerprint: str
    """The `fingerprint` of the game, or of a round's tree."""
    score: Score | None
    """The score of the round; None for a round on its own."""
    winning_score: int | None
    """The points that win the match; None for a round on its own."""
    outcome_values: OutcomeValues | None
    """The rewards of the four results to the first mover; None for a described game."""
    state: str
    """The name, in STATES, of what the learner distinguishes."""
    method: LearningMethod
    seed: int
    opponent: str
    """The opponent's name; SELF_PLAY for a learner that plays itself or alone."""
    opponent_strategy: FloatArray | None
    """float64 (num_nodes, k): the strategy of an opponent that does not learn; None if there is none."""
    rounds: int
    """The number of rounds played so far."""
    nodes: int
    """The number of decision nodes and chance moves visited so far."""
    values: FloatArray
    """float64 (num_rows, k): the values of moves (see TabularLearner)."""
    visits: NDArray[np.int64]
    """int64 (num_rows, k): how often each move was made (see TabularLearner)."""
    log: FloatArray
    """float64 (num_checkpoints, 5): rows of LearningFigures."""

    @staticmethod
    def new(
        game: GameToLearn,
        method: LearningMethod,
        *,
        played: RoundToLearn | None = None,
        state: str = "history",
        opponent: FixedOpponent | None = None,
        seed: int = 0,
    ) -> LearntTable:
        """A table before the first round. Raises ValueError for fields that contradict each other.

        played: the round of tic-tac-toe; None for a round on its own.
        opponent: None for a learner that plays itself or alone.
        """
        worth, score, winning_score = played or RoundToLearn()
        if winning_score is not None:
            winning_score = whole_number("winning_score", winning_score, 1, LARGEST_WINNING_SCORE)
        size = _size(game, state)
        table = LearntTable(
            rules=str(game.rules) if isinstance(game, GameTree) else game.name,
            tree_fingerprint=game.fingerprint,
            score=None if score is None else checked_score("score", score, winning_score or 0),
            winning_score=winning_score,
            outcome_values=checked_outcome_values("outcome_values", worth) if isinstance(game, GameTree) else None,
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
        for problem in table._problems(game):
            raise ValueError(problem)
        return table

    def save(self, path: Path) -> None:
        """Write the table to `path`, replacing an earlier one.

        Raises FormatError if `path` has other data of this program, and OSError if it cannot be written.
        """
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        write_file(output_file(path, start_of(LEARNT_KIND)), LEARNT_KIND, content | {"method": vars(self.method)})

    @staticmethod
    def load(path: Path, game: BuiltGame | StateGraph | None = None) -> LearntTable:
        """Read a table of a described game or, without `game`, of a round.

        Raises FormatError for any other file, for a table of another game, and for impossible numbers.
        """
        table = LearntTable.of_any_game(path)
        if game is None and table.outcome_values is None:
            raise FormatError(path, f"belongs to the game {table.rules[:60]!r}, not to a round of tic-tac-toe")
        if game is not None:
            if table.tree_fingerprint != game.fingerprint:
                raise FormatError(
                    path, f"belongs to another game, {table.rules[:60]!r}, or the game's rules have changed since"
                )
            for problem in table._problems(game):
                raise FormatError(path, problem)
        return table

    @staticmethod
    def of_any_game(path: Path) -> LearntTable:
        """Read a table without checking it against its described game. Raises FormatError."""
        content = read_file(path, LEARNT_KIND)
        tree = None
        if content.get("outcome_values") is not None:
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
        return GameTree.build(self.rules)

    @property
    def game(self) -> Game:
        """The round in the form that algorithms take."""
        assert self.outcome_values is not None, "a described game is not in the file"
        return tic_tac_toe_round(self.tree, self.outcome_values)

    @property
    def row(self) -> IntArray:
        """int32 (num_nodes,): the table's row for the move into a node."""
        return state_rows(self.tree, self.state)

    @cached_property
    def strategy(self) -> FloatArray:
        """float64 (num_nodes, 3): in a round, 1 for the move of the highest value (the first of equals), otherwise
        0."""
        return greedy_strategy(self.tree, self.values[self.row])

    @property
    def figures(self) -> list[LearningFigures]:
        """The log, a record per checkpoint."""
        return [LearningFigures(int(row[0]), int(row[1]), *row[2:]) for row in self.log.tolist()]

    def task(self) -> dict[str, Any]:
        """The game and the learning method, by the names of train-agent's options."""
        learnt: dict[str, Any] = {**vars(self.method), "seed": self.seed}
        if self.outcome_values is None:
            return {"game": self.rules, "opponent": self.opponent, **learnt}
        names = "rules", "outcome_values", "score", "winning_score", "opponent", "state"
        values = (getattr(self, name) for name in names)
        in_lists = (list(value) if isinstance(value, tuple) else value for value in values)
        return {**dict(zip(names, in_lists, strict=True)), **learnt}

    def snapshot(self, exploitability: float, value: float) -> Snapshot:
        """The greedy policy of a round as a snapshot whose iteration counts rounds.

        exploitability: NashConv of the greedy policy. value: what it earns the first mover if both seats play it.
        """
        assert self.outcome_values is not None
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

    def _problems(self, game: GameToLearn | None) -> Iterator[str]:
        if self.state not in STATES:
            yield f"state: {self.state[:40]!r} is not one of {', '.join(STATES)}"
            return
        if not 0 <= self.seed < 2**63:
            yield f"seed: {self.seed} is not from 0 to {2**63 - 1}"
        if not all(abs(value) <= LARGEST_OUTCOME_VALUE for value in self.outcome_values or ()):
            yield f"outcome_values: not all within +-{LARGEST_OUTCOME_VALUE:g}"
        if self.score is not None and not 0 <= min(self.score) <= max(self.score) < (self.winning_score or 0):
            yield f"score: {self.score} does not exist in a match to {self.winning_score}"
        most_nodes = 9 * self.rounds if isinstance(game, GameTree) else np.inf
        if not 0 <= self.rounds < MOST_LEARNING_ROUNDS or not self.rounds <= self.nodes <= most_nodes:
            yield f"rounds, nodes: {self.rounds} and {self.nodes} are impossible"
        size = self.values.shape if game is None else _size(game, self.state)
        shapes = {"values": size, "visits": size, "log": (len(self.log), _NUM_FIGURES)}
        yield from self._problems_of_arrays(shapes)
        if (self.opponent_strategy is None) != (self.opponent == SELF_PLAY):
            yield f"opponent: {self.opponent[:40]!r} does not fit its strategy"
        elif game is not None and not _is_strategy(game, self.opponent_strategy):
            yield "opponent_strategy: it is not a strategy of this game"

    def _problems_of_arrays(self, shapes: Mapping[str, tuple[int, ...]]) -> Iterator[str]:
        for name, shape in shapes.items():
            dtype = "int64" if name == "visits" else "float64"
            array = getattr(self, name)
            if array.dtype != dtype or array.shape != shape or array.ndim != 2:
                yield f"{name}: {array.dtype} {array.shape}, but {dtype} {shape} is needed"
                return
        if np.any(self.visits < 0) or np.any(self.visits > self.rounds) or int(self.visits.sum()) > self.nodes:
            yield f"visits: impossible after {self.rounds} rounds"
        largest = np.inf if self.outcome_values is None else max(map(abs, self.outcome_values)) * (1.0 + 1e-9)
        if np.any(self.values[self.visits == 0]) or not np.all(np.abs(self.values) <= largest):
            yield "values: they exceed what can be won, or belong to moves that were never made"
        counts = self.log[:, :2]
        if np.any(counts != np.floor(counts)) or np.any(np.diff(counts, axis=0, prepend=0.0) <= 0.0):
            yield "log: rounds and nodes are not whole numbers that grow"
        if len(counts) and (counts[-1, 0] > self.rounds or counts[-1, 1] > self.nodes):
            yield "log: it has later rounds than the table"


def _is_strategy(game: GameToLearn, strategy: FloatArray | None) -> bool:
    if strategy is None or isinstance(game, StateGraph):
        return strategy is None
    tree = game if isinstance(game, GameTree) else game.tree
    fits = strategy.dtype == "float64" and strategy.shape == (tree.num_nodes, tree.num_types)
    return fits and strategy_problem(tree, strategy) is None


def _size(game: GameToLearn, state: str) -> tuple[int, int]:
    if isinstance(game, StateGraph):
        return len(game.names), NUM_TYPES
    if isinstance(game, BuiltGame):
        return game.tree.num_nodes, game.tree.num_types
    return int(state_rows(game, state).max()) + 1, NUM_TYPES
