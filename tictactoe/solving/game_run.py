"""The solving of one round or described game, with or without a directory.

checkpoint.msgpack is saved every few seconds. A stopped run continues from it, bit for bit.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..algorithms.built_game import BuiltGame
from ..algorithms.cfr import LONGEST_STRETCH, CFRSolver, CFRState, Evaluation
from ..algorithms.convergence import ConvergenceLog
from ..algorithms.game import Game
from ..algorithms.game_builder import MAXIMUM_NODES
from ..algorithms.measured_run import parse_contender
from ..algorithms.single_player import best_play
from ..errors import FormatError, GameError, Interrupted, OtherOptionsError, Remedy, StoreError
from ..games.named_games import NamedGame
from ..games.payoffs import tic_tac_toe_round
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import GameOptions
from ..number_text import in_words, without_noise
from ..run_control import DEFAULT_CONTROL, Existing, RunControl
from ..storage.atomic_files import remove_temporary_files
from ..storage.directory_layout import (
    CERTIFICATE_FILE,
    CHECKPOINT_FILE,
    check_no_leftovers,
    list_snapshots,
    place_of_run,
    remove_response,
    snapshot_name,
    solution_around,
)
from ..storage.file_format import read_file, write_bytes
from ..storage.locked_directory import DirectoryLock, begin_restart, finish, locked, put_in_place
from ..storage.snapshot import (
    COLUMNS,
    CONVERGENCE_COLUMNS,
    CONVERGENCE_FILE,
    SNAPSHOT_KIND,
    STRATEGY_FILE,
    AnyGame,
    Snapshot,
    name_of,
    strategy_rows,
    write_table,
)
from ..storage.solution import option_differences, rules_differences
from .game_certificate import certificate_bytes, game_certificate
from .solved_game import SolvedAlone

CHECKPOINT_SECONDS = 5.0
"""The approximate seconds of work that a killed run loses."""


class CheckpointClock:
    """A clock that says when to save again."""

    def __init__(self) -> None:
        self._saved_at = time.monotonic()

    def is_due(self) -> bool:
        """Whether CHECKPOINT_SECONDS have passed since the start or the last True."""
        if (now := time.monotonic()) - self._saved_at <= CHECKPOINT_SECONDS:
            return False
        self._saved_at = now
        return True


def _is_ours(path: Path) -> bool:
    return path.name in (STRATEGY_FILE, CONVERGENCE_FILE, CERTIFICATE_FILE)


def _write_tables(place: Path, game: BuiltGame, solved: Snapshot) -> None:
    write_table(place / STRATEGY_FILE, COLUMNS, strategy_rows(game, solved.average_strategy(game)))
    write_table(place / CONVERGENCE_FILE, CONVERGENCE_COLUMNS, solved.convergence_rows)


@contextlib.contextmanager
def run_place(directory: Path, existing: Existing, what: str) -> Iterator[Path]:
    """Lock the directory of a run for the block, and yield the place to write into.

    A run that replaces an earlier one has another place until the block ends without an error. what: as for
    `check_no_leftovers`. Raises StoreError if the directory cannot be used, is part of a solution or, with RESUME, has
    no run.
    """
    finish(directory)
    if (solution := solution_around(directory)) is not None:
        raise StoreError(f"{directory}: part of the solution {solution}; choose another output directory")
    restarts = existing is Existing.RESTART
    if existing is Existing.RESUME and not _is_begun(place_of_run(directory)):
        raise StoreError(f"{directory}: no earlier run to resume", Remedy.BEGIN)
    if directory.is_dir() and not _is_begun(directory):
        restarted = restarts or place_of_run(directory) != directory
        check_no_leftovers(directory, _is_ours, restarted, what)
    lock = DirectoryLock()
    lock.acquire(directory)
    place = place_of_run(directory)
    try:
        if restarts and (place != directory or _is_begun(directory) or (directory / STRATEGY_FILE).exists()):
            place = begin_restart(directory)
        remove_temporary_files(place)
        yield place
        if place != directory:
            put_in_place(directory, place.name)
    finally:
        if place != directory:
            with contextlib.suppress(OSError):  # something was saved there
                place.rmdir()
        lock.release()


def _is_begun(place: Path) -> bool:
    return place.is_dir() and bool(list_snapshots(place) or (place / CHECKPOINT_FILE).exists())


_WITHOUT_END = 10**12 - 1
_WHAT = "a game that was solved"

GameReporter = Callable[[int, Evaluation], None]
"""A function called with an iteration and the quality of the strategies after it."""


def options_of_contender(text: str, **fields: Any) -> GameOptions:
    """The options of a described game, with an algorithm as `parse_contender` reads it. Raises ValueError.

    >>> options_of_contender("dcfr(discount_alpha=1, simultaneous)", iterations=5).alternate_updates
    False
    """
    contender = parse_contender(text)
    how: dict[str, Any] = {"algorithm": contender.rule, "alternate_updates": contender.alternate_updates}
    return GameOptions(outcome_values=None, **how, **fields)


def solve_game(
    directory: Path | None, game: AnyGame, options: GameOptions, *, control: RunControl[GameReporter] = DEFAULT_CONTROL
) -> Snapshot:
    """Solve a game up to `options.iterations` or `options.target`, or continue the run in `directory`.

    directory: None to save nothing.
    game: a described game, or the tree of a round, whose outcome values are in the options.
    control: the number of workers does not matter; one thread does the work.

    Returns the last snapshot. A run that has gone further, or reached the target, stays unchanged.

    Raises StoreError if the directory cannot be used, is part of a solution, or has a run with other options,
    FormatError for a damaged file, GameError for a game that the algorithm cannot solve, OSError if writing fails, and
    Interrupted, with everything saved, once `control.stop` is set.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import GameOptions, GameTree, solve_game
    >>> with TemporaryDirectory() as directory:
    ...     snapshot = solve_game(Path(directory), GameTree.build(), GameOptions(iterations=50))
    >>> snapshot.iteration, snapshot.exploitability < 0.05
    (50, True)
    >>> from tictactoe import named_game
    >>> round(18 * solve_game(None, named_game("kuhn").build(), GameOptions(iterations=400)).value, 3)
    -1.0
    """
    if directory is None:
        return _GameRun(None, game, options, control).run()
    with run_place(directory, control.existing, _WHAT) as place:
        snapshot = _GameRun(place, game, options, control).run()
        if isinstance(game, BuiltGame):
            _write_tables(place, game, snapshot)
        return snapshot


def last_solved(directory: Path, game: AnyGame) -> Snapshot:
    """The last snapshot of a solved game. Raises StoreError if there is none, and FormatError for another game."""
    finish(directory)
    iterations = list_snapshots(directory)
    if not iterations:
        raise StoreError(f"{directory}: there is no solved game in it")
    return Snapshot.load(directory / snapshot_name(iterations[-1]), game)


def _loaded(path: Path, game: AnyGame, options: dict[str, Any]) -> Snapshot:
    content = read_file(path, SNAPSHOT_KIND)
    if isinstance(game, GameTree) and (different := rules_differences(str(content.get("rules")), game.rules)):
        raise OtherOptionsError(path.parent, different)
    snapshot = Snapshot.from_dict(path, content, game)
    if different := option_differences(snapshot.options, options):
        raise OtherOptionsError(path.parent, different)
    return snapshot


class _GameRun:
    def __init__(
        self, directory: Path | None, game: AnyGame, options: GameOptions, control: RunControl[GameReporter]
    ) -> None:
        played: Game
        if isinstance(game, BuiltGame):
            played, options = game, replace(options, outcome_values=None)
        else:
            assert options.outcome_values is not None, "a round has outcome values"
            with_bonus = options.small_move_epsilon > 0.0
            played = tic_tac_toe_round(game, options.outcome_values, with_bonus=with_bonus)
        self._directory, self._game, self._options, self._control = directory, game, options, control
        self._last = options.last or _WITHOUT_END
        self._convergence = ConvergenceLog(options.check_exploitability_every)
        try:
            self._solver = CFRSolver(
                played,
                options.algorithm,
                alternate_updates=options.alternate_updates,
                bonus_schedule=options.bonus_schedule,
                seed=options.seed or 0,
            )
        except ValueError as error:
            name = "" if isinstance(game, GameTree) else f"{game.name}: "
            raise GameError(f"{name}{str(error).removeprefix('game: ')}") from error

    def run(self) -> Snapshot:
        solver, options = self._solver, self._options
        finished = self._load()
        if finished is not None:
            return finished
        if solver.iteration == 0 and options.is_snapshot(0):
            self._save(solver.state(), snapshot_name(0))
        clock, reached = CheckpointClock(), False
        while solver.iteration < self._last and not reached:
            if self._control.stop.is_set():
                if self._directory is None:
                    raise Interrupted("nothing is saved without a directory")
                self._save(solver.resumable_state(), CHECKPOINT_FILE)
                raise Interrupted
            solver.run(self._next_stop() - solver.iteration)
            found = solver.evaluate()
            if solver.iteration % options.check_exploitability_every == 0:
                judged = found.average_exploitability, found.current_exploitability
                self._convergence.add(solver.iteration, *judged, found.value)
                reached = options.target is not None and found.average_exploitability <= options.target
            if self._control.reporter:
                self._control.reporter(solver.iteration, found)
            if options.is_snapshot(solver.iteration) and solver.iteration < self._last and not reached:
                self._save(solver.state(), snapshot_name(solver.iteration))
            if clock.is_due():
                self._save(solver.resumable_state(), CHECKPOINT_FILE)
        goes_on_from = solver.resumable_state()
        if goes_on_from.iteration < solver.iteration:  # a run with more iterations begins from this checkpoint
            self._save(goes_on_from, CHECKPOINT_FILE)
        result = self._snapshot(solver.state())
        self._save(result, snapshot_name(result.iteration))
        if goes_on_from.iteration == solver.iteration and self._directory is not None:
            (self._directory / CHECKPOINT_FILE).unlink(missing_ok=True)
        return result

    def _next_stop(self) -> int:
        every, iteration = self._options.check_exploitability_every, self._solver.iteration
        stops = [(iteration // period + 1) * period for period in (every, LONGEST_STRETCH)]
        return min(*stops, self._options.next_snapshot(iteration) or self._last, self._last)

    def _load(self) -> Snapshot | None:
        if self._directory is None:
            return None
        iterations, target = list_snapshots(self._directory), self._options.target
        checkpoint, options = self._directory / CHECKPOINT_FILE, self._options.as_dict()
        latest = _loaded(self._directory / snapshot_name(iterations[-1]), self._game, options) if iterations else None
        if latest is not None and (
            latest.iteration >= self._last or (target is not None and latest.exploitability <= target)
        ):
            if checkpoint.exists() and latest.iteration % self._solver.flush_every == 0:
                with contextlib.suppress(
                    FormatError, StoreError
                ):  # left by a kill, because longer runs begin from `latest`
                    if _loaded(checkpoint, self._game, options).iteration <= latest.iteration:
                        checkpoint.unlink(missing_ok=True)
            return latest
        aligned = [iteration for iteration in iterations if iteration % self._solver.flush_every == 0]
        paths = [self._directory / snapshot_name(iteration) for iteration in aligned[-1:]]
        states = {path: _loaded(path, self._game, options) for path in [*paths, checkpoint] if path.exists()}
        if not states:
            return None
        path, newest = max(states.items(), key=lambda state: state[1].iteration)
        if newest.iteration > self._last:  # the checkpoint is already past the requested iterations
            return newest
        self._convergence.go_on_from(newest.convergence, newest.iteration)
        try:
            self._solver.set_state(newest)
        except ValueError as error:
            raise FormatError(path, f"there is nothing to continue from: {error}") from error
        return None

    def _save(self, state: CFRState, name: str) -> None:
        if self._directory is not None:
            if name != CHECKPOINT_FILE:
                remove_response(self._directory, state.iteration)
            (state if isinstance(state, Snapshot) else self._snapshot(state)).save(self._directory / name)

    def _snapshot(self, state: CFRState) -> Snapshot:
        options, evaluation = self._options, self._solver.evaluate(state=state)
        return Snapshot(
            **vars(state),
            score=options.score,
            winning_score=options.winning_score,
            outcome_values=options.outcome_values,
            options=options.as_dict(),
            rules=name_of(self._game),
            tree_fingerprint=self._game.fingerprint,
            exploitability=evaluation.average_exploitability,
            value=evaluation.value,
            convergence=self._convergence.rows,
        )


def solve_exactly(
    directory: Path | None,
    game: BuiltGame,
    named: NamedGame | None = None,
    maximum_nodes: int = MAXIMUM_NODES,
    *,
    control: RunControl[Callable[[str], object]] = DEFAULT_CONTROL,
) -> Snapshot:
    """An equilibrium by a linear program (`equilibrium`), or the result in the directory.

    named: also write a certificate of this game. The reporter is told what it proves, or why there is none.
    maximum_nodes: the most histories of the certified game, with the deal of the types. A stop prevents only the
    certificate and raises Interrupted.

    The result may be inexact (see `SolvedGame.is_solved`). Raises GameError for a game that is too large, ProgramError,
    MissingSolverError, and the errors of `solve_game` for the directory.
    """
    from ..algorithms.one_program import equilibrium

    options = {"algorithm": "exact"}

    def solved() -> Snapshot:
        try:
            found = equilibrium(game)
        except ValueError as error:
            raise GameError(f"{game.name}: {str(error).removeprefix('game: ')}") from error
        gain = found.exploitability.total
        return Snapshot.of_strategy(game, found.strategy, options=options, value=found.value, exploitability=gain)

    if directory is None:
        return solved()
    with run_place(directory, control.existing, _WHAT) as place:
        saved = [snapshot_name(at) for at in list_snapshots(place)[-1:]]
        names = [name for name in (*saved, CHECKPOINT_FILE) if (place / name).exists()]
        found = _loaded(place / names[0], game, options) if names else solved()
        found.save(place / snapshot_name(0))
        _write_tables(place, game, found)
        if named is not None and not (saved and (place / CERTIFICATE_FILE).exists()):
            if control.stop.is_set():
                raise Interrupted("the strategy is saved; the same command continues with its certificate")
            told = _certify(place / CERTIFICATE_FILE, named, maximum_nodes)
            if control.reporter is not None:
                control.reporter(told)
    return found


def _certify(path: Path, named: NamedGame, maximum_nodes: int) -> str:
    try:
        certificate = game_certificate(named, maximum_nodes)
        data = certificate_bytes(certificate)
    except GameError as error:
        path.unlink(missing_ok=True)
        return f"no certificate: {error}"
    write_bytes(path, data)
    value = certificate["value"].removesuffix("/1")
    return f"{path.name} proves the value: exactly {value if len(value) <= 200 else 'the fraction in it'}"


def solve_one_player(named: NamedGame, directory: Path | None = None, *, restart: bool = False) -> SolvedAlone:
    """The exact best play of a game of one player, by dynamic programming. With a directory, also write strategy.csv.

    Raises StoreError if the directory has a strategy, unless `restart` replaces it.
    """
    start = time.perf_counter()
    with named.faults():
        best = best_play(named.description)
    if directory is not None:
        with locked(directory):
            if list_snapshots(directory) or (directory / CHECKPOINT_FILE).exists():
                raise StoreError(f"{directory}: there is another game in it; choose another output directory")
            check_no_leftovers(directory, _is_ours, True, _WHAT)
            if (directory / STRATEGY_FILE).exists() and not restart:
                raise StoreError(f"{directory}: already contains a strategy", Remedy.REPLACE)
            with named.faults():
                names = _state_names(best.moves, getattr(named.description, "show", in_words))
            largest = max(map(abs, map(float, best.values.values())))
            rows = [
                (names[state], in_words(move), without_noise(float(best.values[state]), largest))
                for state, move in best.moves.items()
            ]
            write_table(directory / STRATEGY_FILE, ("state", "move", "value"), rows)
    return SolvedAlone(best, time.perf_counter() - start)


def _state_names(states: Iterable[Any], show: Callable[[Any], object]) -> dict[Any, str]:
    names = {state: " ".join(str(show(state)).split()) for state in states}
    often = Counter(names.values())
    names = {state: name if often[name] == 1 else f"{name} [{in_words(state)}]" for state, name in names.items()}
    return names if len(set(names.values())) == len(names) else {state: repr(state) for state in names}
