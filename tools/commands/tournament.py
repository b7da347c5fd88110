"""The verb tournament."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import tictactoe

from ..options.common import (
    PICTURES,
    check_directory,
    existing_of,
    json_option,
    quiet_option,
    require_plots,
    restart_option,
    seed_option,
    winning_score_option,
)
from ..options.parameters import NAME, Count, Number, PathName
from ..options.rules_options import WantedRules, rules_option
from ..options.workers import followed
from ..program import CommandError, Program, print_json, say, shown_path
from ..progress import StatusLine

if TYPE_CHECKING:
    from tictactoe.agents import results

MOST_SHOWN = 5
"""The largest number of an agent's forfeits that are printed. All are counted."""


@click.command(cls=Program)
@click.argument("texts", type=NAME, nargs=-1, metavar="AGENT...")
@winning_score_option("Points that win a match.  [default: the solutions', or 5]", None)
@rules_option("those of the solutions, or three-in-a-row")
@click.option("--matches", type=Count(1, 10**6), default=400, help="Number of matches of every pair that plays.")
@seed_option("Seed of the goals and of the agents' choices.", 1)
@click.option("--sample", is_flag=True, help="Let fixed policies play as well, instead of computing their results.")
@click.option(
    "--timeout",
    type=Number(0.0, 86400.0, above_least=True),
    default=10.0,
    help="Seconds that a program has for a move.",
)
@click.option("--restart-programs", is_flag=True, help="Restart programs for every match.")
@click.option(
    "-o",
    "--output",
    "outputs",
    type=PathName(),
    multiple=True,
    help="Directory for results, and for every match as it ends, as transcripts for review; a stopped tournament "
    "continues. NAME.csv, NAME.tex: a table of all pairs. NAME.png, .svg or .pdf: a picture of who beats whom, and of "
    "the ratings. Earlier files are replaced. May be given more than once.",
)
@restart_option
@quiet_option("Show no progress and no tables, only errors.")
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
    outputs: tuple[Path, ...],
    restart: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Let agents play matches, everybody against everybody. Shows how often each beats each other, and ratings.

    An AGENT is the name of an opponent (such as perfect, rookie or learner-10; or adaptive, which learns during the
    match), a solution by directory or name (current:SOLUTION for its current strategy), the file of a learnt table,
    best-response:AGENT for the best response to one of these, or a program: "cmd:./my_bot --option". NAME=AGENT gives
    it another name in the tables. docs/agents.md says how to write a program.

    Probabilities are computed exactly, except in pairs with a program or adaptive. Those pairs play --matches, and
    their results have 95 % confidence intervals. For two agents alone, results are also shown by seat, with the
    expected number of rounds. A program that fails loses the match, and a line says why.

    \b
    tictactoe tournament perfect careless learner-10 uniform
    tictactoe tournament my_solution/ current:my_solution/ best-response:my_solution/
    tictactoe tournament "cmd:python my_bot.py" perfect learner-1 --matches 1000 -o results/
    tictactoe tournament perfect uniform --rules filled --winning-score 3 -o pairs.csv -o all.png
    """
    from tictactoe.agents import named, ratings, tournament
    from tictactoe.figures import solution_figures, style
    from tictactoe.storage import atomic_files

    from ..reports import tournament_report

    if len(texts) < 2:
        raise click.UsageError("give two agents or more, such as: tictactoe tournament perfect uniform")
    tables = [path for path in outputs if path.suffix in (".csv", ".tex")]
    pictures = [path for path in outputs if path.suffix in PICTURES]
    directories = [path for path in outputs if path not in (*tables, *pictures)]
    if len(directories) > 1:
        raise click.UsageError("--output: give only one directory; tables are NAME.csv, pictures NAME.png")
    output = directories[0] if directories else None
    check_directory(output, f".csv, .tex, {', '.join(PICTURES)}")
    require_plots(bool(pictures), "leave out the picture")
    for path in (*tables, *pictures):
        atomic_files.output_file(path)  # a bad name fails here, before the matches
    try:
        agents = named.parse_agents(texts, seconds=timeout)
    except ValueError as error:
        raise CommandError(str(error)) from error
    by = _rules(agents, rules)
    points = _winning_score(agents, winning_score)
    tree = tictactoe.GameTree.build(by)
    settings = tournament.TournamentSettings(tree, points, matches, seed, sample, restart_programs)
    control: tictactoe.RunControl[Any] = tictactoe.RunControl(existing=existing_of(restart))
    try:
        with followed(_Progress(quiet), control) as control:
            found = tournament.play_tournament(agents, settings, output, control)
    except tictactoe.Interrupted as error:
        raise tictactoe.Interrupted("" if output else "without -o, nothing is saved") from error
    rated = ratings.rate([agent.name for agent in agents], found)
    content = tournament.tournament_as_dict(agents, settings, rated, found)
    written_tables = {path: tournament.pairs_as_text(content, path) for path in tables}
    figures = ((path, solution_figures.tournament_figure(points, str(by), rated, found)) for path in pictures)
    written = style.replace_together(written_tables, figures)
    if as_json:
        print_json(content)
    elif not quiet:
        tournament_report.print_tournament(settings, rated, found)
        if written:
            say(f"written: {', '.join(map(shown_path, written))}")


def _rules(agents: Sequence[tictactoe.NamedAgent], wanted: WantedRules) -> tictactoe.Rules:
    from tictactoe.agents import named

    known = named.rules_of_all(agents)
    if known is None:
        return wanted.over()
    first, rules = known
    if wanted.over(rules) != rules:
        raise click.UsageError(f"--rules: {first} plays by {rules}, not by {wanted.over(rules)}")
    return rules


def _winning_score(agents: Sequence[tictactoe.NamedAgent], wanted: int | None) -> int:
    known = {agent.text: agent.winning_score for agent in agents if agent.winning_score is not None}
    points = wanted or min(known.values(), default=5)
    for text, most in known.items():
        if points > most:
            raise click.UsageError(f"--winning-score: {text} contains only a match to {most}")
    return points


class _Progress(StatusLine):
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
                more = "; further ones are counted, but not shown" if times == MOST_SHOWN else ""
                names = " against ".join(result.names)
                text = f"match {result.number}, {names}, is forfeited: {result.reason}{more}"
                click.echo(text, err=True)
