"""External sampling: its draws, its means, and what it reaches. Every random number has a fixed seed."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import naive, small_games
from oracle.lifting import game_tree
from oracle.naive_learning import draw

from tictactoe import SINGLE_ROUND, BonusSchedule, CFRSolver, Coefficients, Game, Sweep, kuhn_poker, tic_tac_toe_round
from tictactoe.algorithms import kernels, sampling
from tictactoe.algorithms.arrays import TYPES, SweepState, make_workspace, rows_of, zero_rows
from tictactoe.algorithms.best_response import as_rows
from tictactoe.algorithms.rule_definition import Parameters
from tictactoe.algorithms.update_rules import UpdateRule, register_rule, update_rule

SAMPLED = update_rule("es-mccfr")
AVERAGES, TYPES_DRAWN = ((1, "full"), (0, "simple")), ((1, "own type drawn"), (0, "all own types"))
VARIANTS = {
    f"{average} average, {types}": update_rule("es-mccfr", full_average=full, draw_own_type=draw_own)
    for (full, average), (draw_own, types) in product(AVERAGES, TYPES_DRAWN)
}


def test_draws_are_spread_evenly() -> None:
    keys = CFRSolver(Game(*small_games.kuhn_game()), SAMPLED, seed=4)._keys(2000)
    numbers = np.array([draw(key, number) for key in keys.ravel().tolist() for number in (-1, 0, 7)])
    assert 0.0 <= numbers.min() < numbers.max() < 1.0
    counts, _ = np.histogram(numbers, 20, (0.0, 1.0))
    expected = len(numbers) / 20
    assert float(((counts - expected) ** 2).sum()) / expected < 43.8  # chi-squared, 19 degrees: 1 in 1,000
    columns = numbers.reshape(-1, 3)
    assert np.abs(np.corrcoef(columns.T) - np.eye(3)).max() < 0.06  # 4,000 rows: standard deviation 0.016


def sampled_gains(
    rule: UpdateRule, game: Game, strategy: naive.Floats, keys: NDArray[np.uint64]
) -> tuple[naive.Floats, naive.Floats]:
    """Both (len(keys), num_nodes, 3): what single iterations add to regrets and to strategy sums, each from the given
    strategy of both players. Regrets so large that no iteration changes the strategy are put in before, so that both
    sweeps see it."""
    tree, size = game.tree, 1e6
    gains, sums = np.zeros((2, len(keys), tree.num_nodes, 3))
    work = make_workspace(tree.sweep_arrays)
    start, skippable = strategy * size, np.ones((2, tree.num_decision_nodes), np.int8)
    start[0] = 0.0
    for row, key in enumerate(keys):
        rows = rows_of(start), rows_of(np.zeros_like(start)), as_rows(tree, strategy)
        state = SweepState(*rows, skippable.copy())
        one = rule.coefficients(1, 1), key.reshape(1, 2), sampling.Sampling(rule.full_average, rule.draw_own_type)
        sampling.run_sampled_iterations(game.arrays, *one, state, work)
        gains[row], sums[row] = state.regrets[TYPES] - start, state.strategy_sums[TYPES]
    return gains, sums


@pytest.mark.parametrize("variant", ["full average, own type drawn", "simple average, all own types"])
@pytest.mark.parametrize("naive_game", [small_games.kuhn_game(), small_games.random_game(3)], ids=["kuhn", "random"])
def test_means_are_exact(naive_game: naive.NaiveGame, variant: str) -> None:
    """Within 4.5 standard errors at every edge and type, and not by being 0: regrets, and drawn averages, which weigh
    every type with its probability."""
    game, rule = Game(*naive_game), VARIANTS[variant]
    strategy = small_games.random_strategy(game.tree, 8)
    added = sampled_gains(rule, game, strategy, np.random.default_rng(1).integers(0, 2**64, (4000, 2), np.uint64))
    oracle = naive.NaiveSolver(*naive_game, "cfr", alternate=False)
    oracle.strategy = strategy
    oracle.iterate()  # one full-width iteration from the same strategy
    of_types = np.stack([naive_game.prior.sum(axis=1 - player) for player in (0, 1)])
    averages = oracle.strategy_sums * (1.0 if rule.full_average else of_types[game.tree.mover])
    for numbers, exact in zip(added, (oracle.regrets, averages), strict=True):
        mean, error = numbers.mean(axis=0), numbers.std(axis=0, ddof=1) / np.sqrt(len(numbers))
        np.testing.assert_array_less(np.abs(mean - exact), 4.5 * error + 1e-9)
        assert np.abs(exact).max() > 10 * error[np.unravel_index(np.abs(exact).argmax(), exact.shape)]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_seed_gives_the_same_bits_however_the_run_is_cut_and_another_seed_others(variant: str) -> None:
    game = tic_tac_toe_round(game_tree(), SINGLE_ROUND)
    first, second, resumed, other = (CFRSolver(game, VARIANTS[variant], seed=seed) for seed in (1, 1, 1, 2))
    for piece in (1, 99, 150, 30):
        second.run(piece)
    resumed.set_state(second.resumable_state())
    for solver in (first, second, resumed, other):
        solver.run(700 - solver.iteration)
    one, two, three = (vars(solver.state()) for solver in (first, resumed, other))
    for name in ("regrets", "strategy_sums", "current_strategy", "skippable"):
        assert one[name].tobytes() == two[name].tobytes(), name
    assert not np.array_equal(one["regrets"], three["regrets"])
    assert (first.num_visits, first.num_histories) == (second.num_visits, second.num_histories)


@pytest.mark.parametrize("types", ["own type drawn", "all own types"])
def test_a_drawn_average_puts_nothing_off(types: str) -> None:
    game, rule = Game(*small_games.random_game(4)), VARIANTS[f"simple average, {types}"]
    keys = np.arange(60, dtype=np.uint64).reshape(30, 2)
    results = []
    for length in (30, 1):
        rows, work = zero_rows((3, game.tree.num_nodes), 3), make_workspace(game.tree.sweep_arrays)
        state = SweepState(*rows, np.ones((2, game.tree.num_decision_nodes), np.int8))
        kernels.normalise_sums(game.tree.sweep_arrays, state.strategy_sums, state.strategy)
        for first in range(0, 30, length):
            coefficients, some = rule.coefficients(first + 1, length), keys[first : first + length]
            how = sampling.Sampling(False, rule.draw_own_type)
            sampling.run_sampled_iterations(game.arrays, coefficients, some, how, state, work)
            assert not work.mass[TYPES].any()
            assert not np.frombuffer(rows.tobytes()).reshape(3, -1, 4)[:2, :, 3].any()
        results.append(rows.tobytes())
    assert results[0] == results[1]


def test_histories_are_counted_for_every_pair_of_types_that_a_visit_works_on() -> None:
    every, cfr = VARIANTS["simple average, all own types"], update_rule("cfr")
    round_, kuhn = tic_tac_toe_round(game_tree(), SINGLE_ROUND), Game(*small_games.kuhn_game())
    for game, all_own, pairs in ((round_, 3, 9), (kuhn, 2, 6)):  # 1 if both types are drawn
        visits = {}
        for rule, each in ((SAMPLED, 1), (every, all_own), (cfr, pairs)):
            solver = CFRSolver(game, rule)
            solver.run(3)
            visits[rule.name] = solver.num_visits
            assert 0 < each * solver.num_visits == solver.num_histories
            solver.set_state(solver.state())
            assert solver.num_visits == solver.num_histories == 0
        assert visits["es-mccfr"] < visits["cfr"] / (10 if game is round_ else 1)
    # Player 0 has one type, player 1 two: player 0's sweep works on 1 own type, player 1's on 2.
    game = small_games.random_game(2)._replace(prior=np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    solver = CFRSolver(Game(*game), VARIANTS["full average, all own types"])
    solver.run(50)
    assert solver.num_visits < solver.num_histories < 2 * solver.num_visits


def test_options_that_sampling_refuses() -> None:
    game = Game(*small_games.kuhn_game())
    with pytest.raises(ValueError, match="alternate_updates"):
        CFRSolver(game, SAMPLED, alternate_updates=False)
    with pytest.raises(ValueError, match="small_move_epsilon"):
        CFRSolver(game, SAMPLED, bonus_schedule=BonusSchedule(0.1))


def test_a_sampling_rule_of_ones_own_weighs_iterations_and_changes_nothing_else() -> None:
    def with_floor(table: Coefficients, parameters: Parameters) -> None:
        table.floor = 0.0

    def weighted(table: Coefficients, parameters: Parameters) -> None:
        table.averaging_weight = 3.0

    register_rule("sampled-with-floor", with_floor, sweep=Sweep.SAMPLED)
    with pytest.raises(ValueError, match=r"^sampled-with-floor: a rule that samples can set averaging_weight, and no"):
        CFRSolver(Game(*small_games.kuhn_game()), update_rule("sampled-with-floor")).run(1)
    register_rule("sampled-and-weighted", weighted, sweep=Sweep.SAMPLED)
    other, usual = (CFRSolver(kuhn_poker(), rule) for rule in (update_rule("sampled-and-weighted"), SAMPLED))
    other.run(20)
    usual.run(20)
    np.testing.assert_allclose(other.state().strategy_sums, 3.0 * usual.state().strategy_sums, rtol=1e-14)


@pytest.mark.parametrize("variant", ["full average, own type drawn", "simple average, all own types"])
def test_types_that_are_never_drawn_trouble_nobody(variant: str) -> None:
    """As goals with the odds 0."""
    game = small_games.random_game(70)._replace(prior=small_games.prior_of_odds(0, 3, 1))
    solver = CFRSolver(Game(*game), VARIANTS[variant])
    solver.run(20_000)
    average = solver.average_strategy()
    assert np.isfinite(average).all()
    assert naive.exploitability(game.tree, average, game.payoffs, game.prior) < 0.05
