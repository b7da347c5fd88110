"""Games of OpenSpiel here, with public and with hidden moves. Games and strategies that go there."""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from oracle.board_card import GAMES, BoardCard
from oracle.sequences import Program
from oracle.small_games import random_strategy
from support.slowness import by_default

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install '.[openspiel]'")

from tictactoe import CFRSolver, build_game, exploitability, kuhn_poker, uniform_strategy, update_rule  # noqa: E402
from tictactoe.algorithms.best_response import best_response_value  # noqa: E402
from tictactoe.environments.open_spiel_game import SeenGame, game_by_name, open_spiel_game  # noqa: E402
from tictactoe.environments.open_spiel_policies import LinkedGame, exported, linked  # noqa: E402
from tictactoe.environments.walked_game import WalkedGame  # noqa: E402
from tictactoe.errors import GameError  # noqa: E402


class Ending(NamedTuple):
    """A terminal history of OpenSpiel. chance: the probability of all moves of chance."""

    chance: float
    actions: list[int]
    names: list[str]
    payoff: float


def endings(state: Any, chance: float = 1.0, names: tuple[str, ...] = ()) -> Iterator[Ending]:
    if state.is_terminal():
        yield Ending(chance, state.history(), list(names), state.returns()[0])
        return
    shares = dict(state.chance_outcomes()) if state.is_chance_node() else {}
    for action in state.legal_actions():
        name = state.action_to_string(state.current_player(), action)
        yield from endings(state.child(action), chance * shares.get(action, 1.0), (*names, name))


def follow(description: WalkedGame, names: list[str], first: str, second: str) -> tuple[float, float]:
    state, chance = description.root(), description.prior(first, second)
    for name in names:
        if description.owner(state) == 2:
            chance *= description.chance(state, name, first, second)
        state = dict(description.moves(state))[name]
    assert description.owner(state) is None
    return chance, description.payoff(state, first, second)


def card(actions: list[int]) -> tuple[str, str, int]:
    return str(actions[0]), str(actions[1]), 2


def die(actions: list[int]) -> tuple[str, str, int]:
    return str(actions[0] + 1), str(actions[1] + 1), 2


def two_dice(actions: list[int]) -> tuple[str, str, int]:
    first, second = ("".join(str(each + 1) for each in sorted(pair)) for pair in (actions[:2], actions[2:4]))
    return first, second, 4


CASES: dict[str, tuple[list[str], int, int, Callable[[list[int]], tuple[str, str, int]]]] = {
    "kuhn_poker": (["0", "1", "2"], 9, 12, card),
    "python_kuhn_poker": (["0", "1", "2"], 9, 12, card),
    "leduc_poker(suit_isomorphism=true)": (["0", "1", "2"], 240, 288, card),
    "leduc_poker": (["0", "1", "2", "3", "4", "5"], 465, 936, card),
    "liars_dice(dice_sides=3)": (["1", "2", "3"], 127, 192, die),
    "liars_dice(numdice=2,dice_sides=2)": (["11", "12", "22"], 511, 768, two_dice),
}
"""By name: types, histories of public moves, information sets, and what the deal makes of the first actions."""


