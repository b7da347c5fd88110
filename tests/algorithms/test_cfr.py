"""The solver of one round against the plain recursion of naive.py, and what it must reach in games that are known."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.agreement import assert_agree, assert_agree_on_small_games, follow, largest_sum
from oracle.lifting import GENERIC_VALUES, LevelEvaluator, game_tree, naive_round

from tictactoe.algorithms.arrays import MAXIMUM_LEAF_CLASSES
from tictactoe.algorithms.best_response import exploitability
from tictactoe.algorithms.cfr.solver import CFRSolver, CFRState
from tictactoe.algorithms.cfr.update_rules import FULL_WIDTH_ALGORITHMS, UpdateRule, update_rule
from tictactoe.algorithms.game import BonusSchedule, Game
from tictactoe.games.goals import SINGLE_ROUND, OutcomeValues
from tictactoe.games.tic_tac_toe import small_move_bonus, tic_tac_toe_round
from tictactoe.storage.snapshot import Snapshot


def rule_of(algorithm: str, *values: float) -> UpdateRule:
    """The rule with these values of its parameters, in their order."""
    return update_rule(algorithm, **dict(zip(update_rule(algorithm).parameters, values, strict=False)))


def solver_of(game: naive.NaiveGame, rule: str | UpdateRule, alternate: bool = True, **options: Any) -> CFRSolver:
    rule = update_rule(rule) if isinstance(rule, str) else rule
    return CFRSolver(Game(*game), rule, alternate_updates=alternate, **options)


def single_round(rule: str | UpdateRule, values: OutcomeValues = SINGLE_ROUND, alternate: bool = True) -> CFRSolver:
    return solver_of(naive_round(values), rule, alternate)


def assert_same_bits(one: CFRState, other: CFRState) -> None:
    assert (one.iteration, one.started_at) == (other.iteration, other.started_at)
    names = ["regrets", "strategy_sums", "current_strategy", "skippable"]
    assert (one.recent_sums is None) == (other.recent_sums is None)
    for name in names if one.recent_sums is None else [*names, "recent_sums"]:
        first, second = getattr(one, name), getattr(other, name)
        assert first.dtype == second.dtype
        assert first.tobytes() == second.tobytes(), name


# --- the first iterations against the oracle ---------------------------------------------------------------------

ALL_RULES = [(algorithm, alternate) for algorithm in FULL_WIDTH_ALGORITHMS for alternate in (True, False)]


@pytest.mark.parametrize("algorithm", FULL_WIDTH_ALGORITHMS)
def test_kuhn_and_random_games_follow_the_oracle(algorithm: str) -> None:
    assert_agree_on_small_games(update_rule(algorithm), algorithm)


@pytest.mark.parametrize(("algorithm", "alternate"), ALL_RULES)
@pytest.mark.parametrize("decay", [0.0, 0.05, 1.0])
def test_small_move_bonus_follows_the_oracle(algorithm: str, alternate: bool, decay: float) -> None:
    for seed in range(20, 23):
        game = small_games.random_game(seed)
        bonus = np.random.default_rng(seed).uniform(-1.0, 1.0, game.tree.num_nodes)
        rule, schedule = rule_of(algorithm), BonusSchedule(0.3, decay)
        solver = CFRSolver(Game(*game, bonus), rule, alternate_updates=alternate, bonus_schedule=schedule)
        oracle = naive.NaiveSolver(*game, algorithm, alternate, bonus=bonus, epsilon=0.3, epsilon_decay=decay)
        follow(solver, oracle, (1, 1, 1, 8, 4))


@pytest.mark.parametrize("alternate", [True, False])
@pytest.mark.parametrize(
    "rule",
    [
        *(rule_of("dcfr", *values) for values in ((0.0, 0.7, 0.0), (3.0, -2.0, 1.0), (20.0, -20.0, 20.0))),
        *(rule_of("pdcfr+", *values) for values in ((0.0, 0.0), (1.0, 3.0))),
    ],
)
def test_other_parameters_follow_the_oracle(rule: UpdateRule, alternate: bool) -> None:
    for seed in range(40, 46):
        game = small_games.random_game(seed)
        oracle = naive.NaiveSolver(*game, rule.algorithm, alternate, **rule.parameters)
        follow(solver_of(game, rule, alternate), oracle, (1, 1, 1, 4, 8))


@pytest.mark.parametrize("alternate", [True, False])
@pytest.mark.parametrize("game_seed", range(60, 64))
@pytest.mark.parametrize(
    "rule", [rule_of("rpcfr+", 2.0, 8.0, 21.0, 0.5, 3.0, 0.4), rule_of("rdcfr", 1.5, 0.0, 3.0, 8.0)]
)
def test_restarts_from_the_average_follow_the_oracle(rule: UpdateRule, alternate: bool, game_seed: int) -> None:
    """At iterations where nothing is flushed; cut into pieces that end at a restart, before one and after one."""
    game = small_games.random_game(game_seed)
    oracle = naive.NaiveSolver(*game, rule.algorithm, alternate, **rule.parameters)
    follow(solver_of(game, rule, alternate), oracle, (7, 1, 1, 11, 2, 13), 1e-10)


@pytest.mark.parametrize("alternate", [True, False])
def test_a_warm_start_follows_the_oracle(alternate: bool) -> None:
    """It is a restart after as many iterations as the rule's first: uniform where the average never came."""
    rule = rule_of("rdcfr", 1.5, 0.0, 2.0, 20.0)
    for seed in range(60, 66):
        game = small_games.random_game(seed)
        learnt, solver = (
            solver_of(each, rule, alternate) for each in (small_games.without_ties(game, seed, 0.3), game)
        )
        learnt.run(120)
        state = learnt.state()
        never = np.random.default_rng(seed).random((game.tree.num_nodes, 3))[game.tree.parent] < 0.3
        state = replace(state, strategy_sums=np.where(never, 0.0, state.strategy_sums))
        solver.start_warm(state)
        average = naive.average_strategy(game.tree, state.strategy_sums)
        np.testing.assert_allclose(solver.average_strategy(), average, rtol=0, atol=1e-15)
        oracle = naive.NaiveSolver(*game, "rdcfr", alternate, **rule.parameters)
        oracle.iteration, oracle.strategy_sums = 20, state.strategy_sums.copy()
        oracle.strategy = average
        for node in game.tree.decision_nodes.tolist():
            children = list(game.tree.children(node))
            size = np.maximum(state.regrets[children], 0.0).sum(axis=0)
            oracle.regrets[children] = size * oracle.strategy[children]
        for piece in (3, 7, 12, 30):  # the next restarts come after 20 and 60 iterations
            solver.run(piece)
            for _ in range(piece):
                oracle.iterate()
            assert_agree(solver, oracle, 1e-10)
        assert (solver.iteration, solver.state().started_at) == (52, -20)


