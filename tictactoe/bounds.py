"""Bounds for every score of a solution: read the strategies, find bounds that the checker accepts, have them checked.

Nothing of the solver is used but the file reader. How bounds are found proves nothing and need not be believed:
whatever comes out passes through checker.check_group. Bounds are to the adversary here, by State: the upper bound at a
score is that of the adversary moving first, the lower bound the negative of that of the adversary moving second.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from .checker import (
    RESULTS,
    BotRound,
    Group,
    Refused,
    State,
    after,
    check_group,
    groups_in_solve_order,
    probabilities,
    progress,
    step,
)
from .checker_tree import END_RULE, Tree, fingerprint, reduced_tree, unreduced_tree
from .files import FormatError, read_file

GRID = 2**120
"""Bounds that are not simple fractions are multiples of 1 / GRID."""
SIMPLE_BITS = 64
"""Of the denominator of a simple fraction."""
LARGEST_WINNING_SCORE = 100
SOLUTION_FILE = "solution.msgpack"

_WORKING = 2**240  # what the search computes with
_CLOSE = Fraction(1, 2**180)

Points = tuple[int, int]
Observer = Callable[[int, int, Mapping[State, Fraction]], None]
"""Told after every group of states: groups done, groups in all, the bounds so far."""


# --- reading a solution ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recorded:
    """What solution.msgpack says: values to the first mover (only a place to start from) and files, by score."""

    directory: Path
    winning_score: int
    values: Mapping[Points, float]
    files: Mapping[Points, str]  # relative to the directory


def read_solution(directory: Path) -> Recorded:
    """Raises FormatError when there is no solution there, or none of the tree that the checker builds."""
    path = directory / SOLUTION_FILE
    if not path.exists():
        raise FormatError(directory, f"no solution here: {SOLUTION_FILE} is missing")
    content = read_file(path, "solution")
    winning_score, subgames = content.get("winning_score"), content.get("subgames")
    if type(winning_score) is not int or not 1 <= winning_score <= LARGEST_WINNING_SCORE:
        raise FormatError(path, f"winning_score: not an integer in 1 to {LARGEST_WINNING_SCORE}")
    _check_tree(path, content)
    values: dict[Points, float] = {}
    files: dict[Points, str] = {}
    for entry in subgames if type(subgames) is list else [None]:
        fields = entry if type(entry) is dict else {}
        score, value, iteration = fields.get("score", []), fields.get("value"), fields.get("iteration")
        if not is_score(score, winning_score) or type(value) is not float or type(iteration) is not int:
            raise FormatError(path, "subgames: not a list of maps with score, value and iteration")
        first, second = score
        if (first, second) in values or not 0 <= iteration < 10**12:
            raise FormatError(path, f"subgames: score {first}-{second} stands twice, or its iteration is impossible")
        values[first, second] = value
        files[first, second] = f"subgame_{first}_{second}/snapshot_{iteration:06d}.msgpack"
    return Recorded(directory, winning_score, values, files)


def _check_tree(path: Path, content: Mapping[str, Any]) -> None:
    if content.get("end_rule") != END_RULE:
        raise FormatError(path, f"made with another end rule than {END_RULE!r}, which the checker does not know")
    if content.get("tree_fingerprint") != _fingerprint():
        raise FormatError(path, "made with another game tree than the checker's")


def is_score(item: Any, winning_score: int) -> bool:
    """Whether a value from a file is [points, points] of a match to `winning_score`."""
    return (
        type(item) is list and [type(points) for points in item] == [int, int]
        and 0 <= min(item) <= max(item) < winning_score
    )  # fmt: skip


def read_weights(recorded: Recorded, score: Points) -> list[list[float]]:
    """By goal and node: the strategy sums of the snapshot of a score. Raises FormatError."""
    path = recorded.directory / recorded.files[score]
    content = read_file(path, "snapshot")
    if content.get("score") != list(score) or content.get("winning_score") != recorded.winning_score:
        raise FormatError(path, f"not a snapshot of {score[0]}-{score[1]} of a match to {recorded.winning_score}")
    return weights_in(path, content)


def weights_in(path: Path, content: Mapping[str, Any]) -> list[list[float]]:
    """By goal and node: the strategy sums of a snapshot that `path` holds. Raises FormatError."""
    _check_tree(path, content)
    sums = content.get("strategy_sums")
    shape = (strategy_tree().num_nodes, 3)
    if getattr(sums, "dtype", None) != "float64" or getattr(sums, "shape", None) != shape:
        raise FormatError(path, f"strategy_sums: not a float64 array of shape {shape}")
    assert sums is not None
    if (sums < 0.0).any():
        raise FormatError(path, "strategy_sums: negative")
    weights: list[list[float]] = sums.T.tolist()
    return weights


def judged_groups(recorded: Recorded) -> list[Group]:
    """The groups from which no score is reachable that the solution does not have, in solve order."""
    judged: list[Group] = []
    states: set[State] = set()
    for group in groups_in_solve_order(recorded.winning_score):
        following = {after(state, result, recorded.winning_score) for state in group for result in RESULTS}
        if all((state.first, state.second) in recorded.files for state in group) and all(
            item in states or item in group or isinstance(item, int) for item in following
        ):
            judged.append(group)
            states.update(group)
    return judged


def hashes(recorded: Recorded) -> dict[str, str]:
    """SHA-256 (hexadecimal) of every file that the claims are about, by relative path. Raises FormatError."""
    snapshots = {recorded.files[state.first, state.second] for group in judged_groups(recorded) for state in group}
    return {name: digest(recorded.directory / name) for name in (SOLUTION_FILE, *sorted(snapshots))}


def digest(path: Path) -> str:
    """SHA-256 (hexadecimal) of a file. Raises FormatError."""
    try:
        if not path.is_file():  # opening anything else might wait for ever
            raise FormatError(path, "missing, or not a regular file")
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FormatError(path, f"cannot be read: {error.strerror or error}") from error


@cache
def strategy_tree() -> Tree:
    """The reduced tree, on which strategies are stored."""
    return reduced_tree()


@cache
def _fingerprint() -> str:
    return fingerprint(strategy_tree())


@cache
def whole_tree() -> Tree:
    """That of all histories."""
    return unreduced_tree(strategy_tree())


# --- looking for bounds ------------------------------------------------------------------------------------------


def find_bounds(
    group: Group, rounds: Mapping[State, BotRound], later: Mapping[State, Fraction], start: Fraction, winning_score: int
) -> dict[State, Fraction]:
    """Bounds for which one step gives the bounds themselves, exactly or rounded up to the grid.

    So lowering either by one unit in the last place is refused. start: where to look first, for the first state.
    """
    first, second = group

    def of_second(value: Fraction) -> Fraction:
        return step(second, rounds[second], {**later, first: value}, winning_score)

    def of_first(value: Fraction) -> Fraction:
        return step(first, rounds[first], {**later, second: value}, winning_score)

    def around(value: Fraction, units: int) -> Fraction:
        return _rounded_up(of_first(_rounded_up(of_second(value), units)), units)

    found = _limit(partial(around, units=_WORKING), start)
    simple = found.limit_denominator(2**SIMPLE_BITS)
    if abs(simple - found) < _CLOSE:
        bounds = {first: simple, second: of_second(simple)}
        if _is_simple(bounds[second]) and of_first(bounds[second]) == simple:
            return bounds
    at = _fixed_point(lambda at: int(around(Fraction(at, GRID), GRID) * GRID), found.numerator * GRID
                      // found.denominator)  # fmt: skip
    return {first: Fraction(at, GRID), second: _rounded_up(of_second(Fraction(at, GRID)), GRID)}


def _limit(around: Callable[[Fraction], Fraction], start: Fraction) -> Fraction:
    """About where `around`, which is increasing, of slope below 1 and piecewise linear, has its fixed point.

    Aitken's delta-squared process, which is exact once it is in the right piece.
    """
    before, here = start, around(start)
    for _ in range(40):
        if abs(here - before) < _CLOSE:
            break
        following = around(here)
        slope = (following - here) / (here - before)
        guess = here + (following - here) / (1 - slope) if slope < 1 else following
        before = max(Fraction(-1), min(Fraction(1), _rounded_up(guess, _WORKING)))
        here = around(before)
    return here


def _fixed_point(around: Callable[[int], int], start: int) -> int:
    """A fixed point of an increasing function: by iteration, and should that be slow, by bisection (Tarski)."""
    for _ in range(50):
        image = around(start)
        if image == start:
            return start
        start = image
    below, above = -GRID, GRID  # no bound is below -1 or above 1
    while True:
        middle = (below + above) // 2
        image = around(middle)
        if image == middle:
            return middle
        if image > middle:
            below = image
        else:
            above = image


def _rounded_up(value: Fraction, units: int) -> Fraction:
    """To a multiple of 1 / units."""
    return Fraction(-(-value.numerator * units // value.denominator), units)


def claimable(value: Fraction) -> Fraction:
    """The value itself if it is a simple fraction; otherwise rounded up to the grid."""
    return value if _is_simple(value) else _rounded_up(value, GRID)


def _is_simple(value: Fraction) -> bool:
    return value.denominator.bit_length() <= SIMPLE_BITS


# --- one group of states -----------------------------------------------------------------------------------------


class Claims(NamedTuple):
    """What is claimed, by state: bounds, and progress."""

    bounds: dict[State, Fraction]
    progress: dict[State, Fraction]


class Arithmetic(NamedTuple):
    """How the bot's probabilities in one seat were represented: over one denominator, exactly or enclosed."""

    exact: bool
    denominator: int


