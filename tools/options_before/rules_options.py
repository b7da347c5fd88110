"""The options for the rules of a round, and comparing them with the rules of files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.errors import EndlessMatchError, NoFormulaError
from tictactoe.games.rules import DEFAULT_RULES, RULES, Rules, parse_odds

from ..lazy_imports import lazily
from ..options.parameters import Reader
from .declaring import option

with lazily():
    from tictactoe.match import endless
    from tictactoe.storage import shipped


def _odds(text: str) -> tuple[int, int, int]:
    try:
        return Rules(DEFAULT_RULES, parse_odds(text)).goal_odds
    except ValueError as error:
        raise ValueError(str(error).removeprefix("goal_odds: ")) from None


GOAL_ODDS = Reader("win:lose:tie", _odds)
"""The odds of the goals, as whole numbers."""

_RULES = (
    "When a round ends: at the first three in a row, or when the board is filled; if both have three in a row then, "
    "both have won (filled), nobody's goal comes true (filled-none), or it is a tie (filled-tie)."
)


@dataclass(frozen=True)
class WantedRules:
    """The values of --rules and --goal-odds; None stands for an absent option."""

    name: str | None = option(click.Choice(tuple(RULES)), f"{_RULES}  [default: {{default}}]", names="--rules")
    goal_odds: tuple[int, int, int] | None = option(
        GOAL_ODDS, "How likely each goal is drawn, as whole numbers.  [default: 1:1:1]", metavar="WIN:LOSE:TIE"
    )
    """Of win, lose and tie."""

    @property
    def are_given(self) -> bool:
        """Whether an option was given."""
        return self != WantedRules()

    def over(self, known: Rules = Rules()) -> Rules:  # noqa: B008
        """The `known` rules, changed by the options that were given."""
        return Rules(self.name or known.name, self.goal_odds or known.goal_odds)


@contextlib.contextmanager
def errors_of_formulas() -> Iterator[None]:
    """Turns a NoFormulaError into a click.UsageError: no closed form is known for the options' match."""
    try:
        yield
    except NoFormulaError as error:
        raise click.UsageError(str(error)) from error


def require_end(rules: Sequence[Rules]) -> None:
    """Raises click.UsageError for rules by which a match between perfect players never ends."""
    for each in rules:
        try:
            endless.check_that_it_ends(tictactoe.GameTree.build(each))
        except EndlessMatchError as error:
            raise click.UsageError(f"--goal-odds: {error}; choose other odds, or other rules") from error


def option_of(rules: Rules, known: Rules) -> str:
    """The option that the rules differ in from the known rules."""
    return "--rules" if rules.name != known.name else "--goal-odds"


def require_rules(
    wanted: WantedRules, tree: tictactoe.GameTree, source: Path | str, position: tictactoe.Position | None = None
) -> None:
    """Raises click.UsageError if the wanted rules, or those of `position`, are not the rules of the tree from
    `source`."""
    if (expected := wanted.over(tree.rules)) != tree.rules:
        raise click.UsageError(
            f"{option_of(expected, tree.rules)}: {source} is played by {tree.rules}, not by {expected}"
        )
    if position is not None and position.rules not in (None, tree.rules):
        what = f"{source} is solved for {tree.rules}"
        raise click.UsageError(f"--position: is by the rules {position.rules}, but {what}")


def rules_with_position(wanted: WantedRules, position: tictactoe.Position | None) -> Rules:
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
    name = shipped.shipped_for(rules)
    if name is None:
        odds = "" if rules.has_even_odds else f" --goal-odds {rules.odds_text}"
        formula = " --by-formula" if rules.has_even_odds else ""
        how = f"solve-multiround{formula} --rules {rules.name}{odds} -o DIR, then -s DIR"
        short = shipped.shipped_for(rules, "match_to_1")
        what = f"there is a match to 1, -s {short}; for more points" if short else "make one"
        option = "--rules" if rules.has_even_odds else "--goal-odds"  # nothing ships with others
        raise click.UsageError(f"{option}: no match to 5 by the rules {rules} comes with the program; {what}: {how}")
    return shipped.shipped_solution(name)
