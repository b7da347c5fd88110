"""The linear programs of a round in sequence form, row by row and optimum by optimum, against plain recursion."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import naive, small_games
from oracle.naive import Floats, NaiveGame

from tictactoe.algorithms.best_response import expected_value, leaf_distribution
from tictactoe.algorithms.exact.linear_program import ProgramSolution, solve_program
from tictactoe.algorithms.exact.sequence_form import Kept, Mask, Program, SequenceForm, behaviour
from tictactoe.algorithms.game import Game

QUICK = settings(max_examples=25, deadline=None, derandomize=True, database=None)
SEEDS = st.integers(0, 10**6)
PLAYERS = (0, 1)
EXACT = 1e-12
"""A vertex is exact to rounding: a few times 1e-16, where the solver's tolerance would allow 1e-10."""


def games() -> list[NaiveGame]:
    """Kuhn poker, and small games of every shape that is hard: see the trees with leaves below the root."""
    return [small_games.kuhn_game(), *(small_games.alternating_game(seed, seed % 2) for seed in range(12))]


def everything(game: NaiveGame) -> Mask:
    return np.ones((game.tree.num_nodes, 3), bool)


def random_moves(game: NaiveGame, seed: int) -> Mask:
    """Some moves of every node and type, one at least."""
    allowed: Mask = small_games.random_strategy(game.tree, seed, 0.5) > 0.0
    return allowed


def solved(form: SequenceForm, game: NaiveGame, kept: Kept) -> ProgramSolution:
    compiled = Game(*game)
    return solve_program(form.program(compiled, kept, form.worst_case(compiled)))


def strategies_of(form: SequenceForm, solution: ProgramSolution, kept: Kept, elsewhere: Floats) -> Floats:
    """Both players' strategies from one program: P's from its values, the opponent's from its duals."""
    tree, player = form.tree, form.player
    own = behaviour(tree, player, form.plan(solution, kept), elsewhere)
    return behaviour(tree, 1 - player, form.answers(solution, kept), own)


def dense(program: Program) -> Floats:
    """The matrix in full."""
    result = np.zeros((len(program.row_lower), len(program.costs)))
    for row in range(len(program.row_lower)):
        for entry in range(program.starts[row], program.starts[row + 1]):
            result[row, program.columns[entry]] += program.entries[entry]
    return result


# --- plans and players -------------------------------------------------------------------------------------------


@QUICK
@given(SEEDS, st.sampled_from([0.0, 0.5, 0.8]))
def test_behaviour_is_the_strategy_where_its_plan_gets_and_another_elsewhere(seed: int, zeros: float) -> None:
    game = small_games.alternating_game(seed, seed % 2, max_depth=5)
    tree = game.tree
    strategy, elsewhere = small_games.random_strategy(tree, seed, zeros), small_games.random_strategy(tree, seed + 1)
    for player in PLAYERS:
        plan = tree.own_reach(strategy)[player]
        untouched = elsewhere.copy()
        found = behaviour(tree, player, plan, elsewhere)
        np.testing.assert_array_equal(elsewhere, untouched)
        np.testing.assert_array_equal(plan, tree.own_reach(strategy)[player])
        for node, own_type in product(range(1, tree.num_nodes), range(3)):
            parent = int(tree.parent[node])
            own = tree.owner[parent] == player and plan[parent, own_type] > 0.0
            expected = strategy if own else elsewhere
            assert found[node, own_type] == pytest.approx(expected[node, own_type], abs=1e-13)
        np.testing.assert_array_equal(found[0], elsewhere[0])


@QUICK
@given(SEEDS)
def test_players_who_do_not_alternate_are_refused(seed: int) -> None:
    tree = small_games.random_game(seed).tree
    alternating = all(
        tree.owner[node] != tree.owner[tree.parent[node]] for node in tree.decision_nodes.tolist() if node > 0
    )
    for player in PLAYERS:
        if alternating:
            SequenceForm(tree, player)
        else:
            with pytest.raises(ValueError, match=r"^tree: a player moves twice in a row"):
                SequenceForm(tree, player)


# --- the program, row by row -------------------------------------------------------------------------------------


def best_answers(game: NaiveGame, player: int, reach: Floats) -> Floats:
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


