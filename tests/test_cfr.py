"""The solver of one round against the plain recursion of naive.py, and what it must reach in games that are known."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from lifting import game_tree

from tictactoe.arrays import MAXIMUM_LEAF_CLASSES
from tictactoe.cfr import RoundSolver, RoundState
from tictactoe.game import RoundGame, small_move_bonus, tic_tac_toe_round
from tictactoe.match import SINGLE_ROUND, OutcomeValues
from tictactoe.options import SmallMoves
from tictactoe.response import exploitability
from tictactoe.rules import FULL_WIDTH_ALGORITHMS, UpdateRule, update_rule
from tictactoe.snapshot import Snapshot

GENERIC_VALUES = OutcomeValues(both=0.3141592653, first=0.8717297, second=-0.9424777, neither=-0.1234567891)
"""Outcome values with which no two moves of the round are worth the same by accident."""


def solver_of(game: naive.Game, algorithm: str, alternate: bool = True, **options: Any) -> RoundSolver:
    return RoundSolver(RoundGame(*game), update_rule(algorithm), alternate_updates=alternate, **options)


def single_round(algorithm: str = "dcfr", values: OutcomeValues = SINGLE_ROUND, **options: Any) -> RoundSolver:
    return RoundSolver(tic_tac_toe_round(game_tree(), values), update_rule(algorithm), **options)


def assert_same_bits(one: RoundState, other: RoundState) -> None:
    assert (one.iteration, one.started_at) == (other.iteration, other.started_at)
    for name in ("regrets", "strategy_sums", "current_strategy", "settled"):
        first, second = getattr(one, name), getattr(other, name)
        assert first.dtype == second.dtype
        assert first.tobytes() == second.tobytes(), name


def largest_sum(strategy_sums: naive.Floats) -> float:
    """The unit in which strategy sums are compared: they grow like a power of the iteration."""
    return max(1.0, float(strategy_sums.max()))


def assert_agree(solver: RoundSolver, oracle: naive.NaiveSolver, strategy_tolerance: float = 1e-12) -> None:
    state = solver.state()
    unit = largest_sum(oracle.strategy_sums)
    average = naive.average_strategy(oracle.tree, oracle.strategy_sums)
    for name, actual, expected, tolerance in (
        ("regrets", state.regrets, oracle.regrets, 1e-12),
        ("strategy sums", state.strategy_sums / unit, oracle.strategy_sums / unit, 1e-12),
        ("current strategy", state.current_strategy, oracle.strategy, strategy_tolerance),
        ("current strategy", solver.current_strategy(), oracle.strategy, strategy_tolerance),
        ("average strategy", solver.average_strategy(), average, 1e-12),
    ):
        message = f"{name} after {oracle.iteration} iterations"
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance, err_msg=message)


# --- the first iterations against the oracle ---------------------------------------------------------------------

ALL_RULES = [(algorithm, alternate) for algorithm in FULL_WIDTH_ALGORITHMS for alternate in (True, False)]


@pytest.mark.parametrize(("algorithm", "alternate"), ALL_RULES)
def test_random_games_follow_the_oracle(algorithm: str, alternate: bool) -> None:
    for seed in range(12):
        game = naive.random_game(seed)
        solver = solver_of(game, algorithm, alternate)
        oracle = naive.NaiveSolver(*game, algorithm, alternate)
        assert_agree(solver, oracle)
        for _ in range(12):
            solver.run(1)
            oracle.iterate()
            assert_agree(solver, oracle)


@pytest.mark.parametrize(("algorithm", "alternate"), ALL_RULES)
def test_kuhn_follows_the_oracle(algorithm: str, alternate: bool) -> None:
    game = naive.without_ties(naive.kuhn_game())
    solver = solver_of(game, algorithm, alternate)
    oracle = naive.NaiveSolver(*game, algorithm, alternate)
    for pieces in (1, 1, 1, 4, 9, 14):  # across the iterations at which the solver catches up with itself
        solver.run(pieces)
        for _ in range(pieces):
            oracle.iterate()
        assert_agree(solver, oracle)
    assert solver.iteration == oracle.iteration == 30


@pytest.mark.parametrize(("algorithm", "alternate"), ALL_RULES)
@pytest.mark.parametrize("decay", [0.0, 0.05, 1.0])
def test_small_move_bonus_follows_the_oracle(algorithm: str, alternate: bool, decay: float) -> None:
    for seed in range(20, 25):
        game = naive.random_game(seed)
        bonus = np.random.default_rng(seed).uniform(-1.0, 1.0, game.tree.num_nodes)
        solver = RoundSolver(
            RoundGame(*game, bonus), update_rule(algorithm), alternate_updates=alternate,
            small_moves=SmallMoves(0.3, decay),
        )  # fmt: skip
        oracle = naive.NaiveSolver(*game, algorithm, alternate, bonus=bonus, epsilon=0.3, epsilon_decay=decay)
        for pieces in (1, 1, 1, 8, 4):
            solver.run(pieces)
            for _ in range(pieces):
                oracle.iterate()
            assert_agree(solver, oracle)


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("dcfr", {"alpha": 0.0, "beta": 0.7, "gamma": 0.0}),
        ("dcfr", {"alpha": 3.0, "beta": -2.0, "gamma": 1.0}),
        ("dcfr", {"alpha": 20.0, "beta": -20.0, "gamma": 20.0}),
        ("pdcfr+", {"alpha": 0.0, "gamma": 0.0}),
        ("pdcfr+", {"alpha": 1.0, "gamma": 3.0}),
    ],
)
@pytest.mark.parametrize("alternate", [True, False])
def test_other_parameters_follow_the_oracle(algorithm: str, parameters: dict[str, float], alternate: bool) -> None:
    for seed in range(40, 46):
        game = naive.random_game(seed)
        solver = RoundSolver(RoundGame(*game), update_rule(algorithm, **parameters), alternate_updates=alternate)
        oracle = naive.NaiveSolver(*game, algorithm, alternate)
        oracle.parameters |= parameters
        oracle.parameters["beta"] = 0.0  # the oracle stops at 0 to a negative power; there is nothing to discount yet
        for _ in range(15):
            solver.run(1)
            oracle.iterate()
            oracle.parameters.update(parameters)
            assert_agree(solver, oracle)


@pytest.mark.parametrize("alternate", [True, False])
@pytest.mark.parametrize("game_seed", range(60, 64))
def test_restarts_from_the_average_follow_the_oracle(alternate: bool, game_seed: int) -> None:
    """At iterations where nothing is flushed; cut into pieces that end at a restart, before one and after one."""
    restarts = {"first_restart": 8.0, "second_restart": 21.0, "shrink": 0.5, "grow": 3.0, "blend": 0.4, "gamma": 2.0}
    game = naive.random_game(game_seed)
    solver = RoundSolver(RoundGame(*game), update_rule("rpcfr+", **restarts), alternate_updates=alternate)
    oracle = naive.NaiveSolver(*game, "rpcfr+", alternate)
    oracle.parameters |= restarts
    for pieces in (7, 1, 1, 11, 2, 13):
        solver.run(pieces)
        for _ in range(pieces):
            oracle.iterate()
        assert_agree(solver, oracle, 1e-10)


def test_restarts_do_not_depend_on_how_the_run_is_cut() -> None:
    states = []
    for pieces in ((50,), (7, 1, 13, 29), (8, 13, 29), (10, 11, 29)):
        solver = RoundSolver(
            RoundGame(*naive.random_game(61)), update_rule("rpcfr+", first_restart=8.0, second_restart=21.0)
        )
        for piece in pieces:
            solver.run(piece)
        states.append((solver.state(), solver.num_visits))
    for state, num_visits in states[1:]:
        assert_same_bits(state, states[0][0])
        assert num_visits == states[0][1]


@pytest.mark.parametrize(
    ("algorithm", "alternate", "epsilon"),
    [("cfr", False, 0.0), ("cfr+", True, 0.0), ("dcfr", True, 0.05), ("pdcfr+", True, 0.0)],
)
def test_the_round_follows_the_oracle(algorithm: str, alternate: bool, epsilon: float) -> None:
    """From the 21st iteration on, out of random regrets: from uniform play, outcomes that a player does not want tie.

    Among 43,227 strategies some follow from scores in which nearly everything cancels: hence their tolerance.
    """
    tree = game_tree()
    random = np.random.default_rng(11)
    regrets, sums = (random.uniform(0.0, size, (tree.num_nodes, 3)) for size in (1e-3, 1.0))
    regrets[0] = sums[0] = 0.0
    game = tic_tac_toe_round(tree, GENERIC_VALUES, with_bonus=epsilon > 0.0)
    solver = RoundSolver(
        game, update_rule(algorithm), alternate_updates=alternate, small_moves=SmallMoves(epsilon, 0.1)
    )
    oracle = naive.NaiveSolver(
        tree, naive.round_payoffs(GENERIC_VALUES), naive.uniform_prior(), algorithm, alternate,
        bonus=small_move_bonus(tree), epsilon=epsilon, epsilon_decay=0.1,
    )  # fmt: skip
    oracle.iteration, oracle.regrets, oracle.strategy_sums = 20, regrets, sums
    oracle.strategy = naive.average_strategy(tree, regrets)
    settled = np.zeros((2, tree.num_decision_nodes), np.int8)
    solver.set_state(RoundState(20, 0, regrets, sums, oracle.strategy, settled))
    assert_agree(solver, oracle)
    num_iterations = 3 if algorithm in ("dcfr", "pdcfr+") else 2
    for _ in range(num_iterations):
        oracle.iterate()
    solver.run(num_iterations)
    assert_agree(solver, oracle, strategy_tolerance=1e-9)
    assert np.count_nonzero(oracle.strategy == 0.0) > 1000


def test_the_first_iteration_of_the_round_follows_the_oracle() -> None:
    """Ties or not, what is learnt from uniform play agrees."""
    tree = game_tree()
    solver = single_round("cfr", GENERIC_VALUES, alternate_updates=False)
    oracle = naive.NaiveSolver(tree, naive.round_payoffs(GENERIC_VALUES), naive.uniform_prior(), "cfr", False)
    solver.run(1)
    oracle.iterate()
    np.testing.assert_allclose(solver.state().regrets, oracle.regrets, rtol=0, atol=1e-12)
    np.testing.assert_allclose(solver.state().strategy_sums, oracle.strategy_sums, rtol=0, atol=1e-12)


def test_simultaneous_updates_differ_from_alternating_ones() -> None:
    game = naive.without_ties(naive.kuhn_game())
    one, other = (solver_of(game, "cfr", alternate) for alternate in (True, False))
    for solver in (one, other):
        solver.run(1)
    first, second = one.state(), other.state()
    moves = [[1, 2, 5, 6], [3, 4, 7, 8]]
    # player 0 comes first and sees the same; player 1 does not
    np.testing.assert_allclose(first.regrets[moves[0]], second.regrets[moves[0]], rtol=0, atol=1e-15)
    assert np.abs(first.regrets[moves[1]] - second.regrets[moves[1]]).max() > 1e-2


# --- subtrees that are skipped -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("algorithm", "alternate"), ALL_RULES)
def test_skipping_subtrees_changes_nothing(algorithm: str, alternate: bool) -> None:
    iterations, num_pruned = 250, 0
    for seed in (0, 2, 5):
        game = naive.random_game(seed, max_depth=4, max_children=3)
        solver = solver_of(game, algorithm, alternate)
        oracle = naive.NaiveSolver(*game, algorithm, alternate)
        solver.run(iterations)
        for _ in range(iterations):
            oracle.iterate()
        state = solver.state()
        for name, actual, expected in (
            ("regrets", state.regrets, oracle.regrets),
            ("strategy sums", state.strategy_sums, oracle.strategy_sums),
        ):
            unit = max(1e-300, float(np.abs(expected).max()))
            np.testing.assert_allclose(actual / unit, expected / unit, rtol=0, atol=1e-9, err_msg=f"{name} {seed}")
        np.testing.assert_allclose(state.current_strategy, oracle.strategy, rtol=0, atol=1e-9)
        average = naive.average_strategy(game.tree, oracle.strategy_sums)
        np.testing.assert_allclose(solver.average_strategy(), average, rtol=0, atol=1e-9)
        full = 2 * iterations * game.tree.num_decision_nodes
        assert solver.num_visits <= full
        num_pruned += full - solver.num_visits
    assert num_pruned > 0


@pytest.mark.parametrize("algorithm", ["dcfr", "pdcfr+"])
def test_an_iteration_of_the_round_that_skips_subtrees_follows_the_oracle(algorithm: str) -> None:
    """From the 61st iteration on. Both players see the old strategies: a tie that rounding breaks stays where it is."""
    tree = game_tree()
    solver = single_round(algorithm, GENERIC_VALUES, alternate_updates=False)
    solver.run(60)
    state, visits = solver.state(), solver.num_visits
    oracle = naive.NaiveSolver(tree, naive.round_payoffs(GENERIC_VALUES), naive.uniform_prior(), algorithm, False)
    oracle.iteration, oracle.regrets, oracle.strategy_sums, oracle.strategy = state.iteration, *(
        array.copy() for array in (state.regrets, state.strategy_sums, state.current_strategy)
    )
    solver.run(1)
    oracle.iterate()
    assert solver.num_visits - visits < 0.9 * 2 * tree.num_decision_nodes
    after, unit = solver.state(), largest_sum(oracle.strategy_sums)
    np.testing.assert_allclose(after.regrets, oracle.regrets, rtol=0, atol=1e-12)
    np.testing.assert_allclose(after.strategy_sums / unit, oracle.strategy_sums / unit, rtol=0, atol=1e-12)
    # ties: moves of one node that are all worth the same, but for the 17th digit
    decided = np.zeros((tree.num_nodes, 3), bool)
    for node in tree.decision_nodes.tolist():
        children = list(tree.children(node))
        decided[children] = np.abs(oracle.regrets[children].max(axis=0)) > 1e-9
    assert decided.mean() > 0.5
    difference = np.abs(after.current_strategy - oracle.strategy)[decided]
    assert difference.max() < 1e-6


def test_most_of_the_round_is_skipped_near_the_equilibrium() -> None:
    solver = single_round("pdcfr+")
    solver.run(1)
    full = 2 * game_tree().num_decision_nodes
    assert solver.num_visits > full // 2
    solver.run(199)
    before = solver.num_visits
    solver.run(100)
    assert 0 < (solver.num_visits - before) / 100 < 0.8 * full


def test_what_waits_at_skipped_subtrees_arrives_in_the_sums() -> None:
    """Own reach flows through the whole tree, also where the opponent never goes: sums of children balance."""
    tree = game_tree()
    solver = single_round("dcfr", GENERIC_VALUES)
    solver.run(137)
    sums = solver.state().strategy_sums
    weight = float((np.arange(1.0, 138.0) ** 2).sum())
    mass = np.empty((2, tree.num_nodes, 3))  # own reach summed over the iterations, by player
    mass[:, 0] = weight
    for node in tree.decision_nodes.tolist():
        children = list(tree.children(node))
        mover = int(tree.owner[node])
        np.testing.assert_allclose(sums[children].sum(axis=0), mass[mover, node], rtol=1e-11, atol=1e-9)
        mass[mover, children] = sums[children]
        mass[1 - mover, children] = mass[1 - mover, node]


# --- Kuhn poker --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("algorithm", "alternate", "limit"),
    [
        ("cfr", True, 7.8e-3),
        ("cfr+", True, 1.1e-3),
        ("dcfr", True, 1.8e-3),
        ("pdcfr+", True, 1e-9),
        ("cfr", False, 5e-2),
        ("cfr+", False, 2e-2),
        ("dcfr", False, 4e-2),
        ("pdcfr+", False, 6e-3),
    ],
)
def test_kuhn_after_400_iterations(algorithm: str, alternate: bool, limit: float) -> None:
    """Limits are twice what the oracle reaches."""
    game = naive.kuhn_game()
    solver = solver_of(game, algorithm, alternate)
    before = 11 / 12
    for iterations in (20, 80, 300):
        solver.run(iterations)
        evaluation = solver.evaluate()
        assert -1e-12 < evaluation.average_exploitability < before
        before = evaluation.average_exploitability
    assert before < limit
    assert evaluation.value == pytest.approx(-1 / 18, abs=limit)
    average = solver.average_strategy()
    assert naive.exploitability(game.tree, average, game.payoffs, game.prior) == pytest.approx(before, abs=1e-14)
    current = naive.exploitability(game.tree, solver.current_strategy(), game.payoffs, game.prior)
    assert evaluation.current_exploitability == pytest.approx(current, abs=1e-14)
    assert solver.iteration == 400


def test_kuhn_before_the_first_iteration_is_uniform() -> None:
    game = naive.kuhn_game()
    solver = solver_of(game, "cfr")
    uniform = naive.uniform_strategy(game.tree)
    assert np.array_equal(solver.average_strategy(), uniform)
    assert np.array_equal(solver.current_strategy(), uniform)
    evaluation = solver.evaluate()
    assert evaluation.value == pytest.approx(1 / 8, abs=1e-15)
    assert evaluation.average_exploitability == pytest.approx(11 / 12, abs=1e-15)
    assert evaluation.current_exploitability == pytest.approx(11 / 12, abs=1e-15)


LIMITS: list[tuple[str, dict[str, float]]] = [
    ("dcfr", {"alpha": alpha, "beta": beta, "gamma": gamma})
    for alpha in (0.0, 20.0)
    for beta in (-20.0, 0.0, 20.0)
    for gamma in (0.0, 20.0)
] + [("pdcfr+", {"alpha": alpha, "gamma": gamma}) for alpha in (0.0, 20.0) for gamma in (0.0, 20.0)]


@pytest.mark.parametrize(("algorithm", "parameters"), LIMITS)
def test_extreme_parameters_stay_finite(algorithm: str, parameters: dict[str, float]) -> None:
    game = naive.kuhn_game()
    for alternate in (True, False):
        solver = RoundSolver(RoundGame(*game), update_rule(algorithm, **parameters), alternate_updates=alternate)
        for iterations in (1, 9, 490, 4500):
            solver.run(iterations)
            state = solver.state()
            for array in (state.regrets, state.strategy_sums, state.current_strategy, solver.average_strategy()):
                assert np.all(np.isfinite(array))
            for strategy in (state.current_strategy, solver.average_strategy()):
                exploitability(solver.game, strategy)  # refuses what is no strategy
            assert -1e-12 < solver.evaluate().average_exploitability < 2.0


def test_extreme_parameters_stay_finite_in_the_round() -> None:
    for parameters in ({"alpha": 0.0, "beta": -20.0, "gamma": 20.0}, {"alpha": 20.0, "beta": 20.0, "gamma": 20.0}):
        rule = update_rule("dcfr", **parameters)
        solver = RoundSolver(tic_tac_toe_round(game_tree(), SINGLE_ROUND), rule)
        solver.run(1000)
        state = solver.state()
        for array in (state.regrets, state.strategy_sums):
            assert np.all(np.isfinite(array))
        for strategy in (state.current_strategy, solver.average_strategy()):
            exploitability(solver.game, strategy)


# --- one round on its own ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", FULL_WIDTH_ALGORITHMS)
def test_every_algorithm_approaches_both_values(algorithm: str) -> None:
    """Kuhn poker's -1/18 and the single round's -1/9, with falling exploitability; sampling is in test_sampling.py."""
    games = (RoundGame(*naive.kuhn_game()), -1 / 18), (tic_tac_toe_round(game_tree(), SINGLE_ROUND), -1 / 9)
    for game, value in games:
        solver = RoundSolver(game, update_rule(algorithm))
        before = solver.evaluate().average_exploitability
        for end in (50, 500):
            solver.run(end - solver.iteration)
            evaluation = solver.evaluate()
            assert evaluation.average_exploitability < max(before / 2, 1e-12)
            before = evaluation.average_exploitability
        assert before < 0.02
        # A player who is exploitable by e gets at least the value less e, in either seat.
        assert abs(evaluation.value - value) <= before + 1e-12


@pytest.mark.parametrize(("algorithm", "iterations"), [("pdcfr+", 500), ("dcfr", 2500)])
def test_a_single_round_is_worth_minus_one_ninth(algorithm: str, iterations: int) -> None:
    solver = single_round(algorithm)
    solver.run(iterations)
    evaluation = solver.evaluate()
    assert evaluation.average_exploitability < 1e-6
    assert evaluation.value == pytest.approx(-1 / 9, abs=1e-6)
    checked = exploitability(solver.game, solver.average_strategy())
    assert checked.total == pytest.approx(evaluation.average_exploitability, abs=1e-13)
    assert checked.value == pytest.approx(evaluation.value, abs=1e-13)
    # a check by other code than the kernels'
    payoffs = naive.round_payoffs(SINGLE_ROUND)
    nash_conv = naive.exploitability(game_tree(), solver.average_strategy(), payoffs, naive.uniform_prior())
    assert -1e-12 < nash_conv < 1e-6


# --- stopping and going on ---------------------------------------------------------------------------------------


def continued(algorithm: str, **options: Any) -> tuple[RoundSolver, RoundSolver]:
    """A solver after 50 iterations, and a fresh one for the same round."""
    one, other = (single_round(algorithm, GENERIC_VALUES, **options) for _ in range(2))
    one.run(50)
    return one, other


@pytest.mark.parametrize(("algorithm", "alternate"), ALL_RULES)
def test_50_and_50_iterations_are_100_bit_for_bit(algorithm: str, alternate: bool) -> None:
    first, second = continued(algorithm, alternate_updates=alternate)
    second.set_state(first.state())
    assert_same_bits(first.state(), second.state())
    second.run(50)
    whole = single_round(algorithm, GENERIC_VALUES, alternate_updates=alternate)
    whole.run(100)
    assert_same_bits(second.state(), whole.state())
    assert second.average_strategy().tobytes() == whole.average_strategy().tobytes()
    first.run(50)  # the copy has taken nothing from the original
    assert_same_bits(first.state(), whole.state())


@pytest.mark.parametrize("algorithm", FULL_WIDTH_ALGORITHMS)
def test_50_and_50_iterations_are_100_through_a_file(algorithm: str, tmp_path: Path) -> None:
    first, second = continued(algorithm)
    state, tree = first.state(), game_tree()
    Snapshot(
        score=None, winning_score=None, iteration=state.iteration, started_at=state.started_at,
        outcome_values=GENERIC_VALUES, options={}, end_rule=tree.end_rule, tree_fingerprint=tree.fingerprint,
        regrets=state.regrets, strategy_sums=state.strategy_sums, current_strategy=state.current_strategy,
        settled=state.settled, exploitability=0.5, value=0.25, convergence=np.zeros((0, 4)),
    ).save(tmp_path / "snapshot_000050.msgpack")  # fmt: skip
    loaded = Snapshot.load(tmp_path / "snapshot_000050.msgpack", tree)
    second.set_state(
        RoundState(
            loaded.iteration, loaded.started_at, loaded.regrets, loaded.strategy_sums, loaded.current_strategy,
            loaded.settled,
        )
    )  # fmt: skip
    assert np.abs(loaded.average_strategy(tree) - first.average_strategy()).max() < 1e-15
    second.run(50)
    whole = single_round(algorithm, GENERIC_VALUES)
    whole.run(100)
    assert_same_bits(second.state(), whole.state())


@pytest.mark.parametrize("algorithm", FULL_WIDTH_ALGORITHMS)
def test_the_same_run_gives_the_same_bits(algorithm: str) -> None:
    solvers = [single_round(algorithm, GENERIC_VALUES) for _ in range(2)]
    for solver in solvers:
        solver.run(37)
    assert_same_bits(solvers[0].state(), solvers[1].state())


@pytest.mark.parametrize(("algorithm", "alternate"), ALL_RULES)
def test_odd_pieces_agree_to_rounding(algorithm: str, alternate: bool) -> None:
    for seed in range(60, 66):
        game = naive.random_game(seed)
        whole, pieces = (solver_of(game, algorithm, alternate) for _ in range(2))
        whole.run(40)
        for count in (7, 3, 0, 1, 13, 9, 5, 2):
            pieces.run(count)
        one, other = whole.state(), pieces.state()
        assert one.iteration == other.iteration == 40
        unit = largest_sum(one.strategy_sums)
        np.testing.assert_allclose(one.regrets, other.regrets, rtol=0, atol=1e-12)
        np.testing.assert_allclose(one.strategy_sums / unit, other.strategy_sums / unit, rtol=0, atol=1e-12)
        np.testing.assert_allclose(one.current_strategy, other.current_strategy, rtol=0, atol=1e-12)


@pytest.mark.parametrize("algorithm", FULL_WIDTH_ALGORITHMS)
def test_a_restarted_solver_is_a_fresh_one_that_goes_on_counting(algorithm: str) -> None:
    used, fresh = continued(algorithm)
    used.restart()
    assert (used.iteration, used.started_at) == (50, 50)
    assert np.array_equal(used.current_strategy(), fresh.current_strategy())
    assert np.array_equal(used.average_strategy(), fresh.average_strategy())
    for solver in (used, fresh):
        solver.run(30)
    state, expected = used.state(), fresh.state()
    assert (state.iteration, state.started_at) == (80, 50)
    for name in ("regrets", "strategy_sums", "current_strategy", "settled"):
        assert getattr(state, name).tobytes() == getattr(expected, name).tobytes(), name


def test_a_restarted_solver_continues_from_a_state() -> None:
    used, other = continued("dcfr")
    used.restart()
    used.run(10)
    other.set_state(used.state())
    for solver in (used, other):
        solver.run(40)
    assert_same_bits(used.state(), other.state())


def test_the_state_is_a_copy() -> None:
    solver = solver_of(naive.kuhn_game(), "dcfr")
    solver.run(3)
    state = solver.state()
    arrays: list[Any] = [state.regrets, state.strategy_sums, state.current_strategy, state.settled]
    kept = [array.tobytes() for array in arrays]
    solver.run(3)
    assert [array.tobytes() for array in arrays] == kept
    assert not np.array_equal(state.regrets, solver.state().regrets)


def test_a_state_of_another_tree_is_refused() -> None:
    state = solver_of(naive.random_game(1), "dcfr").state()
    with pytest.raises(ValueError, match=r"regrets: shape .* expected \(9, 3\)"):
        solver_of(naive.kuhn_game(), "dcfr").set_state(state)


def test_payoffs_may_be_exchanged_between_runs() -> None:
    for seed in range(80, 85):
        game = naive.random_game(seed)
        solver, oracle = solver_of(game, "dcfr"), naive.NaiveSolver(*game, "dcfr")
        for size in (0.0, 0.5):
            other = naive.without_ties(game, seed, size)
            solver.game, oracle.payoffs = RoundGame(*other), other.payoffs
            solver.run(5)
            for _ in range(5):
                oracle.iterate()
            assert_agree(solver, oracle)


# --- the game ----------------------------------------------------------------------------------------------------


def test_the_payoffs_of_the_round() -> None:
    game = tic_tac_toe_round(game_tree(), GENERIC_VALUES)
    assert np.array_equal(game.payoffs, naive.round_payoffs(GENERIC_VALUES))
    np.testing.assert_allclose(game.prior, naive.uniform_prior(), rtol=1e-15)
    assert game.bonus is None


@pytest.mark.parametrize("position", range(4))
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_round_with_outcome_values_that_are_not_finite_is_refused(position: int, bad: float) -> None:
    numbers = [0.0, 1.0, -1.0, 0.0]
    numbers[position] = bad
    with pytest.raises(ValueError, match="finite"):
        tic_tac_toe_round(game_tree(), OutcomeValues(*numbers))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("payoffs", np.zeros((3, 3, 3))),  # Kuhn's leaves have four classes
        ("payoffs", np.zeros((4, 3, 2))),
        ("payoffs", np.full((4, 3, 3), np.nan)),
        ("prior", np.full((3, 3), 1.0)),
        ("prior", np.full((2, 2), 0.25)),
        ("prior", np.diag([2.0, -1.0, 0.0])),
        ("prior", np.full((3, 3), np.nan)),
        ("bonus", np.zeros(8)),
        ("bonus", np.full(9, np.nan)),
        ("bonus", np.full(9, np.inf)),
    ],
)
def test_a_game_that_is_none_is_refused(name: str, value: naive.Floats) -> None:
    arrays: dict[str, Any] = {**naive.kuhn_game()._asdict(), name: value}
    with pytest.raises(ValueError, match=rf"^{name}: "):
        RoundGame(**arrays)


def test_more_payoffs_than_the_kernels_have_room_for_do_not_reach_them() -> None:
    """Kernels do not check an index: a row per class must exist in front of the rows of the decision nodes."""
    game = naive.kuhn_game()
    payoffs = np.concatenate([game.payoffs, np.zeros((MAXIMUM_LEAF_CLASSES, 3, 3))])
    try:
        arrays = RoundGame(game.tree, payoffs, game.prior).arrays
    except ValueError as error:
        assert "payoffs" in str(error)  # noqa: PT017 - either answer will do
    else:
        assert arrays.payoffs.shape[1] <= MAXIMUM_LEAF_CLASSES


# --- small-move bonus --------------------------------------------------------------------------------------------


def own_moves(history: tuple[int, ...], player: int) -> tuple[int, ...]:
    return history[player::2]


@cache
def leaf_histories() -> list[tuple[int, tuple[int, ...]]]:
    tree = game_tree()
    return [(node, tree.history(node)) for node in np.flatnonzero(tree.leaf_class >= 0).tolist()]


def test_the_bonus_stays_within_one() -> None:
    bonus = small_move_bonus(game_tree())
    assert bonus.shape == (game_tree().num_nodes,)
    assert bonus[0] == 0.0
    assert 0.5 < np.abs(bonus).max() <= 1.0
    game = tic_tac_toe_round(game_tree(), SINGLE_ROUND, with_bonus=True)
    assert game.bonus is not None
    assert np.array_equal(game.bonus, bonus)


def test_an_earlier_smaller_move_outweighs_all_later_ones() -> None:
    """Of histories in which the opponent moves alike, the lexicographically smaller own moves are worth more."""
    bonus = small_move_bonus(game_tree())
    for player, sign in ((0, 1.0), (1, -1.0)):
        groups: dict[tuple[int, ...], list[tuple[tuple[int, ...], float]]] = {}
        for node, history in leaf_histories():
            opponents = own_moves(history, 1 - player)
            groups.setdefault(opponents, []).append((own_moves(history, player), sign * float(bonus[node])))
        compared = 0
        for group in groups.values():
            group.sort()
            for (moves, worth), (next_moves, next_worth) in pairwise(group):
                if moves != next_moves[: len(moves)]:  # one that goes on longer is no rival
                    assert worth > next_worth + 1e-12, (moves, next_moves)
                    compared += 1
        assert compared > 1000


def test_the_bonus_is_the_first_movers_less_the_second_movers() -> None:
    tree, bonus = game_tree(), small_move_bonus(game_tree())
    by_moves: list[dict[tuple[int, ...], float]] = [{}, {}]
    for moves in {own_moves(history, player) for _, history in leaf_histories() for player in (0, 1)}:
        for player in (0, 1):
            by_moves[player][moves] = sum((9 - square) / 9 ** (k + 1) for k, square in enumerate(moves))
    for node, history in leaf_histories():
        expected = by_moves[0][own_moves(history, 0)] - by_moves[1][own_moves(history, 1)]
        assert bonus[node] == pytest.approx(expected, abs=1e-15)
    assert tree.history(1) == (1,)
    assert bonus[1] == pytest.approx(8 / 9, abs=1e-15)


def expected_first_square(strategy: naive.Floats) -> float:
    tree = game_tree()
    moves = list(tree.children(0))
    return float((strategy[moves].mean(axis=1) * tree.square[moves]).sum())


def bonus_solver(epsilon: float, decay: float = 0.0, values: OutcomeValues = SINGLE_ROUND) -> RoundSolver:
    game = tic_tac_toe_round(game_tree(), values, with_bonus=epsilon > 0.0)
    return RoundSolver(game, update_rule("pdcfr+"), small_moves=SmallMoves(epsilon, decay))


def test_the_bonus_decides_where_all_moves_are_worth_the_same() -> None:
    nothing_at_stake = OutcomeValues(0.0, 0.0, 0.0, 0.0)
    without, with_bonus = bonus_solver(0.0, values=nothing_at_stake), bonus_solver(0.01, values=nothing_at_stake)
    for solver in (without, with_bonus):
        solver.run(100)
    assert expected_first_square(without.average_strategy()) == pytest.approx(8 / 3, abs=1e-9)  # of 1, 2 and 5
    assert expected_first_square(with_bonus.average_strategy()) == pytest.approx(1.0, abs=1e-3)
    lowest = [game_tree().children(0)[0], game_tree().children(1)[0]]
    assert np.all(with_bonus.average_strategy()[lowest] > 0.999)


def test_the_bonus_moves_the_round_towards_lower_squares_and_costs_no_more_than_its_bound() -> None:
    epsilon = 0.01
    without, with_bonus = bonus_solver(0.0), bonus_solver(epsilon)
    for solver in (without, with_bonus):
        solver.run(400)
    average = with_bonus.average_strategy()
    assert expected_first_square(average) < expected_first_square(without.average_strategy()) - 0.01
    cost = exploitability(without.game, average).total
    # NashConv in the game with the bonus: every leaf in a class of its own
    assert with_bonus.game.bonus is not None
    assert cost <= 2.0 * epsilon + bonus_exploitability(with_bonus.game, average, epsilon)
    assert bonus_exploitability(with_bonus.game, average, epsilon) < 1e-3
    assert with_bonus.evaluate().average_exploitability == pytest.approx(cost, abs=1e-13)  # the bonus is left out
    assert cost > 1e-5  # it is not free, either


def bonus_exploitability(game: RoundGame, strategy: naive.Floats, epsilon: float) -> float:
    """NashConv where every leaf pays its bonus, too, level by level from the last moves up."""
    tree = game.tree
    assert game.bonus is not None
    depth = np.zeros(tree.num_nodes, int)
    for node in range(1, tree.num_nodes):
        depth[node] = depth[tree.parent[node]] + 1
    total = 0.0
    for player in (0, 1):
        reach = np.ones((tree.num_nodes, 3))
        for level in range(1, int(depth.max()) + 1):
            nodes = np.flatnonzero(depth == level)
            moved = (tree.owner[tree.parent[nodes]] != player)[:, None]
            reach[nodes] = reach[tree.parent[nodes]] * np.where(moved, strategy[nodes], 1.0)
        payoffs = game.payoffs[tree.leaf_class] + epsilon * game.bonus[:, None, None]
        weighted = payoffs * game.prior if player == 0 else -(payoffs * game.prior).transpose(0, 2, 1)
        values = np.einsum("ngh,nh->ng", weighted, reach)
        is_decision = tree.leaf_class < 0
        values[is_decision] = np.where(tree.owner[is_decision] == player, -np.inf, 0.0)[:, None]
        for level in range(int(depth.max()), 0, -1):
            nodes = np.flatnonzero(depth == level)
            own = tree.owner[tree.parent[nodes]] == player
            np.maximum.at(values, tree.parent[nodes[own]], values[nodes[own]])
            np.add.at(values, tree.parent[nodes[~own]], values[nodes[~own]])
        total += float(values[0].sum())
    return total


def test_a_bonus_that_decays_costs_less_and_less() -> None:
    lasting, decaying = bonus_solver(0.05), bonus_solver(0.05, decay=0.05)
    costs = []
    for iterations in (300, 500):
        for solver in (lasting, decaying):
            solver.run(iterations)
            costs.append(solver.evaluate().average_exploitability)
    assert costs[2] > 1e-3
    assert costs[3] < 0.8 * costs[1]
    assert costs[3] < 0.05 * costs[2]


def test_the_coefficients_of_a_rule_know_nothing_of_the_bonus() -> None:
    """Without a bonus in the game the small moves change nothing; the rule is shared and stays as it is."""
    rule: UpdateRule = update_rule("dcfr")
    plain = RoundSolver(RoundGame(*naive.kuhn_game()), rule)
    shared = RoundSolver(RoundGame(*naive.kuhn_game()), rule, small_moves=SmallMoves(0.5))
    for solver in (plain, shared):
        solver.run(20)
    assert_same_bits(plain.state(), shared.state())


@pytest.mark.parametrize("algorithm", ["dcfr", "rpcfr+"])
def test_pieces_after_a_change_between_two_flushes_do_not_matter(algorithm: str) -> None:
    """The game is exchanged at iteration 7, as with --check-exploitability-every 7; then a run goes on in pieces."""
    parameters = {"first_restart": 12.0, "second_restart": 25.0} if algorithm == "rpcfr+" else {}
    states = []
    for pieces in ((24,), (1, 23), (2, 1, 2, 19), (5, 10, 9)):
        solver = RoundSolver(RoundGame(*naive.random_game(61)), update_rule(algorithm, **parameters))
        solver.run(7, then_changes=True)
        solver.game = RoundGame(*naive.random_game(61))
        for piece in pieces:
            solver.run(piece)
            resumed = RoundSolver(solver.game, solver.rule)
            resumed.set_state(solver.resumable_state())
            resumed.run(solver.iteration - resumed.iteration)
            assert_same_bits(resumed.state(), solver.state())
        states.append(solver.state())
    for state in states[1:]:
        assert_same_bits(state, states[0])
