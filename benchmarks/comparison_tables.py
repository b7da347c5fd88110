"""What benchmarks/comparison.py has run, as the tables of docs/comparison.md."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from comparison_parts import (
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

KINDS = {
    "the first mover is ahead; 3-3": "4-3 4-2 4-1 4-0 3-2 3-1 3-0 2-1 2-0 1-0 3-3",
    "the first mover is behind; 4-4": "2-3 1-3 0-3 1-2 0-2 0-1 4-4",
    "the second mover lacks one point": "3-4 2-4 1-4 0-4",
    "2-2, 1-1, 0-0": "2-2 1-1 0-0",
}
"""Scores on which the algorithms behave alike."""

Found = dict[str, Any]
"""The entry of comparison.json about one algorithm at one score."""


def tables(output: Path) -> str:
    """All tables in Markdown. A table whose parts are missing says so."""
    made = []
    for name, table in (
        ("All scores", over_all),
        ("Four kinds of rounds", kinds),
        ("Worst runs", worst_runs),
        ("Tuned parameters", tuning),
        ("Averaging weights", gamma),
        ("Sampling", sampling),
        ("Longer runs", long_runs),
        ("Nodes until", nodes_until),
        ("Time of each part", times),
    ):
        try:
            made.append(f"## {name}\n{table(output)}")
        except (FileNotFoundError, KeyError) as missing:
            made.append(f"## {name}\nnot run yet: {missing}")
    return "\n\n".join(made)


RESULTS = Path(__file__).with_name("comparison_results.csv")
"""The ends of all parts whose tables stand in docs/comparison.md: a row for each algorithm and score."""
FIGURES = ("median", "lower_quartile", "upper_quartile", "worst")


def results_of(output: Path) -> str:
    """The content of RESULTS, of all finished parts."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("part", "algorithm", "score", "runs", *FIGURES, "current"))
    for name, _ in all_parts(output):
        rounds = record_of(output / name)["rounds"] if (output / name / "comparison.json").exists() else []
        for each in rounds:
            for found in each["algorithms"]:
                spread = found["average_exploitability"]
                figures = [f"{value:.6g}" for value in (*(spread[key] for key in FIGURES), middle(found, "current"))]
                score = "-".join(map(str, each["score"]))
                writer.writerow((name, found["label"], score, found["num_runs"], *figures))
    return text.getvalue()


def published(part: str, label: str | None) -> dict[str, Found]:
    """The results of a part in RESULTS, at every score. Raises FileNotFoundError if it has none."""
    with open(RESULTS, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["part"] == part and label in (None, row["algorithm"])]
    if not rows:
        raise FileNotFoundError(0, "no results", part)
    found = {}
    for row in rows:
        average = {name: float(row[name]) for name in FIGURES if row[name]}
        found[row["score"]] = {"average_exploitability": average, "num_runs": int(row["runs"])}
        if row["current"]:
            found[row["score"]]["current_exploitability"] = {"median": float(row["current"])}
    return found


def by_score(directory: Path, label: str | None = None) -> dict[str, Found]:
    """The results at every score of the algorithm with that label, or of the only algorithm. A part that has not been
    run has its results from RESULTS."""
    if not (directory / "comparison.json").exists():
        folder = directory.parent.name
        return published(f"{folder}/{directory.name}" if folder in ("all", "tuned") else directory.name, label)
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


def quartiles(found: Found) -> str:
    """Of the average strategy: the median, and what the middle half of the runs lies between."""
    spread = found["average_exploitability"]
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


def kinds(output: Path) -> str:
    """Every algorithm on the kinds of rounds: the geometric mean of the medians."""
    lines: list[Sequence[object]] = [("", *KINDS)]
    for rule in (*PUBLISHED, *OURS, *SAMPLING):
        found = by_score(output / "all" / rule)
        means = [geometric_mean([middle(found[score]) for score in scores.split()]) for scores in KINDS.values()]
        lines.append((f"`{rule}`", *map(short, means)))
    return rows(*lines)


def worst_runs(output: Path) -> str:
    """The median and the worst of the runs at three scores, of the algorithms that do not sample."""
    scores = [f"{a}-{b}" for a, b in LONG_SCORES]
    lines: list[Sequence[object]] = [("", *(text for s in scores for text in (f"{s}, median", "worst", "times")))]
    for rule in (*PUBLISHED, *OURS):
        try:
            found = by_score(output / "again", rule)
        except FileNotFoundError:
            found = by_score(output / "all" / rule)
        cells = []
        for score in scores:
            spread = found[score]["average_exploitability"]
            times = spread["worst"] / max(spread["median"], 1e-17)
            cells += [
                short(spread["median"]),
                short(spread["worst"]),
                f"{times:.1f}" if times < 10 else f"{times:,.0f}",
            ]
        lines.append((f"`{rule}`", *cells))
    return rows(*lines)


