"""The polishing of a solution, in which linear programs make an approximate equilibrium exact up to rounding.

The result has no regrets and cannot be solved further. A stopped run continues with the missing pairs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ..algorithms.linear_program import require_solver
from ..algorithms.punishing_double_oracle import RANDOM_ROUND_PROBABILITY, TREMBLE_PROBABILITY
from ..algorithms.strategy import rounded_strategy
from ..errors import Remedy, StoreError
from ..games.tic_tac_toe_tree import GameTree
from ..match.endless import check_that_it_ends
from ..match.pair_exact import PairEquilibrium, PairPolisher
from ..match.scores import Pair, Score, following_scores, pair_of
from ..run_control import DEFAULT_CONTROL, Existing, RunControl
from ..storage.atomic_files import file_sha256
from ..storage.directory_layout import SOLUTION_FILE, UNPOLISHED, check_no_leftovers, is_solution_part, place_of_run
from ..storage.locked_directory import begin_restart, finish, locked
from ..storage.population import Met, population_of, weighed_players
from ..storage.snapshot import Snapshot
from ..storage.solution import Solution, SubgameResult, load_solution
from ..storage.solution_writer import SolutionWriter, check_output, differences_between
from .cluster import run_by_workers
from .match_run import dependencies
from .pair_work import SnapshotFile
from .task_graph import SerialExecutor, Work, run_graph

PROBABILITY_BITS = 52
"""The bits of probabilities, which are multiples of 2^-52 with a sum of exactly 1. Exact readers need not normalise
them."""

SNAPSHOT_COMPRESSION = 6
"""zlib's level for the snapshots. Level 9 takes three times as long for hardly smaller files."""


@dataclass(frozen=True, eq=False)
class PolishTask:
    """The work of making a pair exact."""

    pair: Pair
    following: Mapping[Score, float]
    """The exact values of the scores that the pair leads to."""
    values: Mapping[Score, float]
    """The approximate values of the pair."""
    winning_score: int
    files: tuple[tuple[Path, bytes], ...]
    """For every score of the pair, the snapshot to start from: its path, for errors, and the bytes of its file."""
    options: Mapping[str, Any]
    """The options of the new solution."""
    against: tuple[Met, ...]
    """The population from which the new solution wins most."""


class PolishedPair(NamedTuple):
    """A pair that was made exact."""

    equilibrium: PairEquilibrium
    """The equilibrium without its strategies and beliefs, which are in the files."""
    files: tuple[SnapshotFile, ...]


def polish_work(tree: GameTree, task: PolishTask) -> Work[PolishedPair]:
    """Make a pair exact. Raises FormatError for a damaged file, and ProgramError if no equilibrium is found."""
    sources = zip(task.pair, task.files, strict=True)
    loaded = yield [partial(Snapshot.of_score, *file, tree, score, task.winning_score) for score, file in sources]
    snapshots: dict[Score, Snapshot] = dict(zip(task.pair, loaded, strict=True))
    references = {score: snapshot.average_strategy(tree) for score, snapshot in snapshots.items()}
    finish = partial(rounded_strategy, tree, smallest=0.0, bits=PROBABILITY_BITS)
    refined, against = "refined" in task.options, partial(weighed_players, task.against, tree)
    start = references, task.values, task.winning_score
    solved = PairPolisher(tree, task.pair, task.following, *start, finish, refined, against)
    found = yield from solved.solve()
    files = yield [partial(_file, snapshot, found, task.options) for snapshot in snapshots.values()]
    return PolishedPair(replace(found, strategies={}, beliefs={}), tuple(files))


def polish_elsewhere(rules: str, task: PolishTask) -> PolishedPair:
    """Call `polish_work` in this thread, in any process. rules: as written by str(Rules)."""
    tree = GameTree.build(rules)
    return run_graph({task.pair: ()}, lambda _: polish_work(tree, task), SerialExecutor())[task.pair]


