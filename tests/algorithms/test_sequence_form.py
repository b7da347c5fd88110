"""Where the simplex method starts in the linear programs of a round: at strategies, and where the last one ended."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import naive, small_games
from oracle.naive import Floats, NaiveGame

from tictactoe import Game
from tictactoe.algorithms.linear_program import BASIC, Basis, Program, solve_program
from tictactoe.algorithms.sequence_form import Kept, SequenceForm, StartingBasis

QUICK = settings(max_examples=25, deadline=None, derandomize=True, database=None)
SEEDS = st.integers(0, 10**6)
either = st.sampled_from((0, 1))


def program_of(form: SequenceForm, game: NaiveGame, kept: Kept) -> Program:
    return form.program(Game(*game), kept, form.worst_case(Game(*game)))


def full_program(game: NaiveGame, player: int) -> tuple[SequenceForm, Kept, Program]:
    form = SequenceForm(game.tree, player)
    kept = form.kept(np.ones((game.tree.num_nodes, 3), bool))
    return form, kept, program_of(form, game, kept)


def dense(program: Program) -> Floats:
    result = np.zeros((len(program.row_lower), len(program.costs)))
    np.add.at(result, (np.repeat(np.arange(len(result)), np.diff(program.starts)), program.columns), program.entries)
    return result


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
