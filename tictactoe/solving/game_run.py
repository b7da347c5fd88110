"""Solving a named game: by an update rule, by linear programs, or, with a single player, by dynamic programming.

A run by an update rule may have a directory: it then saves snapshots as that of a round does, checkpoint.msgpack every
few seconds, and goes on from there, bit for bit; at its end strategy.csv. `SolvedGame` and `SolvedAlone` have the
results, for JSON and in words.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.built_game import BuiltGame
from ..algorithms.cfr.solver import LONGEST_STRETCH, CFRSolver, CFRState, Evaluation
from ..algorithms.cfr.update_rules import UpdateRule, update_rule
from ..algorithms.comparing.convergence import ConvergenceLog
from ..algorithms.comparing.measured_run import parse_contender
from ..algorithms.game_builder import MAXIMUM_NODES, build_game
from ..algorithms.leaf_payoffs import GameSize
from ..algorithms.single_player import BestMoves, best_play
from ..algorithms.strategy import uniform_strategy
from ..checked_numbers import LARGEST_SEED, positive_number, whole_number
from ..errors import GameError, Interrupted, OtherOptionsError, Remedy, StoreError
from ..games.named_games import NamedGame
from ..number_text import counted, signed_text
from ..run_control import DEFAULT_CONTROL, RunControl
from ..storage.directory_layout import CHECKPOINT_FILE, check_no_leftovers, list_snapshots, snapshot_name
from ..storage.locked_directory import DirectoryLock, finish
from ..storage.snapshot import (
    COLUMNS,
    STRATEGY_FILE,
    GameSnapshot,
    check_only_games,
    fingerprint_of,
    strategy_rows,
    write_strategy,
)
from ..storage.solution import option_differences
from ..storage.texts import picked
from .round_run import CheckpointClock, run_place


@contextlib.contextmanager
def game_directory(directory: Path, control: RunControl[Any]) -> Iterator[GameDirectory]:
    """The place of a run, as `run_place` says."""
    check_only_games(directory)
    what = "a game that was solved"
    with run_place(directory, control.existing, what, lambda path: path.name == STRATEGY_FILE) as place:
        yield GameDirectory(place)


class GameDirectory:
    """Where a run of a described game writes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def load(self, name: str, game: BuiltGame, options: dict[str, Any]) -> GameSnapshot | None:
        """The snapshot of that name; None without one. Raises OtherOptionsError for one with other options."""
        path = self.directory / name
        newest = max(list_snapshots(self.directory), default=None)
        if not path.exists() and newest is not None:
            path = self.directory / snapshot_name(newest)
        if not path.exists() and (self.directory / CHECKPOINT_FILE).exists():
            path = self.directory / CHECKPOINT_FILE
        if not path.exists():
            return None
        return self.checked(path, game, options)

    def checked(self, path: Path, game: BuiltGame, options: dict[str, Any]) -> GameSnapshot:
        """The snapshot of a file. Raises OtherOptionsError for one with other options."""
        snapshot = GameSnapshot.load(path, game)
        if differences := option_differences(snapshot.options, options):
            raise OtherOptionsError(self.directory, differences)
        return snapshot


def check_replaceable(directory: Path, restart: bool) -> None:
    """Raises StoreError where a strategy of one player may not be written."""
    check_only_games(directory)
    if list_snapshots(directory) or (directory / CHECKPOINT_FILE).exists():
        raise StoreError(f"{directory}: holds another game; choose another output directory")
    check_no_leftovers(directory, lambda path: path.name == STRATEGY_FILE, True, "a game that was solved")
    if (directory / STRATEGY_FILE).exists() and not restart:
        raise StoreError(f"{directory}: holds a strategy", Remedy.REPLACE)


LARGEST_PART_GAINED = 1e-9
"""What somebody may still gain against an exact solution, as a part of the largest difference of payoffs."""


