"""The linear programs of a round in sequence form, row by row and optimum by optimum, against plain recursion."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifting import LevelEvaluator, game_tree
from naive import Floats, Game

from tictactoe.game import RoundGame
from tictactoe.linear_program import ProgramSolution, solve_program
from tictactoe.response import expected_value, leaf_distribution
from tictactoe.sequence_form import Kept, Levels, Mask, Program, SequenceForm

QUICK = settings(max_examples=25, deadline=None, derandomize=True, database=None)
SEEDS = st.integers(0, 10**6)
PLAYERS = (0, 1)
EXACT = 1e-12
"""A vertex is exact to rounding: a few times 1e-16, where the solver's tolerance would allow 1e-10."""


def alternating_game(seed: int, first: int = 0, max_depth: int = 4) -> Game:
    """A random small game in which player `first` moves at the root and the players take turns."""
    tree, payoffs, prior = naive.random_game(seed, max_depth)
    depth = np.zeros(tree.num_nodes, int)
    for node in range(1, tree.num_nodes):
        depth[node] = depth[tree.parent[node]] + 1
    owner = np.where(tree.leaf_class >= 0, -1, (depth + first) % 2)
    return Game(naive.make_tree(tree.parent.tolist(), owner.tolist(), tree.leaf_class.tolist()), payoffs, prior)


def games() -> list[Game]:
    """Kuhn poker, and small games of every shape that is hard: see the trees with leaves below the root."""
    return [naive.kuhn_game(), *(alternating_game(seed, seed % 2) for seed in range(12))]


def everything(game: Game) -> Mask:
    return np.ones((game.tree.num_nodes, 3), bool)


def random_moves(game: Game, seed: int) -> Mask:
    """Some moves of every node and type, one at least."""
    allowed: Mask = naive.random_strategy(game.tree, seed, 0.5) > 0.0
    return allowed


def pure_strategy(game: Game, seed: int) -> Floats:
    """One move of every node and type."""
    random = np.random.default_rng(seed)
    result = np.zeros((game.tree.num_nodes, 3))
    result[0] = 1.0
    for node, own_type in product(game.tree.decision_nodes.tolist(), range(3)):
        result[random.choice(list(game.tree.children(node))), own_type] = 1.0
    return result


def solved(form: SequenceForm, game: Game, kept: Kept) -> ProgramSolution:
    compiled = RoundGame(*game)
    return solve_program(form.program(compiled, kept, form.worst_case(compiled)))


def at_full_indices(values: Floats, kept: Mask) -> Floats:
    result = np.zeros(len(kept))
    result[np.flatnonzero(kept)] = values
    return result


def strategies_of(form: SequenceForm, solution: ProgramSolution, kept: Kept, elsewhere: Floats) -> Floats:
    """Both players' strategies from one program: P's from its values, the opponent's from its duals."""
    levels, player = form.levels, form.player
    plan = form.plan(at_full_indices(solution.columns, kept.columns))
    answers = form.answers(at_full_indices(solution.duals, kept.rows))
    own = levels.behaviour(player, np.where(plan < 1e-12, 0.0, plan), elsewhere)
    return levels.behaviour(1 - player, np.where(answers < 1e-12, 0.0, answers), own)


def dense(program: Program) -> Floats:
    """The matrix in full."""
    result = np.zeros((len(program.row_lower), len(program.costs)))
    for row in range(len(program.row_lower)):
        for entry in range(program.starts[row], program.starts[row + 1]):
            result[row, program.columns[entry]] += program.entries[entry]
    return result


# --- a tree by depth ---------------------------------------------------------------------------------------------


@QUICK
@given(SEEDS)
def test_levels(seed: int) -> None:
    game = alternating_game(seed, seed % 2)
    tree = game.tree
    levels = Levels.of(tree)
    assert sorted(np.concatenate(levels.nodes).tolist()) == list(range(tree.num_nodes))
    assert levels.nodes[0].tolist() == [0]
    for above, below in zip(levels.nodes, levels.nodes[1:], strict=False):
        assert set(tree.parent[below].tolist()) <= set(above.tolist())
        assert len(below) > 0
    assert levels.mover.tolist() == [-1, *(tree.owner[tree.parent[node]] for node in range(1, tree.num_nodes))]


