"""Chance moves, many types, and players who do not know their own type, held to the reading without a tree."""

import pickle
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pytest
from oracle import descriptions, naive
from oracle.small_games import Drawn, Hiding
from support.slowness import slow

from tictactoe import CHANCE, BuiltGame, CFRSolver, DoubleOracle, Game, GameSize, build_game, kuhn_poker, update_rule
from tictactoe.algorithms import wide_kernels, wide_sweep
from tictactoe.algorithms.arrays import row_type
from tictactoe.algorithms.best_response import best_response, best_response_value, exploitability, leaf_distribution
from tictactoe.algorithms.game import SharedMatrices
from tictactoe.algorithms.public_tree import Knowledge, PublicTree
from tictactoe.algorithms.strategy import uniform_strategy


def by_names(game: BuiltGame, strategy: naive.Floats) -> descriptions.Behaviour:
    known = {(each.history, each.player, each.type): each.probabilities for each in game.information_sets(strategy)}
    return lambda history, kind: known[history, game.tree.owner[game.tree.find(history)], kind]


SHAPES = [(3, 1), (2, 3)]
WIDE_SHAPES = [(9, 1), (2, 9), (9, 8)]
"""Everything is compiled anew for more than three types, which takes seconds."""
KINDS = [*product(SHAPES, [Drawn, Hiding]), *slow(*product(WIDE_SHAPES, [Drawn, Hiding]))]


@pytest.mark.parametrize(("num_types", "kind"), KINDS)
def test_values_and_best_responses(num_types: tuple[int, int], kind: type[Drawn]) -> None:
    owners = set()
    for seed in range(4):
        table = kind(seed, num_types)
        game = build_game(table)
        owners |= set(game.tree.owner.tolist())
        solver = CFRSolver(game, update_rule("dcfr"))
        solver.run(7)
        strategy = solver.average_strategy()
        play = (by_names(game, strategy),) * 2
        found = exploitability(game, strategy)
        assert found.value == pytest.approx(descriptions.value(table, play), abs=1e-12)
        for player, gain in enumerate((found.value + found.first_gain, found.second_gain - found.value)):
            best = descriptions.best_response_value(table, play, player)
            assert best_response_value(game, player, strategy) == pytest.approx(best, abs=1e-12)
            assert gain == pytest.approx(best, abs=1e-12)
        reached = sum(each.reached for each in game.information_sets(strategy) if not each.history)
        assert reached == pytest.approx(float(game.tree.owner[0] != CHANCE))
    assert owners == {-1, 0, 1, CHANCE}


RULES = [
    *product(["cfr", "cfr+", "pdcfr+"], [Drawn, Hiding], [(3, 2)]),
    *slow(*product(["cfr", "cfr+", "pdcfr+", "es-mccfr"], [Drawn, Hiding], [(9, 7)])),
]


