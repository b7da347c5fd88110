"""Comparing algorithms: counts and times, summaries, tables; and the record of convergence, which is bounded."""

import csv
import io
import math
import runpy
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.comparisons import KUHN, compared, without_seconds

from tictactoe import ALGORITHMS, SINGLE_ROUND, CFRState, Game, Interrupted, RunControl, tic_tac_toe_round, update_rule
from tictactoe.algorithms import cfr, convergence, measured_run
from tictactoe.algorithms.cfr import FLUSH_EVERY, CFRSolver, Evaluation
from tictactoe.algorithms.convergence import COLUMNS, MOST_CHECKS, ConvergenceLog, Reached, Spread, as_csv, summarize
from tictactoe.algorithms.measured_run import Budget, Measurement, Run, Trial, Unit, perturbed, run_algorithm

DCFR = update_rule("dcfr")
SAMPLED = update_rule("es-mccfr")


@pytest.fixture(scope="module")
def game() -> Game:
    return tic_tac_toe_round(game_tree(), SINGLE_ROUND)


def test_budgets(game: Game) -> None:
    for iterations in (1, 2, 7, 10, 13, 130):
        measured = [m.iteration for m in run_algorithm(KUHN, DCFR, Budget(iterations, Unit.ITERATIONS)).measurements]
        every = [1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 40, 50, 60, 80, 100, 130]
        assert measured == [at for at in every if at < 0.95 * iterations] + [iterations]
    most_per_iteration = 2 * game.tree.num_decision_nodes
    for amount in (1.0, 2e5, 3e6):
        nodes = [m.nodes for m in run_algorithm(game, DCFR, Budget(amount, Unit.NODES)).measurements]
        assert nodes == sorted(set(nodes))
        assert amount <= nodes[-1] < amount + 10 * most_per_iteration
        assert all(n < amount for n in nodes[:-1])
    assert 8 <= sum(3e5 <= n < 3e6 for n in nodes) <= 11
    measurements = run_algorithm(game, DCFR, Budget(0.05, Unit.SECONDS)).measurements
    assert measurements[-1].seconds >= 0.05
    assert all(m.seconds < 0.05 for m in measurements[:-1])
    histories = [m.histories for m in run_algorithm(KUHN, SAMPLED, Budget(200, Unit.HISTORIES)).measurements]
    assert histories[-2] < 200 <= histories[-1]
    for amount, unit in product((0.0, -1.0, math.nan, math.inf), Unit):
        with pytest.raises(ValueError, match="amount"):
            Budget(amount, unit)
    with pytest.raises(ValueError, match="whole"):
        Budget(1.5, Unit.ITERATIONS)


def test_measuring_changes_nothing_and_does_not_count(game: Game) -> None:
    heard: list[tuple[Trial, int]] = []
    control = RunControl(reporter=lambda trial, m: heard.append((trial, m.iteration)))
    for played, name in ((game, "dcfr"), *((KUHN, name) for name in ALGORITHMS)):
        rule = update_rule(name)
        found = run_algorithm(played, rule, Budget(13, Unit.ITERATIONS), control=control)
        assert found.trial.seed == (0 if rule.samples else None)
        assert heard[-len(found.measurements) :] == [(found.trial, m.iteration) for m in found.measurements]
        seconds = [m.seconds for m in found.measurements]
        assert seconds == sorted(seconds)
        assert seconds[0] > 0.0
        for m in found.measurements:
            if m.iteration in (3, 10, 13):
                solver = CFRSolver(played, rule)
                solver.run(m.iteration)
                evaluation = solver.evaluate()
                assert m.average_exploitability == evaluation.average_exploitability
                assert m.current_exploitability == evaluation.current_exploitability
                assert (m.value, m.nodes) == (evaluation.value, solver.num_visits)


