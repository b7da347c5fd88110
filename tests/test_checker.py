"""The exact checker: its sweep against brute force, its trees against the solver's, and what it refuses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from certifying import probabilities_once, round_once
from hypothesis import given, settings
from hypothesis import strategies as st
from lifting import game_tree
from matches import Floats, as_strategy, random_strategy, uniform_strategy

from tictactoe.board import Board, Outcome, three_in_a_row
from tictactoe.bounds import strategy_tree as reduced
from tictactoe.bounds import whole_tree as unreduced
from tictactoe.checker import (
    ENCLOSURE_UNIT,
    RESULTS,
    BotRound,
    Refused,
    State,
    after,
    check_group,
    group_of,
    groups_in_solve_order,
    probabilities,
    progress,
    step,
)
from tictactoe.checker_tree import NEVER, SURE, Block, Tree, fingerprint
from tictactoe.game import tic_tac_toe_round
from tictactoe.match import Goal, OutcomeValues, Score, continuation, scores
from tictactoe.response import best_response_value

WORTH = (Fraction(1, 7), Fraction(9, 10), Fraction(-4, 5), Fraction(-1, 20))


def weights_of(strategy: Floats) -> list[list[float]]:
    result: list[list[float]] = strategy.T.tolist()
    return result


def dyadic(strategy: Floats, bits: int = 10) -> Floats:
    """Weights that are few enough integers, so that their sum is a power of 2; zeros stay."""
    tree = game_tree()
    rounded = np.floor(strategy * 2.0**bits)
    left = 2.0**bits - np.add.reduceat(rounded, tree.first_child[tree.decision_nodes], axis=0)
    likeliest = np.zeros_like(rounded)
    for (node, start, stop, _), more in zip(reduced().blocks, left, strict=True):
        assert node < start
        for goal in range(3):
            likeliest[start + int(strategy[start:stop, goal].argmax()), goal] = more[goal]
    return rounded + likeliest


# --- the sweep against brute force -------------------------------------------------------------------------------


def small_tree(chance: random.Random) -> Tree:
    """At most five decision nodes, up to three moves each; the owners in any order."""
    blocks: list[Block] = []
    outcome = [-1]
    waiting = [0]
    while waiting:
        node = waiting.pop(0)
        if len(blocks) >= 5 or (node and chance.random() < 0.4):
            outcome[node] = chance.randrange(3)
            continue
        start, count = len(outcome), chance.randint(1, 3)
        blocks.append(Block(node, start, start + count, chance.randrange(2)))
        outcome += [-1] * count
        waiting += range(start, start + count)
    return Tree(blocks, outcome, range(len(outcome)), [-1] * len(outcome))


def normalised(tree: Tree, weights: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    result = [[Fraction(1)] * tree.num_nodes for _ in range(3)]
    for _, start, stop, _ in tree.blocks:
        for goal in range(3):
            total = sum(weights[goal][start:stop])
            for child in range(start, stop):
                result[goal][child] = weights[goal][child] / total if total else Fraction(1, stop - start)
    return result


def brute_force(tree: Tree, moves: list[list[Fraction]], bot: int, worth: Sequence[Fraction]) -> Fraction:
    """The best of all pure plans of the adversary, for each of its goals, by playing each against every goal."""
    blocks = {block.node: block for block in tree.blocks}
    own = [block for block in tree.blocks if block.owner != bot]

    def play(node: int, goal: int, adversary_goal: int, plan: dict[int, int]) -> Fraction:
        if node not in blocks:
            goals = (goal, adversary_goal) if bot == 0 else (adversary_goal, goal)
            result = scores(Outcome(tree.outcome[node]), Goal(goals[0]), Goal(goals[1]))
            return worth[RESULTS.index(result)]
        if node in plan:
            return play(plan[node], goal, adversary_goal, plan)
        children = range(blocks[node].start, blocks[node].stop)
        return sum((moves[goal][c] * play(c, goal, adversary_goal, plan) for c in children), Fraction(0))

    total = Fraction(0)
    for adversary_goal in range(3):
        plans = product(*(range(block.start, block.stop) for block in own))
        named = ({block.node: choice for block, choice in zip(own, plan, strict=True)} for plan in plans)
        total += max(sum(play(0, goal, adversary_goal, plan) for goal in range(3)) for plan in named)
    return total / 9


SMALL = st.fractions(min_value=0, max_value=1, max_denominator=4)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), bot=st.integers(0, 1), data=st.data())
def test_the_sweep_is_brute_force(seed: int, bot: int, data: st.DataObject) -> None:
    tree = small_tree(random.Random(seed))
    column = st.lists(SMALL, min_size=tree.num_nodes, max_size=tree.num_nodes)
    weights = data.draw(st.tuples(column, column, column))
    worth = data.draw(st.tuples(*[st.fractions(-1, 1, max_denominator=20)] * 4))
    found = probabilities(tree, weights, bot)
    assert found.exact
    expected = brute_force(tree, normalised(tree, weights), bot, worth)
    assert BotRound(tree, found).best_response(worth) == expected


@pytest.mark.parametrize("seed", range(8))
def test_enclosed_probabilities_bound_the_exact_value_closely(seed: int) -> None:
    """Sums of doubles that have no small common denominator, as the solver leaves them."""
    chance = random.Random(seed)
    tree = small_tree(chance)
    while len({block.owner for block in tree.blocks}) < 2:
        tree = small_tree(chance)
    weights = [[Fraction(chance.random() * 10.0 ** chance.randint(-30, 30)) for _ in tree.outcome] for _ in range(3)]
    for bot in (0, 1):
        found = probabilities(tree, weights, bot)
        if found.exact:  # the bot only has forced moves
            continue
        assert found.unit == ENCLOSURE_UNIT
        for worth in (WORTH, [-value for value in WORTH], (Fraction(0), Fraction(1), Fraction(-1), Fraction(0))):
            expected = brute_force(tree, normalised(tree, weights), bot, worth)
            bound = BotRound(tree, found).best_response(worth)
            assert expected <= bound <= expected + Fraction(100, ENCLOSURE_UNIT)


def test_rounding_is_never_inward() -> None:
    """One bot node with moves of 1/3: the enclosure's ends differ, and the right one is taken for either sign."""
    tree = Tree([Block(0, 1, 4, 0)], [-1, 0, 0, 0], range(4), [-1] * 4)
    third = probabilities(tree, [[1] * 4] * 3, 0)
    assert third.exact
    assert third.unit == 3
    assert third.low[0] == [0, 1, 1, 1]
    forced = third._replace(unit=2**8, exact=False, low=[[0, 85, 85, 85]] * 3, high=[[0, 86, 86, 86]] * 3)
    for value in (Fraction(1, 2), Fraction(-1, 2)):
        exact = BotRound(tree, third).best_response([value] * 4)
        bound = BotRound(tree, forced).best_response([value] * 4)
        assert exact == value
        assert bound == value * (Fraction(258, 256) if value > 0 else Fraction(255, 256))


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


