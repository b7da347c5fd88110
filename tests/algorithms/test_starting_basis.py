"""Where the simplex method starts: at strategies, in programs that grow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import naive, small_games
from oracle.naive import Floats, NaiveGame

from tictactoe.algorithms.exact.linear_program import BASIC, Basis, Program, solve_program
from tictactoe.algorithms.exact.sequence_form import Kept, SequenceForm
from tictactoe.algorithms.exact.starting_basis import StartingBasis
from tictactoe.algorithms.game import Game

QUICK = settings(max_examples=25, deadline=None, derandomize=True, database=None)
PLAYERS = st.sampled_from((0, 1))


def matrix(program: Program) -> Floats:
    """The program's matrix, dense."""
    result = np.zeros((len(program.row_lower), len(program.costs)))
    for row, (start, end) in enumerate(zip(program.starts[:-1], program.starts[1:], strict=True)):
        result[row, program.columns[start:end]] = program.entries[start:end]
    return result


def basic_solution(program: Program, basis: Basis) -> Floats:
    """The columns' values at a basis: what is not basic is at its lower bound, which is 0, or the row's."""
    columns, rows = basis.columns == BASIC, basis.rows == BASIC
    assert columns.sum() + rows.sum() == len(rows)
    result = np.zeros(len(columns))
    result[columns] = np.linalg.solve(matrix(program)[~rows][:, columns], program.row_lower[~rows])
    return result


def program_of(form: SequenceForm, game: NaiveGame, kept: Kept) -> Program:
    return form.program(Game(*game), kept, form.worst_case(Game(*game)))


@QUICK
@given(st.integers(0, 10**6), PLAYERS)
def test_it_begins_at_pure_strategies(seed: int, player: int) -> None:
    """The preferred moves of both players, played in a program of all moves: the values are what they are worth."""
    game = small_games.alternating_game(seed, seed % 2)
    form = SequenceForm(game.tree, player)
    preferred = small_games.pure_strategy(game.tree, seed)
    kept = form.kept(np.ones((game.tree.num_nodes, 3), np.bool_))
    program = program_of(form, game, kept)
    found = basic_solution(program, StartingBasis(form).of(kept, preferred))
    value = naive.expected_value(game.tree, preferred, game.payoffs, game.prior)
    assert program.costs @ found == pytest.approx(-value if player == 0 else value, abs=1e-12)


@QUICK
@given(st.integers(0, 10**6), PLAYERS)
def test_a_program_that_grew_goes_on_where_the_last_one_ended(seed: int, player: int) -> None:
    """There, without a pivot, the values are the last one's; and where it leads is the optimum."""
    game = small_games.alternating_game(seed, seed % 2)
    form = SequenceForm(game.tree, player)
    basis = StartingBasis(form)
    random = np.random.default_rng(seed)
    moves = small_games.pure_strategy(game.tree, seed) > 0.0
    last = None
    for _ in range(4):
        kept = form.kept(moves)
        program = program_of(form, game, kept)
        start = basis.of(kept, small_games.random_strategy(game.tree, seed))
        if last is not None:
            assert program.costs @ basic_solution(program, start) == pytest.approx(last, abs=1e-10)
        solution = solve_program(program, start)
        assert solution.objective == pytest.approx(solve_program(program).objective, abs=1e-10)
        basis.learn(kept, solution)
        last = solution.objective
        moves = moves | (random.random(moves.shape) < 0.3)