@QUICK
@given(SEEDS, st.sampled_from([0.0, 0.4]))
def test_reach_by_loops(seed: int, zeros: float) -> None:
    game = alternating_game(seed, seed % 2, max_depth=5)
    strategy = naive.random_strategy(game.tree, seed, zeros)
    for player in PLAYERS:
        expected = np.ones(strategy.shape)
        for node in range(1, game.tree.num_nodes):
            parent = int(game.tree.parent[node])
            own = game.tree.owner[parent] == player
            expected[node] = expected[parent] * (strategy[node] if own else 1.0)
        np.testing.assert_array_equal(Levels.of(game.tree).reach(player, strategy), expected)


def test_reach_in_the_round() -> None:
    strategy = naive.random_strategy(game_tree(), 3, 0.3)
    for player in PLAYERS:
        expected = LevelEvaluator(game_tree()).reach(strategy, player)
        np.testing.assert_array_equal(Levels.of(game_tree()).reach(player, strategy), expected)


@QUICK
@given(SEEDS)
def test_sums_largest_and_spread_by_loops(seed: int) -> None:
    tree = alternating_game(seed).tree
    levels = Levels.of(tree)
    array = np.random.default_rng(seed).normal(size=(tree.num_nodes, 3))
    sums, largest = levels.sums(array), levels.largest(array)
    per_decision = np.random.default_rng(seed + 1).normal(size=(tree.num_decision_nodes, 3))
    spread = levels.spread(per_decision)
    assert sums.shape == largest.shape == per_decision.shape
    assert spread.shape == array.shape
    assert spread[0].tolist() == [0.0, 0.0, 0.0]
    for index, node in enumerate(tree.decision_nodes.tolist()):
        children = list(tree.children(node))
        np.testing.assert_allclose(sums[index], sum(array[child] for child in children), rtol=0, atol=1e-14)
        np.testing.assert_array_equal(largest[index], np.max([array[child] for child in children], axis=0))
        for child in children:
            np.testing.assert_array_equal(spread[child], per_decision[index])


@QUICK
@given(SEEDS, st.sampled_from([0.0, 0.5, 0.8]))
def test_behaviour_is_the_strategy_where_its_plan_gets_and_another_elsewhere(seed: int, zeros: float) -> None:
    game = alternating_game(seed, seed % 2, max_depth=5)
    tree, levels = game.tree, Levels.of(game.tree)
    strategy, elsewhere = naive.random_strategy(tree, seed, zeros), naive.random_strategy(tree, seed + 1)
    for player in PLAYERS:
        plan = levels.reach(player, strategy)
        untouched = elsewhere.copy()
        found = levels.behaviour(player, plan, elsewhere)
        np.testing.assert_array_equal(elsewhere, untouched)
        for node, own_type in product(range(1, tree.num_nodes), range(3)):
            parent = int(tree.parent[node])
            own = tree.owner[parent] == player and plan[parent, own_type] > 0.0
            expected = strategy if own else elsewhere
            assert found[node, own_type] == pytest.approx(expected[node, own_type], abs=1e-13)
        np.testing.assert_array_equal(found[0], elsewhere[0])


def test_behaviour_does_not_change_a_plan() -> None:
    plan = np.full((naive.kuhn_game().tree.num_nodes, 3), 0.25)
    levels = Levels.of(naive.kuhn_game().tree)
    levels.behaviour(0, plan, naive.kuhn_equilibrium())
    assert np.all(plan == 0.25)


@QUICK
@given(SEEDS)
def test_players_who_do_not_alternate_are_refused(seed: int) -> None:
    tree = naive.random_game(seed).tree
    alternating = all(
        tree.owner[node] != tree.owner[tree.parent[node]] for node in tree.decision_nodes.tolist() if node > 0
    )
    if alternating:
        Levels.of(tree)
    else:
        with pytest.raises(ValueError, match=r"^tree: .*twice in a row"):
            Levels.of(tree)


