"""What benchmarks/restarts.py measured: its summary, RESULTS, and the tables and pictures that are made of it."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

LAST_BITS = 100
"""Variants above differ in their last bits alone."""
Halves = Mapping[str, Sequence[str]]
"""Names of games, by what the half is for."""
OURS = ("rdcfr", "restarted(epoch=200)")
COLUMNS = (*OURS, "dcfr", "cfr+", "pcfr+", "pdcfr+", "dcfr+", "sapcfr+", "hs-dcfr", "pdlp", "optimistic(1)")
"""The methods of the tables by game and of the pictures."""
PICTURED = (
    "leduc, six cards",
    "goofspiel 5, descending",
    "battleship 2x2",
    "match, 2-2",
    "liar's dice, 6 sides",
    "hold'em, river",
)
TARGET = 1e-6
"""The NashConv of `Row.reached`."""
ZERO = 1e-16
"""What is less is drawn and averaged as this."""
RESULTS = Path(__file__).with_name("restarts_results.csv")


class Row(NamedTuple):
    """A line of RESULTS."""

    game: str
    method: str
    variant: int
    iteration: int
    visits: int
    seconds: float
    """Of the processor, without checks."""
    nash_conv: float
    reached: int
    """In a run's last row the first check at which NashConv is at most TARGET; 0 if there is none."""


def summarize(output: Path) -> None:
    """Write RESULTS: of variant 0 some checks, of the others the last one."""
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        for path in sorted(output.glob("*/*.csv")):
            method, _, number = path.stem.rpartition("_")
            table = [[*map(float, row)] for row in [*csv.reader(path.open(encoding="utf-8"))][1:]]
            reached = next((row[0] for row in table if row[3] <= TARGET), 0.0)
            kept = 0.0
            for row in table:
                if row is table[-1] or (number == "0" and row[0] >= 1.5 * kept):
                    kept = row[0]
                    numbers = [f"{row[2]:.4g}", f"{row[3]:.3g}", int(reached) if row is table[-1] else 0]
                    writer.writerow([path.parent.name.replace("_", " "), method, number, *map(int, row[:2]), *numbers])


def results() -> Iterator[Row]:
    with RESULTS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            whole = (int(row[name]) for name in ("variant", "iteration", "visits"))
            yield Row(
                row["game"], row["method"], *whole, float(row["seconds"]), float(row["nash_conv"]), int(row["reached"])
            )


def ends() -> dict[tuple[str, str], list[Row]]:
    """The last rows of the runs, by game and method."""
    found: dict[tuple[str, str, int], Row] = {each[:3]: each for each in results()}
    runs: dict[tuple[str, str], list[Row]] = {}
    for row in found.values():
        runs.setdefault((row.game, row.method), []).append(row)
    return runs


def middle(runs: list[Row]) -> float:
    """The median of NashConv over the game and its variants but those of rounding."""
    return statistics.median(max(each.nash_conv, ZERO) for each in runs if each.variant <= LAST_BITS)


def tables(halves: Halves, methods: Iterable[str]) -> str:
    """Markdown, from RESULTS: NashConv by game; both halves by method; what rounding does."""
    runs, lines = ends(), list[str]()
    there = {game for game, _ in runs}
    parts = {title: [name for name in half if name in there] for title, half in halves.items()}
    for title, games in parts.items():
        lines += [
            "",
            f"| {title} | " + " | ".join(f"`{name}`" for name in COLUMNS) + " |",
            "|---" * (len(COLUMNS) + 1) + "|",
        ]
        for game in games:
            found = [runs.get((game, method)) for method in COLUMNS]
            best = min(middle(each) for each in found if each)
            lines.append(_line([game, *(_cell(middle(each), best) if each else "" for each in found)]))
    lines += ["", "| method | below 1e-6, chosen on | shown | mean, chosen on | shown | rounding |", "|---" * 6 + "|"]
    for method in methods:
        counts, means = list[str](), list[str]()
        for games in parts.values():
            gains = [middle(runs[game, method]) for game in games if (game, method) in runs]
            counts.append(f"{sum(each <= TARGET for each in gains)} of {len(gains)}")
            means.append(f"{statistics.geometric_mean(gains):.1e}" if gains else "")
        spreads = list[float]()
        for game in there:
            reached = [each.reached for each in runs.get((game, method), []) if each.variant > LAST_BITS]
            if reached and min(reached):
                spreads.append(max(reached) / min(reached))
        spread = f"{statistics.median(spreads):.2f} to {max(spreads):.2f}" if spreads else ""
        lines.append(_line([f"`{method}`", *counts, *means, spread]))
    return "\n".join(lines[1:])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(gains: float, best: float) -> str:
    return f"**{gains:.1e}**" if gains <= 2.0 * best else f"{gains:.1e}"


def pictures(folder: Path, halves: Halves) -> None:
    """Write restarts.svg and restarts_games.svg: curves of some games, and the ends of all."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "restarts"
    from matplotlib import pyplot

    curves: dict[tuple[str, str], list[Row]] = {}
    for row in results():
        if row.variant == 0:
            curves.setdefault((row.game, row.method), []).append(row)
    games = [name for name in PICTURED if (name, "rdcfr") in curves]
    figure, axes = pyplot.subplots(2, (len(games) + 1) // 2, figsize=(10, 6), sharex=True, sharey=True, squeeze=False)
    for game, axis in zip(games, axes.flat, strict=False):
        for method in COLUMNS:
            if found := curves.get((game, method)):
                width = 2.2 if method in OURS else 1.0
                axis.loglog(
                    [each.iteration for each in found],
                    [max(each.nash_conv, ZERO) for each in found],
                    lw=width,
                    label=method,
                )
        axis.set_title(game, fontsize=10)
        axis.set_ylim(ZERO, None)
    for axis in axes[-1]:
        axis.set_xlabel("iterations")
    for axis in axes[:, 0]:
        axis.set_ylabel("NashConv")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=6, fontsize=8)
    figure.savefig(folder / "restarts.svg", metadata={"Date": None}, bbox_inches="tight")

    runs = ends()
    names = [name for half in halves.values() for name in half if (name, "rdcfr") in runs]
    figure, axis = pyplot.subplots(figsize=(8, 0.28 * len(names) + 1))
    for method in COLUMNS:
        places = [(middle(runs[name, method]), at) for at, name in enumerate(names) if (name, method) in runs]
        ours = method in OURS
        axis.plot(*zip(*places, strict=True), "D" if ours else "o", ms=7 if ours else 4, label=method)
    axis.set_xscale("log")
    axis.set_yticks(range(len(names)), names, fontsize=8)
    axis.invert_yaxis()
    axis.set_xlabel("NashConv in the end")
    axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(folder / "restarts_games.svg", metadata={"Date": None}, bbox_inches="tight")
