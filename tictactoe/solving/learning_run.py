"""Learning by trial and error: a round, or a named game, alone against chance, against itself or a fixed opponent.

The run of a round saves its table every few seconds and continues from the file.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..algorithms.arrays import NUM_TYPES, FloatArray
from ..algorithms.best_response import exploitability
from ..algorithms.built_game import BuiltGame
from ..algorithms.learning.learning_method import MOST_LEARNING_ROUNDS, LearningFigures, LearningMethod
from ..algorithms.learning.tabular_learning import (
    StateGraph,
    StateLearner,
    TabularLearner,
    best_values_against,
    state_graph,
)
from ..algorithms.strategy import greedy_strategy, strategy_problem, uniform_strategy
from ..checked_numbers import whole_number
from ..errors import FormatError, GameError, Interrupted, OtherTaskError, Remedy, StoreError
from ..games.named_games import NamedGame
from ..games.payoffs import tic_tac_toe_round
from ..number_text import counted, decimal_text, signed_text
from ..run_control import DEFAULT_CONTROL, Existing, RunControl
from ..storage.atomic_files import regular_file
from ..storage.directory_layout import list_snapshots, snapshot_name
from ..storage.learnt_table import LearntGame, LearntTable
from ..storage.locked_directory import DirectoryLock
from ..storage.snapshot import Snapshot, fingerprint_of
from .game_run import build, last_solved
from .round_run import CheckpointClock

ROUNDS_PER_STRETCH = 20_000
"""Rounds that the learner plays between two looks at the clock and at requests to stop."""
FIRST_CHECKPOINT = 100
"""Rounds before the first checkpoint, which judges the table."""
POINTS_PER_DECADE = 10
"""Checkpoints for every factor of ten in rounds."""

Learnt = TypeVar("Learnt", LearntTable, LearntGame)
LearningReporter = Callable[[int, LearningFigures], None]
"""Called with the rounds played so far, and the figures of the last checkpoint."""


def next_checkpoint(rounds: int) -> int:
    """The rounds played at the next checkpoint: ten of them for every factor of ten, from FIRST_CHECKPOINT on.

    >>> next_checkpoint(0), next_checkpoint(100), next_checkpoint(999_999)
    (100, 126, 1000000)
    """
    exponent = max(0, math.floor(POINTS_PER_DECADE * math.log10(max(rounds, 1) / FIRST_CHECKPOINT)) - 1)
    while (checkpoint := round(FIRST_CHECKPOINT * 10 ** (exponent / POINTS_PER_DECADE))) <= rounds:
        exponent += 1
    return checkpoint


def learner_of(table: LearntTable) -> TabularLearner:
    """A learner that continues from a table."""
    game = tic_tac_toe_round(table.tree, table.outcome_values)
    opponent = table.opponent_strategy
    learner = TabularLearner(game, table.method, opponent=opponent, row=table.row, seed=table.seed)
    learner.set_state(table.rounds, table.nodes, table.values, table.visits)
    return learner


def judged(table: LearntTable) -> tuple[LearningFigures, tuple[float, float] | None]:
    """The figures of the greedy policy; and the most that a player can get against the opponent in each seat."""
    learner, opponent = learner_of(table), table.opponent_strategy
    return learner.figures(), None if opponent is None else best_values_against(learner.game, opponent)


def train_agent(
    path: Path,
    rounds: int,
    start: LearntTable | None = None,
    *,
    control: RunControl[LearningReporter] = DEFAULT_CONTROL,
) -> LearntTable:
    """Continue the learner of the file `path` until it has played `rounds` rounds. Return the table, which is saved.

    start: a new table, for the case that the file does not exist; an existing file must have the same task. None
    requires an existing file.
    control: RESTART begins from `start` even if the file exists, which stays until the first save some seconds later.
    One thread learns, whatever the number of workers.

    A table of more rounds stays unchanged. Stopping and continuing a run changes no bit of the file. Raises StoreError
    when the file has another task or is missing, FormatError when it is damaged, OSError when it cannot be written, and
    Interrupted, with everything saved, once `control.stop` is set.

    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import GameTree, LearningMethod
    >>> new = LearntTable.new(GameTree.build(), LearningMethod())
    >>> with TemporaryDirectory() as directory:
    ...     table = train_agent(Path(directory) / "agent", 1000, new)
    >>> table.rounds, [figures.rounds for figures in table.figures][-3:]
    (1000, [631, 794, 1000])
    """
    return learn(path, rounds, start, (LearntTable.load, learner_of), control)


def learn(
    path: Path,
    rounds: int,
    start: Learnt | None,
    how: tuple[Callable[[Path], Learnt], Callable[[Learnt], TabularLearner | StateLearner]],
    control: RunControl[LearningReporter],
) -> Learnt:
    """As `train_agent`, for any kind of table. how: a function that loads a table, and one that makes its learner."""
    rounds, path = whole_number("rounds", rounds, 0, MOST_LEARNING_ROUNDS - 1), regular_file(path)
    load, learner_from = how
    table = _begin(path, start, control.existing, load)
    learner = learner_from(table)
    if table.rounds >= rounds:
        return table
    log = table.figures
    clock, report = CheckpointClock(), control.reporter

    def save() -> Learnt:
        rows = np.array(log, np.float64).reshape(-1, len(LearningFigures._fields))
        values, visits = learner.values.copy(), learner.visits.copy()
        saved = replace(table, rounds=learner.rounds, nodes=learner.nodes, values=values, visits=visits, log=rows)
        saved.save(path)
        return saved

    if not (path.exists() and control.restarts):  # what is there stays until something has been learnt
        save()  # raises now, not after long learning, if the file cannot be written
    while learner.rounds < rounds:
        if control.stop.is_set():
            save()
            raise Interrupted
        checkpoint = next_checkpoint(learner.rounds)
        learner.run(min(rounds, checkpoint, learner.rounds + ROUNDS_PER_STRETCH) - learner.rounds)
        if learner.rounds == checkpoint:
            log.append(learner.figures())
        if report and log:
            report(learner.rounds, log[-1])
        if clock.is_due():
            save()
    return save()


def _begin(path: Path, start: Learnt | None, existing: Existing, load: Callable[[Path], Learnt]) -> Learnt:
    """The table that a run continues. Raises StoreError as `train_agent` does."""
    if not path.exists() or (existing is Existing.RESTART and start is not None):
        if start is None or existing is Existing.RESUME:
            raise StoreError(f"{path}: no agent to continue", Remedy.BEGIN)
        return start
    table = load(path)
    if start is None:
        return table
    theirs, ours = table.task(), start.task()
    different = [name for name in ours if ours[name] != theirs[name]]
    same_opponent = table.opponent_strategy is start.opponent_strategy or np.array_equal(
        np.asarray(table.opponent_strategy), np.asarray(start.opponent_strategy)
    )
    if not different and same_opponent:
        return table
    raise OtherTaskError(path, different)


def export_agent(table: LearntTable, directory: Path) -> Path:
    """Save the greedy policy as a snapshot, for commands that take a solved round; return the path of the file.

    Snapshots of learnt tables that are already in the directory stay. Raises StoreError for a directory that cannot be
    used, or holds a solved round.
    """
    game = tic_tac_toe_round(table.tree, table.outcome_values)
    found = exploitability(game, table.strategy)
    lock = DirectoryLock()
    lock.acquire(directory)
    try:
        for iteration in list_snapshots(directory):
            path = directory / snapshot_name(iteration)
            if "learnt" not in Snapshot.load(path, table.tree).options:
                raise StoreError(f"{directory}: holds a round that was solved; choose another directory")
        path = directory / snapshot_name(table.rounds)
        table.snapshot(found.total, found.value).save(path)
    finally:
        lock.release()
    return path


SELF, UNIFORM = "self", "uniform"
SMALL_LOSS = 0.001
"""Who loses less than this a round has learnt enough, for most purposes: a thousandth of the stake."""


class WayOfLearning(NamedTuple):
    """How a game is learnt."""

    method: LearningMethod = LearningMethod()
    opponent: str = SELF
    """SELF, UNIFORM, or a directory of game solve."""
    seed: int = 0


@dataclass(frozen=True)
class GameToLearn:
    """A named game as learners take it: its tree or, with a single player, the graph of its states."""

    named: NamedGame

    @cached_property
    def graph(self) -> StateGraph | None:
        """The states of a game of one player; None for a game of two."""
        with self.named.faults():
            return state_graph(self.named.description) if self.named.has_one_player else None

    @cached_property
    def built(self) -> BuiltGame:
        """The game of two players."""
        return build(self.named)

    @cached_property
    def fingerprint(self) -> str:
        """Of everything that a table depends on."""
        if self.graph is None:
            return fingerprint_of(self.built)
        graph, digest = self.graph, hashlib.sha256()
        for array in (graph.owner, graph.first_move, graph.target, graph.chances, graph.payoffs):
            digest.update(array.tobytes())
        digest.update("\0".join(map(str, graph.names)).encode())
        return digest.hexdigest()

    def new(self, way: WayOfLearning) -> LearntGame:
        """A table before the first round. Raises ValueError for an opponent that a game of one player has not."""
        if self.graph is not None:
            if way.opponent != SELF:
                raise ValueError(f"opponent: {self.named.name} has one player, who learns")
            size, strategy = (len(self.graph.names), NUM_TYPES), None
        else:
            tree = self.built.tree
            size, strategy = (tree.num_nodes, tree.num_types), self._strategy(way.opponent)
        return LearntGame(
            game=self.named.name,
            fingerprint=self.fingerprint,
            method=way.method,
            seed=way.seed,
            opponent=way.opponent,
            opponent_strategy=strategy,
            rounds=0,
            nodes=0,
            values=np.zeros(size),
            visits=np.zeros(size, np.int64),
            log=np.zeros((0, len(LearningFigures._fields))),
        )

    def _strategy(self, opponent: str) -> FloatArray | None:
        if opponent == SELF:
            return None
        if opponent == UNIFORM:
            return uniform_strategy(self.built.tree)
        if not Path(opponent).is_dir():
            raise ValueError(f"opponent: {opponent!r} is neither self, nor uniform, nor a directory of a solved game")
        return last_solved(Path(opponent), self.built).average_strategy(self.built)

    def loaded(self, path: Path) -> LearntGame:
        """The table of a file. Raises FormatError, also for one of another game."""
        table = LearntGame.load(path)
        if table.fingerprint != self.fingerprint:
            what = f"of another game, {table.game[:60]!r}, or the game's rules have changed since"
            raise FormatError(path, what)
        tree = None if self.graph is not None else self.built.tree
        rows = (len(self.graph.names), NUM_TYPES) if tree is None and self.graph else None
        if table.values.shape != (rows or (self.built.tree.num_nodes, self.built.tree.num_types)):
            raise FormatError(path, f"values: shape {table.values.shape} is not that of the game")
        strategy = table.opponent_strategy
        if strategy is not None and (
            tree is None
            or strategy.shape != (tree.num_nodes, tree.num_types)
            or strategy_problem(tree, strategy) is not None
        ):
            raise FormatError(path, "opponent_strategy: no strategy of this game")
        return table

    def learner(self, table: LearntGame) -> TabularLearner | StateLearner:
        """A learner that continues from a table. Raises GameError for a game that it does not take."""
        learner: TabularLearner | StateLearner
        if self.graph is not None:
            learner = StateLearner(self.graph, table.method, seed=table.seed)
        else:
            try:
                learner = TabularLearner(self.built, table.method, opponent=table.opponent_strategy, seed=table.seed)
            except ValueError as error:
                raise GameError(f"{self.named.name}: {str(error).removeprefix('game: ')}") from error
        learner.set_state(table.rounds, table.nodes, table.values, table.visits)
        return learner

    def strategy_of(self, table: LearntGame) -> FloatArray:
        """float64 (num_nodes, k): the greedy policy, in a game of two."""
        return greedy_strategy(self.built.tree, table.values)


@dataclass(frozen=True)
class LearntReport:
    """What a learner has got to."""

    game: GameToLearn
    table: LearntGame
    figures: LearningFigures = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "figures", self.game.learner(self.table).figures())

    @property
    def best_value(self) -> float | None:
        """The most that anybody gets against the opponent, on average over both seats; None without one."""
        if self.game.graph is not None:
            return self.game.graph.best_value
        strategy = self.table.opponent_strategy
        return None if strategy is None else sum(best_values_against(self.game.built, strategy)) / 2.0

    @property
    def enough_rounds(self) -> int | None:
        """With one player, the rounds since which the policy has lost less than SMALL_LOSS; None before as many again
        have been played, as it may have been luck."""
        enough = None
        for row in reversed(self.table.figures):
            if row.exploitability >= SMALL_LOSS:
                break
            enough = row.rounds
        return enough if enough is not None and 2 * enough <= self.table.rounds else None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        figures = self.figures
        about: dict[str, Any] = {**self.table.task(), "rounds": figures.rounds, "nodes": figures.nodes}
        if self.game.graph is None:
            about |= {"value_first": figures.as_first, "value_second": figures.as_second}
        about |= {"value": figures.value, "best_value": self.best_value, "exploitability": figures.exploitability}
        if self.game.graph is not None:
            about |= {"enough_rounds": self.enough_rounds, "chart": self.chart}
        return about | {"log": [row._asdict() for row in self.table.figures]}

    def lines(self) -> list[str]:
        """In words, with a table by rounds played."""
        table, figures, graph = self.table, self.figures, self.game.graph
        result = [f"{table.method.method}, {counted(figures.rounds, 'round')}"]
        if graph is None:
            result.append(
                f"its best moves: {signed_text(figures.as_first, 6)} as player 0, "
                f"{signed_text(figures.as_second, 6)} as player 1, against {table.opponent}"
            )
            if self.best_value is not None:
                result.append(f"the most that anybody gets: {signed_text(self.best_value, 6)} on average")
            return [*result, f"exploitability: {decimal_text(figures.exploitability, 6)}"]
        moves = graph.greedy_moves(table.values[:, 0])
        differ = sum(name != graph.best_moves[state] for state, name in moves.items())
        result += ["", f"{'rounds':>13}  gets a round  loses to best play"]
        for row in [*_thinned(table.figures), *([] if table.figures and table.figures[-1] == figures else [figures])]:
            result.append(
                f"{row.rounds:>13,}  {signed_text(row.value, 6):>12}  {decimal_text(row.exploitability, 6):>18}"
            )
        result += ["", f"best play: {signed_text(graph.best_value, 6)}; {differ} of {len(moves)} moves differ from it"]
        enough = self.enough_rounds
        result.append(
            f"Go on: it has to lose less than {SMALL_LOSS} a round for longer."
            if enough is None
            else f"Enough: after {enough:,} rounds it lost less than {SMALL_LOSS} a round."
        )
        if (chart := self.chart) is not None:
            result += ["", "Its moves by first letter, small where another is better:", *chart.split("\n")]
        return result

    @property
    def chart(self) -> str | None:
        """The greedy policy as a chart, if the game draws one: letters of moves, small where the best move differs."""
        cells = getattr(self.game.named.description, "chart", None)
        if cells is None or self.game.graph is None:
            return None
        moves, best = self.game.graph.greedy_moves(self.table.values[:, 0]), self.game.graph.best_moves
        rows: dict[str, list[str]] = {}
        columns: list[str] = []
        for row, column, state in cells():
            letter = str(moves[state])[:1]
            rows.setdefault(row, []).append(letter.upper() if moves[state] == best[state] else letter.lower())
            columns += [] if column in columns else [column]
        width = max(map(len, rows))
        lines = [
            f"{name:{width}} {' '.join(f'{each:>2}' for each in line)}" for name, line in {"": columns, **rows}.items()
        ]
        return "\n".join(lines)


def _thinned(figures: list[LearningFigures]) -> list[LearningFigures]:
    """Of ten checkpoints in a decade three."""
    return [row for place, row in enumerate(figures) if place % 10 in (0, 3, 7)]


def train_on_game(
    path: Path,
    rounds: int,
    game: GameToLearn,
    start: LearntGame | None,
    *,
    control: RunControl[LearningReporter] = DEFAULT_CONTROL,
) -> LearntGame:
    """Continue the learner of the file `path` until it has played `rounds` rounds. Return the table, which is saved.

    start: a new table of the game, for the case that the file does not exist; an existing file must have the same task.
    None requires an existing file. Everything else as in `train_agent`.

    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe.games.named_games import named_game
    >>> game = GameToLearn(named_game("twenty-one"))
    >>> with TemporaryDirectory() as directory:
    ...     table = train_on_game(Path(directory) / "agent", 1000, game, game.new(WayOfLearning()))
    >>> table.rounds, len(table.figures)
    (1000, 11)
    """
    return learn(path, rounds, start, (game.loaded, game.learner), control)
