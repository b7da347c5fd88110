"""The options of the solving commands that say how to solve, and what they mean together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from .common import Number, TrueFalse

if TYPE_CHECKING:
    from tictactoe.options import SmallMoves
    from tictactoe.rules import UpdateRule

ALGORITHMS = ("dcfr", "cfr", "cfr+", "pdcfr+")  # a test holds it to tictactoe.rules: importing numpy here is slow

_OPTIONS = [
    click.option(
        "--algorithm", type=click.Choice(ALGORITHMS), default="dcfr", show_default=True,
        help="dcfr: discounted CFR. pdcfr+: predictive discounted CFR+, much faster here. cfr, cfr+: the classics.",
    ),
    click.option(
        "--discount", type=TrueFalse(), default=None,
        help="false: do not discount, which turns dcfr into plain cfr.  [default: true with dcfr and pdcfr+]",
    ),
    click.option(
        "--discount-alpha", type=Number(least=0.0, most=20.0),
        help="Exponent of the discount of positive regrets.  [default: 1.5 for dcfr, 2.3 for pdcfr+]",
    ),
    click.option(
        "--discount-beta", type=Number(least=-20.0, most=20.0),
        help="Exponent of the discount of negative regrets, dcfr only.  [default: 0]",
    ),
    click.option(
        "--discount-gamma", type=Number(least=0.0, most=20.0),
        help="Iteration t weighs t^gamma in the average strategy.  [default: 2 for dcfr, 5 for pdcfr+]",
    ),
    click.option(
        "--small-move-epsilon", type=Number(least=0.0, most=1.0), default=0.0, show_default=True,
        help="Bonus, in match value, for playing low-numbered squares: makes strategies simpler to describe.",
    ),
    click.option(
        "--small-move-epsilon-decay", type=Number(least=0.0, most=1.0), default=0.0, show_default=True,
        help="The part of the bonus that is lost with every iteration.",
    ),
    click.option(
        "--alternate-updates", type=TrueFalse(), default="true", show_default=True,
        help="true: the second player's update sees the first player's new strategy; false: both see the old ones.",
    ),
]  # fmt: skip


def solving_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to a command; `rule_from` and `small_moves_from` understand them."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def rule_from(
    algorithm: str, discount: bool | None, alpha: float | None, beta: float | None, gamma: float | None
) -> UpdateRule:
    """The update rule that the options ask for; raises click.UsageError when they contradict each other."""
    from tictactoe.rules import update_rule

    discounted = algorithm in ("dcfr", "pdcfr+")
    if discount is False:
        if algorithm == "pdcfr+":
            raise click.UsageError("--discount false: pdcfr+ is nothing without its discount; use --algorithm cfr+")
        algorithm = "cfr" if algorithm == "dcfr" else algorithm
    elif discount is True and not discounted:
        raise click.UsageError(f"--discount true: {algorithm} does not discount; use --algorithm dcfr")
    try:
        return update_rule(algorithm, alpha=alpha, beta=beta, gamma=gamma)
    except ValueError as error:
        raise click.UsageError(f"--discount-{error}") from error


def small_moves_from(epsilon: float, decay: float) -> SmallMoves:
    """The small-move bonus that the options ask for; raises click.UsageError for a decay of no bonus."""
    from tictactoe.options import SmallMoves

    if decay > 0.0 and epsilon == 0.0:
        raise click.UsageError("--small-move-epsilon-decay: there is no bonus to decay; give --small-move-epsilon too")
    return SmallMoves(epsilon, decay)
