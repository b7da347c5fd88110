"""Bounds for every score: tight, the same with any number of processes, refused by a unit less."""

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.matches import endless_bot
from support.certifying import UNIT, Bot, change_snapshot, copy_of
from support.slowness import slow
from support.travelling import Travelling

from tictactoe import RunControl, Score, best_response_over_match, certify, load_solution, verify
from tictactoe.errors import LostWorkerError
from tictactoe.proof import prove as prove_module
from tictactoe.proof.bot_files import BotFiles, judged_groups, read_score, read_solution, score_of
from tictactoe.proof.certificate_format import certificate_bytes
from tictactoe.proof.checker import BotRound, Refused, check_group, group_of, probabilities
from tictactoe.proof.checker_tree import reduced_tree
from tictactoe.proof.prove import Proved, _judge, claimable, executor_of, find_bounds, prove
from tictactoe.solving.task_graph import SerialExecutor


def proved(solution: BotFiles, claims: Proved | None = None, workers: Executor | int = 1, **more: Any) -> Proved:
    return prove(solution, claims, unreduced=False, control=RunControl(workers=workers, **more))


RULES = ["filled", *slow("filled-none 2:1:1", "filled-tie", "filled 1:0:2", "three-in-a-row 3:2:1")]


@pytest.mark.parametrize("bot", ["one", *slow("noisy", "two"), *RULES], indirect=True)
def test_bounds_are_those_of_the_best_response_and_refused_by_a_unit_less(bot: Bot) -> None:
    """All bounds and all progress, each in the last place."""
    solved = load_solution(bot.path)
    assert bot.certificate["rules"] == str(solved.tree.rules)
    response = best_response_over_match(solved.tree, solved.average_strategy, solved.winning_score)
    assert len(bot.certificate["scores"]) == len(response.scores) == solved.winning_score**2
    for entry in bot.certificate["scores"]:
        result = response.scores[Score(*entry["score"])]
        upper, lower = Fraction(entry["upper"]), Fraction(entry["lower"])
        assert (float(upper), float(lower)) == pytest.approx((result.maximum, result.minimum), abs=1e-12)
        assert Fraction(entry["exploitability"]) == upper - lower
    solution = read_solution(bot.path)
    bounds, progress, *_ = proved(solution)
    assert len(bounds) == len(progress) == 2 * solution.winning_score**2
    for group in judged_groups(solution):
        weights = {state: read_score(solution, score_of(state)).weights() for state in group}
        bots = {state: probabilities(reduced_tree(solution.rules), weights[state], 1 - state.seat) for state in group}
        rounds = {state: BotRound(reduced_tree(solution.rules), bot) for state, bot in bots.items()}
        check_group(group, rounds, bounds, progress, solution.winning_score)
        for state in group:
            with pytest.raises(Refused, match=f"^the bound at {state} does not hold: "):
                check_group(group, rounds, bounds | {state: bounds[state] - UNIT}, progress, solution.winning_score)
            with pytest.raises(Refused, match=f"^the progress at {state} does not hold: "):
                check_group(group, rounds, bounds, progress | {state: progress[state] + UNIT}, solution.winning_score)


def judged_by_the_killed(place: Path, *arguments: Any) -> Proved:
    with contextlib.suppress(FileExistsError):
        (place / "killed").touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)
    return _judge(*arguments)


@pytest.mark.slow
def test_the_work_of_a_killed_process_is_done_again(two: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove_module, "_judge", partial(judged_by_the_killed, tmp_path))
    assert certificate_bytes(certify(two.path, control=RunControl(workers=2))) == certificate_bytes(two.certificate)
    assert (tmp_path / "killed").exists()
    assert multiprocessing.active_children() == []


def test_many_processes_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    with executor_of(64):
        pass


@pytest.mark.slow
def test_an_error_ends_the_processes() -> None:
    with pytest.raises(KeyError), executor_of(2) as executor:
        raise KeyError(executor.submit(signal.pause))
    assert multiprocessing.active_children() == []


def killed(*arguments: Any) -> Proved:
    raise BrokenProcessPool


def test_work_that_is_always_lost(one: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove_module, "_judge", killed)
    with pytest.raises(LostWorkerError, match=r"^a process was ended from outside 3 times, .* try again, with fewer"):
        certify(one.path)


