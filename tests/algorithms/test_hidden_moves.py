"""Games with hidden moves: known values, the same games with public moves, histories one by one, wrong answers."""

import pickle
from collections.abc import Hashable
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pytest
from oracle.hidden_games import Matrix, SecretThief
from support.slowness import slow

from tictactoe import CFRSolver, best_response, build_game, exploitability, uniform_strategy, update_rule
from tictactoe.algorithms import hidden_kernels, wide_kernels
from tictactoe.algorithms.hidden_moves import HiddenMovesGame
from tictactoe.algorithms.measured_run import perturbed
from tictactoe.games.named_games import named_game


class AllSeen:
    def __init__(self, described: Any) -> None:
        self.described, self.types, self.prior = described, described.types, described.prior
        self.owner = lambda state: described.owner(state[0])
        self.chance = lambda state, *more: described.chance(state[0], *more)
        self.payoff = lambda state, *types: described.payoff(state[0], *types)
        self.sees = lambda state, player: state[1]

    def root(self) -> Any:
        return self.described.root(), ()

    def moves(self, state: Any) -> Any:
        return [(name, (after, (*state[1], name))) for name, after in self.described.moves(state[0])]


def solved(game: Any, rule: str = "rdcfr", iterations: int = 2000) -> Any:
    solver = CFRSolver(game, update_rule(rule))
    solver.run(iterations)
    return solver


@pytest.mark.parametrize("name", ["kuhn", "leduc", *slow("blackjack(dealer=1)", "kuhn(4)")])
def test_the_same_as_with_public_moves(name: str) -> None:
    described = named_game(name).description
    public, hidden = build_game(described), build_game(AllSeen(described))
    assert (hidden.has_hidden_moves, public.has_hidden_moves) == (True, False)
    assert hidden.num_information_sets == public.num_information_sets
    assert hidden.largest_difference == public.largest_difference
    for rule, alternate in (("cfr", False), ("pcfr+", True)):
        both = [CFRSolver(game, update_rule(rule), alternate_updates=alternate) for game in (public, hidden)]
        for solver in both:
            solver.run(60)
        one, other = (solver.evaluate() for solver in both)
        assert other.value == pytest.approx(one.value, abs=1e-9)
        assert other.average_exploitability == pytest.approx(one.average_exploitability, abs=1e-9)
        assert other.current_exploitability == pytest.approx(one.current_exploitability, abs=1e-9)
        sets = [
            sorted(
                (str(each.type), each.player, str(each.probabilities.keys()), round(each.reached, 9)) for each in found
            )
            for found in (game.information_sets(uniform_strategy(game.tree)) for game in (public, hidden))
        ]
        assert sets[0] == sets[1]


@pytest.mark.parametrize("alternate", [True, False])
@pytest.mark.parametrize("rule", ["cfr", "dcfr", "pdcfr+", "rdcfr"])
def test_compiled_and_plain_sweeps(rule: str, alternate: bool) -> None:
    game = build_game(AllSeen(named_game("leduc").description))
    compiled, plain = (CFRSolver(game, update_rule(rule), alternate_updates=alternate) for _ in range(2))
    compiled.run(25)
    with mock.patch.object(hidden_kernels, "run_stretches", wide_kernels.run_stretches):
        plain.run(25)
    np.testing.assert_allclose(compiled.average_strategy(), plain.average_strategy(), atol=1e-9)
    np.testing.assert_allclose(compiled.state().regrets, plain.state().regrets, atol=1e-9)
    other = CFRSolver(game, update_rule(rule), alternate_updates=alternate)
    other.run(10)
    other.run(15)
    assert np.array_equal(compiled.average_strategy(), other.average_strategy()), "however a run is cut"


def test_known_values_of_matrices() -> None:
    games = {
        0.0: Matrix((0, -1, 1), (1, 0, -1), (-1, 1, 0)),
        1 / 5: Matrix((2, -1), (-1, 1)),
        3.0: Matrix((3,)),
        2.0: Matrix((5, 2), (1, 0)),
    }
    for value, described in games.items():
        found = solved(build_game(described)).evaluate()
        assert found.value == pytest.approx(value, abs=1e-9)
        assert found.average_exploitability < 1e-9


def test_what_each_player_knows() -> None:
    game = build_game(SecretThief())
    assert isinstance(game, HiddenMovesGame)
    assert game.num_information_sets == 2 + 1 + 4
    found = solved(game).evaluate()
    assert found.value == pytest.approx(0.0, abs=1e-9)
    uniform = uniform_strategy(game.tree)
    node = game.node_seen(0, "left stay")
    assert game.tree.owner[node] == 0
    assert game.information_sets(uniform)[0].reached == pytest.approx(2 / 3)
    assert sum(each.reached for each in game.information_sets(uniform)) == pytest.approx(3.0)


def histories_one_by_one(described: Any, game: HiddenMovesGame, strategy: Any) -> tuple[float, dict[Any, float]]:
    """The value, and how often each information set is come to, by a walk that knows no tree."""
    reached: dict[Any, float] = {}

    def value(state: Any, chance: float) -> float:
        owner = described.owner(state)
        if owner is None:
            return float(described.payoff(state))
        if owner == 2:
            likely = {name: float(described.chance(state, name)) for name, _ in described.moves(state)}
        else:
            node = game.node_seen(owner, described.sees(state, owner))
            reached[node] = reached.get(node, 0.0) + chance
            likely = {game.tree.move(child): float(strategy[child, 0]) for child in game.tree.children(node)}
        return sum(likely[name] * value(after, chance * likely[name]) for name, after in described.moves(state))

    return value(described.root(), 1.0), reached