@QUICK
@given(SEEDS, st.sampled_from([None, *PLAYERS]), st.sampled_from(PLAYERS), st.sampled_from([0.0, 0.5]))
def test_every_row_says_what_it_should(seed: int, first: int | None, player: int, zeros: float) -> None:
    """Put a strategy and the best answers to it into the full program: what every row then has to say is known."""
    game = small_games.kuhn_game() if first is None else small_games.alternating_game(seed, first)
    strategy = small_games.random_strategy(game.tree, seed, zeros)
    tree, compiled = game.tree, Game(*game)
    form = SequenceForm(tree, player)
    kept = form.kept(everything(game))
    program = form.program(compiled, kept, form.worst_case(compiled))
    size = 3 * tree.num_nodes
    reach = tree.own_reach(strategy)[player]
    best = best_answers(game, player, reach)
    values = np.concatenate([reach, best]).ravel()[np.flatnonzero(kept.columns)]
    assert form.size == 2 * size
    is_plan = np.flatnonzero(kept.columns) < size
    assert np.all(program.column_lower[is_plan] == 0.0)
    assert np.all(program.column_lower[~is_plan] == -np.inf)
    worst = naive.best_response_value(tree, strategy, game.payoffs, game.prior, 1 - player)
    assert program.costs @ values == pytest.approx(worst, abs=1e-14)
    rows = dense(program) @ values
    for row, index in enumerate(np.flatnonzero(kept.rows).tolist()):
        node, own_type = divmod(index % size, 3)
        if index < size:
            assert tree.owner[node] == player
            assert program.row_lower[row] == program.row_upper[row]
            assert rows[row] == pytest.approx(program.row_lower[row], abs=1e-14)
        else:
            assert tree.mover[node] == 1 - player
            assert program.row_upper[row] == np.inf
            margin = best[tree.parent[node], own_type] - best[node, own_type]
            assert rows[row] - program.row_lower[row] == pytest.approx(margin, abs=1e-14)


def test_plans_that_are_none_break_a_flow() -> None:
    """The flow rows hold for realization plans and for nothing else."""
    game = small_games.kuhn_game()
    for player in PLAYERS:
        form = SequenceForm(game.tree, player)
        kept = form.kept(everything(game))
        compiled = Game(*game)
        program = form.program(compiled, kept, form.worst_case(compiled))
        flows = np.flatnonzero(np.isfinite(program.row_upper))
        matrix = dense(program)[flows]
        plan = game.tree.own_reach(small_games.random_strategy(game.tree, 1))[player]
        for node, own_type in product(np.flatnonzero(form.tree.mover == player).tolist(), range(3)):
            wrong = plan.copy()
            wrong[node, own_type] += 0.125
            values = np.concatenate([wrong, np.zeros_like(plan)]).ravel()[np.flatnonzero(kept.columns)]
            assert np.max(np.abs(matrix @ values - program.row_lower[flows])) == pytest.approx(0.125, abs=1e-14)


# --- optima ------------------------------------------------------------------------------------------------------


def check_optimum(game: NaiveGame) -> float:
    """Solve both players' programs; each proves the other's value, and naive best responses all strategies."""
    values = []
    uniform = naive.uniform_strategy(game.tree)
    for player in PLAYERS:
        form = SequenceForm(game.tree, player)
        kept = form.kept(everything(game))
        solution = solved(form, game, kept)
        strategy = strategies_of(form, solution, kept, uniform)
        assert naive.exploitability(game.tree, strategy, game.payoffs, game.prior) < EXACT
        value = -solution.objective if player == 0 else solution.objective
        assert naive.expected_value(game.tree, strategy, game.payoffs, game.prior) == pytest.approx(value, abs=EXACT)
        values.append(value)
    assert values[0] == pytest.approx(values[1], abs=EXACT)
    return values[0]


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS), st.booleans())
def test_optima_of_random_games_with_and_without_ties(seed: int, first: int, ties: bool) -> None:
    game = small_games.alternating_game(seed, first)
    check_optimum(game._replace(payoffs=np.round(2.0 * game.payoffs) / 2.0) if ties else game)


@pytest.mark.parametrize(("first", "sign"), [(0, 1.0), (1, -1.0)])
@pytest.mark.parametrize(
    ("payoffs", "value"), [((0.25, 1.0, -1.0), 0.25), ((-2.0, 1.0, -1.0), -1.0), ((0.5, 1.0, 0.75), 0.75)]
)
def test_a_leaf_below_the_root(first: int, sign: float, payoffs: tuple[float, ...], value: float) -> None:
    game = small_games.leaf_or_reply(*(sign * payoff for payoff in payoffs), first=first)
    assert check_optimum(game) == pytest.approx(sign * value, abs=1e-14)


