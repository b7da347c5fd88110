"""Payoffs by strengths and blockers, held to the same game with a payoff for each pair of types."""

import pickle
from itertools import combinations
from typing import Any
from unittest import mock

import numpy as np
import pytest
from oracle import descriptions
from support.slowness import slow

from tictactoe import CHANCE, CFRSolver, Game, best_response, build_game, exploitability, update_rule
from tictactoe.algorithms import ranked_game, wide_kernels
from tictactoe.algorithms.measured_run import perturbed
from tictactoe.algorithms.ranked_game import RankedGame, ranked_chance, ranked_payoff

CARDS = range(9)
Hands = list[tuple[int, ...]]


class Ranked:
    """Hands of up to two of nine cards, a bet, one more card, and a bet. Strengths are drawn, with many ties."""

    def __init__(self, seed: int, *hands: Hands) -> None:
        draws = np.random.default_rng(seed)
        self.types = tuple(tuple(range(len(each))) for each in hands)
        self.blockers = hands
        self.weights = [draws.random(len(each)) + 0.1 for each in hands]
        self.weights[1][-1] = 0.0
        self.base = 0.75
        of_hand = {(card, hand): int(draws.integers(4)) for card in CARDS for each in hands for hand in each}
        self.strengths = {card: [[of_hand[card, hand] for hand in each] for each in hands] for card in CARDS}

    def root(self) -> tuple[Any, ...]:
        return ()

    def owner(self, state: tuple[Any, ...]) -> int | None:
        if state[-1:] == ("fold",) or len(state) == 5:
            return None
        return (0, 1, CHANCE, 1, 0)[len(state)]

    def moves(self, state: tuple[Any, ...]) -> list[tuple[Any, tuple[Any, ...]]]:
        names = {2: CARDS, 1: ("fold", "call"), 4: ("fold", "call")}.get(len(state), ("bet 1", "bet 3"))
        return [(name, (*state, name)) for name in names]

    def chance(self, state: tuple[Any, ...], card: int) -> float:
        return 1.0 / (len(CARDS) - 4)

    def blocks(self, state: tuple[Any, ...], card: int) -> list[int]:
        return [card]

    def payoff_strength(self, state: tuple[Any, ...]) -> tuple[float, int | None]:
        bets = [int(name[-1]) for name in state if str(name).startswith("bet")]
        if state[-1] == "fold":
            return (1.0, None) if len(state) == 2 else (-float(bets[0]), None)
        return 1.0 + sum(bets), state[2]


class ByPairs:
    def __init__(self, ranked: Ranked) -> None:
        self._ranked, self.types = ranked, ranked.types
        self.root, self.owner, self.moves = ranked.root, ranked.owner, ranked.moves
        self._total = 1.0
        self._total = sum(self.prior(first, second) for first in self.types[0] for second in self.types[1])

    def prior(self, first: int, second: int) -> float:
        game = self._ranked
        meet = {*game.blockers[0][first]} & {*game.blockers[1][second]}
        return 0.0 if meet else float(game.weights[0][first] * game.weights[1][second]) / self._total

    def chance(self, state: Any, name: Any, first: int, second: int) -> float:
        return ranked_chance(self._ranked, state, name, first, second)

    def payoff(self, state: Any, first: int, second: int) -> float:
        return ranked_payoff(self._ranked, state, first, second)


PAIRS: Hands = [*combinations(CARDS, 2)]


def drawn_strategy(game: Any, seed: int) -> Any:
    draws, tree = np.random.default_rng(seed), game.tree
    result = draws.random((tree.num_nodes, tree.num_types)) * (draws.random((tree.num_nodes, 1)) < 0.9) + 1e-9
    result[1:] /= tree.at_children(tree.sums_over_children(result))[1:]
    result[tree.mover == CHANCE] = result[0] = 1.0
    return result


@pytest.fixture(params=[1, *slow(2)])
def games(request: pytest.FixtureRequest) -> tuple[RankedGame, Any]:
    """As the compiled sweep takes it, though there are few types, and by matrices."""
    ranked = Ranked(request.param, PAIRS, PAIRS[::-1][:30])
    with mock.patch.object(RankedGame, "is_wide", True):
        game = build_game(ranked)
    assert isinstance(game, RankedGame)
    return game, build_game(ByPairs(ranked))


