"""A comparison's progress and its tables."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tictactoe.algorithms.convergence import THRESHOLDS, Overall, Reached, Spread, Summary, by_threshold
from tictactoe.algorithms.measured_run import Measurement, Run, Trial
from tictactoe.match.percentages import POINTS, brief, percentage_points
from tictactoe.number_text import counted, duration
from tictactoe.solving.cluster import Cluster
from tictactoe.solving.comparison_run import ComparedGame, ComparedRuns

from ..options.workers import Workers
from ..program import say
from ..progress import StatusLine
from .report import Table, print_table, print_tables


class ComparisonProgress(StatusLine):
    """The progress of a comparison. If there is no terminal, it prints a line for every finished run, too."""

    def __init__(self, in_match_value: bool, cluster: Cluster | None, quiet: bool) -> None:
        super().__init__("starting{cluster}", cluster, seconds=10.0, quiet=quiet)
        self._num_runs = self._num_before = self._num_ended = 0
        self._in_match_value = in_match_value
        self._round = ""
        self._began = None if cluster is None else time.monotonic()

    def begins(self, num_runs: int, num_before: int, samples: bool) -> None:
        self._num_runs, self._num_before, self._num_ended = num_runs, num_before, num_before
        if num_before:
            self.print(f"continuing: {num_before} of {counted(num_runs, 'run')} are finished")
        if self._cluster is None:
            self.starting(samples=samples)

    def round_begins(self, name: str) -> None:
        self._round = f"{name}, " if name else ""

    def __call__(self, trial: Trial, measurement: Measurement) -> None:
        self._began = self._began or time.monotonic()  # compiling is over
        number = f"({self._num_ended + 1} of {self._num_runs})"
        self.set(f"{self._name(trial)} {number}: {self._state(measurement)}{self._left()}")

    def run_ended(self, ended: Run) -> None:
        self._num_ended += 1
        number = f"({self._num_ended} of {self._num_runs})"
        self.print(f"finished {self._name(ended.trial)} {number}: {self._state(ended.measurements[-1])}{self._left()}")

    def _name(self, trial: Trial) -> str:
        seed = "" if trial.seed is None else f", seed {trial.seed}"
        perturbation = f", perturbation {trial.perturbation}" if trial.perturbation else ""
        return f"{self._round}{trial.contender.label}{seed}{perturbation}"

    def _state(self, measurement: Measurement) -> str:
        exploitability = measurement.average_exploitability
        return (
            f"{{elapsed}} elapsed{{cluster}}, {counted(measurement.iteration, 'iteration')}, "
            f"{measurement.nodes:.1e} nodes, "
            f"exploitability {brief(exploitability) if self._in_match_value else f'{exploitability:.1e}'}"
        )

    def _left(self) -> str:
        left = self._num_runs - self._num_ended
        num_new = self._num_ended - self._num_before
        if self._began is None or not num_new or not left:
            return ""
        return f", about {duration((time.monotonic() - self._began) / num_new * left)} to go"


def print_round(summaries: Sequence[Summary], compared: ComparedGame, workers: Workers) -> None:
    """Print two tables about a round: the final results, and the effort to reach given exploitabilities."""
    several, in_match_value = any(each.num_runs > 1 for each in summaries), compared.in_match_value

    def points(exploitability: Spread) -> str | None:
        return f"{percentage_points(exploitability.median):.1e}" if in_match_value else None

    rows = [
        (
            *(each.label, str(each.num_runs), f"{each.iterations:,.0f}", f"{each.nodes:.2e}", f"{each.histories:.2e}"),
            f"{each.seconds:.2f}",
            f"{each.average_exploitability.median:.2e}",
            (_quartiles(each.average_exploitability) if each.num_runs > 1 else "") if several else None,
            f"{each.average_exploitability.worst:.1e}" if several else None,
            points(each.average_exploitability),
            f"{each.current_exploitability.median:.2e}",
            points(each.current_exploitability),
        )
        for each in summaries
    ]
    average, current = "average, points", "current, points"
    headings = ["algorithm", "runs", "iterations", "nodes", "histories", "seconds", "average"]
    values = "in payoff"
    if in_match_value:
        values = f"in match value (-1 to 1), and in {POINTS}"
    explanation = (
        f"average, current: exploitability of the average and of the current strategy at the end, {values}. nodes: "
        f"decision nodes that the updates visited. histories: each visit counted once for every pair of "
        f"{compared.hidden} that it covers. seconds: time of the updates alone."
    )
    if workers.jobs is not None and workers.jobs > 1:
        explanation += f" {workers.jobs} runs at a time slowed each other down; each took longer than it would alone."
    if workers.cluster is not None:
        explanation += " The workers of a cluster may differ and slow each other down, which affects the seconds."
    if several:
        explanation += (
            " Medians over the runs; 25 % to 75 %: the range of their middle half; worst: the worst of all runs."
        )
    headings += ["25 % to 75 %", "worst", average, "current", current]
    ends = Table(headings, rows, explanation, (current, "histories", average, "runs"))
    reached = [[each.label, *(_reached(each.reached[limit]) for limit in THRESHOLDS)] for each in summaries]
    explanation = (
        "Iterations / nodes touched when the exploitability of the average strategy was first measured at or below the "
        "number at the top; -: not within the budget."
    )
    print_tables(ends, Table(["algorithm", *by_threshold(dict.fromkeys(THRESHOLDS))], reached, explanation))


def print_comparison(ended: ComparedRuns, workers: Workers) -> None:
    for (each, _), summaries in zip(ended.compared, ended.summaries, strict=True):
        if len(ended.compared) > 1:
            say(f"{each.title}:")
        print_round(summaries, each, workers)
        if len(ended.compared) > 1:
            print()
    if ended.overall:
        print_overall(ended.overall)


def print_overall(overall: Sequence[Overall]) -> None:
    num_games = overall[0].num_games
    headings = ["algorithm", "first", "median", "25 % to 75 %", "best", "worst", "worst run"]
    headings += [f"to {limit}" for limit in by_threshold(overall[0].num_reached)]
    rows = [
        (
            *(each.label, str(each.num_first), f"{each.exploitability.median:.1e}", _quartiles(each.exploitability)),
            *(f"{each.best:.1e}", f"{each.worst:.1e}", f"{each.worst_run:.1e}", *map(str, each.num_reached.values())),
        )
        for each in overall
    ]
    explanation = (
        "Exploitability of the average strategy at the end, in match value; for each score, the median over the runs. "
        f"first: the number of the {num_games} scores at which the algorithm is best. worst run: over all runs at all "
        "scores. to 1e-06: the number of scores at which more than half of the runs reached that."
    )
    say(f"Over all {num_games} scores:")
    print_table(headings, rows, explanation, ("best", "worst run"))


def _quartiles(spread: Spread) -> str:
    return f"{spread.lower_quartile:.1e} to {spread.upper_quartile:.1e}"


def _reached(reached: Reached | None) -> str:
    return "-" if reached is None else f"{reached.iterations:,.0f} / {reached.nodes:.1e}"
