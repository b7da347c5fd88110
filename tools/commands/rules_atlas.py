"""rules-atlas: what difference the rules of a round make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

import tictactoe
from tictactoe.errors import EndlessMatchError
from tictactoe.games.rules import RULES, Rules

from ..lazy_imports import lazily
from ..options.parameters import Number, Reader, shortened
from ..options_before.common import (
    directory_option,
    json_option,
    quiet_option,
    require_plots_unless,
    winning_score_option,
)
from ..options_before.declaring import command_of, flag, group, option
from ..options_before.rules_options import GOAL_ODDS, require_end
from ..options_before.workers import THREADS, Workers, cluster_of, control_of, existing_of, followed
from ..program import CommandError, print_json, say, shown_path

with lazily():
    from tictactoe.figures import comparison_files
    from tictactoe.solving import rules_atlas as facts_of_rules
    from tictactoe.storage import atomic_files

    from ..reports import atlas_report


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in RULES:
            raise ValueError(f"{shortened(name)} is not the name of rules; known: {', '.join(RULES)}")
    return names


class RulesNames(Reader):
    """Names of rules, separated by commas."""

    def __init__(self) -> None:
        super().__init__("choice", _names)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names of all rules, to continue the list that has been typed."""
        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{name}") for name in RULES if name.startswith(last)]


@dataclass(frozen=True)
class Options:
    chosen: tuple[tuple[str, ...], ...] = option(
        RulesNames(),
        f"Which rules to compare: {', '.join(RULES)}; may be given more than once.  [default: all of them]",
        names="--rules",
        multiple=True,
        metavar="NAME,NAME,...",
    )
    goal_odds: tuple[int, int, int] = option(
        GOAL_ODDS,
        "How likely each goal is drawn, as whole numbers.  [default: 1:1:1]",
        default=(1, 1, 1),
        metavar="WIN:LOSE:TIE",
        show_default=False,
    )
    winning_score: int = winning_score_option()
    maximum_subgame_exploitability: float = option(
        Number(0.0, above_least=True),
        "Solve every score until nobody can gain more than this in its round (both seats together, match value).",
        default=1e-6,
    )
    polish: bool = flag("Then make all that is solved exact; takes longer, and needs highspy.")
    output: Path = directory_option(
        "rules_atlas",
        "Directory for the tables, the picture and what is solved. A run that was stopped goes on where it was.",
    )
    workers: Workers = group(Workers, jobs=THREADS)
    restart: bool = flag(
        "Solve these rules anew, and replace each earlier solution once the new one is whole; "
        "if that is stopped, go on without --restart."
    )
    no_plot: bool = flag("No picture; works without matplotlib.")
    for_paper: bool = flag("Also write atlas.tex and .pdf, for a paper: LaTeX, and the picture as PDF.")
    quiet: bool = quiet_option("No progress and no tables: nothing but errors.")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Compare the rules of a round: who is favoured, how perfect players fare, which rules are the fairest.

    For every rule: the value of a round on its own and of all scores of a match, who is favoured and by how much, how
    often perfect players score and how their rounds end, how large the tree is. What comes with the program is looked
    up, all else is solved, as solve-multiround does it, which takes much longer with uneven odds than with even ones.
    Press Ctrl-C to stop: what is solved is saved, and the same command goes on from there.

    Writes atlas.csv, atlas.json and a picture, atlas.png and .svg. What was solved is below the same directory, in
    RULES/match_to_5 and, with --polish, RULES/match_to_5_exact: solutions like any other.

    \b
    rules-atlas
    rules-atlas --rules three-in-a-row,filled --winning-score 3 --no-plot
    rules-atlas --goal-odds 2:1:1 -o more_wins/ --polish
    """
    names = dict.fromkeys(name for several in given.chosen for name in several) or RULES
    require_plots_unless(given.no_plot, "picture")
    rules = [Rules(name, given.goal_odds) for name in names]
    require_end(rules)
    atomic_files.make_directory(given.output)  # a bad name fails here, before the solving
    with control_of(given.workers, existing_of(given.restart), quiet=given.quiet, exact=given.polish) as control:
        atlas = _atlas(given, rules, control)
    written = comparison_files.write_atlas(given.output, atlas, picture=not given.no_plot, for_paper=given.for_paper)
    if given.as_json:
        content = comparison_files.atlas_as_dict(atlas)
        print_json(content | {"files": list(map(str, written))})
    elif not given.quiet:
        atlas_report.print_atlas(atlas)
        say(f"written: {', '.join(map(shown_path, written))}")


def _atlas(
    given: Options, rules: Sequence[Rules], control: tictactoe.RunControl[Any]
) -> list[facts_of_rules.RulesFacts]:
    """The entries of the atlas, one for each rules. Raises Interrupted after a signal."""
    options = tictactoe.MatchOptions(
        winning_score=given.winning_score,
        maximum_subgame_exploitability=given.maximum_subgame_exploitability,
        snapshot_at=(),
    )
    progress, atlas = atlas_report.AtlasProgress(len(rules), cluster_of(control), quiet=given.quiet), []
    with followed(progress, control) as control:
        for each in rules:
            progress.rules_begin(each)
            try:
                facts = tictactoe.rules_facts(given.output, each, options, polish=given.polish, control=control)
            except EndlessMatchError as error:
                advice = "choose other odds, or other rules (--goal-odds, --rules)"
                raise CommandError(f"{each}: {error}; {advice}") from error
            progress.rules_end(facts)
            atlas.append(facts)
    return atlas
