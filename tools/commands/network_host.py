"""The verb network host."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from tictactoe.number_text import counted

from ..interruption import EXIT_INTERRUPTED, handling
from ..options.common import (
    existing_of,
    is_given,
    json_option,
    quiet_option,
    refuse,
    restart_option,
    winning_score_option,
)
from ..options.game_option import card_game_option, refuse_beside_game
from ..options.parameters import NAME, Count, Directory, Number, address_type
from ..options.rules_options import WantedRules, rules_option
from ..program import CommandError, Program, as_typed, note, print_json, remark

if TYPE_CHECKING:
    import asyncio

    from tictactoe.agents import client, dealer, network_reception, network_referee

USUAL_MOST_PLAYERS = 6
_LONGEST_LINE = 1024  # bytes

Report = Callable[[str], None]
_Held = TypeVar("_Held", bound="network_reception.Reception")


@click.command(cls=Program)
@click.argument("agents", type=NAME, nargs=-1, metavar="[AGENT...]")
@click.option(
    "--listen",
    type=address_type(0),
    default="127.0.0.1:8080",
    metavar="HOST:PORT",
    help="Address where players connect. Port 0 means any free port.",
)
@click.option("--port", type=Count(0, 65535), help="The same as --listen 127.0.0.1:PORT.")
@click.option(
    "--players",
    type=Count(1, 1000),
    help=f"Begin when this many have joined, every AGENT included.  [default: {USUAL_MOST_PLAYERS}, or fewer when you "
    "press Enter; with twenty-one 1, and others may join between games]",
)
@click.option("--matches", type=Count(1, 10**6), default=2, help="Number of matches of each pair.")
@card_game_option("Deal twenty-one instead of tic-tac-toe.")
@click.option("--rounds", type=Count(1, 10**9), default=1000, help="Number of games of twenty-one at each table.")
@winning_score_option()
@click.option("--seed", type=Count(0), help="Seed of the goals and of the agents' choices; the same seed repeats them.")
@click.option(
    "--timeout",
    type=Number(0.0, 1e6, above_least=True),
    default=60.0,
    metavar="SECONDS",
    help="Seconds for a move. A player who takes longer loses the match.",
)
@click.option(
    "--grace",
    type=Number(0.0, 1e6),
    default=60.0,
    metavar="SECONDS",
    help="Seconds that a player may be absent before losing all remaining matches.",
)
@click.option(
    "-o",
    "--output",
    type=Directory(),
    help="Directory where every match is saved when it ends; a stopped tournament continues.",
)
@restart_option
@rules_option("three-in-a-row")
@json_option
@quiet_option("Show no news and no standings, only errors.")
def command(
    agents: tuple[str, ...],
    listen: client.Address,
    port: int | None,
    players: int | None,
    matches: int,
    game: str | None,
    rounds: int,
    winning_score: int,
    seed: int | None,
    timeout: float,
    grace: float,
    output: Path | None,
    restart: bool,
    rules: WantedRules,
    as_json: bool,
    quiet: bool,
) -> int:
    """Hold a tournament on a network, in which everybody plays everybody.

    People join with `tictactoe network join HOST:PORT`, programs as docs/protocol.md describes. The tournament begins
    when enough players have joined. The players of a pair take turns at moving first. The standings are
    printed at the end. An AGENT, such as shipped or learner-10, takes part from the start. It can be anything that the
    verb tournament takes, except a program; programs join by themselves.

    With --game twenty-one, this is the dealer: players hit or stand by the messages of docs/protocol.md, at a table of
    one to six. With more --players there are several tables, and the best two of each reach the final.

    By default, only programs on this machine can connect. At another address, anybody who can reach it may play.

    \b
    tictactoe network host
    tictactoe network host --game twenty-one --port 8081 --rounds 1000
    tictactoe network host --game twenty-one --players 18 --listen 0.0.0.0:8080
    tictactoe network host --players 2 --matches 1 --timeout 300
    tictactoe network host shipped learner-10 --players 4 -o tournament/
    tictactoe network host --listen 0.0.0.0:8080
    """
    import asyncio

    from tictactoe.agents import client, dealer, named, network_player, network_referee
    from tictactoe.agents.results import Agreed, Results, SavedResults

    if port is not None:
        if is_given("listen"):
            raise click.UsageError("--port is the same as --listen 127.0.0.1:PORT; give only one of them")
        listen = client.Address("127.0.0.1", port)
    patience = network_player.Patience(timeout, grace)

    def report(line: str) -> None:
        if not quiet:
            with contextlib.suppress(OSError):  # the matches continue even if nobody reads the reports
                note(line)

    if game is not None:
        refuse_beside_game(("matches", "winning_score", "output", "restart", "rules"))
        if agents:
            raise click.UsageError("AGENT: players of twenty-one join with network join")
        _require_open_files(players or USUAL_MOST_PLAYERS)
        return _deal(listen, dealer.Terms(rounds, seed, players, patience), report, quiet=quiet, as_json=as_json)
    refuse(("rounds",), "applies only to --game twenty-one; without that, use --matches")
    if players == 1:
        raise click.UsageError("--players: a tournament has at least two")
    most = players or max(USUAL_MOST_PLAYERS, len(agents))
    if len(agents) > most:
        raise click.UsageError(f"--players: {most} is fewer than the agents that are named")
    if restart and output is None:
        raise click.UsageError("--restart requires --output: without it, nothing is saved")
    _require_open_files(most)
    wanted = rules.over()
    try:
        made = named.built_in_agents(agents, wanted, winning_score)
    except ValueError as error:
        raise click.UsageError(str(error).removeprefix("agent: ")) from error
    agreed = Agreed(winning_score, str(wanted), matches, seed, agents)
    saved = Results(agreed) if output is None else SavedResults(output, agreed, existing_of(restart))

    def referee() -> network_referee.Referee:
        return network_referee.Referee(saved, made, patience, most, report)

    try:
        held = asyncio.run(_hold(referee, listen, waits=players is not None, report=report))
        if held is None:
            again = f"continue with: {_continuation()}"
            how = again if saved.is_saved else "without --output, nothing is saved"
            remark(f"interrupted; {len(saved.matches)} matches had been played; {how}")
            return EXIT_INTERRUPTED
        saved.complete()
    finally:
        saved.close()
    if as_json:
        print_json(held.as_dict(), indent=None)
    elif not quiet:
        _print(held)
    return 0


def _require_open_files(most: int) -> None:
    from tictactoe.agents import network_reception

    needed = network_reception.open_files_needed(most)
    if (allowed := network_reception.open_files_allowed(needed)) < needed:
        raise CommandError(
            f"--players: {most} players need {needed} open files, and this system allows {allowed:g}: allow more "
            f"(ulimit -n {needed}), or take fewer players"
        )


def _deal(listen: client.Address, terms: dealer.Terms, report: Report, *, quiet: bool, as_json: bool) -> int:
    import asyncio

    from tictactoe.agents import dealer

    made: list[dealer.Dealer] = []

    def make() -> dealer.Dealer:
        made.append(dealer.Dealer(terms, report))
        return made[0]

    held = asyncio.run(_hold(make, listen, waits=True, report=report, how="TABLE.csv --name NAME --game twenty-one"))
    if held is None:
        remark(f"interrupted; {counted(made[0].dealt, 'game')} had begun")
    if as_json:
        print_json(made[0].as_dict(), indent=None)
    elif not quiet and made[0].dealt:
        _print_scores(made[0])
    return EXIT_INTERRUPTED if held is None else 0


def _continuation() -> str:
    words = click.get_current_context().command_path.split() + sys.argv[1:]
    return as_typed(word for word in words if word != "--restart")


async def _hold(
    make: Callable[[], _Held], listen: client.Address, *, waits: bool, report: Report, how: str = "--name NAME"
) -> _Held | None:
    """Run the tournament. Returns the referee; None after an interruption."""
    from tictactoe.agents import network_reception

    referee = make()
    try:
        server = await referee.listen(*listen)
    except OSError as error:
        raise CommandError(
            f"--listen: {listen} cannot be used: {error.strerror or error}; give another address"
        ) from None
    if not listen.is_loopback:
        report(f"Whoever can reach {listen.host} can join; messages are not encrypted.")
    host, port = server.address
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    report(f"Join with: tictactoe network join {where} {how}")
    report(f"{referee.waits_for[:1].upper()}{referee.waits_for[1:]}.")
    if referee.is_full:
        referee.begin()
    elif not waits and not referee.has_begun:
        _begin_with_enter(referee, report)
    try:
        with _interrupted() as stopped:
            return referee if await network_reception.over_before(referee, stopped) else None
    finally:
        await referee.close(server, "the referee was stopped; when it continues, come back with your token")


@contextlib.contextmanager
def _interrupted() -> Iterator[asyncio.Event]:
    import asyncio

    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    with handling((signal.SIGINT, signal.SIGTERM), lambda *_: loop.call_soon_threadsafe(stopped.set)):
        yield stopped


def _begin_with_enter(referee: network_reception.Reception, report: Report) -> None:
    import asyncio

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
    except NotImplementedError:  # on Windows; elsewhere, such a thread would stop a program in the background
        threading.Thread(target=wait, daemon=True).start()
    except OSError:
        return
    report("Press Enter to begin with those who have joined.")


def _print(referee: network_referee.Referee) -> None:
    from ..reports import report

    rows = [
        (str(row.place), row.name, str(row.played), str(row.won), str(row.lost), f"{100 * row.share:.1f} %")
        for row in referee.standings()
    ]
    played = referee.results.matches.values()
    forfeited = sum(bool(result.reason) for result in played)
    explanation = f"won: matches won; {forfeited} of all {len(played)} matches were not played to the end."
    report.print_table(("place", "name", "played", "won", "lost", "share"), rows, explanation, ("lost", "played"))


def _print_scores(held: dealer.Dealer) -> None:
    from ..reports import report

    several = len(held.stages) > 1
    rows = [
        (str(row.place), row.score.name, str(row.stage) if several else None, *map(str, row.score.counts))
        for row in held.standings()
    ]
    columns = ("place", "name", "round", "games", "won", "pushed", "lost", "bust")
    explanation = "lost: including those that went bust."
    if several:
        explanation += " The games are those of the last round of tables that a player reached."
    report.print_table(columns, rows, explanation, ("round", "pushed", "bust"))
