"""Certificates as text: the bounds at every score, and one sentence with all that is proved."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from tictactoe.match.percentages import POINTS
from tictactoe.number_text import listed, rounded_up
from tictactoe.proof import certificate_format
from tictactoe.proof.certificate_text import (
    bounds_text,
    outcome_values_text,
    place_in_match,
    proved_of_match,
    proved_of_round,
)

from ..program import say, shown_path
from .report import print_table


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
                rounded_up(50 * exploitability),
                certificate_format.decimal_text(min(map(Fraction, entry["progress"].values())), up=False, places=3),
                "exact" if all(way["exact"] for way in entry["arithmetic"].values()) else "enclosed",
            )
        )
    explanation = (
        "score: points of the player who moves first, then of the other. lower, upper: proved bounds on the match "
        "value (-1 to 1) to the first mover, whoever of the two is the bot and the other its best responder; the "
        "value of the game lies between them. exploitability: upper - lower, at least the total exploitability from "
        f"there on; points: the same in {POINTS}. progress: the least probability that a round leads on. "
        "probabilities: used exactly, or enclosed between multiples of 2^-96. All numbers are rounded outward; the "
        "certificate has them exactly."
    )
    if not quiet:
        headings = ("score", "lower", "upper", "exploitability", "points", "progress", "probabilities")
        print_table(headings, rows, explanation, ("probabilities", "progress", "points"))
        if certificate["not_judged"]:
            missing = listed(["-".join(map(str, score)) for score in certificate["not_judged"]], 8)
            say(f"Not judged, because a score is missing or leads to a missing one: {missing}.")
        _print_trees(certificate)
        say(f"Certificate: {shown_path(output)}")
    say(f"{proved_of_match(certificate)}{believed}")


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
        of_match, values = place_in_match(certificate, "at"), outcome_values_text(certificate)
        lower, upper = bounds_text(certificate)
        say(f"Round{of_match} with the outcome values {values} (who scores; to the first mover).")
        print(f"lower           {lower}")
        print(f"upper           {upper}")
        print(f"exploitability  {exploitability}")
        print(f"probabilities   {'exact' if exact else 'enclosed between multiples of 2^-96'}")
        say(
            "lower: what the bot is sure of moving first. upper: the most that its best responder gets moving first. "
            "The value of the round to the first mover lies between them. exploitability: upper - lower, at least the "
            "exploitability (NashConv) of the bot. All three in payoff."
        )
        _print_trees(certificate)
        say(f"Certificate: {shown_path(output)}")
    say(proved_of_round(certificate, directory))


def _signed(number: str) -> str:
    return number if number.startswith("-") else f"+{number}"
