"""The proof of bounds for every score of a solution, in worker processes. checker.check_group checks every bound."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from ..errors import FormatError, LostWorkerError
from ..run_control import DEFAULT_CONTROL, RunControl
from ..solving.task_graph import SerialExecutor, Work, run_graph
from .bot_files import FILES_CHANGED, BotFiles, ScoreFile, following_states, judged_groups, read_score, score_of
from .certificate_format import refuse_difference
from .checker import (
    AdversaryState,
    BotRound,
    ByState,
    Group,
    Refused,
    Rounds,
    check_group,
    probabilities,
    progress,
    step,
)
from .checker_tree import reduced_tree, unreduced_tree

MOST_AT_ONCE = 128
"""The most groups that an outside executor has at a time. Their files, of at least 0.6 MB each, stay in memory."""
MOST_ATTEMPTS = 3
"""The most attempts to judge a group whose process is killed each time."""

ProofReporter = Callable[[int, int, Fraction | None], None]
"""A function called after every group of states with the numbers of finished groups and of all groups, and the largest
exploitability so far (None while no score has both bounds)."""


class Proved(NamedTuple):
    """Claims about states, with the files to which they belong."""

    bounds: dict[AdversaryState, Fraction]
    """Match values that the adversary cannot exceed."""
    progress: dict[AdversaryState, Fraction]
    """Lower bounds on the probability that the round leads out of its group."""
    arithmetic: dict[AdversaryState, tuple[bool, int]]
    """For checked claims, whether the bot's probabilities were exact, and their denominator. Empty for a certificate's
    claims."""
    files: dict[str, str]
    """The SHA-256 (hexadecimal) of the snapshots, by path relative to the solution's directory."""

    def add(self, other: Proved) -> None:
        for mine, more in zip(self, other, strict=True):
            mine.update(more)  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False)
class GroupTask:
    """A group of states and everything needed to judge it in any process."""

    group: Group
    files: tuple[ScoreFile, ...]
    """The files of all scores of the group."""
    later: ByState
    """The bounds of the states that follow the group."""
    claims: Proved | None
    """The claims to check, with the hashes that the files must have; None to search for bounds."""
    start: float
    """The solution's match value to the first mover, at which a search begins."""
    unreduced: bool
    """Whether to check on the tree of all histories, too."""


def prove(
    solution: BotFiles, claims: Proved | None, *, unreduced: bool, control: RunControl[ProofReporter] = DEFAULT_CONTROL
) -> Proved:
    """Check the claims about every group of `judged_groups`, or find bounds and check them.

    unreduced: whether to check on the tree of all histories, too. control: its workers are processes, or an executor.

    Raises Refused if a claim does not hold, is about another file, or none can be made; FormatError for unusable files;
    LostWorkerError if processes are repeatedly killed; Interrupted; and the errors of the executor.
    """
    groups = judged_groups(solution)
    if not groups:
        raise Refused(f"{solution.directory}: no score can be judged, because the last ones are not solved")
    group_of_state = {state: group for group in groups for state in group}
    following = {group: following_states(group, solution.winning_score) for group in groups}
    # Claims can be checked in any order. A search for bounds needs the bounds of all following groups first.
    graph = {group: {group_of_state[state] for state in following[group]} if claims is None else () for group in groups}
    result, num_done = Proved({}, {}, {}, {}), 0
    known = claims or result

    def task_of(group: Group) -> GroupTask:
        files = tuple(read_score(solution, score) for score in dict.fromkeys(map(score_of, group)))
        later = {state: known.bounds[state] for state in following[group]}
        claimed = None
        if claims is not None:
            bounds, least = ({state: of[state] for state in group} for of in (claims.bounds, claims.progress))
            claimed = Proved(bounds, least, {}, {file.name: claims.files[file.name] for file in files})
        return GroupTask(group, files, later, claimed, solution.values[score_of(group[0])], unreduced)

    def work(group: Group) -> Work[None]:
        nonlocal num_done
        judge = partial(_judge, task_of(group))
        for attempt in range(1, MOST_ATTEMPTS + 1):
            try:
                (proved,) = yield [judge]
                break
            except BrokenExecutor as error:
                if attempt == MOST_ATTEMPTS:
                    how = f"a process was ended from outside {attempt} times, perhaps because memory ran out"
                    raise LostWorkerError(how) from error
        if any(result.files.get(name, digest) != digest for name, digest in proved.files.items()):
            raise FormatError(solution.directory, FILES_CHANGED)
        result.add(proved)
        num_done += 1
        if control.reporter:
            control.reporter(num_done, len(groups), _largest_exploitability(result.bounds))

    if isinstance(control.workers, Executor):
        run_graph(graph, work, control.workers, most_at_once=MOST_AT_ONCE, stop=control.stop)
        return result
    workers = min(control.workers, len(groups))
    with executor_of(workers) as processes:
        run_graph(graph, work, processes, most_at_once=workers, stop=control.stop)
    return result