def test_values_and_best_responses(games: tuple[RankedGame, Any]) -> None:
    ranked, plain = games
    np.testing.assert_allclose(ranked.prior, plain.prior, rtol=0, atol=1e-15)
    strategy = drawn_strategy(ranked, 3)
    assert exploitability(ranked, strategy) == pytest.approx(exploitability(plain, strategy), abs=1e-12)
    for player in (0, 1):
        ours, other = (best_response(game, player, strategy) for game in games)
        assert ours.value == pytest.approx(other.value, abs=1e-12)
        assert exploitability(plain, ours.strategy)[1 + player] == pytest.approx(0.0, abs=1e-12)
    for node in range(ranked.tree.num_nodes):
        np.testing.assert_allclose(ranked.dealt(node), plain.dealt(node), rtol=0, atol=1e-15)
        if ranked.tree.owner[node] < 0:
            np.testing.assert_allclose(ranked.paid(node), plain.paid(node), rtol=0, atol=1e-15)
    sets = zip(ranked.information_sets(strategy), plain.information_sets(strategy), strict=True)
    assert all(ours.reached == pytest.approx(other.reached, abs=1e-12) for ours, other in sets)
    assert ranked.largest_difference == pytest.approx(plain.largest_difference)
    other = perturbed(ranked, 1).leaves.amount
    assert 0.0 < np.abs(other - ranked.leaves.amount).max() < 1e-14
    again = pickle.loads(pickle.dumps(ranked))
    assert again.fingerprint == ranked.fingerprint
    assert not again.tree.owner.flags.writeable, "kernels would be compiled for it anew"
    assert exploitability(again, strategy) == exploitability(ranked, strategy)


@pytest.mark.parametrize(("rule", "alternate"), [("pdcfr+", True), ("cfr", False)])
def test_iterations(games: tuple[RankedGame, Any], rule: str, alternate: bool) -> None:
    ranked, plain = games
    ours = CFRSolver(ranked, update_rule(rule), alternate_updates=alternate)
    ours.run(30)
    other = CFRSolver(plain, update_rule(rule), alternate_updates=alternate)
    with (
        mock.patch.object(type(plain), "sweeps", lambda game: (wide_kernels, Leaves(game))),
        mock.patch.object(type(plain), "in_lanes", False),
    ):
        other.run(30)
    for name in ("regrets", "strategy_sums"):
        found, expected = getattr(ours.state(), name), getattr(other.state(), name)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    assert ours.evaluate().value == pytest.approx(exploitability(plain, ours.average_strategy()).value, abs=1e-12)


class Leaves:
    def __init__(self, game: Any) -> None:
        self._game, self.tree = game, game.tree

    def leaf_values(self, player: int, reach: Any) -> Any:
        result, sign = np.zeros_like(reach), 1 - 2 * player
        for leaf in np.flatnonzero(self.tree.leaf_class >= 0).tolist():
            paid = self._game.paid(leaf)
            result[leaf] = sign * ((paid if player == 0 else paid.T) @ reach[leaf])
        return result


def test_one_blocker_or_none_and_few_types() -> None:
    ranked = Ranked(5, [(0,), (1, 2), ()], [(0,), (3, 4), (2, 1)])
    ranked.weights = [[1.0, 2.0, 0.5], [1.0, 0.0, 3.0]]
    ranked.chance = lambda state, card: 1.0 if card == 8 else 0.0  # type: ignore[method-assign]
    ranked.strengths = {card: [[2, 5, 1], [2, 9, 5]] for card in CARDS}
    with mock.patch.object(RankedGame, "is_wide", True):
        wide = build_game(ranked)
    game, plain = build_game(ranked), ByPairs(ranked)
    assert type(game) is not RankedGame
    strategy = drawn_strategy(game, 1)
    known = {(each.history, each.type): each.probabilities for each in game.information_sets(strategy)}
    play = (lambda *where: known[where],) * 2
    for each in (game, wide):
        found = exploitability(each, strategy)
        assert found.value == pytest.approx(descriptions.value(plain, play), abs=1e-12)
        best = descriptions.best_response_value(plain, play, 1)
        assert found.second_gain - found.value == pytest.approx(best, abs=1e-12)


