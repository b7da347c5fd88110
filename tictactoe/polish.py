"""From a solution that regret minimization came close with to one that is exact to rounding, score by score.

The directory that is written is a solution like any other, and complete after every pair: a run that was stopped goes
on with the pairs that are missing. It cannot be solved further: there are no regrets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Protocol

import numpy as np

from .compact import rounded
from .directory import (
    UNPOLISHED,
    DirectoryLock,
    Interrupted,
    StoreError,
    check_no_leftovers,
    is_solution_part,
    is_subgame,
    option_differences,
    other_configuration,
    remove_snapshots,
    remove_solution,
)
from .equilibrium import TREMBLE, RoundEquilibrium
from .files import remove_temporary_files
from .game import FloatArray
from .linear_program import require_solver
from .match import Pair, Score, following_scores, pairs_in_solve_order
from .newton import PairEquilibrium, PairPolisher
from .sequence_form import Levels
from .snapshot import Snapshot, snapshot_name, subgame_name
from .solution import SOLUTION_FILE, Solution, SubgameResult, load_solution, write_record

BITS = 52
"""Probabilities are rounded to multiples of 2^-52 that sum to exactly 1: an exact reader finds nothing to normalise."""
CONVERGED = 1e-10
"""A score counts as solved when its round is exploitable by no more than this, in match value."""
COARSE_BITS, COARSE_SMALLEST = 20, 1e-5
"""The same where a player's own strategy never gets: nobody can meet these moves, they need not be exact."""


class PolishObserver(Protocol):
    """Is told what happens while a solution is polished, from the thread that called `polish_solution`."""

    def pair_started(self, pair: Pair) -> None: ...
    def pair_finished(self, result: PairEquilibrium, num_done: int, num_pairs: int) -> None: ...


def polish_solution(
    source: Solution, directory: Path, *, jobs: int, keep: Collection[Score] = (), restart: bool = False,
    observer: PolishObserver | None = None, stop: Event | None = None,
) -> Solution:  # fmt: skip
    """Write an exact equilibrium of the match that `source` solves into `directory`.

    jobs: linear programs solved at the same time; the result does not depend on it. keep: scores whose earlier
    snapshots are copied. restart: throw away what the directory holds. Setting `stop` raises Interrupted once what is
    running has come to an end; finished pairs are saved.
    Raises StoreError when the directory cannot be used or `source` lacks a score, FormatError for a damaged snapshot,
    OSError when something cannot be written, MissingSolverError without highspy, and ProgramError when a linear program
    fails.
    """
    if jobs < 1:
        raise ValueError(f"jobs: {jobs} is not at least 1")
    require_solver()
    for score in keep:
        if score not in source.results:
            raise StoreError(f"{source.directory}: has no score {score} to keep snapshots of")
    if source.missing_scores:
        raise StoreError(f"{source.directory}: score {source.missing_scores[0]} is not solved; solve the match first")
    if directory.exists() and directory.samefile(source.directory):
        raise StoreError(f"{directory}: is the solution that is to be polished; choose another output directory")
    levels = Levels.of(source.tree)
    check_output(directory, source.directory, restart)
    lock = DirectoryLock()
    lock.acquire(directory)
    try:
        return _PolishRun(source, levels, directory, jobs, keep, restart, observer, stop or Event()).run()
    finally:
        lock.release()


def check_output(directory: Path, source: Path, restart: bool) -> None:
    """Raises StoreError when a directory holds what a solution polished from `source` must not be written over.

    What was polished from a solution within the directory itself may always be made again.
    """
    if (directory / SOLUTION_FILE).exists():
        if not restart and "polished_from" not in load_solution(directory).options:
            raise StoreError(
                f"{directory}: holds a solution that is not polished; choose another output directory, or use --restart"
            )
        if not restart and source == directory / UNPOLISHED and not source.exists():
            raise StoreError(
                f"{directory}: holds a solution that was polished from another one; choose another output directory, "
                "or use --restart"
            )
    elif directory.is_dir():
        check_no_leftovers(directory, is_solution_part, restart, "a solution", besides=UNPOLISHED)


