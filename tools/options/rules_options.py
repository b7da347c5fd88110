"""The options for the rules of a round, and comparing them with the rules of files."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tictactoe.games.rules import DEFAULT_RULES, RULES, Rules, by_rules, parse_odds

from .parameters import all_of

if TYPE_CHECKING:
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.play.notation import Position


class GoalOdds(click.ParamType):
    """The odds of the goals, win:lose:tie, as whole numbers."""

    name = "win:lose:tie"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int, int]:
        if isinstance(value, tuple):
            return value[0], value[1], value[2]
        try:
            odds = parse_odds(str(value))
            Rules(DEFAULT_RULES, odds)
        except ValueError as error:
            self.fail(str(error).removeprefix("goal_odds: "), param, ctx)
        return odds


_RULES = (
    "When a round ends: at the first three in a row, or when the board is filled; if both have three in a row then, "
    "both have won (filled), nobody's goal comes true (filled-none), or it is a tie (filled-tie)."
)


class WantedRules(NamedTuple):
    """The values of --rules and --goal-odds; None stands for an absent option."""

    name: str | None = None
    goal_odds: tuple[int, int, int] | None = None
    """Of win, lose and tie."""

    def over(self, known: Rules = Rules()) -> Rules:  # noqa: B008
        """The `known` rules, changed by the options that were given."""
        return Rules(self.name or known.name, self.goal_odds or known.goal_odds)


def rules_options(default: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds --rules and --goal-odds to a command. The command gets them as `rules`, a WantedRules.

    default: the default rules in words, for the help.
    """
    options = [
        click.option("--rules", type=click.Choice(tuple(RULES)), help=f"{_RULES}  [default: {default}]"),
        click.option(
            "--goal-odds",
            type=GoalOdds(),
            metavar="WIN:LOSE:TIE",
            help="How likely each goal is drawn, as whole numbers.  [default: 1:1:1]",
        ),
    ]

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def command(rules: str | None, goal_odds: tuple[int, int, int] | None, **others: Any) -> Any:
            return function(rules=WantedRules(rules, goal_odds), **others)

        return all_of(options, command)

    return add


@contextlib.contextmanager
def errors_of_formulas() -> Iterator[None]:
    """Turns a NoFormulaError into a click.UsageError: no closed form is known for the options' match."""
    from tictactoe.errors import NoFormulaError

    try:
        yield
    except NoFormulaError as error:
        raise click.UsageError(str(error)) from error


def require_end(rules: Sequence[Rules]) -> None:
    """Raises click.UsageError for rules by which a match between perfect players never ends."""
    from tictactoe.errors import EndlessMatchError
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.match.endless import check_that_it_ends

    for each in rules:
        try:
            check_that_it_ends(GameTree.build(each))
        except EndlessMatchError as error:
            raise click.UsageError(f"--goal-odds: {error}; choose other odds, or other rules") from error


def match_to(winning_score: int, rules: Rules | str) -> str:
    """The name of a match: match to 5, followed by the rules unless they are the default rules."""
    return f"match to {winning_score}{by_rules(rules)}"


def option_of(rules: Rules, known: Rules) -> str:
    """The option that says what sets the rules apart from those that are known."""
    return "--rules" if rules.name != known.name else "--goal-odds"


def require_rules(wanted: WantedRules, tree: GameTree, source: Path | str, position: Position | None = None) -> None:
    """Raises click.UsageError if the wanted rules, or those of `position`, are not the rules of the tree from
    `source`."""
    if (expected := wanted.over(tree.rules)) != tree.rules:
        raise click.UsageError(
            f"{option_of(expected, tree.rules)}: {source} is played by {tree.rules}, not by {expected}"
        )
    if position is not None and position.rules not in (None, tree.rules):
        what = f"{source} is solved for {tree.rules}"
        raise click.UsageError(f"--position: is by the rules {position.rules}, but {what}")


def rules_with_position(wanted: WantedRules, position: Position | None) -> Rules:
    """The wanted rules or, without them, the rules of the transcript or address that --position names.

    Raises click.UsageError if both are given and differ.
    """
    known = None if position is None else position.rules
    rules = wanted.over(known or Rules())
    if known not in (None, rules):
        raise click.UsageError(f"--position: is by the rules {known}, not by {rules}")
    return rules


def shipped_by(rules: Rules) -> Path:
    """The directory of the solved match that ships for these rules. Raises click.UsageError if no match to 5 ships."""
    from tictactoe.storage.shipped import shipped_for, shipped_solution

    name = shipped_for(rules)
    if name is None:
        odds = "" if rules.has_even_odds else f" --goal-odds {rules.odds_text}"
        solver = "solve-by-formula" if rules.has_even_odds else "solve-multiround"
        how = f"{solver} --rules {rules.name}{odds} -o DIR, then -s DIR"
        short = shipped_for(rules, "match_to_1")
        what = f"there is a match to 1, -s {short}; for more points" if short else "make one"
        option = "--rules" if rules.has_even_odds else "--goal-odds"  # nothing ships with others
        raise click.UsageError(f"{option}: no match to 5 by the rules {rules} comes with the program; {what}: {how}")
    return shipped_solution(name)
