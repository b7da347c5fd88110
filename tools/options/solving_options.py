"""The options of the solving commands for how to solve, combined into one value."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tictactoe.games.rules import Rules

from .parameters import Count, Number, SolutionDirectory, TrueFalse, all_of, true_option
from .rules_options import WantedRules, require_rules, rules_options

if TYPE_CHECKING:
    from tictactoe.algorithms.cfr.update_rules import UpdateRule
    from tictactoe.algorithms.game import BonusSchedule
    from tictactoe.games.goals import OutcomeValues

# A test compares these with tictactoe.algorithms.cfr.update_rules, whose import (numpy) would be slow here.
ALGORITHMS = ("rdcfr", "dcfr", "cfr", "linear-cfr", "cfr+", "hs-dcfr", "pcfr+", "pdcfr+", "rpcfr+", "es-mccfr")

_UPDATE_OPTIONS = [
    click.option(
        "--algorithm",
        type=click.Choice(ALGORITHMS),
        default="rdcfr",
        show_default=True,
        help="rdcfr: discounted CFR that restarts from its average. dcfr: the same without restarts, as published. "
        "hs-dcfr: discounts on a schedule. pcfr+, pdcfr+, rpcfr+: predictive. cfr, linear-cfr, cfr+: the classics. "
        "es-mccfr: sampling, for single rounds. See docs/algorithms.md.",
    ),
    click.option(
        "--discount",
        type=TrueFalse(),
        help="false: do not discount, which turns rdcfr and dcfr into plain cfr.  [default: what the algorithm does]",
    ),
    click.option(
        "--discount-alpha",
        type=Number(0.0, 20.0),
        help="Exponent of the discount of positive regrets.  [default: 1.5 for rdcfr and dcfr, 2.3 for pdcfr+]",
    ),
    click.option(
        "--discount-beta",
        type=Number(-20.0, 20.0),
        help="Exponent of the discount of negative regrets, for rdcfr and dcfr only.  [default: 0]",
    ),
    click.option(
        "--discount-gamma",
        type=Number(0.0, 20.0),
        help="Iteration t weighs t^gamma in the average strategy.  [default: 2 for rdcfr, dcfr and pcfr+, 5 for "
        "pdcfr+, 10 for rpcfr+]",
    ),
    click.option(
        "--schedule-horizon",
        type=Number(1.0, 1e9),
        help="The iteration at which the schedule of hs-dcfr ends.  [default: 1000]",
    ),
    click.option(
        "--small-move-epsilon",
        type=Number(0.0, 1.0),
        default=0.0,
        show_default=True,
        help="Bonus, in match value, for playing low-numbered squares: makes strategies simpler to describe.",
    ),
    click.option(
        "--small-move-epsilon-decay",
        type=Number(0.0, 1.0),
        default=0.0,
        show_default=True,
        help="The part of the bonus that is lost with every iteration.",
    ),
    true_option(
        "--alternate-updates",
        "true: the second player's update sees the first player's new strategy; false: both see the old ones.",
    ),
]


@dataclass(frozen=True)
class UpdateOptions:
    """How strategies are updated. The fields have the names of fields of MatchOptions and RoundOptions."""

    rule: UpdateRule
    alternate_updates: bool
    bonus_schedule: BonusSchedule


def update_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for updates to a command. The command gets them as `updates`, an UpdateOptions.

    The command raises click.UsageError when the options contradict each other.
    """

    @functools.wraps(function)
    def command(
        algorithm: str,
        discount: bool | None,
        discount_alpha: float | None,
        discount_beta: float | None,
        discount_gamma: float | None,
        schedule_horizon: float | None,
        small_move_epsilon: float,
        small_move_epsilon_decay: float,
        alternate_updates: bool,
        **others: Any,
    ) -> Any:
        from tictactoe.algorithms.cfr.update_rules import update_rule
        from tictactoe.algorithms.game import BonusSchedule

        if small_move_epsilon_decay > 0.0 and small_move_epsilon == 0.0:
            raise click.UsageError(
                "--small-move-epsilon-decay: there is no bonus to decay; give --small-move-epsilon too"
            )
        algorithm = _discounting(algorithm, discount)
        with errors_of_options():
            rule = update_rule(
                algorithm, alpha=discount_alpha, beta=discount_beta, gamma=discount_gamma, horizon=schedule_horizon
            )
            bonus_schedule = BonusSchedule(small_move_epsilon, small_move_epsilon_decay)
        return function(updates=UpdateOptions(rule, alternate_updates, bonus_schedule), **others)

    return all_of(_UPDATE_OPTIONS, command)


