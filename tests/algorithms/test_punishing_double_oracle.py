"""Exact equilibria of one round: proved by naive best responses. test_polish.py has the real round."""

import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle import naive, small_games
from oracle.naive import Floats, NaiveGame

from tictactoe import DoubleOracle, Game, kuhn_poker, uniform_strategy
from tictactoe.algorithms import linear_program
from tictactoe.algorithms import punishing_double_oracle as equilibrium
from tictactoe.algorithms.linear_program import Basis, ProgramSolution, require_solver, solve_program
from tictactoe.algorithms.sequence_form import Program, SequenceForm
from tictactoe.errors import MissingSolverError, ProgramError

QUICK = settings(max_examples=25, deadline=None, derandomize=True, database=None)


def assert_exact(game: NaiveGame, found: equilibrium.Equilibrium) -> None:
    assert naive.exploitability(game.tree, found.strategy, game.payoffs, game.prior) < 1e-12
    value = naive.expected_value(game.tree, found.strategy, game.payoffs, game.prior)
    assert found.value == pytest.approx(value, abs=1e-14)
    assert found.exploitability.value == found.value
    assert max(found.exploitability.first_gain, found.exploitability.second_gain) <= equilibrium.LARGEST_ACCEPTED_GAIN
    assert found.num_programs >= 1


@QUICK
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.5, 1.0]), st.booleans())
@example(835221, 0.0, True)  # solved in whole numbers
def test_random_games_from_random_references(seed: int, zeros: float, ties: bool) -> None:
    """Zeros of 1 stand for uniform play; with ties, payoffs are -1, 0 and 1. The solver then goes on to other games."""
    game = small_games.alternating_game(seed, seed % 2)
    game = game._replace(payoffs=np.round(game.payoffs)) if ties else game
    solver = DoubleOracle(game.tree, small_games.random_strategy(game.tree, seed + 1, zeros))
    random = np.random.default_rng(seed)
    for size in (0.0, 1.0, 0.1):
        other = game._replace(payoffs=game.payoffs + random.uniform(-size, size, game.payoffs.shape))
        assert_exact(other, solver.solve(Game(*other)))


@pytest.mark.parametrize("better", [1e-3, 1e-6, 1e-9])
def test_a_move_that_is_a_little_better(better: float) -> None:
    """The reference never makes it, and nothing but a best response in the full game knows of it."""
    tree = small_games.make_tree([-1, 0, 0], [0, -1, -1], [-1, 0, 1])
    payoffs = np.multiply.outer([0.5, 0.5 + better], np.ones((3, 3)))
    oracle = DoubleOracle(tree, np.repeat([[1.0], [1.0], [0.0]], 3, axis=1))
    found = oracle.solve(Game(tree, payoffs, small_games.uniform_prior()))
    assert found.value == pytest.approx(0.5 + better, abs=1e-15)
    np.testing.assert_allclose(found.strategy[2], np.ones(3), rtol=0, atol=1e-15)


@pytest.mark.parametrize("size", [1e-300, 1e-12, 2e-9, 1e10, 1e12, 1e300])
def test_payoffs_of_any_size(size: float) -> None:
    """What counts as rounding is a part of the payoffs, not a number."""
    game = small_games.kuhn_game()
    oracle = DoubleOracle(game.tree, uniform_strategy(game.tree))
    found = oracle.solve(Game(*game._replace(payoffs=size * game.payoffs)))
    assert found.value == pytest.approx(-size / 18, rel=1e-12, abs=0.0)
    assert found.exploitability.total <= 1e-13 * size


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5])
def test_whole_numbers(seed: int) -> None:
    game = small_games.alternating_game(seed, seed % 2)
    exact = equilibrium.exact_equilibrium(Game(*game), uniform_strategy(game.tree))
    assert exact is not None
    assert naive.exploitability(game.tree, exact.strategy, game.payoffs, game.prior) < 1e-15
    found = DoubleOracle(game.tree, uniform_strategy(game.tree)).solve(Game(*game))
    assert exact.value == pytest.approx(found.value, abs=1e-13)


