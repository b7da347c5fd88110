"""The options of the solving commands that say how to solve, and what they mean together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import Count, Directory, Number, TrueFalse

if TYPE_CHECKING:
    from tictactoe.match import OutcomeValues
    from tictactoe.options import SmallMoves
    from tictactoe.rules import UpdateRule

# A test holds these to tictactoe.rules: importing numpy here is slow.
SAMPLING_ALGORITHMS = ("es-mccfr",)
ALGORITHMS = ("dcfr", "cfr", "linear-cfr", "cfr+", "hs-dcfr", "pcfr+", "pdcfr+", "rpcfr+", *SAMPLING_ALGORITHMS)

_OPTIONS = [
    click.option(
        "--algorithm", type=click.Choice(ALGORITHMS), default="dcfr", show_default=True,
        help="dcfr: discounted CFR. rpcfr+, pdcfr+: predictive, much faster here. cfr, linear-cfr, cfr+: the classics. "
        "hs-dcfr: discounts on a schedule. es-mccfr: sampling, for single rounds. See docs/algorithms.md.",
    ),
    click.option(
        "--discount", type=TrueFalse(), default=None,
        help="false: do not discount, which turns dcfr into plain cfr.  [default: what the algorithm does]",
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
        help="Iteration t weighs t^gamma in the average strategy.  [default: 2 for dcfr and pcfr+, 5 for pdcfr+, 10 "
        "for rpcfr+]",
    ),
    click.option(
        "--schedule-horizon", type=Number(least=1.0, most=1e9),
        help="The iteration at which the schedule of hs-dcfr ends.  [default: 1000]",
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
    algorithm: str, discount: bool | None, alpha: float | None, beta: float | None, gamma: float | None,
    horizon: float | None,
) -> UpdateRule:  # fmt: skip
    """The update rule that the options ask for; raises click.UsageError when they contradict each other."""
    from tictactoe.options import PARAMETER_OPTIONS
    from tictactoe.rules import update_rule

    discounted = algorithm in ("linear-cfr", "dcfr", "hs-dcfr", "pdcfr+")
    if discount is False and algorithm == "dcfr":
        algorithm = "cfr"
    elif discount is False and discounted:
        other = {"pdcfr+": "pcfr+"}.get(algorithm, "cfr")
        raise click.UsageError(f"--discount false: {algorithm} is nothing without it; use --algorithm {other}")
    elif discount is True and not discounted:
        raise click.UsageError(f"--discount true: {algorithm} does not discount; use --algorithm dcfr")
    try:
        return update_rule(algorithm, alpha=alpha, beta=beta, gamma=gamma, horizon=horizon)
    except ValueError as error:
        name, _, problem = str(error).partition(":")
        option = PARAMETER_OPTIONS[name].replace("_", "-")
        raise click.UsageError(f"--{option}:{problem}") from error


def small_moves_from(epsilon: float, decay: float) -> SmallMoves:
    """The small-move bonus that the options ask for; raises click.UsageError for a decay of no bonus."""
    from tictactoe.options import SmallMoves

    if decay > 0.0 and epsilon == 0.0:
        raise click.UsageError("--small-move-epsilon-decay: there is no bonus to decay; give --small-move-epsilon too")
    return SmallMoves(epsilon, decay)


_OUTCOME_OPTIONS = [
    click.option(
        "--outcome-values", type=Number(least=-1e100, most=1e100), nargs=4, default=None,
        metavar="BOTH FIRST SECOND NEITHER",
        help="What it is worth to the first mover that both score, only the first, only the second, or neither.  "
        "[default: 0 1 -1 0]",
    ),
    click.option(
        "--score", type=Count(0), nargs=2, default=None, metavar="A B",
        help="Take the outcome values from a solved match: of the round at A points for the first mover and B.",
    ),
    click.option(
        "--values-from", type=Directory(), default=None, metavar="SOLUTION",
        help="The solved match that --score is about.",
    ),
]  # fmt: skip


def outcome_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that say which round is meant; `outcome_values_from` understands them."""
    for option in reversed(_OUTCOME_OPTIONS):
        function = option(function)
    return function


def outcome_values_from(
    given: tuple[float, ...] | None, score: tuple[int, int] | None, values_from: Path | None
) -> tuple[OutcomeValues, int | None]:
    """The outcome values that the options ask for, and the winning score of the match that they are from.

    Raises click.UsageError when the options contradict each other, and FormatError.
    """
    from tictactoe.match import SINGLE_ROUND, OutcomeValues, Score
    from tictactoe.solution import load_solution

    if (score is None) != (values_from is None):
        raise click.UsageError("--score and --values-from need each other")
    if score is None or values_from is None:
        return (OutcomeValues(*given) if given else SINGLE_ROUND), None
    if given:
        raise click.UsageError("--outcome-values and --score exclude each other")
    solution = load_solution(values_from)
    if max(score) >= solution.winning_score:
        raise click.UsageError(f"--score: {score[0]}-{score[1]} is no score of a match to {solution.winning_score}")
    try:
        return solution.outcome_values(Score(*score)), solution.winning_score
    except KeyError as error:
        raise click.UsageError(f"--values-from: {values_from} has no value for the score {error.args[0]}") from error
