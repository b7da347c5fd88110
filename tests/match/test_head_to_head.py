"""Head to head: against a simulation, against value iteration, and what must hold for any two players."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from oracle.lifting import game_tree
from oracle.matches import (
    Bot,
    Turn,
    endless_bot,
    moves_of,
    playing_values,
    pure_strategy,
    random_bot,
    scores_of,
    uniform_bot,
    uniform_strategy,
)

from tictactoe.errors import EndlessMatchError
from tictactoe.games.free_squares import uniform_over_squares
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.head_to_head import UniformStrategy, head_to_head
from tictactoe.match.scores import Score

BOTS = st.tuples(st.integers(1, 6), st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 0.8, 0.98]))
QUICK = settings(max_examples=4, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
START = Score(0, 0)


@QUICK
@given(BOTS)
def test_a_player_against_itself_and_against_a_best_response(drawn: tuple[int, int, float]) -> None:
    """Which wins as often as the adversary is said to."""
    winning_score, seed, zeros = drawn
    bot = random_bot(winning_score, seed, zeros)
    result = head_to_head(game_tree(), bot, bot, winning_score)
    assert result.wins_as_first + result.wins_as_second == pytest.approx(1.0, abs=1e-12)
    assert result.wins == pytest.approx(0.5, abs=1e-12)
    assert result.rounds_as_first == pytest.approx(result.rounds_as_second, rel=1e-12)
    response = best_response_over_match(game_tree(), bot, winning_score)
    start = response.scores[START]
    assert 2.0 * result.wins_as_first - 1.0 == pytest.approx(start.value, abs=1e-12)
    result = head_to_head(game_tree(), moves_of(response), bot, winning_score)
    assert result.wins_as_first == pytest.approx((1.0 + start.maximum) / 2.0, abs=1e-12)
    assert result.wins_as_second == pytest.approx((1.0 - start.minimum) / 2.0, abs=1e-12)


@QUICK
@given(BOTS, st.integers(0, 10**6))
def test_one_of_two_wins(drawn: tuple[int, int, float], other_seed: int) -> None:
    winning_score, seed, zeros = drawn
    one, other = random_bot(winning_score, seed, zeros), random_bot(winning_score, other_seed, 0.5)
    result = head_to_head(game_tree(), one, other, winning_score)
    reverse = head_to_head(game_tree(), other, one, winning_score)
    assert result.wins_as_first + reverse.wins_as_second == pytest.approx(1.0, abs=1e-12)
    assert result.wins_as_second + reverse.wins_as_first == pytest.approx(1.0, abs=1e-12)
    assert result.wins + reverse.wins == pytest.approx(1.0, abs=1e-12)
    assert result.rounds_as_first == pytest.approx(reverse.rounds_as_second, rel=1e-12)
    assert result.rounds_as_second == pytest.approx(reverse.rounds_as_first, rel=1e-12)
    assert all(0.0 <= wins <= 1.0 for wins in (result.wins_as_first, result.wins_as_second))
    assert min(result.rounds_as_first, result.rounds_as_second) >= 1.0


@pytest.mark.parametrize("winning_score", [1, 2, 3])
def test_value_iteration_agrees(winning_score: int) -> None:
    for ours, theirs in (
        (random_bot(winning_score, 3), uniform_bot(winning_score)),
        (random_bot(winning_score, 4, 0.9), random_bot(winning_score, 5, 0.3)),
        tuple(dict.fromkeys(scores_of(winning_score), pure_strategy(seed)) for seed in (71, 72)),
    ):
        result = head_to_head(game_tree(), ours, theirs, winning_score)
        values = playing_values(ours, theirs, winning_score)
        assert 2.0 * result.wins_as_first - 1.0 == pytest.approx(values[Turn(0, 0, True)], abs=1e-12)
        assert 2.0 * result.wins_as_second - 1.0 == pytest.approx(values[Turn(0, 0, False)], abs=1e-12)


def test_the_uniform_player() -> None:
    uniform = UniformStrategy(game_tree(), 3)
    assert sorted(uniform) == scores_of(3)
    for strategy in uniform.values():
        np.testing.assert_array_equal(strategy, uniform_over_squares(game_tree()))
    for absent in (Score(3, 0), Score(-1, 0), Score(0, 3)):
        with pytest.raises(KeyError):
            uniform[absent]
    with pytest.raises(ValueError, match="read-only"):
        uniform[START][0, 0] = 2.0


def simulate(a: Bot, b: Bot, winning_score: int, a_first: bool, random: np.random.Generator) -> tuple[bool, int]:
    """One match by the rules alone, drawing goals and moves: whether A won, and after how many rounds."""
    tree, points, num_rounds = game_tree(), [0, 0], 0  # points of A, of B
    while max(points) < winning_score:
        num_rounds += 1
        opener = 0 if a_first == (num_rounds % 2 == 1) else 1
        bots = (a, b) if opener == 0 else (b, a)
        score = Score(points[opener], points[1 - opener])
        goals, node, mover = random.integers(0, 3, 2), 0, 0
        while tree.num_children[node]:
            children = list(tree.children(node))
            weights = np.cumsum(bots[mover][score][children, goals[mover]])
            node = children[min(int(np.searchsorted(weights, random.random(), "right")), len(children) - 1)]
            mover = 1 - mover
        outcome = int(tree.leaf_class[node])  # what the first mover makes of the round: win 0, lose 1, tie 2
        points[opener] += outcome == goals[0]
        points[1 - opener] += (1, 0, 2)[outcome] == goals[1]
        if min(points) == winning_score:
            points = [winning_score - 1] * 2
    return points[0] == winning_score, num_rounds


@pytest.mark.parametrize("a_first", [True, False], ids=["A first", "A second"])
@pytest.mark.parametrize("winning_score", [1, 2])
def test_a_simulation_of_2000_matches_agrees(winning_score: int, a_first: bool) -> None:
    """A best response against uniform play; in a match to 1 the figures of the other seat would not do."""
    num_matches, random = 2000, np.random.default_rng(winning_score)
    uniform = uniform_bot(winning_score)
    ours = moves_of(best_response_over_match(game_tree(), uniform, winning_score))
    exact = head_to_head(game_tree(), ours, uniform, winning_score)
    matches = (simulate(ours, uniform, winning_score, a_first, random) for _ in range(num_matches))
    wins, rounds = zip(*matches, strict=True)
    expected, expected_rounds = exact.wins_as_second, exact.rounds_as_second
    if a_first:
        expected, expected_rounds = exact.wins_as_first, exact.rounds_as_first
    assert abs(np.mean(wins) - expected) <= 4.0 * math.sqrt(expected * (1.0 - expected) / num_matches)
    assert abs(np.mean(rounds) - expected_rounds) <= 4.0 * np.std(rounds) / math.sqrt(num_matches)


@pytest.mark.parametrize("absent", [(0, 0), (1, 1), (1, 0)])
@pytest.mark.parametrize("side", [0, 1])
def test_missing_scores(absent: tuple[int, int], side: int) -> None:
    bots = [uniform_bot(2), uniform_bot(2)]
    del bots[side][Score(*absent)]
    with pytest.raises(KeyError) as caught:
        head_to_head(game_tree(), *bots, 2)
    assert caught.value.args == (Score(*absent),)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("value", [-0.25, np.nan, np.inf, 2.0, None])
def test_what_is_no_strategy_is_refused(side: int, value: float | None) -> None:
    """At one of the first mover's moves, and at one of the second mover's; and an array of another shape."""
    for node in (1, 5):
        bots = [uniform_bot(1), uniform_bot(1)]
        broken = uniform_strategy()
        broken[node, 2] = value
        bots[side] = {START: broken[:100] if value is None else broken}
        with pytest.raises(ValueError, match=r"strategy|shape"):
            head_to_head(game_tree(), *bots, 1)


def test_two_that_never_score_against_each_other() -> None:
    """It is refused with the score named, and not by an accident of linear algebra."""
    with pytest.raises(EndlessMatchError, match=r"^at 0-0 neither player ever scores alone: the match never ends$"):
        head_to_head(game_tree(), endless_bot(), endless_bot(), 1)
