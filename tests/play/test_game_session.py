"""Playing described games: the deal, chance, and what moves are worth. The console games.txt shows sessions."""

import re
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from support.slowness import slow

from tictactoe import best_response_value, build_game, uniform_strategy
from tictactoe.algorithms.strategy import greedy_strategy
from tictactoe.games.named_games import named_game
from tictactoe.play.game_advice import CHANCE, GameRound, GameRules, TreeAdvice
from tictactoe.play.game_session import HELP, GameSession, moves_meant

KUHN, LEDUC = named_game("kuhn"), named_game("leduc")


class FaceDown:
    """Player 0 moves twice: before it has looked at its card, and after. A coin is tossed in between."""

    types = ("low", "high"), ("",)

    def prior(self, first: str, second: str) -> float:
        return 0.25 if first == "low" else 0.75

    def root(self) -> str:
        return ""

    def owner(self, state: str) -> int | None:
        return {0: 0, 1: CHANCE, 2: 0}.get(len(state))

    def moves(self, state: str) -> list[tuple[str, str]]:
        return [(name, state + name) for name in ("ht" if len(state) == 1 else "ab")]

    def chance(self, state: str, name: str, first: str, second: str) -> float:
        return 1.0 if (first == "low") == (name == "h") else 0.0

    def payoff(self, state: str, first: str, second: str) -> float:
        own = 1.0 if (state[0] == "a") == (first == "low") else 0.0
        return own + (2.0 if (state[2] == "a") == (first == "low") else 0.0)

    def knows(self, state: str, player: int, name: str) -> str:
        return name if state or player == 1 else "nothing"


def test_types_are_dealt_and_chance_moves_drawn_as_likely_as_they_are() -> None:
    rules, random = GameRules(LEDUC.description), Random(1)
    dealt, drawn = Counter[Any](), Counter[Any]()
    for _ in range(6000):
        position = rules.dealt(random)
        dealt[position.types] += 1
        position.play("check")
        position.play("check")
        drawn[position.draw() in position.types] += 1
    assert all(abs(dealt[pair] / 6000 - LEDUC.description.prior(*pair)) < 0.02 for pair in dealt)
    assert abs(drawn[True] / 6000 - (0.2 * 0 + 0.8 * 0.5)) < 0.02
    assert len(dealt) == 9


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", ["leduc", *slow("kuhn(4)", "liars-dice(sides=3)")])
def test_the_worth_of_the_first_moves_is_that_of_a_best_response(name: str, player: int) -> None:
    """Over all types and everything that comes before the player's first move."""
    game = named_game(name).build()
    tree, draw = game.tree, np.random.default_rng(3)
    strategy = draw.uniform(0.1, 1.0, (tree.num_nodes, tree.num_types))
    strategy /= tree.at_children(tree.sums_over_children(strategy)) + (tree.mover < 0)[:, None]
    strategy[(tree.mover < 0) | (tree.mover == CHANCE)] = 1.0
    advice, total = TreeAdvice(game, strategy), 0.0

    def visit(node: int, chance: float, first: Any, second: Any) -> float:
        position = GameRound(named_game(name).description, (first, second), None, Random(0))
        if tree.owner[node] == player:
            moves = moves_at(advice, position, tree.history(node))
            return chance * max(each.worth for each in moves.values())
        types = game.types[1 - player].index((first, second)[1 - player])
        return sum(visit(child, chance * strategy[child, types], first, second) for child in tree.children(node))

    for (i, first), (j, second) in ((a, b) for a in enumerate(game.types[0]) for b in enumerate(game.types[1])):
        if game.prior[i, j] > 0.0:
            total += visit(0, float(game.prior[i, j]), first, second)
    assert total == pytest.approx(best_response_value(game, player, strategy), abs=1e-12)


def moves_at(advice: TreeAdvice, position: GameRound, history: tuple[Any, ...]) -> Any:
    """The advice after these moves of players and of chance."""
    position.state, position.history = position.description.root(), ()
    for name in history:
        position.play(name)
    return advice.moves(position)