def test_evaluating_takes_no_time(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate, now = CFRSolver.evaluate, [0.0]

    def slowly(self: CFRSolver, game: Game | None = None, state: CFRState | None = None) -> Evaluation:
        now[0] += 1.0
        return evaluate(self, game, state)

    monkeypatch.setattr(CFRSolver, "evaluate", slowly)
    monkeypatch.setattr(cfr, "perf_counter", lambda: now[0])
    assert run_algorithm(game, DCFR, Budget(2, Unit.ITERATIONS)).measurements[-1].seconds == 0.0
    assert now[0] > 0.0


def test_comparisons_that_are_stopped() -> None:
    stop, rules = Event(), [DCFR, update_rule("cfr")]

    def at_cfr(trial: Trial, measurement: Measurement) -> None:
        if trial.contender.label == "cfr" or trial.perturbation == 1:
            stop.set()

    runs = compared(rules, 20, stop=stop, reporter=at_cfr)
    assert next(runs).label == "dcfr"
    with pytest.raises(Interrupted):
        next(runs)
    stop.clear()
    in_threads = compared(rules, 1e15, num_perturbations=50, workers=2, stop=stop, reporter=at_cfr)
    with pytest.raises(Interrupted):
        next(in_threads)


def made_up(label: str, exploitabilities: Sequence[float], seed: int | None = None, speed: int = 1) -> Run:
    """A run of an iteration per exploitability, 100 nodes, 900 histories and a second each."""
    measurements = []
    for number, exploitability in enumerate(exploitabilities, 1):
        at = speed * number
        used = at, 100 * at, 900 * at, float(at)
        measurements.append(Measurement(*used, exploitability, 2.0 * exploitability, 0.25))
    return Run(Trial(measured_run.Contender(DCFR, label=label), seed), tuple(measurements))


def test_summaries() -> None:
    runs = [
        made_up("one", [0.5, 9e-4, 2e-3, 1e-4]),
        made_up("many", [1e-3, 1e-5], seed=0),
        made_up("many", [1e-2, 1e-3, 3e-5], seed=1, speed=2),
        made_up("many", [1e-2, 1e-2], seed=2),
    ]
    one, many = summarize(runs)
    assert (one.label, one.algorithm, one.num_runs) == ("one", "dcfr", 1)
    assert (one.iterations, one.nodes, one.histories, one.seconds) == (4, 400, 3600, 4.0)
    assert (one.average_exploitability, one.current_exploitability) == (Spread(*[1e-4] * 4), Spread(*[2e-4] * 4))
    assert one.reached[1e-3] == Reached(2, 200, 1800, 2.0), "the first time, although it gets worse again"
    assert one.reached[1e-4] == Reached(4, 400, 3600, 4.0)
    assert one.reached[1e-5] is None
    assert (many.num_runs, many.iterations) == (3, 2)
    assert many.average_exploitability == Spread(3e-5, pytest.approx(2e-5), pytest.approx(5.015e-3), 1e-2)
    assert many.reached[1e-3] == Reached(4, 400, 3600, 4.0), "1, 4, never"
    assert many.reached[1e-5] is None, "only one of three got there"
    games = [
        summarize([made_up("a", [1e-3]), made_up("b", [1e-4])]),
        summarize([made_up("a", [1e-5]), made_up("b", [1e-5])]),
        summarize([made_up("a", [1e-6]), made_up("b", [1e-2])]),
    ]
    a, b = convergence.over_all(games)
    assert (a.label, a.num_games, a.num_first, b.num_first) == ("a", 3, 2, 2)
    assert (a.exploitability.median, a.best, a.worst) == (1e-5, 1e-6, 1e-3)
    assert b.exploitability == Spread(1e-4, pytest.approx(5.5e-5), pytest.approx(5.05e-3), 1e-2)
    assert a.num_reached == {1e-3: 3, 1e-4: 2, 1e-5: 2, 1e-6: 1}
    assert b.num_reached == {1e-3: 2, 1e-4: 2, 1e-5: 1, 1e-6: 0}


def test_the_example_that_compares_algorithms_on_it() -> None:
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "compare_on_kuhn.py"))
    *_, first, second = example["table"](["pdcfr+", "slow=cfr(simultaneous)"], 100, 3).splitlines()
    rows = ([cell.strip() for cell in row.split("|")[1:]] for row in (first, second))
    (name, average, *_), (other, slower, *_) = rows
    assert (name, other) == ("`pdcfr+`", "`slow`")
    solver = CFRSolver(KUHN, update_rule("pdcfr+"))
    solver.run(100)
    assert float(average) == pytest.approx(solver.evaluate().average_exploitability, rel=0.1)
    assert float(slower) > 100 * float(average)


def test_two_settings_of_a_rule_are_two_rows() -> None:
    others = map(measured_run.parse_contender, ("dcfr(discount_alpha=3)", "slow=dcfr(simultaneous)", "dcfr"))
    rules = [DCFR, *others]
    runs = list(compared(rules, 20))
    assert [each.label for each in runs] == ["dcfr", "dcfr(discount_alpha=3)", "slow"]
    ends = [each.measurements[-1] for each in runs]
    for rule, alternate, end in ((DCFR, True, ends[0]), (DCFR, False, ends[2])):
        solver = CFRSolver(KUHN, rule, alternate_updates=alternate)
        solver.run(20)
        assert solver.evaluate().average_exploitability == end.average_exploitability
    assert len({end.average_exploitability for end in ends}) == 3
    said = r"label: dcfr and dcfr\(discount_alpha=3\) are both called 'dcfr'; give one of them"
    with pytest.raises(ValueError, match=said):
        list(
            compared(
                [
                    measured_run.Contender(DCFR),
                    measured_run.Contender(update_rule("dcfr", discount_alpha=3), label="dcfr"),
                ],
                1,
            )
        )


