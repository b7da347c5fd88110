"""Pairs of twins, solved by regret minimization: known values, independent checks, start values and warm starts."""

from dataclasses import replace

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.lifting import LevelEvaluator, game_tree

from tictactoe import GameTree, MatchOptions, OutcomeValues, Score, exploitability, tic_tac_toe_round, update_rule
from tictactoe.algorithms.cfr import NOT_JUDGED
from tictactoe.match.pair_cfr import PairSolver

V_4_4 = -1 / 13
V_4_3 = 0.654312197083
TWINS = (Score(4, 3), Score(3, 4))


def run(solver: PairSolver, until: int) -> PairSolver:
    while solver.iteration < until and not solver.converged:
        stop = solver.next_stop(None)
        solver.check([solver.advance(twin, stop) for twin in range(len(solver.pair))])
    return solver


def test_known_values_and_the_fixed_point() -> None:
    """(4,4), then (4,3) and (3,4) with its value. Outcome values are written out by hand."""
    tree, options = game_tree(), MatchOptions()
    last = run(PairSolver(tree, (Score(4, 4),), {}, options), 20_000)
    twins = run(PairSolver(tree, TWINS, {Score(4, 4): last.values[0]}, options), 20_000)
    (v44,), (v43, v34) = last.values, twins.values
    assert (v44, v43) == pytest.approx((V_4_4, V_4_3), abs=1e-6)
    assert -1.0 < v34 < -0.5
    expected = {
        (last, 0): OutcomeValues(both=-v44, first=1.0, second=-1.0, neither=-v44),
        (twins, 0): OutcomeValues(both=1.0, first=1.0, second=-v44, neither=-v34),
        (twins, 1): OutcomeValues(both=-1.0, first=-v44, second=-1.0, neither=-v43),
    }
    levels = LevelEvaluator(tree)
    for (solver, twin), values in expected.items():
        assert solver.converged
        assert solver.outcome_values(solver.pair[twin]) == values
        payoffs, prior = small_games.round_payoffs(values), small_games.uniform_prior()
        state = solver.state()
        average = naive.average_strategy(tree, state.rounds[twin].strategy_sums)
        best = [levels.best_response_value(average, payoffs, prior, player) for player in (0, 1)]
        assert -1e-12 < sum(best) <= 1e-6
        assert sum(best) == pytest.approx(solver.exploitabilities[twin], abs=1e-12)
        assert levels.expected_value(average, payoffs, prior) == pytest.approx(solver.values[twin], abs=1e-9)
        assert -best[1] - 1e-12 <= solver.values[twin] <= best[0] + 1e-12
        log = state.convergence[twin]
        assert log[:, 0].tolist() == list(range(20, solver.iteration + 1, 20))
        assert log[-1, 1] == solver.exploitabilities[twin] <= 1e-6 < log[0, 1]
        assert log[-1, 3] == solver.values[twin]
        assert np.all(np.abs(log[:, 3]) <= 1.0)
        assert np.all(log[:, 1] > -1e-12)
        checked = [check for check, current in enumerate(log[:, 2], 1) if current != NOT_JUDGED]
        assert checked == sorted({1, *range(5, len(log) + 1, 5), len(log)})
        assert np.all(log[np.array(checked) - 1, 2] > -1e-12)


PAIR, FOLLOWING = (Score(1, 0), Score(0, 1)), {Score(1, 1): -1 / 7}
"""Twins of a match to 2 of short rounds, and the value that they lead to."""
TWO = MatchOptions(winning_score=2, algorithm=update_rule("pdcfr+"), maximum_subgame_exploitability=1e-5)
WRONG = {Score(1, 1): 0.4, Score(1, 0): -0.3, Score(0, 1): 0.9, Score(0, 0): 0.0}


@pytest.fixture(scope="module")
def right(short_tree: GameTree) -> dict[Score, float]:
    values = dict(FOLLOWING)
    for pair in (PAIR, (Score(0, 0),)):
        options = replace(TWO, maximum_subgame_exploitability=1e-9)
        solver = run(PairSolver(short_tree, pair, values, options), 100_000)
        assert solver.converged
        values |= zip(pair, solver.values, strict=True)
    return values


def twins_from(tree: GameTree, start: dict[Score, float] | None = None) -> PairSolver:
    return PairSolver(tree, PAIR, FOLLOWING, replace(TWO, start_from=start))


