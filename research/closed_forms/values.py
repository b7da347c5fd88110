"""The check of the plans at every score of a match."""

from __future__ import annotations

from enclosures import decimals, points
from plans import Plan, Round
from responses import check_at


def check_match(game: Round, pure: Plan, mixed: Plan, winning_score: int) -> None:
    """Check the strategy at every score of a match but the last, and print the values."""
    for score, value, b, n, known_b, error, chances in points(winning_score):
        name = "mixed" if chances else "pure"
        if score != (winning_score - 1, winning_score - 1):  # the match to 1, with b = n: checked already
            check_at(game, mixed if chances else pure, name, b, n, known_b)
        text = decimals(value, error, 40)
        print(f"{score}  {name:5}  b {float(b):9.6f}  n {float(n):9.6f}  value {text}", flush=True)
