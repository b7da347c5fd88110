"""compare-algorithms: how fast algorithms converge on one round."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import (
    EXIT_INTERRUPTED,
    CommandError,
    Count,
    Directory,
    Number,
    live_console,
    run,
    say,
    stop_on_signals,
)
from .options import outcome_options, outcome_values_from

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from tictactoe.comparison import Budget, Measurement, Reached, Run, Summary
    from tictactoe.match import OutcomeValues
    from tictactoe.rules import UpdateRule

SECONDS_BETWEEN_LINES = 10.0
UNITS = ("iterations", "nodes", "seconds")  # a test holds them to tictactoe.comparison.Unit
_SUFFIXES = {"": "iterations", "iterations": "iterations", "nodes": "nodes", "s": "seconds", "seconds": "seconds"}
LARGEST_BUDGET = 1e15


class BudgetType(click.ParamType):
    """An amount with its unit, as text: 2000, 2000iterations, 5e7nodes, 20s or 20seconds."""

    name = "budget"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, str]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-z]*)\s*", str(value), re.ASCII)
        if match is None or match[2] not in _SUFFIXES:
            shown = str(value) if len(str(value)) <= 40 else f"{str(value)[:37]}..."
            self.fail(f"{shown!r} is not a number followed by iterations, nodes or s", param, ctx)
        amount, unit = Number(above=0.0, most=LARGEST_BUDGET).convert(match[1], param, ctx), _SUFFIXES[match[2]]
        if unit == "iterations" and amount != int(amount):
            self.fail(f"{match[1]} is not a whole number of iterations", param, ctx)
        return amount, unit


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.option(
    "--algorithm", "--algorithms", "algorithms", multiple=True, metavar="NAME,NAME,...",
    help="What to compare; may be given more than once.  [default: every algorithm there is]",
)
@outcome_options
@click.option(
    "--budget", type=BudgetType(), default="5e7nodes", show_default=True, metavar="AMOUNT[UNIT]",
    help="How long every run is: 2000 or 2000iterations, 5e7nodes (touched), or 20s (of updates).",
)
@click.option(
    "--seeds", type=Count(1, 1000), default=5, show_default=True,
    help="Runs of every algorithm that draws random numbers.",
)
@click.option(
    "-o", "--output", type=Directory(), default=Path("comparison"), show_default=True,
    help="Directory for comparison.csv, .png and .svg; earlier ones are replaced.",
)
@click.option(
    "--against", type=click.Choice(UNITS), multiple=True,
    help="What the picture shows exploitability against; may be given more than once.  [default: all three]",
)
@click.option("--no-plot", is_flag=True, help="No pictures; works without matplotlib.")
@click.option("--quiet", is_flag=True, help="No progress and no table: nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")
def command(
    algorithms: tuple[str, ...], outcome_values: tuple[float, ...] | None, score: tuple[int, int] | None,
    values_from: Path | None, budget: tuple[float, str], seeds: int, output: Path, against: tuple[str, ...],
    no_plot: bool, quiet: bool, as_json: bool,
) -> int:  # fmt: skip
    """Run algorithms on one round and compare how fast their strategies get unexploitable.

    Without options: all algorithms on a single round, until each has touched 50 million nodes. Exploitability is
    measured about ten times for every factor of ten of the budget. Prints a table; writes every measurement as CSV,
    and a picture with logarithmic axes.

    Nodes touched are the decision nodes of the public tree that an algorithm's updates have visited. A full-width
    method works on all three goals of the mover in one visit, a sampling method on the one that was drawn; what an
    algorithm skips is not touched. Compiling and measuring count neither as nodes nor as seconds.

    \b
    compare-algorithms
    compare-algorithms --algorithms dcfr,pdcfr+ --score 4 3 --values-from my_solution/ --budget 2000
    compare-algorithms --budget 20s --against seconds -o by_time/
    """
    rules = _rules(algorithms)
    from tictactoe.plots import MissingPlotsError, require_plots

    if not no_plot:
        try:
            require_plots()
        except MissingPlotsError as error:
            raise CommandError(f"{error}; or leave the pictures out with --no-plot") from error
    values, winning_score = outcome_values_from(outcome_values, score, values_from)
    from tictactoe.comparison import Budget, Unit, summarize, write_csv

    chosen = Budget(budget[0], Unit(budget[1]))
    output.mkdir(parents=True, exist_ok=True)  # before the runs, so that a name that cannot be used is not found after
    runs, interrupted = _run(rules, values, winning_score is not None, chosen, seeds, quiet)
    written = []
    if runs:
        written.append(output / "comparison.csv")
        write_csv(written[0], runs)
        if not no_plot:
            title = _title(values, score, winning_score)
            units = [unit for unit in Unit if not against or unit.value in against]
            written += _draw(runs, units, title, winning_score is not None, output)
    if interrupted:
        saved = f"the runs that had ended are in {output}" if runs else "no run had ended, nothing is written"
        print(f"compare-algorithms: interrupted; {saved}", file=sys.stderr)
        return EXIT_INTERRUPTED
    summaries = summarize(runs)
    if as_json:
        print(json.dumps(_as_dict(summaries, runs, values, score, winning_score, chosen, written), indent=2))
    elif not quiet:
        _print(summaries, winning_score is not None)
        say(f"written: {', '.join(map(str, written))}")
    return 0


def _rules(algorithms: tuple[str, ...]) -> list[UpdateRule]:
    from tictactoe.rules import ALGORITHMS, update_rule

    names = [name.strip() for item in algorithms for name in item.split(",")] if algorithms else list(ALGORITHMS)
    for name in names:
        if name not in ALGORITHMS:
            raise click.UsageError(f"--algorithm: unknown {name[:40]!r}; known: {', '.join(ALGORITHMS)}")
    return [update_rule(name) for name in dict.fromkeys(names)]


def _run(
    rules: Sequence[UpdateRule], values: OutcomeValues, in_match_value: bool, budget: Budget, num_seeds: int,
    quiet: bool,
) -> tuple[list[Run], bool]:  # fmt: skip
    """The runs that came to an end, and whether that was by an interruption."""
    runs: list[Run] = []
    with stop_on_signals() as stop:
        from tictactoe.comparison import compare_algorithms
        from tictactoe.directory import Interrupted
        from tictactoe.game import tic_tac_toe_round
        from tictactoe.tree import GameTree

        num_runs = sum(num_seeds if rule.samples else 1 for rule in rules)
        progress = _Progress(num_runs, in_match_value, None if quiet else live_console(), quiet)
        game = tic_tac_toe_round(GameTree.build(), values)
        try:
            with progress.showing():
                for each in compare_algorithms(game, rules, budget, num_seeds=num_seeds, observer=progress, stop=stop):
                    runs.append(each)
                    progress.run_ended(each)
        except Interrupted:
            return runs, True
    return runs, False


def _draw(runs: Sequence[Run], units: Sequence[Any], title: str, in_match_value: bool, output: Path) -> list[Path]:
    from tictactoe.comparison_plots import comparison_figure
    from tictactoe.plots import save_figure

    figure = comparison_figure(runs, units, title, in_match_value=in_match_value)
    paths = [output / "comparison.png", output / "comparison.svg"]
    for path in paths:
        save_figure(figure, path)
    return paths


def _title(values: OutcomeValues, score: tuple[int, int] | None, winning_score: int | None) -> str:
    from tictactoe.match import SINGLE_ROUND

    if score is not None:
        return f"The round at {score[0]}-{score[1]} of a match to {winning_score}"
    if values == SINGLE_ROUND:
        return "A round on its own"
    shown = " ".join(f"{value:g}" for value in values)
    return f"A round with outcome values {shown} (both score, first, second, neither)"


class _Progress:
    """One line on standard error: redrawn on a terminal, printed now and then, and after every run, elsewhere."""

    def __init__(self, num_runs: int, in_match_value: bool, console: Console | None, quiet: bool) -> None:
        self._num_runs = num_runs
        self._in_match_value = in_match_value
        self._num_ended = 0
        self._console = console
        self._quiet = quiet
        self._line = "compiling"
        self._started = self._printed = time.monotonic()

    def showing(self) -> contextlib.AbstractContextManager[None]:
        """Shows the line for as long as the block runs, where it can be redrawn."""
        from .progress import redrawn

        return redrawn(self._console, self._as_text)

    def _as_text(self) -> Text:
        from rich.text import Text

        return Text(self._line, overflow="ellipsis", no_wrap=True)

    def __call__(self, algorithm: str, seed: int | None, measurement: Measurement) -> None:
        number = f"({self._num_ended + 1} of {self._num_runs})"
        self._line = f"{_run_name(algorithm, seed)} {number}: {self._state(measurement)}"
        if time.monotonic() - self._printed >= SECONDS_BETWEEN_LINES:
            self._print(self._line)

    def run_ended(self, ended: Run) -> None:
        self._num_ended += 1
        state = self._state(ended.measurements[-1])
        self._print(f"ended {_run_name(ended.algorithm, ended.seed)} ({self._num_ended} of {self._num_runs}): {state}")

    def _state(self, measurement: Measurement) -> str:
        from .progress import brief, duration

        exploitability = measurement.average_exploitability
        return (
            f"{duration(time.monotonic() - self._started)} elapsed, {measurement.iteration:,} iterations, "
            f"{measurement.nodes:.1e} nodes, exploitability "
            f"{brief(exploitability) if self._in_match_value else f'{exploitability:.1e}'}"
        )

    def _print(self, line: str) -> None:
        if self._console is None and not self._quiet:
            self._printed = time.monotonic()
            print(line, file=sys.stderr, flush=True)


def _run_name(algorithm: str, seed: int | None) -> str:
    return algorithm if seed is None else f"{algorithm}, seed {seed}"


def _print(summaries: Sequence[Summary], in_match_value: bool) -> None:
    from tictactoe.comparison import THRESHOLDS

    from .report import percentage_points, print_table

    def percentages(*exploitabilities: float) -> tuple[str, ...]:
        return tuple(f"{percentage_points(each):.1e} %" for each in exploitabilities) if in_match_value else ()

    headings = ["algorithm", "runs", "iterations", "nodes", "seconds", "average", "current"]
    unit = "in the unit of the outcome values"
    if in_match_value:
        headings[6:6], headings[8:8] = ["average, matches"], ["current, matches"]
        unit = "in match value (-1 to 1) and in percentage points of matches won"
    rows = [
        (
            each.algorithm, str(each.num_runs), f"{each.iterations:,.0f}", f"{each.nodes:.2e}", f"{each.seconds:.2f}",
            f"{each.average_exploitability:.2e}", *percentages(each.average_exploitability),
            f"{each.current_exploitability:.2e}", *percentages(each.current_exploitability),
        )
        for each in summaries
    ]  # fmt: skip
    explanation = (
        f"average, current: exploitability of the average and of the current strategy at the end, {unit}. nodes: "
        "decision nodes visited by the updates. seconds: of the updates alone. Medians over the runs."
    )
    print_table(headings, rows, explanation, ("current, matches", "average, matches", "runs"))
    print()
    rows = [(each.algorithm, *(_reached(each.reached[limit]) for limit in THRESHOLDS)) for each in summaries]
    explanation = (
        "Iterations / nodes touched until the exploitability of the average strategy was first measured at or below "
        "the number above; -: not within the budget."
    )
    print_table(["algorithm", *(f"{limit:.0e}" for limit in THRESHOLDS)], rows, explanation)


def _reached(reached: Reached | None) -> str:
    return "-" if reached is None else f"{reached.iterations:,.0f} / {reached.nodes:.1e}"


def _as_dict(
    summaries: Sequence[Summary], runs: Sequence[Run], values: OutcomeValues, score: tuple[int, int] | None,
    winning_score: int | None, budget: Budget, written: Sequence[Path],
) -> dict[str, Any]:  # fmt: skip
    from .report import percentage_points

    algorithms = []
    for each in summaries:
        entry = asdict(each)
        entry["reached"] = {f"{limit:.0e}": reached for limit, reached in entry["reached"].items()}
        if winning_score is not None:
            for name in ("average_exploitability", "current_exploitability"):
                entry[f"{name}_percentage_points"] = percentage_points(entry[name])
        algorithms.append(entry)
    return {
        "outcome_values": values._asdict(),
        "score": None if score is None else list(score),
        "winning_score": winning_score,
        "budget": {"amount": budget.amount, "unit": budget.unit.value},
        "algorithms": algorithms,
        "runs": [asdict(each) for each in runs],
        "files": [str(path) for path in written],
    }


def main() -> None:
    """The program."""
    run(command)
