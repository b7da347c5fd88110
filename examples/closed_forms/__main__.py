"""Closed forms, derived and verified: python examples/closed_forms OUTPUT_DIR [POINTS ...]

What the results of a round are worth to the first mover is written (b, 1, -1, n), for both, first, second and neither
scoring, after scaling. Two strategies for both seats are found. One is pure and meant for b <= n; the other is a draw,
before the round, between three pure plans A, B, C with probabilities that are fractions in b and n, and is meant for
b >= n. docs/closed-forms.md says what they do and what follows.

Given is how the round goes when both players play well (PURE, MIXED). How each seat answers every departure of the
other is found by linear programs, one per departure, and rounded to zeros and ones. What is rounded is not trusted:

- the pure strategy is written to OUTPUT_DIR/single_round (value -1/9), as solve-subgame does, and to
  OUTPUT_DIR/match_to_1 (value -1/13; the same round as 4-4 in a match to 5), as solve-multiround does, read back, and
  both seats' best responses to it are computed in fractions over the whole tree;
- at every score of a match to 5 (or of those to POINTS), whose b and n are mostly irrational, best responses are
  computed as polynomials in b and n: a comparison is believed when it is decided by far more than b and n are
  uncertain, or when the two sides are the same polynomial.

Takes about three minutes. Needs highspy (pip install highspy).
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

from answers import derive
from plans import MIXED, PURE, Round
from snapshots import as_array, check_files, write_files
from tables import print_tables
from values import check_match


def main() -> None:
    """Derive, write, read back, verify, print."""
    if len(sys.argv) < 2 or not all(points.isdecimal() and int(points) > 0 for points in sys.argv[2:]):
        raise SystemExit(__doc__)
    directory = Path(sys.argv[1])
    game = Round()
    pure = derive(game, PURE, [(Fraction(0), Fraction(0)), (Fraction(1, 13), Fraction(1, 13))])
    write_files(game, directory, as_array(game, pure))
    check_files(game, directory)
    mixed = derive(game, MIXED, [(Fraction(1), Fraction(2, 5)), (Fraction(1, 16), Fraction(-1, 200))])
    for points in map(int, sys.argv[2:] or ["5"]):
        print(f"\na match to {points}")
        check_match(game, pure, mixed, points)
    print_tables(game, "b <= n", pure)
    print_tables(game, "b >= n", mixed)


if __name__ == "__main__":
    main()