def _file(snapshot: Snapshot, found: PairEquilibrium, options: Mapping[str, Any]) -> SnapshotFile:
    score = snapshot.score
    assert score is not None
    strategy = found.strategies[score]
    sums = strategy.copy()
    sums[0] = 0.0
    polished = replace(
        snapshot.without_regrets(),
        outcome_values=found.outcome_values[score],
        options=dict(options),
        strategy_sums=sums,
        current_strategy=strategy,
        beliefs=found.beliefs.get(score),
        exploitability=found.exploitabilities[score],
        value=found.values[score],
    )
    return SnapshotFile(score, snapshot.iteration, polished.file_bytes(compression=SNAPSHOT_COMPRESSION), is_last=True)


EXACT_EXPLOITABILITY = 1e-10
"""The largest NashConv, in match value, of a round that counts as converged."""


class PolishReporter(Protocol):
    """A follower of `polish_solution`, which calls these methods in its own thread."""

    def pair_started(self, pair: Pair) -> None: ...
    def pair_finished(self, result: PairEquilibrium, num_done: int, num_pairs: int) -> None: ...


def polish_solution(
    source: Solution,
    directory: Path,
    *,
    keep: Collection[Score] = (),
    refined: bool = True,
    against: Sequence[Met] | None = None,
    control: RunControl[PolishReporter] = DEFAULT_CONTROL,
) -> Solution:
    """Write an exact equilibrium of the match that `source` solves into `directory`.

    keep: scores whose earlier snapshots are copied.
    refined: whether players make only best moves even after mistakes (`algorithms/refinement.py`).
    against: players with weights, from whom the chosen equilibrium wins most; by default, the population of
        `storage/population.py` without those who have not learnt these rules.
    control: its workers solve several linear programs at the same time without changing the result. A stopped run saves
    finished pairs.

    Raises StoreError if the directory cannot be used or `source` lacks a score, EndlessMatchError if the match never
    ends between perfect players (`check_that_it_ends`), FormatError for a damaged snapshot, OSError if writing fails,
    MissingSolverError without highspy, and ProgramError if a linear program fails.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import Score, open_saved, polish_solution
    >>> source = open_saved("match_to_1").solution  # exact already, and so quickly done
    >>> with TemporaryDirectory() as directory:
    ...     exact = polish_solution(source, Path(directory, "exact"), refined=False)
    >>> abs(exact.value[Score(0, 0)] + 1 / 13) < 1e-14
    True
    """
    require_solver()
    check_that_it_ends(source.tree)
    for score in keep:
        if score not in source.results:
            raise StoreError(f"{source.directory}: has no score {score} to keep snapshots of")
    if source.missing_scores:
        raise StoreError(f"{source.directory}: score {source.missing_scores[0]} is not solved; solve the match first")
    if directory.exists() and directory.samefile(source.directory):
        raise StoreError(f"{directory}: this is the solution to be polished; choose another output directory")
    check_polish_output(directory, source.directory, control.existing, refined)
    met = population_of(source.tree) if against is None else tuple(against)
    options = {
        **{name: value for name, value in source.options.items() if name != "refined"},
        "polished_from": file_sha256(source.directory / SOLUTION_FILE),
        "polished_tremble": TREMBLE_PROBABILITY,
        "polished_random": RANDOM_ROUND_PROBABILITY,
        "polished_against": ",".join(map(str, met)),
        **({"refined": True} if refined else {}),
    }
    existing, place = control.existing, place_of_run(directory)
    is_within = source.directory == directory / UNPOLISHED and (place / SOLUTION_FILE).exists()
    if is_within and differences_between(load_solution(place), options, source.tree):
        existing = Existing.RESTART  # the solution within has changed since it was polished
    with SolutionWriter(
        directory, source.tree, source.winning_score, options, existing=existing, allowed=UNPOLISHED
    ) as writer:
        run = _PolishRun(source, writer, keep, met, control)
        run_by_workers(run.graph, run.polish, control)
    return writer.solution()