def test_floats_are_the_fractions_that_they_are() -> None:
    tree = Tree([Block(0, 1, 3, 1)], [-1, 0, 1], range(3), [-1] * 3)
    found = probabilities(tree, [[0.0, 0.1, 0.3], [0.0, 5e-324, 5e-324], [0.0, 0.0, 0.0]], 1)
    tenth, third = Fraction(0.1), Fraction(0.3)
    assert not found.exact or Fraction(found.low[0][1], found.unit) == tenth / (tenth + third)
    for goal, share in enumerate((tenth / (tenth + third), Fraction(1, 2), Fraction(1, 2))):
        assert Fraction(found.low[goal][1], found.unit) <= share <= Fraction(found.high[goal][1], found.unit)
    with pytest.raises(ValueError, match="negative"):
        probabilities(tree, [[0.0, 0.1, -0.1]] * 3, 1)


# --- trees -------------------------------------------------------------------------------------------------------


def test_the_reduced_tree_is_the_solvers() -> None:
    tree, theirs = reduced(), game_tree()
    assert fingerprint(tree) == theirs.fingerprint
    assert list(tree.outcome) == theirs.leaf_class.tolist()
    assert [square + 1 for square in tree.square] == theirs.square.tolist()
    assert [block.node for block in tree.blocks] == theirs.decision_nodes.tolist()
    for node, start, stop, owner in tree.blocks:
        assert range(start, stop) == theirs.children(node)
        assert owner == theirs.owner[node]


