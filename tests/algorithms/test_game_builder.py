"""Games from descriptions, held to a reading of the descriptions that knows no tree; descriptions that are refused."""

import math
import runpy
from dataclasses import replace
from fractions import Fraction
from itertools import count, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import small_games
from oracle.small_games import Table

from tictactoe import build_game, exploitability, kuhn_poker, uniform_strategy

KUHN = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "games" / "kuhn_poker.py"))


def random_table(seed: int, num_types: tuple[int, int], max_depth: int = 4, max_children: int = 3) -> Table:
    """A small game of random shape, in which states are numbers in no order and nothing is said by their order."""
    random = np.random.default_rng(seed)
    tree, payoffs, _ = small_games.random_game(seed, max_depth, max_children)
    labels = random.permutation(tree.num_nodes).tolist()
    state = ["start", *labels[1:]]
    names = [f"to {label}" for label in labels]
    order = random.permutation(tree.decision_nodes).tolist()
    moves = {node: [(names[child], state[child]) for child in tree.children(node)] for node in order}
    prior = random.random(num_types)
    leaf = {state[node]: payoffs[tree.leaf_class[node]] for node in range(tree.num_nodes) if tree.leaf_class[node] >= 0}
    types = tuple("XYZ"[:number] for number in num_types)
    at = [dict(zip(names, count())) for names in types]
    return Table(
        {state[node]: (int(tree.owner[node]), moves[node]) for node in order},
        types,
        lambda first, second: prior[at[0][first], at[1][second]] / prior.sum(),
        lambda state, first, second: leaf[state][at[0][first], at[1][second]],
    )


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 10**6), num_types=st.tuples(st.integers(1, 3), st.integers(1, 3)))
def test_the_numbering(seed: int, num_types: tuple[int, int]) -> None:
    table = random_table(seed, num_types)
    game, tree = build_game(table), small_games.random_game(seed).tree
    np.testing.assert_array_equal(game.tree.parent, tree.parent)
    np.testing.assert_array_equal(game.tree.owner, tree.owner)
    assert [game.tree.find(game.tree.history(node)) for node in range(tree.num_nodes)] == list(range(tree.num_nodes))
    state = {0: "start"}
    for node in range(tree.num_nodes):
        children, moves = list(game.tree.children(node)), table.nodes.get(state[node], (0, ()))[1]
        assert [game.tree.move(child) for child in children] == [name for name, _ in moves]
        state.update(zip(children, (after for _, after in moves), strict=True))
    for (i, first), (j, second) in product(*map(enumerate, table.types)):
        assert game.prior[i, j] == table.prior(first, second)
        for leaf in np.flatnonzero(tree.leaf_class >= 0):
            assert game.payoffs[game.tree.leaf_class[leaf], i, j] == table.payoff(state[leaf], first, second)
    assert not game.prior[num_types[0] :].any()
    assert not game.prior[:, num_types[1] :].any()


def test_exact_numbers_equal_payoffs_and_the_largest_games() -> None:
    exact = Table(probability=lambda *types: Fraction(1, 2), worth=lambda *leaf: Fraction(1, 3))
    assert build_game(exact).payoffs[0, 0, 0] == 1 / 3
    moves = {"start": (1, [(number, number) for number in range(6)])}
    worth = {0: 0.0, 1: -0.0, 2: 1, 3: 1.0, 4: 0, 5: -1.0}
    table = Table(moves, ("ab", "ab"), lambda first, second: (first != second) / 2, lambda state, *types: worth[state])
    game = build_game(table)
    assert game.tree.leaf_class.tolist() == [-1, 0, 0, 1, 1, 0, 2]
    asked = []
    build_game(replace(table, worth=lambda state, *types: asked.append(types) or 1.0))
    assert set(asked) == {("a", "b"), ("b", "a")}
    row = Table({"start": (0, [(number, number) for number in range(200)])}, worth=lambda state, *types: state)
    game = build_game(row)
    assert len(game.payoffs) == 200
    assert exploitability(game, uniform_strategy(game.tree)) == (99.5, 99.5, 0.0)
    chain = Table({"start": (0, [("on", 1)]), **{step: (step % 2, [("on", step + 1)]) for step in range(1, 2000)}})
    game = build_game(chain)
    assert game.tree.depth.max() == 2000
    assert exploitability(game, uniform_strategy(game.tree)) == (1.0, 0.0, 0.0)
    build_game(row, maximum_nodes=201)


@pytest.mark.parametrize("state", [lambda end: end, lambda end: [end]], ids=["hashable", "not hashable"])
def test_a_state_that_many_leaves_share_is_asked_about_once(state: Any) -> None:
    ends = [("win", state("won")), ("lose", state("lost"))]
    by_chance = {"a": 1 / 4, "b": 1 / 2, "c": 1 / 4}
    nodes = {"start": (2, [(name, name) for name in by_chance]), **dict.fromkeys(by_chance, (1, ends))}
    asked = []

    class Shared(Table):
        def owner(self, state: Any) -> Any:
            return None if isinstance(state, list) else super().owner(state)

        def chance(self, state: Any, name: Any, *types: Any) -> float:
            return by_chance[name]

        def payoff(self, state: Any, *types: Any) -> float:
            asked.append(state)
            return 1.0 if "won" in state else -1.0

    sizes: list[Any] = []
    game = build_game(Shared(nodes, ("a", "b"), lambda *types: 1.0), announce=sizes.append)
    assert game.payoffs[game.tree.leaf_class[4:], 0, 0].tolist() == [1 / 4, -1 / 4, 1 / 2, -1 / 2, 1 / 4, -1 / 4]
    assert len(asked) == sizes[0].payoffs == (4 if state("won") == "won" else 6)  # by the two chances of a, b and c


