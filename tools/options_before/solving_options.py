"""The options of the solving commands for how to solve and for the round to solve."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

import tictactoe
from tictactoe.games.rules import Rules

from ..lazy_imports import lazily
from ..options.parameters import NAME, TRUE_FALSE, Count, Number, SolutionDirectory
from ..options.solving_options import OPTIONS
from .common import true_option
from .declaring import group, option
from .rules_options import WantedRules, require_rules

with lazily():
    from tictactoe.algorithms.cfr import rule_files


def algorithms_from_option(text: str = "") -> Any:
    """Files and modules with update rules of the user. text: more help."""
    words = "Python that calls register_rule: your own rules (docs/adding-a-rule.md). It is run, so it must be trusted."
    return option(NAME, words + text, multiple=True, metavar="FILE_OR_MODULE", is_eager=True)


# A test compares these with tictactoe.algorithms.cfr.update_rules, whose import (numpy) would be slow here.
ALGORITHMS = ("rdcfr", "dcfr", "cfr", "linear-cfr", "cfr+", "hs-dcfr", "pcfr+", "pdcfr+", "rpcfr+", "es-mccfr")


class Algorithm(click.Choice):
    """The name of an algorithm, or a rule of the user, NAME[(PARAMETER=VALUE,...)]."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if ctx is not None and ctx.params["algorithms_from"] else super().convert(value, param, ctx)


@dataclass(frozen=True)
class UpdateOptions:
    """How strategies are updated."""

    algorithm: str = option(
        Algorithm(ALGORITHMS),
        "rdcfr: discounted CFR that restarts from its average. dcfr: the same without restarts, as published. "
        "hs-dcfr: discounts on a schedule. pcfr+, pdcfr+, rpcfr+: predictive. cfr, linear-cfr, cfr+: the classics. "
        "es-mccfr: sampling, for single rounds. See docs/algorithms.md.",
        default="rdcfr",
    )
    algorithms_from: tuple[str, ...] = algorithms_from_option(
        " --algorithm then takes NAME[(PARAMETER=VALUE,...)] of one of them."
    )
    discount: bool | None = option(
        TRUE_FALSE,
        "false: do not discount, which turns rdcfr and dcfr into plain cfr.  [default: what the algorithm does]",
    )
    alpha: float | None = option(
        Number(0.0, 20.0),
        "Exponent of the discount of positive regrets.  [default: 1.5 for rdcfr and dcfr, 2.3 for pdcfr+]",
        names="--discount-alpha",
    )
    beta: float | None = option(
        Number(-20.0, 20.0),
        "Exponent of the discount of negative regrets, for rdcfr and dcfr only.  [default: 0]",
        names="--discount-beta",
    )
    gamma: float | None = option(
        Number(0.0, 20.0),
        "Iteration t weighs t^gamma in the average strategy.  [default: 2 for rdcfr, dcfr and pcfr+, 5 for "
        "pdcfr+, 10 for rpcfr+]",
        names="--discount-gamma",
    )
    horizon: float | None = option(
        Number(1.0, 1e9),
        "The iteration at which the schedule of hs-dcfr ends.  [default: 1000]",
        names="--schedule-horizon",
    )
    bonus: float = option(
        Number(0.0, 1.0),
        "Bonus, in match value, for playing low-numbered squares: makes strategies simpler to describe.",
        names="--small-move-epsilon",
        default=0.0,
    )
    bonus_decay: float = option(
        Number(0.0, 1.0),
        "The part of the bonus that is lost with every iteration.",
        names="--small-move-epsilon-decay",
        default=0.0,
    )
    alternate_updates: bool = true_option(
        "true: the second player's update sees the first player's new strategy; false: both see the old ones."
    )

    def settings(self) -> dict[str, Any]:
        """Fields of MatchOptions and of GameOptions. Raises click.UsageError if the options contradict each other."""
        if self.bonus_decay > 0.0 and self.bonus == 0.0:
            raise click.UsageError(
                "--small-move-epsilon-decay: there is no bonus to decay; give --small-move-epsilon too"
            )
        exponents = {name: getattr(self, name) for name in ("alpha", "beta", "gamma", "horizon")}
        with errors_of_options():
            new = rule_files.load_rules(self.algorithms_from)
            rule = tictactoe.parse_rule(self.algorithm)
            if own := rule.name in new:
                rule_files.send_modules_of(self.algorithms_from)
            algorithm = rule.name if own else _discounting(rule.name, self.discount)
            given = {name: value for name, value in exponents.items() if value is not None}
            parameters = {**rule.parameters, **given} if algorithm == rule.name else given
            return {
                "algorithm": tictactoe.update_rule(algorithm, **parameters),
                "algorithm_sha256": rule_files.digest_of_rules(self.algorithms_from) if own else None,
                "alternate_updates": self.alternate_updates,
                "bonus_schedule": tictactoe.BonusSchedule(self.bonus, self.bonus_decay),
            }


