"""Certificates of a round that was solved on its own: what the bot of a directory of snapshots is sure of in it.

The bot plays the average strategy of the last snapshot. With the outcome values of that snapshot, the fractions that
its floats are, an adversary that moves first gets at most `upper`, and a bot that moves first at least `lower`,
whatever its adversary does. So the value of the round lies between them, and the exploitability (NashConv) is at most
upper - lower. There is nothing after the round, so one pass of the checker proves each: docs/certificate.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from .bounds import (
    LARGEST_WINNING_SCORE,
    SOLUTION_FILE,
    Arithmetic,
    claimable,
    digest,
    is_score,
    strategy_tree,
    weights_in,
    whole_tree,
)
from .certificate import (
    compare,
    decimal_text,
    described,
    fraction,
    fraction_text,
    header,
    header_problems,
    is_fraction,
    limits,
    problems,
    read_json,
    refuse_difference,
)
from .checker import BotRound, Refused, probabilities
from .files import FormatError, read_file

ROUND_FORMAT = "smbc-tictactoe certificate of a round"
OUTCOMES = ("both", "first", "second", "neither")
"""Who scores; the order of the outcome values, and of checker.RESULTS."""
LARGEST_OUTCOME_VALUE = 1e100

_SNAPSHOT_NAME = re.compile(r"snapshot_([0-9]{6}|[1-9][0-9]{6,17})\.msgpack")


class Claims(NamedTuple):
    """What is claimed, in the unit of the outcome values to the first mover."""

    lower: Fraction
    upper: Fraction


def certify_round(directory: Path, *, unreduced: bool = False) -> dict[str, Any]:
    """A certificate of the last snapshot in `directory`, as `write_certificate` takes it.

    unreduced: check the claims on the tree of all histories, too. Raises FormatError for files that cannot be used.
    """
    return _certificate(directory, _hashes(directory), None, unreduced)


def verify_round(certificate: Mapping[str, Any], directory: Path, *, unreduced: bool = False) -> None:
    """Check a certificate that `read_any_certificate` read against the last snapshot in `directory`.

    unreduced: on the tree of all histories, too; without it, what a certificate says of that tree is not checked.
    Raises Refused, saying which claim does not hold, and FormatError for files that cannot be used.
    """
    files = _hashes(directory)
    refuse_difference(files, certificate["files"], "files")
    claims = Claims(fraction(certificate["lower"]), fraction(certificate["upper"]))
    compare(_certificate(directory, files, claims, unreduced), certificate, unreduced)


def read_round_certificate(path: Path) -> dict[str, Any]:
    """A certificate of a round whose fields have the right types; nothing else is checked. Raises FormatError."""
    content: dict[str, Any] = read_json(path)
    for problem in _problems(content):
        raise FormatError(path, problem)
    return content


def read_any_certificate(path: Path) -> dict[str, Any]:
    """A certificate, of a round if its `format` is ROUND_FORMAT, otherwise of a match, whose fields have the right
    types; nothing else is checked. Raises FormatError."""
    content = read_json(path)
    is_round = type(content) is dict and content.get("format") == ROUND_FORMAT
    for problem in _problems(content) if is_round else problems(content):
        raise FormatError(path, problem)
    result: dict[str, Any] = content
    return result


def _problems(content: Any) -> Iterator[str]:
    """What is wrong with the types of what is read before everything is compared."""
    yield from header_problems(content, ROUND_FORMAT, {"outcome_values": dict, "arithmetic": dict})
    if not is_fraction(content.get("lower")) or not is_fraction(content.get("upper")):
        yield "lower, upper: not fractions in lowest terms"


# --- reading a round ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Round:
    """What a snapshot says. outcome_values: to the first mover, as OUTCOMES; weights: by goal and node."""

    score: list[int] | None
    winning_score: int | None
    outcome_values: list[Fraction]
    weights: list[list[float]]


def _hashes(directory: Path) -> dict[str, str]:
    """SHA-256 (hexadecimal) of the last snapshot in a directory, by its name. Raises FormatError."""
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise FormatError(directory, f"cannot be read: {error.strerror or error}") from error
    iterations = {int(match[1]): name for name in names if (match := _SNAPSHOT_NAME.fullmatch(name))}
    if not iterations:
        solution = "" if SOLUTION_FILE in names else f" and no solution ({SOLUTION_FILE})"
        raise FormatError(directory, f"no snapshots of a round{solution} here")
    name = iterations[max(iterations)]
    return {name: digest(directory / name)}


def _read_round(path: Path) -> _Round:
    content = read_file(path, "snapshot")
    score, winning_score, values = (content.get(name) for name in ("score", "winning_score", "outcome_values"))
    most = LARGEST_WINNING_SCORE
    if winning_score is not None:
        if type(winning_score) is not int or not 1 <= winning_score <= most:
            raise FormatError(path, f"winning_score: neither nil nor an integer in 1 to {most}")
        most = winning_score
    if score is not None and not is_score(score, most):
        raise FormatError(path, "score: neither nil nor a score of the match")
    if type(values) is not list or [type(value) for value in values] != [float] * 4:
        raise FormatError(path, "outcome_values: not four floats")
    if max(map(abs, values)) > LARGEST_OUTCOME_VALUE:
        raise FormatError(path, f"outcome_values: beyond {LARGEST_OUTCOME_VALUE:g}")
    return _Round(score, winning_score, [Fraction(value) for value in values], weights_in(path, content))


# --- the claims --------------------------------------------------------------------------------------------------


def _certificate(directory: Path, files: dict[str, str], claims: Claims | None, unreduced: bool) -> dict[str, Any]:
    """The certificate of these claims, or of what can be found, checked either way."""
    (name,) = files
    found = _read_round(directory / name)
    # By the adversary's seat: first in upper's round, second in lower's.
    first, first_arithmetic = _prove(found, 0, None if claims is None else claims.upper, unreduced)
    second, second_arithmetic = _prove(found, 1, None if claims is None else -claims.lower, unreduced)
    if _hashes(directory) != files:
        raise FormatError(directory, "files were changed while they were read")
    lower, upper = -second, first
    values = map(fraction_text, found.outcome_values)
    return {
        **header(ROUND_FORMAT, files, unreduced),
        "score": found.score,
        "winning_score": found.winning_score,
        "outcome_values": dict(zip(OUTCOMES, values, strict=True)),
        **limits(lower, upper),
        "exploitability": fraction_text(upper - lower),
        "exploitability_decimal": decimal_text(upper - lower, up=True),
        "arithmetic": {"bot_first": described(second_arithmetic), "bot_second": described(first_arithmetic)},
    }


def _prove(found: _Round, seat: int, claim: Fraction | None, unreduced: bool) -> tuple[Fraction, Arithmetic]:
    """What an adversary in `seat` cannot exceed, by its own values: the claim, or the least that can be claimed.

    Raises Refused when the claim does not hold.
    """
    bot = probabilities(strategy_tree(), found.weights, 1 - seat)
    worth = [value if seat == 0 else -value for value in found.outcome_values]
    most = BotRound(strategy_tree(), bot).best_response(worth)
    bound = claimable(most) if claim is None else claim
    broken = f"the {('upper', 'lower')[seat]} bound does not hold: a best response gets more"
    if most > bound:
        raise Refused(broken)
    if unreduced and BotRound(whole_tree(), bot).best_response(worth) > bound:
        raise Refused(f"on the unreduced tree: {broken}")
    return bound, Arithmetic(bot.exact, bot.unit)
