"""The checker of certificates of described games. docs/certificate.md has the format.

A player's sequences are numbered: 0 for no move, then the moves of its information sets in order. The checker uses only
the standard library and nothing from the solver.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .checker import Refused

_FRACTION = re.compile(r"-?[0-9]{1,4300}/[1-9][0-9]{0,4299}", re.ASCII)


class _Set(NamedTuple):
    after: int
    first: int
    """The sequence of the set's first move."""
    number: int
    """The number of moves."""


End = tuple[int, int, Fraction, Fraction]
"""The sequences of both players, the chance, and the payoff to player 0."""


def check_game(certificate: Mapping[str, Any]) -> Fraction:
    """Check a certificate and return the value of its game to player 0. Raises Refused for any error.

    >>> from tictactoe.games.named_games import named_game
    >>> from tictactoe.solving.game_certificate import game_certificate
    >>> check_game(game_certificate(named_game("kuhn")))
    Fraction(-1, 18)
    """
    content = certificate["players"], certificate["strategies"]
    if not all(type(each) is list and [*map(type, each)] == [list, list] for each in content):
        raise Refused("players, strategies: not two lists each")
    sets = [_sets(given, f"players[{player}]") for player, given in enumerate(content[0])]
    plans = [_plan(*each, f"strategies[{player}]") for player, each in enumerate(zip(sets, content[1], strict=True))]
    ends = _ends(certificate["ends"], plans)
    for chosen in (max, min):  # whoever deviates, the chances of all ends sum to 1
        for player in (0, 1):
            total = _best(player, sets[player], plans[1 - player], [(*end[:3], Fraction(1)) for end in ends], chosen)
            if total != 1:
                raise Refused(f"ends: their chances sum to {_shown(total)}, not to 1")
    most, least = _best(0, sets[0], plans[1], ends, max), _best(1, sets[1], plans[0], ends, min)
    for name, right in (("upper", most), ("lower", least), ("value", most)):
        if (claimed := _fraction(certificate[name], name)) != right:
            raise Refused(f"{name}: {_shown(claimed)} should be {_shown(right)}")
    if most != least:
        raise Refused(
            f"strategies: no equilibrium; the value of the game lies between {_shown(least)} and {_shown(most)}"
        )
    return most


def check_same_game(certificate: Mapping[str, Any], printed: Mapping[str, Any], name: str) -> None:
    """Raise Refused unless a certificate has the game called `name`, whose fields are `printed`."""
    for where, right in printed.items():
        found = certificate[where]
        if found == right:
            continue
        while type(found) is type(right) is list and len(found) == len(right):
            place = next(place for place, pair in enumerate(zip(found, right, strict=True)) if pair[0] != pair[1])
            found, right, where = found[place], right[place], f"{where}[{place}]"
        raise Refused(f"{where}: of another game than {_cut(name)}")


def _sets(given: Sequence[Any], where: str) -> list[_Set]:
    result, sequences, seen = [], 1, set()
    for place, each in enumerate(given):
        here = f"{where}[{place}]"
        if type(each) is not dict or each.keys() != {"after", "moves", "sees"}:
            raise Refused(f"{here}: not a map of after, moves and sees")
        after, moves = each["after"], each["moves"]
        if type(after) is not int or not 0 <= after < sequences:
            raise Refused(f"{here}.after: not a sequence before it")
        if type(moves) is not list or not moves or not all(type(name) is str for name in (*moves, each["sees"])):
            raise Refused(f"{here}: not text that is seen, and texts of moves")
        if len(set(moves)) < len(moves) or each["sees"] in seen:
            raise Refused(f"{here}: two have the same name")
        seen.add(each["sees"])
        result.append(_Set(after, sequences, len(moves)))
        sequences += len(moves)
    return result


def _plan(sets: Sequence[_Set], given: Sequence[Any], where: str) -> list[Fraction]:
    if len(given) != len(sets):
        raise Refused(f"{where}: not a list for each information set")
    plan = [Fraction(1)]
    for place, (each, texts) in enumerate(zip(sets, given, strict=True)):
        here = f"{where}[{place}]"
        if type(texts) is not list or len(texts) != each.number:
            raise Refused(f"{here}: not a probability for each move")
        chances = [_fraction(text, here) for text in texts]
        if min(chances) < 0 or sum(chances) != 1:
            raise Refused(f"{here}: not probabilities, or they do not sum to 1")
        plan += [plan[each.after] * chance for chance in chances]
    return plan


def _ends(given: Any, plans: Sequence[Sequence[Fraction]]) -> list[End]:
    if type(given) is not list:
        raise Refused("ends: not a list")
    result = []
    for place, end in enumerate(given):
        here = f"ends[{place}]"
        if type(end) is not list or [*map(type, end)] != [int, int, str, str]:
            raise Refused(f"{here}: not two sequences, a chance and a payoff")
        if not (0 <= end[0] < len(plans[0]) and 0 <= end[1] < len(plans[1])):
            raise Refused(f"{here}: there is no such sequence")
        chance, payoff = (_fraction(text, here) for text in end[2:])
        if chance <= 0:
            raise Refused(f"{here}: the chance is not above 0")
        result.append((end[0], end[1], chance, payoff))
    return result


def _best(player: int, sets: Sequence[_Set], other: Sequence[Fraction], ends: Sequence[End], chosen: Any) -> Fraction:
    """The value to player 0 if `player` chooses by max or min against the other's plan."""
    values = [Fraction(0)] * (1 + sum(each.number for each in sets))
    for first, second, chance, payoff in ends:
        own, others = (first, second) if player == 0 else (second, first)
        if reach := other[others]:
            values[own] += reach * chance * payoff
    for each in reversed(sets):
        values[each.after] += chosen(values[each.first : each.first + each.number])
    return values[0]


def _fraction(text: Any, where: str) -> Fraction:
    if type(text) is not str or not _FRACTION.fullmatch(text):
        raise Refused(f"{where}: {_cut(text)} is not a fraction")
    numerator, denominator = map(int, text.split("/"))
    if (number := Fraction(numerator, denominator)).denominator != denominator:
        raise Refused(f"{where}: {_cut(text)} is not in lowest terms")
    return number


def _shown(number: Fraction) -> str:
    return _cut(str(number))


def _cut(what: Any) -> str:
    text = what if isinstance(what, str) else repr(what)
    return ascii(text if len(text) <= 60 else f"{text[:57]}...").strip("'")