class Proved(NamedTuple):
    """Claims that the checker accepted, and the arithmetic of the bot that each state's adversary meets."""

    claims: Claims
    arithmetic: dict[State, Arithmetic]


@dataclass(frozen=True)
class _Task:
    """A group to be judged, with the bounds of what follows it; claims to be checked, or None to find some."""

    recorded: Recorded
    group: Group
    later: Mapping[State, Fraction]
    unreduced: bool
    claims: Claims | None


def _judge(task: _Task) -> Proved:
    """Raises Refused when a claim does not hold, or none can be made; FormatError for a file that cannot be used."""
    bots = {
        state: probabilities(strategy_tree(), read_weights(task.recorded, (state.first, state.second)), 1 - state.seat)
        for state in task.group
    }
    rounds = {state: BotRound(strategy_tree(), bot) for state, bot in bots.items()}
    claims = task.claims or _found(task, rounds)
    bounds, winning_score = {**task.later, **claims.bounds}, task.recorded.winning_score
    check_group(task.group, rounds, bounds, claims.progress, winning_score)
    if task.unreduced:
        rounds = {state: BotRound(whole_tree(), bot) for state, bot in bots.items()}
        try:
            check_group(task.group, rounds, bounds, claims.progress, winning_score)
        except Refused as error:
            raise Refused(f"on the unreduced tree: {error}") from error
    return Proved(claims, {state: Arithmetic(bot.exact, bot.unit) for state, bot in bots.items()})


