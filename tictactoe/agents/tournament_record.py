"""The record of a tournament: its ratings and results as JSON has them, and as a table of all pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..storage.latex_text import latex_table
from ..storage.records import csv_text, picked
from .named import NamedAgent
from .pair_results import PairResult
from .ratings import Rating
from .tournament import TournamentSettings


def tournament_as_dict(
    agents: Sequence[NamedAgent], settings: TournamentSettings, ratings: Sequence[Rating], results: Sequence[PairResult]
) -> dict[str, Any]:
    """The ratings and the results of all pairs. Probabilities and shares are 0 to 1. Agents are sorted by rating."""
    texts = {agent.name: agent.text for agent in agents}
    forfeits = forfeits_of(results)
    return {
        "rules": str(settings.tree.rules),
        **picked(settings, "winning_score", "matches", "seed"),
        "agents": [
            {"place": place, "name": row.name, "agent": texts[row.name]}
            | picked(row, "rating", "rating_interval_95=interval", "expected_score=score")
            | {"forfeits": forfeits[row.name]}
            for place, row in enumerate(ratings, 1)
        ],
        "pairs": [_pair(result) for result in results],
    }


def _pair(result: PairResult) -> dict[str, Any]:
    (low, high), exact = result.interval or (None, None), result.exact
    about = {"a": result.names[0], "b": result.names[1], "exact": exact is not None, "a_wins": result.share}
    by_seat = (None, None) if exact is None else (exact.wins_as_first, exact.wins_as_second)
    about |= {"low_95": low, "high_95": high, "a_wins_moving_first": by_seat[0], "a_wins_moving_second": by_seat[1]}
    about |= {"matches": result.matches, "a_won": result.wins[0], "b_won": result.wins[1]}
    forfeits = {"a_forfeited": result.forfeits[0], "b_forfeited": result.forfeits[1]}
    return about | {"undecided": result.undecided} | forfeits


def pairs_as_text(content: dict[str, Any], path: Path) -> str:
    """A row for every pair, as CSV; in LaTeX if the path ends with .tex. content: the result of
    `tournament_as_dict`."""
    return _as_latex(content) if path.suffix == ".tex" else csv_text(content["pairs"])


def _as_latex(content: dict[str, Any]) -> str:
    """A table of the ratings, and one of all pairs."""
    ratings = [(row["name"], row["rating"], 100.0 * row["expected_score"]) for row in content["agents"]]
    shares = ("a_wins", "low_95", "high_95")
    pairs = [
        (row["a"], row["b"], *(None if row[name] is None else 100.0 * row[name] for name in shares), row["matches"])
        for row in content["pairs"]
    ]
    headings = ("agent", "against", "wins, %", "from", "to", "matches")
    first = latex_table(("agent", "rating", "wins, %"), ratings, f"Matches to {content['winning_score']}.")
    return f"{first}\n{latex_table(headings, pairs, 'Exact where from and to are missing.')}"


def forfeits_of(results: Sequence[PairResult]) -> Counter[str]:
    """The number of forfeited matches by agent, without agents that forfeited none."""
    return +sum((Counter(dict(zip(each.names, each.forfeits, strict=True))) for each in results), Counter[str]())