def test_kuhn_poker_and_its_information_sets() -> None:
    game, by_hand = build_game(KUHN["KuhnPoker"]()), kuhn_poker()
    for name in ("parent", "owner", "leaf_class"):
        np.testing.assert_array_equal(getattr(game.tree, name), getattr(by_hand.tree, name))
    np.testing.assert_array_equal(game.prior, by_hand.prior)
    np.testing.assert_array_equal(game.payoffs * game.prior, by_hand.payoffs * by_hand.prior)
    assert game.types == (("jack", "queen", "king"),) * 2
    strategy = small_games.kuhn_equilibrium(0.2)
    found = game.information_set(strategy, ("check", "bet"), "queen")
    # player 1 bets a jack one time in three and the king always: (1/3 + 1)/6, and player 0 has checked the queen
    assert found == (("check", "bet"), 0, "queen", pytest.approx(4 / 18), found.probabilities)
    assert found.probabilities == pytest.approx({"fold": 1 - (0.2 + 1 / 3), "call": 0.2 + 1 / 3})
    sets = game.information_sets(strategy)
    jacks = [((), 0, "jack"), (("check",), 1, "jack"), (("check", "bet"), 0, "jack"), (("bet",), 1, "jack")]
    assert [each[:3] for each in sets[::3]] == jacks
    assert sum(each.reached for each in sets if len(each.history) == 1) == pytest.approx(1.0)
    assert found in sets
    text = game.describe(small_games.kuhn_equilibrium(0.0)).splitlines()
    assert text[0].split() == ["history", "player", "type", "reached", "strategy"]
    assert text[1] == "-          0       jack   0.333    check 1.000, bet 0.000"
    assert len(text) == 1 + 9  # nobody bets first, so that the sets after a bet are left out: alpha is 0


def test_information_sets_that_are_left_out_or_refused() -> None:
    game = build_game(Table(probability=lambda first, second: float(first == "b")))
    strategy = uniform_strategy(game.tree)
    assert [each.type for each in game.information_sets(strategy)] == ["b"], "a is never drawn"
    assert game.information_set(strategy, (), "a").reached == 0.0
    for history, kind, message in ((("up",), "a", "no move up"), (("left",), "a", "over"), ((), "c", "not 'c'")):
        with pytest.raises(KeyError, match=message):
            game.information_set(strategy, history, kind)
    with pytest.raises(ValueError, match=r"node 0, type 0: left has the probability -0\.5"):
        game.describe(-strategy)


def then(*moves: Any, owner: Any = 1) -> Table:
    return Table({"start": (0, [("left", "l"), ("right", "r")]), "l": (owner, moves)})


REFUSED: list[tuple[Any, str]] = [
    (Table, r"description: Table is a class; build_game takes an object of it, Table\(\)"),
    (object(), "description: object has no method prior, no method root, .* no method payoff, no types"),
    (type("Blind", (Table,), {"sees": None})(), "description: Blind has no method sees"),
    (Table(types=(3, 3)), r"types: \(3, 3\) is not two lists of names"),
    (Table(types=("abc",)), "types: 1 lists of names"),
    (Table(types=("", "a")), "types: player 0 has none; a player without a secret has one"),
    (Table(types=([[1], [2]], "a")), "types: no name for a type of player 0: .*unhashable type.*; take a string"),
    (Table(types=("abcdefghijkk", "a")), "types: two of player 0 have the same name: k$"),
    (Table(probability=lambda *types: -0.5), "prior: -0.5 for a and c is not a probability"),
    (Table(probability=lambda *types: 0.4), "prior: .* sum to 0.8, not 1"),
    (Table({}), "owner before the first move: it is None, but a game has at least one move"),
    (then(("x", "y"), owner=3), r"owner after left: 3 is not 0, 1, CHANCE \(2\), or None when the game is over"),
    (then(owner=2), r"owner after left: CHANCE \(2\), but the description has no method chance"),
    (then(), "moves after left: there are none, and player 1 is to move"),
    (Table({"start": (0, 3)}), r"moves before the first move: 3 is not a list of pairs \(name, state\)"),
    (Table({"start": (0, {"left": "l"})}), r"moves before the first move: 'left' is not a pair \(name, state\)"),
    (then(("a", 1), ("b", 2), ("a", 3)), "moves after left: two have the same name: a$"),
    (then((["a"], 1)), "moves after left: no name for a move: .*unhashable type: 'list'.*; take a string"),
    (Table(worth=lambda *leaf: math.inf), "payoff after left: inf for a and c is not a finite number"),
    (Table(worth=lambda *leaf: None if leaf[:2] == ("r", "b") else 1), "payoff after right: None for b and c is not"),
    (Table(worth=lambda *leaf: 10**400), r"payoff after left: 1000\d*\.\.\.0000\d* for"),
    (Table(worth=lambda *leaf: np.eye(3)), r"payoff after left: array\(.* for"),
]  # fmt: skip


@pytest.mark.parametrize(("description", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_refused_descriptions(description: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        build_game(description)
    assert "\n" not in str(caught.value)


def test_too_many_histories_and_errors_of_the_description_itself() -> None:
    with pytest.raises(ValueError, match=r"moves after to .*: the game has more than 7 histories; raise maximum nodes"):
        build_game(random_table(3, (1, 1)), maximum_nodes=7)
    with pytest.raises(ValueError, match="moves before the first move: the game has more than 2,000 histories"):
        build_game(Table({"start": (0, ((number, "end") for number in count()))}), maximum_nodes=2000)
    with pytest.raises(ZeroDivisionError) as caught:
        build_game(Table(worth=lambda *leaf: 1 / 0))
    assert caught.value.__notes__ == ["payoff was asked after left"]
