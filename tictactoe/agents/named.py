"""Agents by name: text such as "perfect", a file, or "cmd:./my_bot"."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

from ..algorithms.arrays import FloatArray
from ..checked_numbers import positive_number
from ..errors import AgentError, FormatError
from ..games.rules import OutcomeValues, Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import MatchStrategy
from ..match.scores import Score
from ..play.bot import RoundBot, fixed_strategy, opponent_of
from ..play.opponents import ADAPTIVE, DEFAULT_OPPONENT, OPPONENTS, TYPED_NAMES, opponent_named
from ..play.referee import LONGEST_NAME
from ..storage.file_format import WRONG_FILE_ADVICE
from ..storage.learnt_table import LearntTable
from ..storage.open_saved import SavedRounds, open_saved
from ..storage.population import POPULATION, Met, constant_strategy
from ..storage.shipped import shipped_for, shipped_solution, solution_directory
from ..storage.solution import load_solution
from .agent import Agent, MakeAgent, MatchEnd, MatchFacts, RoundEnd, RoundFacts
from .player_names import require_name
from .program_agent import DEFAULT_SECONDS, ProgramAgent
from .strategy_agent import (
    AdaptiveAgent,
    Policy,
    StrategyAgent,
    best_response_policy,
    constant_policy,
    opponent_policy,
    solution_policy,
)

PROGRAM, CURRENT, BEST_RESPONSE = "cmd:", "current:", "best-response:"
_SAVED = f"the directory or name of a solution, {CURRENT}SOLUTION, the file of a learnt table"
WAYS_TO_NAME_AN_AGENT = (
    f"the name of an opponent ({', '.join((*TYPED_NAMES, ADAPTIVE))}), {_SAVED}, {BEST_RESPONSE}AGENT, or "
    f"{PROGRAM}PROGRAM"
)
"""The ways to name an agent, in words, for an error."""
WAYS_TO_NAME_A_FIXED_POLICY = (
    f"the name of an opponent ({', '.join(dict.fromkeys((*TYPED_NAMES, *POPULATION)))}), {_SAVED}, "
    f"or {BEST_RESPONSE}AGENT for one of these"
)
"""The ways to name a fixed policy, in words, for an error."""

KEPT_ANSWERS = 64
"""The number of policies whose strategies memory keeps."""

_OWN_NAME = re.compile(rf"([\w.-]{{1,{LONGEST_NAME}}})=(.+)", re.DOTALL)
_INTERPRETER = re.compile(r"(python|py|pypy|node|deno|bun|ruby|perl|java|bash|sh|env)[\d.]*")


class _UnknownAgentError(ValueError):
    pass


@dataclass(frozen=True, eq=False)
class NamedAgent:
    """An agent that a text names: it can be made, and judged exactly if it is a fixed policy; see `parse_agent`.

    >>> from tictactoe import GameTree, parse_agent
    >>> parse_agent("uniform").policy(GameTree.build(), 1)[0, 0].shape
    (37538, 3)
    """

    text: str
    """What the user typed, as `parse_agent` reads it."""
    name: str
    """A name for tables, of at most 20 characters."""
    rules: Rules | None = None
    """The only rules by which the agent can play; None for any rules."""
    winning_score: int | None = None
    """The longest match that the agent can play, in points; None for any match."""
    strategies: Policy | None = None
    """The strategies of a fixed policy; None for a program."""
    program: Callable[..., ProgramAgent] | None = None
    """Makes the agent of a program from its name and the keyword `seed`; None for others."""
    adapts: bool = False
    """Whether it is the bot that adapts to its opponent."""

    @property
    def is_policy(self) -> bool:
        """Whether the agent is a fixed policy: its moves depend only on score, goal, earlier moves and chance."""
        return self.strategies is not None

    def policy(self, tree: GameTree, winning_score: int) -> MatchStrategy:
        """The agent's strategies: by score, float64 (num_nodes, 3), the moves of both seats.

        Raises ValueError for a program and for a match that the policy cannot play, FormatError for a damaged file.
        """
        if self.strategies is None:
            raise ValueError(f"{self.name} is not a fixed policy")
        return _strategies(self.strategies, tree, winning_score)

    def check(self, tree: GameTree, winning_score: int) -> None:
        """Raise the errors of `policy` for a match that the agent cannot play. A program is not asked."""
        if self.adapts:
            opponent_policy(DEFAULT_OPPONENT, tree, winning_score)  # the policy it starts from
        elif self.is_policy:
            _ = self.policy(tree, winning_score)[Score(0, 0)]

    def agent(self, tree: GameTree, seed: int | None = None) -> Agent:
        """Make the agent. seed: of its draws; None for a new seed every time. The caller closes a ProgramAgent."""
        if self.program is not None:
            return self.program(self.name, seed=seed)
        if self.adapts:
            return AdaptiveAgent(tree, seed)
        return StrategyAgent(self.policy, tree, seed)


@lru_cache(KEPT_ANSWERS)
def _strategies(policy: Policy, tree: GameTree, winning_score: int) -> MatchStrategy:
    return policy(tree, winning_score)


def parse_agent(text: str, *, seconds: float = DEFAULT_SECONDS) -> NamedAgent:
    """The agent that a text names. seconds: a program's time for each answer, above 0.

    - the name or the title of an opponent of OPPONENTS, such as perfect, learner-10 or "sore loser"; or adaptive, which
      learns how its opponent plays, from nothing in each match;
    - a solution: its directory, or the name of one that ships; `current:SOLUTION` for its current strategy;
    - the file of a learnt table, as train-agent writes it;
    - `best-response:AGENT`, the best response over the match to any of these;
    - `cmd:./my_bot --option`, a program that follows docs/agents.md.

    `NAME=` before any of these gives the agent another name. Raises ValueError for a text that names no agent, and
    FormatError for a solution that cannot be read.

    >>> parse_agent("best-response:shipped").name, parse_agent("exact=shipped").name
    ('BR shipped', 'exact')
    """
    seconds = positive_number("seconds", seconds)
    if (match := _OWN_NAME.fullmatch(text)) and not os.path.exists(text):
        return replace(parse_agent(match[2], seconds=seconds), text=text, name=match[1])
    if text.startswith(PROGRAM):
        return _program(text, seconds)
    if text.startswith(BEST_RESPONSE):
        return _best_response(text)
    if text == ADAPTIVE:
        return NamedAgent(text, text, adapts=True)
    if opponent := opponent_named(text, files_first=True):
        return NamedAgent(text, text, strategies=partial(opponent_policy, opponent))
    return _learnt(text) if os.path.isfile(text) else _solution(text)


def parse_agents(texts: Iterable[str], *, seconds: float = DEFAULT_SECONDS) -> list[NamedAgent]:
    """Like `parse_agent`, for several agents, with unique names: the second "uniform" becomes "uniform 2".

    >>> [agent.name for agent in parse_agents(["uniform", "uniform"])]
    ['uniform', 'uniform 2']
    """
    found: list[NamedAgent] = []
    for text in texts:
        agent, taken = parse_agent(text, seconds=seconds), {other.name.casefold() for other in found}
        name, number = agent.name, 1
        while name.casefold() in taken:
            number += 1
            name = f"{agent.name[: LONGEST_NAME - len(str(number)) - 1]} {number}"
        found.append(replace(agent, name=name))
    return found


def rules_of_all(agents: Sequence[NamedAgent]) -> tuple[str, Rules] | None:
    """The only rules by which all these agents can play, and the text of the first; None for any rules.

    Raises AgentError for agents that cannot play each other.
    """
    known = [(agent.text, agent.rules) for agent in agents if agent.rules is not None]
    for text, rules in known[1:]:
        if rules != known[0][1]:
            raise AgentError(
                f"{known[0][0]} plays by {known[0][1]}, and {text} by {rules}: they cannot play each other"
            )
    return known[0] if known else None


def parse_population(text: str, tree: GameTree, winning_score: int) -> tuple[Met, ...]:
    """The players of "NAME:WEIGHT,...", for matches to this many points. The weight is 1 by default.

    A name is one of `parse_agent` or of POPULATION. Raises the errors of `parse_agent` and `NamedAgent.policy`, and
    ValueError for a program or the adapting bot.

    >>> [str(each) for each in parse_population("naive-a:2,uniform", GameTree.build(), 5)]
    ['naive-a:2', 'uniform:1']
    """
    return tuple(_met(each, tree, winning_score) for each in text.split(","))


def _met(text: str, tree: GameTree, winning_score: int) -> Met:
    match = re.fullmatch(r"(.+):([0-9.]+)", text, re.DOTALL)
    name, weight = (match[1], match[2]) if match else (text, "1")
    try:
        number = positive_number("weight", float(weight))
    except ValueError:
        raise ValueError(f"{text}: the weight {weight} is not a number above 0") from None
    if name in POPULATION:
        met = Met(name, number)
        met.strategy(tree, Score(0, 0), constant_strategy("uniform", tree))  # raises for a learner of other rules
        return met
    try:
        named = parse_agent(name)
    except _UnknownAgentError:
        named = None
    if named is None or named.strategies is None:
        raise ValueError(f"{name!r} does not name a fixed policy; give {WAYS_TO_NAME_A_FIXED_POLICY}")
    return Met(name, number, named.policy(tree, winning_score))


def _program(text: str, seconds: float) -> NamedAgent:
    try:
        words = _words(text.removeprefix(PROGRAM))
    except ValueError as error:
        raise ValueError(f"{text}: {error}") from error
    if not words:
        raise ValueError(f"{text}: the program is missing: {PROGRAM}./my_bot --option")
    path = None if "\0" in text else shutil.which(words[0])
    if path is None:
        raise ValueError(f"{PROGRAM}{words[0]}: no such program, or none that may be run")
    known = [word for word in words[1:] if not word.startswith("-")] if _INTERPRETER.fullmatch(_stem(words[0])) else []
    name = _short(_stem(known[0] if known else words[0]))
    return NamedAgent(text, name, program=partial(ProgramAgent, [path, *words[1:]], seconds=seconds))


def _words(command: str) -> list[str]:
    parser = shlex.shlex(command, posix=True, punctuation_chars=False)
    parser.whitespace_split, parser.commenters = True, ""
    if sys.platform == "win32":
        parser.escape, parser.quotes = "", '"'
    return list(parser)


def _best_response(text: str) -> NamedAgent:
    answered = parse_agent(text.removeprefix(BEST_RESPONSE))
    if answered.strategies is None:
        raise ValueError(f"{text}: {answered.name} is not a fixed policy: nothing can be computed against it")
    policy = partial(best_response_policy, answered.policy)
    return replace(answered, text=text, name=_short(f"BR {answered.name}"), strategies=policy)


def _learnt(text: str) -> NamedAgent:
    try:
        table = LearntTable.load(Path(text))
    except FormatError as error:
        path, what, _ = error.args
        if not what.endswith(WRONG_FILE_ADVICE):
            raise
        raise FormatError(path, f'no file of a learnt table; a program is named "{PROGRAM}COMMAND"') from error
    policy = partial(constant_policy, table.tree, table.strategy)
    return NamedAgent(text, _short(_stem(text)), table.tree.rules, strategies=policy)


def _solution(text: str) -> NamedAgent:
    named = text.removeprefix(CURRENT)
    directory = solution_directory(named) if named and "\0" not in named else None
    if directory is None or not directory.exists():
        raise _UnknownAgentError(f"{text!r} does not name an agent; give {WAYS_TO_NAME_AN_AGENT}")
    solution = load_solution(directory)
    average = not text.startswith(CURRENT)
    name = Path(named).name if named.strip("./") else directory.resolve().name
    name = _short(name if average else f"current {name}")
    policy = partial(solution_policy, solution, average)
    return NamedAgent(text, name, solution.tree.rules, solution.winning_score, policy)


def _stem(path: str) -> str:
    name = re.sub(r"\.exe$", "", Path(path).name, flags=re.IGNORECASE)
    return Path(path).stem if not name.startswith("python") else name


def _short(name: str) -> str:
    plain = " ".join("".join(letter if letter.isprintable() else "?" for letter in name).split())
    return plain[:LONGEST_NAME].strip() or "agent"


def require_agent(text: str) -> NamedAgent:
    """The agent of that name. Raises the errors of `parse_agent`, and ValueError for a program."""
    named = parse_agent(text)
    if named.program is not None:
        raise ValueError(f"agent: {named.name} is a program, which joins by itself")
    return named


def built_in_agents(texts: Sequence[str], rules: Rules, winning_score: int) -> dict[str, MakeAgent]:
    """Functions that make a new agent for each match, by the agents' names.

    Raises the errors of `require_agent`, and ValueError for an agent that cannot play such a match and for equal names.

    >>> make = built_in_agents(["learner-10"], Rules(), 5)["learner-10"]
    >>> make(1) is make(1)
    False
    """
    tree, made = GameTree.build(rules), dict[str, MakeAgent]()
    for text in texts:
        named = require_agent(text)
        require_name(named.name, made)
        named.check(tree, winning_score)
        made[named.name] = partial(named.agent, tree)
    return made


class AgentForAnyMatch:
    """An agent for matches by any rules; `begin_match` raises the errors of `NamedAgent.check`.

    tell: called with the name of the opponent and the end of each match.
    """

    def __init__(self, named: NamedAgent, seed: int | None, tell: Callable[[str, MatchEnd], None]) -> None:
        self._named, self._seed, self._tell = named, seed, tell
        self._agents: dict[str, Agent] = {}

    def begin_match(self, facts: MatchFacts) -> None:
        tree, self._opponent = GameTree.build(facts.rules), facts.opponent
        self._named.check(tree, facts.winning_score)
        self._agent = self._agents.setdefault(facts.rules, self._named.agent(tree, self._seed))
        self._agent.begin_match(facts)

    def begin_round(self, facts: RoundFacts) -> None:
        self._agent.begin_round(facts)

    def choose(self, moves: tuple[int, ...]) -> int:
        return self._agent.choose(moves)

    def end_round(self, end: RoundEnd) -> None:
        self._agent.end_round(end)

    def end_match(self, end: MatchEnd) -> None:
        self._tell(self._opponent, end)


def round_opponent(
    name: str, tree: GameTree, values: OutcomeValues, solution: Path | None = None, score: Score | None = None
) -> FloatArray:
    """The strategy of an opponent in a round of `tree`: float64 (num_nodes, 3).

    name: a name of OPPONENTS, the file of a learnt table, or a round of a solution.
    values: the outcome values of the round.
    solution: the strategy of the opponents perfect and careless; None for the single round that ships.
    score: the score at which a whole solution plays.

    Raises ValueError for an opponent that cannot play the round, and FormatError for a file that cannot be used.

    >>> tree, values = GameTree.build(), OutcomeValues(0.0, 1.0, -1.0, 0.0)
    >>> round_opponent("uniform", tree, values)[1:4, 0].round(2).tolist()
    [0.44, 0.44, 0.11]
    """
    name = opponent_named(name, files_first=True) or name
    if name in OPPONENTS and not OPPONENTS[name].uses_solution:
        return fixed_strategy(name, tree)
    if name in OPPONENTS:
        shipped = shipped_for(tree.rules, "single_round")
        if solution is None and shipped is None:
            raise ValueError(f"opponent: no perfect player ships for {tree.rules}; name a solution of yours")
        _, perfect = _of_solution(SavedRounds(solution or shipped_solution(str(shipped))), score)
        return opponent_of(name, RoundBot(tree, perfect, values)).strategy
    if Path(name).is_file():
        table = LearntTable.load(Path(name))
        found, strategy = table.tree, table.strategy
    else:
        if not solution_directory(name).exists():
            raise ValueError(
                f"{name!r} does not name an opponent; give one of {', '.join(TYPED_NAMES)}, the directory or name of a "
                "round of a solution, or the file of an agent"
            )
        found, strategy = _of_solution(open_saved(name), score)
    if found.fingerprint != tree.fingerprint:
        raise FormatError(Path(name), f"belongs to a round by the rules {str(found.rules)!r}, not {str(tree.rules)!r}")
    return strategy


def _of_solution(saved: SavedRounds, score: Score | None) -> tuple[GameTree, FloatArray]:
    if score is None:
        saved.require_subgame()
    loaded = saved.load(score if saved.solution is not None else None)
    return loaded.tree, loaded.average_strategy
