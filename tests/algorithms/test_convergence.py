"""Comparing algorithms: what is counted, when it is measured, summaries, and the table as CSV."""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import Event

import pytest
from oracle.lifting import game_tree

from tictactoe.algorithms.cfr import CFRSolver, Evaluation
from tictactoe.algorithms.cfr_state import CFRState
from tictactoe.algorithms.convergence import (
    CSV_HEADER,
    Budget,
    Measurement,
    Reached,
    Run,
    Unit,
    as_csv,
    compare_algorithms,
    run_algorithm,
    summarize,
)
from tictactoe.algorithms.game import Game
from tictactoe.algorithms.update_rules import ALGORITHMS, update_rule
from tictactoe.errors import Interrupted
from tictactoe.games.goals import SINGLE_ROUND
from tictactoe.games.tic_tac_toe import tic_tac_toe_round

DCFR = update_rule("dcfr")
SAMPLED = update_rule("es-mccfr")


@pytest.fixture(scope="module")
def game() -> Game:
    return tic_tac_toe_round(game_tree(), SINGLE_ROUND)


def without_seconds(each: Run) -> Run:
    return replace(each, measurements=tuple(replace(m, seconds=0.0) for m in each.measurements))


# --- what is counted, and when


@pytest.mark.parametrize("iterations", [1, 2, 7, 10, 13, 130])
def test_a_budget_in_iterations_is_kept_exactly(iterations: int, game: Game) -> None:
    measured = [m.iteration for m in run_algorithm(game, DCFR, Budget(iterations, Unit.ITERATIONS)).measurements]
    every = [1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 40, 50, 60, 80, 100, 130]
    assert measured == [at for at in every if at < 0.95 * iterations] + [iterations]


def test_a_budget_in_nodes(game: Game) -> None:
    most_per_iteration = 2 * game.tree.num_decision_nodes
    for amount in (1.0, 2e5, 3e6):
        nodes = [m.nodes for m in run_algorithm(game, DCFR, Budget(amount, Unit.NODES)).measurements]
        assert nodes == sorted(set(nodes))
        assert amount <= nodes[-1] < amount + 10 * most_per_iteration
        assert all(n < amount for n in nodes[:-1])
    assert 8 <= sum(3e5 <= n < 3e6 for n in nodes) <= 11


def test_a_budget_in_seconds(game: Game) -> None:
    measurements = run_algorithm(game, DCFR, Budget(0.05, Unit.SECONDS)).measurements
    assert measurements[-1].seconds >= 0.05
    assert all(m.seconds < 0.05 for m in measurements[:-1])


def test_measuring_changes_nothing_and_does_not_count(game: Game) -> None:
    """Nodes and strategies are those of an uninterrupted run, bit for bit, also at the stops between two flushes."""
    for rule in map(update_rule, ALGORITHMS):
        for m in run_algorithm(game, rule, Budget(13, Unit.ITERATIONS)).measurements:
            if m.iteration in (3, 10, 13):
                solver = CFRSolver(game, rule)
                solver.run(m.iteration)
                evaluation = solver.evaluate()
                assert m.average_exploitability == evaluation.average_exploitability
                assert m.current_exploitability == evaluation.current_exploitability
                assert (m.value, m.nodes) == (evaluation.value, solver.num_visits)


