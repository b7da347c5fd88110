"""Proving bounds for every score of a solution. The search finds them or a certificate claims them; both are checked.

A proof does not depend on the search: every bound passes through checker.check_group.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from ..errors import FormatError
from ..run_control import DEFAULT_CONTROL, RunControl
from ..solving.task_graph import Work, run_graph
from .bot_files import FILES_CHANGED, BotFiles, ScoreFile, following_states, judged_groups, read_score, score_of
from .bound_search import claimable, find_bounds
from .certificate_format import refuse_difference
from .checker import AdversaryState, BotRound, ByState, Group, Refused, Rounds, check_group, probabilities, progress
from .checker_tree import reduced_tree, unreduced_tree
from .worker_processes import done_again_if_lost, executor_of

MOST_AT_ONCE = 128
"""Groups that an executor from outside has at a time, at most. Until a group is judged, the bytes of its files, one or
two of 0.6 MB or more, stay in memory."""

ProofReporter = Callable[[int, int, Fraction | None], None]
"""Called after every group of states, with the number of groups done, the number of all groups, and the largest
exploitability so far (None while no score has both bounds)."""


class Proved(NamedTuple):
    """Claims about states, and the files that they are about."""

    bounds: dict[AdversaryState, Fraction]
    """Match values that the adversary cannot exceed."""
    progress: dict[AdversaryState, Fraction]
    """Least probabilities that the round leads out of its group."""
    arithmetic: dict[AdversaryState, tuple[bool, int]]
    """For checked claims: whether the probabilities of the bot that the adversary meets were exact, and their
    denominator. Empty for claims of a certificate."""
    files: dict[str, str]
    """SHA-256 (hexadecimal) of the snapshots, by path relative to the solution's directory."""

    def add(self, other: Proved) -> None:
        """Add the claims about other states."""
        for mine, more in zip(self, other, strict=True):
            mine.update(more)  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False)
class GroupTask:
    """A group of states with everything that judging it needs, in this process or another."""

    group: Group
    files: tuple[ScoreFile, ...]
    """Of all its scores."""
    later: ByState
    """Bounds of the states that follow the group."""
    claims: Proved | None
    """The claims to check, with the hashes that the files must have; None: search for bounds."""
    start: float
    """Where a search begins: the match value to the first mover that the solution has."""
    unreduced: bool
    """Whether to check on the tree of all histories, too."""


def prove(
    solution: BotFiles, claims: Proved | None, *, unreduced: bool, control: RunControl[ProofReporter] = DEFAULT_CONTROL
) -> Proved:
    """Check the claims about every group of `judged_groups`; without claims, find bounds and check these.

    unreduced: check on the tree of all histories, too. control: its workers are processes, or an executor. The result
    does not depend on them. Raises Refused when a claim does not
    hold, is about another file, or no claim can be made; FormatError for files that cannot be used; LostWorkerError
    when processes are killed again and again; Interrupted for a stopped run; and the errors of the executor.
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
        claimed = None if claims is None else _claims_of(claims, group, files)
        return GroupTask(group, files, later, claimed, solution.values[score_of(group[0])], unreduced)

    def work(group: Group) -> Work[None]:
        nonlocal num_done
        proved = yield from done_again_if_lost(partial(_judge, task_of(group)))
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
    """The largest exploitability of the scores that have bounds for both seats; None if no score has."""
    pairs = ((state, state._replace(seat=1)) for state in bounds if state.seat == 0)
    return max((bounds[first] + bounds[second] for first, second in pairs if second in bounds), default=None)


def _claims_of(claims: Proved, group: Group, files: tuple[ScoreFile, ...]) -> Proved:
    """The claims about the states of a group and about its files."""
    bounds, progress = ({state: of[state] for state in group} for of in (claims.bounds, claims.progress))
    return Proved(bounds, progress, {}, {file.name: claims.files[file.name] for file in files})


def _judge(task: GroupTask) -> Proved:
    """The proved claims about a group: the given ones, or those that the search finds.

    Raises Refused when a claim does not hold, is about another file, or no claim can be made; FormatError for a file
    that cannot be used.
    """
    group, rules, winning_score = task.group, task.files[0].rules, task.files[0].winning_score
    tree, weights = reduced_tree(rules), {file.score: _weights(file, task.claims) for file in task.files}
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


def _weights(file: ScoreFile, claims: Proved | None) -> list[list[float]]:
    """The bot in a file. Raises Refused if the claims are about another file, and FormatError."""
    if claims is not None:
        refuse_difference(file.digest, claims.files[file.name], f"files.{file.name}")
    return file.weights()


def _found(task: GroupTask, rounds: Rounds, winning_score: int) -> tuple[ByState, ByState]:
    """Bounds and progress from the search, not checked yet. Raises Refused if no progress can be claimed."""
    group = task.group
    least = {state: -claimable(-progress(state, rounds[state], group, winning_score)) for state in group}
    if max(least.values()) <= 0:
        raise Refused(f"nothing can be proved at {group[0]}: the adversary can keep anybody from ever scoring alone")
    start = Fraction(max(-1.0, min(1.0, task.start)))
    return find_bounds(group, rounds, task.later, start, winning_score), least
