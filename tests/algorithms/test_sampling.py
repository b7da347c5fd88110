"""External and outcome sampling: draws, means, and what is reached. Every random number has a fixed seed."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle import naive, small_games
from oracle.lifting import game_tree
from oracle.naive_learning import draw
from oracle.small_games import Blind, Drawn, Hiding
from support.slowness import by_default, slow

from tictactoe import CHANCE, SINGLE_ROUND, BonusSchedule, CFRSolver, Game, PublicTree, Sweep, build_game, kuhn_poker
from tictactoe.algorithms import sampling
from tictactoe.algorithms.arrays import pieces
from tictactoe.algorithms.hidden_moves import HiddenMovesGame
from tictactoe.algorithms.rule_definition import Coefficients, Parameters
from tictactoe.algorithms.update_rules import UpdateRule, register_rule, update_rule
from tictactoe.games.payoffs import tic_tac_toe_round

SAMPLED = update_rule("es-mccfr")
AVERAGES, TYPES_DRAWN = ((1, "full"), (0, "simple")), ((1, "own type drawn"), (0, "all own types"))
VARIANTS = {
    f"{average} average, {types}": update_rule("es-mccfr", full_average=full, draw_own_type=draw_own)
    for (full, average), (draw_own, types) in product(AVERAGES, TYPES_DRAWN)
}
RULES = {
    **VARIANTS,
    "outcome": update_rule("os-mccfr"),
    "outcome, full average": update_rule("os-mccfr", full_average=1),
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


class EveryDraw:
    """In place of the draws of a sweep: goes through all of them, with their probabilities."""

    def __init__(self) -> None:
        self.path: list[tuple[int, NDArray[np.float64]]] = []  # what is drawn, and the probabilities of what may be
        self.place = 0

    def pick(self, weights: naive.Floats, count: int, total: float, key: object, number: int) -> int:
        if self.place == len(self.path):
            chances = weights[:count] / total
            assert chances.sum() == pytest.approx(1.0, abs=1e-12)
            self.path.append((int(np.flatnonzero(chances)[0]), chances))
        self.place += 1
        return self.path[self.place - 1][0]

    def probability(self) -> float:
        return float(np.prod([chances[chosen] for chosen, chances in self.path]))

    def advance(self) -> bool:
        self.place = 0
        while self.path:
            chosen, chances = self.path.pop()
            later = np.flatnonzero(chances[chosen + 1 :])
            if len(later):
                self.path.append((chosen + 1 + int(later[0]), chances))
                return True
        return False


def means(game: Game, rule: UpdateRule, strategy: naive.Floats, monkeypatch: pytest.MonkeyPatch) -> naive.Floats:
    """(2, num_nodes, k): what a sweep of each player adds to regrets and sums, averaged over all draws."""
    for name, function in vars(sampling).items():  # as plain Python, in which draws can be replaced
        if hasattr(function, "py_func"):
            monkeypatch.setattr(sampling, name, function.py_func)
    arrays, how = game.sampled_arrays, sampling.Sampling(rule.full_average, rule.draw_own_type, rule.exploration)
    num_types, num_lanes = strategy.shape[1], arrays.prior.shape[2]
    result, scratch = np.zeros((2, *strategy.shape)), sampling.make_scratch(arrays)
    mass = pieces(np.zeros((game.tree.num_decision_nodes, num_lanes)))
    for player in (0, 1):
        for own, other in np.argwhere(game.prior if player == 0 else game.prior.T):
            monkeypatch.setattr(sampling, "draw_types", lambda *_, own=own, other=other: (own, other))
            draws, goes_on = EveryDraw(), True
            monkeypatch.setattr(sampling, "_pick", draws.pick)
            while goes_on:
                state = np.zeros((3, len(strategy), num_lanes))
                state[2, :, :num_types] = strategy
                now = sampling._draw_round(arrays, player, how, np.uint64(0))
                bundle = sampling.SampledState(*map(pieces, state))
                sampling._sweep(arrays, now, how, np.uint64(0), 1.0, bundle, mass, scratch)
                share = draws.probability() * game.prior[(own, other) if player == 0 else (other, own)]
                result += share * state[:2, :, :num_types]
                goes_on = draws.advance()
    return result


def ancestors(tree: PublicTree, node: int) -> list[int]:
    return [] if node == 0 else [int(tree.parent[node]), *ancestors(tree, int(tree.parent[node]))]


GAMES: dict[str, Game] = {
    "kuhn": Game(*small_games.kuhn_game()),
    "no chance": Game(*small_games.random_game(3)),
    "chance": build_game(Drawn(3, (3, 2), depth=3)),
    "types unknown": build_game(Hiding(6, (3, 2), depth=3)),
    "hidden moves": build_game(Blind(3, (2, 3))),
    "65 types": build_game(Drawn(2, (65, 1), depth=2)),
}
GAMES["chance not told"] = replace(build_game(Drawn(3, (2, 2), depth=3)), chance=None)


@pytest.mark.parametrize("variant", RULES)
@pytest.mark.parametrize("name", by_default(GAMES, "chance", "types unknown", "hidden moves"))
def test_means_are_exact(name: str, variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of regrets: a full-width iteration's. Of an average: the full one times the chances of type and chance moves."""
    game, rule = GAMES[name], RULES[variant]
    tree = game.tree
    numbers = np.random.default_rng(8).random((tree.num_nodes, tree.num_types)) ** 3
    strategy = np.ones_like(numbers)
    strategy[1:] = (numbers / np.maximum(tree.at_children(tree.sums_over_children(numbers)), 1e-9))[1:]
    strategy[tree.mover == CHANCE] = 1.0
    full = CFRSolver(game, update_rule("cfr"), alternate_updates=False)
    full.set_state(replace(full.state(), current_strategy=strategy, skippable=np.zeros_like(full.state().skippable)))
    full.run(1)
    regrets, sums = means(game, rule, strategy, monkeypatch)
    np.testing.assert_allclose(regrets, full.state().regrets, rtol=0, atol=1e-12)
    assert np.abs(regrets).max() > 0.01
    if not rule.full_average:
        even = np.where(tree.owner == CHANCE, 1.0 / np.maximum(tree.num_children, 1), 1.0)
        table = np.array([np.prod(even[ancestors(tree, node)]) for node in range(tree.num_nodes)])[:, None, None]
        if game.chance is not None:
            table = game.chance.tables[game.chance.table_of]
        if isinstance(game, HiddenMovesGame):
            chance = game.histories.reach(game.histories.chance)
            table = np.bincount(game.histories.node + 1, chance, tree.num_nodes + 1)[1:][tree.parent][:, None, None]
        met = np.stack([(game.prior * table).sum(axis=2 - player) for player in (0, 1)])
        share = np.where((tree.mover == 0)[:, None], *met)
        own = np.isin(tree.mover, (0, 1))[:, None]
        np.testing.assert_allclose(sums, np.where(own, share * full.state().strategy_sums, 0.0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("rule", [SAMPLED, RULES["outcome, full average"]], ids=str)
@pytest.mark.parametrize("name", ["no chance", "chance", "65 types", *slow("hidden moves")])
def test_a_full_average_has_every_strategy_at_every_node(name: str, rule: UpdateRule) -> None:
    game, expected = GAMES[name], 0.0
    at_once, one_by_one = CFRSolver(game, rule), CFRSolver(game, rule)
    at_once.run(30)
    for _ in range(30):
        strategy = one_by_one.current_strategy()
        reach = game.tree.own_reach(strategy)
        expected = expected + np.where((game.tree.mover == 0)[:, None], *reach)
        one_by_one.run(1)
    own = np.isin(game.tree.mover, (0, 1))
    np.testing.assert_allclose(at_once.state().strategy_sums[own], expected[own], rtol=0, atol=1e-12)
    assert at_once.current_strategy()[own].min() < 0.2


@pytest.mark.parametrize("variant", RULES)
def test_a_seed_gives_the_same_bits_however_the_run_is_cut_and_another_seed_others(variant: str) -> None:
    game = tic_tac_toe_round(game_tree(), SINGLE_ROUND)
    first, second, resumed, other = (CFRSolver(game, RULES[variant], seed=seed) for seed in (1, 1, 1, 2))
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


@pytest.mark.parametrize("variant", ["simple average, own type drawn", "simple average, all own types", "outcome"])
def test_a_drawn_average_puts_nothing_off(variant: str) -> None:
    game, rule = Game(*small_games.random_game(4)), RULES[variant]
    keys = np.arange(60, dtype=np.uint64).reshape(30, 2)
    how = sampling.Sampling(False, rule.draw_own_type, rule.exploration)
    results = []
    for length in (30, 1):
        state = np.zeros((3, game.tree.num_nodes, 4))
        state[2, :, :3] = naive.uniform_strategy(game.tree)
        bundle, scratch = sampling.SampledState(*map(pieces, state)), sampling.make_scratch(game.sampled_arrays)
        mass = pieces(np.zeros((2, game.tree.num_decision_nodes, 4))).reshape(2, -1)
        for first in range(0, 30, length):
            coefficients, some = rule.coefficients(first + 1, length), keys[first : first + length]
            sampling.run_sampled_iterations(game.sampled_arrays, coefficients, some, how, bundle, mass, scratch)
            assert not state[:, :, 3].any()
        results.append(state.tobytes())
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
    game = small_games.random_game(70)._replace(prior=small_games.prior_of_odds(0, 3, 1))
    solver = CFRSolver(Game(*game), VARIANTS[variant])
    solver.run(20_000)
    average = solver.average_strategy()
    assert np.isfinite(average).all()
    assert naive.exploitability(game.tree, average, game.payoffs, game.prior) < 0.05
