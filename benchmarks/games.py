"""How fast this library solves small games, beside OpenSpiel and LiteEFG: python benchmarks/games.py [--json]

Three libraries run the same algorithms on the same games of OpenSpiel, one thread each, one after another in one run:
- this package: CFRSolver on what `open_spiel_game` finds; besides, its fastest rule, which the others do not have;
- OpenSpiel: its compiled CFRSolver and CFRPlusSolver; also on `cached_tree`, which keeps all states of a game;
- LiteEFG, where it is installed (pip install LiteEFG pandas): its baselines CFR and CFRplus.

Time per iteration (both players, averaging included) is that of the first iterations from the uniform strategy, as many
for every library. All libraries run once in every round, and the median of the rounds counts. The time to a NashConv is
of iterations alone: checks, at iterations that grow by a tenth, are not counted. This package judges its own average
strategies and OpenSpiel's, LiteEFG its own. Seconds are of the processor, so that other programs on the machine disturb
little.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import io
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import pyspiel

from tictactoe import BuiltGame, CFRSolver, build_game, exploitability, open_spiel_game, update_rule
from tictactoe.environments.open_spiel_policies import LinkedGame, linked
from tictactoe.solving.versions import processor_name

_GOOFSPIEL = "goofspiel(imp_info=true,num_cards={},points_order=descending)"
_BATTLESHIP = (
    "battleship(board_width={},board_height=2,ship_sizes={},ship_values={},num_shots={},allow_repeated_shots=false,"
    "loss_multiplier=1.0)"
)
ITERATIONS = {
    "kuhn_poker": 2000,
    "leduc_poker(suit_isomorphism=true)": 200,
    "leduc_poker": 50,
    "liars_dice": 5,
    "matrix_rps": 2000,
    _GOOFSPIEL.format(4): 50,
    _GOOFSPIEL.format(5): 10,
    _BATTLESHIP.format(2, "[1;2]", "[1;2]", 3): 2,
    _BATTLESHIP.format(3, "[2]", "[1]", 2): 2,
}
"""The games, and how many iterations are timed in every round. Those from matrix_rps on have hidden moves."""

TARGETS = (1e-3, 1e-6)
LEAST_SECONDS = 0.05
"""A library that is faster than this repeats its iterations from the start."""

GROWTH = 1.1
FASTEST_RULE = "pdcfr+"


class Solver(Protocol):
    """A solver of any library."""

    def run(self, iterations: int) -> None:
        """Iterate."""

    def nash_conv(self) -> float:
        """Of the average strategy: the gains of best responses of both players together."""


class Ours:
    """This package."""

    def __init__(self, game: BuiltGame, rule: str) -> None:
        self._solver = CFRSolver(game, update_rule(rule))

    def run(self, iterations: int) -> None:
        self._solver.run(iterations)

    def nash_conv(self) -> float:
        return self._solver.evaluate().average_exploitability


class OpenSpiel:
    """A compiled solver of OpenSpiel."""

    def __init__(self, link: LinkedGame, solver: Any) -> None:
        self._link, self._solver = link, solver

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self._solver.evaluate_and_update_policy()

    def nash_conv(self) -> float:
        return exploitability(self._link.game, self._link.strategy(self._solver.average_policy())).total


class LiteEFG:
    """A baseline of LiteEFG, as its own `train` runs it."""

    def __init__(self, environment: Any, graph: Any, average: str) -> None:
        self._environment, self._graph, self._average = environment, graph, average
        environment.set_graph(graph)

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self._graph.update_graph(self._environment)
            self._environment.update_strategy(self._graph.current_strategy(), update_best=False)

    def nash_conv(self) -> float:
        return float(sum(self._environment.exploitability(self._graph.current_strategy(), self._average)))


@dataclass
class Figures:
    """Measurements of one library and algorithm on one game."""

    game: str
    library: str
    algorithm: str
    microseconds: list[float] = field(default_factory=list)
    """Per iteration, by round."""
    nash_conv: float = 0.0
    """After the iterations that are timed."""
    reached: dict[str, dict[str, float] | None] = field(default_factory=dict)
    """By target: iterations and seconds; None if the solver needs more than the allowed seconds."""

    @property
    def median(self) -> float:
        return statistics.median(self.microseconds)


Contender = tuple[str, str, Callable[[], Solver]]
"""The name of the library, of the algorithm, and a new solver."""


def contenders(name: str) -> Iterator[Contender]:
    """All that run on a game."""
    description = open_spiel_game(name)
    game = build_game(description)
    link = linked(game, description)
    cached = pyspiel.convert_to_cached_tree(link.open_spiel)
    for rule in ("cfr", "cfr+", FASTEST_RULE):
        yield "this package", rule, lambda rule=rule: Ours(game, rule)  # type: ignore[misc]
    for library, theirs in (("OpenSpiel", link.open_spiel), ("OpenSpiel, cached_tree", cached)):
        for rule, kind in (("cfr", pyspiel.CFRSolver), ("cfr+", pyspiel.CFRPlusSolver)):
            yield library, rule, lambda kind=kind, theirs=theirs: OpenSpiel(link, kind(theirs))  # type: ignore[misc]
    try:
        import LiteEFG as lite_efg
        from LiteEFG.baselines import CFR, CFRplus
    except ImportError:
        return
    lite_efg.set_threads(1)

    def lite(graph: Any, average: str) -> Solver:
        with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as home:
            before, os.environ["HOME"] = os.environ.get("HOME", ""), home  # where it keeps files of games
            try:
                return LiteEFG(lite_efg.OpenSpielEnv(link.open_spiel), graph.graph(), average)
            finally:
                os.environ["HOME"] = before

    yield "LiteEFG", "cfr", lambda: lite(CFR, "avg-iterate")
    yield "LiteEFG", "cfr+", lambda: lite(CFRplus, "linear-avg-iterate")


def seconds_of(function: Callable[[], object]) -> float:
    """Processor time of a call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def time_iterations(make: Callable[[], Solver], iterations: int) -> float:
    """Microseconds per iteration, of the first iterations."""
    total, runs = 0.0, 0
    while total < LEAST_SECONDS:
        solver = make()
        total += seconds_of(lambda solver=solver: solver.run(iterations))  # type: ignore[misc]
        runs += 1
    return 1e6 * total / runs / iterations