def tuning(output: Path) -> str:
    """The parameters that tuning chose, and their effect on the scores used for tuning and on the others."""
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
    exponents = sorted({float(text.partition("discount_gamma=")[2].rstrip(")")) for text in ABLATED})
    lines: list[Sequence[object]] = [("", "", *(f"gamma {each:g}" for each in exponents))]
    entries = {
        ("-".join(map(str, each["score"])), entry["label"]): entry
        for each in record_of(output / "gamma")["rounds"]
        for entry in each["algorithms"]
    }
    for rule in dict.fromkeys(text.partition("(")[0] for text in ABLATED):
        for a, b in TUNED_ON:
            cells = [
                short(
                    middle(entries.get((f"{a}-{b}", f"{rule}(discount_gamma={each:g})")) or entries[f"{a}-{b}", rule])
                )
                for each in exponents
            ]
            lines.append((f"`{rule}`", f"{a}-{b}", *cells))
    return rows(*lines)


def sampling(output: Path) -> str:
    """Sampling variants against cfr and dcfr after as many nodes, or histories, at the scores of TUNED_ON."""
    scores = [f"{a}-{b}" for a, b in TUNED_ON]
    lines: list[Sequence[object]] = [("", "nodes", "histories", *scores)]
    for rule in SAMPLING:
        found = by_score(output / "all" / rule)
        used = [median(each[unit] for each in found.values()) for unit in ("nodes", "histories")]
        cells = [quartiles(found[score]) for score in scores]
        lines.append((f"`{rule}`", short(used[0]), short(used[1]), *cells))
    for rule in ("cfr", "dcfr"):
        for histories in (2e7, 6e7, 1.8e8):
            found_at = [at_histories(output / "all" / rule, score, histories) for score in scores]
            nodes = median(each[0] for each in found_at)
            lines.append((f"`{rule}`", short(nodes), short(9 * nodes), *(short(each[1]) for each in found_at)))
    return rows(*lines)


def at_histories(directory: Path, score: str, histories: float) -> tuple[float, float]:
    """Medians over the runs of the nodes and the average's exploitability where about so many were first touched."""
    firsts: dict[str, tuple[float, float]] = {}
    with open(directory / "comparison.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["score"] == score and float(row["histories_touched"]) >= 0.95 * histories:
                numbers = float(row["nodes_touched"]), float(row["average_exploitability"])
                firsts.setdefault(row["perturbation"], numbers)
    nodes, exploitability = (median(column) for column in zip(*firsts.values(), strict=True))
    return nodes, exploitability


def long_runs(output: Path) -> str:
    """After ten times as many nodes: the average with quartiles, and the current strategy."""
    scores = [f"{a}-{b}" for a, b in LONG_SCORES]
    lines: list[Sequence[object]] = [("", *(text for s in scores for text in (f"{s}, average", "current")))]
    for rule in LONG:
        found = by_score(output / "long", rule)
        cells = [text for s in scores for text in (quartiles(found[s]), short(middle(found[s], "current")))]
        lines.append((f"`{rule}`", *cells))
    return rows(*lines)


def nodes_until(output: Path) -> str:
    """Nodes to 1e-4 and to 1e-6, medians over the runs of the long ones."""
    scores = [f"{a}-{b}" for a, b in LONG_SCORES]
    limits = ("1e-04", "1e-06")
    lines: list[Sequence[object]] = [
        ("", *(f"{s} to {limit.replace('e-0', 'e-')}" for s in scores for limit in limits))
    ]
    for rule in LONG:
        found = by_score(output / "long", rule)
        reached = [found[s]["reached"][limit] for s in scores for limit in limits]
        lines.append((f"`{rule}`", *("-" if each is None else short(each["nodes"]) for each in reached)))
    return rows(*lines)


def times(output: Path) -> str:
    """How long each part took, from begin to end."""
    lines: list[Sequence[object]] = [("part", "jobs", "seconds")]
    for name, _ in all_parts(output):
        record = record_of(output / name)
        lines.append((f"`{name}`", record["jobs"], f"{record['elapsed_seconds']:.0f}"))
    return rows(*lines)
