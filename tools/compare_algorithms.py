"""compare-algorithms: how fast algorithms converge on one round."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.games.rules import Rules, by_rules

from .shared.parameters import Count, Number, directory_option, json_option
from .shared.program import SETTINGS, CommandError, run, say, stop_on_signals
from .shared.progress import StatusLine, brief
from .shared.solving_options import ChosenRound, FoundRound, round_options
from .shared.words import counted

if TYPE_CHECKING:
    from tictactoe.algorithms.convergence import Budget, Measurement, Reached, Run, Summary
    from tictactoe.algorithms.update_rules import UpdateRule
    from tictactoe.games.goals import OutcomeValues

UNITS = ("iterations", "nodes", "seconds")  # a test holds them to tictactoe.algorithms.convergence.Unit
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
        amount, unit = Number(0.0, LARGEST_BUDGET, above_least=True).convert(match[1], param, ctx), _SUFFIXES[match[2]]
        if unit == "iterations" and amount != int(amount):
            self.fail(f"{match[1]} is not a whole number of iterations", param, ctx)
        return amount, unit


@click.command(context_settings=SETTINGS)
@click.option(
    "--algorithm",
    "--algorithms",
    "algorithms",
    multiple=True,
    metavar="NAME,NAME,...",
    help="What to compare; may be given more than once.  [default: every algorithm there is]",
)
@round_options
@click.option(
    "--budget",
    type=BudgetType(),
    default="5e7nodes",
    show_default=True,
    metavar="AMOUNT[UNIT]",
    help="How long every run is: 2000 or 2000iterations, 5e7nodes (touched), or 20s (of updates).",
)
@click.option(
    "--seeds",
    type=Count(1, 1000),
    default=5,
    show_default=True,
    help="Runs of every algorithm that draws random numbers.",
)
@directory_option(
    "-o", "--output", "comparison", "Directory for comparison.csv, .png and .svg; earlier ones are replaced."
)
@click.option(
    "--against",
    type=click.Choice(UNITS),
    multiple=True,
    help="What the picture shows exploitability against; may be given more than once.  [default: all three]",
)
@click.option("--no-plot", is_flag=True, help="No pictures; works without matplotlib.")
@click.option("--quiet", is_flag=True, help="No progress and no table: nothing but errors.")
@json_option
def command(
    algorithms: tuple[str, ...],
    chosen: ChosenRound,
    budget: tuple[float, str],
    seeds: int,
    output: Path,
    against: tuple[str, ...],
    no_plot: bool,
    quiet: bool,
    as_json: bool,
) -> None:
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
    update_rules = _update_rules(algorithms)
    from tictactoe.errors import Interrupted, MissingPlotsError
    from tictactoe.figures.style import require_plots

    if not no_plot:
        try:
            require_plots()
        except MissingPlotsError as error:
            raise CommandError(f"{error}; or leave the pictures out with --no-plot") from error
    found = chosen.found()
    rules, values, winning_score = found
    from tictactoe.algorithms.convergence import Budget, Unit, as_csv, summarize
    from tictactoe.storage.safe_files import replacing_output

    limit = Budget(budget[0], Unit(budget[1]))
    output.mkdir(parents=True, exist_ok=True)  # before the runs, so that a name that cannot be used is not found after
    runs, interrupted = _run(update_rules, found, limit, seeds, quiet)
    written = []
    if runs:
        written.append(output / "comparison.csv")
        with replacing_output(written[0]) as file:
            file.write(as_csv(runs).encode())
        if not no_plot:
            title = _title(rules, values, chosen.score, winning_score)
            units = [unit for unit in Unit if not against or unit.value in against]
            written += _draw(runs, units, title, winning_score is not None, output)
    if interrupted:
        raise Interrupted(
            f"the runs that had ended are in {output}" if runs else "no run had ended, nothing is written"
        )
    summaries = summarize(runs)
    if as_json:
        content = {
            "rules": str(rules),
            "outcome_values": values._asdict(),
            "score": None if chosen.score is None else list(chosen.score),
            "winning_score": winning_score,
            "budget": {"amount": limit.amount, "unit": limit.unit.value},
            **_as_dict(summaries, runs, winning_score is not None),
            "files": [str(path) for path in written],
        }
        print(json.dumps(content, indent=2))
    elif not quiet:
        _print(summaries, winning_score is not None)
        say(f"written: {', '.join(map(str, written))}")


def _update_rules(algorithms: tuple[str, ...]) -> list[UpdateRule]:
    from tictactoe.algorithms.update_rules import ALGORITHMS, update_rule

    names = [name.strip() for item in algorithms for name in item.split(",")] if algorithms else list(ALGORITHMS)
    for name in names:
        if name not in ALGORITHMS:
            raise click.UsageError(f"--algorithm: unknown {name[:40]!r}; known: {', '.join(ALGORITHMS)}")
    return [update_rule(name) for name in dict.fromkeys(names)]


def _run(
    update_rules: Sequence[UpdateRule], found: FoundRound, budget: Budget, num_seeds: int, quiet: bool
) -> tuple[list[Run], bool]:
    """The runs that came to an end, and whether that was by an interruption."""
    runs: list[Run] = []
    with stop_on_signals() as stop:
        from tictactoe.algorithms.convergence import compare_algorithms
        from tictactoe.errors import Interrupted
        from tictactoe.games.tic_tac_toe import tic_tac_toe_round
        from tictactoe.games.tic_tac_toe_tree import GameTree

        num_runs = sum(num_seeds if rule.samples else 1 for rule in update_rules)
        progress = _Progress(num_runs, found.winning_score is not None, quiet)
        game = tic_tac_toe_round(GameTree.build(found.rules), found.outcome_values)
        try:
            with progress.showing():
                progress.starting(samples=update_rules[0].samples)
                found_runs = compare_algorithms(
                    game, update_rules, budget, num_seeds=num_seeds, observer=progress, stop=stop
                )
                for each in found_runs:
                    runs.append(each)
                    progress.run_ended(each)
        except Interrupted:
            return runs, True
    return runs, False


def _draw(runs: Sequence[Run], units: Sequence[Any], title: str, in_match_value: bool, output: Path) -> list[Path]:
    from tictactoe.figures.algorithms_figure import algorithms_figure
    from tictactoe.figures.style import save_figure

    figure = algorithms_figure(runs, units, title, in_match_value=in_match_value)
    paths = [output / "comparison.png", output / "comparison.svg"]
    for path in paths:
        save_figure(figure, path)
    return paths


def _title(rules: Rules, values: OutcomeValues, score: tuple[int, int] | None, winning_score: int | None) -> str:
    from tictactoe.games.goals import SINGLE_ROUND

    by = by_rules(rules)
    if score is not None:
        return f"The round at {score[0]}-{score[1]} of a match to {winning_score}{by}"
    if values == SINGLE_ROUND:
        return f"A round on its own{by}"
    shown = " ".join(f"{value:g}" for value in values)
    return f"A round with outcome values {shown} (both score, first, second, neither){by}"


class _Progress(StatusLine):
    """How far the present run is; elsewhere than on a terminal also a line for every run that has ended."""

    def __init__(self, num_runs: int, in_match_value: bool, quiet: bool) -> None:
        super().__init__("starting", seconds=10.0, quiet=quiet)
        self._num_runs = num_runs
        self._in_match_value = in_match_value
        self._num_ended = 0

    def __call__(self, algorithm: str, seed: int | None, measurement: Measurement) -> None:
        number = f"({self._num_ended + 1} of {self._num_runs})"
        self.set(f"{_run_name(algorithm, seed)} {number}: {self._state(measurement)}")

    def run_ended(self, ended: Run) -> None:
        self._num_ended += 1
        state = self._state(ended.measurements[-1])
        self.print(f"ended {_run_name(ended.algorithm, ended.seed)} ({self._num_ended} of {self._num_runs}): {state}")

    def _state(self, measurement: Measurement) -> str:
        exploitability = measurement.average_exploitability
        return (
            f"{{elapsed}} elapsed, {counted(measurement.iteration, 'iteration')}, {measurement.nodes:.1e} nodes, "
            f"exploitability {brief(exploitability) if self._in_match_value else f'{exploitability:.1e}'}"
        )


def _run_name(algorithm: str, seed: int | None) -> str:
    return algorithm if seed is None else f"{algorithm}, seed {seed}"


def _print(summaries: Sequence[Summary], in_match_value: bool) -> None:
    from tictactoe.algorithms.convergence import THRESHOLDS
    from tictactoe.match.percentages import percentage_points

    from .shared.report import print_table

    def percentages(*exploitabilities: float) -> tuple[str, ...]:
        return tuple(f"{percentage_points(each):.1e} %" for each in exploitabilities) if in_match_value else ()

    headings = ["algorithm", "runs", "iterations", "nodes", "seconds", "average", "current"]
    unit = "in the unit of the outcome values"
    if in_match_value:
        headings[6:6], headings[8:8] = ["average, matches"], ["current, matches"]
        unit = "in match value (-1 to 1) and in percentage points of matches won"
    rows = [
        (
            each.algorithm,
            str(each.num_runs),
            f"{each.iterations:,.0f}",
            f"{each.nodes:.2e}",
            f"{each.seconds:.2f}",
            f"{each.average_exploitability:.2e}",
            *percentages(each.average_exploitability),
            f"{each.current_exploitability:.2e}",
            *percentages(each.current_exploitability),
        )
        for each in summaries
    ]
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


def _as_dict(summaries: Sequence[Summary], runs: Sequence[Run], in_match_value: bool) -> dict[str, Any]:
    from tictactoe.match.percentages import percentage_points

    algorithms = []
    for each in summaries:
        entry = asdict(each)
        entry["reached"] = {f"{limit:.0e}": reached for limit, reached in entry["reached"].items()}
        if in_match_value:
            for name in ("average_exploitability", "current_exploitability"):
                entry[f"{name}_percentage_points"] = percentage_points(entry[name])
        algorithms.append(entry)
    return {"algorithms": algorithms, "runs": [asdict(each) for each in runs]}


main = partial(run, command)