@dataclass(frozen=True, eq=False)
class SolvedGame:
    """A solved game, and what is known of its solution."""

    game: BuiltGame
    strategy: FloatArray
    """float64 (num_nodes, k): both players' strategies."""
    value: float
    """To player 0."""
    exploitability: float
    """NashConv."""
    algorithm: str
    iterations: int
    """0 for an exact solution."""
    seconds: float
    """Of this call, without building the game."""

    @property
    def num_information_sets(self) -> int:
        """Decisions that a player can tell apart: by history, and by own type if that is ever drawn."""
        return num_information_sets(self.game)

    @property
    def is_solved(self) -> bool:
        """Whether nobody gains more than LARGEST_PART_GAINED."""
        return self.exploitability <= LARGEST_PART_GAINED * largest_difference(self.game)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            **picked(self, "value", "exploitability", "algorithm", "iterations"),
            "nodes": self.game.tree.num_nodes,
            "information_sets": self.num_information_sets,
            "types": list(map(len, self.game.types)),
            "seconds": self.seconds,
        }

    def lines(self) -> list[str]:
        """In words."""
        rule, sets = self.algorithm, counted(self.num_information_sets, "information set")
        how = counted(self.iterations, f"iteration of {rule}", f"iterations of {rule}")
        return [
            f"{counted(self.game.tree.num_nodes, 'node')}, {sets}; {how if self.iterations else 'linear programs'}",
            f"value to player 0: {_value_text(self.value, largest_difference(self.game))}",
            f"exploitability: {self.exploitability:.2e}",
        ]


@dataclass(frozen=True, eq=False)
class SolvedAlone:
    """The best play of a single player."""

    best: BestMoves
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "value": float(self.best.value),
            "exploitability": 0.0,
            "algorithm": "dynamic-programming",
            "iterations": 0,
            "states": len(self.best.values),
            "information_sets": len(self.best.moves),
            "seconds": self.seconds,
        }

    def lines(self) -> list[str]:
        """In words."""
        values = self.best.values.values()
        shown = _value_text(float(self.best.value), float(max(values) - min(values)))
        return [
            f"{counted(len(self.best.values), 'state')}, by dynamic programming",
            f"value to player 0: {shown}, exact but for rounding",
        ]


def _value_text(value: float, largest: float) -> str:
    """A value with nine digits; 0 without a sign. largest: the largest difference of values or payoffs."""
    if 1e-9 * largest < abs(value) < 1e-3 and largest < 1e-3:
        return f"{value:+.9e}"
    text = signed_text(value, 9)
    return text if float(text) else text.removeprefix("+")


def largest_difference(game: BuiltGame) -> float:
    """The largest payoff less the smallest, of all ends that may come. The game has a matrix for each leaf class."""
    tree, payoffs, possible = game.tree, game.payoffs, game.prior > 0.0
    if game.chance is not None:  # which is a factor of them
        leaves = np.flatnonzero(tree.leaf_class >= 0)
        classes, tables = np.unique([tree.leaf_class[leaves], game.chance.table_of[leaves]], axis=1)
        reach = game.chance.tables[tables]
        possible = possible & (reach > 0.0)
        payoffs = np.divide(payoffs[classes], reach, out=np.zeros_like(reach), where=possible)
    found = payoffs[np.broadcast_to(possible, payoffs.shape)]
    return float(found.max() - found.min())


def num_information_sets(game: BuiltGame) -> int:
    """Decisions that a player can tell apart: by history, and by own type if that is ever drawn."""
    tree, total = game.tree, 0
    for player in (0, 1):
        drawn = game.prior.sum(axis=1 - player) > 0.0
        nodes = np.flatnonzero(tree.owner == player)
        if tree.knowledge is None:
            total += len(nodes) * int(drawn.sum())
            continue
        partition = tree.knowledge.partition[nodes]
        groups = [len(np.unique(each[drawn], axis=0)) for each in tree.knowledge.together]
        total += int(np.sum(partition < 0)) * int(drawn.sum()) + sum(
            groups[number] for number in partition[partition >= 0]
        )
    return total


DOUBLE_ORACLE = "double-oracle"
"""The algorithm of an exact solution, as files name it."""
_WITHOUT_END = 10**12 - 1

GameReporter = Callable[[int, Evaluation], None]
"""Called with an iteration and the quality of the strategies after it."""