def time_to_targets(make: Callable[[], Solver], allowed: float) -> dict[str, dict[str, float] | None]:
    """By target: iterations and seconds; None after more than `allowed` seconds."""
    solver, iterations = make(), 1
    seconds = seconds_of(lambda: solver.run(1))
    result: dict[str, dict[str, float] | None] = {}
    for target in TARGETS:
        while (found := solver.nash_conv()) > target and seconds < allowed:
            step = max(1, round(iterations * (GROWTH - 1.0)))
            seconds += seconds_of(lambda step=step: solver.run(step))  # type: ignore[misc]
            iterations += step
        result[f"{target:g}"] = {"iterations": iterations, "seconds": seconds} if found <= target else None
    return result


def measure(names: Sequence[str], rounds: int, allowed: float) -> list[Figures]:
    """All figures."""
    result = []
    for name in names:
        found = [(Figures(name, library, rule), make) for library, rule, make in contenders(name)]
        for figures, make in found:
            solver = make()
            solver.run(ITERATIONS[name])  # also compiles, which is not to be measured
            figures.nash_conv = solver.nash_conv()
        for _ in range(rounds):
            for figures, make in found:
                figures.microseconds.append(time_iterations(make, ITERATIONS[name]))
        for figures, make in found:
            print(f"{name}, {figures.library}, {figures.algorithm}: to the targets", file=sys.stderr)
            figures.reached = time_to_targets(make, allowed)
        result += [figures for figures, _ in found]
    return result


def versions() -> dict[str, str]:
    """Of the libraries and of Python, and the processor."""
    found = {"Python": platform.python_version(), "processor": processor_name()}
    for package in ("smbc-tictactoe", "open_spiel", "LiteEFG", "numba", "numpy"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def table(figures: Sequence[Figures]) -> list[str]:
    """The lines of a table in Markdown. Ratios are medians over the rounds, against our run of the same algorithm."""
    heads = [f"to {target:g}" for target in TARGETS]
    lines = [
        f"| | | time of an iteration | times ours | NashConv | {' | '.join(heads)} |",
        "|---|---|---|---|---|---|---|",
    ]
    shown = ""
    for each in figures:
        if each.game != shown:
            shown, after = each.game, ITERATIONS[each.game]
            lines.append(f"| **`{shown}`** | | | | after {after} | | |")
        ours = next((other for other in figures if (other.game, other.algorithm) == (each.game, each.algorithm)), each)
        pairs = zip(each.microseconds, ours.microseconds, strict=True)
        ratio = "" if each is ours else f"{statistics.median(a / b for a, b in pairs):,.1f}"
        reached = " | ".join(_reached(each.reached[f"{target:g}"]) for target in TARGETS)
        time_text = _seconds(each.median / 1e6)
        lines.append(
            f"| {each.library} | `{each.algorithm}` | {time_text} | {ratio} | {each.nash_conv:.2e} | {reached} |"
        )
    return lines


def _reached(found: dict[str, float] | None) -> str:
    return f"{_seconds(found['seconds'])} ({found['iterations']:,.0f})" if found else "-"


def _seconds(seconds: float) -> str:
    """Three digits with a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds / 1e-6:#.3g}".rstrip(".") + " µs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", choices=list(ITERATIONS), default=list(ITERATIONS), metavar="GAME")
    parser.add_argument("--rounds", type=int, default=7, help="how often everything is timed (default: 7)")
    parser.add_argument("--seconds", type=float, default=30.0, help="at most, to reach a target (default: 30)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    arguments = parser.parse_args()
    figures = measure(arguments.games, arguments.rounds, arguments.seconds)
    if arguments.json:
        print(json.dumps({"versions": versions(), "figures": [asdict(each) for each in figures]}, indent=2))
        return
    print("\n".join(table(figures)))
    print(", ".join(f"{name} {version}" for name, version in versions().items()))


if __name__ == "__main__":
    main()