@contextlib.contextmanager
def errors_of_options() -> Iterator[None]:
    """Turns a ValueError about a field, "field: what is wrong", into a click.UsageError about its option."""
    from ..messages import option_of

    try:
        yield
    except ValueError as error:
        name, _, problem = str(error).partition(":")
        raise click.UsageError(f"{option_of(name)}:{problem}") from error


def _discounting(algorithm: str, discount: bool | None) -> str:
    """The algorithm that --algorithm and --discount ask for together."""
    discounted = algorithm in ("linear-cfr", "rdcfr", "dcfr", "hs-dcfr", "pdcfr+")
    if discount is False and algorithm in ("rdcfr", "dcfr"):
        return "cfr"
    if discount is False and discounted:
        other = {"pdcfr+": "pcfr+"}.get(algorithm, "cfr")
        raise click.UsageError(f"--discount false: {algorithm} is nothing without it; use --algorithm {other}")
    if discount is True and not discounted:
        raise click.UsageError(f"--discount true: {algorithm} does not discount; use --algorithm dcfr")
    return algorithm


def outcome_values_option(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option for the values of a round's results."""
    return click.option(
        "--outcome-values", type=Number(-1e100, 1e100), nargs=4, metavar="BOTH FIRST SECOND NEITHER", help=text
    )


result_values_option = outcome_values_option(
    "What it is worth to the first mover that both score, only the first, only the second, or neither.  "
    "[default: 0 1 -1 0]"
)

_ROUND_OPTIONS = [
    result_values_option,
    click.option(
        "--score",
        type=Count(0),
        nargs=2,
        metavar="A B",
        help="Take the outcome values from a solved match: of the round at A points for the first mover and B.",
    ),
    click.option(
        "--values-from",
        type=SolutionDirectory(),
        metavar="SOLUTION",
        help="The solved match that --score is about; shipped: the one that comes with the program.",
    ),
]


class FoundRound(NamedTuple):
    """A round to be solved."""

    rules: Rules
    outcome_values: OutcomeValues
    winning_score: int | None
    """Of the match that the outcome values are from; None without a match."""


@dataclass(frozen=True)
class ChosenRound:
    """The round that the options ask for."""

    given: tuple[float, ...] | None
    """Of --outcome-values."""
    score: tuple[int, int] | None
    """Of --score: points of the first and of the second mover."""
    values_from: Path | None
    """The solution whose match the score belongs to."""
    wanted_rules: WantedRules

    def found(self) -> FoundRound:
        """The round to solve, with outcome values as given or from the solved match.

        Raises click.UsageError when the options contradict each other, and FormatError.
        """
        from tictactoe.games.goals import SINGLE_ROUND, OutcomeValues
        from tictactoe.match.scores import Score
        from tictactoe.storage.solution import load_solution

        if (self.score is None) != (self.values_from is None):
            raise click.UsageError("--score and --values-from need each other")
        if self.score is None or self.values_from is None:
            values = OutcomeValues(*self.given) if self.given else SINGLE_ROUND
            return FoundRound(self.wanted_rules.over(), values, None)
        if self.given:
            raise click.UsageError("--outcome-values and --score exclude each other")
        solution, score = load_solution(self.values_from), Score(*self.score)
        if max(score) >= solution.winning_score:
            raise click.UsageError(f"--score: {score} is no score of a match to {solution.winning_score}")
        require_rules(self.wanted_rules, solution.tree, self.values_from)
        try:
            return FoundRound(solution.tree.rules, solution.outcome_values(score), solution.winning_score)
        except KeyError as error:
            missing = f"{self.values_from} has no value for the score {error.args[0]}"
            raise click.UsageError(f"--values-from: {missing}") from error


def round_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for a round to a command. The command gets them as `chosen`, a ChosenRound."""

    @functools.wraps(function)
    def command(
        outcome_values: tuple[float, ...] | None,
        score: tuple[int, int] | None,
        values_from: Path | None,
        rules: WantedRules,
        **others: Any,
    ) -> Any:
        return function(chosen=ChosenRound(outcome_values, score, values_from, rules), **others)

    return all_of([rules_options("three-in-a-row, or those of --values-from"), *_ROUND_OPTIONS], command)
