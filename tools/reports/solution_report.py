"""Reports of solved rounds, --dry-run, values, imports and copies."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tictactoe
from tictactoe.errors import in_brief, printable
from tictactoe.formulas.match_values import Numbers
from tictactoe.games.rules import DEFAULT_RULES, Rules
from tictactoe.match.percentages import POINTS, exploitability_text
from tictactoe.match.scores import match_to, pair_name
from tictactoe.number_text import counted, duration, signed_text, size_text
from tictactoe.solving.results_as_data import current_exploitability
from tictactoe.storage.import_strategies import ImportedSolution
from tictactoe.storage.texts import json_text

from ..program import print_json, say, shown_path
from .report import print_table

if TYPE_CHECKING:
    from tictactoe.solving.dry_run import MatchPlan


def print_solved(snapshot: tictactoe.Snapshot, output: Path, iterations: int) -> None:
    current = current_exploitability(snapshot)
    if snapshot.iteration > iterations:
        later = f"{shown_path(output)} already holds a later state"
        print(f"{later}: nothing was done; a --max-iterations above {snapshot.iteration} continues it")
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
    conflicts = in_brief(map(str, plan.conflicts))
    if as_json:
        print_json(asdict(plan) | {"conflicts": conflicts})
        return
    print(f"would solve {counted(plan.subgames, 'score')} as {counted(plan.pairs, 'pair')}, {plan.jobs} at a time")
    if plan.subgames_solved:
        print(f"{shown_path(output)} already holds {plan.subgames_solved} of them")
    for conflict in conflicts:
        print(f"it would be refused: {printable(conflict)}")
    if plan.measured_pair is not None and math.isinf(plan.pair_seconds):
        print(f"work, time: not known; a few seconds of {pair_name(plan.measured_pair)} were too short to tell")
    elif plan.measured_pair is not None:
        of_one = f"{plan.pair_seconds:.1f} s measured for {pair_name(plan.measured_pair)}"
        if plan.without_polishing:
            of_one += " without polishing; solving it alone takes too long to measure"
        seconds = plan.core_seconds
        work = duration(seconds) if seconds < 6000 else f"{seconds / 3600:.1f} hours"
        print(f"work: about {work} of one core ({of_one})")
        fastest = f"at least {duration(plan.least_seconds)}, with {plan.most_useful_jobs} jobs or more"
        print(f"time: about {duration(plan.seconds)}; {fastest}: {counted(plan.chain, 'pair')} wait for each other")
    workers = "" if plan.worker_memory_bytes is None else f", and {plan.worker_memory_bytes / 1e6:.0f} MB per worker"
    print(f"memory: about {plan.memory_bytes / 1e6:.0f} MB{workers}")
    print(f"disk: about {plan.disk_bytes / 1e6:.0f} MB, for {plan.kept}")
    print(f"rules: {plan.rules}")
    for name, value in plan.options.items():
        print(f"{name}: {'default schedule' if value is None else value}")


GRID_UP_TO = 5
"""The largest winning score for which values are printed as a square table."""


Found = dict[tuple[int, int], Any]
"""The values of some scores."""


def print_values_json(values: Numbers | Found, rules: Rules, winning_score: int) -> None:
    content: dict[str, Any] = {"rules": str(rules), "winning_score": winning_score}
    if isinstance(values, dict):
        content["scores"] = [{"score": list(score), "value": _plain(value)} for score, value in values.items()]
        print(json_text(content))
        return
    print(json_text(content).removesuffix("}"), end=', "values": [')
    for number, row in enumerate(values):
        print(", " if number else "", json_text([_plain(value) for value in row.tolist()]), sep="", end="")
    print("]}")


def _plain(value: Any) -> float | str:
    return float(value) if isinstance(value, float) else str(value)


def _text(value: Any) -> str:
    return (
        f"{value:+z.12f}" if isinstance(value, float) else f"{value:+zf}" if hasattr(value, "quantize") else str(value)
    )


def print_values(values: Numbers | Found, rules: Rules) -> None:
    if isinstance(values, dict):
        for (first, second), value in values.items():
            print(f"{first}-{second} {_text(value)}")
        return
    if len(values) > GRID_UP_TO or not isinstance(values[0, 0], float):
        for first, row in enumerate(values):
            print("\n".join(f"{first}-{second} {_text(value)}" for second, value in enumerate(row.tolist())))
        return

    points = range(len(values))
    rows = [(str(a), *(f"{values[a, b]:+z.6f}" for b in points)) for a in points]
    print_table(
        ("first", *map(str, points)),
        rows,
        f"Value of every score of a {match_to(len(values), rules)} to the player who moves first: the chance of "
        "winning minus that of losing. Rows: points of the player who moves first; columns: points of the other.",
    )


def print_imported(result: ImportedSolution) -> None:
    solution = result.solution
    scores = counted(len(result.scores), "score")
    match, where = match_to(solution.winning_score, solution.rules), shown_path(solution.directory)
    print(f"{scores} of a {match} imported into {where}")
    unit = POINTS
    for score, found in sorted(solution.results.items(), reverse=True):
        print(
            f"{score}: value to the first mover {found.value:+z.9f}, exploitability in the round "
            f"{exploitability_text(found.exploitability, unit)}"
        )
        unit = "points"
    for score, missing in result.without_value().items():
        shown = ", ".join(map(str, missing[:8])) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        print(f"{score}: imported without a value, because these scores are missing: {shown}")


def print_compacted(output: Path, num_bytes: int) -> None:
    loaded = tictactoe.load_solution(output)
    of = f" of a {match_to(loaded.winning_score, loaded.rules)}"
    print(f"{counted(len(loaded.whole_scores), 'score')}{of} in {size_text(num_bytes)}, saved in {shown_path(output)}")
    if without := len(loaded.whole_scores) - len(loaded.results):
        print(f"without a value, like the imported ones: {counted(without, 'score')}")
    if loaded.unconverged_scores:
        beyond = [loaded.exploitability[score] for score in loaded.unconverged_scores]
        most = exploitability_text(max(beyond), up=True)
        print(f"less exact than the target: {counted(len(beyond), 'score')}, exploitable by up to {most}")
