"""The solver of one round against the plain recursion of naive.py, and in games whose values are known."""

import re
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.agreement import assert_agree_on_small_games, follow
from oracle.lifting import GENERIC_VALUES, game_tree, naive_round
from support.slowness import by_default, slow

from tictactoe import SINGLE_ROUND, BonusSchedule, CFRSolver, CFRState, Game, exploitability
from tictactoe.algorithms import cfr
from tictactoe.algorithms.update_rules import FULL_WIDTH_ALGORITHMS, UpdateRule, update_rule
from tictactoe.games.payoffs import small_move_bonus, tic_tac_toe_round

BOTH_ORDERS = (True, False)  # players are updated in turn, or both at once
each_algorithm = pytest.mark.parametrize("algorithm", FULL_WIDTH_ALGORITHMS)


def rule_of(algorithm: str, *values: float) -> UpdateRule:
    return update_rule(algorithm, **dict(zip(update_rule(algorithm).parameters, values, strict=False)))


def solver_of(game: naive.NaiveGame, rule: str | UpdateRule, alternate: bool = True, **options: Any) -> CFRSolver:
    rule = update_rule(rule) if isinstance(rule, str) else rule
    return CFRSolver(Game(*game), rule, alternate_updates=alternate, **options)


def assert_same_bits(one: CFRState, other: CFRState) -> None:
    assert (one.iteration, one.started_at) == (other.iteration, other.started_at)
    names = ["regrets", "strategy_sums", "current_strategy", "skippable"]
    assert (one.recent_sums is None) == (other.recent_sums is None)
    for name in names if one.recent_sums is None else [*names, "recent_sums"]:
        first, second = getattr(one, name), getattr(other, name)
        assert first.dtype == second.dtype
        assert first.tobytes() == second.tobytes(), name


OTHER_EXPONENTS = [rule_of("dcfr", *exponents) for exponents in ((2.0, 2.0, 3.0), (2.0, -1.0, 0.0), (0.0, 1.0, 0.0))]
OTHER_EXPONENTS += [rule_of("hs-dcfr", 8.0)]


@pytest.mark.parametrize("rule", [*map(update_rule, FULL_WIDTH_ALGORITHMS), *OTHER_EXPONENTS], ids=str)
def test_kuhn_and_random_games_follow_the_oracle(rule: UpdateRule) -> None:
    assert_agree_on_small_games(rule, rule.name)


@each_algorithm
def test_small_move_bonus_follows_the_oracle(algorithm: str) -> None:
    for alternate, (seed, decay) in product(BOTH_ORDERS, ((20, 0.0), (21, 0.05))):
        game = small_games.random_game(seed)
        bonus = np.random.default_rng(seed).uniform(-1.0, 1.0, game.tree.num_nodes)
        solver = solver_of(game, algorithm, alternate, bonus_schedule=BonusSchedule(0.3, decay))
        solver.game = Game(*game, bonus)
        oracle = naive.NaiveSolver(*game, algorithm, alternate, bonus=bonus, epsilon=0.3, epsilon_decay=decay)
        follow(solver, oracle, (1, 1, 1, 8, 4))


@pytest.mark.parametrize("alternate", BOTH_ORDERS)
@pytest.mark.parametrize("rule", [rule_of("rpcfr+", 2, 8, 21, 0.5, 3, 0.4), rule_of("rdcfr", 1.5, 0.0, 3.0, 8.0)])
def test_restarts_from_the_average_follow_the_oracle(rule: UpdateRule, alternate: bool) -> None:
    """Restarts come between two flushes. Pieces of the run end at a restart, before one and after one."""
    for seed in (60, 61):
        game = small_games.random_game(seed)
        oracle = naive.NaiveSolver(*game, rule.name, alternate, **rule.parameters)
        follow(solver_of(game, rule, alternate), oracle, (7, 1, 1, 11, 2, 13), 1e-10)


@pytest.mark.parametrize("alternate", BOTH_ORDERS)
def test_a_warm_start_follows_the_oracle(alternate: bool) -> None:
    """A warm start is the first restart of the rule. Strategies are uniform where the average never came."""
    rule = rule_of("rdcfr", 1.5, 0.0, 2.0, 20.0)
    for seed in (60, 62):
        game = small_games.random_game(seed)
        other = small_games.without_ties(game, seed, 0.3)
        learnt, solver = solver_of(other, rule, alternate), solver_of(game, rule, alternate)
        learnt.run(120)
        state = learnt.state()
        never = np.random.default_rng(seed).random((game.tree.num_nodes, 3))[game.tree.parent] < 0.3
        state = replace(state, strategy_sums=np.where(never, 0.0, state.strategy_sums))
        solver.start_warm(state)
        average = naive.average_strategy(game.tree, state.strategy_sums)
        np.testing.assert_allclose(solver.average_strategy(), average, rtol=0, atol=1e-15)
        oracle = naive.NaiveSolver(*game, "rdcfr", alternate, **rule.parameters)
        oracle.iteration, oracle.strategy_sums, oracle.strategy = 20, state.strategy_sums.copy(), average
        for node in game.tree.decision_nodes.tolist():
            children = list(game.tree.children(node))
            size = np.maximum(state.regrets[children], 0.0).sum(axis=0)
            oracle.regrets[children] = size * oracle.strategy[children]
        # The oracle counts from the first restart, the solver from 0; the next restarts come after 20 and 60.
        follow(solver, oracle, (3, 7, 12, 30), 1e-10, ahead=20)
        assert (solver.iteration, solver.state().started_at) == (52, -20)


