"""What benchmarks/comparison.py has run, as the tables of docs/comparison.md."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from comparison import (
    ABLATED,
    LONG,
    LONG_SCORES,
    OURS,
    PUBLISHED,
    SAMPLING,
    SETTINGS,
    TUNED_ON,
    all_parts,
    record_of,
    tuned,
)

Found = dict[str, Any]
"""What comparison.json says of one algorithm at one score."""


def tables(output: Path) -> str:
    """All tables whose parts are there, in Markdown."""
    made = []
    for name, table in (
        ("Over all scores", over_all),
        ("Tuning", tuning),
        ("The weights of the average", gamma),
        ("Sampling", sampling),
        ("Long runs", long_runs),
        ("Seconds", seconds),
        ("Every score", every_score),
        ("Time of each part", times),
    ):
        try:
            made.append(f"## {name}\n{table(output)}")
        except FileNotFoundError as missing:
            made.append(f"## {name}\nnot run yet: {missing.filename}")
    return "\n\n".join(made)


def by_score(directory: Path, label: str | None = None) -> dict[str, Found]:
    """What was found at every score, of the algorithm with that label or of the only one."""
    found = {}
    for each in record_of(directory)["rounds"]:
        (one,) = (entry for entry in each["algorithms"] if label in (None, entry["label"]))
        found["-".join(map(str, each["score"]))] = one
    return found


def middle(found: Found, which: str = "average") -> float:
    """The median over the runs."""
    value: float = found[f"{which}_exploitability"]["median"]
    return value


def short(number: float) -> str:
    """Two digits: 2.1e-5."""
    mantissa, _, exponent = f"{number:.1e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def quartiles(found: Found, which: str = "average") -> str:
    """Median, and what the middle half lies between."""
    spread = found[f"{which}_exploitability"]
    return f"{short(spread['median'])} ({short(spread['lower_quartile'])}, {short(spread['upper_quartile'])})"


def rows(*lines: Sequence[object]) -> str:
    """A Markdown table; the first line has the headings."""
    first, *rest = ("| " + " | ".join(map(str, line)) + " |" for line in lines)
    return "\n".join([first, "|" + "---|" * len(lines[0]), *rest])


def geometric_mean(numbers: Sequence[float]) -> float:
    """Of numbers that may be 0 up to rounding."""
    return math.exp(sum(math.log(max(number, 1e-17)) for number in numbers) / len(numbers))


def over_all(output: Path) -> str:
    """Every algorithm over all scores: the medians' median, spread, worst, how often first, how far they get."""
    found = {rule: by_score(output / "all" / rule) for rule in (*PUBLISHED, *OURS, *SAMPLING)}
    best = {score: min(middle(each[score]) for each in found.values()) for score in found["cfr"]}
    lines: list[Sequence[object]] = [
        ("", "first at", "median", "best", "worst", "current", "luck", "to 1e-4", "to 1e-5", "to 1e-6")
    ]
    for rule, each in found.items():
        middles = [middle(entry) for entry in each.values()]
        spreads = [entry["average_exploitability"] for entry in each.values()]
        luck = median(max(s["upper_quartile"], 1e-17) / max(s["lower_quartile"], 1e-17) for s in spreads)
        reached = [sum(entry["reached"][limit] is not None for entry in each.values()) for limit in LIMITS]
        first = sum(middle(entry) == best[score] for score, entry in each.items())
        currents = short(median(middle(entry, "current") for entry in each.values()))
        numbers = short(median(middles)), short(min(middles)), short(max(middles)), currents, f"{luck:.1f}"
        lines.append((f"`{rule}`", first, *numbers, *reached))
    return rows(*lines)


LIMITS = ("1e-04", "1e-05", "1e-06")


def every_score(output: Path) -> str:
    """The median and the quartiles of every algorithm at every score."""
    made = []
    for group in (PUBLISHED[:4], PUBLISHED[4:], (*OURS, *SAMPLING[:2]), SAMPLING[2:]):
        found = {rule: by_score(output / "all" / rule) for rule in group}
        lines: list[Sequence[object]] = [("", *(f"`{rule}`" for rule in group))]
        for score in found[group[0]]:
            lines.append((score, *(quartiles(found[rule][score]) for rule in group)))
        made.append(rows(*lines))
    return "\n\n".join(made)


def tuning(output: Path) -> str:
    """What tuning has chosen, and what it is worth where it was tuned and elsewhere."""
    lines: list[Sequence[object]] = [("", "chosen of eight", "where tuned", "elsewhere", "better at")]
    seen = {"-".join(map(str, score)) for score in TUNED_ON}
    for rule in SETTINGS:
        usual, chosen = by_score(output / "all" / rule), by_score(output / "tuned" / rule)
        cells = []
        for scores in ([s for s in usual if s in seen], [s for s in usual if s not in seen]):
            before, after = (geometric_mean([middle(each[s]) for s in scores]) for each in (usual, chosen))
            cells.append(f"{short(before)} to {short(after)}")
        better = sum(middle(chosen[s]) < middle(usual[s]) for s in usual if s not in seen)
        lines.append((f"`{rule}`", f"`{tuned(output, rule)}`", *cells, f"{better} of {len(usual) - len(seen)}"))
    return rows(*lines)


