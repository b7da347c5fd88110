"""What benchmarks/restarts.py measured: its summary, RESULTS, and the tables and pictures that are made of it."""

from __future__ import annotations

import csv
import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

LAST_BITS = 100
"""Variants from here on differ in their last bits alone."""
Halves = Mapping[str, Sequence[str]]
"""Names of games, by what the half is for."""
OURS = ("rdcfr", "restarted(epoch=200)")
COLUMNS = (*OURS, "dcfr", "cfr+", "pcfr+", "pdcfr+", "dcfr+", "sapcfr+", "hs-dcfr", "pdlp", "optimistic(1)")
"""The methods of the paper's table by game and of the pictures."""
SHORTER = [
    name for name in COLUMNS if name not in ("restarted(epoch=200)", "cfr+", "dcfr+", "hs-dcfr", "optimistic(1)")
]
"""The methods of the page's tables by game."""
VARIED = ("rdcfr", "dcfr", "cfr+", "pcfr+", "pdcfr+", "dcfr+", "sapcfr+", "rpcfr+", "hs-dcfr", "linear-cfr", "cfr")
"""The methods that must have run on a variant for it to count."""
PROGRAMS = ("pdlp", "highs")
"""Methods for the linear program, which may have run, too."""
OWN_SECONDS = 15.0
"""The limit of `most_seconds` for a game itself."""
VARIANT_SECONDS = {
    "battleship 2x2": 5.0,
    "oshi-zumo, 4 coins": 3.0,
    "oshi-zumo, 5 coins": 5.0,
    "match, 4-3": 2.0,
    "match, 2-2": 2.0,
    "match, 3-0": 2.0,
    "duel at 21": 3.0,
    "hold'em, turn": 5.0,
}
"""The limits for variants, by game. In the games that are not named, OWN_SECONDS are enough for 10,000 iterations."""
PICTURED = (
    "leduc, six cards",
    "goofspiel 5, descending",
    "battleship 2x2",
    "match, 2-2",
    "liar's dice, 6 sides",
    "hold'em, river",
)
TARGET = 1e-6
"""The NashConv that counts as solved."""
ZERO = 1e-16
"""Pictures and means take a smaller NashConv for this."""
RESULTS = Path(__file__).with_name("restarts_results.csv")


class Row(NamedTuple):
    """A line of RESULTS."""

    half: str
    """What its half of the games is for."""
    game: str
    method: str
    variant: int
    iteration: int
    visits: int
    seconds: float
    """Of the processor, without checks."""
    nash_conv: float


def most_seconds(game: str, variant: int) -> float:
    """The limit of processor time. A run ends with its first check after so many seconds; later rows do not count."""
    return VARIANT_SECONDS.get(game, OWN_SECONDS) if variant else OWN_SECONDS


def summarize(output: Path, halves: Halves, methods: Sequence[str]) -> None:
    """Write RESULTS, from the files of runs below `output`: the first check at TARGET, the last, and of PICTURED more.

    A variant counts when all of VARIED have run on it, for them and for PROGRAMS.
    """
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        for half, games in halves.items():
            for game in games:
                paths = [*(output / folder(game)).glob("*.csv")]
                runs = Counter(_number(path) for path in paths if _method(path) in VARIED)
                for method in methods:
                    for path in sorted((path for path in paths if _method(path) == method), key=_number):
                        number = _number(path)
                        if number == 0 or (method in (*VARIED, *PROGRAMS) and runs[number] == len(VARIED)):
                            more = number == 0 and game in PICTURED and method in COLUMNS
                            kept = _kept(path, most_seconds(game, number), more)
                            writer.writerows([half, game, method, number, *row] for row in kept)


def _method(path: Path) -> str:
    return path.stem.rpartition("_")[0]


def _number(path: Path) -> int:
    return int(path.stem.rpartition("_")[2])


def _kept(path: Path, limit: float, more: bool) -> Iterator[list[int | str]]:
    table = [[*map(float, row)] for row in [*csv.reader(path.open(encoding="utf-8"))][1:]]
    table = table[: 1 + next((at for at, row in enumerate(table) if row[2] > limit), len(table))]
    solved = next((row for row in table if row[3] <= TARGET), None)
    last = 0.0
    for row in table:
        if row is table[-1] or row is solved or (more and row[0] >= 1.5 * last):
            last = row[0]
            yield [*map(int, row[:2]), f"{row[2]:.4g}", f"{row[3]:.3g}"]


def folder(name: str) -> str:
    """A game's name as that of a folder."""
    return name.replace(" ", "_")


def results() -> Iterator[Row]:
    with RESULTS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            whole = (int(row[name]) for name in ("variant", "iteration", "visits"))
            real = float(row["seconds"]), float(row["nash_conv"])
            yield Row(row["half"], row["game"], row["method"], *whole, *real)


