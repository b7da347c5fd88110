"""Comparisons as a table of all measurements, in CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import astuple

from .measured_run import Run

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
            settings: list[object] = [*game.values(), run.label, run.algorithm, rule.algorithm, trial.contender.updates]
            settings += [seed, trial.perturbation]
            parameters = [rule.parameters.get(name, "") for name in names]
            writer.writerows([*settings, *astuple(measurement), *parameters] for measurement in run.measurements)
    return text.getvalue()
