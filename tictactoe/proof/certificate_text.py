"""Sentences about what a certificate proves."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..games.rules import DEFAULT_RULES
from ..match.percentages import exploitability_text
from ..number_text import rounded, rounded_up
from ..storage.directory_layout import SOLUTION_FILE
from .bot_files import OUTCOMES
from .certificate import named_by_record


def proved_of_match(certificate: Mapping[str, Any]) -> str:
    if certificate["total"] is None:
        return "The score 0-0 cannot be judged, so there is no total."
    total = Fraction(certificate["total"]["exploitability"])
    match = f"a match to {certificate['winning_score']}{_by_rules(certificate)}"
    proved = f"Proved: the total exploitability of the bot in {match} is"
    if total == 0:
        return f"{proved} exactly 0."
    return f"{proved} at most {exploitability_text(total, up=True)}."


def proved_of_round(certificate: Mapping[str, Any], directory: Path) -> str:
    lower, upper = bounds_text(certificate)
    value = f"is {lower}" if lower == upper else f"lies between {lower} and {upper}"
    given = f", which its snapshot gives{score}," if (score := place_in_match(certificate, "for")) else ","
    named = (
        f"{outcome_values_text(certificate)}{given} the value of the round{_by_rules(certificate)} to the first mover"
    )
    exploitability = Fraction(certificate["exploitability"])  # never below 0
    at_most = f"at most {rounded_up(exploitability)}" if exploitability else "exactly 0"
    return (
        f"Proved: with the outcome values {named} {value}, and the exploitability of the bot is {at_most}, in "
        f"payoff. {_which_snapshot(certificate, directory)}"
    )


def _which_snapshot(certificate: Mapping[str, Any], directory: Path) -> str:
    (judged,) = certificate["files"]
    bot = f"The bot is that of {judged}, the last one there"
    named = named_by_record(directory, certificate)
    if named is None:
        return f"{bot}."
    if named == judged:
        return f"{bot}, which is also what the match plays."
    return f"{bot}; the match plays another snapshot, {named}, which its {SOLUTION_FILE} names."


def outcome_values_text(certificate: Mapping[str, Any]) -> str:
    """The outcome values to the first mover by result, with enough digits to identify the floats."""
    values = ((who, float(Fraction(certificate["outcome_values"][who]))) for who in OUTCOMES)
    return ", ".join(f"{repr(value).removesuffix('.0')} {who}" for who, value in values)


def place_in_match(certificate: Mapping[str, Any], word: str) -> str:
    """A blank, the word and the round's score in its match; empty for a round without a match."""
    if certificate["score"] is None:
        return ""
    return f" {word} {'-'.join(map(str, certificate['score']))} of a match to {certificate['winning_score']}"


def bounds_text(certificate: Mapping[str, Any]) -> tuple[str, str]:
    """The lower and the upper bound: as fractions if both are short, otherwise with ten digits, rounded outward."""
    lower, upper = certificate["lower"], certificate["upper"]
    if max(len(lower), len(upper)) <= 24:
        return lower.removesuffix("/1"), upper.removesuffix("/1")
    return rounded(Fraction(lower), 10, up=False), rounded(Fraction(upper), 10, up=True)


def _by_rules(certificate: Mapping[str, Any]) -> str:
    name, _, odds = certificate["rules"].partition(" ")
    if odds:
        return f" by the rules {name}, with goals drawn {odds} (win:lose:tie),"
    return "" if name == DEFAULT_RULES else f" by the rules {name}"
