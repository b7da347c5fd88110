"""What the tests of certificates share: bots that were prepared for the checker once, whatever is then made of them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

from tictactoe.bounds import strategy_tree
from tictactoe.certificate import certificate_bytes, fraction
from tictactoe.checker import BotRound, Probabilities, probabilities
from tictactoe.checker_tree import Tree

UNIT = Fraction(1, 2**120)
"""Bounds are multiples of it."""
Json = dict[str, Any]

_BOTS: dict[tuple[bytes, int], Probabilities] = {}
_ROUNDS: dict[tuple[int, int], tuple[Tree, Probabilities, BotRound]] = {}


def probabilities_once(tree: Tree, weights: Sequence[Sequence[float]], bot: int) -> Probabilities:
    """Like `probabilities`, on the one tree that strategies are stored on; the same weights once."""
    assert tree is strategy_tree()
    key = np.array(weights).tobytes(), bot
    if key not in _BOTS:
        _BOTS[key] = probabilities(tree, weights, bot)
    return _BOTS[key]


def round_once(tree: Tree, bot: Probabilities) -> BotRound:
    """Like `BotRound`; the same round, of which references are kept, once."""
    key = id(tree), id(bot)
    if key not in _ROUNDS:
        _ROUNDS[key] = tree, bot, BotRound(tree, bot)
    return _ROUNDS[key][2]


@contextlib.contextmanager
def prepared_once(module: ModuleType) -> Iterator[None]:
    """Most of the work is to read the same bots again and again; bounds are found and checked as ever."""
    with (
        mock.patch.object(module, "probabilities", probabilities_once),
        mock.patch.object(module, "BotRound", round_once),
    ):
        yield


def edited(certificate: Json, *path: str | int, value: Any) -> Json:
    result: Json = json.loads(certificate_bytes(certificate))
    place: Any = result
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value(place[path[-1]]) if callable(value) else value
    return result


def moved(units: int) -> Callable[[str], str]:
    """A fraction moved by units in the last place."""

    def change(text: str) -> str:
        value = fraction(text) + units * UNIT
        return f"{value.numerator}/{value.denominator}"

    return change