def test_perturbations() -> None:
    assert perturbed(KUHN, 0) is KUHN
    seen = {KUHN.payoffs.tobytes()}
    for number in range(1, 20):
        payoffs = perturbed(KUHN, number).payoffs
        np.testing.assert_array_equal(payoffs, perturbed(KUHN, number).payoffs)
        np.testing.assert_allclose(payoffs, KUHN.payoffs, rtol=8.5 * 2.0**-52, atol=0.0)
        pairs = set(zip(KUHN.payoffs.ravel().tolist(), payoffs.ravel().tolist(), strict=True))
        assert len(pairs) == len({before for before, _ in pairs}), "equal payoffs stay equal"
        assert [before for before, after in pairs if before == after] == [0.0]
        seen.add(payoffs.tobytes())
    assert len(seen) == 20


def test_runs_in_seeds_and_perturbations() -> None:
    runs = list(compared([DCFR, SAMPLED], 100, num_seeds=3, num_perturbations=2))
    trials = [(each.label, each.trial.seed, each.trial.perturbation) for each in runs]
    assert trials == [("dcfr", None, 0), ("dcfr", None, 1), *(("es-mccfr", seed, seed % 2) for seed in range(3))]
    for each in runs:
        game, trial = perturbed(KUHN, each.trial.perturbation), Trial(each.trial.contender, each.trial.seed)
        alone = run_algorithm(game, trial, Budget(100, Unit.ITERATIONS))
        assert without_seconds(each).measurements == without_seconds(alone).measurements
    assert len({each.measurements[-1].value for each in runs}) == len(runs)


def test_the_table_holds_every_digit(game: Game) -> None:
    runs = [run_algorithm(game, DCFR, Budget(20, Unit.ITERATIONS)), made_up('a, "b"', [1 / 3, 1e-17], seed=4)]
    table = as_csv([({"score": "4-3"}, runs[:1]), ({"score": "0-0"}, runs[1:])])
    assert "\r" not in table
    header, *rows = csv.reader(io.StringIO(table))
    assert header == ["score", *COLUMNS, "discount_alpha", "discount_beta", "discount_gamma"]
    back = [
        (score, label, int(seed) if seed else None, Measurement(*map(int, row[:3]), *map(float, row[3:-3])))
        for score, label, algorithm, rule, updates, seed, perturbation, *row in rows
        if (algorithm, rule, updates, perturbation, row[-3]) == ("dcfr", "dcfr", "alternating", "0", "1.5")
    ]
    expected = zip(("4-3", "0-0"), runs, strict=True)
    assert back == [(score, each.label, each.trial.seed, m) for score, each in expected for m in each.measurements]
    assert as_csv([({}, [])]).splitlines() == [",".join(COLUMNS)]


def row(iteration: int) -> tuple[int, float, float, float]:
    return iteration, 1.0 / iteration, -1.0, 0.1 * iteration


def log_of(every: int, end: int) -> ConvergenceLog:
    log = ConvergenceLog(every)
    for iteration in range(every, end + 1, every):
        log.add(*row(iteration))
    return log


def test_every_check_is_kept_of_a_usual_run_and_few_of_a_long_one() -> None:
    assert ConvergenceLog(1).rows.shape == (0, 4)
    for every, end in ((1, MOST_CHECKS), (100, 7_000), (7, 20)):
        np.testing.assert_array_equal(log_of(every, end).rows, [row(at) for at in range(every, end + 1, every)])
    end = 4 * MOST_CHECKS + 77
    rows = log_of(1, end).rows
    assert MOST_CHECKS / 2 < len(rows) <= MOST_CHECKS + 201
    settled = end // 200 * 200
    expected = [*range(8, settled + 1, 8), *range(settled + 1, end + 1)]
    assert rows[:, 0].tolist() == expected
    np.testing.assert_array_equal(rows, [row(iteration) for iteration in expected])


@pytest.mark.parametrize("every", [3, 20])
def test_stopping_changes_nothing(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convergence, "MOST_CHECKS", 16)
    generator = np.random.default_rng(every)
    end = 200 * every
    whole, expected = ConvergenceLog(every), {}
    for at in range(every, end + 1, every):
        whole.add(*row(at))
        expected[at] = whole.rows.copy()
    log, iteration = ConvergenceLog(every), 0
    while iteration < end:
        stop = min(end, iteration + int(generator.integers(1, 90)) * every)
        for at in range(iteration // every * every + every, stop + 1, every):
            log.add(*row(at))
            np.testing.assert_array_equal(log.rows, expected[at])
        saved, iteration = log.rows, stop
        if stop < end:
            iteration = stop // FLUSH_EVERY * FLUSH_EVERY
            log = ConvergenceLog(every)
            log.go_on_from(saved, iteration)
    assert len(log.rows) < 16 + 201
    np.testing.assert_array_equal(log.rows, expected[end])
