"""join: play in a tournament on a network, as a person or with an agent."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

import tictactoe

from ..lazy_imports import lazily
from ..options.parameters import NAME, Count, Number, address_type
from ..options_before.declaring import argument, command_of, option
from ..options_before.play_options import keypad_option, plain_option
from ..program import as_typed, note, say

with lazily():
    from tictactoe.agents import client, named
    from tictactoe.play import round_text

    from .. import interruption
    from ..screens import line_reader, network_person, play_round, play_screen


@dataclass(frozen=True)
class Options:
    address: client.Address = argument(address_type(), metavar="HOST:PORT")
    name: str | None = option(NAME, "How the others see you: 20 characters at most.  [default: the agent's name]")
    agent: str | None = option(
        NAME, "Let an agent play, such as shipped or learner-10; any that tournament takes.", metavar="NAME"
    )
    seed: int | None = option(Count(0), "Of the agent's draws, to repeat them.")
    token: str | None = option(NAME, "Come back: what `join` has printed when you were in the tournament before.")
    patience: float = option(
        Number(0.0, 1e6),
        "How long to look for the referee, at first and after a lost connection; in a match, how long it may say "
        "nothing beyond the time for a move.",
        default=30.0,
        metavar="SECONDS",
    )
    keypad: str | None = keypad_option()
    plain: bool | None = plain_option()


@command_of(Options)
def command(given: Options) -> int:
    """Play in a tournament that somebody's `referee` holds.

    You play one match after another against the others, and see the standings in the end. A lost connection is made
    again; if this program is ended by Ctrl-C, it says how to come back. Quitting (q) loses the matches that are left.
    Programs of your own join as docs/protocol.md says.

    \b
    join 127.0.0.1:8080 --name Ann
    join 127.0.0.1:8080 --agent learner-10 --seed 1
    """
    if given.name is None and given.agent is None:
        raise click.UsageError("--name: say how you want to be called")
    if given.agent is None and given.seed is not None:
        raise click.UsageError("--seed is for --agent")
    if given.agent is not None:
        return _play_agent(given.address, given.name, given.agent, given.seed, given.token, given.patience)
    return _play_person(
        given.address,
        str(given.name),
        given.token,
        given.patience,
        numpad=given.keypad == "numpad",
        plain=bool(given.plain),
    )


def _complain(line: str) -> None:
    note(f"join: {line}")


def _play_agent(
    address: client.Address, name: str | None, agent: str, seed: int | None, token: str | None, patience: float
) -> int:
    try:
        chosen = named.require_agent(agent)
    except ValueError as error:
        raise click.UsageError(f"--agent: {str(error).removeprefix('agent: ')}") from error
    name = name or chosen.name
    visit = client.Visit(address, name, _complain, token, patience)
    try:
        goodbye = visit.play(named.AgentForAnyMatch(agent, seed, _tell))
    except KeyboardInterrupt:
        _say_how_to_come_back(visit, name)
        raise
    finally:
        visit.close()
    print(_sentence(goodbye))
    return 0


def _tell(opponent: str, end: tictactoe.MatchEnd) -> None:
    reason = f" ({client.shown(end.reason)})" if end.reason else ""
    points = f"{end.points[0]}:{end.points[1]}"
    print(f"{'won' if end.won else 'lost'} {points} against {client.shown(opponent)}{reason}", flush=True)


def _play_person(
    address: client.Address, name: str, token: str | None, patience: float, *, numpad: bool, plain: bool
) -> int:
    signals = interruption.Signals()
    reader = line_reader.LineReader(plain, signals.waiting)
    screen = play_screen.Screen(round_text.Speaker("?"), reader, play_round.commands("?q"), commitments=False)
    visit = client.Visit(address, name, say, token, patience, signals.waiting)
    person = network_person.NetworkPerson(screen, lambda: visit.seconds, numpad=numpad)
    with signals.caught():
        try:
            say(f"Joining {address} as {name}. The referee begins when all are there.")
            sys.stdout.flush()
            say(_sentence(visit.play(person)))
        except interruption.QuitPlaying as reason:
            if reason.code:
                _say_how_to_come_back(visit, name)
            else:
                visit.quit()
                say(f"Stopped ({reason}).")
            return reason.code
        finally:
            visit.close()
    return 0


def _say_how_to_come_back(visit: client.Visit, name: str) -> None:
    if visit.token is not None:
        words = ["join", str(visit.address), "--name", name, "--token", visit.token]
        _complain(f"to come back, before the referee's patience is over: {as_typed(words)}")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else "The referee has ended it."
