"""tournament: agents against each other, everybody against everybody."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tictactoe.storage.json_text import json_text

from ..options.parameters import Count, Directory, File, Name, Number, json_option
from ..options.rules_options import WantedRules, option_of, rules_options
from ..program import SETTINGS, CommandError, run, say, shown_path, stop_on_signals

if TYPE_CHECKING:
    from tictactoe.agents.named import NamedAgent
    from tictactoe.agents.pair_results import PairResult
    from tictactoe.agents.results import Results
    from tictactoe.agents.tournament import TournamentSettings
    from tictactoe.games.rules import Rules

    from ..progress import StatusLine

MOST_SHOWN = 5
"""Forfeits of one agent that are printed, at most. All are counted."""


@click.command(context_settings=SETTINGS)
@click.argument("texts", type=Name(), nargs=-1, metavar="AGENT...")
@click.option("--winning-score", type=Count(1, 100), help="Points that win a match.  [default: the solutions'; else 5]")
@rules_options("those of the solutions, else three-in-a-row")
@click.option("--matches", type=Count(1, 10**6), default=400, show_default=True, help="Of every pair that plays.")
@click.option("--seed", type=Count(0, 2**63 - 1), default=1, show_default=True, help="Of goals and of agents' draws.")
@click.option("--sample", is_flag=True, help="Let fixed policies play, too, instead of computing how they fare.")
@click.option(
    "--timeout",
    type=Number(0.0, 86400.0, above_least=True),
    default=10.0,
    show_default=True,
    help="Seconds that a program has for a move.",
)
@click.option("--restart-programs", is_flag=True, help="Start programs anew for every match.")
@click.option(
    "-o",
    "--results",
    type=Directory(),
    help="Save every match here as it ends: results, and transcripts for analyse. The same command goes on from there.",
)
@click.option("--csv", "csv_file", type=File(), help="A table of all pairs; an earlier one is replaced.")
@click.option(
    "--plot",
    type=File(),
    help="Draw who beats whom, and the ratings: a file NAME.png or NAME.svg; an earlier one is replaced.",
)
@click.option("--quiet", is_flag=True, help="No progress and no tables: nothing but errors.")
@json_option
def command(
    texts: tuple[str, ...],
    winning_score: int | None,
    rules: WantedRules,
    matches: int,
    seed: int,
    sample: bool,
    timeout: float,
    restart_programs: bool,
    results: Path | None,
    csv_file: Path | None,
    plot: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Let agents play matches, everybody against everybody: who beats whom how often, and a rating for each.

    An AGENT is the name of an opponent (perfect, careless, uniform, learner-1, learner-10, learner-100), a solution by
    directory or name (current:SOLUTION for its current strategy), the file of a learnt table, best-response:AGENT for
    the best answer to one of these, or a program: "cmd:./my_bot --option". NAME=AGENT gives it another name in the
    tables. docs/agents.md says how to write one.

    Between all but programs the probabilities are computed exactly. With a program, --matches are played, and what
    they say has intervals of 95 %. A program that fails loses the match, and a line says why.

    \b
    tournament perfect careless learner-10 uniform
    tournament my_solution/ current:my_solution/ best-response:my_solution/
    tournament "cmd:python my_bot.py" perfect learner-1 --matches 1000 -o results/
    tournament perfect uniform --rules filled --winning-score 3 --plot table.png --json
    """
    if len(texts) < 2:
        raise click.UsageError("give two agents or more, such as: tournament perfect uniform")
    if plot is not None:
        _require_picture(plot)
    from tictactoe.agents.named import parse_agents
    from tictactoe.agents.tournament import TournamentSettings
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.storage.safe_files import Replacements, output_file

    for path in (csv_file, plot):
        if path is not None:
            output_file(path)  # a bad name fails here, before the matches
    try:
        agents = parse_agents(texts, seconds=timeout)
    except ValueError as error:
        raise CommandError(str(error)) from error
    by = _rules(agents, rules)
    points = _winning_score(agents, winning_score)
    settings = TournamentSettings(GameTree.build(by), points, matches, seed, sample, restart_programs)
    found = _played(agents, settings, results, quiet)
    from tictactoe.agents.ratings import rate

    from ..reports.tournament_report import as_csv, as_dict, print_tournament

    ratings = rate([agent.name for agent in agents], found)
    content = as_dict(agents, settings, ratings, found)
    written = [path for path in (csv_file, plot) if path is not None]
    with Replacements() as new:
        if csv_file is not None:
            with new.file(output_file(csv_file)) as file:
                file.write(as_csv(content).encode())
        if plot is not None:
            from tictactoe.figures.style import save_figure
            from tictactoe.figures.tournament_figure import tournament_figure

            save_figure(tournament_figure(points, str(by), ratings, found), plot, new)
    if as_json:
        print(json_text(content, indent=2))
    elif not quiet:
        print_tournament(settings, ratings, found)
        if written:
            say(f"written: {', '.join(map(shown_path, written))}")