@pytest.mark.parametrize("name", CASES)
def test_every_history_of_open_spiel(name: str) -> None:
    types, num_nodes, num_sets, dealt = CASES[name]
    description = open_spiel_game(name)
    assert (description.types, description.knows) == ((tuple(types), tuple(types)), None)
    found: dict[tuple[Any, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for ending in endings(pyspiel.load_game(name).new_initial_state()):
        first, second, deals = dealt(ending.actions)
        both = found[(first, second, *ending.names[deals:])]
        both[0] += ending.chance
        both[1] += ending.chance * ending.payoff
    for (first, second, *names), (chance, payoff) in found.items():
        ours = follow(description, names, first, second)
        assert ours == pytest.approx((chance, payoff / chance), abs=1e-15)
    assert sum(chance for chance, _ in found.values()) > 1.0  # players' moves have no probabilities
    assert sum(description.prior(*pair) for pair in product(types, types)) == pytest.approx(1.0, abs=1e-15)
    game = build_game(description)
    assert game.tree.num_nodes == num_nodes
    assert sum(len(node.information_states) for node in description.nodes) == num_sets


@pytest.mark.parametrize("name", [*by_default(CASES, *list(CASES)[:3]), "smbc_tictactoe_round(start=5193)"])
def test_the_exploitability_of_uniform_play(name: str) -> None:
    game = build_game(open_spiel_game(name))
    theirs = pyspiel.load_game(f"cached_tree(game={name})" if name.startswith("smbc") else name)
    expected = pyspiel.nash_conv(theirs, pyspiel.UniformRandomPolicy(theirs))
    assert exploitability(game, uniform_strategy(game.tree)).total == pytest.approx(expected, abs=1e-12)


def efg(*lines: str) -> Any:
    return pyspiel.load_efg_game("\n".join(['EFG 2 R "test" { "A" "B" }', "", *lines]) + "\n")


def leaf(number: int, payoff: int) -> str:
    return f't "" {number} "" {{ {payoff}, {-payoff} }}'


def choice(player: int, number: int, name: str, *moves: str) -> str:
    return f'p "" {player} {number} "{name}" {{ {" ".join(f"{chr(34)}{move}{chr(34)}" for move in moves)} }} 0'


COIN = 'c "" {} "" {{ "head" 1/2 "tail" 1/2 }} 0'
LOOKS_LATER = [
    'c "" 1 "" { "low" 1/4 "high" 3/4 } 0',
    *(choice(1, 1, "blind", "stay", "go"), choice(1, 2, "low", "yes", "no"), leaf(1, 1), leaf(2, -1), leaf(3, 0)),
    *(choice(1, 1, "blind", "stay", "go"), choice(1, 3, "high", "yes", "no"), leaf(4, -2), leaf(5, 2), leaf(3, 0)),
]


def test_a_card_that_is_looked_at_later() -> None:
    description = open_spiel_game(efg(*LOOKS_LATER))
    assert description.types == (("2-low", "3-high"), ("",))
    assert description.knows is not None
    assert [description.prior(name, "") for name in description.types[0]] == [0.25, 0.75]
    blind, later = 0, dict(description.moves(0))["stay"]
    assert description.knows(blind, 0, "2-low") == description.knows(blind, 0, "3-high")
    assert description.knows(later, 0, "2-low") != description.knows(later, 0, "3-high")
    game = build_game(description)
    assert best_response_value(game, 0, uniform_strategy(game.tree)) == pytest.approx(1.75)


SHOWN = [
    'c "" 1 "" { "a" 1/8 "A" 3/8 "b" 1/4 "c" 1/4 } 0',
    *(choice(1, 1, "a", "x", "y"), leaf(1, 1), leaf(2, -1)) * 2,
    *(choice(2, 1, "b", "x", "y"), leaf(1, 1), leaf(2, -1)),
    *(choice(1, 2, "c", "x", "y", "z"), leaf(1, 1), leaf(2, -1), leaf(3, 3)),
]


def test_who_moves_depends_on_what_both_know() -> None:
    game = build_game(open_spiel_game(efg(*SHOWN)))
    assert game.has_hidden_moves
    found = exploitability(game, uniform_strategy(game.tree))
    assert (found.value, found.first_gain) == pytest.approx((0.25, 0.5 + 0.25 * 2))


class Theirs:
    """A game of OpenSpiel as it stands: each history a state, what is seen an information state."""

    def __init__(self, name: str) -> None:
        game = pyspiel.load_game(name)
        self.simultaneous = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
        self.game = pyspiel.convert_to_turn_based(game) if self.simultaneous else game

    def root(self) -> Any:
        return self.game.new_initial_state()

    def owner(self, state: Any) -> int | None:
        return None if state.is_terminal() else 2 if state.is_chance_node() else int(state.current_player())

    def moves(self, state: Any) -> list[tuple[int, Any]]:
        return [(action, state.child(action)) for action in state.legal_actions()]

    def chance(self, state: Any, action: int) -> float:
        return float(dict(state.chance_outcomes())[action])

    def payoff(self, state: Any) -> float:
        return float(state.returns()[0])

    def sees(self, state: Any, player: int) -> Any:
        return state.information_state_string(player)

    def histories(self, state: Any) -> int:
        return 1 + sum(self.histories(after) for _, after in self.moves(state))


HIDDEN = [
    "matrix_rps",
    "matrix_brps",
    "blotto(coins=4,fields=3)",
    "goofspiel(num_cards=3,points_order=descending)",
    "goofspiel(num_cards=3,points_order=random,imp_info=true)",
    "goofspiel(num_cards=4,points_order=descending,imp_info=true)",
    "oshi_zumo(coins=3,size=1,horizon=3)",
    "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[1],num_shots=2)",
    "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2)",
    "dark_hex(num_rows=2,num_cols=2)",
    "coordinated_mp",
]
"""Games with hidden moves."""


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_moves(name: str) -> None:
    description = open_spiel_game(name)
    game, theirs = build_game(description), Theirs(name)
    assert (game.has_hidden_moves, len(game.histories.node)) == (True, theirs.histories(theirs.root()))
    for link in (linked(game, description), exported(game)):
        for strategy in (uniform_strategy(game.tree), learnt(game, 10)):
            checked(link, strategy)
    found = exploitability(game, learnt(game, 2000, "pdcfr+"))
    assert found.value == pytest.approx(Program(theirs).value(), abs=found.total + 1e-9)
    assert found.total < 1e-3


def test_all_moves_before_are_seen_where_only_moves_at_once_are_hidden() -> None:
    """OpenSpiel's information states of this game forget the order of bids."""
    description = open_spiel_game("goofspiel(num_cards=4,points_order=descending)")
    game = build_game(description)
    found = exploitability(game, learnt(game, 1000, "pdcfr+"))
    assert (found.value, found.total) == pytest.approx((0.0, 0.0), abs=1e-4)
    with pytest.raises(ValueError, match="OpenSpiel treats two information sets as one; use exported"):
        linked(game, description)
    checked(exported(game), learnt(game))
    description = open_spiel_game("markov_soccer(horizon=2)")
    soccer = build_game(description)
    assert exploitability(soccer, uniform_strategy(soccer.tree)).total == 0.0
    with pytest.raises(ValueError, match="the game has no information states in OpenSpiel; use exported"):
        linked(soccer, description)


def test_a_constant_sum_that_is_not_zero() -> None:
    lines = [each.replace("{ 1, -1 }", "{ 7, 3 }").replace("{ -1, 1 }", "{ 0, 10 }") for each in PENNIES]
    game = build_game(open_spiel_game(efg(*lines)))
    found = exploitability(game, uniform_strategy(game.tree))
    assert (found.value, found.total) == (3.5, 0.0)
    why = "efg_game: it is not constant-sum: the payoffs of both players sum to 10, and to 0 after tail, tail"
    with pytest.raises(GameError, match=f"^{why}"):
        build_game(open_spiel_game(efg(*lines[:-1], PENNIES[-1])))


PENNIES = [
    choice(1, 1, "", "head", "tail"),
    *(choice(2, 1, "", "head", "tail"), leaf(1, 1), leaf(2, -1)),
    *(choice(2, 1, "", "head", "tail"), leaf(3, -1), leaf(4, 1)),
]


REFUSED = {
    "nosuchgame": "name_or_game: OpenSpiel has no game 'nosuchgame'",
    "kuhn_poker(cards=7)": "name_or_game: OpenSpiel refuses 'kuhn_poker(cards=7)': Unknown parameter 'cards'",
}
PAGE = (Path(__file__).parents[2] / "docs" / "openspiel.md").read_text(encoding="utf-8")
ROWS = re.findall(r"\| `(.*)` \| (.*) \|", PAGE.partition("| why it is refused |\n")[2].partition("\n\n")[0])
REFUSED |= {name: why.replace("1,000,000", "20,000") for name, why in ROWS}


@pytest.mark.parametrize("name", REFUSED)
def test_games_of_another_kind(name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(REFUSED[name])) as caught:
        build_game(open_spiel_game(name, maximum_nodes=20_000), maximum_nodes=20_000)
    assert "\n" not in str(caught.value)
    assert len(ROWS) == 7


REPEATED = {
    "two moves are called 'go' before the first move": [choice(1, 1, "start", "go", "go"), leaf(1, 1), leaf(2, 5)],
    "two moves are called '' after a": [
        *(choice(1, 1, "start", "a", "b"), choice(2, 1, "left", "", ""), leaf(1, 1), leaf(2, -1), leaf(3, 2))
    ],
    "two moves are called 'head' before the first move": [
        *('c "" 1 "" { "head" 1/2 "head" 1/2 } 0', choice(1, 1, "", "x", "y"), leaf(1, 1), leaf(2, -1)),
        *(choice(1, 2, "", "x", "y"), leaf(3, 4), leaf(4, 5)),
    ],
    "two moves are called 'head' after a": [
        *(choice(1, 1, "start", "a", "b"), 'c "" 1 "" { "head" 1/2 "head" 1/2 } 0', leaf(1, 1), leaf(2, -1)),
        leaf(3, 0),
    ],
}
"""Games with two moves of one name, which OpenSpiel takes for one."""


@pytest.mark.parametrize("what", REPEATED)
def test_moves_that_open_spiel_confuses(what: str) -> None:
    with pytest.raises(ValueError, match=rf"^efg_game: {what}, which OpenSpiel takes for one; name them differently$"):
        open_spiel_game(efg(*REPEATED[what]))


def test_files(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / f"{'long' * 20}.efg"
    name = f"efg_game(filename={file})"
    for asked, words in {
        name: f"there is no file '{file}'",
        "nfg_game": "it takes a file, nfg_game(filename=FILE)",
    }.items():
        with pytest.raises(ValueError, match=re.escape(f"name_or_game: OpenSpiel refuses {asked!r}: {words}") + "$"):
            open_spiel_game(asked)
    file.write_text("something else\n")
    with pytest.raises(
        ValueError, match=rf"^name_or_game: OpenSpiel refuses {re.escape(repr(name))}: .* something else$"
    ):
        open_spiel_game(name)
    file.write_text("\n".join(['EFG 2 R "test" { "A" "B" }', "", *next(iter(REPEATED.values())), ""]))
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}: two moves are called 'go' before the first move"):
        open_spiel_game(name)
    assert capfd.readouterr() == ("", "")


def test_errors_of_open_spiel_within_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[open_spiel_game.__module__], "_by_name", lambda *_: {}["at"])
    with pytest.raises(ValueError, match=r"^leduc_poker: OpenSpiel fails: 'at'$"):
        open_spiel_game("leduc_poker")


def test_a_walk_goes_on_as_far_as_it_may() -> None:
    """The histories are told, and the walk ends at the limit: tic-tac-toe has 549,946."""
    told: list[int] = []
    named = game_by_name("openspiel:tic_tac_toe")
    with pytest.raises(
        GameError, match=r"^tic_tac_toe: more than 2,500 histories of public moves; raise maximum nodes$"
    ):
        named.build(2500, walked=told.append)
    assert told == [0, 1000, 2000]


def test_wrong_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        ValueError, match=r"^leduc_poker: more than 464 histories of public moves; raise maximum nodes$"
    ):
        open_spiel_game("leduc_poker", maximum_nodes=464)
    assert len(open_spiel_game("leduc_poker", maximum_nodes=465).nodes) == 465
    with pytest.raises(ValueError, match=r"^name_or_game: 7 is neither a name nor a game of OpenSpiel$"):
        open_spiel_game(7)
    monkeypatch.setattr(sys.modules[open_spiel_game.__module__], "MAXIMUM_DEALS", 5)
    assert build_game(open_spiel_game("kuhn_poker")).has_hidden_moves


