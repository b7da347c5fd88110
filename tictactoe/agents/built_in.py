"""The referee's own agents, by name. Every match gets a new agent, with random draws of its own."""

from __future__ import annotations

from functools import partial

from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from .named import NamedAgent, parse_agent
from .network_referee import MakeAgent


def require_agent(text: str) -> NamedAgent:
    """The fixed policy of that name. Raises the errors of `parse_agent`, and ValueError for a program."""
    named = parse_agent(text)
    if not named.is_policy:
        raise ValueError(f"agent: {named.name} is a program, which joins by itself")
    return named


def built_in_agent(text: str, rules: Rules, winning_score: int) -> MakeAgent:
    """A function that makes a new agent for each match. text: as for `parse_agent`, but no program: programs join.

    Raises the errors of `require_agent`, and ValueError for an agent that cannot play by these rules or to so many
    points.

    >>> make = built_in_agent("learner-10", Rules(), 5)
    >>> make(1) is make(1)
    False
    """
    named, tree = require_agent(text), GameTree.build(rules)
    named.policy(tree, winning_score)  # raises for a match that the agent cannot play
    return partial(named.agent, tree)
