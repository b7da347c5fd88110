"""What the best responders to the opponents that ship win, at every score of a match to 5, as data.

The values take seconds to compute, which a hint, a review and the page have not. `benchmarks/responses.py` writes them,
and a test computes them again.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from ..games.goals import Seat
from ..match.markov_chain import MatchState
from ..match.scores import all_scores
from ..match.shorter_match import score_in_longer_match

FILE = Path(__file__).with_name("response_table.json")
WINNING_SCORE = 5


@cache
def _table() -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = json.loads(FILE.read_bytes())
    return found


def states(winning_score: int) -> list[MatchState]:
    """The states of a match, in the order of the table and of the page's data: by seat, then by score."""
    return [MatchState(seat, score) for seat in Seat for score in sorted(all_scores(winning_score))]


def tabled_values(rules: str, name: str, winning_score: int) -> dict[MatchState, float]:
    """Match values by state; none for rules, opponents and lengths that are not in the table.

    >>> values = tabled_values("three-in-a-row", "learner-10", 2)
    >>> len(values), round(50.0 + 50.0 * values[states(2)[0]], 2)
    (8, 77.67)
    """
    values = _table().get(rules, {}).get(name)
    if values is None or winning_score > WINNING_SCORE:
        return {}
    of = dict(zip(states(WINNING_SCORE), values, strict=True))
    return {
        state: of[MatchState(state.seat, score_in_longer_match(state.score, winning_score, WINNING_SCORE))]
        for state in states(winning_score)
    }