@pytest.mark.parametrize(("rule", "kind", "num_types"), RULES)
def test_rules_converge_and_no_chance_move_is_weighed(rule: str, kind: type[Drawn], num_types: tuple[int, int]) -> None:
    game = build_game(kind(5, num_types))
    solver = CFRSolver(game, update_rule(rule), seed=1)
    before = exploitability(game, solver.average_strategy()).total
    solver.run(12_000 if rule == "es-mccfr" else 3000)  # which draws chance, where others sum over it
    strategy = solver.average_strategy()
    assert exploitability(game, strategy).total < before * (0.05 if rule in ("cfr", "es-mccfr") else 1e-3)
    assert np.all(strategy[game.tree.mover == CHANCE] == 1.0)
    assert np.all(solver.current_strategy()[game.tree.mover == CHANCE] == 1.0)
    if kind is Hiding:
        assert game.tree.knowledge is not None
        node = int(np.flatnonzero(game.tree.knowledge.partition >= 0)[0])
        pair = strategy[list(game.tree.children(node)), :2]
        np.testing.assert_allclose(pair[:, 0], pair[:, 1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("num_types", [*SHAPES, *slow(*((shape,) for shape in WIDE_SHAPES[:2]))])
def test_linear_programs(num_types: tuple[int, int]) -> None:
    for seed in range(6):
        game = build_game(Drawn(seed, num_types))
        found = DoubleOracle(game.tree, uniform_strategy(game.tree)).solve(game)
        judged = exploitability(game, found.strategy)
        assert judged.total < 1e-11
        assert judged.value == pytest.approx(found.value, abs=1e-11)


class Split:
    """Kuhn poker after a public coin of which nothing depends, with cards in colours that count for nothing.

    knows: whether a player sees the colour of its card.
    """

    def __init__(self, knows: bool, colours: int = 3) -> None:
        self._kuhn, self.colours = kuhn_poker(), colours
        self.types = (tuple(product(range(3), range(colours))),) * 2
        if not knows:
            self.knows = lambda state, player, card: card[0]

    def prior(self, first: tuple[int, int], second: tuple[int, int]) -> float:
        return float(self._kuhn.prior[first[0], second[0]]) / self.colours**2

    def root(self) -> Any:
        return "coin"

    def owner(self, state: Any) -> int | None:
        owner = CHANCE if state == "coin" else int(self._kuhn.tree.owner[state])
        return None if owner < 0 else owner

    def moves(self, state: Any) -> list[tuple[Any, int]]:
        return [("head", 0), ("tail", 0)] if state == "coin" else [(c, c) for c in self._kuhn.tree.children(state)]

    def chance(self, state: Any, name: str, *cards: Any) -> float:
        return {"head": 0.25, "tail": 0.75}[name]

    def payoff(self, state: int, first: tuple[int, int], second: tuple[int, int]) -> float:
        return float(self._kuhn.payoffs[self._kuhn.tree.leaf_class[state], first[0], second[0]])


class SplitMatrices(Split):
    @property
    def matrices(self) -> dict[str, naive.Floats]:
        ranks = np.array([card for card, _ in self.types[0]])
        return {"fold": np.ones((len(ranks),) * 2), "showdown": np.sign(np.subtract.outer(ranks, ranks)).astype(float)}

    def payoff_matrix(self, state: int) -> tuple[float, str]:
        payoffs = self._kuhn.payoffs[self._kuhn.tree.leaf_class[state]]
        return (float(payoffs[0, 0]), "fold") if payoffs[0, 0] else (float(payoffs[1, 0]), "showdown")


SPLITS = [*product([Split], [True, False], ["dcfr", "cfr+", "pdcfr+"], [1]), (SplitMatrices, True, "dcfr", 1)]
MORE_SPLITS = [*product([Split, SplitMatrices], [True, False], ["dcfr", "cfr+", "pdcfr+"], [3])]
MORE_SPLITS += [(Split, False, "pdcfr+", 24), (SplitMatrices, True, "dcfr", 24)]


@pytest.mark.parametrize(("kind", "knows", "rule", "colours"), [*SPLITS, *slow(*MORE_SPLITS)])
def test_a_split_game_is_learnt_as_the_whole_one(kind: type[Split], knows: bool, rule: str, colours: int) -> None:
    """Regrets are those of Kuhn poker times the chance of the coin, and of the colour if the player sees it."""
    game, kuhn = build_game(kind(knows, colours)), kuhn_poker()
    assert game.is_wide == (colours > 3)
    split, whole = CFRSolver(game, update_rule(rule)), CFRSolver(kuhn, update_rule(rule))
    for solver in (split, whole):
        solver.run(25)
    state, expected, average = split.state(), whole.state(), split.average_strategy()
    for coin, chance in (("head", 0.25), ("tail", 0.75)):
        for node in range(1, kuhn.tree.num_nodes):
            same, above = [node], int(kuhn.tree.parent[node])
            while above > 0:
                same, above = [above, *same], int(kuhn.tree.parent[above])
            copy = game.tree.find((coin, *same))
            share = chance / (colours if knows else 1.0)
            regrets = np.repeat(share * expected.regrets[node], colours)
            np.testing.assert_allclose(state.regrets[copy], regrets, rtol=0, atol=1e-12)
            moves = np.repeat(whole.average_strategy()[node], colours)
            np.testing.assert_allclose(average[copy], moves, rtol=0, atol=1e-9)
    found, same = exploitability(game, average), exploitability(kuhn, whole.average_strategy())
    assert found == pytest.approx(same, abs=1e-10)
    assert split.evaluate().average_exploitability == pytest.approx(same.total, abs=1e-10)
    for player in (0, 1):
        best, of_whole = (
            best_response(each, player, strategy).strategy
            for each, strategy in ((game, average), (kuhn, whole.average_strategy()))
        )
        move = game.tree.find(("tail", 1))
        np.testing.assert_allclose(best[move], np.repeat(of_whole[1], colours), rtol=0, atol=1e-9)


def test_more_types_than_rows_hold() -> None:
    game = build_game(Split(True, 24))
    with pytest.raises(ValueError, match="tree: 72 private types; linear programs take at most 64"):
        DoubleOracle(game.tree, uniform_strategy(game.tree))
    with pytest.raises(ValueError, match="leaf_distribution: 72 types; at most 64 are supported"):
        leaf_distribution(game.tree, uniform_strategy(game.tree))
    same = pickle.loads(pickle.dumps(build_game(SplitMatrices(True, 24))))
    assert exploitability(same, uniform_strategy(same.tree)).total == pytest.approx(11 / 12)


def test_what_a_game_takes_is_told_before_its_payoffs_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tictactoe.algorithms.game_builder._LEAVES_TIMED", 1)
    table, asked, sizes = Drawn(1, (3, 2)), list[Any](), list[tuple[GameSize, int]]()
    vars(table).update(payoff=lambda *leaf: asked.append(leaf) or 0.0)
    game = build_game(table, announce=lambda size: sizes.append((size, len(asked))))
    ((size, num_asked),) = sizes
    assert num_asked <= 6
    assert (size.histories, size.num_types, size.payoffs) == (game.tree.num_nodes, 3, len(asked))
    assert size.leaves == int((game.tree.owner < 0).sum())
    assert size.megabytes > 0.0
    found: list[int] = []
    wide = build_game(Drawn(1, (2, 1), depth=9), walked=found.append)
    assert found == sorted(found)
    assert [number // 1000 for number in found] == list(range(1, wide.tree.num_nodes // 1000 + 1))


@pytest.mark.parametrize(
    ("num_types", "lanes"), [(1, 1), (3, 4), (4, 4), (5, 8), (12, 16), (33, 64), (64, 64), (65, 72), (1081, 1088)]
)
def test_the_lanes_of_rows(num_types: int, lanes: int) -> None:
    assert row_type(num_types).itemsize == 8 * lanes


def wide_game(num_types: int, seed: int = 5) -> Game:
    """With chance moves, movers who do not know the last bit of their type, and three matrices without ties."""
    tree, random = build_game(Hiding(seed, (2, 3))).tree, np.random.default_rng(seed)
    assert CHANCE in tree.owner
    assert tree.knowledge is not None
    partition = np.where(tree.knowledge.partition < 0, -1, 0).astype(np.int32)
    pairs = np.arange(num_types) // 2
    knowledge = Knowledge(partition, (pairs[:, None] == pairs)[None])
    tree = PublicTree(tree.parent, tree.owner, tree.leaf_class, num_types=num_types, knowledge=knowledge)
    prior, num_classes = random.random((num_types, num_types)), int(tree.leaf_class.max()) + 1
    shared = SharedMatrices(random.integers(0, 3, num_classes), random.standard_normal(num_classes))
    return Game(tree, random.standard_normal((3, num_types, num_types)), prior / prior.sum(), shared=shared)


@pytest.mark.parametrize("alternate", [True, False])
@pytest.mark.parametrize("rule", ["cfr", "dcfr", "pdcfr+"])
@pytest.mark.parametrize("num_types", [65, *slow(72, 137)])
def test_wide_sweeps_compiled_and_plain(num_types: int, rule: str, alternate: bool) -> None:
    game = wide_game(num_types)
    compiled, plain = (CFRSolver(game, update_rule(rule), alternate_updates=alternate) for _ in range(2))
    compiled.run(12)
    with mock.patch.object(wide_sweep, "run_stretches", wide_kernels.run_stretches):
        plain.run(12)
    found, expected = compiled.state(), plain.state()
    np.testing.assert_allclose(found.regrets, expected.regrets, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.current_strategy, expected.current_strategy, rtol=0, atol=1e-9)
    np.testing.assert_allclose(compiled.average_strategy(), plain.average_strategy(), rtol=0, atol=1e-9)
    other = CFRSolver(game, update_rule(rule), alternate_updates=alternate)
    other.run(7)
    other.run(5)
    assert np.array_equal(compiled.average_strategy(), other.average_strategy()), "however a run is cut"


def test_values_of_leaves_that_share_matrices() -> None:
    game = wide_game(67)
    reach = np.random.default_rng(1).random((game.tree.num_nodes, 67))
    assert game.shared is not None
    for player, sign in ((0, 1), (1, -1)):
        values = game.wide_arrays.leaf_values(player, reach)
        for leaf in range(game.tree.num_nodes):
            expected = np.zeros(67)
            if (number := game.tree.leaf_class[leaf]) >= 0:
                matrix = game.shared.factor[number] * game.payoffs[game.shared.matrix[number]] * game.prior
                expected = sign * (matrix @ reach[leaf] if player == 0 else reach[leaf] @ matrix)
            np.testing.assert_allclose(values[leaf], expected, rtol=0, atol=1e-12)


WRONG = [
    ({"chance": lambda *_: 0.4}, "chance before the first move: the probabilities for .* sum to 0.8, not 1"),
    ({"chance": lambda *_: -0.5}, "chance before the first move: -0.5 for head with .* is not a probability"),
    ({"chance": lambda *_: "often"}, "chance before the first move: 'often' for head with .* is not a probability"),
    ({"moves": lambda *_: []}, "moves before the first move: there are none, and chance is to move"),
    ({"knows": lambda *_: ["card"]}, "knows after head: unhashable type: 'list'; take a string, for instance"),
]


@pytest.mark.parametrize(("methods", "message"), WRONG)
def test_wrong_descriptions(methods: dict[str, Any], message: str) -> None:
    game = Split(True)
    vars(game).update(methods)
    with pytest.raises(ValueError, match=message) as caught:
        build_game(game)
    assert "\n" not in str(caught.value)


WRONG_MATRICES: list[tuple[Any, Any, str]] = [
    ({}, (1.0, "fold"), "payoff_matrix after .*: no matrix has the name 'fold'"),
    ({"fold": np.ones((9, 9))}, 1.0, r"payoff_matrix after .*: 1.0 is not a pair \(number, name of a matrix\)"),
    ({"fold": np.ones((9, 9))}, (np.nan, "fold"), "payoff_matrix after .*: nan is not a finite number"),
    ({"fold": np.ones((9, 5))}, (1.0, "fold"), r"matrices: fold has the shape \(9, 5\), expected \(9, 9\)"),
    ({"fold": "all"}, (1.0, "fold"), "matrices: fold is not an array of numbers"),
    ({"fold": np.full((9, 9), np.inf)}, (1.0, "fold"), "matrices: fold is not all finite"),
    (["fold"], (1.0, "fold"), r"matrices: \['fold'\] is not a dictionary of names and arrays"),
]


@pytest.mark.parametrize(
    ("matrices", "answer", "message"), WRONG_MATRICES, ids=[each[2][:40] for each in WRONG_MATRICES]
)
def test_wrong_matrices(matrices: Any, answer: Any, message: str) -> None:
    game = Split(True)
    vars(game).update(matrices=matrices, payoff_matrix=lambda state: answer)
    with pytest.raises(ValueError, match=message):
        build_game(game)


def test_a_player_who_forgets_is_refused() -> None:
    game = Split(True)
    game.knows = lambda state, player, card: card if state == 0 else card[0]  # type: ignore[method-assign]
    with pytest.raises(ValueError, match=r"knows after head, .*: player 0 could tell .* and must not forget"):
        build_game(game)


def test_strategies_that_no_player_could_play_are_refused() -> None:
    game = build_game(Split(False))
    strategy = uniform_strategy(game.tree)
    strategy[game.tree.find(("head",)), 0] = 0.5
    with pytest.raises(ValueError, match=r"node 0, type 0: head is a chance move of weight 0\.5, not 1"):
        exploitability(game, strategy)
    strategy = uniform_strategy(game.tree)
    strategy[list(game.tree.children(game.tree.find(("tail",)))), 0] = 0.2, 0.8
    with pytest.raises(ValueError, match=r"type 0: the mover cannot tell it from type 1, and plays 1 differently"):
        exploitability(game, strategy)
    with pytest.raises(
        ValueError, match="a player does not know its own type, but linear programs need players who do"
    ):
        DoubleOracle(game.tree, uniform_strategy(game.tree))


def test_trees_with_too_few_types_are_refused() -> None:
    tree = kuhn_poker().tree
    with pytest.raises(ValueError, match="num_types: 2, expected 3 or more"):
        PublicTree(tree.parent, tree.owner, tree.leaf_class, num_types=2)
    six = PublicTree(tree.parent, tree.owner, tree.leaf_class, num_types=6)
    with pytest.raises(ValueError, match=r"payoffs: shape \(4, 3, 3\), expected \(4, 6, 6\)"):
        Game(six, kuhn_poker().payoffs, kuhn_poker().prior)