def test_only_rules_with_restarts_start_warm_and_states_are_of_their_rule() -> None:
    game = small_games.random_game(60)
    restarting, other = solver_of(game, "rdcfr"), solver_of(game, "dcfr")
    with pytest.raises(ValueError, match=r"^state: dcfr always starts cold"):
        other.start_warm(restarting.state())
    with pytest.raises(ValueError, match=r"^recent_sums: dcfr has none"):
        other.set_state(restarting.state())
    with pytest.raises(ValueError, match=r"^recent_sums: missing"):
        restarting.set_state(other.state())
    restarting.start_warm(other.state())  # its averages are enough


@pytest.mark.parametrize(
    ("algorithm", "alternate", "epsilon"),
    [
        ("cfr", False, 0.0),
        ("dcfr", True, 0.05),
        ("pdcfr+", True, 0.0),
        pytest.param("cfr+", True, 0.0, marks=pytest.mark.slow),
    ],
)
def test_the_round_follows_the_oracle(algorithm: str, alternate: bool, epsilon: float) -> None:
    """From the 21st iteration on, out of random regrets: from uniform play, outcomes that a player does not want tie.

    Among 43,227 strategies some follow from scores in which nearly everything cancels: hence their tolerance.
    """
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


def test_the_first_iteration_of_the_round_follows_the_oracle() -> None:
    """Ties or not, what is learnt from uniform play agrees."""
    solver = single_round("cfr", GENERIC_VALUES, alternate=False)
    oracle = naive.NaiveSolver(*naive_round(), "cfr", False)
    solver.run(1)
    oracle.iterate()
    np.testing.assert_allclose(solver.state().regrets, oracle.regrets, rtol=0, atol=1e-12)
    np.testing.assert_allclose(solver.state().strategy_sums, oracle.strategy_sums, rtol=0, atol=1e-12)


