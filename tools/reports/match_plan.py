"""The report of solve-multiround --dry-run: the scores to solve, and their time, memory and disk."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tictactoe.errors import in_brief, printable
from tictactoe.match.scores import pair_name
from tictactoe.number_text import counted, duration

from ..program import print_json, shown_path

if TYPE_CHECKING:
    from tictactoe.solving.dry_run import MatchPlan


def print_plan(output: Path, plan: MatchPlan, *, as_json: bool) -> None:
    """Print the plan. output: the directory of the solution."""
    conflicts = in_brief(map(str, plan.conflicts))
    if as_json:
        print_json(asdict(plan) | {"conflicts": conflicts})
        return
    print(f"would solve {counted(plan.subgames, 'score')} as {counted(plan.pairs, 'pair')}, {plan.jobs} at a time")
    if plan.subgames_solved:
        print(f"{shown_path(output)} holds {plan.subgames_solved} of them already")
    for conflict in conflicts:
        print(f"would be refused: {printable(conflict)}")
    if plan.measured_pair is not None and math.isinf(plan.pair_seconds):
        print(f"work, time: not known; a few seconds of {pair_name(plan.measured_pair)} did not tell")
    elif plan.measured_pair is not None:
        of_one = f"{plan.pair_seconds:.1f} s for {pair_name(plan.measured_pair)}, which was measured"
        if plan.without_polishing:
            of_one += " without polishing: solving it alone takes longer than measurements may"
        seconds = plan.core_seconds
        work = duration(seconds) if seconds < 6000 else f"{seconds / 3600:.1f} hours"
        print(f"work: about {work} of one core ({of_one})")
        fastest = f"no less than {duration(plan.least_seconds)}, with {plan.most_useful_jobs} or more"
        print(f"time: about {duration(plan.seconds)}; {fastest}: {counted(plan.chain, 'pair')} wait for each other")
    workers = "" if plan.worker_memory_bytes is None else f", and {plan.worker_memory_bytes / 1e6:.0f} MB a worker"
    print(f"memory: about {plan.memory_bytes / 1e6:.0f} MB{workers}")
    print(f"disk: about {plan.disk_bytes / 1e6:.0f} MB, for {plan.kept}")
    print(f"rules: {plan.rules}")
    for name, value in plan.options.items():
        print(f"{name}: {'default schedule' if value is None else value}")
