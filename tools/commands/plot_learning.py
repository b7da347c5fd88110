"""plot-learning: a picture of how agents learnt, beside a solver."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe

from ..lazy_imports import lazily
from ..options.common import check_picture, json_option, quiet_option
from ..options.declaring import argument, command_of, option
from ..options.parameters import File, PathName
from ..options.solving_options import ALGORITHMS
from ..program import print_json, say, shown_path, stop_on_signals

with lazily():
    from tictactoe.figures import learning_figure, style


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
    """Draw how agents of train-agent learnt the same round, or the same game.

    Above: exploitability, what the best responder gains against their best moves, against nodes touched: the decisions
    that were played through. Below, if they learnt against an opponent: what they get against it, and the most that
    anybody can get. A solver is run beside them to as many nodes, and drawn dashed, but not beside agents of
    train-agent --game. --json prints the same as numbers.

    \b
    plot-learning agent.msgpack
    plot-learning average.msgpack q.msgpack -o learning.svg --algorithm cfr+
    """
    check_picture(given.output, "--output")
    solver = None if given.algorithm == "none" else (given.algorithm, tictactoe.update_rule(given.algorithm))
    with stop_on_signals() as stop:
        shown = learning_figure.learning_picture(given.agents, solver, stop)
    figure = learning_figure.learning_figure(shown.curves, shown.best, shown.title, in_match_value=shown.in_match_value)
    style.save_figure(figure, given.output)
    if given.as_json:
        print_json({"best_values": shown.best, "curves": [curve.as_dict() for curve in shown.curves]})
    elif not given.quiet:
        say(f"written: {shown_path(given.output)}")
