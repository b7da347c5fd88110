"""Boards, rules as text, and the round as a game. test_checker_rules.py has who scores."""

import random
import re
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import small_games
from oracle.lifting import GENERIC_VALUES, game_tree

from tictactoe import SINGLE_ROUND, OutcomeValues, tic_tac_toe_round
from tictactoe.games.board import FULL, LINES, SQUARES, SYMMETRIES, Board, final_lines, has_line, lines_of
from tictactoe.games.payoffs import small_move_bonus
from tictactoe.games.rules import MOST_ODDS, RULES, Goal, Outcome, Rules, parse_odds

play_orders = st.permutations(SQUARES).flatmap(lambda squares: st.integers(0, 9).map(lambda n: tuple(squares[:n])))
symmetries = st.sampled_from(SYMMETRIES)


def after(moves: tuple[int, ...]) -> Board:
    board = Board()
    for square in moves:
        board = board.play(square)
    return board


def bits(*squares: int) -> int:
    return sum(1 << (square - 1) for square in squares)


def position(square: int) -> tuple[int, int]:
    return divmod(square - 1, 3)


def test_symmetries_and_lines() -> None:
    assert len(set(SYMMETRIES)) == len(SYMMETRIES) == 8
    assert SYMMETRIES[0] == SQUARES
    for one, other in product(SYMMETRIES, repeat=2):
        assert tuple(other[one[s] - 1] for s in range(9)) in SYMMETRIES
    for symmetry in SYMMETRIES:
        assert sorted(symmetry) == list(SQUARES)
        for one, other in product(SQUARES, repeat=2):
            (r1, c1), (r2, c2) = position(one), position(other)
            (s1, d1), (s2, d2) = position(symmetry[one - 1]), position(symmetry[other - 1])
            assert (r1 - r2) ** 2 + (c1 - c2) ** 2 == (s1 - s2) ** 2 + (d1 - d2) ** 2
    collinear = set()
    for triple in combinations(SQUARES, 3):
        (r0, c0), (r1, c1), (r2, c2) = map(position, triple)
        if (r0 + r2, c0 + c2) == (2 * r1, 2 * c1):
            collinear.add(triple)
    assert (set(LINES), len(LINES)) == (collinear, 8)
    for marks in range(FULL + 1):
        squares = {s for s in SQUARES if marks & bits(s)}
        expected = tuple(line for line in LINES if set(line) <= squares)
        assert (lines_of(marks), has_line(marks)) == (expected, bool(expected))


@settings(deadline=None)
@given(moves=play_orders, symmetry=symmetries)
def test_boards_of_any_play_and_of_its_images(moves: tuple[int, ...], symmetry: tuple[int, ...]) -> None:
    board = after(moves)
    assert (board.first, board.second) == (bits(*moves[0::2]), bits(*moves[1::2]))
    assert board.num_marks == len(moves)
    assert sorted((*board.free_squares, *moves)) == list(SQUARES)
    for taken in moves:
        with pytest.raises(ValueError, match=f"square {taken}"):
            board.play(taken)
    assert board.image(symmetry) == after(tuple(symmetry[square - 1] for square in moves))
    assert all(Rules(name).outcome(board.image(symmetry)) is Rules(name).outcome(board) for name in RULES)
    assert board.image(symmetry).canonical() == board.canonical()
    assert board.canonical() in {board.image(other) for other in SYMMETRIES}