def _largest_exploitability(bounds: ByState) -> Fraction | None:
    pairs = ((state, state._replace(seat=1)) for state in bounds if state.seat == 0)
    return max((bounds[first] + bounds[second] for first, second in pairs if second in bounds), default=None)


def _judge(task: GroupTask) -> Proved:
    group, rules, winning_score = task.group, task.files[0].rules, task.files[0].winning_score
    if task.claims:
        for file in task.files:
            refuse_difference(file.digest, task.claims.files[file.name], f"files.{file.name}")
    tree, weights = reduced_tree(rules), {file.score: file.weights() for file in task.files}
    bots = {state: probabilities(tree, weights[score_of(state)], 1 - state.seat) for state in group}
    rounds = {state: BotRound(tree, bot) for state, bot in bots.items()}
    bounds, least = (task.claims.bounds, task.claims.progress) if task.claims else _found(task, rounds, winning_score)
    check_group(group, rounds, {**task.later, **bounds}, least, winning_score)
    if task.unreduced:
        rounds = {state: BotRound(unreduced_tree(rules), bot) for state, bot in bots.items()}
        try:
            check_group(group, rounds, {**task.later, **bounds}, least, winning_score)
        except Refused as error:
            raise Refused(f"on the unreduced tree: {error}") from error
    files = {file.name: file.digest for file in task.files}
    return Proved({**bounds}, {**least}, {state: (bot.exact, bot.unit) for state, bot in bots.items()}, files)


def _found(task: GroupTask, rounds: Rounds, winning_score: int) -> tuple[ByState, ByState]:
    """Unchecked bounds and progress. Raises Refused if no progress can be claimed."""
    group = task.group
    least = {state: -claimable(-progress(state, rounds[state], group, winning_score)) for state in group}
    if max(least.values()) <= 0:
        raise Refused(f"nothing can be proved at {group[0]}: the adversary can keep both players from scoring alone")
    start = Fraction(max(-1.0, min(1.0, task.start)))
    return find_bounds(group, rounds, task.later, start, winning_score), least


GRID_UNITS = 2**120
"""The denominator of bounds that are not simple fractions."""
SIMPLE_BITS = 64
"""The most bits of a simple fraction's denominator."""
_WORKING_UNITS = 2**240  # the search computes with multiples of 1 / _WORKING_UNITS
_CLOSE_ENOUGH = Fraction(1, 2**180)  # the distance at which the first search stops