def test_the_result_does_not_depend_on_the_executor(two: Bot, tmp_path: Path) -> None:
    """All that is judged travels to it, and refusals travel back in the same words."""
    solution, certificate = copy_of(two, tmp_path), two.certificate
    with Travelling(2) as pool:
        assert certificate_bytes(certify(solution, control=RunControl(workers=pool))) == certificate_bytes(certificate)
        verify(certificate, solution, control=RunControl(workers=pool))
        change_snapshot(solution / "subgame_1_1", strategy_sums=lambda sums: 2.0 * sums)
        refusals = []
        for another in (pool, 1):
            with pytest.raises(Refused, match=r"^files\.subgame_1_1/") as refused:
                verify(certificate, solution, control=RunControl(workers=another))
            refusals.append(str(refused.value))
    assert refusals[0] == refusals[1]


def test_an_executor_needs_no_directory(two: Bot, tmp_path: Path) -> None:
    solution = read_solution(copy_of(two, tmp_path))

    class Away(SerialExecutor):
        def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
            away = solution.directory.rename(tmp_path / "away")
            try:
                return super().submit(function, *arguments, **named)
            finally:
                away.rename(solution.directory)

    with Away() as executor:
        assert proved(solution, workers=executor) == proved(solution)


def test_no_more_groups_are_in_memory_than_are_judged(two: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    solution, running, most = read_solution(two.path), list[object](), list[int]()
    claims = proved(solution)

    class Counting(SerialExecutor):
        def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
            running.append(function)
            most.append(len(running))
            return super().submit(function, *arguments, **named)

    monkeypatch.setattr(prove_module, "MOST_AT_ONCE", 2)
    with Counting() as executor:
        assert proved(solution, claims, executor, reporter=lambda *state: running.pop()) == claims
    assert max(most) == 2


def test_the_observer_is_told_the_largest_exploitability_so_far(two: Bot) -> None:
    """That of a score is known when both of its groups are done; 1-0 and 0-1 are known together."""
    told: list[tuple[int, int, Fraction | None]] = []
    proved(read_solution(two.path), reporter=lambda *state: told.append(state))
    known = {tuple(entry["score"]): Fraction(entry["exploitability"]) for entry in two.certificate["scores"]}
    last, middle = known[1, 1], max(known[1, 1], known[0, 1], known[1, 0])
    assert told == [(1, 4, last), (2, 4, last), (3, 4, middle), (4, 4, max(known.values()))]


def test_a_bot_with_which_the_match_may_never_end_is_refused(two: Bot, tmp_path: Path) -> None:
    solution = copy_of(two, tmp_path)
    change_snapshot(solution / "subgame_1_1", strategy_sums=np.r_[np.zeros((1, 3)), endless_bot()[Score(0, 0)][1:]])
    with pytest.raises(Refused, match=r"^nothing can be proved at 1-1 with .* moving first: .* from scoring alone$"):
        certify(solution)


FIRST, SECOND = GROUP = group_of((0, 0))


class Affine:
    """A round that is worth the same mixture of its results whatever the adversary does."""

    def __init__(self, *shares: Fraction) -> None:
        self._shares = shares

    def best_response(self, worth: list[Fraction]) -> Fraction:
        return sum((share * value for share, value in zip(self._shares, worth, strict=True)), Fraction(0))


def test_simple_fractions_are_claimed_exactly_and_others_rounded_up() -> None:
    ninth = Fraction(1, 9)  # at the last score V = -1/9 - 4/9 V, so that V = -1/13
    rounds: Any = dict.fromkeys(GROUP, Affine(ninth, 2 * ninth, 3 * ninth, 3 * ninth))
    assert find_bounds(GROUP, rounds, {}, Fraction(1, 3), 1) == {FIRST: Fraction(-1, 13), SECOND: Fraction(1, 13)}
    assert claimable(Fraction(-1, 3)) == Fraction(-1, 3)
    fine = Fraction(-1, 3**50)
    assert fine < claimable(fine) < fine + UNIT
    assert (claimable(fine) / UNIT).denominator == 1


@pytest.mark.parametrize("leaving", [Fraction(1, 2), Fraction(1, 3**50), Fraction(2, 10**9 + 7)])
def test_other_bounds_are_fixed_points_on_the_grid(leaving: Fraction) -> None:
    """However slowly the match goes on, lowering one bound by a unit breaks the claim."""
    won = leaving * Fraction(2**70 + 3, 3**45)
    share = Affine(Fraction(0), won, leaving - won, 1 - leaving)
    rounds: Any = {FIRST: share, SECOND: Affine(Fraction(0), leaving / 3, leaving * 2 / 3, 1 - leaving)}
    bounds = find_bounds(GROUP, rounds, {}, Fraction(0), 1)
    leaves = dict.fromkeys(GROUP, leaving)
    check_group(GROUP, rounds, bounds, leaves, 1)
    for state in GROUP:
        assert (bounds[state] / UNIT).denominator == 1
        with pytest.raises(Refused, match="bound"):
            check_group(GROUP, rounds, bounds | {state: bounds[state] - UNIT}, leaves, 1)