def test_a_changed_tree_has_another_fingerprint() -> None:
    tree = reduced()
    outcome = list(tree.outcome)
    leaf = outcome.index(2)
    outcome[leaf] = 1
    assert fingerprint(tree._replace(outcome=outcome)) != fingerprint(tree)
    assert fingerprint(tree._replace(blocks=tree.blocks[:-1])) != fingerprint(tree)


def test_the_unreduced_tree_has_every_history() -> None:
    """Known counts: 549,946 histories; 255,168 games, of which 131,184, 77,904 and 46,080 are won, lost and tied."""
    tree = unreduced()
    assert tree.num_nodes == 549_946
    assert [list(tree.outcome).count(outcome) for outcome in (0, 1, 2)] == [131_184, 77_904, 46_080]
    assert len(tree.blocks) == 549_946 - 255_168


def test_the_unreduced_tree_is_the_real_game_and_its_moves_are_images_of_the_reduced_ones() -> None:
    tree, theirs = unreduced(), game_tree()
    parent = [0] * tree.num_nodes
    for node, start, stop, _ in tree.blocks:
        parent[start:stop] = [node] * (stop - start)
    for node in random.Random(1).sample(range(1, tree.num_nodes), 3000):
        path = [node]
        while path[-1]:
            path.append(parent[path[-1]])
        board = Board()
        for step_of in reversed(path[:-1]):
            board = board.play(tree.square[step_of] + 1)
        outcome = three_in_a_row(board)
        assert tree.outcome[node] == (-1 if outcome is None else outcome)
        if tree.move[node] >= 0:
            image = Board()
            for square in theirs.history(tree.move[node]):
                image = image.play(square)
            assert image.canonical() == board.canonical()


def test_a_bot_always_has_one_way_to_play_every_move_of_the_reduced_tree() -> None:
    """At every history: the moves of one decision node, each once, or one move that is sure."""
    blocks = {block.start: block for block in reduced().blocks}
    for node, start, stop, owner in unreduced().blocks:
        moves = sorted(move for move in unreduced().move[start:stop] if move != NEVER)
        assert moves, node
        if moves != [SURE]:
            block = blocks[moves[0]]
            assert moves == list(range(block.start, block.stop))
            assert owner == block.owner


@pytest.mark.parametrize("winning_score", [1, 2, 3, 5])
def test_the_course_of_a_match_is_the_solvers(winning_score: int) -> None:
    for seat, first, second, result in product((0, 1), range(winning_score), range(winning_score), RESULTS):
        sign, score = continuation(Score(first, second), *result, winning_score)
        found = after(State(seat, first, second), result, winning_score)
        if score is None:
            assert found == (sign if seat == 0 else -sign)
        else:
            assert sign == -1
            assert found == State(1 - seat, *score)


@pytest.mark.parametrize("winning_score", [1, 2, 5])
def test_groups_come_after_what_they_lead_to(winning_score: int) -> None:
    known: set[State] = set()
    for group in groups_in_solve_order(winning_score):
        for state in group:
            following = {after(state, result, winning_score) for result in RESULTS}
            assert after(state, (False, False), winning_score) in group
            assert {item for item in following if isinstance(item, State)} <= known | set(group)
        known |= set(group)
    assert len(known) == 2 * winning_score**2


# --- against the solver ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_exact_and_floating_point_and_both_trees_agree(seat: int) -> None:
    """Against a bot that makes few moves, and against one that makes every move. seat: the adversary's."""
    strategy = random_strategy(5, share_of_zeros=0.7) if seat == 0 else as_strategy(random_strategy(6) + 0.1)
    weights = dyadic(strategy)
    bot = probabilities(reduced(), weights_of(weights), 1 - seat)
    assert bot.exact
    assert seat == 0 or min(min(column[1:4]) for column in bot.low) > 0
    found = BotRound(reduced(), bot).best_response(WORTH)
    to_first = OutcomeValues(*(float(value if seat == 0 else -value) for value in WORTH))
    expected = best_response_value(tic_tac_toe_round(game_tree(), to_first), seat, as_strategy(weights))
    assert float(found) == pytest.approx(expected, abs=1e-12)
    assert BotRound(unreduced(), bot).best_response(WORTH) == found


