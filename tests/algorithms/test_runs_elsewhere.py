"""Comparisons whose runs an executor makes: the same but for the seconds, and no run that has ended is lost."""

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest
from support.comparisons import KUHN, compared, without_seconds
from support.slowness import slow
from support.travelling import Travelling

from tictactoe import SINGLE_ROUND, Contender, Game, GameTree, Interrupted, tic_tac_toe_round, update_rule
from tictactoe.algorithms.measured_run import Measurement, Run, Trial
from tictactoe.algorithms.update_rules import register_rule, registered_rules
from tictactoe.errors import ClusterError

ROUND = tic_tac_toe_round(GameTree.build(), SINGLE_ROUND)
MEASURED = (Measurement(1, 2, 3, 0.1, 0.5, 0.6, 0.0),)


@pytest.mark.parametrize("game", [KUHN, *slow(ROUND)], ids=["kuhn", "tic-tac-toe"])
def test_only_the_seconds_depend_on_the_executor(game: Game) -> None:
    contenders = [Contender(update_rule("dcfr", discount_alpha=2.3), False, "slow"), update_rule("es-mccfr")]
    options = {"game": game, "num_seeds": 2, "num_perturbations": 2}
    heard: list[tuple[Trial, Measurement]] = []
    with Travelling(2) as executor:
        runs = list(compared(contenders, workers=executor, reporter=lambda *state: heard.append(state), **options))
    assert list(map(without_seconds, runs)) == list(map(without_seconds, compared(contenders, **options)))
    assert heard == [(run.trial, run.measurements[-1]) for run in runs]
    assert all(m.seconds > 0.0 for run in runs for m in run.measurements)


def test_a_rule_that_is_known_here_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tictactoe.algorithms.update_rules._RULES", dict(registered_rules()))
    weight = 3.0
    register_rule("mine", lambda table, _: setattr(table, "averaging_weight", table.t**weight))
    rule = update_rule("mine")
    (here,) = compared([rule])
    with Travelling(1) as executor:
        monkeypatch.setattr("tictactoe.algorithms.update_rules._RULES", {})
        (there,) = compared([rule], workers=executor)
    assert without_seconds(there) == without_seconds(here)


def test_a_round_travels_as_its_rules_and_outcome_values() -> None:
    for rules in ("three-in-a-row", "filled"):
        tree = GameTree.build(rules)
        round_ = tic_tac_toe_round(tree, SINGLE_ROUND)
        assert round_.arrays.payoffs.shape  # derived arrays stay here
        data = pickle.dumps(round_)
        assert len(data) < 1000
        arrived = pickle.loads(data)
        assert arrived.tree is tree
        assert np.array_equal(arrived.payoffs, round_.payoffs)
    other = GameTree.build("filled", merge_symmetric=True, cut_forced=False)
    arrived = pickle.loads(pickle.dumps(other))
    assert arrived.fingerprint == other.fingerprint != GameTree.build("filled").fingerprint


class ByHand(Executor):
    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        self.futures.append(Future())
        return self.futures[-1]


def four_runs(stop: Event | None = None) -> tuple[list[Future[Any]], Iterator[Run]]:
    executor = ByHand()
    runs = compared([update_rule("es-mccfr")], num_seeds=4, workers=executor, stop=stop)
    assert len(executor.futures) == 4
    return executor.futures, runs


def test_interrupted_with_runs_that_ended_behind_others() -> None:
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
    futures, runs = four_runs(stop)
    for future in futures:
        future.set_result(MEASURED)
    assert [run.trial.seed for run in runs] == [0, 1, 2, 3]


def test_runs_that_were_made_before(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [update_rule("cfr"), update_rule("es-mccfr")]
    whole = list(compared(rules, num_seeds=4))
    known = [whole[4], whole[0]]
    executor, kept = ByHand(), list[Run]()
    runs = compared(rules, num_seeds=4, workers=executor, known=known, keep=kept.append)
    assert len(executor.futures) == 3
    executor.futures[1].set_result(whole[2].measurements)
    assert kept == [whole[2]], "before anybody has asked for a run"
    executor.futures[0].set_exception(ClusterError("gone"))
    assert [next(runs), next(runs), next(runs)] == [whole[0], whole[2], whole[4]]
    with pytest.raises(ClusterError, match="gone"):
        next(runs)
    assert executor.futures[2].cancelled(), "nobody waits for it behind a failure"
    assert len(kept) == 1
    for jobs in (1, 2):
        kept.clear()
        again = list(compared(rules, num_seeds=4, workers=jobs, known=known, keep=kept.append))
        assert (again[0], again[4]) == (whole[0], whole[4])
        assert list(map(without_seconds, again)) == list(map(without_seconds, whole))
        assert sorted(run.trial.seed or 0 for run in kept) == [0, 1, 2]
    monkeypatch.setattr("tictactoe.algorithms.convergence._compile", None)
    assert list(compared(rules, num_seeds=4, known=whole, keep=kept.append)) == whole
    stop = Event()
    stop.set()
    runs = compared(rules, num_seeds=4, known=known, stop=stop)
    assert [next(runs), next(runs)] == [whole[0], whole[4]]
    with pytest.raises(Interrupted):
        next(runs)
