"""join: play in a tournament on a network, as a person or with an agent."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from ..options.network_options import AddressType
from ..options.parameters import Count, Name, Number
from ..options.play_options import keypad_option, plain_option
from ..program import SETTINGS, run, say

if TYPE_CHECKING:
    from tictactoe.agents.agent import Agent, MatchEnd, MatchFacts, RoundEnd, RoundFacts
    from tictactoe.agents.client import Address, Visit


@click.command(context_settings=SETTINGS)
@click.argument("address", type=AddressType(), metavar="HOST:PORT")
@click.option("--name", type=Name(), help="How the others see you: 20 characters at most.  [default: the agent's name]")
@click.option(
    "--agent",
    type=Name(),
    metavar="NAME",
    help="Let an agent play, such as shipped or learner-10; any that tournament takes.",
)
@click.option("--seed", type=Count(0), help="Of the agent's draws, to repeat them.")
@click.option("--token", type=Name(), help="Come back: what `join` has printed when you were in the tournament before.")
@click.option(
    "--patience",
    type=Number(0.0, 1e6),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to look for the referee, at first and after a lost connection; in a match, how long it may say "
    "nothing beyond the time for a move.",
)
@keypad_option
@plain_option
def command(
    address: Address,
    name: str | None,
    agent: str | None,
    seed: int | None,
    token: str | None,
    patience: float,
    keypad: str | None,
    plain: bool | None,
) -> int:
    """Play in a tournament that somebody's `referee` holds.

    You play one match after another against the others, and see the standings in the end. A lost connection is made
    again; if this program is ended by Ctrl-C, it says how to come back. Quitting (q) loses the matches that are left.
    Programs of your own join as docs/protocol.md says.

    \b
    join 127.0.0.1:8080 --name Ann
    join 127.0.0.1:8080 --agent learner-10 --seed 1
    """
    if name is None and agent is None:
        raise click.UsageError("--name: say how you want to be called")
    if agent is None and seed is not None:
        raise click.UsageError("--seed is for --agent")
    if agent is not None:
        return _play_agent(address, name, agent, seed, token, patience)
    return _play_person(address, str(name), token, patience, numpad=keypad == "numpad", plain=bool(plain))


def _complain(line: str) -> None:
    print(f"join: {line}", file=sys.stderr, flush=True)


def _play_agent(
    address: Address, name: str | None, agent: str, seed: int | None, token: str | None, patience: float
) -> int:
    from tictactoe.agents.built_in import require_agent
    from tictactoe.agents.client import Visit

    try:
        named = require_agent(agent)
    except ValueError as error:
        raise click.UsageError(f"--agent: {str(error).removeprefix('agent: ')}") from error
    name = name or named.name
    visit = Visit(address, name, _complain, token, patience)
    try:
        goodbye = visit.play(_NamedAgent(agent, seed))
    except KeyboardInterrupt:
        _say_how_to_come_back(visit, name)
        raise
    finally:
        visit.close()
    print(_sentence(goodbye))
    return 0


class _NamedAgent:
    """The agent of that name, made anew for other rules or another winning score. Prints a line for each match."""

    def __init__(self, name: str, seed: int | None) -> None:
        self._name = name
        self._seed = seed
        self._agents: dict[tuple[str, int], Agent] = {}

    def begin_match(self, facts: MatchFacts) -> None:
        from tictactoe.agents.built_in import built_in_agent
        from tictactoe.games.rules import Rules

        key = facts.rules, facts.winning_score
        if key not in self._agents:
            self._agents[key] = built_in_agent(self._name, Rules.parse(facts.rules), facts.winning_score)(self._seed)
        self._agent = self._agents[key]
        self._opponent = facts.opponent
        self._agent.begin_match(facts)

    def begin_round(self, facts: RoundFacts) -> None:
        self._agent.begin_round(facts)

    def choose(self, moves: tuple[int, ...]) -> int:
        return self._agent.choose(moves)

    def end_round(self, end: RoundEnd) -> None:
        self._agent.end_round(end)

    def end_match(self, end: MatchEnd) -> None:
        from tictactoe.agents.client import shown

        self._agent.end_match(end)
        reason = f" ({shown(end.reason)})" if end.reason else ""
        points = f"{end.points[0]}:{end.points[1]}"
        print(f"{'won' if end.won else 'lost'} {points} against {shown(self._opponent)}{reason}", flush=True)


def _play_person(address: Address, name: str, token: str | None, patience: float, *, numpad: bool, plain: bool) -> int:
    from tictactoe.agents.client import Visit

    from ..reports.play_text import Speaker
    from ..screens.line_reader import LineReader
    from ..screens.network_person import NetworkPerson
    from ..screens.play_round import commands
    from ..screens.play_screen import Screen
    from ..screens.quitting import QuitPlaying, Signals

    signals = Signals()
    reader = LineReader(plain, signals.waiting)
    screen = Screen(Speaker("?"), reader, commands("?q"), commitments=False)
    visit = Visit(address, name, say, token, patience, signals.waiting)
    person = NetworkPerson(screen, lambda: visit.seconds, numpad=numpad)
    with signals.caught():
        try:
            say(f"Joining {address} as {name}. The referee begins when all are there.")
            sys.stdout.flush()
            say(_sentence(visit.play(person)))
        except QuitPlaying as reason:
            if reason.code:
                _say_how_to_come_back(visit, name)
            else:
                visit.quit()
                say(f"Stopped ({reason}).")
            return reason.code
        finally:
            visit.close()
    return 0


def _say_how_to_come_back(visit: Visit, name: str) -> None:
    if visit.token is not None:
        words = ["join", str(visit.address), "--name", name, "--token", visit.token]
        _complain(f"to come back, before the referee's patience is over: {shlex.join(words)}")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else "The referee has ended it."


main = partial(run, command)