def random_strategy(game: Any, seed: int) -> Any:
    weights = np.random.default_rng(seed).random((game.tree.num_nodes, 1)) + 0.01
    total = game.tree.at_children(game.tree.sums_over_children(weights))
    result = np.where((game.tree.mover == 2)[:, None], 1.0, weights / np.where(total > 0, total, 1.0))
    result[0] = 1.0
    return result


@pytest.mark.parametrize("seed", range(3))
def test_values_reach_and_histories(seed: int) -> None:
    described = SecretThief()
    game = build_game(described)
    assert isinstance(game, HiddenMovesGame)
    strategy = random_strategy(game, seed)
    value, reached = histories_one_by_one(described, game, strategy)
    judged = exploitability(game, strategy)
    assert judged.value == pytest.approx(value, abs=1e-12)
    for each, node in zip(game.information_sets(strategy), reached, strict=True):
        assert each.reached == pytest.approx(
            reached[game.node_seen(each.player, each.history[0] if each.history else "")]
        )
        assert node in reached
    told = game.histories
    reach = told.reach(told.probabilities(strategy))
    assert reach @ told.payoff == pytest.approx(value, abs=1e-12)
    for history in range(len(told.chance)):
        assert told.tree.find(told.tree.history(history)) == history
    pure = (best_response(game, player, strategy) for player in (0, 1))
    for player, response in enumerate(pure):
        plans = product(
            *(game.tree.children(node) for node in game.tree.decision_nodes if game.tree.owner[node] == player)
        )
        sign, best = 1 - 2 * player, -np.inf
        for plan in plans:
            tried = strategy.copy()
            tried[game.tree.mover == player] = 0.0
            tried[list(plan)] = 1.0
            best = max(best, sign * exploitability(game, tried).value)
        assert response.value == pytest.approx(best, abs=1e-12)


def test_files_and_processes() -> None:
    game = build_game(SecretThief(), name="thief")
    again = pickle.loads(pickle.dumps(game))
    assert isinstance(again, HiddenMovesGame)
    assert again.fingerprint == game.fingerprint != build_game(Matrix((1,))).fingerprint
    assert again.name == "thief"


class Wrong(SecretThief):
    def __init__(self, **answers: Any) -> None:
        super().__init__()
        vars(self).update(answers)


def forgets_own_move(state: Any, player: int) -> Hashable:
    return "" if player else (state[0], len(state))


@pytest.mark.parametrize(
    ("answers", "what"),
    [
        (
            {"sees": lambda state, player: ""},
            "sees after left, stay, left: player 0 sees the same after left, but its own",
        ),
        (
            {"sees": forgets_own_move},
            "sees after left, move, left: player 0 sees the same after left, stay, left, but its own",
        ),
        ({"sees": lambda state, player: []}, "sees after left: unhashable type"),
        ({"sees": lambda state, player: "" if player else len(state) > 1}, "it must not forget"),
        ({"chance": lambda state, name: 0.3}, "chance before the first move: the probabilities sum to 0.6, not 1"),
        ({"chance": lambda state, name: "half"}, "'half' for left is not a probability"),
        ({"payoff": lambda state: None}, "payoff after left, stay, left, single: None is not a finite number"),
        ({"owner": lambda state: 7}, "owner before the first move: 7 is not 0, 1, CHANCE"),
        ({"moves": lambda state: []}, "moves before the first move: there are none"),
        ({"payoff": lambda: 0}, "payoff after left, stay, left, single: "),
    ],
)
def test_wrong_descriptions(answers: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=r"^(?s:.)+$") as raised:
        build_game(Wrong(**answers))
    assert what in str(raised.value)
    assert "\n" not in str(raised.value)


def test_moves_that_differ_within_an_information_set() -> None:
    class Differs(Matrix):
        def moves(self, state: Any) -> Any:
            return [(f"{place} after {state}", (*state, place)) for place in (0, 1)]

    with pytest.raises(ValueError, match=r"its moves are .* there and .* here"):
        build_game(Differs((0, 1), (1, 0)))


def test_a_payoff_that_takes_no_types() -> None:
    class Dealt(SecretThief):
        types = ("a", "b"), ("c",)

        def prior(self, *types: str) -> float:
            return 0.5

    with pytest.raises(ValueError, match=r"^(payoff|chance) .*positional argument"):
        build_game(Dealt())


def test_perturbed() -> None:
    game = build_game(SecretThief())
    assert isinstance(game, HiddenMovesGame)
    other = perturbed(game, 1)
    assert isinstance(other, HiddenMovesGame)
    assert 0.0 < np.abs(other.ends.paid - game.ends.paid).max() < 1e-14
    assert perturbed(game, 0) is game


def test_limits() -> None:
    class Endless(Matrix):
        def owner(self, state: Any) -> int:
            return len(state) % 2

        def moves(self, state: Any) -> Any:
            return [("on", (*state, 0))]

        def sees(self, state: Any, player: int) -> Hashable:
            return len(state)

    told: list[int] = []
    with pytest.raises(ValueError, match="more than 3,000 histories; raise maximum nodes"):
        build_game(Endless(), maximum_nodes=3000, walked=told.append)
    assert told == [1000, 2000, 3000]
    with pytest.raises(ValueError, match=r"after 4992 moves and .*: more than 5,000 moves in a row; a game must end"):
        build_game(Endless())