def curves() -> dict[tuple[str, str], list[Row]]:
    """The checks of the games themselves that RESULTS has, by game and method."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in results():
        if row.variant == 0:
            found.setdefault((row.game, row.method), []).append(row)
    return found


class Run(NamedTuple):
    """A method on a variant of a game."""

    variant: int
    end: Row
    """Its last check."""
    solved: Row | None
    """Its first check with a NashConv of at most TARGET."""

    @property
    def nash_conv(self) -> float:
        """In the end."""
        return max(self.end.nash_conv, ZERO)


Runs = dict[tuple[str, str], list[Run]]
"""By game and method."""


def ends() -> tuple[dict[str, list[str]], Runs]:
    """The games of the halves, and the runs."""
    found, halves, runs = dict[tuple[str, str, int], Run](), dict[str, list[str]](), Runs()
    for row in results():
        at = row.game, row.method, row.variant
        solved = found[at].solved if at in found else None
        found[at] = Run(row.variant, row, solved or (row if row.nash_conv <= TARGET else None))
        if row.game not in halves.setdefault(row.half, []):
            halves[row.half].append(row.game)
    for (game, method, _), run in found.items():
        runs.setdefault((game, method), []).append(run)
    return halves, runs


def own(runs: Sequence[Run]) -> Run:
    """The run on the game itself."""
    return next(each for each in runs if each.variant == 0)


def end(runs: Sequence[Run]) -> float:
    """NashConv in the game itself."""
    return own(runs).nash_conv


class Spread(NamedTuple):
    """NashConv over the variants of a game whose payoffs and chances differ by up to 1 %."""

    runs: int
    quartiles: list[float]
    """The median is the second."""
    worst: float


def spread(runs: Sequence[Run]) -> Spread | None:
    found = [each.nash_conv for each in runs if 0 < each.variant < LAST_BITS]
    if len(found) < 2:
        return None
    return Spread(len(found), statistics.quantiles(found, n=4, method="inclusive"), max(found))


def tables() -> str:
    """Markdown, from RESULTS: NashConv by game; both halves by method; variants by game and by rule."""
    (halves, runs), lines = ends(), list[str]()
    for title, games in halves.items():
        lines += ["", *_head([title, *(f"`{name}`" for name in SHORTER)])]
        for game in games:
            found = [runs.get((game, method)) for method in SHORTER]
            best = min(end(each) for each in found if each)
            lines.append(_line([game, *(_cell(end(each), best) if each else "" for each in found)]))
    lines += ["", *_head(["method", *method_titles(halves)])]
    lines += [_line([f"`{cells[0]}`", *cells[1:]]) for cells in by_method(halves, runs)]
    others = ("dcfr", "pdcfr+")
    lines += ["", *_head(["perturbed", "`rdcfr`", "worst", *(f"`{name}`" for name in others)])]
    for game, found in perturbed(halves, runs, ("rdcfr", *others)):
        medians = [each.quartiles[1] for each in found if each]
        ours, *theirs = (_cell(each, min(medians)) for each in medians)
        lines.append(_line([game, ours, f"{found[0].worst:.1e}" if found[0] else "", *theirs]))
    lines += ["", *_head(["rule", *VARIED_TITLES])]
    lines += [_line([f"`{cells[0]}`", *cells[1:]]) for cells in by_rule(halves, runs)]
    return "\n".join(lines[1:])


def perturbed(halves: Halves, runs: Runs, methods: Sequence[str]) -> Iterator[tuple[str, list[Spread | None]]]:
    """The games that have variants with other payoffs, and what `methods` do there.

    A method that has not run on all variants of `methods[0]` has None.
    """
    for game in (game for games in halves.values() for game in games):
        found = [spread(runs.get((game, method), [])) for method in methods]
        if first := found[0]:
            yield game, [each if each and each.runs == first.runs else None for each in found]


VARIED_TITLES = ("median at most 1e-6", "lower quartile", "median", "upper quartile", "worst", "rounding", "spread")
"""The titles of the columns of `by_rule`, after the rule."""


def by_rule(halves: Halves, runs: Runs) -> Iterator[list[str]]:
    """The cells of each rule, and of PROGRAMS: its name, then what VARIED_TITLES say.

    Perturbed games are counted if their median reaches TARGET; quartiles and the worst are geometric means over them,
    for what ran in all of them. Rounding counts the games in which every run reaches TARGET, with the game as it is and
    with other last bits. The spread is the largest ratio of the slowest to the fastest run's iterations in one of these
    games.
    """
    for rule in (*VARIED, *PROGRAMS):
        found = [each for _, [_, each] in perturbed(halves, runs, ["rdcfr", rule])]
        spreads = [each for each in found if each]
        solved = sum(each.quartiles[1] <= TARGET for each in spreads)
        columns = zip(*[(*each.quartiles, each.worst) for each in spreads], strict=True)
        means = [f"{statistics.geometric_mean(each):.1e}" if len(spreads) == len(found) else "" for each in columns]
        rounded = [
            [run.solved.iteration if run.solved else 0 for run in alike]
            for (_, method), each in runs.items()
            if method == rule and len(alike := [run for run in each if not 0 < run.variant < LAST_BITS]) > 2
        ]
        ratios = [max(each) / min(each) for each in rounded if min(each)]
        cells = [rule, f"{solved} of {len(spreads)}", *means]
        if rule == "highs":
            yield [*cells, "", ""]
        else:
            yield [*cells, f"{len(ratios)} of {len(rounded)}", f"{max(ratios):.2f}" if ratios else ""]


def method_titles(halves: Halves) -> list[str]:
    """The titles of the columns of `by_method`, after the method."""
    return [*(f"{what}, {half}" for what in ("at most 1e-6", "mean") for half in halves), *COSTS]


COSTS = {"iterations": "iteration", "visits": "visits", "seconds": "seconds"}
"""Of a run, by their title: fields of its first check at TARGET."""


def by_method(halves: Halves, runs: Runs) -> Iterator[list[str]]:
    """The cells of each method: its name, then what `method_titles` say.

    By half, that is the number of games in which it gets to TARGET, and the geometric mean of NashConv. Each of COSTS
    counts the games in which it gets there at no more than twice the least cost of any method. `highs` has no
    iterations, so it takes part in seconds only.
    """
    costs: dict[str, dict[str, dict[str, float]]] = {title: {} for title in COSTS}
    for (game, method), each in runs.items():
        if solved := own(each).solved:
            for title, field in COSTS.items():
                if method != "highs" or title == "seconds":
                    costs[title].setdefault(game, {})[method] = getattr(solved, field)
    for method in dict.fromkeys(method for _, method in runs):
        gains = [[end(runs[game, method]) for game in half if (game, method) in runs] for half in halves.values()]
        counts = [f"{sum(each <= TARGET for each in found)} of {len(found)}" for found in gains]
        means = [f"{statistics.geometric_mean(found):.1e}" if found else "" for found in gains]
        near = [
            sum(found.get(method, math.inf) <= 2.0 * min(found.values()) for found in games.values())
            for games in costs.values()
        ]
        yield [method, *counts, *means, *map(str, near)]


def _head(titles: Sequence[str]) -> list[str]:
    return [_line(titles), "|---" * len(titles) + "|"]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(gains: float, best: float) -> str:
    return f"**{gains:.1e}**" if gains <= 2.0 * best else f"{gains:.1e}"


def pictures(directory: Path) -> None:
    """Write restarts.svg and restarts_games.svg: curves of some games, and the ends of all."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "restarts"
    from matplotlib import pyplot

    colours = dict(zip(COLUMNS, ("black", "tab:red", *pyplot.get_cmap("Set2").colors, "tab:blue"), strict=True))

    checks = curves()
    games = [name for name in PICTURED if (name, "rdcfr") in checks]
    figure, axes = pyplot.subplots(2, (len(games) + 1) // 2, figsize=(10, 6.5), sharex=True, sharey=True, squeeze=False)
    for game, axis in zip(games, axes.flat, strict=False):
        for method in COLUMNS:
            if found := checks.get((game, method)):
                width = 2.2 if method in OURS else 1.0
                axis.loglog(
                    [each.iteration for each in found],
                    [max(each.nash_conv, ZERO) for each in found],
                    color=colours[method],
                    lw=width,
                    label=method,
                )
        axis.set_title(game, fontsize=10)
        axis.set_ylim(ZERO, None)
    for axis in axes[-1]:
        axis.set_xlabel("iterations")
    for axis in axes[:, 0]:
        axis.set_ylabel("NashConv")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="lower center", ncols=6, fontsize=8)
    figure.tight_layout(rect=(0.0, 0.08, 1.0, 1.0))
    figure.savefig(directory / "restarts.svg", metadata={"Date": None}, bbox_inches="tight")

    halves, runs = ends()
    names = [name for half in halves.values() for name in half if (name, "rdcfr") in runs]
    figure, axis = pyplot.subplots(figsize=(8, 0.28 * len(names) + 1))
    for method in COLUMNS:
        places = [(end(runs[name, method]), at) for at, name in enumerate(names) if (name, method) in runs]
        ours = method in OURS
        axis.plot(
            *zip(*places, strict=True), "D" if ours else "o", color=colours[method], ms=7 if ours else 4, label=method
        )
    axis.set_xscale("log")
    axis.set_yticks(range(len(names)), names, fontsize=8)
    axis.invert_yaxis()
    axis.set_xlabel("NashConv in the end")
    axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(directory / "restarts_games.svg", metadata={"Date": None}, bbox_inches="tight")
