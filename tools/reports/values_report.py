"""The values of the scores of a match as text and JSON."""

from __future__ import annotations

from typing import Any

from tictactoe.formulas.match_values import Numbers
from tictactoe.games.rules import Rules
from tictactoe.match.scores import match_to
from tictactoe.storage.texts import json_text

from .report import print_table

GRID_UP_TO = 5
"""The largest winning score whose values are printed as a square table."""


Found = dict[tuple[int, int], Any]
"""The values of some scores."""


def print_values_json(values: Numbers | Found, rules: Rules, winning_score: int) -> None:
    """Print all values row by row: one text would need several times the memory of the values."""
    content: dict[str, Any] = {"rules": str(rules), "winning_score": winning_score}
    if isinstance(values, dict):
        content["scores"] = [{"score": list(score), "value": _plain(value)} for score, value in values.items()]
        print(json_text(content))
        return
    print(json_text(content).removesuffix("}"), end=', "values": [')
    for number, row in enumerate(values):
        print(", " if number else "", json_text([_plain(value) for value in row.tolist()]), sep="", end="")
    print("]}")


def _plain(value: Any) -> float | str:
    """A value for JSON: a float as a number, a decimal or fraction as text, which keeps all digits."""
    return float(value) if isinstance(value, float) else str(value)


def _text(value: Any) -> str:
    return (
        f"{value:+z.12f}" if isinstance(value, float) else f"{value:+zf}" if hasattr(value, "quantize") else str(value)
    )


def print_values(values: Numbers | Found, rules: Rules) -> None:
    """Print all values, or those of some scores."""
    if isinstance(values, dict):
        for (first, second), value in values.items():
            print(f"{first}-{second} {_text(value)}")
        return
    if len(values) > GRID_UP_TO or not isinstance(values[0, 0], float):
        for first, row in enumerate(values):
            print("\n".join(f"{first}-{second} {_text(value)}" for second, value in enumerate(row.tolist())))
        return

    points = range(len(values))
    rows = [(str(a), *(f"{values[a, b]:+z.6f}" for b in points)) for a in points]
    print_table(
        ("first", *map(str, points)),
        rows,
        f"Value of every score of a {match_to(len(values), rules)} to the player who moves first: the chance of "
        "winning less that of losing. Rows: points of the player who moves first; columns: of the other.",
    )
