"""The linear programs of a round in sequence form, row by row and optimum by optimum, against plain recursion."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import naive, small_games
from oracle.naive import Floats, NaiveGame

from tictactoe import Game
from tictactoe.algorithms.exact.linear_program import BASIC, Basis, Program, ProgramSolution, solve_program
from tictactoe.algorithms.exact.sequence_form import Kept, Mask, SequenceForm, behaviour
from tictactoe.algorithms.exact.starting_basis import StartingBasis

QUICK = settings(max_examples=25, deadline=None, derandomize=True, database=None)
SEEDS = st.integers(0, 10**6)
PLAYERS = (0, 1)
either = st.sampled_from(PLAYERS)
EXACT = 1e-12
"""A vertex is exact to rounding: a few times 1e-16, where the solver's tolerance would allow 1e-10."""


def all_moves(game: NaiveGame) -> Mask:
    return np.ones((game.tree.num_nodes, 3), bool)


def program_of(form: SequenceForm, game: NaiveGame, kept: Kept) -> Program:
    return form.program(Game(*game), kept, form.worst_case(Game(*game)))


def full_program(game: NaiveGame, player: int) -> tuple[SequenceForm, Kept, Program]:
    form = SequenceForm(game.tree, player)
    kept = form.kept(all_moves(game))
    return form, kept, program_of(form, game, kept)


def strategies_of(form: SequenceForm, solution: ProgramSolution, kept: Kept, elsewhere: Floats) -> Floats:
    """Both players' strategies from one program: P's from its values, the opponent's from its duals."""
    tree, player = form.tree, form.player
    own = behaviour(tree, player, form.plan(solution, kept), elsewhere)
    return behaviour(tree, 1 - player, form.answers(solution, kept), own)


def dense(program: Program) -> Floats:
    result = np.zeros((len(program.row_lower), len(program.costs)))
    for row in range(len(program.row_lower)):
        for entry in range(program.starts[row], program.starts[row + 1]):
            result[row, program.columns[entry]] += program.entries[entry]
    return result


@QUICK
@given(SEEDS, either, st.booleans())
def test_optima_of_random_games_with_and_without_ties(seed: int, first: int, ties: bool) -> None:
    game = small_games.random_game(seed) if first else small_games.alternating_game(seed)
    game = game._replace(payoffs=np.round(2.0 * game.payoffs) / 2.0) if ties else game
    values = []
    for player in PLAYERS:  # each proves the other's value, and naive best responses all strategies
        form, kept, program = full_program(game, player)
        solution = solve_program(program)
        strategy = strategies_of(form, solution, kept, naive.uniform_strategy(game.tree))
        assert naive.exploitability(game.tree, strategy, game.payoffs, game.prior) < EXACT
        value = -solution.objective if player == 0 else solution.objective
        assert naive.expected_value(game.tree, strategy, game.payoffs, game.prior) == pytest.approx(value, abs=EXACT)
        values.append(value)
    assert values[0] == pytest.approx(values[1], abs=EXACT)


def test_a_caller_may_have_used_highs_in_its_own_way() -> None:
    """HiGHS keeps a number of threads for a process, and then refuses another one."""
    import highspy

    caller = highspy.Highs()
    caller.setOptionValue("output_flag", False)
    caller.maximize(caller.addVariable(lb=0, ub=1))
    game = small_games.random_game(1)
    form, kept, program = full_program(game, 0)
    assert form.plan(solve_program(program), kept).any()


def objective_at(program: Program, basis: Basis) -> float:
    """The program's objective at a basis: other columns are at their lower bound, which is 0, or the row's."""
    columns, rows = basis.columns == BASIC, basis.rows == BASIC
    assert columns.sum() + rows.sum() == len(rows)
    result = np.zeros(len(columns))
    result[columns] = np.linalg.solve(dense(program)[~rows][:, columns], program.row_lower[~rows])
    return float(program.costs @ result)


@QUICK
@given(SEEDS, either)
def test_the_first_basis_is_the_preferred_pure_strategies(seed: int, player: int) -> None:
    game = small_games.alternating_game(seed, seed % 2)
    form, kept, program = full_program(game, player)
    preferred = small_games.pure_strategy(game.tree, seed)
    value = naive.expected_value(game.tree, preferred, game.payoffs, game.prior)
    begun = objective_at(program, StartingBasis(form).of(kept, preferred))
    assert begun == pytest.approx(-value if player == 0 else value, abs=1e-12)


@QUICK
@given(SEEDS, either)
def test_a_program_that_grew_goes_on_where_the_last_one_ended(seed: int, player: int) -> None:
    """Before any pivot the values are the last one's; the simplex method then comes to the optimum."""
    game = small_games.alternating_game(seed, seed % 2)
    form = SequenceForm(game.tree, player)
    basis, random, last = StartingBasis(form), np.random.default_rng(seed), None
    moves = small_games.pure_strategy(game.tree, seed) > 0.0
    for _ in range(4):
        kept = form.kept(moves)
        program = program_of(form, game, kept)
        start = basis.of(kept, small_games.random_strategy(game.tree, seed))
        if last is not None:
            assert objective_at(program, start) == pytest.approx(last, abs=1e-10)
        solution = solve_program(program, start)
        assert solution.objective == pytest.approx(solve_program(program).objective, abs=1e-10)
        basis.learn(kept, solution)
        last = solution.objective
        moves = moves | (random.random(moves.shape) < 0.3)