def _require_picture(plot: Path) -> None:
    from tictactoe.errors import MissingPlotsError
    from tictactoe.figures.style import require_plots

    if plot.suffix not in (".png", ".svg"):
        raise click.UsageError(f"--plot: {plot} ends neither in .png nor in .svg")
    try:
        require_plots()
    except MissingPlotsError as error:
        raise CommandError(f"--plot: {error}") from error


def _rules(agents: Sequence[NamedAgent], wanted: WantedRules) -> Rules:
    """The rules of the tournament: those of the agents' solutions, which must agree, or else the wanted rules."""
    known = [(agent.text, agent.rules) for agent in agents if agent.rules is not None]
    if not known:
        return wanted.over()
    (first, rules), *others = known
    for text, other in others:
        if other != rules:
            raise CommandError(f"{first} plays by {rules}, and {text} by {other}: they cannot play each other")
    if wanted.over(rules) != rules:
        raise click.UsageError(
            f"{option_of(wanted.over(rules), rules)}: {first} plays by {rules}, not by {wanted.over(rules)}"
        )
    return rules


def _winning_score(agents: Sequence[NamedAgent], wanted: int | None) -> int:
    known = {agent.text: agent.winning_score for agent in agents if agent.winning_score is not None}
    points = wanted or min(known.values(), default=5)
    for text, most in known.items():
        if points > most:
            raise click.UsageError(f"--winning-score: {text} only contains a match to {most}")
    return points


def _played(
    agents: Sequence[NamedAgent], settings: TournamentSettings, directory: Path | None, quiet: bool
) -> list[PairResult]:
    """Play the tournament. Returns the results of all pairs. Raises Interrupted after a signal."""
    from tictactoe.agents.tournament import exact_results, needs_matches, play_matches, sampled_results
    from tictactoe.errors import AgentError, Interrupted

    from ..progress import StatusLine

    unsaved = "" if directory is not None else "nothing is saved without -o"
    status, forfeits = StatusLine(quiet=quiet), dict.fromkeys((agent.name for agent in agents), 0)
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(stop_on_signals())
        stack.enter_context(status.showing())
        _prepare(agents, settings, status)
        results = stack.enter_context(_results(agents, settings, directory))
        found: list[PairResult] = []
        for pair in exact_results(agents, settings):
            found.append(pair)
            status.set(f"{' and '.join(pair.names)}: computed, {{elapsed}} elapsed")
            if stop.is_set():
                raise Interrupted(unsaved)
        wanted = needs_matches(agents, settings)
        with contextlib.closing(play_matches(agents, settings, results)) as playing:
            while not stop.is_set():
                try:
                    result = next(playing)
                except StopIteration:
                    break
                except AgentError as error:
                    raise CommandError(str(error)) from error
                status.set(f"{len(results.matches)} of {len(wanted)} matches played, {{elapsed}} elapsed")
                if result.reason and result.winner is not None:
                    (loser,) = {*result.names} - {result.winner}
                    forfeits[loser] += 1
                    if forfeits[loser] <= MOST_SHOWN:
                        _tell_forfeit(result.number, result.names, result.reason, forfeits[loser])
        played = {pairing.number for pairing in wanted}
        if stop.is_set() and not played <= results.matches.keys():
            raise Interrupted(unsaved)
        return found + sampled_results(results.matches[number] for number in sorted(played))


def _prepare(agents: Sequence[NamedAgent], settings: TournamentSettings, status: StatusLine) -> None:
    """Ask every fixed policy for its first strategy, so that a bad one fails before files are written."""
    from tictactoe.match.scores import Score

    for agent in agents:
        if agent.is_policy:
            status.set(f"preparing {agent.name}, {{elapsed}} elapsed")
            try:
                _ = agent.policy(settings.tree, settings.winning_score)[Score(0, 0)]
            except ValueError as error:
                raise CommandError(f"{agent.name}: {error}") from error


def _tell_forfeit(number: int, names: tuple[str, str], reason: str, times: int) -> None:
    more = "; more of them are counted, not shown" if times == MOST_SHOWN else ""
    text = f"match {number}, {' against '.join(names)}, is forfeited: {reason}{more}"
    click.echo(text, err=True)


@contextlib.contextmanager
def _results(agents: Sequence[NamedAgent], settings: TournamentSettings, directory: Path | None) -> Iterator[Results]:
    """The results of the matches, in a directory or in memory. A directory's earlier results are loaded."""
    from tictactoe.agents.results import Agreed, Results, SavedResults

    texts = tuple(agent.text for agent in agents)
    rules = str(settings.tree.rules)
    agreed = Agreed(settings.winning_score, rules, settings.matches, settings.seed, texts)
    with contextlib.closing(Results(agreed) if directory is None else SavedResults(directory, agreed)) as results:
        yield results


main = partial(run, command)
