"""The exact checker: its sweep against brute force, the course of a match against the solver's, what it refuses."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.lifting import game_tree
from oracle.matches import as_strategy, uniform_strategy
from support.certifying import UNIT
from support.slowness import by_default, slow

from tictactoe import Goal, Outcome, OutcomeValues, Rules, Score, best_response_value, tic_tac_toe_round
from tictactoe.match.scores import continuation
from tictactoe.proof import checker
from tictactoe.proof.checker import RESULTS, AdversaryState, BotRound, Refused, after_round, check_group, probabilities
from tictactoe.proof.checker_tree import LOSE, TIE, Block, Tree, read_rules, reduced_tree, unreduced_tree

WORTH = (Fraction(1, 7), Fraction(9, 10), Fraction(-4, 5), Fraction(-1, 20))


def small_tree(chance: random.Random, rules: str = "three-in-a-row") -> Tree:
    """At most five decision nodes, up to three moves each; the owners in any order, and the endings of the rules."""
    read = read_rules(rules)
    blocks: list[Block] = []
    outcome = [-1]
    waiting = [0]
    while waiting:
        node = waiting.pop(0)
        if len(blocks) >= 5 or (node and chance.random() < 0.4):
            outcome[node] = chance.randrange(len(read.goals_true))
            continue
        start, count = len(outcome), chance.randint(1, 3)
        blocks.append(Block(node, start, start + count, chance.randrange(2)))
        outcome += [-1] * count
        waiting += range(start, start + count)
    return Tree(blocks, outcome, range(len(outcome)), [-1] * len(outcome), read)


def normalised(tree: Tree, weights: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    result = [[Fraction(1)] * tree.num_nodes for _ in range(3)]
    for (_, start, stop, _), (column, shares) in product(tree.blocks, zip(weights, result, strict=True)):
        total = sum(column[start:stop])
        shares[start:stop] = [w / total if total else Fraction(1, stop - start) for w in column[start:stop]]
    return result


def brute_force(tree: Tree, moves: list[list[Fraction]], bot: int, worth: Sequence[Fraction]) -> Fraction:
    """The best of all pure plans of the adversary, for each of its goals. The solver's rules say who scores."""
    rules = Rules.parse(str(tree.rules))
    odds = rules.goal_odds
    blocks = {block.node: block for block in tree.blocks}
    own = [block for block in tree.blocks if block.owner != bot]

    def play(node: int, goal: int, adversary_goal: int, plan: dict[int, int]) -> Fraction:
        if node not in blocks:
            goals = (goal, adversary_goal) if bot == 0 else (adversary_goal, goal)
            result = rules.scores(Outcome(tree.outcome[node]), Goal(goals[0]), Goal(goals[1]))
            return worth[RESULTS.index(result)]
        if node in plan:
            return play(plan[node], goal, adversary_goal, plan)
        children = range(blocks[node].start, blocks[node].stop)
        return sum((moves[goal][c] * play(c, goal, adversary_goal, plan) for c in children), Fraction(0))

    total = Fraction(0)
    for adversary_goal in range(3):
        plans = product(*(range(block.start, block.stop) for block in own))
        named = ({block.node: choice for block, choice in zip(own, plan, strict=True)} for plan in plans)
        total += odds[adversary_goal] * max(
            sum(odds[goal] * play(0, goal, adversary_goal, plan) for goal in range(3)) for plan in named
        )
    return total / sum(odds) ** 2


SMALL = st.fractions(min_value=0, max_value=1, max_denominator=4)


SOME_RULES = ["three-in-a-row", "filled", "filled-none", "filled-tie 1:0:2", "filled 5:2:3", "filled-none 0:3:1"]
"""All rules, and odds that are even, uneven, and 0."""


