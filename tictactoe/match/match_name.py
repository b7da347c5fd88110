"""The name of a match in a sentence."""

from __future__ import annotations

from ..games.rules import Rules, by_rules


def match_to(winning_score: int, rules: Rules | str) -> str:
    """The name of a match: match to 5, followed by the rules unless they are the default rules."""
    return f"match to {winning_score}{by_rules(rules)}"