def checked(link: LinkedGame, strategy: Any) -> None:
    policy = link.policy(strategy)
    ours = exploitability(link.game, strategy).total
    assert pyspiel.nash_conv(link.open_spiel, policy) == pytest.approx(ours, abs=1e-9)
    assert exploitability(link.game, link.strategy(policy)).total == pytest.approx(ours, abs=1e-12)


@pytest.mark.parametrize("name", GAMES)
def test_out_and_back(name: str) -> None:
    game = GAMES[name]()
    link = exported(game)
    for strategy in (uniform_strategy(game.tree), learnt(game, 10)):
        checked(link, strategy)
    back = open_spiel_game(link.open_spiel)
    again = build_game(back)
    assert (back.knows is None) == (game.tree.knowledge is None)
    assert (again.tree.num_nodes, tuple(map(len, back.types))) == (game.tree.num_nodes, _drawn(game))
    ours, theirs = (exploitability(each, uniform_strategy(each.tree)) for each in (game, again))
    assert theirs == pytest.approx(ours, abs=1e-13)
    checked(linked(again, back), learnt(again))


def _drawn(game: Any) -> tuple[int, int]:
    return int(np.sum(game.prior.sum(axis=1) > 0)), int(np.sum(game.prior.sum(axis=0) > 0))