def test_a_player_who_moves_twice_in_a_row_is_refused() -> None:
    for owner in ([0, 0, -1, -1, -1], [1, 1, -1, -1, -1]):
        with pytest.raises(ValueError, match=r"^tree: "):
            Levels.of(naive.make_tree([-1, 0, 0, 1, 1], owner, [-1, -1, 0, 1, 2]))
    Levels.of(naive.make_tree([-1, 0, 0, 1, 1], [0, 1, -1, -1, -1], [-1, -1, 0, 1, 2]))


# --- the program, row by row -------------------------------------------------------------------------------------


def best_answers(game: Game, player: int, reach: Floats) -> Floats:
    """(num_nodes, 3): by type of `player`'s opponent, what it gets from a node on by its best moves.

    Times the prior and `reach`, the probabilities of `player`'s own moves.
    """
    tree = game.tree
    result = np.zeros((tree.num_nodes, 3))
    for node in range(tree.num_nodes - 1, -1, -1):
        if tree.leaf_class[node] >= 0:
            result[node] = naive.leaf_values(game.payoffs[tree.leaf_class[node]], game.prior, reach[node], 1 - player)
        elif tree.owner[node] == player:
            result[node] = sum(result[child] for child in tree.children(node))
        else:
            result[node] = np.max([result[child] for child in tree.children(node)], axis=0)
    return result


def check_rows(game: Game, player: int, strategy: Floats) -> None:
    """Put a strategy and the best answers to it into the full program: what every row then has to say is known."""
    tree, compiled = game.tree, RoundGame(*game)
    levels = Levels.of(tree)
    form = SequenceForm(levels, player)
    kept = form.kept(everything(game))
    program = form.program(compiled, kept, form.worst_case(compiled))
    size = 3 * tree.num_nodes
    reach, best = levels.reach(player, strategy), best_answers(game, player, levels.reach(player, strategy))
    values = np.concatenate([reach, best]).ravel()[np.flatnonzero(kept.columns)]
    assert form.size == 2 * size
    is_plan = np.flatnonzero(kept.columns) < size
    assert np.all(program.column_lower[is_plan] == 0.0)
    assert np.all(program.column_lower[~is_plan] == -np.inf)
    assert program.costs @ values == pytest.approx(
        naive.best_response_value(tree, strategy, game.payoffs, game.prior, 1 - player), abs=1e-14
    )
    rows = dense(program) @ values
    for row, index in enumerate(np.flatnonzero(kept.rows).tolist()):
        node, own_type = divmod(index % size, 3)
        if index < size:
            assert tree.owner[node] == player
            assert program.row_lower[row] == program.row_upper[row]
            assert rows[row] == pytest.approx(program.row_lower[row], abs=1e-14)
        else:
            assert levels.mover[node] == 1 - player
            assert program.row_upper[row] == np.inf
            margin = best[tree.parent[node], own_type] - best[node, own_type]
            assert rows[row] - program.row_lower[row] == pytest.approx(margin, abs=1e-14)
    owner, mover = tree.owner, levels.mover
    own_moves, answers = np.sum(mover == player), np.sum(mover == 1 - player)
    assert kept.columns.sum() == 3 * (own_moves + np.sum(owner == 1 - player))
    assert kept.rows.sum() == 3 * (np.sum(owner == player) + answers)


@pytest.mark.parametrize("player", PLAYERS)
def test_rows_of_kuhn(player: int) -> None:
    game = naive.kuhn_game()
    for seed in range(5):
        check_rows(game, player, naive.random_strategy(game.tree, seed, 0.2 * seed))


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS), st.sampled_from(PLAYERS), st.sampled_from([0.0, 0.5]))
def test_rows_of_random_games(seed: int, first: int, player: int, zeros: float) -> None:
    game = alternating_game(seed, first)
    check_rows(game, player, naive.random_strategy(game.tree, seed, zeros))


