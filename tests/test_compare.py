"""Head to head: against a simulation, against value iteration, and what must hold for any two players."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from lifting import game_tree
from matches import (
    Floats,
    Turn,
    endless_bot,
    one_each,
    playing_values,
    pure_strategy,
    random_bot,
    scores_of,
    uniform_bot,
    uniform_strategy,
)

from tictactoe.adversary import MatchResponse, best_response_over_match
from tictactoe.chain import State
from tictactoe.compare import UniformStrategy, head_to_head
from tictactoe.match import Score, Seat

BOTS = st.tuples(st.integers(1, 6), st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 0.8, 0.98]))
QUICK = settings(
    max_examples=6, deadline=None, derandomize=True, database=None, phases=(Phase.explicit, Phase.generate)
)
START = Score(0, 0)


def best_moves(response: MatchResponse, score: Score) -> Floats:
    """The best response at a score, in both seats."""
    return one_each(response.strategies[State(Seat.FIRST, score)], response.strategies[State(Seat.SECOND, score)])


# --- what must hold


@QUICK
@given(BOTS)
def test_a_player_against_itself(drawn: tuple[int, int, float]) -> None:
    winning_score, seed, zeros = drawn
    bot = random_bot(winning_score, seed, zeros)
    result = head_to_head(game_tree(), bot, bot, winning_score)
    assert result.wins_as_first + result.wins_as_second == pytest.approx(1.0, abs=1e-12)
    assert result.wins == pytest.approx(0.5, abs=1e-12)
    assert result.rounds_as_first == pytest.approx(result.rounds_as_second, rel=1e-12)
    selfplay = best_response_over_match(game_tree(), bot, winning_score).scores[START].value
    assert 2.0 * result.wins_as_first - 1.0 == pytest.approx(selfplay, abs=1e-12)


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
    assert 0.0 <= result.wins_as_first <= 1.0
    assert 0.0 <= result.wins_as_second <= 1.0
    assert min(result.rounds_as_first, result.rounds_as_second) >= 1.0


@pytest.mark.parametrize("winning_score", [1, 2, 3])
def test_value_iteration_agrees(winning_score: int) -> None:
    for ours, theirs in (
        (random_bot(winning_score, 3), uniform_bot(winning_score)),
        (random_bot(winning_score, 4, 0.9), random_bot(winning_score, 5, 0.3)),
    ):
        result = head_to_head(game_tree(), ours, theirs, winning_score)
        values = playing_values(ours, theirs, winning_score)
        assert 2.0 * result.wins_as_first - 1.0 == pytest.approx(values[Turn(0, 0, True)], abs=1e-12)
        assert 2.0 * result.wins_as_second - 1.0 == pytest.approx(values[Turn(0, 0, False)], abs=1e-12)


@QUICK
@given(BOTS)
def test_a_best_response_wins_as_often_as_the_adversary(drawn: tuple[int, int, float]) -> None:
    winning_score, seed, zeros = drawn
    bot = random_bot(winning_score, seed, zeros)
    response = best_response_over_match(game_tree(), bot, winning_score)
    best = {score: best_moves(response, score) for score in scores_of(winning_score)}
    result = head_to_head(game_tree(), best, bot, winning_score)
    assert result.wins_as_first == pytest.approx((1.0 + response.scores[START].maximum) / 2.0, abs=1e-12)
    assert result.wins_as_second == pytest.approx((1.0 - response.scores[START].minimum) / 2.0, abs=1e-12)


# --- uniform play


def test_the_uniform_player() -> None:
    uniform = UniformStrategy(game_tree(), 3)
    assert set(uniform) == set(scores_of(3))
    assert len(uniform) == 9
    for score in scores_of(3):
        np.testing.assert_allclose(uniform[score], uniform_strategy(), rtol=0, atol=1e-16)
    for absent in (Score(3, 0), Score(-1, 0), Score(0, 3)):
        with pytest.raises(KeyError):
            uniform[absent]
    with pytest.raises(ValueError, match="read-only"):
        uniform[START][0, 0] = 2.0


def test_the_uniform_player_against_itself() -> None:
    """By hand: nobody is ahead; a round decides a match to 1 with probability 4/9, so that it lasts 9/4 rounds."""
    for winning_score in (1, 2, 5):
        uniform = UniformStrategy(game_tree(), winning_score)
        result = head_to_head(game_tree(), uniform, uniform, winning_score)
        assert result.wins_as_first == pytest.approx(0.5, abs=1e-13)
        assert result.wins_as_second == pytest.approx(0.5, abs=1e-13)
        if winning_score == 1:
            assert result.rounds_as_first == pytest.approx(9 / 4, abs=1e-13)


# --- simulation


class Simulated(NamedTuple):
    """Share of matches that A won, and the mean and standard deviation of the number of rounds."""

    wins: float
    mean_rounds: float
    deviation_of_rounds: float


def simulate(
    ours: Mapping[Score, Floats], theirs: Mapping[Score, Floats], winning_score: int, a_first: bool, num_matches: int,
    seed: int,
) -> Simulated:  # fmt: skip
    """Plays all matches at once, node by node, drawing goals and moves. Outcomes are read from the marks on the board.

    Nothing of match.py, chain.py or the leaf classes is used: a leaf of the tree whose board is not full and has no
    three in a row is played on at random, because there every continuation ends alike.
    """
    random = np.random.default_rng(seed)
    tree = game_tree()
    cumulative = {True: _cumulative(ours, winning_score), False: _cumulative(theirs, winning_score)}
    points = np.zeros((2, num_matches), int)  # of A, of B
    opens = np.full(num_matches, a_first)
    rounds = np.zeros(num_matches, int)
    running = np.arange(num_matches)
    while len(running):
        rounds[running] += 1
        goals = random.integers(0, 3, (2, len(running)))  # of the first mover, of the second
        a_opens = opens[running]
        first_points = np.where(a_opens, points[0, running], points[1, running])
        second_points = np.where(a_opens, points[1, running], points[0, running])
        place = first_points * winning_score + second_points
        node = np.zeros(len(running), int)
        for depth in range(9):
            deciding = np.flatnonzero(tree.num_children[node] > 0)
            if not len(deciding):
                break
            draw = random.random(len(deciding))
            goal = goals[depth % 2][deciding]
            a_moves = a_opens[deciding] == (depth % 2 == 0)
            child = tree.first_child[node[deciding]].astype(int)
            last = child + tree.num_children[node[deciding]] - 1
            for _ in range(9):
                at = place[deciding], child, goal
                on = (draw >= np.where(a_moves, cumulative[True][at], cumulative[False][at])) & (child < last)
                child += on
            node[deciding] = child
        outcome = _outcomes()[node]
        first_scores = outcome == goals[0]
        second_scores = np.array([1, 0, 2])[outcome] == goals[1]
        points[0, running] += np.where(a_opens, first_scores, second_scores)
        points[1, running] += np.where(a_opens, second_scores, first_scores)
        both = (points[:, running] == winning_score).all(axis=0)
        points[:, running[both]] = winning_score - 1
        opens[running] = ~a_opens
        running = running[(points[:, running] < winning_score).all(axis=0)]
    return Simulated(float((points[0] == winning_score).mean()), float(rounds.mean()), float(rounds.std()))


def _cumulative(bot: Mapping[Score, Floats], winning_score: int) -> Floats:
    """(scores, num_nodes, 3): the probability of a node or one of its lower siblings."""
    tree = game_tree()
    result = np.array([bot[score] for score in scores_of(winning_score)])
    for node in range(1, tree.num_nodes):
        if tree.parent[node] == tree.parent[node - 1] and node > 1:
            result[:, node] += result[:, node - 1]
    return result


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def _outcomes() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """(num_nodes,): what the first mover makes of a leaf: win 0, lose 1, tie 2; at other nodes -1."""
    if not _OUTCOMES:
        tree = game_tree()
        result = np.full(tree.num_nodes, -1)
        for leaf in np.flatnonzero(tree.num_children == 0).tolist():
            board = [0] * 9
            for ply, square in enumerate(tree.history(leaf)):
                board[square - 1] = 1 if ply % 2 == 0 else -1
            result[leaf] = _play_on(board, len(tree.history(leaf)))
        _OUTCOMES.append(result)
    return _OUTCOMES[0]


_OUTCOMES: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []


def _play_on(board: list[int], ply: int) -> int:
    """The outcome of a board from which, whatever is played, only one follows."""
    for line in LINES:
        marks = sum(board[square] for square in line)
        if abs(marks) == 3:
            return 0 if marks > 0 else 1
    if ply == 9:
        return 2
    board = list(board)
    board[board.index(0)] = 1 if ply % 2 == 0 else -1
    return _play_on(board, ply + 1)


@pytest.mark.parametrize("a_first", [True, False], ids=["A first", "A second"])
@pytest.mark.parametrize("winning_score", [2, 3])
def test_a_simulation_of_200_000_matches_agrees(winning_score: int, a_first: bool) -> None:
    num_matches = 200_000
    uniform = UniformStrategy(game_tree(), winning_score)
    ours = random_bot(winning_score, 11, 0.9) if winning_score == 2 else _beating(uniform, winning_score)
    exact = head_to_head(game_tree(), ours, uniform, winning_score)
    wins, rounds = (
        (exact.wins_as_first, exact.rounds_as_first) if a_first else (exact.wins_as_second, exact.rounds_as_second)
    )
    simulated = simulate(ours, uniform, winning_score, a_first, num_matches, seed=2 * winning_score + a_first)
    error = math.sqrt(wins * (1.0 - wins) / num_matches)
    assert abs(simulated.wins - wins) <= 4.0 * error
    assert abs(simulated.mean_rounds - rounds) <= 4.0 * simulated.deviation_of_rounds / math.sqrt(num_matches)
    assert error < 0.0012, "tight enough to tell the seats apart"


def _beating(bot: Mapping[Score, Floats], winning_score: int) -> dict[Score, Floats]:
    response = best_response_over_match(game_tree(), bot, winning_score)
    return {score: best_moves(response, score) for score in response.scores}


# --- errors


@pytest.mark.parametrize("absent", [(0, 0), (1, 1), (1, 0)])
@pytest.mark.parametrize("side", [0, 1])
def test_missing_scores(absent: tuple[int, int], side: int) -> None:
    bots = [uniform_bot(2), uniform_bot(2)]
    del bots[side][Score(*absent)]
    with pytest.raises(KeyError) as caught:
        head_to_head(game_tree(), bots[0], bots[1], 2)
    assert caught.value.args == (Score(*absent),)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("value", [-0.25, np.nan, np.inf, 2.0])
def test_what_is_no_strategy_is_refused(side: int, value: float) -> None:
    bots = [uniform_bot(1), uniform_bot(1)]
    for node in (1, 5):  # one of the first mover's moves, and one of the second mover's
        broken = uniform_strategy()
        broken[node, 2] = value
        bots[side] = {START: broken}
        with pytest.raises(ValueError, match="strategy"):
            head_to_head(game_tree(), bots[0], bots[1], 1)
    bots[side] = {START: uniform_strategy()[:100]}
    with pytest.raises(ValueError, match=r"strategy|shape"):
        head_to_head(game_tree(), bots[0], bots[1], 1)


def test_two_that_never_score_against_each_other() -> None:
    """Not an accident of linear algebra: half the matches each, or refused with the score named."""
    bot = endless_bot()
    try:
        result = head_to_head(game_tree(), bot, bot, 1)
    except np.linalg.LinAlgError as error:
        raise AssertionError("neither compared nor refused with the place named, but singular") from error
    except ValueError as error:
        assert "0-0" in str(error)  # noqa: PT017 - either answer will do
    else:
        assert result.wins == pytest.approx(0.5, abs=1e-9)


def test_pure_players() -> None:
    one, other = ({START: pure_strategy(seed)} for seed in (71, 72))
    result = head_to_head(game_tree(), one, other, 1)
    values = playing_values(one, other, 1)
    assert 2.0 * result.wins_as_first - 1.0 == pytest.approx(values[Turn(0, 0, True)], abs=1e-12)
