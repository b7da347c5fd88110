"""referee: a tournament on a network."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import tictactoe

from ..interruption import EXIT_INTERRUPTED, handling
from ..lazy_imports import lazily
from ..options.parameters import NAME, Count, Directory, Number, address_type
from ..options_before.common import json_option, quiet_option
from ..options_before.declaring import command_of, group, option
from ..options_before.rules_options import WantedRules
from ..program import CommandError, as_typed, note, print_json

with lazily():
    import asyncio
    import signal

    from tictactoe.agents import client, named, network_player, network_referee, results

    from ..reports import report


USUAL_MOST_PLAYERS = 6
_LONGEST_LINE = 1024  # bytes


@dataclass(frozen=True)
class Options:
    listen: client.Address = option(
        address_type(0), "Where players come to. Port 0: any free one.", default="127.0.0.1:8080", metavar="HOST:PORT"
    )
    players: int | None = option(
        Count(2, 1000),
        f"Begin when so many are there, agents included.  [default: {USUAL_MOST_PLAYERS}, or when you press Enter]",
    )
    agents: tuple[str, ...] = option(
        NAME,
        "An agent that takes part from the start, such as shipped or learner-10; any that tournament takes, but for "
        "programs, which join by themselves. May be given more than once.",
        names="--agent",
        multiple=True,
        metavar="NAME",
    )
    matches: int = option(Count(1, 10**6), "Matches of each pair.", default=2)
    winning_score: int = option(Count(1, 100), "Points that win a match.", default=5)
    seed: int | None = option(Count(0), "Repeat: the same goals, and the same choices of the agents here.")
    timeout: float = option(
        Number(0.0, 1e6, above_least=True),
        "For a move; who takes longer loses the match.",
        default=60.0,
        metavar="SECONDS",
    )
    grace: float = option(
        Number(0.0, 1e6),
        "How long somebody may be away in a match, or between two; then all the matches left to them are lost.",
        default=60.0,
        metavar="SECONDS",
    )
    results: Path | None = option(
        Directory(),
        "Save every match here, as soon as it is over; the same command goes on after the program was ended.",
        metavar="DIR",
    )
    rules: WantedRules = group(WantedRules, default="three-in-a-row")
    as_json: bool = json_option()
    quiet: bool = quiet_option("No news and no standings: nothing but errors.")


@command_of(Options)
def command(given: Options) -> int:
    """Hold a tournament on a network: everybody plays everybody.

    People come with `join HOST:PORT`, programs as docs/protocol.md says. It begins when enough players are there.
    Whoever moves first alternates from match to match of a pair. In the end the standings are printed.

    Only programs of this machine get to the usual address. With another one, anybody who can reach it may play.

    \b
    referee
    referee --players 2 --matches 1 --timeout 300
    referee --agent shipped --agent learner-10 --players 4 --matches 100 --results tournament/
    referee --listen 0.0.0.0:8080
    """
    most = given.players or max(USUAL_MOST_PLAYERS, len(given.agents))
    if len(given.agents) > most:
        raise click.UsageError(f"--players: {most} are fewer than the agents that are named")
    needed = network_referee.open_files_needed(most)
    if (allowed := network_referee.open_files_allowed(needed)) < needed:
        raise CommandError(
            f"--players: {most} players need {needed} open files, and this system allows {allowed:g}: allow more, as "
            f"by ulimit -n {needed}, or take fewer players"
        )
    wanted = given.rules.over()
    try:
        made = named.built_in_agents(given.agents, wanted, given.winning_score)
    except ValueError as error:
        raise click.UsageError(f"--agent: {str(error).removeprefix('agent: ')}") from error
    agreed = results.Agreed(given.winning_score, str(wanted), given.matches, given.seed, given.agents)
    tournament = network_referee.Tournament(
        tictactoe.GameTree.build(wanted),
        given.winning_score,
        given.matches,
        given.seed,
        made,
        network_player.Patience(given.timeout, given.grace),
    )
    saved = results.Results(agreed) if given.results is None else results.SavedResults(given.results, agreed)
    try:
        return asyncio.run(_hold(given, tournament, saved, most))
    finally:
        saved.close()


async def _hold(given: Options, tournament: network_referee.Tournament, results: results.Results, most: int) -> int:
    listen = given.listen

    def report(line: str) -> None:
        if not given.quiet:
            with contextlib.suppress(OSError):  # the matches go on even if nobody reads the reports
                note(line)

    referee = network_referee.Referee(tournament, results, most, report)
    try:
        server = await referee.listen(*listen)
    except OSError as error:
        raise CommandError(f"--listen: {listen} cannot be used: {error.strerror or error}; name another") from None
    if not listen.is_loopback:
        report(f"Whoever can reach {listen.host} can join; nothing that is sent is secret on the way.")
    host, port = server.address
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    report(f"Join with: join {where} --name NAME")
    report(f"{referee.waits_for[:1].upper()}{referee.waits_for[1:]}.")
    if len(tournament.agents) == most:
        referee.begin()
    elif given.players is None and results.players is None:
        _begin_with_enter(referee, report)
    try:
        with _interrupted() as stopped:
            ended = await network_referee.over_before(referee, stopped)
    finally:
        await referee.close(server, "the referee was stopped; come back with your token when it goes on")
    if not ended:
        again = f"continue with: {as_typed(['referee', *sys.argv[1:]])}"
        how = again if results.is_saved else "nothing is saved without --results"
        note(f"referee: interrupted; {len(results.matches)} matches were played; {how}")
        return EXIT_INTERRUPTED
    if given.as_json:
        print_json(referee.as_dict(), indent=None)
    elif not given.quiet:
        _print(referee)
    return 0


@contextlib.contextmanager
def _interrupted() -> Iterator[asyncio.Event]:
    """An event that Ctrl-C and SIGTERM set."""
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    with handling((signal.SIGINT, signal.SIGTERM), lambda *_: loop.call_soon_threadsafe(stopped.set)):
        yield stopped


def _begin_with_enter(referee: network_referee.Referee, report: Any) -> None:
    """On a terminal, Enter begins the tournament with the players who have joined."""
    if sys.stdin is None or not sys.stdin.isatty():
        return
    loop, typed = asyncio.get_running_loop(), sys.stdin.fileno()

    def begun() -> bool:
        try:
            referee.begin()
        except ValueError as error:
            report(f"{error}")
            return False
        return True

    def pressed() -> None:
        if not os.read(typed, _LONGEST_LINE) or begun():
            loop.remove_reader(typed)

    def wait() -> None:
        with contextlib.suppress(OSError, RuntimeError):  # the loop has ended
            while os.read(typed, _LONGEST_LINE):
                loop.call_soon_threadsafe(begun)

    try:
        loop.add_reader(typed, pressed)
    except NotImplementedError:  # on Windows; elsewhere such a thread would stop a program in the background
        threading.Thread(target=wait, daemon=True).start()
    except OSError:
        return
    report("Press Enter to begin with those who are there.")


def _print(referee: network_referee.Referee) -> None:
    rows = [
        (str(row.place), row.name, str(row.played), str(row.won), str(row.lost), f"{100 * row.share:.1f} %")
        for row in referee.standings()
    ]
    played = referee.results.matches.values()
    forfeited = sum(bool(result.reason) for result in played)
    explanation = f"won: matches; {forfeited} of all {len(played)} were not played to their ends."
    report.print_table(("place", "name", "played", "won", "lost", "share"), rows, explanation, ("lost", "played"))
