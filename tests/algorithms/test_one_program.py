"""One linear program for any described game: known values, brute force, fractions, and payoffs far apart."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from oracle import hidden_games, sequences

from tictactoe import build_game, equilibrium, exploitability, kuhn_poker
from tictactoe.algorithms import one_program
from tictactoe.algorithms.one_program import SequenceGame, Sequences, merged, solve_in_fractions
from tictactoe.errors import ProgramError
from tictactoe.games.named_games import NamedGame, named_game
from tictactoe.solving.game_certificate import game_certificate


@pytest.mark.parametrize(
    ("game", "value"),
    [
        (named_game("kuhn").build(), -1 / 18),
        (named_game("kuhn(70)").build(), None),  # more types than compiled code takes
        (named_game("leduc").build(), -0.08560642407800),
        (kuhn_poker(), -1 / 18),
        (build_game(hidden_games.Matrix((0, -1, 2), (1, 0, -1), (-1, 1, 0))), None),
        (build_game(hidden_games.SecretThief()), None),
        (build_game(hidden_games.Bids()), None),
    ],
)
def test_equilibria(game: Any, value: float | None) -> None:
    found = equilibrium(game)
    assert exploitability(game, found.strategy).total < 1e-12
    exact = one_program.exact_equilibrium(game, found.strategy)
    assert exact.exploitability.total < 1e-14
    assert found.value == pytest.approx(exact.value, abs=1e-12)
    if value is not None:
        assert exact.value == pytest.approx(value, abs=1e-13)


class Blind:
    """Player 0 sees its card only after its first bet; player 1 never sees its own."""

    types = ("low", "middle", "high"), ("low", "high")

    def prior(self, first: str, second: str) -> str:
        return "1/6"

    def root(self) -> tuple[str, ...]:
        return ()

    def owner(self, state: tuple[str, ...]) -> int | None:
        return (0, 1, 0, None)[len(state)]

    def moves(self, state: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
        return [(name, (*state, name)) for name in ("small", "large")]

    def knows(self, state: tuple[str, ...], player: int, own: str) -> str:
        return own if player == 0 and state else ""

    def payoff(self, state: tuple[str, ...], first: str, second: str) -> float:
        right = [state[place] == ("large" if own == "high" else "small") for place, own in ((0, first), (2, first))]
        return 2 * right[0] + right[1] - (state[1] == ("large" if second == "high" else "small")) * (1 + right[1])


def test_a_player_who_does_not_know_its_type() -> None:
    game = build_game(Blind())
    assert game.tree.knowledge is not None
    found = equilibrium(game)
    assert exploitability(game, found.strategy).total < 1e-13
    certified = game_certificate(NamedGame("blind", "Blind", Blind(), "blind.py"))["value"]
    assert found.value == pytest.approx(Fraction(certified), abs=1e-12)
    in_floats = type("InFloats", (Blind,), {"prior": lambda *_: 1 / 6})()  # the oracle takes no texts
    assert found.value == pytest.approx(sequences.value(in_floats), abs=1e-12)


def matrix_game(*rows: tuple[Any, ...]) -> SequenceGame:
    first, second = np.indices((len(rows), len(rows[0])))
    paid = np.array([Fraction(number) for row in rows for number in row], object)
    both = (Sequences(np.zeros(1, np.intp), np.array([1, 1 + size])) for size in (len(rows), len(rows[0])))
    return SequenceGame((next(both), next(both)), *merged(1 + first.ravel(), 1 + second.ravel(), paid))


def test_fractions_of_a_matrix_game() -> None:
    solved = solve_in_fractions(matrix_game((2, -1), (-1, 1)))
    assert (solved.value, solved.plans[0]) == (Fraction(1, 5), [1, Fraction(2, 5), Fraction(3, 5)])
    big, small = Fraction(10**40), Fraction(1, 10**30)
    solved = solve_in_fractions(matrix_game((2 * big, -big), (-big, big)))
    assert solved.value == big / 5
    with pytest.raises(
        ProgramError, match="no exact optimum after 20 floating-point optima"
    ):  # all payoffs are the same float
        solve_in_fractions(matrix_game((1 + small, 1), (1, 1 + small)))


@pytest.mark.parametrize("seed", range(4))
def test_fractions_of_random_matrices(seed: int) -> None:
    random = np.random.default_rng(seed)
    payoffs = random.integers(-50, 50, (5, 7))
    solved = solve_in_fractions(matrix_game(*payoffs.tolist()))
    first, second = (np.array(plan[1:], object) for plan in solved.plans)
    assert sum(first) == sum(second) == 1
    assert min(*first, *second) >= 0
    assert min(first @ payoffs) == max(payoffs @ second) == solved.value


def test_what_is_not_found_in_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_program, "MAXIMUM_BITS", 100)
    with pytest.raises(ProgramError, match="not solved in fractions"):
        solve_in_fractions(matrix_game((2, -1), (-1, 1)))


def test_without_an_optimum_the_program_is_solved_in_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise ProgramError("no optimum")

    monkeypatch.setattr(one_program, "_by_floats", fails)
    assert equilibrium(kuhn_poker()).value == pytest.approx(-1 / 18, abs=1e-16)