def test_states_of_others_are_refused(short_tree: GameTree, right: dict[Score, float]) -> None:
    state = PairSolver(short_tree, PAIR, {Score(1, 1): 0.1}, TWO).state()
    for pair, following, what in ((PAIR, {Score(1, 1): 0.2}, "following"), ((Score(1, 1),), {}, "pair")):
        with pytest.raises(ValueError, match=what):
            PairSolver(short_tree, pair, following, TWO).set_state(state)
    with pytest.raises(ValueError, match="state: it has start values"):
        twins_from(short_tree).set_state(twins_from(short_tree, right).state())


def test_right_start_values_are_held(short_tree: GameTree, right: dict[Score, float]) -> None:
    """Until then outcome values stay, and no iteration is forgotten. Saved values are those of the strategies."""
    solver = twins_from(short_tree, right)
    held = (right[Score(1, 0)], right[Score(0, 1)])
    for until in range(20, 20_000, 20):
        assert (solver.values, solver.state().holds) == (held, True)
        if run(solver, until).converged:
            break
    state = solver.state()
    assert (state.rounds[0].started_at, state.holds) == (0, False)
    assert solver.values == state.values != held
    assert solver.values == pytest.approx(held, abs=1e-5)
    for score, learnt, claimed in zip(PAIR, state.rounds, state.exploitabilities, strict=True):
        game = tic_tac_toe_round(short_tree, solver.outcome_values(score, state.values))
        average = naive.average_strategy(short_tree, learnt.strategy_sums)
        assert claimed == pytest.approx(exploitability(game, average).total, abs=1e-12)
        assert 0 < claimed <= 1e-5
    assert [log[-1, 3] for log in state.convergence] == list(solver.values)


def test_wrong_start_values_are_let_go_of(short_tree: GameTree, right: dict[Score, float]) -> None:
    solver = twins_from(short_tree, WRONG)
    while solver.state().holds:
        assert solver.iteration < 1000
        assert solver.values == (WRONG[Score(1, 0)], WRONG[Score(0, 1)])
        run(solver, solver.iteration + 20)
    let_go, values = solver.iteration, solver.values
    assert values[0] > 0 > values[1]
    run(solver, let_go + 20)
    assert solver.state().rounds[0].started_at >= let_go
    assert run(solver, 20_000).converged
    assert solver.values == pytest.approx((right[Score(1, 0)], right[Score(0, 1)]), abs=1e-5)


def test_a_warm_start_from_wrong_start_values_is_forgotten_too(short_tree: GameTree, right: dict[Score, float]) -> None:
    following = {score: right[score] for score in (Score(1, 1), *PAIR)}
    last = run(PairSolver(short_tree, (Score(1, 1),), {}, MatchOptions(winning_score=2)), 200).state().rounds
    pair, epochs = (Score(0, 0),), {}
    for value in (0.5, right[Score(0, 0)]):
        options = replace(TWO, algorithm=update_rule("rdcfr"), start_from={**right, Score(0, 0): value})
        solver = PairSolver(short_tree, pair, following, options, start=last)
        assert (solver.values, solver.epoch_start) == ((value,), -100)
        assert run(solver, 20_000).converged
        assert solver.values == pytest.approx((right[Score(0, 0)],), abs=1e-4)
        epochs[value] = solver.epoch_start
    assert epochs[0.5] > 0


def test_a_warm_start_has_no_epochs(short_tree: GameTree, right: dict[Score, float]) -> None:
    options, pair = MatchOptions(winning_score=2), (Score(0, 0),)
    following = {score: right[score] for score in (Score(1, 1), *PAIR)}
    last = run(PairSolver(short_tree, (Score(1, 1),), {}, options), 200).state().rounds
    assert last[0].started_at > 0  # a cold start with values of 0 has epochs
    solver = PairSolver(short_tree, pair, following, options, start=last)
    start = solver.state()
    assert (start.iteration, start.rounds[0].started_at) == (0, -100)
    assert solver.values == start.values
    average, played = (naive.average_strategy(short_tree, one.strategy_sums) for one in (last[0], start.rounds[0]))
    np.testing.assert_allclose(played, average, rtol=0, atol=1e-15)
    payoffs, prior = small_games.round_payoffs(solver.outcome_values(pair[0])), small_games.uniform_prior()
    worth = LevelEvaluator(short_tree).expected_value(average, payoffs, prior)
    assert worth == pytest.approx(solver.values[0], abs=1e-12)
    cold = PairSolver(short_tree, pair, following, options)
    assert max(run(solver, 20).exploitabilities) < max(run(cold, 20).exploitabilities) / 2
    assert run(solver, 200).epoch_start == -100