# --- subtrees that are skipped -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("algorithm", "alternate"), ALL_RULES)
def test_skipping_subtrees_changes_nothing(algorithm: str, alternate: bool) -> None:
    iterations, num_pruned = 150, 0
    for seed in (0, 2, 5):
        game = small_games.random_game(seed, max_depth=4, max_children=3)
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


@pytest.mark.parametrize("algorithm", ["pdcfr+", pytest.param("dcfr", marks=pytest.mark.slow)])
def test_an_iteration_of_the_round_that_skips_subtrees_follows_the_oracle(algorithm: str) -> None:
    """From the 61st iteration on. Both players see the old strategies: a tie that rounding breaks stays where it is."""
    tree = game_tree()
    solver = single_round(algorithm, GENERIC_VALUES, alternate=False)
    solver.run(60)
    state, visits = solver.state(), solver.num_visits
    oracle = naive.NaiveSolver(*naive_round(), algorithm, False)
    oracle.iteration, oracle.regrets, oracle.strategy_sums = 60, state.regrets, state.strategy_sums
    oracle.strategy = state.current_strategy
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
    of_children = []
    mass[:, 0] = weight
    for node in tree.decision_nodes.tolist():
        children = list(tree.children(node))
        mover = int(tree.owner[node])
        of_children.append((sums[children].sum(axis=0), mass[mover, node].copy()))
        mass[mover, children] = sums[children]
        mass[1 - mover, children] = mass[1 - mover, node]
    np.testing.assert_allclose(*zip(*of_children, strict=True), rtol=1e-11, atol=1e-9)


# --- parameters at their limits ----------------------------------------------------------------------------------


LARGEST = [rule_of("dcfr", *values) for values in product((0.0, 20.0), (-20.0, 0.0, 20.0), (0.0, 20.0))]
LARGEST += [rule_of("pdcfr+", *values) for values in product((0.0, 20.0), repeat=2)]


def run_and_stay_finite(solver: CFRSolver, iterations: int) -> None:
    solver.run(iterations)
    state = solver.state()
    assert np.all(np.isfinite([state.regrets, state.strategy_sums]))
    for strategy in (state.current_strategy, solver.average_strategy()):
        exploitability(solver.game, strategy)  # refuses what is no strategy


@pytest.mark.parametrize("rule", LARGEST)
def test_extreme_parameters_stay_finite(rule: UpdateRule) -> None:
    for alternate in (True, False):
        solver = solver_of(small_games.kuhn_game(), rule, alternate)
        for iterations in (1, 9, 490, 4500):
            run_and_stay_finite(solver, iterations)
            assert -1e-12 < solver.evaluate().average_exploitability < 2.0


def test_extreme_parameters_stay_finite_in_the_round() -> None:
    for values in ((0.0, -20.0, 20.0), (20.0, 20.0, 20.0)):
        run_and_stay_finite(single_round(rule_of("dcfr", *values)), 1000)


# --- one round on its own ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", FULL_WIDTH_ALGORITHMS)
def test_every_algorithm_approaches_the_value_of_a_single_round(algorithm: str) -> None:
    """-1/9, with falling exploitability; sampling is in test_sampling.py, Kuhn poker in test_kuhn.py."""
    solver = single_round(algorithm)
    before = solver.evaluate().average_exploitability
    for end in (50, 500):
        solver.run(end - solver.iteration)
        evaluation = solver.evaluate()
        assert evaluation.average_exploitability < before / 2
        before = evaluation.average_exploitability
    assert before < 0.02
    # A player who is exploitable by e gets at least the value less e, in either seat.
    assert abs(evaluation.value + 1 / 9) <= before + 1e-12


