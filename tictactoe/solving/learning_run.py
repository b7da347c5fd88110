"""The learning of a game by trial and error, in self-play or against a fixed strategy."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.best_response import exploitability
from ..algorithms.built_game import BuiltGame
from ..algorithms.learning import (
    MOST_LEARNING_ROUNDS,
    LearningFigures,
    StateGraph,
    TabularLearner,
    best_values_against,
    state_graph,
)
from ..algorithms.strategy import uniform_strategy
from ..checked_numbers import whole_number
from ..errors import GameError, Interrupted, OtherTaskError, Remedy, StoreError
from ..games.named_games import NamedGame
from ..games.rules import DEFAULT_RULES
from ..match.percentages import exploitability_text
from ..number_text import counted, decimal_text, signed_text
from ..run_control import DEFAULT_CONTROL, Existing, RunControl
from ..storage.atomic_files import regular_file
from ..storage.directory_layout import list_snapshots, snapshot_name
from ..storage.learnt_table import SELF_PLAY, FixedOpponent, LearntTable
from ..storage.locked_directory import locked
from ..storage.snapshot import Snapshot
from .game_run import CheckpointClock, last_solved

ROUNDS_PER_STRETCH = 20_000
"""The number of rounds between two checks of the clock and of requests to stop."""
FIRST_CHECKPOINT = 100
"""The number of rounds before the first checkpoint, which judges the table."""
POINTS_PER_DECADE = 10
"""The number of checkpoints per factor of ten in rounds."""

LearningReporter = Callable[[int, LearningFigures], None]
"""A function called with the number of rounds played so far and the figures of the last checkpoint."""


def next_checkpoint(rounds: int) -> int:
    """The rounds played at the next checkpoint: ten for every factor of ten, from FIRST_CHECKPOINT on.

    >>> next_checkpoint(0), next_checkpoint(100), next_checkpoint(999_999)
    (100, 126, 1000000)
    """
    exponent = max(0, math.floor(POINTS_PER_DECADE * math.log10(max(rounds, 1) / FIRST_CHECKPOINT)) - 1)
    while (checkpoint := round(FIRST_CHECKPOINT * 10 ** (exponent / POINTS_PER_DECADE))) <= rounds:
        exponent += 1
    return checkpoint


def game_to_learn(named: NamedGame) -> BuiltGame | StateGraph:
    """A named game for a learner: a built game or, with a single player, its graph of states."""
    with named.faults():
        return state_graph(named.description, named.name) if named.has_one_player else named.build()


def opponent_in(name: str, named: NamedGame, game: BuiltGame | StateGraph) -> FixedOpponent | None:
    """The opponent of a learner of a named game: SELF_PLAY (None), uniform, or the directory of a solved game.

    Raises ValueError for another name, and for any name in a game of one player.
    """
    if name == SELF_PLAY:
        return None
    if isinstance(game, StateGraph):
        raise ValueError(f"opponent: {named.name} has one player, who learns")
    if name == "uniform":
        return FixedOpponent(name, uniform_strategy(game.tree))
    if not Path(name).is_dir():
        raise ValueError(f"opponent: {name!r} is neither self, nor uniform, nor a directory of a solved game")
    return FixedOpponent(name, last_solved(Path(name), game).average_strategy(game))


def learner_of(table: LearntTable, described: BuiltGame | StateGraph | None = None) -> TabularLearner:
    """A learner that continues from a table. described: its game; None for a round. Raises GameError if unsuitable."""
    game, row = (table.game, table.row) if described is None else (described, None)
    try:
        learner = TabularLearner(game, table.method, opponent=table.opponent_strategy, row=row, seed=table.seed)
    except ValueError as error:
        raise GameError(f"{table.rules}: {str(error).removeprefix('game: ')}") from error
    learner.set_state(table.rounds, table.nodes, table.values, table.visits)
    return learner


def train_agent(
    path: Path,
    rounds: int,
    start: LearntTable | None = None,
    *,
    described: BuiltGame | StateGraph | None = None,
    control: RunControl[LearningReporter] = DEFAULT_CONTROL,
) -> LearntTable:
    """Train the learner in the file `path` until it has played `rounds` rounds. Returns the saved table.

    start: the table for a new file; an existing file must have the same task. None requires a file.
    described: the game, from `game_to_learn`; None for a round of tic-tac-toe.
    control: RESTART begins from `start`; an existing file stays until the first save. One thread does the work.

    A table with more rounds stays unchanged. Interruptions do not change the result. Raises StoreError if the file has
    another task or is missing, FormatError if it is damaged or of another game, OSError if it cannot be written, and
    Interrupted, with everything saved, once `control.stop` is set.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import GameTree, LearningMethod
    >>> new = LearntTable.new(GameTree.build(), LearningMethod())
    >>> with TemporaryDirectory() as directory:
    ...     table = train_agent(Path(directory) / "agent", 1000, new)
    >>> table.rounds, [figures.rounds for figures in table.figures][-3:]
    (1000, [631, 794, 1000])
    """
    rounds, path = whole_number("rounds", rounds, 0, MOST_LEARNING_ROUNDS - 1), regular_file(path)
    table = _begin(path, start, control.existing, described)
    learner = learner_of(table, described)
    if table.rounds >= rounds:
        return table
    log = table.figures
    clock, report = CheckpointClock(), control.reporter

    def save() -> LearntTable:
        rows = np.array(log, np.float64).reshape(-1, len(LearningFigures._fields))
        values, visits = learner.values.copy(), learner.visits.copy()
        saved = replace(table, rounds=learner.rounds, nodes=learner.nodes, values=values, visits=visits, log=rows)
        saved.save(path)
        return saved

    if not (path.exists() and control.restarts):  # an existing file stays until something has been learnt
        save()  # an unwritable file raises before the learning
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


def _begin(
    path: Path, start: LearntTable | None, existing: Existing, described: BuiltGame | StateGraph | None
) -> LearntTable:
    if not path.exists() or (existing is Existing.RESTART and start is not None):
        if start is None or existing is Existing.RESUME:
            raise StoreError(f"{path}: no agent to continue", Remedy.BEGIN)
        return start
    table = LearntTable.load(path, described)
    if start is None:
        return table
    theirs, ours = table.task(), start.task()
    different = [name for name in ours if ours[name] != theirs[name]]
    if different or not np.array_equal(np.asarray(table.opponent_strategy), np.asarray(start.opponent_strategy)):
        raise OtherTaskError(path, different)
    return table


def export_agent(table: LearntTable, directory: Path) -> Path:
    """Save the greedy policy as a snapshot, for commands that take a solved round. Returns its path.

    Snapshots of learnt tables stay. Raises StoreError if the directory cannot be used or has a solved round.
    """
    found = exploitability(table.game, table.strategy)
    with locked(directory):
        for iteration in list_snapshots(directory):
            path = directory / snapshot_name(iteration)
            if "learnt" not in Snapshot.load(path, table.tree).options:
                raise StoreError(f"{directory}: there is a solved round in it; choose another directory")
        path = directory / snapshot_name(table.rounds)
        table.snapshot(found.total, found.value).save(path)
    return path


SMALL_LOSS = 0.001
"""The loss per round, a thousandth of the stake, below which an agent has learnt enough for most purposes."""


@dataclass(frozen=True)
class LearntReport:
    table: LearntTable
    described: BuiltGame | StateGraph | None = None
    """The game; None for a round."""
    chart_of: NamedGame | None = None
    """A game of one player that may be able to draw a chart of its moves."""

    @cached_property
    def figures(self) -> LearningFigures:
        """The quality of the table's best moves."""
        return learner_of(self.table, self.described).figures()

    @cached_property
    def best_values(self) -> tuple[float, float] | None:
        """The best response values against the opponent, moving first and second; None without an opponent."""
        game, strategy = self.described or self.table.game, self.table.opponent_strategy
        return None if strategy is None or isinstance(game, StateGraph) else best_values_against(game, strategy)

    @property
    def best_value(self) -> float | None:
        """The best response value averaged over both seats; None in self-play."""
        if isinstance(self.described, StateGraph):
            return self.described.best_value
        return None if self.best_values is None else sum(self.best_values) / 2.0

    @property
    def enough_rounds(self) -> int | None:
        """With one player, the rounds since which the loss has been below SMALL_LOSS; None if it may have been luck."""
        enough = None
        for row in reversed(self.table.figures):
            if row.exploitability >= SMALL_LOSS:
                break
            enough = row.rounds
        return enough if enough is not None and 2 * enough <= self.table.rounds else None

    def as_dict(self) -> dict[str, Any]:
        """The report for JSON."""
        table, figures, alone = self.table, self.figures, isinstance(self.described, StateGraph)
        about: dict[str, Any] = table.task()
        if table.outcome_values is not None:
            about["outcome_values"] = table.outcome_values._asdict()
        about |= {"rounds": figures.rounds, "nodes": figures.nodes}
        if not alone:
            first, second = self.best_values or (None, None)
            about |= {"value_first": figures.as_first, "value_second": figures.as_second, "value": figures.value}
            about |= {"best_value_first": first, "best_value_second": second}
        about |= {"value": figures.value, "best_value": self.best_value, "exploitability": figures.exploitability}
        if alone:
            about |= {"enough_rounds": self.enough_rounds, "chart": self.chart}
        return about | {"log": [row._asdict() for row in table.figures]}

    def lines(self) -> list[str]:
        """The report in words, which has a table by rounds played if there is one player."""
        table, figures = self.table, self.figures
        rules = [f"rules: {table.rules}"] if table.outcome_values and table.rules != DEFAULT_RULES else []
        state = f", state {table.state}" if table.outcome_values else ""
        nodes = f"{counted(table.nodes, 'node')} touched"
        result = [*rules, f"{table.method.method}{state}, {counted(table.rounds, 'round')}, {nodes}"]
        if isinstance(self.described, StateGraph):
            return [*result, *self._lines_alone(self.described)]
        if self.best_values is None:
            result.append(f"its best moves against themselves: {signed_text(figures.as_first, 6)} to the first mover")
        else:
            average, first, second = (
                signed_text(value, 6) for value in (figures.value, figures.as_first, figures.as_second)
            )
            where = f"{average} on average, {first} moving first, {second} moving second"
            result.append(f"its best moves against {table.opponent}: {where}")
            most = ", ".join(signed_text(value, 6) for value in (sum(self.best_values) / 2, *self.best_values))
            result.append(f"the most that anybody can get: {most}")
        if table.score is not None:
            return [*result, f"exploitability: {exploitability_text(figures.exploitability)}"]
        return [*result, f"exploitability: {decimal_text(figures.exploitability, 6)} in payoff"]

    def _lines_alone(self, graph: StateGraph) -> list[str]:
        table, figures = self.table, self.figures
        moves = graph.greedy_moves(table.values[:, 0])
        differ = sum(name != graph.best_moves[state] for state, name in moves.items())
        result = ["", f"{'rounds':>13}  gets a round  loses to best play"]
        shown = [row for place, row in enumerate(table.figures) if place % 10 in (0, 3, 7)]  # three per decade
        for row in [*shown, *([] if table.figures and table.figures[-1] == figures else [figures])]:
            result.append(
                f"{row.rounds:>13,}  {signed_text(row.value, 6):>12}  {decimal_text(row.exploitability, 6):>18}"
            )
        result += ["", f"best play: {signed_text(graph.best_value, 6)}; {differ} of {len(moves)} moves differ from it"]
        enough = self.enough_rounds
        result.append(
            f"Continue: it must lose less than {SMALL_LOSS} a round for longer."
            if enough is None
            else f"Enough: after {enough:,} rounds, it lost less than {SMALL_LOSS} a round."
        )
        if (chart := self.chart) is not None:
            result += ["", "Its moves by first letter, in lower case where another move is better:", *chart.split("\n")]
        return result

    @property
    def chart(self) -> str | None:
        """One player's greedy policy as a chart, in lower case where another move is better; None if there is none."""
        cells = None if self.chart_of is None else getattr(self.chart_of.description, "chart", None)
        if cells is None or not isinstance(self.described, StateGraph):
            return None
        moves, best = self.described.greedy_moves(self.table.values[:, 0]), self.described.best_moves
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
