"""The linear programs of a round in sequence form, row by row and optimum by optimum, against plain recursion."""

from itertools import product

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


def random_moves(game: NaiveGame, seed: int) -> Mask:
    allowed: Mask = small_games.random_strategy(game.tree, seed, 0.5) > 0.0
    return allowed


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
@given(SEEDS, st.sampled_from([0.0, 0.5, 0.8]))
def test_behaviour_is_the_strategy_where_its_plan_gets_and_another_elsewhere(seed: int, zeros: float) -> None:
    tree = small_games.alternating_game(seed, seed % 2, max_depth=5).tree
    strategy, elsewhere = small_games.random_strategy(tree, seed, zeros), small_games.random_strategy(tree, seed + 1)
    for player in PLAYERS:
        plan = tree.own_reach(strategy)[player]
        untouched = elsewhere.copy()
        result = behaviour(tree, player, plan, elsewhere)
        np.testing.assert_array_equal(elsewhere, untouched)
        np.testing.assert_array_equal(plan, tree.own_reach(strategy)[player])
        for node, own_type in product(range(1, tree.num_nodes), range(3)):
            parent = int(tree.parent[node])
            own = tree.owner[parent] == player and plan[parent, own_type] > 0.0
            expected = strategy if own else elsewhere
            assert result[node, own_type] == pytest.approx(expected[node, own_type], abs=1e-13)
        np.testing.assert_array_equal(result[0], elsewhere[0])


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


@QUICK
@given(SEEDS, either, either, st.booleans())
def test_the_best_plan_against_a_strategy_is_a_best_response(seed: int, first: int, player: int, whole: bool) -> None:
    """The program may follow few of the opponent's moves: its costs have the value of a best response to the others."""
    game = small_games.alternating_game(seed, first)
    tree, form = game.tree, SequenceForm(game.tree, player)
    strategy = small_games.random_strategy(tree, seed, 0.3)
    own = (tree.mover == player)[:, None]
    kept = form.kept(all_moves(game) if whole else own | (small_games.pure_strategy(tree, seed) > 0.0))
    values = form.values_below(Game(*game), player, tree.own_reach(strategy)[1 - player])
    # With costs on plans alone, values that are large enough satisfy every answer.
    solution = solve_program(form.program(Game(*game), kept, form.costs_beyond(kept, values)))
    followed = kept.rows[: form.size // 2].reshape(-1, 3).any(axis=1)
    before = sum(values[c].sum() for c in tree.children(0) if tree.owner[0] != player and not followed[c])
    best = naive.best_response_value(tree, strategy, game.payoffs, game.prior, player)
    assert -(solution.objective + before) == pytest.approx(best, abs=EXACT)
    assert values[0].sum() == pytest.approx(-best, abs=1e-14)


@QUICK
@given(SEEDS, either, either)
def test_optima_of_restricted_games(seed: int, alternate: int, player: int) -> None:
    game = small_games.alternating_game(seed, max_depth=5) if alternate else small_games.random_game(seed, max_depth=5)
    moves = random_moves(game, seed)
    form = SequenceForm(game.tree, player)
    kept = form.kept(moves)
    solution = solve_program(program_of(form, game, kept))
    strategy = strategies_of(form, solution, kept, naive.average_strategy(game.tree, moves.astype(float)))
    strategy[0] = 1.0
    assert np.all(moves[1:] | (strategy[1:] == 0.0))
    best = [naive.best_values(game, strategy, seat, 0, np.ones(3), moves).sum() for seat in PLAYERS]
    assert sum(best) == pytest.approx(0.0, abs=EXACT)
    assert solution.objective == pytest.approx(best[1 - player], abs=EXACT)


@QUICK
@given(SEEDS, either)
def test_a_restricted_program_is_a_part_of_the_full_one(seed: int, player: int) -> None:
    game = small_games.alternating_game(seed, seed % 2)
    form, full, whole = full_program(game, player)
    part = form.kept(random_moves(game, seed))
    less = program_of(form, game, part)
    assert not np.any(part.rows & ~full.rows)
    assert not np.any(part.columns & ~full.columns)
    rows, columns = part.rows[np.flatnonzero(full.rows)], part.columns[np.flatnonzero(full.columns)]
    np.testing.assert_array_equal(dense(less), dense(whole)[rows][:, columns])
    for name, keep in (("costs", columns), ("column_lower", columns), ("row_lower", rows), ("row_upper", rows)):
        np.testing.assert_array_equal(getattr(less, name), getattr(whole, name)[keep])


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