@pytest.mark.parametrize("rules", by_default([*SOME_RULES, "filled 0:1:0"], *SOME_RULES[3:5], "filled 0:1:0"))
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), bot=st.integers(0, 1), data=st.data())
def test_the_sweep_is_brute_force(rules: str, seed: int, bot: int, data: st.DataObject) -> None:
    tree = small_tree(random.Random(seed), rules)
    column = st.lists(SMALL, min_size=tree.num_nodes, max_size=tree.num_nodes)
    weights = data.draw(st.tuples(column, column, column))
    worth = data.draw(st.tuples(*[st.fractions(-1, 1, max_denominator=20)] * 4))
    exact = probabilities(tree, weights, bot)
    assert exact.exact
    assert BotRound(tree, exact).best_response(worth) == brute_force(tree, normalised(tree, weights), bot, worth)


@pytest.mark.parametrize("seed", range(12))
def test_enclosed_probabilities_bound_the_exact_value_closely(seed: int) -> None:
    """Sums of doubles without a small common denominator, as the solver leaves them."""
    chance, rules = random.Random(seed), SOME_RULES[seed % 2 * seed // 2]
    tree = small_tree(chance, rules)
    while len({block.owner for block in tree.blocks}) < 2:
        tree = small_tree(chance, rules)
    weights = [[Fraction(chance.random() * 10.0 ** chance.randint(-30, 30)) for _ in tree.outcome] for _ in range(3)]
    for bot in (0, 1):
        enclosed = probabilities(tree, weights, bot)
        if enclosed.exact:  # the bot only has forced moves
            continue
        assert enclosed.unit == checker.ENCLOSURE_UNIT
        for worth in (WORTH, [-value for value in WORTH], (Fraction(0), Fraction(1), Fraction(-1), Fraction(0))):
            expected = brute_force(tree, normalised(tree, weights), bot, worth)
            bound = BotRound(tree, enclosed).best_response(worth)
            assert expected <= bound <= expected + Fraction(100, checker.ENCLOSURE_UNIT)


def test_products_are_never_rounded_inward() -> None:
    """Moves of 3/8 and 5/8, twice, over a unit of 1/8: 9/64 lies between 1/8 and 2/8, and so on."""
    blocks = [Block(0, 1, 3, 0), Block(1, 3, 5, 0), Block(2, 5, 7, 0)]
    tree = Tree(blocks, [-1, -1, -1, 0, 0, 0, 0], range(7), [-1] * 7)
    exact = probabilities(tree, [[0, 3, 5, 3, 5, 3, 5]] * 3, 0)
    assert exact.unit == 8
    enclosed = exact._replace(exact=False)
    for value, share in ((Fraction(1), Fraction(2 + 2 + 2 + 4, 8)), (Fraction(-1), Fraction(1 + 1 + 1 + 3, 8))):
        assert BotRound(tree, exact).best_response([value] * 4) == value
        assert BotRound(tree, enclosed).best_response([value] * 4) == value * share


@pytest.mark.parametrize("bot", [0, 1])
def test_enclosed_probabilities_are_never_rounded_inward(bot: int) -> None:
    """The right end is taken for either sign. They may add up to more than 1, but nothing is worth more than that."""
    tree = Tree([Block(0, 1, 4, bot)], [-1, 0, 0, 0], range(4), [-1] * 4)
    exact = probabilities(tree, [[1] * 4] * 3, bot)
    assert (exact.exact, exact.unit, exact.low[0]) == (True, 3, [0, 1, 1, 1])
    low, high = ([[0, share, share, share]] * 3 for share in (85, 86))
    enclosed = BotRound(tree, exact._replace(unit=2**8, exact=False, low=low, high=high))
    for value, ends in ((Fraction(1), Fraction(258, 256)), (Fraction(-1), Fraction(-255, 256))):
        assert BotRound(tree, exact).best_response([value] * 4) == value
        assert enclosed.best_response([value] * 4) == ends
    state = AdversaryState(1 - bot, 0, 0)
    certain = dict.fromkeys((after_round(state, result, 3) for result in RESULTS), Fraction(1))
    assert checker.step(state, enclosed, certain, 3) == 1


def test_floats_are_the_fractions_that_they_are() -> None:
    tree = Tree([Block(0, 1, 3, 1)], [-1, 0, 1], range(3), [-1] * 3)
    bot = probabilities(tree, [[0.0, 0.1, 0.3], [0.0, 5e-324, 5e-324], [0.0, 0.0, 0.0]], 1)
    tenth, third = Fraction(0.1), Fraction(0.3)
    assert not bot.exact or Fraction(bot.low[0][1], bot.unit) == tenth / (tenth + third)
    for goal, share in enumerate((tenth / (tenth + third), Fraction(1, 2), Fraction(1, 2))):
        assert Fraction(bot.low[goal][1], bot.unit) <= share <= Fraction(bot.high[goal][1], bot.unit)
    with pytest.raises(ValueError, match="negative"):
        probabilities(tree, [[0.0, 0.1, -0.1]] * 3, 1)


@pytest.mark.parametrize("winning_score", [1, 2, 3, 5])
def test_the_course_of_a_match_is_the_solvers(winning_score: int) -> None:
    for seat, first, second, result in product((0, 1), range(winning_score), range(winning_score), RESULTS):
        sign, score = continuation(Score(first, second), *result, winning_score)
        after = after_round(AdversaryState(seat, first, second), result, winning_score)
        assert score is None or sign == -1
        assert after == ((sign, -sign)[seat] if score is None else AdversaryState(1 - seat, *score))
    known: set[AdversaryState] = set()
    for group in checker.groups_in_solve_order(winning_score):
        for state in group:
            following = {after_round(state, result, winning_score) for result in RESULTS}
            assert after_round(state, (False, False), winning_score) in group
            assert {item for item in following if isinstance(item, AdversaryState)} <= known | set(group)
        known |= set(group)
    assert len(known) == 2 * winning_score**2


def test_a_goal_that_is_never_drawn_does_not_matter() -> None:
    """Not even to the denominator: whatever the bot would do with it, the numbers stay exact and the same."""
    blocks = [Block(0, 1, 3, 0), Block(1, 3, 5, 1), Block(2, 5, 7, 1)]
    tree = Tree(blocks, [-1, -1, -1, 0, 1, 2, 3], range(7), [-1] * 7, read_rules("filled 3:0:1"))
    weights: list[list[float]] = [[1, 1, 2, 0, 0, 0, 0], [0.0] * 7, [1, 1, 0, 0, 0, 0, 0]]
    bot = probabilities(tree, weights, 0)
    assert bot.unit == 3
    expected = BotRound(tree, bot).best_response(WORTH)
    weights[1] = [0, 1e-30, 1 / 3, 0, 0, 0, 0]
    other = probabilities(tree, weights, 0)
    assert other.exact
    assert BotRound(tree, other).best_response(WORTH) == expected
    weights[0][1] = 1e-30
    assert not probabilities(tree, weights, 0).exact


@pytest.mark.parametrize(
    ("seat", "rules"),
    slow(
        *((0, "three-in-a-row"), (1, "three-in-a-row"), (1, "filled-none")),
        *((0, "filled 3:2:1"), (0, "filled-tie 1:0:2")),
    ),
)
def test_exact_and_floating_point_and_both_trees_agree(seat: int, rules: str) -> None:
    """Against a bot that makes some of the moves, and against one that makes every move. seat: the adversary's."""
    tree, theirs = reduced_tree(read_rules(rules)), game_tree(rules=rules)
    weights = np.random.default_rng(seat).integers(seat, seat + 2, (tree.num_nodes, 3)).astype(np.float64)
    bot = probabilities(tree, weights.T.tolist(), 1 - seat)
    assert bot.exact
    assert seat == 0 or min(bot.low[0][1:4]) > 0
    best = BotRound(tree, bot).best_response(WORTH)
    to_first = OutcomeValues(*(float(value if seat == 0 else -value) for value in WORTH))
    expected = best_response_value(tic_tac_toe_round(theirs, to_first), seat, as_strategy(weights, theirs))
    assert float(best) == pytest.approx(expected, abs=1e-12)
    assert BotRound(unreduced_tree(read_rules(rules)), bot).best_response(WORTH) == best


def test_twins_are_made_equally_often() -> None:
    """Moves that were merged count, too: everybody wants a tie, and one opening is none. The bot opens by 1/3 each."""
    rules = read_rules("three-in-a-row 0:0:1")
    whole = unreduced_tree(rules)
    exact = probabilities(reduced_tree(rules), [[0] * 37_538] * 3, 0)
    low, high = ([[share_of_256] * 37_538] * 3 for share_of_256 in (85, 86))
    enclosed = exact._replace(unit=256, exact=False, low=low, high=high)
    neither = [Fraction(result == (False, False)) for result in RESULTS]
    for square in (2, 4, 7):  # a corner, the centre, an edge
        share = Fraction(1, 3 if square == 4 else 12)
        outcome = [-1, *(LOSE if whole.square[node] == square else TIE for node in range(1, 10))]
        opening = whole._replace(blocks=whole.blocks[:1], outcome=outcome, alike=[seat[:10] for seat in whole.alike])
        assert BotRound(opening, exact).best_response(neither) == share
        assert BotRound(opening, enclosed).best_response(neither) == share * Fraction(3 * 86, 256)
        assert BotRound(opening, enclosed).best_response([-worth for worth in neither]) == -share * Fraction(255, 256)


GROUP = checker.group_of((0, 0))


def test_claims_about_a_bot_that_plays_uniformly() -> None:
    tree = reduced_tree(read_rules("three-in-a-row"))
    rounds = {state: BotRound(tree, probabilities(tree, [[0] * 37_538] * 3, 1 - state.seat)) for state in GROUP}
    bounds = dict(zip(GROUP, (Fraction(101768739, 125444273), Fraction(108844179, 125444273)), strict=True))
    leaving = {state: checker.progress(state, rounds[state], GROUP, 1) for state in GROUP}
    for seat, state in enumerate(GROUP):
        going_on = OutcomeValues(*(value if seat == 0 else -value for value in (1.0, 0.0, 0.0, 1.0)))
        most = best_response_value(tic_tac_toe_round(game_tree(), going_on), seat, uniform_strategy())
        assert float(leaving[state]) == pytest.approx(1.0 - most, abs=1e-12), "what rounds that go on would pay"
    check_group(GROUP, rounds, bounds, leaving, 1)
    assert {state: checker.step(state, rounds[state], bounds, 1) for state in GROUP} == bounds
    check_group(GROUP, rounds, {state: bound + UNIT for state, bound in bounds.items()}, leaving, 1)
    check_group(GROUP, rounds, bounds, {**leaving, GROUP[0]: Fraction(0)}, 1)
    low, outside = "does not hold: a best response in that round gets more", "is not from -1 to 1"
    for state in GROUP:
        for wrong, why in ((bounds[state] - UNIT, low), (Fraction(-1), low), (1 + UNIT, outside), (-1 - UNIT, outside)):
            with pytest.raises(Refused, match=f"^the bound at {state} {why}$"):
                check_group(GROUP, rounds, {**bounds, state: wrong}, leaving, 1)
        for wrong in (leaving[state] + UNIT, -UNIT):
            with pytest.raises(Refused, match=f"^the progress at {state} does not hold: an adversary can make less$"):
                check_group(GROUP, rounds, bounds, {**leaving, state: wrong}, 1)
    with pytest.raises(Refused, match=r"^nothing is proved at 0-0 with the adversary moving first: .* for ever$"):
        check_group(GROUP, rounds, bounds, dict.fromkeys(GROUP, Fraction(0)), 1)
