"""Certificates of described games: known values, damaged ones, those of another game, and what cannot be certified."""

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from oracle import hidden_games
from support.programs import call

from tictactoe import read_certificate
from tictactoe.errors import GameError
from tictactoe.games.named_games import NamedGame, named_game
from tictactoe.proof.checker import Refused
from tictactoe.proof.game_checker import check_game, check_same_game
from tictactoe.solving import game_certificate as making
from tictactoe.solving.game_certificate import certificate_bytes, game_certificate, printed_game

KUHN = game_certificate(named_game("kuhn"))


def named(description: Any) -> NamedGame:
    return NamedGame("mine", "Mine", description, "mine.py")


class Decimals(hidden_games.Matrix):
    def payoff(self, state: Any) -> Any:
        return str(self.rows[state[0]][state[1]])


class OneInTwoWays(hidden_games.Matrix):
    """Names that differ, and whose texts do not: player 1 sees the move of player 0."""

    def moves(self, state: Any) -> Any:
        return [(name, (*state, place)) for place, name in enumerate((1, "1"))]

    def sees(self, state: Any, player: int) -> Any:
        return (1, "1")[state[0]] if state else ""


@pytest.mark.parametrize(
    ("game", "value"),
    [
        (named_game("kuhn"), Fraction(-1, 18)),
        (named_game("kuhn(13)"), Fraction(-5, 78)),
        (named_game("leduc"), Fraction(-1454920850547486749701863871533, 16995463438839962469905132501930)),
        (named_game("liars-dice(sides=2)"), None),
        (named(hidden_games.Matrix((2, -1), (-1, 1))), Fraction(1, 5)),
        (named(Decimals((0.2, -0.1), (-0.1, 0.1))), Fraction(1, 50)),
        (named(hidden_games.Matrix((0.2, -0.1), (-0.1, 0.1))), Fraction(0.1) / 5),  # floats are what they are
        (named(OneInTwoWays((2, -1), (-3, 1))), Fraction(-1)),
        (named(hidden_games.SecretThief()), None),
        (named(hidden_games.Bids()), None),
    ],
)
def test_values(game: NamedGame, value: Fraction | None, tmp_path: Path) -> None:
    certificate = game_certificate(game)
    found = check_game(certificate)
    assert value is None or found == value
    path = tmp_path / "certificate.json"
    path.write_bytes(certificate_bytes(certificate))
    assert read_certificate(path) == certificate
    check_same_game(certificate, printed_game(game), game.name)


def with_strategy(certificate: Any) -> None:
    certificate["strategies"][0][0] = ["1/2", "1/2"]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda c: c.update(value="-1/17"), "value: -1/17 should be -1/18"),
        (lambda c: c.update(upper="-2/36"), "upper: -2/36 is not in lowest terms"),
        (lambda c: c.update(lower="zero"), "lower: zero is not a fraction"),
        (lambda c: c.update(lower="-1/0"), "lower: -1/0 is not a fraction"),
        (lambda c: c["ends"].pop(), "ends: their chances sum to .*, not to 1"),
        (lambda c: c["ends"][0].__setitem__(2, "1/7"), "ends: their chances sum to .*, not to 1"),
        (lambda c: c["ends"][0].__setitem__(2, "-1/6"), r"ends\[0\]: the chance is not above 0"),
        (lambda c: c["ends"][0].__setitem__(0, 99), r"ends\[0\]: there is no such sequence"),
        (lambda c: c["ends"][0].__setitem__(0, True), r"ends\[0\]: not two sequences, a chance and a payoff"),
        (lambda c: c["ends"][3].__setitem__(3, "5/1"), "upper: -1/18 should be .*"),
        (lambda c: c["players"].pop(), "players, strategies: not two lists each"),
        (lambda c: c["players"][1].pop(), r"strategies\[1\]: not a list for each information set"),
        (lambda c: c["players"][0][0].pop("sees"), r"players\[0\]\[0\]: not a map of after, moves and sees"),
        (lambda c: c["players"][0][0].update(after=1), r"players\[0\]\[0\].after: not a sequence before it"),
        (lambda c: c["players"][0][0].update(moves=[]), r"players\[0\]\[0\]: not text"),
        (lambda c: c["players"][0][0].update(moves=["a", "a"]), r"players\[0\]\[0\]: two have the same name"),
        (lambda c: c["strategies"][0][0].pop(), r"strategies\[0\]\[0\]: not a probability for each move"),
        (lambda c: c["strategies"][0].__setitem__(0, ["2/1", "-1/1"]), r"strategies\[0\]\[0\]: not probabilities"),
        (lambda c: c["strategies"][0].__setitem__(0, ["1/2", "1/3"]), r"strategies\[0\]\[0\]: not probabilities"),
        (with_strategy, "lower: -1/18 should be .*"),
    ],
)
def test_damaged_certificates(damage: Callable[[Any], object], problem: str) -> None:
    certificate = copy.deepcopy(KUHN)
    damage(certificate)
    with pytest.raises(Refused, match=f"^{problem}") as refused:
        check_game(certificate)
    assert "\n" not in str(refused.value)