def test_a_payoff_of_one_beside_one_of_a_trillion() -> None:
    """Player 0 knows a coin and player 1 does not. Who bets gets 1: player 1 folds lest it be the trillion."""
    tree = small_games.make_tree([-1, 0, 0, 1, 1, 2, 2], [0, 1, 1, -1, -1, -1, -1], [-1, -1, -1, 0, 1, 2, 3])
    types = np.diag([0.5, 0.5, 0.0])
    payoffs = np.zeros((4, 3, 3))
    payoffs[0, :, :2], payoffs[1, :, :2] = np.array([[1e12], [-1.0], [0.0]]), 1.0
    payoffs[2, :, :2], payoffs[3, :, :2] = np.array([[-1.0], [0.0], [0.0]]), np.array([[0.0], [1e12], [0.0]])
    prior = np.outer(np.diag(types), [1.0, 0.0, 0.0])
    found = DoubleOracle(tree, uniform_strategy(tree)).solve(Game(tree, payoffs, prior))
    assert (found.value, found.exploitability.total) == (1.0, 0.0)


@QUICK
@given(st.integers(0, 10**6), st.sampled_from((0, 1)))
def test_no_equilibrium_strategy_gets_more_from_trembling(seed: int, player: int) -> None:
    """Among the plans against which nobody gets more than the value, by one program of the full game."""
    game = small_games.alternating_game(seed, seed % 2)
    game = game._replace(payoffs=np.round(game.payoffs))  # ties: there is something to choose
    compiled, tree = Game(*game), game.tree
    reference, uniform = small_games.random_strategy(tree, seed, 0.3), naive.uniform_strategy(tree)
    found = DoubleOracle(tree, reference).solve(compiled)
    trembles = equilibrium.TREMBLE_PROBABILITY
    usual = (1.0 - trembles) * reference + trembles * uniform
    reach, of_random_rounds = (tree.own_reach(strategy)[1 - player] for strategy in (usual, uniform))
    random = equilibrium.RANDOM_ROUND_PROBABILITY
    reach = (1.0 - random) * reach + random * of_random_rounds
    form = SequenceForm(tree, player)
    kept = form.kept(np.ones((tree.num_nodes, 3), np.bool_))
    costs = form.costs_beyond(kept, form.values_below(compiled, player, reach))
    program = form.program(compiled, kept, costs)
    value = found.value if player == 1 else -found.value
    best = solve_program(with_budget(program, form.worst_case(compiled)[kept.columns], value + 1e-9))
    gets = costs[: form.size // 2] @ tree.own_reach(found.strategy)[player].ravel()
    assert gets <= best.objective + equilibrium.PLAN_TOLERANCE + 1e-9


def with_budget(program: Program, coefficients: Floats, budget: float) -> Program:
    columns = np.flatnonzero(coefficients).astype(np.int32)
    return program._replace(
        row_lower=np.append(program.row_lower, -np.inf),
        row_upper=np.append(program.row_upper, budget),
        starts=np.append(program.starts, program.starts[-1] + np.int32(len(columns))),
        columns=np.concatenate([program.columns, columns]),
        entries=np.concatenate([program.entries, coefficients[columns]]),
    )


def test_what_is_no_equilibrium_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    game = small_games.kuhn_game()

    def nonsense(program: Program, basis: Basis | None = None) -> ProgramSolution:
        solution = solve_program(program, basis)
        return solution._replace(columns=np.zeros_like(solution.columns), duals=np.zeros_like(solution.duals))

    monkeypatch.setattr(equilibrium, "solve_program", nonsense)
    monkeypatch.setattr(equilibrium, "LARGEST_SMALL_GAME", 0)
    for reference in (naive.uniform_strategy(game.tree), small_games.random_strategy(game.tree, 2, 0.5)):
        with pytest.raises(ProgramError, match=r"^no equilibrium: somebody still gains") as caught:
            DoubleOracle(game.tree, reference).solve(Game(*game))
        assert "\n" not in str(caught.value)


def test_limits_of_the_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    game = small_games.kuhn_game()
    solver = DoubleOracle(game.tree, naive.uniform_strategy(game.tree))
    monkeypatch.setattr(equilibrium, "FIRST_WEIGHT", 0.01)
    monkeypatch.setattr(equilibrium, "LARGEST_SMALL_GAME", 0)
    assert_exact(game, solver.solve(Game(*game)))
    monkeypatch.setattr(equilibrium, "MAXIMUM_TRIALS", 1)
    with pytest.raises(ProgramError, match=r"^no equilibrium: somebody still gains"):
        DoubleOracle(game.tree, naive.uniform_strategy(game.tree)).solve(Game(*game))
    monkeypatch.undo()
    monkeypatch.setattr(equilibrium, "MAXIMUM_PROGRAMS", 1)
    monkeypatch.setattr(equilibrium, "LARGEST_SMALL_GAME", 0)
    pure = np.zeros((game.tree.num_nodes, 3))
    pure[0] = 1.0
    pure[game.tree.first_child[game.tree.decision_nodes]] = 1.0  # checks and folds
    with pytest.raises(ProgramError, match=r"^no equilibrium after 1 "):
        DoubleOracle(game.tree, pure).solve(Game(*game))


def tiny(costs: tuple[float, float], lower: float = 1.0, upper: float = np.inf) -> Program:
    """Minimise costs @ (x, y) where lower <= x + 2 y <= upper, x and y not negative."""
    starts, columns, entries = np.array([0, 2], np.int32), np.array([0, 1], np.int32), np.array([1.0, 2.0])
    return Program(np.array(costs), np.zeros(2), np.array([lower]), np.array([upper]), starts, columns, entries)


def test_a_program_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solve_program(tiny((3.0, 4.0)))
    assert solution.objective == pytest.approx(2.0, abs=1e-15)
    assert solution.columns == pytest.approx([0.0, 0.5], abs=1e-15)
    assert solution.duals == pytest.approx([2.0], abs=1e-15)
    assert solve_program(tiny((3.0, 4.0)), solution.basis).objective == solution.objective
    other = solve_program(tiny((1.0, 4.0)), solution.basis)
    assert other.columns == pytest.approx([1.0, 0.0], abs=1e-15)
    assert other.duals == pytest.approx([1.0], abs=1e-15)
    # This basis takes a pivot to the optimum. The solver gives it up where the limit allows no pivot.
    monkeypatch.setitem(linear_program._WITH_BASIS, "simplex_iteration_limit", 0)
    other = solve_program(tiny((1.0, 4.0)), solution.basis)
    assert other.columns == pytest.approx([1.0, 0.0], abs=1e-15)


@pytest.mark.parametrize("program", [tiny((-1.0, 1.0)), tiny((1.0, 1.0), -2.0, -1.0)], ids=["unbounded", "infeasible"])
def test_programs_without_an_optimum(program: Program) -> None:
    with pytest.raises(ProgramError, match=r"^the linear program was not solved: \S+") as caught:
        solve_program(program)
    assert "\n" not in str(caught.value)


def test_without_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    game = small_games.kuhn_game()
    solver = DoubleOracle(game.tree, naive.uniform_strategy(game.tree))
    monkeypatch.setitem(sys.modules, "highspy", None)  # what an import that fails looks like
    for refused in (require_solver, lambda: solve_program(tiny((1.0, 1.0))), lambda: solver.solve(Game(*game))):
        with pytest.raises(MissingSolverError, match="pip install") as caught:
            refused()
        assert "highspy" in str(caught.value)
        assert "\n" not in str(caught.value)
    monkeypatch.undo()
    monkeypatch.setattr("highspy.Highs", object)  # without getBasicVariables, as up to version 1.9
    with pytest.raises(MissingSolverError, match=r"^this needs highspy 1\.10 or later: pip install --upgrade highspy$"):
        require_solver()
    monkeypatch.undo()
    require_solver()


def test_the_solver_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """HiGHS prints a banner when it starts, past Python's sys.stdout: it would stand before the JSON of a command."""
    game = kuhn_poker()
    DoubleOracle(game.tree, uniform_strategy(game.tree)).solve(game)
    assert capfd.readouterr() == ("", "")