class _PolishRun:
    def __init__(
        self, source: Solution, levels: Levels, directory: Path, jobs: int, keep: Collection[Score], restart: bool,
        observer: PolishObserver | None, stop: Event,
    ) -> None:  # fmt: skip
        self._source = source
        self._directory = directory
        self._jobs = jobs
        self._keep = keep
        self._observer = observer
        self._stop = stop
        self._levels = levels
        self._waiting = pairs_in_solve_order(source.winning_score)
        self._num_pairs = len(self._waiting)
        self._options = {
            **source.options,
            "polished_from": hashlib.sha256((source.directory / SOLUTION_FILE).read_bytes()).hexdigest(),
            "polished_tremble": TREMBLE,
        }
        self._results = self._prepare(restart)
        self._values: dict[Score, float] = {}

    def run(self) -> Solution:
        running: dict[Future[PairEquilibrium], Pair] = {}
        failure: BaseException | None = None
        # Threads that wait for a pair's programs, and threads that solve programs: the latter are never kept waiting.
        with ThreadPoolExecutor(self._jobs) as solving, ThreadPoolExecutor(self._source.winning_score) as waiting:
            try:
                while True:
                    for pair, following in self._ready() if failure is None else ():
                        running[waiting.submit(self._solve, solving, pair, following)] = pair
                        if self._observer:
                            self._observer.pair_started(pair)
                    if not running:
                        break
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        del running[future]
                        if error := future.exception():
                            failure = failure or error
                            self._stop.set()  # and save what comes to its end nevertheless
                        else:
                            self._save(future.result())
            except BaseException:
                self._stop.set()
                raise
        if failure is not None:
            raise failure
        return self._solution()

    def _ready(self) -> Iterator[tuple[Pair, dict[Score, float]]]:
        """The pairs that can be started, with the values that they need; what is solved already is taken in."""
        for pair in list(self._waiting):  # in an order in which every pair stands after what it needs
            needed = following_scores(pair, self._source.winning_score)
            if all(score in self._values for score in needed):
                self._waiting.remove(pair)
                following = {score: self._values[score] for score in needed}
                if self._is_done(pair, following):
                    self._values |= {score: self._results[score].value for score in pair}
                    for score in pair:
                        self._copy_earlier(score)
                else:
                    yield pair, following

    def _solve(self, solving: ThreadPoolExecutor, pair: Pair, following: dict[Score, float]) -> PairEquilibrium:
        source = self._source
        references = {score: source.snapshot(score).average_strategy(source.tree) for score in pair}
        polisher = PairPolisher(
            self._levels, pair, following, references, source.value, source.winning_score, self._finish
        )

        def run_all(tasks: list[Callable[[], RoundEquilibrium]]) -> list[RoundEquilibrium]:
            if self._stop.is_set():
                raise Interrupted
            return [future.result() for future in [solving.submit(task) for task in tasks]]

        return polisher.solve(run_all)

    def _finish(self, strategy: FloatArray) -> FloatArray:
        tree, mover = self._source.tree, self._levels.mover
        result = rounded(tree, strategy, 0.0, BITS)
        coarse = rounded(tree, strategy, COARSE_SMALLEST, COARSE_BITS)
        for player in (0, 1):
            reach = self._levels.reach(player, result)
            unreached = (reach[tree.parent] == 0.0) & (mover == player)[:, None]
            result = np.where(unreached, coarse, result)
        return result

    def _is_done(self, pair: Pair, following: dict[Score, float]) -> bool:
        results = [self._results.get(score) for score in pair]
        return all(
            result is not None and result.following == following and self._path(result).is_file() for result in results
        )

    def _save(self, found: PairEquilibrium) -> None:
        source = self._source
        following = {s: self._values[s] for s in following_scores(found.pair, source.winning_score)}
        for score in found.pair:
            before = source.results[score]
            result = SubgameResult(
                score, found.values[score], found.exploitabilities[score], before.iteration,
                found.exploitabilities[score] <= CONVERGED, following,
            )  # fmt: skip
            path = self._path(result)
            remove_snapshots(path.parent)
            path.parent.mkdir(exist_ok=True)
            self._copy_earlier(score)
            self._polished(source.snapshot(score), found, score).save(path, compression=9)
            self._results[score] = result
        write_record(self._solution())
        self._values |= found.values
        if self._observer:
            num_done = len({tuple(sorted(score)) for score in self._values})
            self._observer.pair_finished(found, num_done, self._num_pairs)

    def _copy_earlier(self, score: Score) -> None:
        """Copy the snapshots before the last one, if they are to be kept."""
        source, directory = self._source, self._directory / subgame_name(score)
        for iteration in source.iterations(score) if score in self._keep else ():
            path = directory / snapshot_name(iteration)
            if iteration < source.results[score].iteration and not path.exists():
                source.snapshot(score, iteration).save(path, compression=9)

    def _polished(self, snapshot: Snapshot, found: PairEquilibrium, score: Score) -> Snapshot:
        strategy = found.strategies[score]
        sums = strategy.copy()
        sums[0] = 0.0
        return replace(
            snapshot,
            outcome_values=found.outcome_values[score],
            options=self._options,
            regrets=np.zeros_like(snapshot.regrets),
            strategy_sums=sums,
            current_strategy=strategy,
            settled=np.zeros_like(snapshot.settled),
            exploitability=found.exploitabilities[score],
            value=found.values[score],
        )

    def _path(self, result: SubgameResult) -> Path:
        return self._directory / subgame_name(result.score) / snapshot_name(result.iteration)

    def _solution(self) -> Solution:
        source = self._source
        return Solution(
            self._directory, source.winning_score, self._options, source.end_rule, source.tree_fingerprint,
            dict(self._results),
        )

    def _prepare(self, restart: bool) -> dict[Score, SubgameResult]:
        """What an earlier run has solved; an empty record is written if there was none."""
        if (self._directory / SOLUTION_FILE).exists() and not restart:
            earlier = load_solution(self._directory)
            differences = option_differences(earlier.options, self._options)
            if earlier.tree_fingerprint != self._source.tree_fingerprint:
                differences.append("the game tree is another one")
            if differences and self._source.directory == self._directory / UNPOLISHED:
                return self._prepare(restart=True)  # its own source has changed
            if differences:
                raise other_configuration(self._directory, differences)
            for path in (self._directory, *(path for path in self._directory.iterdir() if is_subgame(path))):
                remove_temporary_files(path)
            return dict(earlier.results)
        remove_solution(self._directory)
        self._results = {}
        write_record(self._solution())
        return {}
