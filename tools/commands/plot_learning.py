"""plot-learning: a picture of how agents learnt, beside a solver."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.storage.json_text import json_text

from ..options.parameters import File, PathName, json_option
from ..options.solving_options import ALGORITHMS
from ..program import SETTINGS, CommandError, run, say, shown_path, stop_on_signals

if TYPE_CHECKING:
    from threading import Event

    from tictactoe.figures.learning_figure import LearningCurve
    from tictactoe.storage.learnt_table import LearntTable

PICTURE_ENDINGS = (".png", ".svg", ".pdf")


@click.command(context_settings=SETTINGS)
@click.argument("agents", metavar="AGENT...", nargs=-1, required=True, type=PathName())
@click.option(
    "-o",
    "--output",
    type=File(),
    default=Path("learning.png"),
    show_default=True,
    help="The picture: .png, .svg or .pdf. An earlier one is replaced.",
)
@click.option(
    "--algorithm",
    type=click.Choice([*ALGORITHMS, "none"]),
    default="rdcfr",
    show_default=True,
    help="The solver to draw beside them, run on the same round to as many nodes touched; see docs/algorithms.md.",
)
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@json_option
def command(agents: tuple[Path, ...], output: Path, algorithm: str, quiet: bool, as_json: bool) -> None:
    """Draw how agents of train-agent learnt the same round.

    Above: exploitability, what a perfect player gains against their best moves, against nodes touched: the decisions
    that were played through. Below, if they learnt against an opponent: what they get against it, and the most that
    anybody can get. A solver is run beside them to as many nodes, and drawn dashed. --json prints the same as numbers.

    \b
    plot-learning agent.msgpack
    plot-learning average.msgpack q.msgpack -o learning.svg --algorithm cfr+
    """
    from tictactoe.figures.learning_figure import learning_figure
    from tictactoe.figures.style import require_plots, save_figure
    from tictactoe.storage.learnt_table import LearntTable

    if output.suffix not in PICTURE_ENDINGS:
        raise click.UsageError(f"--output: {output.name}: the name must end with {', '.join(PICTURE_ENDINGS)}")
    require_plots()
    tables = {path: LearntTable.load(path) for path in agents}
    _require_one_round(tables)
    with stop_on_signals() as stop:
        curves, best = _curves(tables, algorithm, stop)
    table = next(iter(tables.values()))
    score = "" if table.score is None else f", the round at {table.score} of a match to {table.winning_score}"
    title = f"Learning by trial and error: {table.rules}{score}"
    figure = learning_figure(curves, best, title, in_match_value=table.score is not None)
    save_figure(figure, output)
    if as_json:
        print(json_text(_as_dict(curves, best), indent=2))
    elif not quiet:
        say(f"written: {shown_path(output)}")


def _require_one_round(tables: dict[Path, LearntTable]) -> None:
    """Raises CommandError if the agents learnt different rounds, or an agent has no log yet."""
    (first, one), *others = tables.items()
    for path, table in others:
        if (table.rules, table.outcome_values) != (one.rules, one.outcome_values):
            raise CommandError(f"{path}: learnt another round than {first}: other rules or outcome values")
    for path, table in tables.items():
        if not len(table.log):
            raise CommandError(f"{path}: nothing to draw yet: it has played {table.rounds} rounds; go on with it")


def _curves(
    tables: dict[Path, LearntTable], algorithm: str, stop: Event
) -> tuple[list[LearningCurve], dict[str, float]]:
    """The curves of the agents, named as their files, and of the solver; and by opponent, the most that a player can
    get against it, the mean over both seats."""
    from tictactoe.algorithms.cfr.update_rules import update_rule
    from tictactoe.algorithms.learning.tabular_learning import best_values_against
    from tictactoe.figures.learning_figure import LearningCurve
    from tictactoe.games.tic_tac_toe import tic_tac_toe_round
    from tictactoe.solving.learning_comparison import solver_figures

    stems = Counter(path.stem for path in tables)
    table = next(iter(tables.values()))
    game = tic_tac_toe_round(table.tree, table.outcome_values)
    curves, opponents = [], {}
    for path, table in tables.items():
        against = ""
        if table.opponent_strategy is not None:
            against = Path(table.opponent).name
            opponents[against] = table.opponent_strategy
        label = path.stem if stems[path.stem] == 1 else str(path)
        curves.append(LearningCurve(label, table.figures, against))
    best = {name: sum(best_values_against(game, strategy)) / 2.0 for name, strategy in opponents.items()}
    if algorithm != "none":
        nodes = max(table.nodes for table in tables.values())
        *against_others, alone = solver_figures(game, update_rule(algorithm), nodes, list(opponents.values()), stop)
        curves += [
            LearningCurve(algorithm, found, name, is_solver=True)
            for name, found in zip(opponents, against_others, strict=True)
        ] or [LearningCurve(algorithm, alone, is_solver=True)]
    return curves, best


def _as_dict(curves: list[LearningCurve], best: dict[str, float]) -> dict[str, Any]:
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


main = partial(run, command)