def learnt(game: Any, iterations: int = 3, rule: str = "cfr") -> Any:
    solver = CFRSolver(game, update_rule(rule))
    solver.run(iterations)
    return solver.average_strategy()


THEIRS = ["kuhn_poker", "leduc_poker(suit_isomorphism=true)", "liars_dice(dice_sides=3)", "leduc_poker"]


@pytest.mark.parametrize("name", by_default(THEIRS, *THEIRS[:2]))
def test_strategies_of_their_games(name: str) -> None:
    description = open_spiel_game(name)
    game = build_game(description)
    for link in (linked(game, description), exported(game)):
        checked(link, learnt(game))
        theirs = pyspiel.CFRSolver(link.open_spiel)
        for _ in range(3):
            theirs.evaluate_and_update_policy()
        found = link.strategy(theirs.average_policy())
        assert exploitability(game, found).total == pytest.approx(exploitability(game, learnt(game)).total, 1e-9)


def test_random_strategies_of_kuhn_poker() -> None:
    link = exported(kuhn_poker())
    for seed in range(5):
        strategy = random_strategy(link.game.tree, seed, 0.2)
        checked(link, strategy)
        assert link.strategy(link.policy(strategy)) == pytest.approx(strategy)


def test_what_does_not_belong_together() -> None:
    kuhn, leduc = open_spiel_game("kuhn_poker"), open_spiel_game("leduc_poker(suit_isomorphism=true)")
    with pytest.raises(ValueError, match="description: the game was not built from it"):
        linked(build_game(kuhn), leduc)
    with pytest.raises(ValueError, match="description: the game was not built from it"):
        linked(build_game(BoardCard()), leduc)
    public = open_spiel_game("pig(winscore=2,horizon=4,diceoutcomes=2)")
    with pytest.raises(ValueError, match="description: a game of perfect information has no information states here"):
        linked(build_game(public), public)
    with pytest.raises(ValueError, match="strategy: shape"):
        exported(kuhn_poker()).policy(np.zeros((2, 3)))


def test_chance_is_asked_in_any_order_and_sums_are_kept() -> None:
    goof = open_spiel_game("goofspiel(imp_info=true,num_cards=3,points_order=random)")
    assert isinstance(goof, SeenGame)
    first = goof.root()
    (name, after), *others = goof.moves(first)
    for _, state in [(name, after), *others]:
        if goof.owner(state) is not None:
            goof.moves(state)
    assert goof.chance(first, name) == pytest.approx(1 / 3)
    both = pyspiel.create_matrix_game([[3.0, 1.0], [0.0, 2.0]], [[1.0, 3.0], [4.0, 2.0]])
    found = open_spiel_game(both)
    game = build_game(found)
    solver = CFRSolver(game, update_rule("rdcfr"))
    solver.run(500)
    assert solver.evaluate().value == pytest.approx(1.5, abs=1e-9)
    assert found.constant_sum == 4.0
