"""Bounds for every score of a solution: found by the search, or claimed by a certificate, and checked either way.

How bounds are found proves nothing and need not be believed: whatever comes out passes through checker.check_group.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from ..errors import FormatError
from ..solving.schedule import Work, run_graph
from .bot_files import CHANGED, BotFiles, following_states, judged_groups, read_weights, score_of
from .bound_search import claimable, find_bounds
from .checker import AdversaryState, BotRound, ByState, Group, Refused, Rounds, check_group, probabilities, progress
from .checker_tree import reduced_tree, unreduced_tree
from .worker_processes import done_again_if_lost, executor_of

Observer = Callable[[int, int, Fraction | None], None]
"""Told after every group of states: groups done, groups in all, the largest exploitability so far, if any is known."""


class Proved(NamedTuple):
    """Claims, by state: bounds and progress; of what: SHA-256 (hexadecimal) of the snapshots, by their relative path;
    and, of claims that were checked, the arithmetic by state: whether the probabilities of the bot that its adversary
    meets were exact, and over which denominator."""

    bounds: dict[AdversaryState, Fraction]
    progress: dict[AdversaryState, Fraction]
    arithmetic: dict[AdversaryState, tuple[bool, int]]
    files: dict[str, str]

    def add(self, other: Proved) -> None:
        """Take over what was proved of other states."""
        for mine, more in zip(self, other, strict=True):
            mine.update(more)  # type: ignore[attr-defined]


def prove(
    solution: BotFiles, claims: Proved | None, *, unreduced: bool, jobs: int, observer: Observer | None
) -> Proved:
    """Have the claims about every group of `judged_groups` checked, or find some and have these checked.

    unreduced: on the tree of all histories, too. jobs: processes; the result does not depend on them. Raises Refused
    when a claim does not hold, is of another file, or none can be made; FormatError for files that cannot be used;
    LostWorkerError when processes are killed again and again.
    """
    groups = judged_groups(solution)
    if not groups:
        raise Refused(f"{solution.directory}: no score can be judged, because the last ones are not solved")
    group_of_state = {state: group for group in groups for state in group}
    following = {group: following_states(group, solution.winning_score) for group in groups}
    # Claims can be checked in any order; bounds are found once those of what follows are known.
    graph = {group: {group_of_state[state] for state in following[group]} if claims is None else () for group in groups}
    result, num_done = Proved({}, {}, {}, {}), 0
    known = claims or result

    def work(group: Group) -> Work[None]:
        nonlocal num_done
        later = {state: known.bounds[state] for state in following[group]}
        judge = partial(_judge, solution, group, later, claims and _claims_of(claims, group), unreduced)
        proved = yield from done_again_if_lost(judge)
        if any(result.files.get(name, digest) != digest for name, digest in proved.files.items()):
            raise FormatError(solution.directory, CHANGED)
        result.add(proved)
        num_done += 1
        if observer:
            observer(num_done, len(groups), _largest_exploitability(result.bounds))

    jobs = min(jobs, len(groups))
    with executor_of(jobs) as executor:
        run_graph(graph, work, executor, most_at_once=jobs)
    return result


def _largest_exploitability(bounds: ByState) -> Fraction | None:
    """Of the scores that have a bound for an adversary in either seat; None if there is none."""
    pairs = ((state, state._replace(seat=1)) for state in bounds if state.seat == 0)
    return max((bounds[first] + bounds[second] for first, second in pairs if second in bounds), default=None)


def _claims_of(claims: Proved, group: Group) -> Proved:
    """Those about the states of a group."""
    bounds, progress = ({state: of[state] for state in group} for of in (claims.bounds, claims.progress))
    return Proved(bounds, progress, {}, claims.files)


def _judge(solution: BotFiles, group: Group, later: ByState, claims: Proved | None, unreduced: bool) -> Proved:
    """What is proved of a group, given the bounds of what follows it: the claims, or what the search finds.

    Raises Refused when a claim does not hold or is of another file, or none can be made; FormatError for a file that
    cannot be used.
    """
    tree = reduced_tree(solution.rules)
    found = {score: read_weights(solution, score, claims and claims.files) for score in map(score_of, group)}
    files = {solution.files[score]: digest for score, (_, digest) in found.items()}
    bots = {state: probabilities(tree, found[score_of(state)][0], 1 - state.seat) for state in group}
    rounds = {state: BotRound(tree, bot) for state, bot in bots.items()}
    bounds, least = (claims.bounds, claims.progress) if claims else _found(solution, group, rounds, later)
    check_group(group, rounds, {**later, **bounds}, least, solution.winning_score)
    if unreduced:
        rounds = {state: BotRound(unreduced_tree(solution.rules), bot) for state, bot in bots.items()}
        try:
            check_group(group, rounds, {**later, **bounds}, least, solution.winning_score)
        except Refused as error:
            raise Refused(f"on the unreduced tree: {error}") from error
    return Proved({**bounds}, {**least}, {state: (bot.exact, bot.unit) for state, bot in bots.items()}, files)


def _found(solution: BotFiles, group: Group, rounds: Rounds, later: ByState) -> tuple[ByState, ByState]:
    """Bounds and progress that should hold."""
    winning_score = solution.winning_score
    least = {state: -claimable(-progress(state, rounds[state], group, winning_score)) for state in group}
    if max(least.values()) <= 0:
        raise Refused(f"nothing can be proved at {group[0]}: the adversary can keep anybody from ever scoring alone")
    start = Fraction(max(-1.0, min(1.0, solution.values[score_of(group[0])])))
    return find_bounds(group, rounds, later, start, winning_score), least