def find_bounds(
    group: Group, rounds: Rounds, later: ByState, start: Fraction, winning_score: int
) -> dict[AdversaryState, Fraction]:
    """Bounds of both states that the checker accepts, as tight as the grid allows.

    later: the bounds of the following states. start: the match value of the first state at which the search begins.
    """
    first, second = group

    def second_bound(bound_of_first: Fraction) -> Fraction:
        return step(second, rounds[second], {**later, first: bound_of_first}, winning_score)

    def first_bound(bound_of_second: Fraction) -> Fraction:
        return step(first, rounds[first], {**later, second: bound_of_second}, winning_score)

    def two_rounds(bound_of_first: Fraction, units: int) -> Fraction:
        return _rounded_up(first_bound(_rounded_up(second_bound(bound_of_first), units)), units)

    found = _near_fixed_point(lambda bound: two_rounds(bound, _WORKING_UNITS), start)
    simple = found.limit_denominator(2**SIMPLE_BITS)
    if abs(simple - found) < _CLOSE_ENOUGH:
        bounds = {first: simple, second: second_bound(simple)}
        if _is_simple(bounds[second]) and first_bound(bounds[second]) == simple:
            return bounds
    start_on_grid = found.numerator * GRID_UNITS // found.denominator
    bound = Fraction(
        _fixed_point(lambda at: int(two_rounds(Fraction(at, GRID_UNITS), GRID_UNITS) * GRID_UNITS), start_on_grid),
        GRID_UNITS,
    )
    return {first: bound, second: _rounded_up(second_bound(bound), GRID_UNITS)}


def _near_fixed_point(function: Callable[[Fraction], Fraction], start: Fraction) -> Fraction:
    """An approximate fixed point of an increasing, piecewise linear function, by Aitken's delta-squared process."""
    before, here = start, function(start)
    for _ in range(40):
        if abs(here - before) < _CLOSE_ENOUGH:
            break
        following = function(here)
        slope = (following - here) / (here - before)
        guess = here + (following - here) / (1 - slope) if slope < 1 else following
        before = max(Fraction(-1), min(Fraction(1), _rounded_up(guess, _WORKING_UNITS)))
        here = function(before)
    return here


def _fixed_point(function: Callable[[int], int], start: int) -> int:
    """A fixed point of an increasing function, by iteration or, if that is slow, bisection (Tarski)."""
    for _ in range(50):
        image = function(start)
        if image == start:
            return start
        start = image
    below, above = -GRID_UNITS, GRID_UNITS  # no bound is below -1 or above 1
    while True:
        middle = (below + above) // 2
        image = function(middle)
        if image == middle:
            return middle
        below, above = (image, above) if image > middle else (below, image)


def claimable(value: Fraction) -> Fraction:
    """The value if it is a simple fraction; otherwise the value rounded up to the grid."""
    return value if _is_simple(value) else _rounded_up(value, GRID_UNITS)


def _is_simple(value: Fraction) -> bool:
    return value.denominator.bit_length() <= SIMPLE_BITS


def _rounded_up(value: Fraction, units: int) -> Fraction:
    return Fraction(-(-value.numerator * units // value.denominator), units)


MOST_ON_WINDOWS = 61
"""The most processes of a pool on Windows; Python refuses more."""


@contextlib.contextmanager
def executor_of(jobs: int) -> Iterator[Executor]:
    """An executor with `jobs` processes, which end with the block; for one job, this process."""
    if jobs == 1:
        yield SerialExecutor()
        return
    others = set(multiprocessing.active_children())
    pool = _Processes(jobs)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class _Processes(Executor):
    """A pool of processes that ignore Ctrl-C. It is replaced after the loss of one of them."""

    def __init__(self, jobs: int) -> None:
        self._jobs = min(jobs, MOST_ON_WINDOWS) if sys.platform == "win32" else jobs
        self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._jobs, multiprocessing.get_context("spawn"), _prepare_worker)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        with _interruptions_blocked():
            try:
                return self._pool.submit(function, *arguments, **named)
            except BrokenExecutor:
                self._pool.shutdown()
                self._pool = self._new_pool()
                return self._pool.submit(function, *arguments, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


@contextlib.contextmanager
def _interruptions_blocked() -> Iterator[None]:
    """Delay signals until the end of the block. Processes that start in it never receive Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    # The mask alone is not enough, because the system may deliver a signal to another thread, such as numpy's.
    arrived: list[int] = []
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    numbers = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    handlers = {number: signal.signal(number, lambda which, _: arrived.append(which)) for number in numbers}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if arrived:
            signal.raise_signal(arrived[0])


def _prepare_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