@dataclass(frozen=True, kw_only=True)
class GameOptions:
    """How a game is solved. Raises ValueError naming the field that is wrong.

    >>> GameOptions(iterations=0)
    Traceback (most recent call last):
    ValueError: iterations: 0 is not at least 1
    """

    iterations: int | None = None
    """The last iteration; None for 2,000, or for no end with a target."""
    target: float | None = None
    """The run ends at the first check that finds an exploitability of at most this, in the payoffs' unit."""
    algorithm: UpdateRule = field(default_factory=lambda: update_rule("rdcfr"))
    alternate_updates: bool = True
    check_exploitability_every: int = 100
    """Iterations from one check to the next."""
    snapshot_at: tuple[int, ...] = ()
    """Iterations to save beside the last one."""
    seed: int | None = None
    """Of the draws of a rule that samples, where None means 0; None for any other rule."""

    def __post_init__(self) -> None:
        for name in ("iterations", "check_exploitability_every"):
            if (number := getattr(self, name)) is not None:
                whole_number(name, number, 1)
        if self.target is not None:
            positive_number("target", self.target)
        self.algorithm.check_use(self.alternate_updates, False)
        if self.seed is not None:
            if not self.algorithm.samples:
                raise ValueError(f"seed: {self.algorithm.name} draws nothing at random")
            whole_number("seed", self.seed, 0, LARGEST_SEED)

    @property
    def last(self) -> int | None:
        """The iteration after which the run ends at the latest; None for no such."""
        return self.iterations or (2000 if self.target is None else None)

    @staticmethod
    def of_contender(text: str, **fields: Any) -> GameOptions:
        """The options with the rule that a text names, as `parse_contender` takes it. Raises ValueError.

        >>> GameOptions.of_contender("dcfr(discount_alpha=1, simultaneous)", iterations=5).alternate_updates
        False
        """
        contender = parse_contender(text)
        return GameOptions(algorithm=contender.rule, alternate_updates=contender.alternate_updates, **fields)

    def as_dict(self) -> dict[str, Any]:
        """The options that determine the run, but its length, as data for files."""
        return {
            "algorithm": self.algorithm.name,
            **self.algorithm.parameters,
            "alternate_updates": self.alternate_updates,
            "check_exploitability_every": self.check_exploitability_every,
            **({"seed": self.seed or 0} if self.algorithm.samples else {}),
        }


def is_large(size: GameSize) -> bool:
    """Whether somebody should be told what a game takes."""
    return size.seconds > 2.0 or size.megabytes > 200.0


def size_text(size: GameSize) -> str:
    """What a game takes, on one line."""
    return (
        f"{counted(size.histories, 'history', 'histories')}, {counted(size.leaves, 'leaf', 'leaves')}, "
        f"{counted(size.payoffs, 'payoff')} to ask for, about {size.megabytes:,.0f} MB and {size.seconds:,.0f} s"
    )


def build(
    named: NamedGame,
    maximum_nodes: int = MAXIMUM_NODES,
    announce: Callable[[GameSize], object] | None = None,
    walked: Callable[[int], object] | None = None,
) -> BuiltGame:
    """The built game. The arguments are those of `build_game`.

    Raises GameError for a wrong description, and UserCodeError for an error in its code.
    """
    with named.faults():
        description = named.described(maximum_nodes, walked)
        return build_game(description, maximum_nodes=maximum_nodes, announce=announce, walked=walked)


def solve_one_player(named: NamedGame, directory: Path | None = None, *, restart: bool = False) -> SolvedAlone:
    """The exact best play of a game of one player, by dynamic programming; with a directory also strategy.csv in it.

    Raises StoreError when the directory holds a strategy, unless `restart` replaces it.
    """
    start = time.perf_counter()
    with named.faults():
        best = best_play(named.description)
    if directory is not None:
        lock = DirectoryLock()
        lock.acquire(directory)
        try:
            check_replaceable(directory, restart)
            names = _state_names(named.description, best.moves)
            rows = [(names[state], move, float(best.values[state])) for state, move in best.moves.items()]
            write_strategy(directory, ("state", "move", "value"), rows)
        finally:
            lock.release()
    return SolvedAlone(best, time.perf_counter() - start)


