"""What benchmarks/comparison.py runs, part by part: rules, settings, scores and budgets; and the record of a part."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tictactoe import parse_contender

PUBLISHED = ("cfr", "linear-cfr", "cfr+", "dcfr", "hs-dcfr", "hs-dcfr(schedule_horizon=10000)", "pcfr+", "pdcfr+")
OURS = ("rdcfr", "rpcfr+")
SAMPLING = ("es-mccfr", "es-mccfr(full_average=0)", "es-mccfr(draw_own_type=0)",
            "es-mccfr(full_average=0, draw_own_type=0)")  # fmt: skip
LATER = ("dcfr+", "sapcfr+", "os-mccfr")
"""Newer than the tables, which do not have them yet."""
BUDGET = "2e7nodes"
PERTURBATIONS = 20
SEEDS = 3
"""Runs of a rule that samples, which takes six times as long and hardly depends on ties."""

TUNED_ON = ((4, 3), (2, 2), (3, 0))
"""Where tuning and the ablation look: a leader, a near tie, and one between."""
SETTINGS = {
    "dcfr": [
        f"dcfr(discount_alpha={a}, discount_beta={b}, discount_gamma={c})"
        for a in (1.5, 3) for b in (0, -2) for c in (2, 5)
    ],
    "hs-dcfr": [f"hs-dcfr(schedule_horizon={n})" for n in (250, 500, 1000, 1500, 2000, 4000, 8000, 16000)],
    "pcfr+": [f"pcfr+(discount_gamma={c})" for c in (0, 1, 2, 3, 5, 7, 10, 15)],
    "pdcfr+": [f"pdcfr+(discount_alpha={a}, discount_gamma={c})" for a in (1.5, 2.3, 3, 5) for c in (2, 5)],
    "rdcfr": [
        f"rdcfr(discount_alpha={a}, discount_gamma={c}, first_restart={n})"
        for a in (1.5, 3) for c in (2, 5) for n in (50, 100)
    ],
    "rpcfr+": [f"rpcfr+(first_restart={n}, second_restart={m}, discount_gamma={c})"
               for n in (100, 300) for m in (700, 2300) for c in (5, 10)],
}  # fmt: skip
"""The same budget of tuning for every rule that has parameters: eight settings, the default among them."""
FEWER_PERTURBATIONS = 5
"""Where many settings are tried, and of long runs."""
ABLATED = [
    f"{rule}(discount_gamma={c})" for rule in ("dcfr", "rdcfr", "pcfr+", "pdcfr+", "rpcfr+") for c in (0, 1, 2, 5, 10)
]
LONG = ("cfr", "cfr+", "dcfr", "rdcfr", "hs-dcfr(schedule_horizon=10000)", "pcfr+", "pdcfr+", "rpcfr+", "es-mccfr")
LONG_SCORES = ((4, 3), (0, 0), (2, 2))
LONG_BUDGET = "2e8nodes"


def scores(chosen: Sequence[tuple[int, int]]) -> list[str]:
    """The options for these scores."""
    return [word for first, second in chosen for word in ("--score", f"{first}-{second}")]


def all_parts(output: Path) -> Iterator[tuple[str, list[str]]]:
    """The parts in order: name of the directory, options of compare-algorithms."""
    runs, fewer = (["--perturbations", str(number)] for number in (PERTURBATIONS, FEWER_PERTURBATIONS))
    for rule in (*OURS, *reversed(PUBLISHED)):
        yield f"all/{rule}", ["--algorithm", rule, "--score", "all", "--budget", BUDGET, *runs]
    for rule, settings in SETTINGS.items():
        yield f"tuning/{rule}", ["--algorithm", ", ".join(settings), *scores(TUNED_ON), "--budget", BUDGET, *fewer]
    for rule in SETTINGS:
        best = tuned(output, rule) if (output / "tuning" / rule).is_dir() else rule
        yield f"tuned/{rule}", ["--algorithm", best, "--score", "all", "--budget", BUDGET, *fewer]
    yield "gamma", ["--algorithm", ", ".join(ABLATED), *scores(TUNED_ON), "--budget", BUDGET, *fewer]
    for rule in (*SAMPLING, *LATER):
        seeds = ["--seeds", str(SEEDS)] if parse_contender(rule).rule.samples else []
        yield f"all/{rule}", ["--algorithm", rule, "--score", "all", "--budget", BUDGET, *runs, *seeds]
    pictures = ["--against", "nodes", "--against", "seconds", "--seeds", str(SEEDS)]
    yield "long", ["--algorithm", ", ".join(LONG), *scores(LONG_SCORES), "--budget", LONG_BUDGET, *fewer, *pictures]


def quickly(options: Sequence[str]) -> list[str]:
    """The options of a part, with a tenth of the nodes, three perturbations and one seed.

    >>> quickly(["--algorithm", "cfr", "--budget", "2e7nodes", "--perturbations", "20"])
    ['--algorithm', 'cfr', '--budget', '2e6nodes', '--perturbations', '3']
    """
    instead = {"--budget": {BUDGET: "2e6nodes", LONG_BUDGET: "2e7nodes"}, "--perturbations": "3", "--seeds": "1"}
    found = list(options)
    for at, name in enumerate(found):
        other = instead.get(name)
        if other is not None:
            found[at + 1] = other if isinstance(other, str) else other[found[at + 1]]
    return found


def record_of(directory: Path) -> dict[str, Any]:
    """What comparison.json says."""
    record: dict[str, Any] = json.loads((directory / "comparison.json").read_text(encoding="utf-8"))
    return record


def tuned(output: Path, rule: str) -> str:
    """The setting with the smallest geometric mean, over the scores that were tuned on, of the medians."""
    medians: dict[str, list[float]] = defaultdict(list)
    for each in record_of(output / "tuning" / rule)["rounds"]:
        for found in each["algorithms"]:
            medians[found["label"]].append(max(found["average_exploitability"]["median"], 1e-17))
    return min(medians, key=lambda label: math.prod(medians[label]))
