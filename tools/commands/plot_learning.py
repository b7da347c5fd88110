"""plot-learning: a picture of how agents learnt, beside a solver."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import click

import tictactoe
from tictactoe.storage.json_text import json_text

from ..lazy_imports import lazily
from ..options.common import json_option, quiet_option
from ..options.declaring import argument, command_of, option
from ..options.parameters import File, PathName
from ..options.pictures import check_picture
from ..options.solving_options import ALGORITHMS
from ..program import CommandError, say, shown_path, stop_on_signals

with lazily():
    from tictactoe.figures import learning_figure, style
    from tictactoe.solving import learning_comparison


@dataclass(frozen=True)
class Options:
    agents: tuple[Path, ...] = argument(PathName(), metavar="AGENT...", nargs=-1, required=True)
    output: Path = option(
        File(), "The picture: .png, .svg or .pdf. An earlier one is replaced.", short="-o", default=Path("learning.png")
    )
    algorithm: str = option(
        click.Choice([*ALGORITHMS, "none"]),
        "The solver to draw beside them, run on the same round to as many nodes touched; see docs/algorithms.md.",
        default="rdcfr",
    )
    quiet: bool = quiet_option("Print nothing but errors.")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Draw how agents of train-agent learnt the same round.

    Above: exploitability, what a perfect player gains against their best moves, against nodes touched: the decisions
    that were played through. Below, if they learnt against an opponent: what they get against it, and the most that
    anybody can get. A solver is run beside them to as many nodes, and drawn dashed. --json prints the same as numbers.

    \b
    plot-learning agent.msgpack
    plot-learning average.msgpack q.msgpack -o learning.svg --algorithm cfr+
    """
    check_picture(given.output, "--output")
    tables = {path: tictactoe.LearntTable.load(path) for path in given.agents}
    _require_one_round(tables)
    with stop_on_signals() as stop:
        curves, best = _curves(tables, given.algorithm, stop)
    table = next(iter(tables.values()))
    score = "" if table.score is None else f", the round at {table.score} of a match to {table.winning_score}"
    title = f"Learning by trial and error: {table.rules}{score}"
    figure = learning_figure.learning_figure(curves, best, title, in_match_value=table.score is not None)
    style.save_figure(figure, given.output)
    if given.as_json:
        print(json_text(_as_dict(curves, best), indent=2))
    elif not given.quiet:
        say(f"written: {shown_path(given.output)}")


def _require_one_round(tables: dict[Path, tictactoe.LearntTable]) -> None:
    """Raises CommandError if the agents learnt different rounds, or an agent has no log yet."""
    (first, one), *others = tables.items()
    for path, table in others:
        if (table.rules, table.outcome_values) != (one.rules, one.outcome_values):
            raise CommandError(f"{path}: learnt another round than {first}: other rules or outcome values")
    for path, table in tables.items():
        if not len(table.log):
            raise CommandError(f"{path}: nothing to draw yet: it has played {table.rounds} rounds; go on with it")


def _curves(
    tables: dict[Path, tictactoe.LearntTable], algorithm: str, stop: Event
) -> tuple[list[learning_figure.LearningCurve], dict[str, float]]:
    """The curves of the agents, named as their files, and of the solver; and by opponent, the most that a player can
    get against it, the mean over both seats."""
    stems = Counter(path.stem for path in tables)
    table = next(iter(tables.values()))
    game = tictactoe.tic_tac_toe_round(table.tree, table.outcome_values)
    curves, opponents = [], {}
    for path, table in tables.items():
        against = ""
        if table.opponent_strategy is not None:
            against = Path(table.opponent).name
            opponents[against] = table.opponent_strategy
        label = path.stem if stems[path.stem] == 1 else str(path)
        curves.append(learning_figure.LearningCurve(label, table.figures, against))
    best = {name: sum(tictactoe.best_values_against(game, strategy)) / 2.0 for name, strategy in opponents.items()}
    if algorithm != "none":
        nodes = max(table.nodes for table in tables.values())
        *against_others, alone = learning_comparison.solver_figures(
            game, tictactoe.update_rule(algorithm), nodes, list(opponents.values()), stop
        )
        curves += [
            learning_figure.LearningCurve(algorithm, found, name, is_solver=True)
            for name, found in zip(opponents, against_others, strict=True)
        ] or [learning_figure.LearningCurve(algorithm, alone, is_solver=True)]
    return curves, best


def _as_dict(curves: list[learning_figure.LearningCurve], best: dict[str, float]) -> dict[str, Any]:
    return {
        "best_values": best,
        "curves": [
            {
                "label": curve.label,
                "opponent": curve.opponent or None,
                "figures": [row._asdict() for row in curve.figures],
            }
            for curve in curves
        ],
    }