WRONG = [
    ({"weights": [[1.0], [1.0, 1.0]]}, "weights: not 3 numbers for player 0 and 2 for player 1"),
    ({"weights": [[1.0, 1.0, -1.0], [1.0, 1.0]]}, "weights: one of them is below 0"),
    ({"weights": "many"}, "weights: not numbers for all types of both players"),
    ({"weights": [[0.0] * 3, [1.0] * 2]}, "weights, blockers: no two types can be dealt at once"),
    ({"blockers": [[(0,)] * 3, [(0,)] * 2]}, "weights, blockers: no two types can be dealt at once"),
    ({"blockers": [[(0,)], [(1,)]]}, "blockers: 1 of player 0, who has 3 types"),
    ({"blockers": [[(0, 1, 2)] * 3, [(3,)] * 2]}, "blockers: 0 of player 0 has 3, and at most two are allowed"),
    ({"blockers": [[(0, 1)] * 3, [(3,)] * 2]}, "blockers: another type of player 0 has the same two as 1"),
    ({"blockers": [["ab"] * 3, [(3,)] * 2]}, "blockers of 0: 'ab' is not a list"),
    ({"strengths": []}, r"strengths: \[\] is not a dictionary of names and numbers"),
    ({"strengths": {0: [[1, 2, 3], [4]]}}, "strengths: 0: not 3 numbers for player 0 and 2 for player 1"),
    ({"strengths": {0: [[1, 2, 3], [4, np.nan]]}}, "strengths: 0: not all finite"),
    (
        {"strengths": {0: [[1, 2, 3], [2, 4]]}, "blockers": [[(0, 1), (1, 2), (2, 3)], [(0, 1), (5, 6)]]},
        "strengths: 0: 0 and 0 have the same two blockers, and must be equally strong",
    ),
    ({"base": "pot"}, "base: 'pot' is not a finite number"),
    ({"payoff_strength": lambda state: 3.0}, r"payoff_strength after .*: 3.0 is not a pair \(number, name"),
    ({"payoff_strength": lambda state: (np.inf, 0)}, "payoff_strength after .*: inf is not a finite number"),
    ({"payoff_strength": lambda state: (1.0, "pair")}, "payoff_strength after .*: no strengths have the name 'pair'"),
    ({"chance": lambda *_: 0.2}, "chance after bet 1, call: the probabilities for 0 and 0 sum to 1.4.*, not 1"),
    ({"chance": lambda *_: "often"}, "chance after bet 1, call: 'often' for 0 is not a probability"),
    ({"knows": lambda *_: ""}, "description: with payoff_strength, players know their types; leave out knows"),
]


@pytest.mark.parametrize(("members", "message"), WRONG, ids=[message[:40] for _, message in WRONG])
def test_wrong_descriptions(members: dict[str, Any], message: str) -> None:
    ranked = Ranked(1, [(0,), (1,), (2,)], [(3,), (4,)])
    ranked.weights = [[1.0] * 3, [1.0] * 2]
    vars(ranked).update(members)
    with pytest.raises(ValueError, match=f"^{message}") as caught:
        build_game(ranked)
    assert "\n" not in str(caught.value)
    assert ranked_game.is_ranked(ranked)


def test_sampling() -> None:
    ranked = Ranked(1, PAIRS, PAIRS[::-1][:30])
    ranked.base = 0.0
    with mock.patch.object(Game, "is_wide", True):
        game = build_game(ranked)
        assert len(game.sampled_arrays.scale) == np.count_nonzero(game.tree.owner < 0)
    found = []
    for each in (game, build_game(ByPairs(ranked))):
        solver = CFRSolver(each, update_rule("es-mccfr"), seed=3)
        solver.run(200)
        found.append(exploitability(each, solver.average_strategy()))
    assert found[0] == pytest.approx(found[1], abs=1e-9)
    assert found[0].total < 1.9
