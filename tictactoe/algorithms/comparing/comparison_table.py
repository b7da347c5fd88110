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

    These columns come first, then COLUMNS. `algorithm` is the contender's settings. `seed` is empty for a rule that
    draws nothing. Floats have all their digits.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(compared[0][0] if compared else ()), *COLUMNS])
    for game, runs in compared:
        for run in runs:
            trial = run.trial
            seed = "" if trial.seed is None else trial.seed
            settings = [*game.values(), run.label, run.algorithm, seed, trial.perturbation]
            writer.writerows([*settings, *astuple(measurement)] for measurement in run.measurements)
    return text.getvalue()