def test_only_rules_with_restarts_start_warm_and_states_are_of_their_rule() -> None:
    game = small_games.random_game(60)
    restarting, other = solver_of(game, "rdcfr"), solver_of(game, "dcfr")
    for cold in ("dcfr", "rpcfr+"):
        with pytest.raises(ValueError, match=rf"^state: {re.escape(cold)} always starts cold"):
            solver_of(game, cold).start_warm(restarting.state())
    with pytest.raises(ValueError, match=r"^recent_sums: dcfr has none"):
        other.set_state(restarting.state())
    with pytest.raises(ValueError, match=r"^recent_sums: missing"):
        restarting.set_state(other.state())
    restarting.start_warm(other.state())  # its averages are enough
    for number in (-1, 1.5):
        with pytest.raises(ValueError, match=rf"^num_iterations: {number} is not (at least 0|a whole number)$"):
            other.run(number)


@pytest.mark.parametrize(
    ("algorithm", "alternate", "epsilon"),
    [("dcfr", True, 0.05), *slow(("cfr", False, 0.0), ("pdcfr+", True, 0.0), ("cfr+", True, 0.0))],
)
def test_the_round_follows_the_oracle(algorithm: str, alternate: bool, epsilon: float) -> None:
    """From random regrets. Nearly everything cancels in a few scores of the 43,227 strategies: hence the tolerance."""
    tree = game_tree()
    random = np.random.default_rng(11)
    regrets, sums = (random.uniform(0.0, size, (tree.num_nodes, 3)) for size in (1e-3, 1.0))
    regrets[0] = sums[0] = 0.0
    game, schedule = tic_tac_toe_round(tree, GENERIC_VALUES, with_bonus=epsilon > 0.0), BonusSchedule(epsilon, 0.1)
    solver = CFRSolver(game, rule_of(algorithm), alternate_updates=alternate, bonus_schedule=schedule)
    bonus = {"bonus": small_move_bonus(tree), "epsilon": epsilon, "epsilon_decay": 0.1}
    oracle = naive.NaiveSolver(*naive_round(), algorithm, alternate, **bonus)
    oracle.iteration, oracle.regrets, oracle.strategy_sums = 20, regrets, sums
    oracle.strategy = naive.average_strategy(tree, regrets)
    start = {"regrets": regrets, "strategy_sums": sums, "current_strategy": oracle.strategy}
    solver.set_state(replace(solver.state(), iteration=20, **start))
    follow(solver, oracle, (2 if algorithm == "pdcfr+" else 1,), 1e-9)
    assert np.count_nonzero(oracle.strategy == 0.0) > 1000


@pytest.mark.parametrize("algorithm", by_default(FULL_WIDTH_ALGORITHMS, "cfr", "rdcfr", "pdcfr+"))
def test_skipping_subtrees_changes_nothing(algorithm: str) -> None:
    num_pruned = 0
    for alternate, seed in ((True, 0), (False, 5)):
        game = small_games.random_game(seed)
        solver, oracle = solver_of(game, algorithm, alternate), naive.NaiveSolver(*game, algorithm, alternate)
        follow(solver, oracle, (150,))
        full = 300 * game.tree.num_decision_nodes
        assert solver.num_visits <= full
        num_pruned += full - solver.num_visits
    assert num_pruned > 0


# about twice the NashConv of the average after 400 iterations; 1e-8 where rounding decides it
ALTERNATING = 8e-3, 1.2e-3, 1.1e-3, 2e-3, 5e-7, 1e-2, 1.5e-6, 1e-8, 2e-3, 7e-7, 1e-8
SIMULTANEOUS = 5e-2, 5e-2, 2e-2, 4e-2, 2e-2, 0.17, 4e-3, 6e-3, 2.5e-2, 1.6e-2, 6e-2
LIMITS = dict(zip(product(BOTH_ORDERS, FULL_WIDTH_ALGORITHMS), ALTERNATING + SIMULTANEOUS, strict=True))


@pytest.mark.parametrize(("alternate", "algorithm"), LIMITS)
def test_every_full_width_algorithm_reaches_the_value(algorithm: str, alternate: bool) -> None:
    """H. W. Kuhn, A simplified two-person poker, 1950: player 0 loses an eighteenth of an ante."""
    game = small_games.kuhn_game()
    solver = solver_of(game, algorithm, alternate)
    solver.run(20)
    before = solver.evaluate().average_exploitability
    solver.run(380)
    evaluation = solver.evaluate()
    assert evaluation.average_exploitability < before / 2 < 0.5
    for found, strategy in (
        (evaluation.average_exploitability, solver.average_strategy()),
        (evaluation.current_exploitability, solver.current_strategy()),
    ):
        assert found == pytest.approx(naive.exploitability(game.tree, strategy, game.payoffs, game.prior), abs=1e-14)
    limit = LIMITS[alternate, algorithm]
    assert evaluation.average_exploitability < limit
    assert evaluation.value == pytest.approx(-1 / 18, abs=limit)