def test_plans_that_are_none_break_a_flow() -> None:
    """The flow rows hold for realization plans and for nothing else."""
    game = naive.kuhn_game()
    for player in PLAYERS:
        form = SequenceForm(Levels.of(game.tree), player)
        kept = form.kept(everything(game))
        compiled = RoundGame(*game)
        program = form.program(compiled, kept, form.worst_case(compiled))
        flows = np.flatnonzero(np.isfinite(program.row_upper))
        matrix = dense(program)[flows]
        plan = form.levels.reach(player, naive.random_strategy(game.tree, 1))
        for node, own_type in product(np.flatnonzero(form.levels.mover == player).tolist(), range(3)):
            wrong = plan.copy()
            wrong[node, own_type] += 0.125
            values = np.concatenate([wrong, np.zeros_like(plan)]).ravel()[np.flatnonzero(kept.columns)]
            assert np.max(np.abs(matrix @ values - program.row_lower[flows])) == pytest.approx(0.125, abs=1e-14)


# --- optima ------------------------------------------------------------------------------------------------------


def check_optimum(game: Game) -> float:
    """Solve both players' programs; each proves the other's value, and naive best responses all strategies."""
    values = []
    uniform = naive.uniform_strategy(game.tree)
    for player in PLAYERS:
        form = SequenceForm(Levels.of(game.tree), player)
        kept = form.kept(everything(game))
        solution = solved(form, game, kept)
        strategy = strategies_of(form, solution, kept, uniform)
        assert naive.exploitability(game.tree, strategy, game.payoffs, game.prior) < EXACT
        value = -solution.objective if player == 0 else solution.objective
        assert naive.expected_value(game.tree, strategy, game.payoffs, game.prior) == pytest.approx(value, abs=EXACT)
        values.append(value)
    assert values[0] == pytest.approx(values[1], abs=EXACT)
    return values[0]


def test_the_value_of_kuhn() -> None:
    assert check_optimum(naive.kuhn_game()) == pytest.approx(-1 / 18, abs=1e-14)


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS))
def test_optima_of_random_games(seed: int, first: int) -> None:
    check_optimum(alternating_game(seed, first))


def test_optima_where_payoffs_tie() -> None:
    for seed in range(6):
        game = alternating_game(seed, seed % 2)
        check_optimum(game._replace(payoffs=np.round(2.0 * game.payoffs) / 2.0))


ROOT_LEAF = ([-1, 0, 0, 2, 2], [-1, 0, -1, 1, 2])
"""Parents and leaf classes: the player at the root ends the game with class 0, or the other one chooses 1 or 2."""


def with_signs(parents: list[int], classes: list[int], first: int, payoffs: list[float]) -> Game:
    """A game whose payoffs do not depend on the types, and whose player at the root is `first`: payoffs to `first`."""
    depth = [0]
    for parent in parents[1:]:
        depth.append(depth[parent] + 1)
    owner = [-1 if leaf >= 0 else (level + first) % 2 for leaf, level in zip(classes, depth, strict=True)]
    sign = 1.0 if first == 0 else -1.0
    matrices = np.array([np.full((3, 3), sign * payoff) for payoff in payoffs])
    return Game(naive.make_tree(parents, owner, classes), matrices, naive.uniform_prior())


@pytest.mark.parametrize("first", PLAYERS)
@pytest.mark.parametrize(
    ("payoffs", "value"), [((0.25, 1.0, -1.0), 0.25), ((-2.0, 1.0, -1.0), -1.0), ((0.5, 1.0, 0.75), 0.75)]
)
def test_a_leaf_below_the_root(first: int, payoffs: tuple[float, ...], value: float) -> None:
    game = with_signs(*ROOT_LEAF, first, list(payoffs))
    assert check_optimum(game) == pytest.approx(value if first == 0 else -value, abs=1e-14)


@pytest.mark.parametrize("first", PLAYERS)
def test_only_leaves_below_the_root(first: int) -> None:
    """One player never moves. The other takes the better leaf for its own type, the others' types averaged."""
    payoffs = np.random.default_rng(7).uniform(-1.0, 1.0, (3, 3, 3))
    prior = np.random.default_rng(8).random((3, 3))
    prior /= prior.sum()
    game = Game(naive.make_tree([-1, 0, 0, 0], [first, -1, -1, -1], [-1, 0, 1, 2]), payoffs, prior)
    by_type = (payoffs * prior).sum(axis=2 - first)
    value = by_type.max(axis=0).sum() if first == 0 else by_type.min(axis=0).sum()
    assert check_optimum(game) == pytest.approx(value, abs=1e-14)


