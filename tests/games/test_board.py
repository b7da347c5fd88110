"""Squares, symmetries and outcomes of a board."""

import random
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tictactoe.games.board import FULL, LINES, SQUARES, SYMMETRIES, Board, final_lines, has_line, lines_of
from tictactoe.games.rules import RULES, Rules

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
