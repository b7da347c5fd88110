"""A round that was solved, and what --dry-run of a match says before: scores, time, memory and disk."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import tictactoe
from tictactoe.errors import in_brief, printable
from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.match.percentages import exploitability_text
from tictactoe.match.scores import pair_name
from tictactoe.number_text import counted, duration, signed_text
from tictactoe.solving.results_as_data import current_exploitability

from ..program import print_json, say, shown_path

if TYPE_CHECKING:
    from tictactoe.solving.dry_run import MatchPlan


def print_solved(snapshot: tictactoe.Snapshot, output: Path, iterations: int) -> None:
    current = current_exploitability(snapshot)
    if snapshot.iteration > iterations:
        later = f"{shown_path(output)} holds a later state already"
        print(f"{later}: nothing was done; --max-iterations above {snapshot.iteration} goes on from there")
    both, first, second, neither = snapshot.round_values
    if snapshot.rules != DEFAULT_RULES:
        print(f"rules: {snapshot.rules}")
    print(
        f"outcome values to the first mover: both score {both:g}, first {first:g}, second {second:g}, "
        f"neither {neither:g}"
    )
    print(
        f"value to the first mover after {counted(snapshot.iteration, 'iteration')}: {signed_text(snapshot.value, 9)}"
    )
    if snapshot.score is None:
        print(f"exploitability: {snapshot.exploitability:.2e} in payoff")
        print(f"of the current strategy: {current:.2e}")
    else:
        print(f"exploitability: {exploitability_text(snapshot.exploitability)}")
        print(f"of the current strategy: {exploitability_text(current, 'points')}")
    say(f"saved in {shown_path(output)}")


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
