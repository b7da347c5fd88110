"""The agents that the referee brings along, by name: for one match each, with draws of their own."""

from __future__ import annotations

from functools import partial

from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from .named import NamedAgent, parse_agent
from .network_referee import MakeAgent


def require_agent(text: str) -> NamedAgent:
    """The fixed policy that is named so. Raises as `parse_agent`, and ValueError for a program."""
    named = parse_agent(text)
    if not named.is_policy:
        raise ValueError(f"agent: {named.name} is a program, which joins by itself")
    return named


def built_in_agent(text: str, rules: Rules, winning_score: int) -> MakeAgent:
    """What makes an agent for a match: any that `parse_agent` knows but a program, which can join by itself.

    Raises as `require_agent`, and ValueError for one that cannot play by these rules or to so many points.

    >>> make = built_in_agent("learner-10", Rules(), 5)
    >>> make(1) is make(1)
    False
    """
    named, tree = require_agent(text), GameTree.build(rules)
    named.policy(tree, winning_score)  # raises when it has none
    return partial(named.agent, tree)
