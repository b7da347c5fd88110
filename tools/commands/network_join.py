"""The verb network join."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

import tictactoe
from tictactoe.number_text import counted

from ..interruption import QuitPlaying, Signals
from ..options.game_option import card_game_option, refuse_beside_game
from ..options.parameters import NAME, Count, Number, address_type
from ..options.play_options import keypad_option, plain_option
from ..program import Program, as_typed, remark, say, shown_path

if TYPE_CHECKING:
    from tictactoe.agents import client


@click.command(cls=Program)
@click.argument("address", type=address_type(), metavar="HOST:PORT")
@click.argument("agent", type=NAME, required=False, metavar="[AGENT]")
@click.option("--name", type=NAME, help="Name that the others see, at most 20 characters.  [default: the agent's name]")
@card_game_option("Play twenty-one against a dealer. AGENT is then a table, NAME.csv.")
@click.option(
    "--train", is_flag=True, help="Twenty-one: make random moves and learn from them; an existing table is continued."
)
@click.option("--seed", type=Count(0), help="Seed of the agent's draws.")
@click.option(
    "--token", type=NAME, help="Come back with the token that this program printed when you took part before."
)
@click.option(
    "--patience",
    type=Number(0.0, 1e6),
    default=30.0,
    metavar="SECONDS",
    help="Seconds to look for the referee, at first and after a lost connection, and seconds for which it may be "
    "silent in a match, beyond the time for a move.",
)
@keypad_option()
@plain_option
def command(
    address: client.Address,
    agent: str | None,
    name: str | None,
    game: str | None,
    train: bool,
    seed: int | None,
    token: str | None,
    patience: float,
    keypad: str | None,
    plain: bool | None,
) -> int:
    """Play in a tournament that somebody holds with `network host`, or let an AGENT play for you.

    You play one match after another and see the standings at the end. A lost connection is restored. After Ctrl-C, this
    program says how to come back. If you quit (q), you lose the remaining matches. AGENT can be anything that the verb
    tournament takes, such as shipped or learner-10, except a program. Your own programs join as docs/protocol.md
    describes.

    With --game twenty-one, AGENT is the player's table Q, a CSV file: how good it was on average to hit and to stand,
    by points and the dealer's card. With --train, the table is learnt further, or begun if there is none. Without it,
    the player chooses the better action in the table.

    \b
    tictactoe network join 127.0.0.1:8081 my_table.csv --game twenty-one --name Ann --train
    tictactoe network join 127.0.0.1:8081 my_table.csv --game twenty-one --name Ann
    tictactoe network join 127.0.0.1:8080 --name Ann
    tictactoe network join 127.0.0.1:8080 learner-10 --seed 1
    """
    if game is not None:
        refuse_beside_game(("token", "keypad", "plain"))
        if agent is None or name is None:
            raise click.UsageError("--game: twenty-one needs a table, NAME.csv, after the address, and a --name")
        if seed is not None and not train:
            raise click.UsageError("--seed requires --train: a table is played without random draws")
        return _play_cards(address, name, Path(agent), seed, patience, train=train)
    if train:
        raise click.UsageError("--train requires --game twenty-one")
    if agent is not None:
        return _play_agent(address, name, agent, seed, token, patience)
    if name is None:
        raise click.UsageError("--name: give the name that the others will see")
    if seed is not None:
        raise click.UsageError("--seed applies only to an agent's random draws")
    return _play_person(address, name, token, patience, numpad=keypad == "numpad", plain=bool(plain))


def _play_cards(
    address: client.Address, name: str, path: Path, seed: int | None, patience: float, *, train: bool
) -> int:
    import random

    from tictactoe.agents import card_player
    from tictactoe.solving import game_run

    if " " in name:
        raise click.UsageError(f"--name: {name!r} contains spaces: write _ instead")
    table = card_player.QTable() if train and not path.exists() else card_player.QTable.load(path)
    if train:
        table.save(path)  # an unwritable file fails now
    player = card_player.CardPlayer(table, random.Random(seed) if train else None)
    signals, clock, code = Signals(), game_run.CheckpointClock(), 0

    def between() -> None:
        if train and clock.is_due():
            table.save(path)

    with signals.caught():
        try:
            player.sit(address, name, patience, signals.waiting, between, remark)
        except QuitPlaying as reason:
            remark(f"{reason}; what was learnt is saved" if train else str(reason))
            code = reason.code
        finally:
            if train:
                table.save(path)
    results = player.results
    lost = f"lost {results['LOOSE'] + results['BUST']:,}, {results['BUST']:,} of them bust"
    print(f"{counted(results.total(), 'game')}: won {results['WIN']:,}, pushed {results['PUSH']:,}, {lost}")
    if train:
        say(f"the table is in {shown_path(path)}")
    return code


def _play_agent(
    address: client.Address, name: str | None, agent: str, seed: int | None, token: str | None, patience: float
) -> int:
    from tictactoe.agents import client, named

    try:
        chosen = named.require_agent(agent)
    except ValueError as error:
        raise click.UsageError(str(error).removeprefix("agent: ")) from error
    name = name or chosen.name
    visit = client.Visit(address, name, remark, token, patience)
    try:
        goodbye = visit.play(named.AgentForAnyMatch(chosen, seed, _tell))
    except KeyboardInterrupt:
        _say_how_to_come_back(visit, name)
        raise
    finally:
        visit.close()
    print(_sentence(goodbye))
    return 0


def _tell(opponent: str, end: tictactoe.MatchEnd) -> None:
    from tictactoe.agents import client

    reason = f" ({client.shown(end.reason)})" if end.reason else ""
    points = f"{end.points[0]}:{end.points[1]}"
    print(f"{'won' if end.won else 'lost'} {points} against {client.shown(opponent)}{reason}", flush=True)


def _play_person(
    address: client.Address, name: str, token: str | None, patience: float, *, numpad: bool, plain: bool
) -> int:
    from tictactoe.agents import client
    from tictactoe.play import round_text

    from ..screens import line_reader, network_person, play_round, play_screen

    signals = Signals()
    reader = line_reader.LineReader(plain, signals.waiting)
    screen = play_screen.Screen(round_text.Speaker("?"), reader, play_round.commands("?q"), commitments=False)
    visit = client.Visit(address, name, say, token, patience, signals.waiting)
    person = network_person.NetworkPerson(screen, lambda: visit.seconds, numpad=numpad)
    with signals.caught():
        try:
            say(f"Joining {address} as {name}. The referee begins when all players have joined.")
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


def _say_how_to_come_back(visit: client.Visit, name: str) -> None:
    if visit.token is not None:
        words = ["tictactoe", "network", "join", str(visit.address), "--name", name, "--token", visit.token]
        remark(f"to come back while the referee waits: {as_typed(words)}")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else "The referee has ended it."
