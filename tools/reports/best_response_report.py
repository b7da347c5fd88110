"""Best responses and proved bounds as text."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import tictactoe
from tictactoe.algorithms.best_response import BestResponses
from tictactoe.games.rules import DEFAULT_RULES, GOAL_NAMES
from tictactoe.match.best_response_over_match import ScoreResponse
from tictactoe.match.percentages import POINTS, exploitability_text, percentage_points, win_percentage
from tictactoe.number_text import listed, rounded_up, signed_text
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


def print_match(shown: Mapping[tictactoe.Score, ScoreResponse], missing: list[tictactoe.Score], match: str) -> None:
    headings = ("score", "value", "max", "min", "exploitability", "points", "rounds", "one round", "bound")
    rows = [
        (
            str(score),
            signed_text(result.value, 6),
            signed_text(result.maximum, 6),
            signed_text(result.minimum, 6),
            f"{result.exploitability:.2e}",
            f"{percentage_points(result.exploitability):.1e}",
            f"{result.rounds[0]:.2f} {result.rounds[1]:.2f}",
            f"{sum(result.stage_gains):.1e}",
            f"{result.bound:.2e}",
        )
        for score, result in sorted(shown.items(), reverse=True)
    ]
    explanation = (
        "score: points of the player who moves first, then of the other. All values are match values (-1 to 1) to the "
        "first mover. value: the bot against itself. max: the best responder, who knows the bot's strategy by heart, "
        "moves first. min: the bot moves first against the best responder. exploitability: max - min; points: the same "
        f"in {POINTS}. rounds: expected number from there on if the best responder moves first, or second. one round: "
        "the gains of best responders in both seats who deviate in that round alone. bound: the sum of these gains "
        "over the expected rounds."
    )
    print_table(headings, rows, explanation, ("points", "one round", "value"))
    if missing:
        say(f"Not judged because a score is missing or leads to a missing one: {listed(missing, 8)}.")
        return
    start = shown[min(shown)]
    total = exploitability_text(start.exploitability)
    say(f"Total exploitability of the bot in a {match}: {total}.")
    say(
        f"The best responder wins {win_percentage(start.maximum):.5f} % of the matches against the bot when moving "
        f"first in the first round, and {win_percentage(-start.minimum):.5f} % when moving second."
    )
    say(
        f"Against the best responder, the bot wins {win_percentage(start.minimum):.5f} % when moving first, and "
        f"{win_percentage(-start.maximum):.5f} % when moving second."
    )
    say(f"With the first move drawn by lot, the best responder wins {win_percentage(start.exploitability / 2):.5f} %.")


def print_round(
    snapshot: tictactoe.Snapshot, values: tictactoe.OutcomeValues, responses: BestResponses, in_match_value: bool
) -> None:
    of = "" if snapshot.score is None else f"score {snapshot.score}, "
    both, first, second, neither = (signed_text(value, 6) for value in values)
    if snapshot.rules != DEFAULT_RULES:
        print(f"rules: {snapshot.rules}")
    print(
        f"{of}iteration {snapshot.iteration:,}; outcome values to the first mover: both score {both}, first "
        f"{first}, second {second}, neither {neither}"
    )
    print(f"value of the strategies against each other, to the first mover: {signed_text(responses.value, 9)}")
    for index, seat in enumerate(("first", "second")):
        value = responses.values[index]
        gain = max(0.0, value - (responses.value if index == 0 else -responses.value))
        print(
            f"\nbest response of the player who moves {seat}: {signed_text(value, 9)} to that player, {gain:.2e} gained"
        )
        print("  by goals    " + "".join(f"{'second ' + goal:>14}" for goal in GOAL_NAMES))
        for row, goal in enumerate(GOAL_NAMES):
            cells = "".join(f" {signed_text(value, 6):>13}" for value in responses.by_types[index][row].tolist())
            print(f"  first {goal:<8}{cells}")
    unit = (
        exploitability_text(responses.exploitability) if in_match_value else f"{responses.exploitability:.2e} in payoff"
    )
    print(f"\nexploitability: {unit}")


def print_proof_of_match(certificate: Mapping[str, Any], output: Path, quiet: bool, believed: str) -> None:
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
        "value (-1 to 1) to the first mover, whichever of the two is the bot, the other being its best responder; the "
        "value of the game lies between them. exploitability: upper - lower, at least the total exploitability from "
        f"there on; points: the same in {POINTS}. progress: the least probability that a round changes the score. "
        "probabilities: used exactly, or enclosed between multiples of 2^-96. All numbers are rounded outward; the "
        "certificate has the exact ones."
    )
    if not quiet:
        headings = ("score", "lower", "upper", "exploitability", "points", "progress", "probabilities")
        print_table(headings, rows, explanation, ("probabilities", "progress", "points"))
        if certificate["not_judged"]:
            missing = listed(["-".join(map(str, score)) for score in certificate["not_judged"]], 8)
            say(f"Not judged because a score is missing or leads to a missing one: {missing}.")
        _print_trees(certificate)
        say(f"Certificate: {shown_path(output)}")
    say(f"{proved_of_match(certificate)}{believed}")


def _print_trees(certificate: Mapping[str, Any]) -> None:
    if walked := certificate["nodes"]["unreduced"]:
        say(
            f"Checked on the reduced tree of {certificate['nodes']['reduced']:,} nodes and on the unreduced one of "
            f"{walked:,}."
        )


def print_proof_of_round(certificate: Mapping[str, Any], directory: Path, output: Path, quiet: bool) -> None:
    if not quiet:
        exploitability = rounded_up(Fraction(certificate["exploitability"]))
        exact = all(way["exact"] for way in certificate["arithmetic"].values())
        of_match, values = place_in_match(certificate, "at"), outcome_values_text(certificate)
        lower, upper = bounds_text(certificate)
        say(f"Round{of_match} with the outcome values {values} (to the first mover, by who scores).")
        print(f"lower           {lower}")
        print(f"upper           {upper}")
        print(f"exploitability  {exploitability}")
        print(f"probabilities   {'exact' if exact else 'enclosed between multiples of 2^-96'}")
        say(
            "lower: what the bot is sure to get when it moves first. upper: the most that its best responder can get "
            "when moving first. The value of the round to the first mover lies between them. exploitability: upper - "
            "lower, at least the exploitability (NashConv) of the bot. All three are in payoff."
        )
        _print_trees(certificate)
        say(f"Certificate: {shown_path(output)}")
    say(proved_of_round(certificate, directory))


def _signed(number: str) -> str:
    return number if number.startswith("-") else f"+{number}"