def test_evaluating_takes_no_time(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate = CFRSolver.evaluate

    def slowly(self: CFRSolver, game: Game | None = None, state: CFRState | None = None) -> Evaluation:
        time.sleep(0.2)
        return evaluate(self, game, state)

    monkeypatch.setattr(CFRSolver, "evaluate", slowly)
    assert run_algorithm(game, DCFR, Budget(2, Unit.ITERATIONS)).measurements[-1].seconds < 0.2


def test_everything_but_the_seconds_is_repeatable(game: Game) -> None:
    for budget in (Budget(12, Unit.ITERATIONS), Budget(3e5, Unit.NODES)):
        runs = [run_algorithm(game, DCFR, budget) for _ in range(2)]
        assert without_seconds(runs[0]) == without_seconds(runs[1])
        seconds = [m.seconds for m in runs[0].measurements]
        assert seconds == sorted(seconds)
        assert seconds[0] > 0.0


def test_every_seed_is_a_run(game: Game) -> None:
    rules, budget = [SAMPLED, update_rule("cfr")], Budget(10, Unit.ITERATIONS)
    runs = list(compare_algorithms(game, rules, budget, num_seeds=3))
    names = [(each.algorithm, each.seed) for each in runs]
    assert names == [("es-mccfr", 0), ("es-mccfr", 1), ("es-mccfr", 2), ("cfr", None)]
    assert without_seconds(runs[1]) == without_seconds(run_algorithm(game, SAMPLED, budget, seed=1))
    ends = sorted(each.measurements[-1].average_exploitability for each in runs[:3])
    assert ends[0] < ends[1] < ends[2]
    assert summarize(runs)[0].average_exploitability == ends[1]


def test_without_randomness_the_seed_means_nothing(game: Game) -> None:
    assert run_algorithm(game, DCFR, Budget(1, Unit.ITERATIONS), seed=7).seed is None


def test_the_observer_hears_of_every_measurement(game: Game) -> None:
    heard: list[tuple[str, int | None, int]] = []
    each = run_algorithm(
        game, DCFR, Budget(20, Unit.ITERATIONS), observer=lambda name, seed, m: heard.append((name, seed, m.iteration))
    )
    assert heard == [("dcfr", None, m.iteration) for m in each.measurements]


def test_a_run_that_is_stopped(game: Game) -> None:
    stop = Event()
    runs: Iterator[Run] = compare_algorithms(
        game,
        [DCFR, update_rule("cfr")],
        Budget(20, Unit.ITERATIONS),
        stop=stop,
        observer=lambda name, seed, m: stop.set() if name == "cfr" else None,
    )
    assert next(runs).algorithm == "dcfr"
    with pytest.raises(Interrupted):
        next(runs)


@pytest.mark.parametrize("amount", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("unit", Unit)
def test_budgets_that_are_none(amount: float, unit: Unit) -> None:
    with pytest.raises(ValueError, match="amount"):
        Budget(amount, unit)


def test_half_an_iteration_is_no_budget() -> None:
    with pytest.raises(ValueError, match="whole"):
        Budget(1.5, Unit.ITERATIONS)


# --- summaries


def made_up(algorithm: str, exploitabilities: Sequence[float], seed: int | None = None, speed: int = 1) -> Run:
    """A run of an iteration per exploitability, 100 nodes and a second each."""
    return Run(
        algorithm,
        seed,
        tuple(
            Measurement(speed * at, speed * 100 * at, float(speed * at), exploitability, 2.0 * exploitability, 0.25)
            for at, exploitability in enumerate(exploitabilities, 1)
        ),
    )


def test_summaries() -> None:
    runs = [
        made_up("one", [0.5, 9e-4, 2e-3, 1e-4]),
        made_up("many", [1e-3, 1e-5], seed=0),
        made_up("many", [1e-2, 1e-3, 3e-5], seed=1, speed=2),
        made_up("many", [1e-2, 1e-2], seed=2),
    ]
    one, many = summarize(runs)
    assert (one.algorithm, one.num_runs, one.iterations, one.nodes) == ("one", 1, 4, 400)
    assert (one.average_exploitability, one.current_exploitability) == (1e-4, 2e-4)
    assert one.reached[1e-3] == Reached(2, 200, 2.0), "the first time, although it gets worse again"
    assert one.reached[1e-4] == Reached(4, 400, 4.0)
    assert one.reached[1e-5] is None
    assert (many.num_runs, many.iterations, many.average_exploitability) == (3, 2, 3e-5)
    assert many.reached[1e-3] == Reached(4, 400, 4.0), "1, 4, never"
    assert many.reached[1e-5] is None, "only one of three got there"


# --- CSV


def test_the_table_holds_every_digit(game: Game) -> None:
    runs = [run_algorithm(game, DCFR, Budget(20, Unit.ITERATIONS)), made_up('a, "b"', [1 / 3, 1e-17], seed=4)]
    table = as_csv(runs)
    assert table.splitlines()[0] == CSV_HEADER
    assert "\r" not in table
    back = [
        (name, int(seed) if seed else None, Measurement(int(iteration), int(nodes), *map(float, others)))
        for name, seed, iteration, nodes, *others in list(csv.reader(io.StringIO(table)))[1:]
    ]
    assert back == [(each.algorithm, each.seed, m) for each in runs for m in each.measurements]
    assert as_csv([]) == CSV_HEADER + "\n"