def _state_names(description: Any, states: Iterable[Any]) -> dict[Any, str]:
    """What states are called in a file: by `show`, if the description has it and no two are then called alike."""
    show = getattr(description, "show", str)
    names = {state: " ".join(str(show(state)).split()) for state in states}
    return names if len(set(names.values())) == len(names) else {state: str(state) for state in names}


def solve_exactly(
    named: NamedGame, game: BuiltGame, directory: Path | None = None, *, control: RunControl[Any] = DEFAULT_CONTROL
) -> SolvedGame:
    """An equilibrium by linear programs (`DoubleOracle`). With a directory, what it holds is not computed again.

    What somebody still gains may be more than rounding: see `SolvedGame.is_solved`. Raises GameError for a game that
    they do not take, ProgramError, MissingSolverError, and as `solve_game` for the directory.
    """
    from ..algorithms.exact.punishing_double_oracle import DoubleOracle

    start = time.perf_counter()
    uniform = uniform_strategy(game.tree)
    options = {"algorithm": DOUBLE_ORACLE}

    def solved() -> GameSnapshot:
        try:
            oracle = DoubleOracle(game.tree, uniform)
        except ValueError as error:
            raise GameError(f"{named.name}: {str(error).removeprefix('tree: ')}") from error
        equilibrium = oracle.approached(game)
        sums = equilibrium.strategy.copy()
        sums[0] = 0.0
        return GameSnapshot(
            iteration=0,
            started_at=0,
            regrets=np.zeros_like(sums),
            strategy_sums=sums,
            current_strategy=equilibrium.strategy,
            skippable=np.zeros((2, game.tree.num_decision_nodes), np.int8),
            game=named.name,
            fingerprint=fingerprint_of(game),
            options=options,
            value=equilibrium.value,
            exploitability=equilibrium.exploitability.total,
            convergence=np.zeros((0, 4)),
        )

    if directory is None:
        return _solved(game, solved(), start)
    with game_directory(directory, control) as place:
        found = place.load(snapshot_name(0), game, options) or solved()
        found.save(place.directory / snapshot_name(0))
        result = _solved(game, found, start)
        write_strategy(place.directory, COLUMNS, strategy_rows(game, result.strategy))
    return result


def solve_game(
    named: NamedGame,
    game: BuiltGame,
    options: GameOptions,
    directory: Path | None = None,
    *,
    control: RunControl[GameReporter] = DEFAULT_CONTROL,
) -> SolvedGame:
    """Solve a game by an update rule, or continue the run in `directory`; None for a run that is not saved.

    A directory that has gone further already, or has reached the target, stays as it is. Raises StoreError when the
    directory cannot be used or holds a run with other options, FormatError when its last file is damaged, OSError when
    a file cannot be written, and Interrupted, with everything saved, once `control.stop` is set.

    >>> from tictactoe.games.named_games import named_game
    >>> kuhn = named_game("kuhn")
    >>> solved = solve_game(kuhn, build(kuhn), GameOptions(iterations=400))
    >>> round(18 * solved.value, 3), solved.num_information_sets
    (-1.0, 12)
    """
    start = time.perf_counter()
    run = _GameRun(named, game, options, control)
    if directory is None:
        return _solved(game, run.run(), start)
    with game_directory(directory, control) as place:
        result = _solved(game, run.run(place), start)
        write_strategy(place.directory, COLUMNS, strategy_rows(game, result.strategy))
    return result


def last_solved(directory: Path, game: BuiltGame) -> GameSnapshot:
    """The last snapshot of a solved game. Raises StoreError without one, and FormatError for another game."""
    finish(directory)
    iterations = list_snapshots(directory)
    if not iterations:
        raise StoreError(f"{directory}: holds no solved game")
    return GameSnapshot.load(directory / snapshot_name(iterations[-1]), game)


def _solved(game: BuiltGame, snapshot: GameSnapshot, start: float) -> SolvedGame:
    return SolvedGame(
        game,
        snapshot.average_strategy(game),
        snapshot.value,
        snapshot.exploitability,
        str(snapshot.options.get("algorithm")),
        snapshot.iteration,
        time.perf_counter() - start,
    )