@pytest.mark.parametrize("first", PLAYERS)
def test_only_leaves_below_the_root(first: int) -> None:
    """One player never moves. The other takes the better leaf for its own type, the others' types averaged."""
    payoffs = np.random.default_rng(7).uniform(-1.0, 1.0, (3, 3, 3))
    prior = np.random.default_rng(8).random((3, 3))
    prior /= prior.sum()
    game = NaiveGame(small_games.make_tree([-1, 0, 0, 0], [first, -1, -1, -1], [-1, 0, 1, 2]), payoffs, prior)
    by_type = (payoffs * prior).sum(axis=2 - first)
    value = by_type.max(axis=0).sum() if first == 0 else by_type.min(axis=0).sum()
    assert check_optimum(game) == pytest.approx(value, abs=1e-14)


# --- what a strategy of the opponent costs -----------------------------------------------------------------------


def value_before_the_first_move(game: NaiveGame, strategy: Floats, player: int) -> float:
    """What the opponent of `player` gets in expectation at leaves that it reaches before `player` has moved."""
    tree, total = game.tree, 0.0
    for leaf in tree.children(0) if tree.owner[0] != player else ():
        if tree.leaf_class[leaf] >= 0:
            own = naive.leaf_values(game.payoffs[tree.leaf_class[leaf]], game.prior, np.ones(3), 1 - player)
            total += float(own @ strategy[leaf])
    return total


def costs_against(form: SequenceForm, game: NaiveGame, strategy: Floats, kept: Kept) -> Floats:
    """What the opponent gets by playing the strategy; where the program does not follow it, against best responses."""
    reach = game.tree.own_reach(strategy)[1 - form.player]
    return form.costs_beyond(kept, form.values_below(Game(*game), form.player, reach))


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("index", range(13))
def test_values_below(index: int, player: int) -> None:
    """At the root, summed over the types, they are what best responses get: either player's."""
    game = games()[index]
    form = SequenceForm(game.tree, player)
    strategy = small_games.random_strategy(game.tree, index, 0.3)
    for answering in PLAYERS:
        reach = game.tree.own_reach(strategy)[1 - answering]
        values = form.values_below(Game(*game), answering, reach)
        best = naive.best_response_value(game.tree, strategy, game.payoffs, game.prior, answering)
        assert values[0].sum() == pytest.approx(-best if answering == player else best, abs=1e-14)


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("index", range(13))
def test_costs_against_a_strategy(index: int, player: int) -> None:
    game = games()[index]
    compiled = Game(*game)
    form = SequenceForm(game.tree, player)
    for seed in range(3):
        strategy = small_games.random_strategy(game.tree, 10 * index + seed, 0.3 * seed)
        costs = costs_against(form, game, strategy, form.kept(everything(game)))
        assert costs.shape == (form.size,)
        assert np.all(costs[form.size // 2 :] == 0.0)
        plan = game.tree.own_reach(strategy)[player]
        plan[0] = np.nan  # nobody moves into the root: no program has these columns
        used = costs != 0.0
        value = expected_value(compiled, leaf_distribution(game.tree, strategy))
        value = -value if player == 0 else value
        expected = value - value_before_the_first_move(game, strategy, player)
        found = costs[used] @ np.concatenate([plan, np.zeros_like(plan)]).ravel()[used]
        assert found == pytest.approx(expected, abs=1e-14)


def test_the_best_plan_against_a_strategy_is_a_best_response() -> None:
    for game, player in product(games()[:6], PLAYERS):
        form = SequenceForm(game.tree, player)
        strategy, compiled = small_games.random_strategy(game.tree, 4), Game(*game)
        kept = form.kept(everything(game))
        # With costs on plans alone, values that are large enough satisfy every answer.
        solution = solve_program(form.program(compiled, kept, costs_against(form, game, strategy, kept)))
        best = naive.best_response_value(game.tree, strategy, game.payoffs, game.prior, player)
        before = value_before_the_first_move(game, strategy, player)
        assert -(solution.objective + before) == pytest.approx(best, abs=EXACT)


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS), st.sampled_from(PLAYERS))
def test_where_a_program_does_not_follow_the_opponent_the_best_response_is_in_its_costs(
    seed: int, first: int, player: int
) -> None:
    """However few of the opponent's moves are in the program: the best plan is worth the same."""
    game = small_games.alternating_game(seed, first)
    tree, form = game.tree, SequenceForm(game.tree, player)
    strategy = small_games.random_strategy(tree, seed, 0.3)
    own = (tree.mover == player)[:, None]
    kept = form.kept(own | (small_games.pure_strategy(tree, seed) > 0.0))
    solution = solve_program(form.program(Game(*game), kept, costs_against(form, game, strategy, kept)))
    values = form.values_below(Game(*game), player, tree.own_reach(strategy)[1 - player])
    followed = kept.rows[: form.size // 2].reshape(-1, 3).any(axis=1)
    before = sum(values[c].sum() for c in tree.children(0) if tree.owner[0] != player and not followed[c])
    best = naive.best_response_value(tree, strategy, game.payoffs, game.prior, player)
    assert -(solution.objective + before) == pytest.approx(best, abs=EXACT)


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS))
def test_the_unit_of_the_values_changes_nothing_else(seed: int, player: int) -> None:
    game = small_games.alternating_game(seed, seed % 2)
    form, compiled = SequenceForm(game.tree, player), Game(*game)
    kept = form.kept(everything(game))
    one, other = (
        solve_program(form.program(compiled, kept, form.worst_case(compiled, unit), unit)) for unit in (1.0, 64.0)
    )
    assert other.objective == pytest.approx(64.0 * one.objective, abs=1e-11)
    value = form.values(other, kept)[0].sum() / 64.0  # at the root, if the opponent moves there
    if game.tree.owner[0] != player:
        assert value == pytest.approx(one.objective, abs=EXACT)