# --- what a strategy of the opponent costs -----------------------------------------------------------------------


def value_before_the_first_move(game: Game, strategy: Floats, player: int) -> float:
    """What the opponent of `player` gets in expectation at leaves that it reaches before `player` has moved."""
    if game.tree.owner[0] == player:
        return 0.0
    total = 0.0
    for leaf in game.tree.children(0):
        if game.tree.leaf_class[leaf] >= 0:
            own = naive.leaf_values(game.payoffs[game.tree.leaf_class[leaf]], game.prior, np.ones(3), 1 - player)
            total += float(own @ strategy[leaf])
    return total


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("index", range(13))
def test_costs_against_a_strategy(index: int, player: int) -> None:
    game = games()[index]
    compiled, levels = RoundGame(*game), Levels.of(game.tree)
    form = SequenceForm(levels, player)
    for seed in range(3):
        strategy = naive.random_strategy(game.tree, 10 * index + seed, 0.3 * seed)
        costs = form.against(compiled, strategy)
        assert costs.shape == (form.size,)
        assert np.all(costs[form.size // 2 :] == 0.0)
        plan = levels.reach(player, strategy)
        plan[0] = np.nan  # nobody moves into the root: no program has these columns
        used = costs != 0.0
        value = expected_value(compiled, leaf_distribution(game.tree, strategy))
        value = -value if player == 0 else value
        expected = value - value_before_the_first_move(game, strategy, player)
        found = costs[used] @ np.concatenate([plan, np.zeros_like(plan)]).ravel()[used]
        assert found == pytest.approx(expected, abs=1e-14)


def test_trees_with_leaves_below_the_root_are_among_these_games() -> None:
    for first in PLAYERS:
        assert any(
            game.tree.owner[0] == first and any(game.tree.leaf_class[leaf] >= 0 for leaf in game.tree.children(0))
            for game in games()
        )


def test_the_best_plan_against_a_strategy_is_a_best_response() -> None:
    for game, player in product(games()[:6], PLAYERS):
        form = SequenceForm(Levels.of(game.tree), player)
        strategy, compiled = naive.random_strategy(game.tree, 4), RoundGame(*game)
        kept = form.kept(everything(game))
        # With costs on plans alone, values that are large enough satisfy every answer.
        solution = solve_program(form.program(compiled, kept, form.against(compiled, strategy)))
        best = naive.best_response_value(game.tree, strategy, game.payoffs, game.prior, player)
        before = value_before_the_first_move(game, strategy, player)
        assert -(solution.objective + before) == pytest.approx(best, abs=EXACT)


# --- programs restricted to some moves ---------------------------------------------------------------------------


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS), st.sampled_from(PLAYERS))
def test_two_pure_strategies(seed: int, first: int, player: int) -> None:
    """Nobody has a choice: the program's optimum is what the strategies are worth."""
    game = alternating_game(seed, first, max_depth=5)
    strategy = pure_strategy(game, seed)
    form = SequenceForm(Levels.of(game.tree), player)
    kept = form.kept(strategy > 0.0)
    value = naive.expected_value(game.tree, strategy, game.payoffs, game.prior)
    assert solved(form, game, kept).objective == pytest.approx(-value if player == 0 else value, abs=EXACT)


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS))
def test_one_pure_strategy(seed: int, player: int) -> None:
    """Only P has no choice, or only its opponent: the optimum is a best response."""
    game = alternating_game(seed, seed % 2)
    strategy = pure_strategy(game, seed)
    levels = Levels.of(game.tree)
    form = SequenceForm(levels, player)
    own = (levels.mover == player)[:, None]
    for fixed, free, sign in ((own, 1 - player, 1.0), (~own, player, -1.0)):
        kept = form.kept((strategy > 0.0) | ~fixed)
        best = naive.best_response_value(game.tree, strategy, game.payoffs, game.prior, free)
        assert solved(form, game, kept).objective == pytest.approx(sign * best, abs=EXACT)