@settings(deadline=None)
@given(one=play_orders, other=play_orders)
def test_canonical_boards_tell_boards_apart(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    images = any(after(one).image(symmetry) == after(other) for symmetry in SYMMETRIES)
    assert (after(one).canonical() == after(other).canonical()) == images


def test_lines_of_full_boards_by_playing_on() -> None:
    generator, seen = random.Random(1), set()
    for _ in range(200):
        board = Board()
        for _ in range(generator.randrange(3, 10)):
            board = board.play(generator.choice(board.free_squares))
        assert final_lines(board) == {(has_line(full.first), has_line(full.second)) for full in filled(board)}
        seen.add(final_lines(board))
    assert len(seen) >= 8
    assert len(final_lines(Board())) == 4


def filled(board: Board) -> set[Board]:
    free = board.free_squares
    return set().union(*(filled(board.play(square)) for square in free)) if free else {board}


odds = st.tuples(*[st.integers(0, 60)] * 3).filter(any)


def test_every_outcome_has_goals_and_words() -> None:
    assert tuple(map(int, Outcome)) == (0, 1, 2, 3)
    for of_round in RULES.values():
        outcomes = list(of_round.goals_true)
        assert outcomes == list(Outcome)[: len(outcomes)]
        assert set(of_round.happened) >= set(outcomes) <= set(of_round.briefly)
        assert set(of_round.to_do) == set(Goal)
        assert of_round.text.endswith(".")


@given(st.sampled_from(list(RULES)), odds)
def test_text_is_read_back(name: str, goal_odds: tuple[int, int, int]) -> None:
    rules = Rules(name, goal_odds)
    assert Rules.parse(str(rules)) == rules == Rules(name, tuple(3 * one for one in goal_odds))  # type: ignore[arg-type]
    assert (str(rules) == name) is (len(set(goal_odds)) == 1)
    assert sum(rules.goal_probabilities) == pytest.approx(1.0, abs=1e-15)
    total = sum(goal_odds)
    assert rules.goal_probabilities == pytest.approx([one / total for one in goal_odds])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("misere", "rules: unknown rules 'misere'; known: three-in-a-row, filled"),
        ("", "rules: unknown rules ''"),
        ("filled 1:1:1", "rules: 'filled 1:1:1' where 'filled' would be right"),
        ("filled ", "rules: 'filled ' where 'filled' would be right"),
        ("filled 0:0:0", "goal_odds: all are 0"),
        ("filled 1:-1:1", "goal_odds: '1:-1:1' are not whole numbers win:lose:tie, such as 2:1:1"),
        ("filled 999999999:1:1", "goal_odds: (999999999, 1, 1) are not three whole numbers from 0 to 1,000,000"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        Rules.parse(text)


def test_odds() -> None:
    assert parse_odds("2:01:0") == (2, 1, 0)
    for bad in ((1, 1), (1, 1, 1, 1), (1.0, 1, 1), (True, 1, 1), (-1, 1, 1), (MOST_ODDS + 1, 1, 1)):
        with pytest.raises(ValueError, match=r"^goal_odds: "):
            Rules("filled", bad)


def test_the_payoffs_of_the_round() -> None:
    game = tic_tac_toe_round(game_tree(), GENERIC_VALUES)
    assert np.array_equal(game.payoffs, small_games.round_payoffs(GENERIC_VALUES))
    np.testing.assert_allclose(game.prior, small_games.uniform_prior(), rtol=1e-15)
    assert game.bonus is None
    for position, bad in product(range(4), (np.nan, np.inf, -np.inf)):
        numbers = [0.0, 1.0, -1.0, 0.0]
        numbers[position] = bad
        with pytest.raises(ValueError, match="finite"):
            tic_tac_toe_round(game_tree(), OutcomeValues(*numbers))


def test_the_bonus() -> None:
    tree, bonus = game_tree(), small_move_bonus(game_tree())
    assert (bonus.shape, bonus[0]) == ((tree.num_nodes,), 0.0)
    assert 0.5 < np.abs(bonus).max() <= 1.0
    assert np.array_equal(tic_tac_toe_round(tree, SINGLE_ROUND, with_bonus=True).bonus, bonus)
    # An earlier smaller move outweighs all later ones: squares are digits to the base 9.
    leaves = np.flatnonzero(tree.leaf_class >= 0).tolist()
    expected = []
    for history in map(tree.history, leaves):
        own = [sum((9 - s) / 9 ** (k + 1) for k, s in enumerate(history[player::2])) for player in (0, 1)]
        expected.append(own[0] - own[1])
    np.testing.assert_allclose(bonus[leaves], expected, rtol=0, atol=1e-15)
    assert tree.history(1) == (1,)
    assert bonus[1] == pytest.approx(8 / 9, abs=1e-15)