def test_the_worth_of_a_call_is_that_of_what_may_come_after_it() -> None:
    game = LEDUC.build()
    advice, before = TreeAdvice(game, uniform_strategy(game.tree)), ("check", "bet")
    position = GameRound(LEDUC.description, ("queen", "jack"), LEDUC.description.root(), Random(0))
    call = moves_at(advice, position, before)["call"].worth
    after = 0.0
    for card in ("jack", "queen", "king"):
        worth = moves_at(advice, position, (*before, "call", card))
        after += (1 if card == "queen" else 2) / 5 * max(each.worth for each in worth.values())
    assert call == pytest.approx(after, abs=1e-12)


def test_a_player_who_does_not_know_its_type_has_one_best_move() -> None:
    game = build_game(FaceDown())
    advice = TreeAdvice(game, greedy_strategy(game.tree, np.zeros((game.tree.num_nodes, game.tree.num_types))))
    position = GameRound(FaceDown(), ("low", ""), "", Random(0))
    assert position.known_types(0) == ["low", "high"]
    assert {name: each.worth for name, each in advice.moves(position).items()} == pytest.approx({"a": 2.25, "b": 2.75})
    for name in "ah":
        position.play(name)
    assert position.known_types(0) == ["low"]
    assert {name: each.worth for name, each in advice.moves(position).items()} == pytest.approx({"a": 3.0, "b": 1.0})


def kuhn_session(ask: Any, said: list[str]) -> GameSession:
    game = KUHN.build()
    advice = TreeAdvice(game, uniform_strategy(game.tree))
    about = {"title": KUHN.title, "how_to_play": KUHN.rules, "rules": GameRules(KUHN.description), "say": said.append}
    return GameSession(advice=lambda: advice, one_player=False, seed=1, ask=ask, **about)


def test_the_end_of_the_input_ends_the_session_in_the_middle_of_a_round() -> None:
    said = list[str]()
    kuhn_session(said.append, said).run()
    assert re.fullmatch(r"Your move \((jack|queen|king)\): 1 \w+ \(pay nothing\), 2 bet \(pay 1\)\?", said[-2])
    assert said[-1] == "No round was finished: you won nothing and lost nothing."


@pytest.mark.parametrize("leaving", ["q", None, KeyboardInterrupt])
def test_a_total_however_one_leaves(leaving: str | type[KeyboardInterrupt] | None) -> None:
    said = list[str]()

    def ask(text: str) -> str | None:
        if sum(line.startswith("You get ") for line in said) < 3:
            return "2"
        if isinstance(leaving, type):
            raise leaving
        return leaving

    session = kuhn_session(ask, said)
    if isinstance(leaving, type):
        with pytest.raises(leaving):
            session.run()
    else:
        session.run()
    won = sum(float(line.split()[2].rstrip(".")) for line in said if line.startswith("You get "))
    assert said[-1].startswith(f"Total of 3 rounds: you got {won:+.2f}; your moves cost ")


def test_the_rules_and_what_moves_mean() -> None:
    said, lines = list[str](), iter(["?", "q"])
    kuhn_session(lambda text: next(lines), said).run()
    assert said[:3] == [KUHN.title, "\n".join(KUHN.rules), HELP]
    assert said.count("\n".join(KUHN.rules)) == 2
    position = GameRules(named_game("twenty-one").description).dealt(Random(1))
    assert set(position.meanings.values()) == {"yours"}
    assert GameRules(FaceDown()).dealt(Random(1)).meanings == {}


def test_names_that_begin_with_a_digit_have_no_numbers() -> None:
    claims = ["1-1", "1-2", "2-1", "liar"]
    assert [moves_meant(line, claims) for line in ("1", "2", "1-2", "l")] == [[], ["2-1"], ["1-2"], ["liar"]]
    assert moves_meant("2", ["fold", "call"]) == ["call"]


def test_the_end_of_the_input_ends_a_game_that_asks_for_nothing() -> None:
    class Coins(FaceDown):
        def owner(self, state: str) -> int | None:
            return CHANCE if len(state) < 3 else None

        def chance(self, state: str, name: str, first: str, second: str) -> float:
            return 0.5

    said, asked = list[str](), list[str]()

    def ask(text: str) -> str | None:
        asked.append(text)
        return "" if len(asked) < 3 else None

    def never() -> Any:
        raise AssertionError("nobody moves")

    rules = GameRules(Coins())
    GameSession(title="Coins", rules=rules, advice=never, one_player=False, seed=1, ask=ask, say=said.append).run()
    assert asked == ["Enter: the next round; q: quit."] * 3
    assert said[-1].startswith("Total of 3 rounds: ")