def gamma(output: Path) -> str:
    """The ablation: a row per rule and score, a column per exponent."""
    exponents = sorted({float(text.partition("gamma=")[2].rstrip(")")) for text in ABLATED})
    lines: list[Sequence[object]] = [("", "", *(f"gamma {each:g}" for each in exponents))]
    entries = {
        ("-".join(map(str, each["score"])), entry["label"]): entry
        for each in record_of(output / "gamma")["rounds"]
        for entry in each["algorithms"]
    }
    for rule in dict.fromkeys(text.partition("(")[0] for text in ABLATED):
        for a, b in TUNED_ON:
            cells = [
                short(middle(entries.get((f"{a}-{b}", f"{rule}(gamma={each:g})")) or entries[f"{a}-{b}", rule]))
                for each in exponents
            ]
            lines.append((f"`{rule}`", f"{a}-{b}", *cells))
    return rows(*lines)


def sampling(output: Path) -> str:
    """Sampling variants against cfr and dcfr after as many nodes, histories and seconds, at the scores of TUNED_ON."""
    scores = [f"{a}-{b}" for a, b in TUNED_ON]
    lines: list[Sequence[object]] = [("", "nodes", "histories", "seconds", *scores)]
    for rule in SAMPLING:
        found = by_score(output / "all" / rule)
        used = [median(each[unit] for each in found.values()) for unit in ("nodes", "histories", "seconds")]
        cells = [quartiles(found[score]) for score in scores]
        lines.append((f"`{rule}`", f"{used[0]:.1e}", f"{used[1]:.1e}", f"{used[2]:.1f}", *cells))
    for rule in ("cfr", "dcfr"):
        for histories in (2e7, 6e7, 1.8e8):
            found_at = [at_histories(output / "all" / rule, score, histories) for score in scores]
            nodes, spent = (median(each[index] for each in found_at) for index in (0, 1))
            cells = [short(each[2]) for each in found_at]
            lines.append((f"`{rule}`", f"{nodes:.1e}", f"{histories:.1e}", f"{spent:.2f}", *cells))
    return rows(*lines)


def at_histories(directory: Path, score: str, histories: float) -> tuple[float, float, float]:
    """Medians over the runs of nodes, seconds and the average's exploitability where so many were first touched."""
    firsts: dict[str, tuple[float, float, float]] = {}
    with open(directory / "comparison.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["score"] == score and float(row["histories_touched"]) >= 0.95 * histories:
                numbers = (float(row[name]) for name in ("nodes_touched", "seconds", "average_exploitability"))
                nodes, spent, exploitability = numbers
                firsts.setdefault(row["perturbation"], (nodes, spent, exploitability))
    columns = zip(*firsts.values(), strict=True)
    nodes, spent, exploitability = (median(column) for column in columns)
    return nodes, spent, exploitability


def long_runs(output: Path) -> str:
    """After ten times as many nodes: the average with quartiles, and the current strategy."""
    scores = [f"{a}-{b}" for a, b in LONG_SCORES]
    lines: list[Sequence[object]] = [("", *(text for s in scores for text in (f"{s}, average", "current")))]
    for rule in LONG:
        found = by_score(output / "long", rule)
        cells = [text for s in scores for text in (quartiles(found[s]), short(middle(found[s], "current")))]
        lines.append((f"`{rule}`", *cells))
    return rows(*lines)


def seconds(output: Path) -> str:
    """Seconds of updates to 1e-3 ... 1e-6, medians over the runs of the long ones."""
    scores = [f"{a}-{b}" for a, b in LONG_SCORES]
    limits = ("1e-04", "1e-06")
    lines: list[Sequence[object]] = [("", *(f"{s} to {float(limit):.0e}" for s in scores for limit in limits))]
    for rule in LONG:
        found = by_score(output / "long", rule)
        reached = [found[s]["reached"][limit] for s in scores for limit in limits]
        lines.append((f"`{rule}`", *("-" if each is None else f"{each['seconds']:.2f}" for each in reached)))
    return rows(*lines)


def times(output: Path) -> str:
    """How long each part took, from begin to end."""
    lines: list[Sequence[object]] = [("part", "jobs", "seconds")]
    for name, _ in all_parts(output):
        record = record_of(output / name)
        lines.append((f"`{name}`", record["jobs"], f"{record['elapsed_seconds']:.0f}"))
    return rows(*lines)