# --- claims ------------------------------------------------------------------------------------------------------

GROUP = group_of((0, 0))
UNIT = Fraction(1, 2**120)


@cache
def uniform_rounds() -> dict[State, BotRound]:
    """A match to 1 against a bot that plays uniformly."""
    weights = weights_of(uniform_strategy() * 0.0)
    return {state: round_once(reduced(), probabilities_once(reduced(), weights, 1 - state.seat)) for state in GROUP}


@cache
def uniform_claims() -> tuple[dict[State, Fraction], dict[State, Fraction]]:
    """What an adversary can get is known from elsewhere (the fractions were found by iterating by hand)."""
    rounds = uniform_rounds()
    bounds = dict(zip(GROUP, (Fraction(101768739, 125444273), Fraction(108844179, 125444273)), strict=True))
    return bounds, {state: progress(state, rounds[state], GROUP, 1) for state in GROUP}


def test_claims_that_hold_are_accepted() -> None:
    bounds, leaving = uniform_claims()
    rounds = uniform_rounds()
    check_group(GROUP, rounds, bounds, leaving, 1)
    assert {state: step(state, rounds[state], bounds, 1) for state in GROUP} == bounds
    higher = {state: bound + UNIT for state, bound in bounds.items()}
    check_group(GROUP, rounds, higher, leaving, 1)
    check_group(GROUP, rounds, bounds, {GROUP[0]: Fraction(0), GROUP[1]: leaving[GROUP[1]]}, 1)


def test_progress_is_the_least_probability_of_a_decision() -> None:
    """From the other side: the most that an adversary gets when it is paid for every round that goes on."""
    _, leaving = uniform_claims()
    for seat, state in enumerate(GROUP):
        going_on = OutcomeValues(*(value if seat == 0 else -value for value in (1.0, 0.0, 0.0, 1.0)))
        most = best_response_value(tic_tac_toe_round(game_tree(), going_on), seat, uniform_strategy())
        assert float(leaving[state]) == pytest.approx(1.0 - most, abs=1e-12)


@pytest.mark.parametrize("state", GROUP, ids=str)
def test_claims_that_do_not_hold_are_refused(state: State) -> None:
    bounds, leaving = uniform_claims()
    rounds = uniform_rounds()
    for wrong in (bounds[state] - UNIT, Fraction(-1)):
        with pytest.raises(Refused, match=r"bound at 0-0 with the adversary moving (first|second) does not hold"):
            check_group(GROUP, rounds, bounds | {state: wrong}, leaving, 1)
    for wrong in (1 + UNIT, -1 - UNIT):
        with pytest.raises(Refused, match="not in -1 to 1"):
            check_group(GROUP, rounds, bounds | {state: wrong}, leaving, 1)
    for wrong in (leaving[state] + UNIT, -UNIT):
        with pytest.raises(Refused, match="progress at 0-0"):
            check_group(GROUP, rounds, bounds, leaving | {state: wrong}, 1)


def test_without_progress_nothing_is_proved() -> None:
    bounds, _ = uniform_claims()
    with pytest.raises(Refused, match="nothing is proved"):
        check_group(GROUP, uniform_rounds(), bounds, dict.fromkeys(GROUP, Fraction(0)), 1)


def test_nothing_is_worth_more_than_the_match() -> None:
    """Enclosed probabilities may add up to more than 1."""
    tree = Tree([Block(0, 1, 4, 1)], [-1, 0, 0, 0], range(4), [-1] * 4)
    third = probabilities(tree, [[1] * 4] * 3, 1)
    loose = third._replace(unit=2**8, exact=False, low=[[0, 85, 85, 85]] * 3, high=[[0, 86, 86, 86]] * 3)
    state = State(0, 0, 0)
    following = {after(state, result, 3): Fraction(1) for result in RESULTS}
    certain = {item: bound for item, bound in following.items() if isinstance(item, State)}
    assert BotRound(tree, loose).best_response([Fraction(1)] * 4) > 1
    assert step(state, BotRound(tree, loose), certain, 3) == 1
