"""referee: a tournament on a network."""

from __future__ import annotations

import contextlib
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.storage.json_text import json_text

from ..options.network_options import AddressType, is_loopback
from ..options.parameters import Count, Directory, Name, Number, json_option
from ..options.rules_options import WantedRules, rules_options
from ..program import EXIT_INTERRUPTED, SETTINGS, CommandError, run

if TYPE_CHECKING:
    import asyncio

    from tictactoe.agents.client import Address
    from tictactoe.agents.network_referee import MakeAgent, Referee, Tournament
    from tictactoe.agents.results import Results

USUAL_MOST_PLAYERS = 6


@click.command(context_settings=SETTINGS)
@click.option(
    "--listen",
    type=AddressType(0),
    default="127.0.0.1:8080",
    show_default=True,
    metavar="HOST:PORT",
    help="Where players come to. Port 0: any free one.",
)
@click.option(
    "--players",
    type=Count(2, 1000),
    help=f"Begin when so many are there, agents included.  [default: {USUAL_MOST_PLAYERS}, or when you press Enter]",
)
@click.option(
    "--agent",
    "agents",
    type=Name(),
    multiple=True,
    metavar="NAME",
    help="An agent that takes part from the start, such as shipped or learner-10; any that tournament takes, but for "
    "programs, which join by themselves. May be given more than once.",
)
@click.option("--matches", type=Count(1, 10**6), default=2, show_default=True, help="Matches of each pair.")
@click.option("--winning-score", type=Count(1, 100), default=5, show_default=True, help="Points that win a match.")
@click.option("--seed", type=Count(0), help="Repeat: the same goals, and the same choices of the agents here.")
@click.option(
    "--timeout",
    type=Number(0.0, 1e6, above_least=True),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="For a move; who takes longer loses the match.",
)
@click.option(
    "--grace",
    type=Number(0.0, 1e6),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long somebody may be away in a match, or between two; then all the matches left to them are lost.",
)
@click.option(
    "--results",
    type=Directory(),
    metavar="DIR",
    help="Save every match here, as soon as it is over; the same command goes on after the program was ended.",
)
@rules_options("three-in-a-row")
@json_option
@click.option("--quiet", is_flag=True, help="No news and no standings: nothing but errors.")
def command(
    listen: Address,
    players: int | None,
    agents: tuple[str, ...],
    matches: int,
    winning_score: int,
    seed: int | None,
    timeout: float,
    grace: float,
    results: Path | None,
    rules: WantedRules,
    as_json: bool,
    quiet: bool,
) -> int:
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
    import asyncio

    from tictactoe.agents.built_in import built_in_agent, require_agent
    from tictactoe.agents.network_player import Patience
    from tictactoe.agents.network_referee import Tournament, open_files_needed
    from tictactoe.agents.open_files import open_files_allowed
    from tictactoe.agents.player_names import require_name
    from tictactoe.agents.results import Agreed, Results, SavedResults
    from tictactoe.games.tic_tac_toe_tree import GameTree

    most = players or max(USUAL_MOST_PLAYERS, len(agents))
    if len(agents) > most:
        raise click.UsageError(f"--players: {most} are fewer than the agents that are named")
    needed = open_files_needed(most)
    if (allowed := open_files_allowed(needed)) < needed:
        raise CommandError(
            f"--players: {most} players need {needed} open files, and this system allows {allowed:g}: allow more, as "
            f"by ulimit -n {needed}, or take fewer players"
        )
    wanted = rules.over()
    made: dict[str, MakeAgent] = {}
    try:
        for text in agents:
            name = require_agent(text).name
            require_name(name, made)
            made[name] = built_in_agent(text, wanted, winning_score)
    except ValueError as error:
        raise click.UsageError(f"--agent: {str(error).removeprefix('agent: ')}") from error
    agreed = Agreed(winning_score, str(wanted), matches, seed, agents)
    tournament = Tournament(GameTree.build(wanted), winning_score, matches, seed, made, Patience(timeout, grace))
    saved = Results(agreed) if results is None else SavedResults(results, agreed)
    try:
        return asyncio.run(_hold(tournament, saved, listen, most, ask=players is None, quiet=quiet, as_json=as_json))
    finally:
        saved.close()


