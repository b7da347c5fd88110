"""rules-atlas: what difference the rules of a round make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from tictactoe.games.rules import RULES, Rules
from tictactoe.storage.json_text import json_text

from ..options.cluster_option import check_jobs, cluster_of, cluster_option, connected
from ..options.parameters import Count, Number, directory_option, json_option
from ..options.rules_options import GoalOdds, require_end
from ..program import SETTINGS, CommandError, available_cores, existing_of, run, say, shown_path, stop_on_signals

if TYPE_CHECKING:
    from tictactoe.match.options import MatchOptions
    from tictactoe.run_control import RunControl
    from tictactoe.solving.rules_atlas import RulesFacts


class RulesNames(click.ParamType):
    """Names of rules, separated by commas."""

    name = "choice"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in str(value).split(","))
        for name in names:
            if name not in RULES:
                shown = name if len(name) <= 40 else f"{name[:37]}..."
                self.fail(f"{shown!r} is not the name of rules; known: {', '.join(RULES)}", param, ctx)
        return names

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names of all rules, to continue the list that has been typed."""
        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{name}") for name in RULES if name.startswith(last)]


@click.command(context_settings=SETTINGS)
@click.option(
    "--rules",
    "chosen",
    type=RulesNames(),
    multiple=True,
    metavar="NAME,NAME,...",
    help=f"Which rules to compare: {', '.join(RULES)}; may be given more than once.  [default: all of them]",
)
@click.option(
    "--goal-odds",
    type=GoalOdds(),
    default=(1, 1, 1),
    metavar="WIN:LOSE:TIE",
    help="How likely each goal is drawn, as whole numbers.  [default: 1:1:1]",
)
@click.option("--winning-score", type=Count(1, 100), default=5, show_default=True, help="Points that win the match.")
@click.option(
    "--maximum-subgame-exploitability",
    type=Number(0.0, above_least=True),
    default=1e-6,
    show_default=True,
    help="Solve every score until nobody can gain more than this in its round (both seats together, match value).",
)
@click.option("--polish", is_flag=True, help="Then make all that is solved exact; takes longer, and needs highspy.")
@directory_option(
    "-o",
    "--output",
    "rules_atlas",
    "Directory for the tables, the picture and what is solved. A run that was stopped goes on where it was.",
)
@click.option(
    "--jobs", type=Count(1, 1024), help="Threads; the result does not depend on it.  [default: the available cores]"
)
@cluster_option
@click.option(
    "--restart",
    is_flag=True,
    help="Throw away what an earlier run has solved of these rules, at once; if stopped, go on without --restart.",
)
@click.option("--no-plot", is_flag=True, help="No picture; works without matplotlib.")
@click.option("--quiet", is_flag=True, help="No progress and no tables: nothing but errors.")
@json_option
def command(
    chosen: tuple[tuple[str, ...], ...],
    goal_odds: tuple[int, int, int],
    winning_score: int,
    maximum_subgame_exploitability: float,
    polish: bool,
    output: Path,
    jobs: int | None,
    cluster: str | None,
    restart: bool,
    no_plot: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Compare the rules of a round: who is favoured, how perfect players fare, which rules are the fairest.

    For every rule: the value of a round on its own and of all scores of a match, who is favoured and by how much, how
    often perfect players score and how their rounds end, how large the tree is. What comes with the program is looked
    up, all else is solved, a match to 5 in half a minute or less. Press Ctrl-C to stop: what is solved is saved, and
    the same command goes on from there.

    Writes atlas.csv, atlas.json and a picture, atlas.png and .svg. What was solved is below the same directory, in
    RULES/match_to_5 and, with --polish, RULES/match_to_5_exact: solutions like any other.

    \b
    rules-atlas
    rules-atlas --rules three-in-a-row,filled --winning-score 3 --no-plot
    rules-atlas --goal-odds 2:1:1 -o more_wins/ --polish
    """
    check_jobs(jobs, cluster)
    names = dict.fromkeys(name for several in chosen for name in several) or RULES
    from tictactoe.errors import MissingPlotsError
    from tictactoe.figures.style import require_plots
    from tictactoe.match.options import MatchOptions
    from tictactoe.run_control import RunControl

    if not no_plot:
        try:
            require_plots()
        except MissingPlotsError as error:
            raise CommandError(f"{error}; or leave the picture out with --no-plot") from error
    rules = [Rules(name, goal_odds) for name in names]
    require_end(rules)
    options = MatchOptions(
        winning_score=winning_score, maximum_subgame_exploitability=maximum_subgame_exploitability, snapshot_at=()
    )
    from tictactoe.storage.safe_files import make_directory

    make_directory(output)  # a bad name fails here, before the solving
    with connected(cluster, quiet=quiet, exact=polish) as workers:
        control: RunControl[Any] = RunControl(workers or jobs or available_cores(), existing_of(restart))
        atlas = _found(output, rules, options, polish, control, quiet)
    from ..reports.atlas_report import as_dict, print_atlas

    content = as_dict(atlas)
    written = _write(output, atlas, content, no_plot)
    if as_json:
        print(json_text(content | {"files": list(map(str, written))}, indent=2))
    elif not quiet:
        print_atlas(atlas)
        say(f"written: {', '.join(map(shown_path, written))}")


def _found(
    output: Path, rules: Sequence[Rules], options: MatchOptions, polish: bool, control: RunControl[Any], quiet: bool
) -> list[RulesFacts]:
    """The entries of the atlas, one for each rules. Raises Interrupted after a signal."""
    from tictactoe.errors import EndlessMatchError
    from tictactoe.solving.rules_atlas import rules_facts

    from ..reports.atlas_report import AtlasProgress

    progress, atlas = AtlasProgress(len(rules), cluster_of(control), quiet=quiet), []
    with stop_on_signals() as stop, progress.showing():
        control = replace(control, stop=stop, reporter=progress)
        for each in rules:
            progress.rules_begin(each)
            try:
                facts = rules_facts(output, each, options, polish=polish, control=control)
            except EndlessMatchError as error:
                advice = "choose other odds, or other rules (--goal-odds, --rules)"
                raise CommandError(f"{each}: {error}; {advice}") from error
            progress.rules_end(facts)
            atlas.append(facts)
    return atlas


def _write(output: Path, atlas: Sequence[RulesFacts], content: dict[str, Any], no_plot: bool) -> list[Path]:
    """Write the tables and the picture. Returns the files. content: the result of `as_dict`."""
    from tictactoe.storage.safe_files import Replacements, output_file

    from ..reports.atlas_report import as_csv

    texts = {"atlas.csv": as_csv(content), "atlas.json": json_text(content, indent=2) + "\n"}
    written, pictures = [output / name for name in texts], [output / "atlas.png", output / "atlas.svg"]
    with Replacements() as new:
        for name, text in texts.items():
            with new.file(output_file(output / name)) as file:
                file.write(text.encode())
        if not no_plot:
            from tictactoe.figures.rules_figure import rules_figure
            from tictactoe.figures.style import save_figure

            values = {str(f.rules): {s: found.value for s, found in f.match.values.items()} for f in atlas}
            figure = rules_figure(atlas[0].match.winning_score, values)
            for path in pictures:
                save_figure(figure, path, new)
            written += pictures
        new.remove(pictures)
    return written


main = partial(run, command)
