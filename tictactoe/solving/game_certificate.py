"""Certificates of equilibria of described games, in fractions. docs/certificate.md has the format."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from .. import __version__
from ..algorithms.game_builder import MAXIMUM_NODES
from ..algorithms.hidden_moves import HiddenWalk
from ..algorithms.one_program import SequenceGame, Sequences, merged, solve_in_fractions
from ..errors import GameError, ProgramError
from ..games.named_games import NamedGame
from ..storage.texts import json_text

MAXIMUM_SIZE = 64 * 2**20
"""The most bytes of a certificate that are written and read."""
LARGEST_BITS = 14_000
"""The most bits of a numerator or denominator. Python does not read longer ones from text."""


class _ExactWalk(HiddenWalk):
    exactly = True

    def __init__(self, description: Any, maximum_nodes: int) -> None:
        super().__init__(description, maximum_nodes)
        self.all_ends: list[tuple[int, int, Fraction, Fraction]] = []

    def _end(self, sequences: tuple[int, int], chance: Any, payoff: Any) -> None:
        self.all_ends.append((*sequences, Fraction(chance), payoff))

    def content(self) -> dict[str, Any]:
        return {
            "players": [
                [
                    {"after": each.before, "moves": _different(each.places), "sees": seen}
                    for each, seen in zip(sets, _different(each.seen for each in sets), strict=True)
                ]
                for sets in self.sets
            ],
            "ends": [[*end[:2], _text(end[2]), _text(end[3])] for end in self.all_ends],
        }

    def sequence_game(self) -> SequenceGame:
        first, second, chance, payoff = zip(*self.all_ends, strict=True)
        paid = np.array([one * other for one, other in zip(chance, payoff, strict=True)], object)
        players = []
        for sets, number in zip(self.sets, self.num_sequences, strict=True):
            before = np.array([each.before for each in sets], np.intp)
            players.append(Sequences(before, np.array([*(each.first for each in sets), number], np.intp)))
        return SequenceGame((players[0], players[1]), *merged(np.array(first), np.array(second), paid))


def _different(names: Iterable[Any]) -> list[str]:
    """Names as texts, which are numbered if two different names have the same text."""
    texts = [*map(str, names)]
    return texts if len(set(texts)) == len(texts) else [f"{text} ({place})" for place, text in enumerate(texts, 1)]


def printed_game(named: NamedGame) -> dict[str, Any]:
    """The fields `players` and `ends` of a game's certificate. Raises the errors of `game_certificate`."""
    walk = _walked(named, MAXIMUM_NODES)
    with named.faults():
        return walk.content()


def game_certificate(named: NamedGame, maximum_nodes: int = MAXIMUM_NODES) -> dict[str, Any]:
    """A certificate of an equilibrium of a game, as Python values for JSON.

    Raises GameError if there is none, for example if chances do not sum to exactly 1, UserCodeError for an error in the
    description, and MissingSolverError.

    >>> from tictactoe.games.named_games import named_game
    >>> game_certificate(named_game("kuhn"))["value"]
    '-1/18'
    """
    walk = _walked(named, maximum_nodes)
    try:
        solved = solve_in_fractions(walk.sequence_game())
    except ProgramError as error:
        raise GameError(f"{named.name}: {error}") from error
    with named.faults():
        strategies = [
            [_strategy(plan, each.before, each.first, len(each.places)) for each in sets]
            for sets, plan in zip(walk.sets, solved.plans, strict=True)
        ]
        return {
            "format": "smbc-tictactoe certificate of a game",
            "format_version": 2,
            "program_version": __version__,
            "python_version": platform.python_version(),
            "game": named.name,
            **walk.content(),
            "strategies": strategies,
            **dict.fromkeys(("lower", "upper", "value"), _text(solved.value)),
        }


def certificate_bytes(certificate: Mapping[str, Any]) -> bytes:
    """The content of the file: JSON in ASCII, sorted keys, a line for each information set and each end.

    Raises GameError for more than MAXIMUM_SIZE bytes.
    """

    def lines(items: list[Any]) -> str:
        return "[\n" + ",\n".join(json_text(item) for item in items) + "\n]"

    fields = []
    for name, value in sorted(certificate.items()):
        if name in ("players", "strategies"):
            text = f"[{', '.join(map(lines, value))}]"
        else:
            text = lines(value) if name == "ends" else json_text(value)
        fields.append(f"{json_text(name)}: {text}")
    data = ("{\n" + ",\n".join(fields) + "\n}\n").encode("ascii")
    if len(data) > MAXIMUM_SIZE:
        what = f"its certificate would have {len(data) / 2**20:,.0f} MB, more than {MAXIMUM_SIZE // 2**20}"
        raise GameError(f"{certificate['game']}: {what}")
    return data


def _walked(named: NamedGame, maximum_nodes: int) -> _ExactWalk:
    with named.faults():
        description = named.described(maximum_nodes)
        if not callable(getattr(description, "payoff", None)):
            raise ValueError("payoffs by matrices or strengths are floats; give them by payoff, too")
        walk = _ExactWalk(description, maximum_nodes)
        walk.run()
    return walk


def _strategy(plan: list[Fraction], before: int, first: int, number: int) -> list[str]:
    reach = plan[before]
    return [_text(plan[place] / reach if reach else Fraction(1, number)) for place in range(first, first + number)]


def _text(number: Fraction) -> str:
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > LARGEST_BITS:
        raise ValueError(f"there is a fraction of more than {LARGEST_BITS:,} bits, too long for a certificate")
    return f"{number.numerator}/{number.denominator}"
