"""A single player against chance: held to a reading of the description, history by history; what is refused."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle import descriptions
from oracle.small_games import Table

from tictactoe import CHANCE, best_play


@dataclass
class Alone(Table):
    """A single player against chance: the probability of a chance move stands behind its name and state."""

    types: Any = (("player",), ("nobody",))
    probability: Callable[[Any, Any], Any] = lambda first, second: 1
    asked: list[Any] = field(default_factory=list)

    def root(self) -> Any:
        return next(iter(self.nodes))

    def owner(self, state: Any) -> Any:
        self.asked.append(state)
        return super().owner(state)

    def moves(self, state: Any) -> Any:
        moves = super().moves(state)
        return [move[:2] for move in moves] if isinstance(moves, list) else moves

    def chance(self, state: Any, name: Any, first: Any, second: Any) -> Any:
        return next(move[2] for move in self.nodes[state][1] if move[0] == name)


def random_table(seed: int, num_states: int = 12) -> Alone:
    random = np.random.default_rng(seed)
    nodes: dict[Any, Any] = {}
    for state in range(num_states - 4):
        after = random.choice(np.arange(state + 1, num_states), int(random.integers(1, 4)), replace=False).tolist()
        weights = [Fraction(int(each)) for each in random.integers(0 if len(after) > 1 else 1, 5, len(after))]
        weights[0] += 1
        owner = int(random.choice([0, CHANCE]))
        moves = [(f"to {to}", to, weight / sum(weights)) for to, weight in zip(after, weights, strict=True)]
        nodes[state] = owner, moves
    payoffs = [Fraction(int(each), 7) for each in random.integers(-9, 9, num_states)]
    return Alone(nodes, worth=lambda state, *types: payoffs[state])


@pytest.mark.parametrize("seed", range(40))
def test_random_games(seed: int) -> None:
    table = random_table(seed)
    best = best_play(table)
    assert best.value == descriptions.best_response_value(table, (None, None), 0)
    assert isinstance(best.value, Fraction)
    assert best.value == best.values[0]

    def play(history: Any, own: Any) -> dict[Any, int]:
        state = int(history[-1].split()[1]) if history else 0
        return {name: int(name == best.moves[state]) for name, _ in table.moves(state)}

    assert descriptions.value(table, (play, None)) == best.value
    assert set(best.moves) == {state for state in best.values if table.owner(state) == 0}


def test_each_state_is_asked_once_and_games_may_be_long() -> None:
    steps = 20_000
    nodes = {n: (0, [("one", n + 1), ("two", min(n + 2, steps))]) for n in range(steps)}
    table = Alone(nodes, worth=lambda state, *types: 3)
    assert best_play(table).value == 3
    assert sorted(table.asked) == list(range(steps + 1))
    assert best_play(Alone({"end": (None,)}, worth=lambda state, *types: 1.5)).value == 1.5
    tied = Alone({"start": (0, [("a", 1), ("b", 2), ("c", 3)])}, worth=lambda state, *types: min(state, 2))
    assert best_play(tied).moves == {"start": "b"}  # the first of two equally good moves


def test_chance_of_zero_leads_nowhere() -> None:
    nodes = {"start": (CHANCE, [("never", "start", 0.0), ("also never", "bad", 0.0), ("always", "end", 1.0)])}
    table = Alone(nodes, worth=lambda state, *types: {"end": 2.0}[state])
    assert best_play(table).values == {"start": 2.0, "end": 2.0}


ON: dict[Any, Any] = {"start": (0, [("on", "end")])}


def thrown(on: float, off: float) -> Alone:
    return Alone({"start": (CHANCE, [("on", 1, on), ("off", 2, off)])})


@pytest.mark.parametrize(
    ("description", "message"),
    [
        (Alone(ON, types=("ab", "c")), r"types: the players have \[2, 1\]; best_play needs games without secrets, .*"),
        (Alone({"start": (1, [])}), r"owner at 'start': 1 is not 0, CHANCE \(2\), or None when the game is over"),
        (Alone({"start": (0, [])}), r"moves at 'start': \[\] is not a list of pairs \(name, state\)"),
        (Alone({"start": (0, 5)}), r"moves at 'start': 5 is not a list of pairs \(name, state\)"),
        (Alone({"start": (0, [("on", 1), ("on", 2)])}), r"moves at 'start': two have the same name: \['on', 'on'\]"),
        (Alone({"start": (0, [("on", "start")])}), "moves at 'start': 'on' leads back to 'start'"),
        (Alone(ON | {"end": (0, [("back", "start")])}), "moves at 'end': 'back' leads back to 'start'"),
        (Alone({"start": (0, [("on", [1])])}), r"state \[1\]: .*unhashable.*; best_play needs states such as tuples"),
        (thrown(0.5, 0.4), "chance at 'start': the probabilities of all moves sum to 0.9, not 1"),
        (thrown(1.5, -0.5), "chance at 'start': -0.5 for 'off' is not a probability"),
        (Table({"start": (CHANCE, [("on", 1)])}, "ab"), r"owner at 'start': CHANCE \(2\), but .* has no method chance"),
        (Alone(ON, worth=lambda *leaf: float("nan")), "payoff at 'end': nan is not a finite number"),
    ],
)
def test_refused_descriptions(description: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        best_play(description)


def test_too_many_states() -> None:
    table = Alone({state: (0, [("on", state + 1)]) for state in range(2000)})
    with pytest.raises(ValueError, match=r"^the game has more than 1,000 states; maximum_states allows more$"):
        best_play(table, maximum_states=1000)
    assert max(table.asked) <= 1000
    with pytest.raises(ValueError, match=r"^maximum_states: 0 is not at least 1$"):
        best_play(table, maximum_states=0)