def check_polish_output(directory: Path, source: Path, existing: Existing, refined: bool) -> None:
    """Raise StoreError if a directory has files that a solution polished from `source` must not replace.

    A solution that was polished from one within the directory may always be replaced.
    """
    finish(directory)
    restart = existing is Existing.RESTART or place_of_run(directory) != directory
    if (directory / SOLUTION_FILE).exists():
        options = {} if restart else load_solution(directory).options
        if not restart and "polished_from" not in options:
            raise StoreError(f"{directory}: already contains a solution that is not polished", Remedy.REPLACE)
        if not restart and ("refined" in options) != refined:
            what = "not refined after mistakes" if refined else "refined after mistakes, too"
            raise StoreError(f"{directory}: there is a polished solution in it, and it is {what}", Remedy.REPLACE)
        if not restart and source == directory / UNPOLISHED and not source.exists():
            raise StoreError(
                f"{directory}: already contains a solution that was polished from another one", Remedy.REPLACE
            )
    elif directory.is_dir():
        check_no_leftovers(directory, is_solution_part, restart, "a solution", allowed=UNPOLISHED)


def prepare_polish_output(directory: Path, existing: Existing, refined: bool = True) -> Path:
    """The directory within `directory` of a solution to be polished into `directory`.

    existing: RESTART begins to replace a polished solution now. Raises StoreError and FormatError, without changes, for
    problems that would stop the polishing.
    """
    source = directory / UNPOLISHED
    if source.is_symlink():
        raise StoreError(f"{source}: this is a link, which is never written through; choose another output directory")
    check_polish_output(directory, source, existing, refined)
    if existing is Existing.RESTART and (directory / SOLUTION_FILE).exists():
        check_output(source, existing)
        with locked(directory):
            begin_restart(directory)
    return source


class _PolishRun:
    def __init__(
        self,
        source: Solution,
        writer: SolutionWriter,
        keep: Collection[Score],
        against: tuple[Met, ...],
        control: RunControl[PolishReporter],
    ) -> None:
        self._source = source
        self._against = against
        self._writer = writer
        self._keep = keep
        self._control = control
        self.graph = dependencies(source.winning_score)
        self._values: dict[Score, float] = {}

    def polish(self, pair: Pair) -> Work[None]:
        source = self._source
        following = {score: self._values[score] for score in following_scores(pair, source.winning_score)}
        if self._writer.has(pair, following):
            self._values |= {score: self._writer.results[score].value for score in pair}
            self._copy_earlier(pair)
            return
        if self._control.reporter:
            self._control.reporter.pair_started(pair)
        values = {score: source.results[score].value for score in pair}
        files = tuple(source.snapshot_file(score) for score in pair)
        against = tuple(each.at(pair) for each in self._against)
        task = PolishTask(pair, following, values, source.winning_score, files, self._writer.options, against)
        if self._control.elsewhere is None:
            polished = yield from polish_work(source.tree, task)
        else:
            (polished,) = yield [partial(polish_elsewhere, source.rules, task)]
        self._writer.forget(pair)
        self._copy_earlier(pair)
        for file in polished.files:
            self._writer.save_snapshot_file(file.score, file.iteration, file.data)
        self._record(polished.equilibrium, following)

    def _record(self, found: PairEquilibrium, following: Mapping[Score, float]) -> None:
        gained, results = found.exploitabilities, self._source.results
        self._writer.record(
            SubgameResult(
                s, found.values[s], gained[s], results[s].iteration, gained[s] <= EXACT_EXPLOITABILITY, following
            )
            for s in found.pair
        )
        self._values |= found.values
        if self._control.reporter:
            num_done = len({pair_of(score) for score in self._values})
            self._control.reporter.pair_finished(found, num_done, len(self.graph))

    def _copy_earlier(self, pair: Pair) -> None:
        for score in pair:
            if score in self._keep:
                self._writer.copy_earlier(self._source, score)