async def _hold(
    tournament: Tournament, results: Results, listen: Address, most: int, *, ask: bool, quiet: bool, as_json: bool
) -> int:
    import asyncio

    from tictactoe.agents.network_referee import Referee

    def report(line: str) -> None:
        if not quiet:
            with contextlib.suppress(OSError):  # the matches go on even if nobody reads the reports
                print(line, file=sys.stderr, flush=True)

    referee = Referee(tournament, results, most, report)
    try:
        server = await referee.listen(*listen)
    except OSError as error:
        raise CommandError(f"--listen: {listen} cannot be used: {error.strerror or error}; name another") from None
    stopped, failed = _interrupted(), _failed()
    if not is_loopback(listen.host):
        report(f"Whoever can reach {listen.host} can join; nothing that is sent is secret on the way.")
    host, port = server.address
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    report(f"Join with: join {where} --name NAME")
    report(f"{referee.waits_for[:1].upper()}{referee.waits_for[1:]}.")
    if len(tournament.agents) == most:
        referee.begin()
    elif ask and results.players is None:
        _begin_with_enter(referee, report)
    waiting = [asyncio.ensure_future(each.wait()) for each in (referee.over, stopped)]
    await asyncio.wait([*waiting, failed], return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    ended = referee.over.is_set() and not failed.done()
    await referee.close(server, "the referee was stopped; come back with your token when it goes on")
    if failed.done():
        await failed
    if not ended:
        again = f"continue with: {shlex.join(['referee', *sys.argv[1:]])}"
        how = again if results.is_saved else "nothing is saved without --results"
        print(f"referee: interrupted; {len(results.matches)} matches were played; {how}", file=sys.stderr, flush=True)
        return EXIT_INTERRUPTED
    if as_json:
        print(json_text(_as_dict(referee)))
    elif not quiet:
        _print(referee)
    return 0


def _failed() -> asyncio.Future[None]:
    """A future that gets the first error in a callback or an abandoned task, such as a full disk. Without it, the event
    loop would print the error and go on, with a match that never ends."""
    import asyncio

    loop = asyncio.get_running_loop()
    failed: asyncio.Future[None] = loop.create_future()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not failed.done():
            failed.set_exception(context.get("exception") or RuntimeError(context["message"]))

    loop.set_exception_handler(handle)
    return failed


def _interrupted() -> Any:
    """An event that Ctrl-C and SIGTERM set."""
    import asyncio
    import signal

    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # on Windows, where Ctrl-C ends the program
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped


def _begin_with_enter(referee: Referee, report: Any) -> None:
    """On a terminal, Enter begins the tournament with the players who have joined."""
    import asyncio

    if sys.stdin is None or not sys.stdin.isatty():
        return
    loop = asyncio.get_running_loop()

    def pressed() -> None:
        if not sys.stdin.readline():
            loop.remove_reader(sys.stdin)
            return
        try:
            referee.begin()
        except ValueError as error:
            report(f"{error}")
        else:
            loop.remove_reader(sys.stdin)

    with contextlib.suppress(NotImplementedError, OSError):
        loop.add_reader(sys.stdin, pressed)
        report("Press Enter to begin with those who are there.")


def _as_dict(referee: Referee) -> dict[str, Any]:
    import msgspec

    agreed = referee.results.agreed
    matches = [msgspec.to_builtins(referee.results.matches[number]) for number in sorted(referee.results.matches)]
    rows = [{**row._asdict(), "share": row.share} for row in referee.standings()]
    return {**msgspec.to_builtins(agreed), "standings": rows, "results": matches}


def _print(referee: Referee) -> None:
    from ..reports.report import print_table

    rows = [
        (str(row.place), row.name, str(row.played), str(row.won), str(row.lost), f"{100 * row.share:.1f} %")
        for row in referee.standings()
    ]
    played = referee.results.matches.values()
    forfeited = sum(bool(result.reason) for result in played)
    explanation = f"won: matches; {forfeited} of all {len(played)} were not played to their ends."
    print_table(("place", "name", "played", "won", "lost", "share"), rows, explanation, ("lost", "played"))


main = partial(run, command)
