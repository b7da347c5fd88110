"""The verb compare-algorithms."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import tictactoe
from tictactoe.errors import ClusterError, TicTacToeError

from ..options.common import (
    directory_option,
    for_paper_option,
    json_option,
    quiet_option,
    require_plots,
    restart_option,
)
from ..options.game_option import ROUND_OPTIONS, game_option, refuse_beside_game
from ..options.parameters import NAME, SCORE, Count, Number, Reader, shortened
from ..options.rules_options import WantedRules, rules_option
from ..options.solving_options import (
    algorithms_from_option,
    errors_of_options,
    outcome_values_option,
    round_of,
    values_from_option,
)
from ..options.workers import Workers, connected, followed, workers_options
from ..program import CommandError, Program, print_json, say, shown_path

if TYPE_CHECKING:
    from tictactoe.games.named_games import NamedGame
    from tictactoe.solving import comparison_run

BUDGET_UNITS = ("iterations", "nodes", "histories", "seconds")  # a test compares them with measured_run.Unit
_SUFFIXES = {"": "iterations", "s": "seconds"} | {unit: unit for unit in BUDGET_UNITS}
LARGEST_BUDGET = 1e15
USUAL_SEEDS = 5


def read_budget(text: str) -> tuple[float, str]:
    """Read an amount with its unit: 2000, 2000iterations, 5e7nodes, 1e9histories, 20s or 20seconds. Raises
    ValueError."""
    match = re.fullmatch(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([a-z]*)\s*", text, re.ASCII)
    if match is None or match[2] not in _SUFFIXES:
        raise ValueError(f"{shortened(text)} is not a number followed by iterations, nodes, histories or s")
    amount, unit = Number(0.0, LARGEST_BUDGET, above_least=True).convert(match[1], None, None), _SUFFIXES[match[2]]
    if unit == "iterations" and amount != int(amount):
        raise ValueError(f"{match[1]} must be a whole number of iterations")
    return amount, unit


@click.command(cls=Program)
@click.option(
    "--algorithm",
    "--algorithms",
    "algorithms",
    type=NAME,
    multiple=True,
    metavar="ITEM,ITEM,...",
    help="Algorithms to compare, each [LABEL=]NAME[(PARAMETER=VALUE,...)]. The parameter simultaneous makes both "
    "players' updates see the old strategies. May be given more than once.  [default: every algorithm]",
)
@algorithms_from_option
@rules_option("three-in-a-row, or those of --values-from")
@outcome_values_option()
@click.option(
    "--score",
    "scores",
    type=Reader("score", lambda text: None if text == "all" else SCORE.convert(text, None, None)),
    multiple=True,
    metavar="A-B|all",
    help="Take the outcome values from a solved match: those of the round at this score (first mover's points first), "
    "or of all rounds, each on its own. May be given more than once; this makes a table for each, and one over all.",
)
@values_from_option
@game_option("Compare on another game instead")
@click.option(
    "--budget",
    type=Reader("budget", read_budget),
    default="5e7nodes",
    metavar="AMOUNT[UNIT]",
    help="Length of every run: 2000 or 2000iterations, 5e7nodes or 1e9histories (touched), or 20s (spent in updates).",
)
@click.option(
    "--perturbations",
    type=Count(1, 1000),
    default=1,
    help="Runs of every algorithm: one on the round itself, the others with the last bits of the outcome values "
    "changed. The tables show medians and quartiles.",
)
@click.option(
    "--seeds",
    type=Count(1, 1000),
    help="Runs of every algorithm that draws random numbers.  [default: 5, or as many as --perturbations]",
)
@workers_options("Runs at a time. The results are the same, but the runs slow each other down.  [default: 1]")
@directory_option("comparison", "Directory for comparison.csv, comparison.json and pictures.")
@restart_option
@click.option(
    "--against",
    type=click.Choice(BUDGET_UNITS),
    multiple=True,
    help="Horizontal axis of the pictures of exploitability; may be given more than once.  [default: all; histories "
    "only if an algorithm samples, because otherwise they are proportional to nodes]",
)
@click.option("--no-plot", is_flag=True, help="Draw no pictures; matplotlib is then not needed.")
@for_paper_option("Also write comparison.tex, and the pictures as PDF, for a paper.")
@quiet_option()
@json_option
def command(
    algorithms: tuple[str, ...],
    algorithms_from: tuple[str, ...],
    rules: WantedRules,
    outcome_values: tuple[float, ...] | None,
    scores: tuple[tictactoe.Score | None, ...],
    values_from: Path | None,
    game: NamedGame | None,
    budget: tuple[float, str],
    perturbations: int,
    seeds: int | None,
    workers: Workers,
    output: Path,
    restart: bool,
    against: tuple[str, ...],
    no_plot: bool,
    for_paper: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Run algorithms on one round, or on another game, and compare how fast their exploitability falls.

    Without options, all algorithms run on a single round until each has touched 50 million nodes. Exploitability is
    measured about ten times for every factor of ten of the budget. The command prints a table and writes every
    measurement as CSV, the settings and the table as JSON, and a picture with logarithmic axes.

    Nodes touched are the visits of an algorithm's updates to decision nodes of the public tree; skipped nodes do not
    count. Histories touched are the visits times the number of pairs of goals in each: nine for a full-width algorithm,
    one for a sampling algorithm, three if it draws only the opponent's goal. Compiling and measuring count neither as
    nodes nor as seconds. Press Ctrl-C to stop: finished runs are kept, and the same command continues with the others.

    Rounding decides between equally good moves, which makes the last digits of a result random. With --perturbations
    20, you see how much they vary.

    \b
    tictactoe compare-algorithms
    tictactoe compare-algorithms --algorithms dcfr,cfr --score 4-3 --values-from shipped --budget 500
    tictactoe compare-algorithms --algorithms 'cfr+, slow=dcfr(discount_alpha=1, simultaneous)'
    tictactoe compare-algorithms --algorithms-from my_rule.py --algorithms 'cfr+, x=my-rule(share=1)'
    tictactoe compare-algorithms --score all --values-from shipped --perturbations 20 --jobs 4
    tictactoe compare-algorithms --score all --values-from shipped --cluster local:4
    tictactoe compare-algorithms --game leduc --budget 2000
    tictactoe compare-algorithms --budget 20s --against seconds -o by_time/
    """
    from tictactoe.algorithms import user_code
    from tictactoe.figures import comparison_files
    from tictactoe.solving import comparison_run

    from ..reports import comparison_report

    with errors_of_options():
        new = user_code.load_rules(algorithms_from) if algorithms_from else []
    if workers.cluster is not None:
        user_code.send_modules_of(algorithms_from)
    contenders = _contenders(algorithms, [*tictactoe.ALGORITHMS, *new])
    if no_plot and against:
        raise click.UsageError("--against applies to pictures, and --no-plot leaves them out")
    if seeds is not None and not any(contender.rule.samples for contender in contenders):
        raise click.UsageError("--seeds: none of these algorithms draws random numbers; see --perturbations")
    num_seeds = seeds or (perturbations if perturbations > 1 else USUAL_SEEDS)
    run_length = tictactoe.Budget(budget[0], tictactoe.Unit(budget[1]))
    plan = comparison_run.ComparisonPlan(contenders, run_length, num_seeds, perturbations)
    require_plots(not no_plot, "leave out the pictures with --no-plot")
    rounds = [_described(game)] if game is not None else _rounds(outcome_values, scores, values_from, rules)
    units = [] if no_plot else _units(against, contenders)
    files = comparison_files.ComparisonFiles(output, units, for_paper)
    started = time.monotonic()
    with (
        files.prepared(plan.about(rounds, algorithms_from), restart) as journal,
        connected(workers.cluster, quiet=quiet) as cluster,
    ):
        progress = comparison_report.ComparisonProgress(rounds[0].in_match_value, cluster, quiet)
        with followed(progress, tictactoe.RunControl(cluster or workers.jobs or 1)) as control:
            ended = comparison_run.compare_on_rounds(plan, rounds, journal, control)
        # Report before closing the cluster, which takes time.
        if not ended.compared:
            nothing = tictactoe.Interrupted("no run had finished; nothing was written")
            raise ended.stopped if isinstance(ended.stopped, ClusterError) else nothing
        record = comparison_run.comparison_as_dict(
            plan,
            ended,
            jobs=workers.jobs or 1,
            cluster=workers.cluster,
            seconds=time.monotonic() - started,
            rules_of_user=algorithms_from,
        )

        def show(written: Sequence[Path]) -> None:
            if as_json:
                _print_json(record, ended.compared, written)
            elif not quiet:
                comparison_report.print_comparison(ended, workers)
                if written:
                    say(f"written: {', '.join(map(shown_path, written))}")

        try:
            written = files.write(ended.compared, record)
        except (OSError, TicTacToeError):  # the results of hours must still be printed
            if ended.stopped is None:
                show([])
            raise
        if isinstance(ended.stopped, ClusterError):
            raise CommandError(f"{ended.stopped}; the finished runs are in {output}") from ended.stopped
        if ended.stopped is not None:
            raise tictactoe.Interrupted(f"the finished runs are in {output}; the same command continues")
        show(written)
        journal.remove()