def _found(task: _Task, rounds: Mapping[State, BotRound]) -> Claims:
    """Claims that should hold."""
    winning_score, first = task.recorded.winning_score, task.group[0]
    leaving = {}
    for state in task.group:
        least = progress(state, rounds[state], task.group, winning_score)
        leaving[state] = -claimable(-least)
    if max(leaving.values()) <= 0:
        raise Refused(f"nothing can be proved at {first}: the adversary can keep anybody from ever scoring")
    start = Fraction(max(-1.0, min(1.0, task.recorded.values[first.first, first.second])))
    return Claims(find_bounds(task.group, rounds, task.later, start, winning_score), leaving)


# --- all of them -------------------------------------------------------------------------------------------------


def prove(
    recorded: Recorded, claims: Claims | None, *, unreduced: bool, jobs: int, observer: Observer | None
) -> Proved:
    """Have the claims about every group of `judged_groups` checked, or find some and have these checked.

    unreduced: on the tree of all histories, too. jobs: processes; the result does not depend on them. Raises Refused
    when a claim does not hold or none can be made, FormatError for files that cannot be used.
    """
    groups = judged_groups(recorded)
    if not groups:
        raise Refused(f"{recorded.directory}: no score can be judged, because the last ones are not solved")
    # Claims can be checked in any order; bounds are found for groups with more points first.
    stages = [groups]
    if claims is None:
        totals = sorted({group[0].first + group[0].second for group in groups}, reverse=True)
        stages = [[group for group in groups if group[0].first + group[0].second == total] for total in totals]
    result, num_done = Proved(Claims({}, {}), {}), 0
    with _pool(min(jobs, len(groups))) as pool:
        for stage in stages:
            tasks = [_task(recorded, group, claims, result.claims.bounds, unreduced) for group in stage]
            for proved in _judge_all(tasks, pool):
                result.claims.bounds.update(proved.claims.bounds)
                result.claims.progress.update(proved.claims.progress)
                result.arithmetic.update(proved.arithmetic)
                num_done += 1
                if observer:
                    observer(num_done, len(groups), result.claims.bounds)
    return result


def _task(
    recorded: Recorded, group: Group, claims: Claims | None, found: Mapping[State, Fraction], unreduced: bool
) -> _Task:
    following = {after(state, result, recorded.winning_score) for state in group for result in RESULTS}
    known = claims.bounds if claims else found
    later = {item: known[item] for item in following if isinstance(item, State) and item not in group}
    own = None
    if claims:
        own = Claims(*({state: values[state] for state in group} for values in claims))
    return _Task(recorded, group, later, unreduced, own)


def _judge_all(tasks: Sequence[_Task], pool: concurrent.futures.Executor | None) -> Iterator[Proved]:
    if pool is None:
        yield from map(_judge, tasks)
        return
    with _interruptions_blocked():  # processes start when there is work; they inherit that this is not for them
        futures = [pool.submit(_judge, task) for task in tasks]
    for future in concurrent.futures.as_completed(futures):
        yield future.result()


@contextlib.contextmanager
def _pool(jobs: int) -> Iterator[concurrent.futures.Executor | None]:
    """Processes to judge in; None, which means this one, for one job. Whatever happens, no process is left."""
    if jobs == 1:
        yield None
        return
    others = set(multiprocessing.active_children())
    pool = concurrent.futures.ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _prepare_worker)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _interruptions_blocked() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait until the block is left; Ctrl-C does not reach processes that are started within.

    Blocking in this thread is what processes inherit. It is not enough: the system may choose a thread of numpy's.
    """
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    handlers = {
        number: signal.signal(number, lambda which, _: arrived.append(which))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
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
    """In a worker: leave interruptions to the parent, and end when it does, however that happens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
