"""Options of the solving verbs: how to solve, which round, and from which values to start."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

import tictactoe
from tictactoe.errors import NoFormulaError
from tictactoe.games.rules import Rules

from ..program import CommandError
from .common import Decorator, one_value
from .parameters import NAME, SCORE, TRUE_FALSE, Number, SolutionDirectory
from .rules_options import WantedRules, require_rules

algorithms_from_option = click.option(
    "--algorithms-from",
    type=NAME,
    multiple=True,
    metavar="FILE_OR_MODULE",
    is_eager=True,
    help="Python file that calls register_rule (docs/adding-a-rule.md) and so adds your rules to --algorithm. "
    "It is run, so it must be trusted.",
)


FORMULA = "formula"
"""The name of the closed forms, in place of an algorithm or a solution."""
# A test compares these with tictactoe.algorithms.update_rules. Importing that here would load numpy, which is slow.
FULL_WIDTH = ("rdcfr", "dcfr", "cfr", "linear-cfr", "cfr+", "hs-dcfr", "dcfr+", "pcfr+", "sapcfr+", "pdcfr+", "rpcfr+")
ALGORITHMS = (*FULL_WIDTH, "es-mccfr", "os-mccfr")


class Algorithm(click.Choice):
    """The type of NAME[(PARAMETER=VALUE,...)], for an algorithm or a user's rule."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if ctx is None or not ctx.params["algorithms_from"]:
            super().convert(value.partition("(")[0], param, ctx)
        return value


@dataclass(frozen=True)
class UpdateOptions:
    algorithm: str
    algorithms_from: tuple[str, ...]
    discount: bool | None
    discount_alpha: float | None
    discount_beta: float | None
    discount_gamma: float | None
    small_move_epsilon: float
    small_move_epsilon_decay: float
    alternate_updates: bool

    def settings(self) -> dict[str, Any]:
        """The fields of MatchOptions and GameOptions. Raises click.UsageError for contradictory options."""
        from tictactoe.algorithms import user_code

        if self.small_move_epsilon_decay > 0.0 and self.small_move_epsilon == 0.0:
            raise click.UsageError(
                "--small-move-epsilon-decay: there is no bonus that could decay; give --small-move-epsilon, too"
            )
        names = ("discount_alpha", "discount_beta", "discount_gamma")
        with errors_of_options():
            new = user_code.load_rules(self.algorithms_from)
            rule = tictactoe.parse_rule(self.algorithm)
            if own := rule.name in new:
                user_code.send_modules_of(self.algorithms_from)
            algorithm = rule.name if own else _discounting(rule.name, self.discount)
            given = {name: value for name in names if (value := getattr(self, name)) is not None}
            parameters = {**rule.parameters, **given} if algorithm == rule.name else given
            return {
                "algorithm": tictactoe.update_rule(algorithm, **parameters),
                "algorithm_sha256": user_code.digest_of_rules(self.algorithms_from) if own else None,
                "alternate_updates": self.alternate_updates,
                "small_move_epsilon": self.small_move_epsilon,
                "small_move_epsilon_decay": self.small_move_epsilon_decay,
            }


update_options = one_value(
    "updates",
    UpdateOptions,
    click.option(
        "--algorithm",
        type=Algorithm((*ALGORITHMS, FORMULA)),
        default="rdcfr",
        metavar="NAME[(PARAMETER=VALUE,...)]",
        help="rdcfr: discounted CFR that restarts from its average. dcfr: the same without restarts, as published. "
        "hs-dcfr: discounts by a schedule that ends at schedule_horizon=1000. pcfr+, sapcfr+, pdcfr+, rpcfr+: "
        "predictive algorithms. cfr, linear-cfr, cfr+, dcfr+: the classics. es-mccfr, os-mccfr: sampling, for single "
        "rounds. formula: a perfect match from closed forms, at once and without solving, for even odds of the goals. "
        "See docs/algorithms.md.",
    ),
    algorithms_from_option,
    click.option(
        "--discount",
        type=TRUE_FALSE,
        help="false: do not discount, which makes rdcfr and dcfr plain cfr.  [default: what the algorithm does]",
    ),
    click.option(
        "--discount-alpha",
        type=Number(0.0, 20.0),
        help="Exponent of the discount of positive regrets.  [default: 1.5 for rdcfr, dcfr and dcfr+, 2.3 for pdcfr+]",
    ),
    click.option(
        "--discount-beta",
        type=Number(-20.0, 20.0),
        help="Exponent of the discount of negative regrets, for rdcfr and dcfr only.  [default: 0]",
    ),
    click.option(
        "--discount-gamma",
        type=Number(0.0, 20.0),
        help="Exponent of the averaging weights: iteration t has weight t^gamma.  [default: 2 for rdcfr, dcfr, pcfr+ "
        "and sapcfr+, 4 for dcfr+, 5 for pdcfr+, 10 for rpcfr+]",
    ),
    click.option(
        "--small-move-epsilon",
        type=Number(0.0, 1.0),
        default=0.0,
        help="Bonus, in match value, for playing low-numbered squares, which makes strategies simpler to describe.",
    ),
    click.option(
        "--small-move-epsilon-decay",
        type=Number(0.0, 1.0),
        default=0.0,
        help="The fraction of the bonus that is lost in every iteration.",
    ),
    click.option(
        "--alternate-updates",
        type=TRUE_FALSE,
        default="true",
        help="true: the second player's update sees the first player's new strategy; false: both see the old ones.",
    ),
)
"""The options of how strategies are updated. They are passed as `updates`."""


OPTIONS = {"iterations": "max_iterations", "maximum_subgame_exploitability": "target"}
"""The option of each field whose name differs from the option's."""


