"""The referee's own agents, by name. Every match gets a new agent, with random draws of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ..games.rules import Rules
from ..games.tic_tac_toe_tree import GameTree
from .agent import Agent, MatchEnd, MatchFacts, RoundEnd, RoundFacts
from .named import NamedAgent, parse_agent
from .network_referee import MakeAgent
from .player_names import require_name


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


def built_in_agents(texts: Sequence[str], rules: Rules, winning_score: int) -> dict[str, MakeAgent]:
    """The agents by their names. Raises the errors of `built_in_agent`, and ValueError for a name that occurs twice."""
    made: dict[str, MakeAgent] = {}
    for text in texts:
        name = require_agent(text).name
        require_name(name, made)
        made[name] = built_in_agent(text, rules, winning_score)
    return made


class AgentForAnyMatch:
    """An agent by name, made anew for other rules or another winning score.

    seed: of its draws. tell: called with the name of the opponent and the end of each match. Raises the errors of
    `built_in_agent` when a match begins.
    """

    def __init__(
        self, name: str, seed: int | None = None, tell: Callable[[str, MatchEnd], None] = lambda opponent, end: None
    ) -> None:
        self._name, self._seed, self._tell = name, seed, tell
        self._agents: dict[tuple[str, int], Agent] = {}

    def begin_match(self, facts: MatchFacts) -> None:
        """As `Agent` says."""
        key = facts.rules, facts.winning_score
        if key not in self._agents:
            self._agents[key] = built_in_agent(self._name, Rules.parse(facts.rules), facts.winning_score)(self._seed)
        self._agent, self._opponent = self._agents[key], facts.opponent
        self._agent.begin_match(facts)

    def begin_round(self, facts: RoundFacts) -> None:
        """As `Agent` says."""
        self._agent.begin_round(facts)

    def choose(self, moves: tuple[int, ...]) -> int:
        """As `Agent` says."""
        return self._agent.choose(moves)

    def end_round(self, end: RoundEnd) -> None:
        """As `Agent` says."""
        self._agent.end_round(end)

    def end_match(self, end: MatchEnd) -> None:
        """As `Agent` says."""
        self._agent.end_match(end)
        self._tell(self._opponent, end)
