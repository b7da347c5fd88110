"""Comparisons whose runs an executor makes: the same but for the seconds; nothing that has ended is lost."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import replace
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest
from support.travelling import Travelling

from tictactoe.algorithms.cfr.update_rules import register_rule, registered_rules, update_rule
from tictactoe.algorithms.comparing.contenders import Contender
from tictactoe.algorithms.comparing.convergence import compare_algorithms, planned_trials
from tictactoe.algorithms.comparing.measured_run import Budget, Measurement, Run, Trial, Unit
from tictactoe.algorithms.game import Game
from tictactoe.errors import ClusterError, Interrupted
from tictactoe.games.goals import SINGLE_ROUND
from tictactoe.games.kuhn import kuhn_poker
from tictactoe.games.tic_tac_toe import tic_tac_toe_round
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.run_control import RunControl

KUHN = kuhn_poker()
SHORT = Budget(30, Unit.ITERATIONS)
MEASURED = (Measurement(1, 2, 3, 0.1, 0.5, 0.6, 0.0),)


def without_seconds(each: Run) -> Run:
    return replace(each, measurements=tuple(replace(m, seconds=0.0) for m in each.measurements))


@pytest.mark.parametrize("game", [KUHN, tic_tac_toe_round(GameTree.build(), SINGLE_ROUND)], ids=["kuhn", "tic-tac-toe"])
def test_only_the_seconds_depend_on_the_executor(game: Game) -> None:
    """The observer is told of the end of every run, in order."""
    contenders = [Contender(update_rule("dcfr", alpha=2.3), False, "slow"), update_rule("es-mccfr")]
    told: list[tuple[Trial, Measurement]] = []
    with Travelling(2) as executor:
        runs = list(
            compare_algorithms(
                game,
                planned_trials(contenders, num_seeds=2, num_perturbations=2),
                SHORT,
                control=RunControl(workers=executor, reporter=lambda *state: told.append(state)),
            )
        )
    here = list(compare_algorithms(game, planned_trials(contenders, num_seeds=2, num_perturbations=2), SHORT))
    assert list(map(without_seconds, runs)) == list(map(without_seconds, here))
    assert told == [(run.trial, run.measurements[-1]) for run in runs]
    assert all(m.seconds > 0.0 for run in runs for m in run.measurements)


def test_a_rule_that_is_known_here_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It travels itself: where it is run its name is not looked up."""
    monkeypatch.setattr("tictactoe.algorithms.cfr.update_rules._RULES", dict(registered_rules()))
    weight = 3.0
    register_rule("mine", lambda table, _: setattr(table, "averaging_weight", table.t**weight))
    rule = update_rule("mine")
    (here,) = compare_algorithms(KUHN, [rule], SHORT)
    with Travelling(1) as executor:
        monkeypatch.setattr("tictactoe.algorithms.cfr.update_rules._RULES", {})
        (there,) = compare_algorithms(KUHN, [rule], SHORT, control=RunControl(workers=executor))
    assert without_seconds(there) == without_seconds(here)


def test_a_round_travels_as_what_it_is_made_of() -> None:
    """By its rules and outcome values; a tree that was built otherwise as it is."""
    for rules in ("three-in-a-row", "filled"):
        tree = GameTree.build(rules)
        round_ = tic_tac_toe_round(tree, SINGLE_ROUND)
        assert round_.arrays.payoffs.shape  # what is made of the rest stays here
        data = pickle.dumps(round_)
        assert len(data) < 1000
        arrived = pickle.loads(data)
        assert arrived.tree is tree
        assert np.array_equal(arrived.payoffs, round_.payoffs)
    other = GameTree.build("filled", merge_symmetric=True, cut_forced=False)
    arrived = pickle.loads(pickle.dumps(other))
    assert arrived.fingerprint == other.fingerprint != GameTree.build("filled").fingerprint