def test_a_strategy_that_is_no_equilibrium_proves_no_value() -> None:
    certificate = copy.deepcopy(KUHN)
    certificate["strategies"][0][0] = ["0/1", "1/1"]
    certificate["lower"] = "-7/18"
    with pytest.raises(
        Refused, match=r"^strategies: no equilibrium; the value of the game lies between -7/18 and -1/18$"
    ):
        check_game(certificate)


class Rounded(hidden_games.SecretThief):
    def chance(self, state: Any, name: str) -> Any:
        return (2 if name == "left" else 1) / 3


def test_chances_that_do_not_sum_to_one() -> None:
    what = "mine: chance before the first move: the probabilities sum to less than 1 by 5.6e-17; give them as fractions"
    with pytest.raises(GameError, match=what):
        game_certificate(named(Rounded()))


class Tiny(hidden_games.Matrix):
    def payoff(self, state: Any) -> Any:
        return Fraction(self.rows[state[0]][state[1]], 3**9000)  # type: ignore[arg-type]


def test_what_is_too_long_for_a_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GameError, match="too long for a certificate"):
        game_certificate(named(Tiny((2, -1), (-1, 1))))
    monkeypatch.setattr(making, "MAXIMUM_SIZE", 1000)
    with pytest.raises(GameError, match="kuhn: its certificate would have 0 MB"):
        certificate_bytes(KUHN)


def test_the_commands(tmp_path: Path) -> None:
    directory, path = tmp_path / "kuhn", tmp_path / "kuhn" / "certificate.json"
    made = call("game solve", "kuhn", "--algorithm", "exact", "-o", str(directory))
    assert made.err.endswith("certificate.json proves the value: exactly -1/18\n")
    before = path.read_bytes()
    call("game solve", "kuhn", "--algorithm", "exact", "-o", str(directory))
    assert path.read_bytes() == before
    checked = call("best-response-multiround", "--verify", str(path), "--game", "kuhn")
    assert checked.out.endswith("every claim holds. Proved: the value of kuhn to the first player is exactly -1/18.\n")
    other = call("best-response-multiround", "--verify", str(path), "--game", "leduc")
    assert (other.code, "refused: players[0]: of another game than leduc" in other.err) == (1, True)
    path.write_text(json.dumps(json.loads(before) | {"value": "0/1"}))
    damaged = call("best-response-multiround", "--verify", str(path))
    assert (damaged.code, damaged.err.count("\n")) == (1, 1)
    assert "refused: value: 0 should be -1/18" in damaged.err
    wrong = call("best-response-multiround", "--verify", str(path), "--unreduced")
    assert (wrong.code, "--unreduced is not needed: the certificate of a game contains everything" in wrong.err) == (
        2,
        True,
    )
