"""Pairs of twins, solved by regret minimization: known values, independent checks, going on from a state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.lifting import LevelEvaluator, game_tree

from tictactoe.algorithms.best_response import exploitability
from tictactoe.algorithms.cfr.cfr_state import NOT_JUDGED
from tictactoe.algorithms.cfr.update_rules import update_rule
from tictactoe.games.goals import OutcomeValues
from tictactoe.games.tic_tac_toe import tic_tac_toe_round
from tictactoe.match.options import MatchOptions
from tictactoe.match.pair_cfr import PairSolver, PairState, similar_score
from tictactoe.match.scores import Score
from tictactoe.solving.start_values import start_values_by_formula

OPTIONS = MatchOptions(rule=update_rule("pdcfr+"))
V_4_4 = -1 / 13
V_4_3 = 0.654312197083
TWINS = (Score(4, 3), Score(3, 4))


def run(solver: PairSolver, until: int) -> PairSolver:
    """Up to an iteration, or until it has converged."""
    while solver.iteration < until and not solver.converged:
        stop = solver.next_stop(None)
        solver.check([solver.advance(twin, stop) for twin in range(len(solver.pair))])
    return solver


@pytest.fixture(scope="module")
def last_pairs() -> tuple[PairSolver, PairSolver]:
    """(4,4), then (4,3) and (3,4) with its value, to 1e-6; by the default rule, which needs a seventh of the time."""
    options = MatchOptions()
    last = run(PairSolver(game_tree(), (Score(4, 4),), {}, options), 20_000)
    return last, run(PairSolver(game_tree(), TWINS, {Score(4, 4): last.values[0]}, options), 20_000)


def test_known_values(last_pairs: tuple[PairSolver, PairSolver]) -> None:
    last, twins = last_pairs
    assert [solver.converged for solver in last_pairs] == [True, True]
    assert last.values == pytest.approx([V_4_4], abs=1e-6)
    assert twins.values[0] == pytest.approx(V_4_3, abs=1e-6)
    assert -1.0 < twins.values[1] < -0.5
    assert max(last.exploitabilities + twins.exploitabilities) <= 1e-6


def test_the_fixed_point_of_the_pairs_by_hand(last_pairs: tuple[PairSolver, PairSolver]) -> None:
    """Outcome values written out by hand from the saved values; strategies from the sums by the oracle."""
    last, twins = last_pairs
    (v44,), (v43, v34) = last.values, twins.values
    expected = {
        (last, 0): OutcomeValues(both=-v44, first=1.0, second=-1.0, neither=-v44),
        (twins, 0): OutcomeValues(both=1.0, first=1.0, second=-v44, neither=-v34),
        (twins, 1): OutcomeValues(both=-1.0, first=-v44, second=-1.0, neither=-v43),
    }
    tree = game_tree()
    levels = LevelEvaluator(tree)
    for (solver, twin), values in expected.items():
        assert solver.outcome_values(solver.pair[twin]) == values
        payoffs, prior = small_games.round_payoffs(values), small_games.uniform_prior()
        average = naive.average_strategy(tree, solver.state().rounds[twin].strategy_sums)
        best = [levels.best_response_value(average, payoffs, prior, player) for player in (0, 1)]
        assert -1e-12 < sum(best) <= 1e-6
        assert sum(best) == pytest.approx(solver.exploitabilities[twin], abs=1e-12)
        assert levels.expected_value(average, payoffs, prior) == pytest.approx(solver.values[twin], abs=1e-9)
        assert -best[1] - 1e-12 <= solver.values[twin] <= best[0] + 1e-12
        checked = exploitability(tic_tac_toe_round(tree, values), average)
        assert checked.total == pytest.approx(sum(best), abs=1e-12)


def test_the_log_of_a_pair(last_pairs: tuple[PairSolver, PairSolver]) -> None:
    for solver in last_pairs:
        state = solver.state()
        for twin, log in enumerate(state.convergence):
            assert log[:, 0].tolist() == list(range(20, solver.iteration + 1, 20))
            assert log[-1, 1] == solver.exploitabilities[twin] <= 1e-6 < log[0, 1]
            assert log[-1, 3] == solver.values[twin]
            assert np.all(np.abs(log[:, 3]) <= 1.0)
            assert np.all(log[:, 1] > -1e-12)
            judged = [check for check, current in enumerate(log[:, 2], 1) if current != NOT_JUDGED]
            assert judged == sorted({1, *range(5, len(log) + 1, 5), len(log)})
            assert np.all(log[np.array(judged) - 1, 2] > -1e-12)


def assert_same_pairs(one: PairState, other: PairState) -> None:
    for name in ("pair", "following", "values", "exploitabilities", "epoch_values", "converged"):
        assert getattr(one, name) == getattr(other, name), name
    for first, second in zip(one.rounds, other.rounds, strict=True):
        for name in ("regrets", "strategy_sums", "current_strategy", "skippable"):
            assert getattr(first, name).tobytes() == getattr(second, name).tobytes(), name
    for log, other_log in zip(one.convergence, other.convergence, strict=True):
        assert np.array_equal(log, other_log)


def test_a_pair_continues_from_its_state_bit_for_bit() -> None:
    whole = PairSolver(game_tree(), TWINS, {Score(4, 4): V_4_4}, OPTIONS)
    for until in (1, 10, 60, 100, 140):
        state = run(whole, until).state()
        copy = PairSolver(game_tree(), TWINS, {Score(4, 4): V_4_4}, OPTIONS)
        copy.set_state(state)
        assert_same_pairs(copy.state(), state)
        run(copy, 150)
    assert state.rounds[0].started_at > 0  # epochs have begun anew in between
    assert_same_pairs(run(whole, 150).state(), copy.state())


@pytest.mark.parametrize(("stop", "flushed"), [(7, 0), (10, 10), (13, 10)])
def test_the_state_to_continue_from_says_how_good_it_is_itself(stop: int, flushed: int) -> None:
    """Between two flushes it is of an earlier iteration than the solver."""
    tree, options = game_tree(), replace(OPTIONS, check_exploitability_every=1000)
    solver = PairSolver(tree, TWINS, {Score(4, 4): V_4_4}, options)
    solver.check([solver.advance(twin, stop) for twin in range(2)])
    state = solver.resumable_state()
    for score, learnt, claimed in zip(TWINS, state.rounds, state.exploitabilities, strict=True):
        game = tic_tac_toe_round(tree, solver.outcome_values(score, state.values))
        average = naive.average_strategy(tree, learnt.strategy_sums)
        assert (learnt.iteration, claimed) == (flushed, pytest.approx(exploitability(game, average).total, abs=1e-13))


def test_the_state_of_another_pair_or_of_other_values_is_refused() -> None:
    options = MatchOptions(winning_score=2)
    pair = (Score(1, 0), Score(0, 1))
    state = PairSolver(game_tree(), pair, {Score(1, 1): 0.1}, options).state()
    with pytest.raises(ValueError, match="following"):
        PairSolver(game_tree(), pair, {Score(1, 1): 0.2}, options).set_state(state)
    with pytest.raises(ValueError, match="pair"):
        PairSolver(game_tree(), (Score(1, 1),), {}, options).set_state(state)


RIGHT = start_values_by_formula(2, "three-in-a-row")
WRONG = {Score(1, 1): 0.4, Score(1, 0): -0.3, Score(0, 1): 0.9, Score(0, 0): 0.0}
TWO = MatchOptions(winning_score=2, rule=update_rule("pdcfr+"), maximum_subgame_exploitability=1e-5)
TWINS_OF_TWO = (Score(1, 0), Score(0, 1))


def twins_from(start: dict[Score, float], options: MatchOptions = TWO) -> PairSolver:
    return PairSolver(game_tree(), TWINS_OF_TWO, {Score(1, 1): V_4_4}, replace(options, start_values=start))


def test_right_start_values_are_held_until_the_strategies_are_good_enough() -> None:
    """The round's outcome values stay as they are, nothing is forgotten, and what is saved is the strategies' own."""
    solver = twins_from(RIGHT)
    held = (RIGHT[Score(1, 0)], RIGHT[Score(0, 1)])
    for until in range(20, 20_000, 20):
        assert (solver.values, solver.state().holds) == (held, True)
        if run(solver, until).converged:
            break
        assert solver.values == held
    state = solver.state()
    assert (state.rounds[0].started_at, state.holds) == (0, False)
    assert solver.values == state.values != held
    assert solver.values == pytest.approx(held, abs=1e-5)
    for score, learnt, claimed in zip(TWINS_OF_TWO, state.rounds, solver.exploitabilities, strict=True):
        game = tic_tac_toe_round(game_tree(), solver.outcome_values(score))
        average = naive.average_strategy(game_tree(), learnt.strategy_sums)
        assert claimed == pytest.approx(exploitability(game, average).total, abs=1e-12)
        assert 0 < claimed <= 1e-5
    assert [log[-1, 3] for log in state.convergence] == list(solver.values)


def test_wrong_start_values_are_let_go_of() -> None:
    """As soon as the strategies tell that they are wrong; what was learnt from them is forgotten."""
    solver = twins_from(WRONG)
    while solver.state().holds:
        assert solver.iteration < 1000
        assert solver.values == (WRONG[Score(1, 0)], WRONG[Score(0, 1)])
        run(solver, solver.iteration + 20)
    let_go, values = solver.iteration, solver.values
    assert values[0] > 0 > values[1]
    run(solver, let_go + 20)
    assert solver.state().rounds[0].started_at >= let_go
    assert run(solver, 20_000).converged
    assert solver.values == pytest.approx((RIGHT[Score(1, 0)], RIGHT[Score(0, 1)]), abs=1e-5)


def test_what_was_learnt_by_a_warm_start_from_wrong_start_values_is_forgotten_too() -> None:
    following = {score: RIGHT[score] for score in (Score(1, 1), *TWINS_OF_TWO)}
    last = run(PairSolver(game_tree(), (Score(1, 1),), {}, MatchOptions(winning_score=2)), 200).state().rounds
    pair, epochs = (Score(0, 0),), {}
    for value in (0.5, RIGHT[Score(0, 0)]):
        options = replace(TWO, rule=update_rule("rdcfr"), start_values={**RIGHT, Score(0, 0): value})
        solver = PairSolver(game_tree(), pair, following, options, start=last)
        assert (solver.values, solver.epoch_start) == ((value,), -100)
        assert run(solver, 20_000).converged
        assert solver.values == pytest.approx((RIGHT[Score(0, 0)],), abs=1e-4)
        epochs[value] = solver.epoch_start
    assert epochs[0.5] > 0


@pytest.mark.parametrize("start", [RIGHT, WRONG], ids=["right", "wrong"])
def test_a_pair_with_start_values_continues_from_its_state_bit_for_bit(start: dict[Score, float]) -> None:
    """While it holds them, and after it has let go of them; from either kind of state."""
    whole, held = twins_from(start), set()
    for until in (1, 10, 60, 240):
        run(whole, until)
        for state in (whole.state(), whole.resumable_state()):
            copy = twins_from(start)
            copy.set_state(state)
            held.add(state.holds)
            again = twins_from(start)
            again.set_state(run(copy, until + 20).resumable_state())
            reference = twins_from(start)
            reference.set_state(whole.resumable_state())
            assert_same_pairs(again.state(), run(reference, until + 20).state())
            assert again.state().holds == reference.state().holds
    assert held == ({True} if start is RIGHT and not whole.converged else {True, False})


def test_a_state_that_holds_what_is_not_given_is_refused() -> None:
    state = twins_from(RIGHT).state()
    with pytest.raises(ValueError, match="state: holds start values"):
        PairSolver(game_tree(), TWINS_OF_TWO, {Score(1, 1): V_4_4}, TWO).set_state(state)


def test_tied_scores_are_similar_to_the_one_with_a_point_more() -> None:
    assert similar_score((Score(0, 0),), 3) == Score(1, 1)
    assert similar_score((Score(1, 1),), 3) == Score(2, 2)
    assert similar_score((Score(2, 2),), 3) is None
    assert similar_score((Score(2, 1), Score(1, 2)), 4) is None


def test_a_warm_start_begins_with_the_values_of_what_was_learnt_and_knows_no_epochs() -> None:
    """And goes on from its state, bit for bit."""
    options, following = MatchOptions(), {Score(4, 4): V_4_4, Score(4, 3): V_4_3, Score(3, 4): -0.722274004805}
    last = run(PairSolver(game_tree(), (Score(4, 4),), {}, options), 200)
    assert last.state().rounds[0].started_at > 0  # a cold start with values of 0 has epochs
    solver = PairSolver(game_tree(), (Score(3, 3),), following, options, start=last.state().rounds)
    start = solver.state()
    assert (start.iteration, start.rounds[0].started_at) == (0, -100)
    assert solver.values == start.values
    average = naive.average_strategy(game_tree(), last.state().rounds[0].strategy_sums)
    played = naive.average_strategy(game_tree(), start.rounds[0].strategy_sums)
    np.testing.assert_allclose(played, average, rtol=0, atol=1e-15)
    payoffs, prior = small_games.round_payoffs(solver.outcome_values(Score(3, 3))), small_games.uniform_prior()
    worth = LevelEvaluator(game_tree()).expected_value(average, payoffs, prior)
    assert worth == pytest.approx(solver.values[0], abs=1e-12)
    for until in (7, 20, 140):
        state = run(solver, until).resumable_state()
        copy = PairSolver(game_tree(), (Score(3, 3),), following, options)
        copy.set_state(state)
        assert_same_pairs(run(copy, 200).state(), run(resumed(solver), 200).state())
        assert state.rounds[0].started_at == -100
    cold = PairSolver(game_tree(), (Score(3, 3),), following, options)
    assert max(solver.exploitabilities) < max(run(cold, 140).exploitabilities) / 2


def resumed(solver: PairSolver) -> PairSolver:
    """Another solver of the same pair, where this one is."""
    other = PairSolver(game_tree(), solver.pair, solver.following, solver.options)
    other.set_state(solver.resumable_state())
    return other