def best_of_moves(game: Game, strategy: Floats, player: int, moves: Mask) -> float:
    """As naive.best_response_value, of the moves in `moves` alone."""

    def values(node: int, opponent: Floats) -> Floats:
        tree = game.tree
        if tree.leaf_class[node] >= 0:
            return naive.leaf_values(game.payoffs[tree.leaf_class[node]], game.prior, opponent, player)
        children = tree.children(node)
        if tree.owner[node] == player:
            allowed = [np.where(moves[child], values(child, opponent), -np.inf) for child in children]
            return np.max(allowed, axis=0)
        return sum((values(child, opponent * strategy[child]) for child in children), np.zeros(3))

    return float(values(0, np.ones(3)).sum())


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS), st.sampled_from(PLAYERS))
def test_optima_of_restricted_games(seed: int, first: int, player: int) -> None:
    game = alternating_game(seed, first, max_depth=5)
    moves = random_moves(game, seed)
    form = SequenceForm(Levels.of(game.tree), player)
    kept = form.kept(moves)
    solution = solved(form, game, kept)
    strategy = strategies_of(form, solution, kept, naive.average_strategy(game.tree, moves.astype(float)))
    strategy[0] = 1.0
    assert np.all(moves[1:] | (strategy[1:] == 0.0))
    best = [best_of_moves(game, strategy, seat, moves) for seat in PLAYERS]
    assert sum(best) == pytest.approx(0.0, abs=EXACT)
    assert solution.objective == pytest.approx(best[1 - player], abs=EXACT)


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS))
def test_a_restricted_program_is_a_part_of_the_full_one(seed: int, player: int) -> None:
    """The same numbers at the same indices; what is left out cannot be reached."""
    game = alternating_game(seed, seed % 2)
    compiled, levels = RoundGame(*game), Levels.of(game.tree)
    form = SequenceForm(levels, player)
    moves = random_moves(game, seed)
    full, part = form.kept(everything(game)), form.kept(moves)
    costs = form.worst_case(compiled)
    whole, less = form.program(compiled, full, costs), form.program(compiled, part, costs)
    assert not np.any(part.rows & ~full.rows)
    assert not np.any(part.columns & ~full.columns)
    rows, columns = part.rows[np.flatnonzero(full.rows)], part.columns[np.flatnonzero(full.columns)]
    np.testing.assert_array_equal(dense(less), dense(whole)[rows][:, columns])
    for name, keep in (("costs", columns), ("column_lower", columns), ("row_lower", rows), ("row_upper", rows)):
        np.testing.assert_array_equal(getattr(less, name), getattr(whole, name)[keep])
    own, other = (levels.reach(seat, moves.astype(float)) > 0.0 for seat in (player, 1 - player))
    size = form.size // 2
    for index in np.flatnonzero(full.columns).tolist():
        node, kind = divmod(index % size, 3)
        before = int(game.tree.parent[node])
        reached = own[node, kind] and other[before].any() if index < size else other[node, kind] and own[node].any()
        assert part.columns[index] == reached
    for index in np.flatnonzero(full.rows).tolist():
        node, kind = divmod(index % size, 3)
        before = int(game.tree.parent[node])
        reached = own[node, kind] and other[node].any() if index < size else other[node, kind] and own[before].any()
        assert part.rows[index] == reached


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("make", [naive.kuhn_game, lambda: alternating_game(3)])
def test_all_moves_make_the_full_program(player: int, make: Callable[[], Game]) -> None:
    game = make()
    form = SequenceForm(Levels.of(game.tree), player)
    kept = form.kept(everything(game))
    owner, mover = np.repeat(game.tree.owner, 3), np.repeat(form.levels.mover, 3)
    np.testing.assert_array_equal(kept.columns, np.concatenate([mover == player, owner == 1 - player]))
    np.testing.assert_array_equal(kept.rows, np.concatenate([owner == player, mover == 1 - player]))