class ByHand(Executor):
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.futures.append(Future())
        return self.futures[-1]


def four_runs(stop: Event | None = None) -> tuple[list[Future[Any]], Iterator[Run]]:
    """Of four seeds; the runs begin at the call."""
    executor = ByHand()
    runs = compare_algorithms(
        KUHN,
        planned_trials([update_rule("es-mccfr")], num_seeds=4),
        SHORT,
        control=RunControl(workers=executor, stop=stop),
    )
    assert len(executor.futures) == 4
    return executor.futures, runs


def test_interrupted_with_runs_that_ended_behind_others() -> None:
    """They are yielded, and those that nobody has begun are cancelled."""
    stop = Event()
    futures, runs = four_runs(stop)
    futures[0].set_result(MEASURED)
    futures[2].set_result(MEASURED)
    assert next(runs).trial.seed == 0
    Timer(0.05, stop.set).start()  # while it waits for the second one
    assert next(runs).trial.seed == 2
    with pytest.raises(Interrupted):
        next(runs)
    assert [future.cancelled() for future in futures] == [False, True, False, True]


def test_a_stop_after_the_last_run_has_ended_changes_nothing() -> None:
    stop = Event()
    futures, runs = four_runs(stop)
    for future in futures:
        future.set_result(MEASURED)
    stop.set()
    assert [run.trial.seed for run in runs] == [0, 1, 2, 3]


def test_a_run_that_fails() -> None:
    """What has ended is yielded before that is raised."""
    futures, runs = four_runs()
    futures[1].set_exception(ClusterError("gone"))
    futures[0].set_result(MEASURED)
    futures[3].set_result(MEASURED)
    assert [next(runs).trial.seed, next(runs).trial.seed] == [0, 3]
    with pytest.raises(ClusterError, match="gone"):
        next(runs)
    assert futures[2].cancelled()


def test_runs_that_were_made_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not made again, here or elsewhere; also those after one that failed are yielded."""
    rules = [update_rule("cfr"), update_rule("es-mccfr")]
    whole = list(compare_algorithms(KUHN, planned_trials(rules, num_seeds=3), SHORT))
    known = [whole[3], whole[0]]
    executor, kept = ByHand(), list[Run]()
    runs = compare_algorithms(
        KUHN,
        planned_trials(rules, num_seeds=3),
        SHORT,
        known=known,
        keep=kept.append,
        control=RunControl(workers=executor),
    )
    assert len(executor.futures) == 2
    executor.futures[1].set_result(whole[2].measurements)
    assert kept == [whole[2]], "before anybody has asked for a run"
    executor.futures[0].set_exception(ClusterError("gone"))
    assert [next(runs), next(runs), next(runs)] == [whole[0], whole[2], whole[3]]
    with pytest.raises(ClusterError, match="gone"):
        next(runs)
    assert len(kept) == 1
    for jobs in (1, 2):
        kept.clear()
        again = list(
            compare_algorithms(
                KUHN,
                planned_trials(rules, num_seeds=3),
                SHORT,
                known=known,
                keep=kept.append,
                control=RunControl(workers=jobs),
            )
        )
        assert (again[0], again[3]) == (whole[0], whole[3])
        assert list(map(without_seconds, again)) == list(map(without_seconds, whole))
        assert sorted(run.trial.seed or 0 for run in kept) == [0, 1]
    monkeypatch.setattr("tictactoe.algorithms.comparing.convergence._compile", None)
    assert (
        list(compare_algorithms(KUHN, planned_trials(rules, num_seeds=3), SHORT, known=whole, keep=kept.append))
        == whole
    )
    stop = Event()
    stop.set()
    runs = compare_algorithms(
        KUHN, planned_trials(rules, num_seeds=3), SHORT, known=known, control=RunControl(stop=stop)
    )
    assert [next(runs), next(runs)] == [whole[0], whole[3]]
    with pytest.raises(Interrupted):
        next(runs)
