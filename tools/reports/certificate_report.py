"""Certificates as text: the bounds at every score, and one sentence with all that is proved."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.number_text import listed, rounded, rounded_up
from tictactoe.proof import certificate_format, round_certificate
from tictactoe.storage.directory_layout import SOLUTION_FILE

from ..program import say, shown_path
from .report import exploitability_text, print_table


def print_match(certificate: Mapping[str, Any], output: Path, quiet: bool, believed: str) -> None:
    rows = []
    for entry in sorted(certificate["scores"], key=lambda entry: entry["score"], reverse=True):
        upper, lower, exploitability = (Fraction(entry[name]) for name in ("upper", "lower", "exploitability"))
        rows.append(
            (
                "-".join(map(str, entry["score"])),
                _signed(certificate_format.decimal_text(lower, up=False, places=9)),
                _signed(certificate_format.decimal_text(upper, up=True, places=9)),
                rounded_up(exploitability),
                f"{rounded_up(50 * exploitability)} %",
                certificate_format.decimal_text(min(map(Fraction, entry["progress"].values())), up=False, places=3),
                "exact" if all(way["exact"] for way in entry["arithmetic"].values()) else "enclosed",
            )
        )
    explanation = (
        "score: points of the player who moves first, then of the other. lower, upper: proved bounds on the match "
        "value (-1 to 1) to the first mover, whoever of the two is a perfect player and the other the bot; the value "
        "of the game lies between them. exploitability: upper - lower, at least the total exploitability from there "
        "on; also in percentage points of matches won. progress: the least probability that a round leads on. "
        "probabilities: used exactly, or enclosed between multiples of 2^-96. All numbers are rounded outward; the "
        "certificate has them exactly."
    )
    if not quiet:
        headings = ("score", "lower", "upper", "exploitability", "% of matches", "progress", "probabilities")
        print_table(headings, rows, explanation, ("probabilities", "progress", "% of matches"))
        if certificate["not_judged"]:
            missing = listed(["-".join(map(str, score)) for score in certificate["not_judged"]], 8)
            say(f"Not judged, because a score is missing or leads to a missing one: {missing}.")
        _print_trees(certificate)
        say(f"Certificate: {shown_path(output)}")
    say(f"{total(certificate)}{believed}")


def _print_trees(certificate: Mapping[str, Any]) -> None:
    if walked := certificate["nodes"]["unreduced"]:
        say(
            f"Checked on the reduced tree of {certificate['nodes']['reduced']:,} nodes and on the unreduced one of "
            f"{walked:,}."
        )


def print_round(certificate: Mapping[str, Any], directory: Path, output: Path, quiet: bool) -> None:
    if not quiet:
        exploitability = rounded_up(Fraction(certificate["exploitability"]))
        exact = all(way["exact"] for way in certificate["arithmetic"].values())
        of_match, values = _of_match(certificate, "at"), _outcome_values(certificate)
        lower, upper = _bounds(certificate)
        say(f"Round{of_match} with the outcome values {values} (who scores; to the first mover).")
        print(f"lower           {lower}")
        print(f"upper           {upper}")
        print(f"exploitability  {exploitability}")
        print(f"probabilities   {'exact' if exact else 'enclosed between multiples of 2^-96'}")
        say(
            "lower: what the bot is sure of moving first. upper: the most that an adversary gets that moves first. The "
            "value of the round to the first mover lies between them. exploitability: upper - lower, at least the "
            "exploitability (NashConv) of the bot. All three in the unit of the outcome values."
        )
        _print_trees(certificate)
        say(f"Certificate: {shown_path(output)}")
    say(round_total(certificate, directory))


def round_total(certificate: Mapping[str, Any], directory: Path) -> str:
    lower, upper = _bounds(certificate)
    value = f"is {lower}" if lower == upper else f"lies in {lower} to {upper}"
    given = f", which its snapshot gives{score}," if (score := _of_match(certificate, "for")) else ","
    named = f"{_outcome_values(certificate)}{given} the value of the round{_by_rules(certificate)} to the first mover"
    exploitability = _exploitability(Fraction(certificate["exploitability"]))
    return (
        f"Proved: with the outcome values {named} {value}, and the exploitability of the bot is {exploitability}, in "
        f"the unit of the outcome values. {_which_snapshot(certificate, directory)}"
    )


def _which_snapshot(certificate: Mapping[str, Any], directory: Path) -> str:
    """A sentence that names the bot's snapshot, and the snapshot that the match around the round plays."""
    (judged,) = certificate["files"]
    bot = f"The bot is that of {judged}, the last one there"
    named = round_certificate.named_by_record(directory, certificate)
    if named is None:
        return f"{bot}."
    if named == judged:
        return f"{bot}, which is also what the match plays."
    return f"{bot}; the match plays another one, {named}, which its {SOLUTION_FILE} names."


def _outcome_values(certificate: Mapping[str, Any]) -> str:
    """The round's value to the first mover for each result (who scores), with enough digits to identify the float."""
    values = {
        who: repr(float(Fraction(text))).removesuffix(".0") for who, text in certificate["outcome_values"].items()
    }
    return ", ".join(f"{values[who]} {who}" for who in ("both", "first", "second", "neither"))


def _of_match(certificate: Mapping[str, Any], word: str) -> str:
    """A blank, the word and the round's score in its match; empty for a round without a match."""
    if certificate["score"] is None:
        return ""
    return f" {word} {'-'.join(map(str, certificate['score']))} of a match to {certificate['winning_score']}"


def _bounds(certificate: Mapping[str, Any]) -> tuple[str, str]:
    """The lower and the upper bound: as fractions if both are short; otherwise as ten digits each, rounded outward."""
    lower, upper = certificate["lower"], certificate["upper"]
    if max(len(lower), len(upper)) <= 24:
        return lower.removesuffix("/1"), upper.removesuffix("/1")
    return rounded(Fraction(lower), 10, up=False), rounded(Fraction(upper), 10, up=True)


def _signed(number: str) -> str:
    return number if number.startswith("-") else f"+{number}"


def total(certificate: Mapping[str, Any]) -> str:
    if certificate["total"] is None:
        return "The score 0-0 cannot be judged, so there is no total."
    total = Fraction(certificate["total"]["exploitability"])
    match = f"a match to {certificate['winning_score']}{_by_rules(certificate)}"
    proved = f"Proved: the total exploitability of the bot in {match} is"
    if total == 0:
        return f"{proved} exactly 0."
    return f"{proved} at most {exploitability_text(total, up=True)} of matches won."


def _by_rules(certificate: Mapping[str, Any]) -> str:
    """The rules and the odds of the goals in words; empty for the default rules."""
    name, _, odds = certificate["end_rule"].partition(" ")
    if odds:
        return f" by the rules {name}, with goals drawn {odds} (win:lose:tie),"
    return "" if name == DEFAULT_RULES else f" by the rules {name}"


def _exploitability(value: Fraction) -> str:
    """An exploitability, which is never below 0, as an upper bound in words."""
    return f"at most {rounded_up(value)}" if value else "exactly 0"