@contextlib.contextmanager
def errors_of_options() -> Iterator[None]:
    """Turns a ValueError about a field, "field: what is wrong", into a click.UsageError about its option."""
    try:
        yield
    except ValueError as error:
        name, _, problem = str(error).partition(":")
        raise click.UsageError(f"--{OPTIONS.get(name, name).replace('_', '-')}:{problem}") from error


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


def outcome_values_option(
    text: str = "What it is worth to the first mover that both score, only the first, only the second, or neither.  "
    "[default: 0 1 -1 0]",
) -> Any:
    """The values of a round's results."""
    return option(Number(-1e100, 1e100), text, nargs=4, metavar="BOTH FIRST SECOND NEITHER")


def values_from_option(scores: str) -> Any:
    """The solved match that gives outcome values. scores: what it says of the option --score, with its verb."""
    text = f"The solved match that {scores} about; shipped: the one that comes with the program."
    return option(SolutionDirectory(), text, metavar="SOLUTION")


class Round(NamedTuple):
    """A round to be solved."""

    rules: Rules
    outcome_values: tictactoe.OutcomeValues
    winning_score: int | None
    """Of the match that the outcome values are from; None without a match."""


def round_of(
    given: tuple[float, ...] | None, score: tuple[int, int] | None, values_from: Path | None, rules: WantedRules
) -> Round:
    """The round with outcome values as given, or those of the score in the solved match.

    Raises click.UsageError when the options contradict each other, and FormatError.
    """
    if (score is None) != (values_from is None):
        raise click.UsageError("--score and --values-from need each other")
    if score is None or values_from is None:
        values = tictactoe.OutcomeValues(*given) if given else tictactoe.SINGLE_ROUND
        return Round(rules.over(), values, None)
    if given:
        raise click.UsageError("--outcome-values and --score exclude each other")
    solution, at = tictactoe.load_solution(values_from), tictactoe.Score(*score)
    if max(at) >= solution.winning_score:
        raise click.UsageError(f"--score: {at} is no score of a match to {solution.winning_score}")
    require_rules(rules, solution.tree, values_from)
    try:
        return Round(solution.tree.rules, solution.outcome_values(at), solution.winning_score)
    except KeyError as error:
        missing = f"{values_from} has no value for the score {error.args[0]}"
        raise click.UsageError(f"--values-from: {missing}") from error


@dataclass(frozen=True)
class ChosenRound:
    """The round that the options ask for."""

    rules: WantedRules = group(WantedRules, default="three-in-a-row, or those of --values-from")
    outcome_values: tuple[float, ...] | None = outcome_values_option()
    points: tuple[int, int] | None = option(
        Count(0),
        "Take the outcome values from a solved match: of the round at A points for the first mover and B.",
        names="--score",
        nargs=2,
        metavar="A B",
    )
    values_from: Path | None = values_from_option("--score is")

    @property
    def score(self) -> tictactoe.Score | None:
        """The score of the round in its match."""
        return None if self.points is None else tictactoe.Score(*self.points)

    def round(self) -> Round:
        """The round to solve."""
        return round_of(self.outcome_values, self.points, self.values_from, self.rules)