def _contenders(texts: Sequence[str], known: Sequence[str]) -> list[tictactoe.Contender]:
    from tictactoe.algorithms import measured_run as comparing

    try:
        return comparing.distinct([each for text in texts or known for each in comparing.parse_contenders(text)])
    except ValueError as error:
        problem = str(error).removeprefix("algorithm: ").removeprefix("label: ")
        raise click.UsageError(f"--algorithm: {problem}") from error


def _described(game: NamedGame) -> comparison_run.ComparedGame:
    from tictactoe.solving import comparison_run

    refuse_beside_game(ROUND_OPTIONS)
    if game.has_one_player:
        raise click.UsageError("--game: this is a game of one player against chance; game solve solves it exactly")
    return comparison_run.compared_game(game)


def _rounds(
    outcome_values: tuple[float, ...] | None,
    scores: Sequence[tictactoe.Score | None],
    values_from: Path | None,
    rules: WantedRules,
) -> Sequence[comparison_run.ComparedGame]:
    from tictactoe.match.scores import all_scores
    from tictactoe.solving import comparison_run

    if None in scores:
        if values_from is None:
            raise click.UsageError("--score all requires --values-from")
        scores = list(all_scores(tictactoe.load_solution(values_from).winning_score))
    return [
        comparison_run.compared_round(*round_of(outcome_values, score, values_from, rules), score)
        for score in dict.fromkeys(scores or [None])
    ]


def _units(against: Sequence[str], contenders: Sequence[tictactoe.Contender]) -> list[tictactoe.Unit]:
    samples = any(contender.rule.samples for contender in contenders)
    return [
        unit
        for unit in tictactoe.Unit
        if (unit in against if against else unit is not tictactoe.Unit.HISTORIES or samples)
    ]


def _print_json(record: dict[str, Any], compared: comparison_run.Compared, written: Sequence[Path]) -> None:
    from tictactoe.solving import comparison_run

    for each, (_, runs) in zip(record["rounds"], compared, strict=True):
        each["runs"] = [comparison_run.run_as_dict(run) for run in runs]
    print_json(record | {"files": list(map(str, written))})
