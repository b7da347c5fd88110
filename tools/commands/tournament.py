"""tournament: agents against each other, everybody against everybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.errors import MissingPlotsError

from ..lazy_imports import lazily
from ..options.parameters import NAME, Count, Directory, File, Number
from ..options_before.common import check_picture, json_option, quiet_option
from ..options_before.declaring import argument, command_of, flag, group, option
from ..options_before.rules_options import WantedRules, option_of
from ..options_before.workers import existing_of, followed
from ..program import CommandError, print_json, say, shown_path
from ..progress import StatusLine

with lazily():
    from tictactoe.agents import named, ratings, results, tournament
    from tictactoe.figures import solution_figures, style
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
    restart: bool = flag(
        "Begin anew, and replace the tournament that --results holds once this one is whole; "
        "if that is stopped, go on without --restart."
    )
    csv_file: Path | None = option(
        File(), "A table of all pairs, or NAME.tex for LaTeX; an earlier one is replaced.", names="--csv"
    )
    plot: Path | None = option(
        File(), "Draw who beats whom, and the ratings: NAME.png, NAME.svg or NAME.pdf; an earlier one is replaced."
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
    progress = _Progress(given.quiet)
    try:
        with followed(progress, tictactoe.RunControl(existing=existing_of(given.restart))) as control:
            found = tournament.play_tournament(agents, settings, given.results, control)
    except tictactoe.Interrupted as error:
        raise tictactoe.Interrupted("" if given.results else "nothing is saved without -o") from error
    rated = ratings.rate([agent.name for agent in agents], found)
    content = tournament.tournament_as_dict(agents, settings, rated, found)
    texts = {} if given.csv_file is None else {given.csv_file: tournament.pairs_as_text(content, given.csv_file)}
    drawn = () if given.plot is None else (given.plot,)
    figures = ((path, solution_figures.tournament_figure(points, str(by), rated, found)) for path in drawn)
    written = style.replace_together(texts, figures)
    if given.as_json:
        print_json(content)
    elif not given.quiet:
        tournament_report.print_tournament(settings, rated, found)
        if written:
            say(f"written: {', '.join(map(shown_path, written))}")


def _require_picture(plot: Path) -> None:
    try:
        check_picture(plot, "--plot")
    except MissingPlotsError as error:
        raise CommandError(f"--plot: {error}") from error


def _rules(agents: Sequence[tictactoe.NamedAgent], wanted: WantedRules) -> tictactoe.Rules:
    """The rules of the tournament: those of the agents' solutions, which must agree, or else the wanted rules."""
    known = named.rules_of_all(agents)
    if known is None:
        return wanted.over()
    first, rules = known
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


class _Progress(StatusLine):
    """A TournamentReporter. Forfeits get lines of their own."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        self._forfeits: Counter[str] = Counter()

    def preparing(self, agent: tictactoe.NamedAgent) -> None:
        self.set(f"preparing {agent.name}, {{elapsed}} elapsed")

    def computed(self, pair: results.PairResult) -> None:
        self.set(f"{' and '.join(pair.names)}: computed, {{elapsed}} elapsed")

    def played(self, result: results.MatchResult, num_played: int, num_matches: int) -> None:
        self.set(f"{num_played} of {num_matches} matches played, {{elapsed}} elapsed")
        if result.reason and result.winner is not None:
            (loser,) = {*result.names} - {result.winner}
            self._forfeits[loser] += 1
            if (times := self._forfeits[loser]) <= MOST_SHOWN:
                more = "; more of them are counted, not shown" if times == MOST_SHOWN else ""
                names = " against ".join(result.names)
                text = f"match {result.number}, {names}, is forfeited: {result.reason}{more}"
                click.echo(text, err=True)