@pytest.mark.parametrize(("algorithm", "iterations"), [("pdcfr+", 500), ("dcfr", 2500)])
def test_a_single_round_is_worth_minus_one_ninth(algorithm: str, iterations: int) -> None:
    solver = single_round(algorithm)
    solver.run(iterations)
    evaluation = solver.evaluate()
    assert evaluation.average_exploitability < 1e-6
    assert evaluation.value == pytest.approx(-1 / 9, abs=1e-6)
    # a check by other code than the kernels'
    levels, arguments = LevelEvaluator(game_tree()), (solver.average_strategy(), *naive_round(SINGLE_ROUND)[1:])
    nash_conv = sum(levels.best_response_value(*arguments, player) for player in (0, 1))
    assert nash_conv == pytest.approx(evaluation.average_exploitability, abs=1e-13)
    assert levels.expected_value(*arguments) == pytest.approx(evaluation.value, abs=1e-13)


# --- stopping and going on ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("algorithm", "alternate"),
    [  # by default each algorithm once: who is updated when is not kept in a file
        pytest.param(*each, marks=[] if each[1] == (index // 2 % 2 == 0) else pytest.mark.slow)
        for index, each in enumerate(ALL_RULES)
    ],
)
def test_30_and_30_iterations_are_60_bit_for_bit(algorithm: str, alternate: bool, tmp_path: Path) -> None:
    """In the same solver, in another one, and in one that goes on from a file."""
    whole, first, second, third = (single_round(algorithm, GENERIC_VALUES, alternate) for _ in range(4))
    first.run(30)
    tree, path = game_tree(), tmp_path / "snapshot_000030.msgpack"
    Snapshot(
        **vars(first.state()),
        score=None,
        winning_score=None,
        outcome_values=GENERIC_VALUES,
        options={},
        rules=str(tree.rules),
        tree_fingerprint=tree.fingerprint,
        exploitability=0.5,
        value=0.25,
        convergence=np.zeros((0, 4)),
    ).save(path)
    loaded = Snapshot.load(path, tree)
    assert np.abs(loaded.average_strategy(tree) - first.average_strategy()).max() < 1e-15
    second.set_state(first.state())
    third.set_state(loaded)
    whole.run(60)
    for solver in (third, second, first):  # the first last: the copy has taken nothing from the original
        assert solver.iteration == 30
        solver.run(30)
        assert_same_bits(solver.state(), whole.state())
        assert solver.average_strategy().tobytes() == whole.average_strategy().tobytes()


@pytest.mark.parametrize(("algorithm", "alternate"), ALL_RULES)
def test_odd_pieces_give_the_same_bits(algorithm: str, alternate: bool) -> None:
    for seed in range(60, 66):
        whole, pieces = (solver_of(small_games.random_game(seed), algorithm, alternate) for _ in range(2))
        whole.run(40)
        for count in (7, 3, 0, 1, 13, 9, 5, 2):
            pieces.run(count)
        assert_same_bits(pieces.state(), whole.state())
        assert pieces.num_visits == whole.num_visits


@pytest.mark.parametrize("algorithm", FULL_WIDTH_ALGORITHMS)
def test_a_restarted_solver_is_a_fresh_one_that_goes_on_counting(algorithm: str) -> None:
    """And another solver can go on from its state."""
    used, fresh, other = (single_round(algorithm, GENERIC_VALUES) for _ in range(3))
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


def test_the_state_is_a_copy() -> None:
    solver = solver_of(small_games.kuhn_game(), "dcfr")
    solver.run(3)
    state = solver.state()
    kept = deepcopy(state)
    solver.run(3)
    assert_same_bits(state, kept)
    assert not np.array_equal(state.regrets, solver.state().regrets)


def test_a_state_is_evaluated_for_what_it_is() -> None:
    """Between two flushes the state to go on from is an earlier one, with an exploitability of its own."""
    solver = single_round("dcfr", GENERIC_VALUES)
    solver.run(20)
    at_flush = solver.evaluate()
    solver.run(7)
    found, now = solver.evaluate(state=solver.resumable_state()), solver.evaluate()
    for name in ("value", "average_exploitability", "current_exploitability"):
        assert getattr(found, name) == getattr(at_flush, name) != getattr(now, name)
    assert now.average_exploitability == solver.evaluate(state=solver.state()).average_exploitability
    other = solver_of(small_games.kuhn_game(), "dcfr").state()
    for refused in (lambda: solver.evaluate(state=other), lambda: solver.set_state(other)):
        with pytest.raises(ValueError, match=r"^regrets: shape \(9, 3\), expected \(37538, 3\)"):
            refused()


def test_payoffs_may_be_exchanged_between_runs() -> None:
    for seed in range(80, 85):
        game = small_games.random_game(seed)
        solver, oracle = solver_of(game, "dcfr"), naive.NaiveSolver(*game, "dcfr")
        for size in (0.0, 0.5):
            other = small_games.without_ties(game, seed, size)
            solver.game, oracle.payoffs = Game(*other), other.payoffs
            follow(solver, oracle, (5,))


# --- the game ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("payoffs", np.zeros((3, 3, 3))),  # Kuhn's leaves have four classes
        ("payoffs", np.zeros((4, 3, 2))),
        ("payoffs", np.full((4, 3, 3), np.nan)),
        ("payoffs", np.zeros((MAXIMUM_LEAF_CLASSES + 1, 3, 3))),  # kernels do not check the index
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
    arrays: dict[str, Any] = {**small_games.kuhn_game()._asdict(), name: value}
    with pytest.raises(ValueError, match=rf"^{name}: "):
        Game(**arrays)


# --- small-move bonus --------------------------------------------------------------------------------------------


def expected_first_square(strategy: naive.Floats) -> float:
    tree = game_tree()
    moves = list(tree.children(0))
    return float((strategy[moves].mean(axis=1) * tree.square[moves]).sum())


def bonus_solver(epsilon: float, decay: float = 0.0, values: OutcomeValues = SINGLE_ROUND) -> CFRSolver:
    game = tic_tac_toe_round(game_tree(), values, with_bonus=epsilon > 0.0)
    return CFRSolver(game, update_rule("pdcfr+"), bonus_schedule=BonusSchedule(epsilon, decay))


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
    # NashConv in the game with the bonus
    levels, _, payoffs, prior = LevelEvaluator(game_tree()), *naive_round(SINGLE_ROUND)
    reaches, paid = [levels.reach(average, seat) for seat in (1, 0)], epsilon * small_move_bonus(game_tree())
    with_it = sum(levels.best_value_at(reach, payoffs, prior, seat, paid) for seat, reach in enumerate(reaches))
    assert cost <= 2.0 * epsilon + with_it
    assert with_it < 1e-3
    assert with_bonus.evaluate().average_exploitability == pytest.approx(cost, abs=1e-13)  # the bonus is left out
    assert cost > 1e-5  # it is not free, either


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
    rule = update_rule("dcfr")
    plain, shared = (
        solver_of(small_games.kuhn_game(), rule, bonus_schedule=BonusSchedule(size)) for size in (0.0, 0.5)
    )
    for solver in (plain, shared):
        solver.run(20)
    assert_same_bits(plain.state(), shared.state())


@pytest.mark.parametrize("before", [0, 7])
@pytest.mark.parametrize(
    "rule",
    [
        update_rule("dcfr"),
        update_rule("rdcfr", first_restart=6.0),
        update_rule("rpcfr+", first_restart=12.0, second_restart=25.0),
    ],
)
def test_pieces_do_not_matter_nor_a_change_between_two_flushes(rule: UpdateRule, before: int) -> None:
    """Pieces end at restarts and beside them. The game is exchanged as with --check-exploitability-every 7."""
    states = []
    for pieces in ((31 - before,), (11 - before, 2, 11, 7), (2, 3, 7 - before, 13, 1, 5)):
        solver = solver_of(small_games.random_game(61), rule)
        solver.run(before)
        solver.game = Game(*small_games.random_game(61))
        for piece in pieces:
            solver.run(piece)
            resumed = CFRSolver(solver.game, rule)
            resumed.set_state(solver.resumable_state())
            resumed.run(solver.iteration - resumed.iteration)
            assert_same_bits(resumed.state(), solver.state())
        states.append(solver.state())
        assert_same_bits(states[-1], states[0])


@pytest.mark.parametrize("number", [-1, 1.5])
def test_a_number_of_iterations_that_is_none_is_refused(number: Any) -> None:
    solver = solver_of(small_games.kuhn_game(), "cfr")
    with pytest.raises(ValueError, match=rf"^num_iterations: {number} is not (at least 0|a whole number)$"):
        solver.run(number)
    solver.run(0)
    assert solver.iteration == 0
