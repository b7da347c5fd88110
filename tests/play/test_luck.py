"""Rounds taken apart: the parts add up, and are fair on average, over all courses of a round."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from oracle.matches import SHORT_RULE, short_rounds
from oracle.small_games import random_strategy

from tictactoe import GameTree, Goal, OutcomeValues, RoundAccount, RoundBot, Rules, Score, Seat, best_response_value
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.algorithms.best_response import leaf_distribution
from tictactoe.algorithms.strategy import both_seats
from tictactoe.games.payoffs import goal_prior, payoffs_by_outcome, tic_tac_toe_round
from tictactoe.play.commitment import commitment_text
from tictactoe.play.luck import expected_change
from tictactoe.play.referee import Round

VALUES = OutcomeValues(both=-0.1, first=0.8, second=-0.7, neither=0.05)


@pytest.fixture(scope="module", params=[(1, 1, 1), (3, 1, 2)])
def tree(request: pytest.FixtureRequest) -> Iterator[GameTree]:
    with short_rounds():
        yield GameTree.build(Rules(SHORT_RULE, request.param))


def bot_of(tree: GameTree, seed: int, zeros: float = 0.0) -> RoundBot:
    return RoundBot(tree, random_strategy(tree, seed, zeros), VALUES)


def all_rounds(tree: GameTree, strategy: FloatArray) -> Iterator[tuple[float, Round]]:
    """Every way that a round can go when both play by the strategy, and how likely it is; player 1 moves first."""
    first, second = tree.own_reach(strategy)
    prior = goal_prior(tree.rules)
    for leaf in np.flatnonzero(tree.leaf_class >= 0).tolist():
        for goals in product(Goal, Goal):
            chance = float(prior[goals] * first[leaf, goals[0]] * second[leaf, goals[1]])
            if chance > 0.0:
                text = commitment_text(1, goals[0], "00")
                yield chance, Round(1, Score(0, 0), 1, (goals[1], goals[0]), text, tree, tree.history(leaf))


def worth(tree: GameTree, strategy: FloatArray) -> float:
    leaves = leaf_distribution(tree, strategy)
    return float((leaves * goal_prior(tree.rules) * payoffs_by_outcome(tree.rules, VALUES)[: len(leaves)]).sum())


def test_the_parts_add_up_in_every_round(tree: GameTree) -> None:
    account = RoundAccount(bot_of(tree, 1, 0.4))
    payoffs = payoffs_by_outcome(tree.rules, VALUES)
    for _, played in all_rounds(tree, random_strategy(tree, 2, 0.3)):
        terms = account.terms(played)
        changes = [
            (1 if move.seat is Seat.FIRST else -1) * (move.astray + move.hidden - move.cost) for move in terms.moves
        ]
        assert terms.start + terms.goals + sum(changes) == pytest.approx(terms.end, abs=1e-14)
        assert terms.end == payoffs[played.outcome][played.goals_by_seat]
        assert all(move.cost >= 0.0 for move in terms.moves)
        assert all(move.cost == 0.0 if move.is_astray else move.astray == 0.0 for move in terms.moves)
        later = account.terms(played, given=2)
        assert later.goals == 0.0
        assert later.moves == terms.moves[2:]
        changes = changes[2:]
        assert later.start + sum(changes) == pytest.approx(later.end, abs=1e-14)


@pytest.mark.parametrize("seat", Seat)
def test_mistakes_cost_the_gain_of_a_best_response(tree: GameTree, seat: Seat) -> None:
    """Over all rounds of anybody against the solution the average of the prices is exactly that gain. All moves have
    a price."""
    bot, other = bot_of(tree, 3, 0.4), random_strategy(tree, 4, 0.3)
    account = RoundAccount(bot)
    seats = (other, bot.strategy) if seat is Seat.FIRST else (bot.strategy, other)
    played_by = both_seats(tree, *seats)
    lost = total = 0.0
    for chance, played in all_rounds(tree, played_by):
        moves = [move for move in account.terms(played).moves if move.seat is seat]
        assert not any(move.is_astray for move in moves)
        lost += chance * sum(move.cost for move in moves)
        total += chance
    assert total == pytest.approx(1.0)
    best = best_response_value(tic_tac_toe_round(tree, VALUES), seat, bot.strategy)
    got = worth(tree, played_by) * (1 if seat is Seat.FIRST else -1)
    assert lost == pytest.approx(best - got, abs=1e-13)
    assert lost > 0.01


def test_the_luck_of_the_goals_is_fair_for_everybody(tree: GameTree) -> None:
    account = RoundAccount(bot_of(tree, 5))
    rounds = list(all_rounds(tree, random_strategy(tree, 6)))
    assert sum(chance * account.terms(played).goals for chance, played in rounds) == pytest.approx(0.0, abs=1e-14)
    assert sum(chance * abs(account.terms(played).goals) for chance, played in rounds) > 0.01


@pytest.mark.parametrize("player", [0, 1])
def test_against_a_known_player_the_mean_is_exact(tree: GameTree, player: int) -> None:
    """Whoever plays against whom, and whatever the solution: the luck of the known one is taken away, and nothing else.
    And the numbers vary less than the results."""
    bot, known, other = bot_of(tree, 7, 0.2), random_strategy(tree, 8, 0.2), random_strategy(tree, 9, 0.2)
    account = RoundAccount(bot)
    played_by = both_seats(tree, *((known, other) if player == 1 else (other, known)))  # player 1 moves first
    rounds = list(all_rounds(tree, played_by))
    sign = 1 if player == 0 else -1
    found = np.array([expected_change(bot, known, played, player) for _, played in rounds])
    ends = np.array([sign * account.terms(played).end for _, played in rounds])
    chances = np.array([chance for chance, _ in rounds])
    mean = sign * worth(tree, played_by)
    assert sign * account.value + chances @ found == pytest.approx(mean, abs=1e-13)
    assert chances @ ends == pytest.approx(mean, abs=1e-13)
    assert chances @ (found - chances @ found) ** 2 < chances @ (ends - mean) ** 2


def test_who_does_not_play_as_was_said_is_found_out(tree: GameTree) -> None:
    bot, known = bot_of(tree, 10), random_strategy(tree, 11, 0.5)
    never = [
        played
        for chance, played in all_rounds(tree, random_strategy(tree, 12))
        if tree.own_reach(known)[0, played.cursor.node, played.goals[1]] == 0.0
    ]
    assert never
    for played in never[:20]:
        with pytest.raises(ValueError, match=r"move \d is one that it never makes with this goal"):
            expected_change(bot, known, played, 1)