@contextlib.contextmanager
def errors_of_options() -> Iterator[None]:
    """Turn a ValueError "field: problem" into a click.UsageError about the field's option."""
    try:
        yield
    except ValueError as error:
        name, _, problem = str(error).partition(":")
        option = f"--{OPTIONS.get(name, name).replace('_', '-')}"
        known = {spelt for each in click.get_current_context().command.params for spelt in each.opts}
        raise click.UsageError(f"{option if option in known else f'--algorithm: {name}'}:{problem}") from error


def _discounting(algorithm: str, discount: bool | None) -> str:
    discounted = algorithm in ("linear-cfr", "rdcfr", "dcfr", "hs-dcfr", "dcfr+", "pdcfr+")
    if discount is False and algorithm in ("rdcfr", "dcfr"):
        return "cfr"
    if discount is False and discounted:
        other = {"pdcfr+": "pcfr+", "dcfr+": "cfr+"}.get(algorithm, "cfr")
        raise click.UsageError(f"--discount false: {algorithm} always discounts; use --algorithm {other}")
    if discount is True and not discounted:
        raise click.UsageError(f"--discount true: {algorithm} never discounts; use --algorithm dcfr")
    return algorithm


def outcome_values_option(default: str = "0 1 -1 0") -> Decorator:
    """The option `outcome_values`. default: its text in the help."""
    return click.option(
        "--outcome-values",
        type=Number(-1e100, 1e100),
        nargs=4,
        metavar="BOTH FIRST SECOND NEITHER",
        help="Values to the first mover if both players score, only the first, only the second, or neither.  "
        f"[default: {default}]",
    )


values_from_option = click.option(
    "--values-from",
    type=SolutionDirectory(),
    metavar="SOLUTION",
    help="The solved match that has this --score; shipped: the one that comes with the program.",
)


class Round(NamedTuple):
    rules: Rules
    outcome_values: tictactoe.OutcomeValues
    winning_score: int | None
    """The winning score of the match that the outcome values are taken from; None without a match."""


def round_of(
    given: tuple[float, ...] | None, score: tuple[int, int] | None, values_from: Path | None, rules: WantedRules
) -> Round:
    """The round with the given outcome values, or those of a score in a solved match.

    Raises click.UsageError for contradictory options, and FormatError.
    """
    if (score is None) != (values_from is None):
        raise click.UsageError("--score and --values-from must be given together")
    if score is None or values_from is None:
        values = tictactoe.OutcomeValues(*given) if given else tictactoe.SINGLE_ROUND
        return Round(rules.over(), values, None)
    if given:
        raise click.UsageError("--outcome-values and --score cannot be combined")
    solution, at = tictactoe.load_solution(values_from), tictactoe.Score(*score)
    if max(at) >= solution.winning_score:
        raise click.UsageError(f"--score: {at} is not a score of a match to {solution.winning_score}")
    require_rules(rules, solution.tree, values_from)
    try:
        return Round(solution.tree.rules, solution.outcome_values(at), solution.winning_score)
    except KeyError as error:
        missing = f"{values_from} has no value for the score {error.args[0]}"
        raise click.UsageError(f"--values-from: {missing}") from error


@dataclass(frozen=True)
class ChosenRound:
    outcome_values: tuple[float, ...] | None
    score: tictactoe.Score | None
    values_from: Path | None

    @property
    def is_given(self) -> bool:
        return any(each is not None for each in (self.outcome_values, self.score, self.values_from))

    def round(self, rules: WantedRules) -> Round:
        return round_of(self.outcome_values, self.score, self.values_from, rules)


round_options = one_value(
    "chosen",
    ChosenRound,
    outcome_values_option(),
    click.option(
        "--score",
        type=SCORE,
        metavar="A-B",
        help="The round at this score of the match in --values-from, with its outcome values.",
    ),
    values_from_option,
)
"""The options that choose a round, except its rules. They are passed as `chosen`."""


class StartSource(SolutionDirectory):
    name = "formula|solution"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == FORMULA and not Path(FORMULA).exists():
            return FORMULA
        return super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        others = super().shell_complete(ctx, param, incomplete)
        return [CompletionItem(FORMULA), *others] if incomplete and FORMULA.startswith(incomplete) else others


start_option = click.option(
    "--start-from",
    type=StartSource(),
    metavar="formula|SOLUTION",
    help="Begin with these values of the scores instead of 0: those of the closed forms, or those of a solved match "
    "that is at least as long.",
)
"""The option `start_from`, which `starting_values` reads."""


class Start(NamedTuple):
    """The rules to solve by, and the values to start from."""

    rules: tictactoe.Rules
    values: dict[tictactoe.Score, float] | None
    """Match values to the first mover, by score; None to start from 0."""


def starting_values(source: str | Path | None, wanted: WantedRules, winning_score: int) -> Start:
    """Combine --start-from and --rules.

    Raises click.UsageError for other rules, CommandError if no formula is known, FormatError, and StoreError for
    missing values.
    """
    from tictactoe.solving import match_run

    if source is None:
        return Start(wanted.over(), None)
    if not isinstance(source, Path):
        rules = wanted.over()
        try:
            return Start(rules, match_run.start_values_by_formula(winning_score, rules))
        except NoFormulaError as error:
            missing = f"no closed form is known for a match to {winning_score} by the rules {rules}"
            raise CommandError(f"--start-from: {missing}; leave the option out, or name a solution") from error
    solution = tictactoe.load_solution(source)
    require_rules(wanted, solution.tree, source)
    return Start(solution.tree.rules, match_run.start_values_of(solution, winning_score))
