"""tournament: agents against each other, everybody against everybody."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.errors import AgentError, MissingPlotsError
from tictactoe.storage.json_text import json_text

from ..lazy_imports import lazily
from ..options.common import json_option, quiet_option
from ..options.declaring import argument, command_of, flag, group, option
from ..options.parameters import NAME, Count, Directory, File, Number
from ..options.rules_options import WantedRules, option_of
from ..program import CommandError, say, shown_path, stop_on_signals
from ..progress import StatusLine

with lazily():
    from tictactoe.agents import named, pair_results, ratings, results, tournament
    from tictactoe.figures import style, tournament_figure
    from tictactoe.storage import atomic_files

    from ..reports import tournament_report


MOST_SHOWN = 5
"""Forfeits of one agent that are printed, at most. All are counted."""


@dataclass(frozen=True)
class Options:
    texts: tuple[str, ...] = argument(NAME, nargs=-1, metavar="AGENT...")
    winning_score: int | None = option(Count(1, 100), "Points that win a match.  [default: the solutions'; else 5]")
    rules: WantedRules = group(WantedRules, default="those of the solutions, else three-in-a-row")
    matches: int = option(Count(1, 10**6), "Of every pair that plays.", default=400)
    seed: int = option(Count(0, 2**63 - 1), "Of goals and of agents' draws.", default=1)
    sample: bool = flag("Let fixed policies play, too, instead of computing how they fare.")
    timeout: float = option(
        Number(0.0, 86400.0, above_least=True), "Seconds that a program has for a move.", default=10.0
    )
    restart_programs: bool = flag("Start programs anew for every match.")
    results: Path | None = option(
        Directory(),
        "Save every match here as it ends: results, and transcripts for analyse. The same command goes on from there.",
        short="-o",
    )
    csv_file: Path | None = option(File(), "A table of all pairs; an earlier one is replaced.", names="--csv")
    plot: Path | None = option(
        File(), "Draw who beats whom, and the ratings: a file NAME.png or NAME.svg; an earlier one is replaced."
    )
    quiet: bool = quiet_option("No progress and no tables: nothing but errors.")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
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
    if len(given.texts) < 2:
        raise click.UsageError("give two agents or more, such as: tournament perfect uniform")
    if given.plot is not None:
        _require_picture(given.plot)

    for path in (given.csv_file, given.plot):
        if path is not None:
            atomic_files.output_file(path)  # a bad name fails here, before the matches
    try:
        agents = named.parse_agents(given.texts, seconds=given.timeout)
    except ValueError as error:
        raise CommandError(str(error)) from error
    by = _rules(agents, given.rules)
    points = _winning_score(agents, given.winning_score)
    settings = tournament.TournamentSettings(
        tictactoe.GameTree.build(by), points, given.matches, given.seed, given.sample, given.restart_programs
    )
    found = _played(agents, settings, given.results, given.quiet)
    rated = ratings.rate([agent.name for agent in agents], found)
    content = tournament_report.as_dict(agents, settings, rated, found)
    written = [path for path in (given.csv_file, given.plot) if path is not None]
    with atomic_files.Replacements() as new:
        if given.csv_file is not None:
            with new.file(atomic_files.output_file(given.csv_file)) as file:
                file.write(tournament_report.as_csv(content).encode())
        if given.plot is not None:
            style.save_figure(tournament_figure.tournament_figure(points, str(by), rated, found), given.plot, new)
    if given.as_json:
        print(json_text(content, indent=2))
    elif not given.quiet:
        tournament_report.print_tournament(settings, rated, found)
        if written:
            say(f"written: {', '.join(map(shown_path, written))}")


def _require_picture(plot: Path) -> None:
    if plot.suffix not in (".png", ".svg"):
        raise click.UsageError(f"--plot: {plot} ends neither in .png nor in .svg")
    try:
        style.require_plots()
    except MissingPlotsError as error:
        raise CommandError(f"--plot: {error}") from error


def _rules(agents: Sequence[tictactoe.NamedAgent], wanted: WantedRules) -> tictactoe.Rules:
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


def _winning_score(agents: Sequence[tictactoe.NamedAgent], wanted: int | None) -> int:
    known = {agent.text: agent.winning_score for agent in agents if agent.winning_score is not None}
    points = wanted or min(known.values(), default=5)
    for text, most in known.items():
        if points > most:
            raise click.UsageError(f"--winning-score: {text} only contains a match to {most}")
    return points


def _played(
    agents: Sequence[tictactoe.NamedAgent], settings: tournament.TournamentSettings, directory: Path | None, quiet: bool
) -> list[pair_results.PairResult]:
    """Play the tournament. Returns the results of all pairs. Raises Interrupted after a signal."""
    unsaved = "" if directory is not None else "nothing is saved without -o"
    status, forfeits = StatusLine(quiet=quiet), dict.fromkeys((agent.name for agent in agents), 0)
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(stop_on_signals())
        stack.enter_context(status.showing())
        _prepare(agents, settings, status)
        played = stack.enter_context(_results(agents, settings, directory))
        found: list[pair_results.PairResult] = []
        for pair in tournament.exact_results(agents, settings):
            found.append(pair)
            status.set(f"{' and '.join(pair.names)}: computed, {{elapsed}} elapsed")
            if stop.is_set():
                raise tictactoe.Interrupted(unsaved)
        wanted = tournament.needs_matches(agents, settings)
        with contextlib.closing(tournament.play_matches(agents, settings, played)) as playing:
            while not stop.is_set():
                try:
                    result = next(playing)
                except StopIteration:
                    break
                except AgentError as error:
                    raise CommandError(str(error)) from error
                status.set(f"{len(played.matches)} of {len(wanted)} matches played, {{elapsed}} elapsed")
                if result.reason and result.winner is not None:
                    (loser,) = {*result.names} - {result.winner}
                    forfeits[loser] += 1
                    if forfeits[loser] <= MOST_SHOWN:
                        _tell_forfeit(result.number, result.names, result.reason, forfeits[loser])
        numbers = {pairing.number for pairing in wanted}
        if stop.is_set() and not numbers <= played.matches.keys():
            raise tictactoe.Interrupted(unsaved)
        return found + tournament.sampled_results(played.matches[number] for number in sorted(numbers))


def _prepare(
    agents: Sequence[tictactoe.NamedAgent], settings: tournament.TournamentSettings, status: StatusLine
) -> None:
    """Ask every fixed policy for its first strategy, so that a bad one fails before files are written."""
    for agent in agents:
        if agent.is_policy:
            status.set(f"preparing {agent.name}, {{elapsed}} elapsed")
            try:
                _ = agent.policy(settings.tree, settings.winning_score)[tictactoe.Score(0, 0)]
            except ValueError as error:
                raise CommandError(f"{agent.name}: {error}") from error


def _tell_forfeit(number: int, names: tuple[str, str], reason: str, times: int) -> None:
    more = "; more of them are counted, not shown" if times == MOST_SHOWN else ""
    text = f"match {number}, {' against '.join(names)}, is forfeited: {reason}{more}"
    click.echo(text, err=True)


@contextlib.contextmanager
def _results(
    agents: Sequence[tictactoe.NamedAgent], settings: tournament.TournamentSettings, directory: Path | None
) -> Iterator[results.Results]:
    """The results of the matches, in a directory or in memory. A directory's earlier results are loaded."""
    texts = tuple(agent.text for agent in agents)
    rules = str(settings.tree.rules)
    agreed = results.Agreed(settings.winning_score, rules, settings.matches, settings.seed, texts)
    with contextlib.closing(
        results.Results(agreed) if directory is None else results.SavedResults(directory, agreed)
    ) as saved:
        yield saved
