"""The record of a comparison of algorithms on several rounds, as JSON has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..algorithms.cfr.rule_files import digest_of_rules
from ..algorithms.cfr.update_rules import registered_rules
from ..algorithms.comparing.comparison_summary import Summary, by_threshold
from ..algorithms.comparing.contenders import Contender
from ..algorithms.comparing.measured_run import Run
from ..match.percentages import percentage_points
from ..storage.latex_text import latex_table
from ..storage.records import picked
from .comparison_run import AnyGame, ComparedRuns, ComparisonPlan
from .versions import computed_with


def comparison_as_dict(
    plan: ComparisonPlan,
    ended: ComparedRuns,
    *,
    jobs: int,
    cluster: str | None,
    seconds: float,
    rules_of_user: Sequence[str] = (),
) -> dict[str, Any]:
    """What was compared, and how it ended, without the measurements: all that is needed to repeat it.

    jobs, cluster: runs at a time, and the address of the cluster that made them. seconds: of the whole comparison.
    rules_of_user: files and modules with update rules.
    """
    from .. import __version__

    first = ended.compared[0][0]
    defaults = {name: dict(definition.defaults) for name, definition in registered_rules().items()}
    own = {"from": list(rules_of_user), "sha256": digest_of_rules(rules_of_user), "defaults": defaults}
    return {
        "version": __version__,
        "computed_with": computed_with(),
        "own_rules": own if rules_of_user else None,
        "budget": {"amount": plan.budget.amount, "unit": plan.budget.unit.value},
        "seeds": plan.num_seeds,
        "perturbations": plan.num_perturbations,
        "jobs": jobs,
        "cluster": cluster,
        **first.of_all,
        "rounds": [
            _round_as_dict(each, summaries, {contender.label: contender for contender in plan.contenders})
            for (each, _), summaries in zip(ended.compared, ended.summaries, strict=True)
        ],
        "overall": [asdict(each) | {"num_reached": by_threshold(each.num_reached)} for each in ended.overall],
        "earlier_runs": ended.num_before,
        "elapsed_seconds": seconds,
    }


def comparison_as_latex(record: dict[str, Any]) -> str:
    """The ends of all runs as tables in LaTeX, one for each round and one over all. record: of comparison_as_dict."""
    tables = []
    for each in record["rounds"]:
        rows = [
            (
                *(entry["label"], entry["num_runs"], round(entry["iterations"]), entry["nodes"]),
                *(entry["average_exploitability"][name] for name in _SPREAD),
                entry["current_exploitability"]["median"],
            )
            for entry in each["algorithms"]
        ]
        where = f", score {'-'.join(map(str, each['score']))}" if each.get("score") else ""
        headings = ("algorithm", "runs", "iterations", "nodes", *_SPREAD.values(), "current")
        caption = f"Exploitability (NashConv) of the average strategy{where}; medians of nodes, iterations and current."
        tables.append(latex_table(headings, rows, caption))
    if record["overall"]:
        limits = list(record["overall"][0]["num_reached"])
        rows = [
            (
                *(entry["label"], entry["num_first"], entry["exploitability"]["median"]),
                *(entry[name] for name in ("best", "worst", "worst_run")),
                *entry["num_reached"].values(),
            )
            for entry in record["overall"]
        ]
        headings = ("algorithm", "first at", "median", "best", "worst", "worst run", *(f"to {each}" for each in limits))
        tables.append(latex_table(headings, rows, "Over all scores: medians over the runs, and the worst of all runs."))
    return "\n".join(tables)


_SPREAD = {"median": "median", "lower_quartile": "25 %", "upper_quartile": "75 %", "worst": "worst"}


def _round_as_dict(each: AnyGame, summaries: Sequence[Summary], contenders: Mapping[str, Contender]) -> dict[str, Any]:
    algorithms = []
    for summary in summaries:
        entry, contender = asdict(summary), contenders[summary.label]
        entry |= {"rule": contender.rule.algorithm, "updates": contender.updates}
        entry["parameters"] = dict(contender.rule.parameters)
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
