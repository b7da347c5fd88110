"""Comparisons in brief: a contender's median, quartiles and worst run, the same over several games, and all as CSV."""

from __future__ import annotations

import csv
import io
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np

from .measured_run import Run

THRESHOLDS = (1e-3, 1e-4, 1e-5, 1e-6)
"""Exploitabilities of the average strategy. A summary says what it took to reach each."""


@dataclass(frozen=True)
class Reached:
    """What it took until the average strategy's exploitability was first measured at or below a threshold."""

    iterations: float
    nodes: float
    histories: float
    seconds: float


@dataclass(frozen=True)
class Spread:
    """The median, the quartiles and the largest of some numbers: half of the numbers lie between the quartiles."""

    median: float
    lower_quartile: float
    upper_quartile: float
    worst: float
    """Of exploitabilities the largest is the worst."""


def spread(numbers: Sequence[float]) -> Spread:
    """The spread of one number or more; quartiles are interpolated.

    >>> spread([4.0, 1.0, 2.0, 3.0, 10.0])
    Spread(median=3.0, lower_quartile=2.0, upper_quartile=4.0, worst=10.0)
    """
    lower, median, upper, worst = np.percentile(np.asarray(numbers, np.float64), (25, 50, 75, 100)).tolist()
    return Spread(median, lower, upper, worst)


@dataclass(frozen=True)
class Summary:
    """The runs of a contender in brief, at their end.

    iterations, nodes, histories and seconds are medians over the runs.
    """

    label: str
    """The contender's name in tables and pictures."""
    algorithm: str
    """The contender's settings as text."""
    num_runs: int
    iterations: float
    nodes: float
    histories: float
    seconds: float
    average_exploitability: Spread
    current_exploitability: Spread
    reached: dict[float, Reached | None]
    """Medians by threshold; None unless more than half of the runs reached it."""


def summarize(runs: Sequence[Run]) -> list[Summary]:
    """A summary of every contender, in the order of the runs; runs of a contender stand together.

    >>> from tictactoe import Budget, Unit, compare_algorithms, kuhn_poker, planned_trials, summarize, update_rule
    >>> trials = planned_trials([update_rule("dcfr"), update_rule("pdcfr+")], num_perturbations=3)
    >>> runs = compare_algorithms(kuhn_poker(), trials, Budget(200, Unit.ITERATIONS))
    >>> for each in summarize(list(runs)):
    ...     print(each.label, each.num_runs, f"{each.average_exploitability.median:.0e}")
    dcfr 3 2e-03
    pdcfr+ 3 4e-09
    """
    return [_summary(label, list(group)) for label, group in groupby(runs, key=attrgetter("label"))]


def _summary(label: str, runs: list[Run]) -> Summary:
    ends = zip(*(astuple(run.measurements[-1]) for run in runs), strict=True)
    *used, average, current, _ = ends
    iterations, nodes, histories, seconds = (float(statistics.median(numbers)) for numbers in used)
    reached = {threshold: _reached(runs, threshold) for threshold in THRESHOLDS}
    spreads = spread(average), spread(current)
    return Summary(label, runs[0].algorithm, len(runs), iterations, nodes, histories, seconds, *spreads, reached)


def _reached(runs: list[Run], threshold: float) -> Reached | None:
    firsts = []
    for run in runs:
        there = (astuple(m)[:4] for m in run.measurements if m.average_exploitability <= threshold)
        firsts.append(next(there, (math.inf,) * 4))
    # Of two middle runs take the upper one: the median must be a run that reached the threshold.
    medians = [statistics.median_high(values) for values in zip(*firsts, strict=True)]
    return None if math.inf in medians else Reached(*medians)


@dataclass(frozen=True)
class Overall:
    """A contender over several games, one number per game: the median over the runs of the average's exploitability."""

    label: str
    exploitability: Spread
    """The spread of these numbers."""
    best: float
    """The smallest of them."""
    worst: float
    """The largest of them."""
    worst_run: float
    """The largest exploitability of any run."""
    num_games: int
    num_first: int
    """The games in which no contender has a smaller number."""
    num_reached: dict[float, int]
    """By threshold: the games in which more than half of the runs reached it."""


def over_all(games: Sequence[Sequence[Summary]]) -> list[Overall]:
    """Every contender over all games.

    games: the summaries of every game, of the same contenders in the same order.
    """
    medians = np.array([[each.average_exploitability.median for each in summaries] for summaries in games])
    first = medians == medians.min(axis=1, keepdims=True)
    return [
        Overall(
            summaries[0].label,
            spread(medians[:, index].tolist()),
            float(medians[:, index].min()),
            float(medians[:, index].max()),
            max(each.average_exploitability.worst for each in summaries),
            len(games),
            int(first[:, index].sum()),
            {limit: sum(each.reached[limit] is not None for each in summaries) for limit in THRESHOLDS},
        )
        for index, summaries in enumerate(zip(*games, strict=True))
    ]


def by_threshold(values: Mapping[float, Any]) -> dict[str, Any]:
    """The values by their thresholds as text, such as 1e-06."""
    return {f"{limit:.0e}": value for limit, value in values.items()}


COLUMNS = (
    "label",
    "algorithm",
    "rule",
    "updates",
    "seed",
    "perturbation",
    "iteration",
    "nodes_touched",
    "histories_touched",
    "seconds",
    "average_exploitability",
    "current_exploitability",
    "value",
)


def as_csv(compared: Sequence[tuple[Mapping[str, str], Sequence[Run]]]) -> str:
    """A table with a row per measurement of the runs on one or more games.

    compared: for every game the columns that identify it, by name, and its runs. All games have the same columns.

    These columns come first, then COLUMNS, then one for every parameter of any rule, empty where a rule has no such
    parameter. `algorithm` is the contender's settings, `rule` their name alone, `updates` "alternating" or
    "simultaneous". `seed` is empty for a rule that draws nothing. Floats have all their digits.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    rules = [run.trial.contender.rule for _, runs in compared for run in runs]
    names = list(dict.fromkeys(name for rule in rules for name in rule.parameters))
    writer.writerow([*(compared[0][0] if compared else ()), *COLUMNS, *names])
    for game, runs in compared:
        for run in runs:
            trial, rule = run.trial, run.trial.contender.rule
            seed = "" if trial.seed is None else trial.seed
            settings: list[object] = [*game.values(), run.label, run.algorithm, rule.name, trial.contender.updates]
            settings += [seed, trial.perturbation]
            parameters = [rule.parameters.get(name, "") for name in names]
            writer.writerows([*settings, *astuple(measurement), *parameters] for measurement in run.measurements)
    return text.getvalue()
