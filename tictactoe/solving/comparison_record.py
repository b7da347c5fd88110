"""The record of a comparison of algorithms on several rounds, as JSON has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..algorithms.comparing.comparison_summary import Summary, by_threshold
from ..algorithms.comparing.measured_run import Run
from ..match.percentages import percentage_points
from ..storage.records import picked
from .comparison_run import AnyGame, ComparedRuns, ComparisonPlan


def comparison_as_dict(
    plan: ComparisonPlan, ended: ComparedRuns, *, jobs: int, cluster: str | None, seconds: float
) -> dict[str, Any]:
    """What was compared, and how it ended, without the measurements.

    jobs, cluster: runs at a time, and the address of the cluster that made them. seconds: of the whole comparison.
    """
    from .. import __version__

    first = ended.compared[0][0]
    return {
        "version": __version__,
        "budget": {"amount": plan.budget.amount, "unit": plan.budget.unit.value},
        "seeds": plan.num_seeds,
        "perturbations": plan.num_perturbations,
        "jobs": jobs,
        "cluster": cluster,
        **first.of_all,
        "rounds": [
            _round_as_dict(each, summaries)
            for (each, _), summaries in zip(ended.compared, ended.summaries, strict=True)
        ],
        "overall": [asdict(each) | {"num_reached": by_threshold(each.num_reached)} for each in ended.overall],
        "earlier_runs": ended.num_before,
        "elapsed_seconds": seconds,
    }


def _round_as_dict(each: AnyGame, summaries: Sequence[Summary]) -> dict[str, Any]:
    algorithms = []
    for summary in summaries:
        entry = asdict(summary)
        entry["reached"] = by_threshold(entry["reached"])
        if each.in_match_value:
            for name in ("average_exploitability", "current_exploitability"):
                points = {field: percentage_points(value) for field, value in entry[name].items()}
                entry[f"{name}_percentage_points"] = points
        algorithms.append(entry)
    return {**each.own, "algorithms": algorithms}


def run_as_dict(run: Run) -> dict[str, Any]:
    """A run with its measurements, the figures of the CSV file."""
    trial = picked(run.trial, "seed", "perturbation")
    return picked(run, "label", "algorithm") | trial | {"measurements": [asdict(each) for each in run.measurements]}