class _GameRun:
    def __init__(
        self, named: NamedGame, game: BuiltGame, options: GameOptions, control: RunControl[GameReporter]
    ) -> None:
        self._named, self._game, self._options, self._control = named, game, options, control
        self._fingerprint = fingerprint_of(game)
        self._last = options.last or _WITHOUT_END
        self._convergence = ConvergenceLog(options.check_exploitability_every)
        settings: dict[str, Any] = {"alternate_updates": options.alternate_updates, "seed": options.seed or 0}
        try:
            self._solver = CFRSolver(game, options.algorithm, **settings)
        except ValueError as error:
            raise GameError(f"{named.name}: {str(error).removeprefix('game: ')}") from error

    def run(self, place: GameDirectory | None = None) -> GameSnapshot:
        """Run to the end; return the last snapshot, or a later state if the place holds one."""
        solver, options = self._solver, self._options
        if place is not None and (finished := self._load(place)) is not None:
            return finished
        clock, reached = CheckpointClock(), False
        while solver.iteration < self._last and not reached:
            if self._control.stop.is_set():
                if place is not None:
                    self._snapshot(solver.resumable_state()).save(place.directory / CHECKPOINT_FILE)
                    raise Interrupted
                raise Interrupted("nothing is saved without a directory")
            solver.run(self._next_stop() - solver.iteration)
            found = solver.evaluate()
            if solver.iteration % options.check_exploitability_every == 0:
                judged = found.average_exploitability, found.current_exploitability
                self._convergence.add(solver.iteration, *judged, found.value)
                reached = options.target is not None and found.average_exploitability <= options.target
            if self._control.reporter:
                self._control.reporter(solver.iteration, found)
            if place is not None and solver.iteration in options.snapshot_at:
                self._snapshot(solver.state()).save(place.directory / snapshot_name(solver.iteration))
            if place is not None and clock.is_due():
                self._snapshot(solver.resumable_state()).save(place.directory / CHECKPOINT_FILE)
        result = self._snapshot(solver.state())
        if place is not None:
            checkpoint, goes_on_from = place.directory / CHECKPOINT_FILE, solver.resumable_state()
            if goes_on_from.iteration < solver.iteration:  # a longer run begins from this checkpoint
                self._snapshot(goes_on_from).save(checkpoint)
            result.save(place.directory / snapshot_name(result.iteration))
            if goes_on_from.iteration == solver.iteration:
                checkpoint.unlink(missing_ok=True)
        return result

    def _next_stop(self) -> int:
        iteration, options = self._solver.iteration, self._options
        stops = [(iteration // period + 1) * period for period in (options.check_exploitability_every, LONGEST_STRETCH)]
        return min(*stops, *(at for at in options.snapshot_at if at > iteration), self._last)

    def _load(self, place: GameDirectory) -> GameSnapshot | None:
        """The last state if no work is left; otherwise continue from the newest file, and return None.

        A run continues from a checkpoint, or from a snapshot at a flush.
        """
        directory, settings = place.directory, self._options.as_dict()
        iterations, solver = list_snapshots(directory), self._solver
        if iterations:
            latest = place.checked(directory / snapshot_name(iterations[-1]), self._game, settings)
            target = self._options.target
            if latest.iteration >= self._last or (target is not None and latest.exploitability <= target):
                return latest
        paths = [directory / snapshot_name(each) for each in iterations if each % solver.flush_every == 0][-1:]
        if (directory / CHECKPOINT_FILE).exists():
            paths.append(directory / CHECKPOINT_FILE)
        states = [place.checked(path, self._game, settings) for path in paths]
        if not states:
            return None
        newest = max(states, key=lambda state: state.iteration)
        if newest.iteration > self._last:
            return newest
        self._convergence.go_on_from(newest.convergence, newest.iteration)
        solver.set_state(newest)
        return None

    def _snapshot(self, state: CFRState) -> GameSnapshot:
        """A state as a snapshot, judged anew: it may be of an earlier iteration than the solver's."""
        found = self._solver.evaluate(state=state)
        return GameSnapshot(
            **vars(state),
            game=self._named.name,
            fingerprint=self._fingerprint,
            options=self._options.as_dict(),
            value=found.value,
            exploitability=found.average_exploitability,
            convergence=self._convergence.rows,
        )