# --- programs restricted to some moves ---------------------------------------------------------------------------


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS), st.sampled_from(PLAYERS))
def test_two_pure_strategies(seed: int, first: int, player: int) -> None:
    """Nobody has a choice: the program's optimum is what the strategies are worth."""
    game = small_games.alternating_game(seed, first, max_depth=5)
    strategy = small_games.pure_strategy(game.tree, seed)
    form = SequenceForm(game.tree, player)
    kept = form.kept(strategy > 0.0)
    value = naive.expected_value(game.tree, strategy, game.payoffs, game.prior)
    assert solved(form, game, kept).objective == pytest.approx(-value if player == 0 else value, abs=EXACT)


@QUICK
@given(SEEDS, st.sampled_from(PLAYERS))
def test_one_pure_strategy(seed: int, player: int) -> None:
    """Only P has no choice, or only its opponent: the optimum is a best response."""
    game = small_games.alternating_game(seed, seed % 2)
    strategy = small_games.pure_strategy(game.tree, seed)
    form = SequenceForm(game.tree, player)
    own = (game.tree.mover == player)[:, None]
    for fixed, free, sign in ((own, 1 - player, 1.0), (~own, player, -1.0)):
        kept = form.kept((strategy > 0.0) | ~fixed)
        best = naive.best_response_value(game.tree, strategy, game.payoffs, game.prior, free)
        assert solved(form, game, kept).objective == pytest.approx(sign * best, abs=EXACT)


def best_of_moves(game: NaiveGame, strategy: Floats, player: int, moves: Mask) -> float:
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
    game = small_games.alternating_game(seed, first, max_depth=5)
    moves = random_moves(game, seed)
    form = SequenceForm(game.tree, player)
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
    game = small_games.alternating_game(seed, seed % 2)
    compiled = Game(*game)
    form = SequenceForm(game.tree, player)
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
    own, other = (game.tree.own_reach(moves.astype(float))[seat] > 0.0 for seat in (player, 1 - player))
    size = form.size // 2
    for found, possible, is_row in ((part.columns, full.columns, False), (part.rows, full.rows, True)):
        for index in np.flatnonzero(possible).tolist():
            node, kind = divmod(index % size, 3)
            before = int(game.tree.parent[node])
            # a move of the plan or a flow: where the opponent comes; an answer or a value: where the player comes
            mine, theirs = (own, other) if index < size else (other, own)
            at = before if is_row != (index < size) else node
            assert found[index] == (mine[node, kind] and theirs[at].any())


def test_all_moves_make_the_full_program() -> None:
    for game, player in product(games(), PLAYERS):
        kept = SequenceForm(game.tree, player).kept(everything(game))
        owner, mover = np.repeat(game.tree.owner, 3), np.repeat(game.tree.mover, 3)
        np.testing.assert_array_equal(kept.columns, np.concatenate([mover == player, owner == 1 - player]))
        np.testing.assert_array_equal(kept.rows, np.concatenate([owner == player, mover == 1 - player]))