def run_and_stay_finite(solver: CFRSolver, iterations: int) -> None:
    solver.run(iterations)
    state = solver.state()
    assert np.all(np.isfinite([state.regrets, state.strategy_sums]))
    for strategy in (state.current_strategy, solver.average_strategy()):
        exploitability(solver.game, strategy)  # raises an error unless it is a strategy


@pytest.mark.parametrize("algorithm", ["dcfr", "pdcfr+"])
def test_extreme_parameters_stay_finite(algorithm: str) -> None:
    limits = {"dcfr": ((0.0, 20.0), (-20.0, 0.0, 20.0), (0.0, 20.0)), "pdcfr+": ((0.0, 20.0), (0.0, 20.0))}[algorithm]
    for values, alternate in product(product(*limits), BOTH_ORDERS):
        solver = solver_of(small_games.kuhn_game(), rule_of(algorithm, *values), alternate)
        for iterations in (1, 9, 490):
            run_and_stay_finite(solver, iterations)
            assert -1e-12 < solver.evaluate().average_exploitability < 2.0
    if algorithm == "dcfr":
        run_and_stay_finite(solver_of(naive_round(SINGLE_ROUND), rule_of("dcfr", 20.0, 20.0, 20.0)), 300)


@each_algorithm
def test_a_restarted_solver_is_a_fresh_one_that_goes_on_counting(algorithm: str) -> None:
    game = small_games.random_game(60)
    used, fresh, other = (solver_of(game, algorithm) for _ in range(3))
    used.run(50)
    used.restart()
    assert (used.iteration, used.started_at) == (50, 50)
    assert np.array_equal(used.current_strategy(), fresh.current_strategy())
    assert np.array_equal(used.average_strategy(), fresh.average_strategy())
    used.run(10)
    other.set_state(used.state())
    for solver, iterations in ((used, 20), (other, 20), (fresh, 30)):
        solver.run(iterations)
    assert_same_bits(used.state(), replace(fresh.state(), iteration=80, started_at=50))
    assert_same_bits(used.state(), other.state())


def test_a_state_has_an_evaluation_of_its_own() -> None:
    """Between two flushes the state to go on from is an earlier one, with another exploitability."""
    solver = solver_of(naive_round(GENERIC_VALUES), "dcfr")
    solver.run(20)
    at_flush = solver.evaluate()
    solver.run(7)
    resumed, now = solver.evaluate(state=solver.resumable_state()), solver.evaluate()
    for name in ("value", "average_exploitability", "current_exploitability"):
        assert getattr(resumed, name) == getattr(at_flush, name) != getattr(now, name)
    assert now.average_exploitability == solver.evaluate(state=solver.state()).average_exploitability
    other = solver_of(small_games.kuhn_game(), "dcfr").state()
    for refused in (lambda: solver.evaluate(state=other), lambda: solver.set_state(other)):
        with pytest.raises(ValueError, match=r"^regrets: shape \(9, 3\), expected \(37538, 3\)"):
            refused()


RESTARTS = {"rdcfr": {"first_restart": 6.0}, "rpcfr+": {"first_restart": 12.0, "second_restart": 25.0}}


@each_algorithm
def test_neither_pieces_nor_a_change_of_the_game_between_two_flushes_matter(algorithm: str) -> None:
    rule = update_rule(algorithm, **RESTARTS.get(algorithm, {}))
    for alternate, before in product(BOTH_ORDERS, (0, 7)):
        solvers = []
        for pieces in ((31 - before,), (11 - before, 2, 11, 7), (2, 0, 3, 7 - before, 13, 1, 5)):
            solver = solver_of(small_games.random_game(61), rule, alternate)
            solver.run(before)
            solver.game = Game(*small_games.random_game(61))
            for piece in pieces:
                solver.run(piece)
                resumed = CFRSolver(solver.game, rule, alternate_updates=alternate)
                resumed.set_state(solver.resumable_state())
                resumed.run(solver.iteration - resumed.iteration)
                assert_same_bits(resumed.state(), solver.state())
            solvers.append(solver)
            assert_same_bits(solver.state(), solvers[0].state())
            assert solver.num_visits == solvers[0].num_visits


@each_algorithm
def test_nor_does_how_many_coefficients_are_computed_at_once(algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = update_rule(algorithm, **RESTARTS.get(algorithm, {}))
    states = []
    for longest in (cfr.LONGEST_TABLE, cfr.FLUSH_EVERY):
        monkeypatch.setattr(cfr, "LONGEST_TABLE", longest)
        solver = solver_of(small_games.random_game(61), rule)
        solver.run(4)
        solver.run(151)
        states.append(solver.state())
    assert_same_bits(*states)
