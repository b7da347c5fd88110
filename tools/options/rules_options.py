"""The option for the rules of a round."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

import tictactoe
from tictactoe.errors import EndlessMatchError, NoFormulaError
from tictactoe.games.rules import DEFAULT_RULES, RULES, Rules, parse_odds

from ..program import as_typed
from .common import Decorator
from .parameters import Reader, shortened

ODDS = "with uneven odds of the goals win, lose and tie: 2:1:1, alone or after the name, 'filled 2:1:1'"
"""The help on what --rules takes besides a name."""


class WantedRules(NamedTuple):
    """The value of --rules. A field is None if it is left open."""

    name: str | None = None
    goal_odds: tuple[int, int, int] | None = None
    """The odds of win, lose and tie."""

    def over(self, known: Rules = Rules()) -> Rules:  # noqa: B008
        return Rules(self.name or known.name, self.goal_odds or known.goal_odds)


def wanted_rules(text: str) -> WantedRules:
    """Read a name of rules, odds, or both. Raises ValueError."""
    name, _, odds = text.rpartition(" ") if ":" in text else (text, "", "")
    if (name or not odds) and name not in RULES:
        raise ValueError(f"{shortened(name)} is not the name of any rules; known: {', '.join(RULES)}")
    try:
        return WantedRules(name or None, Rules(DEFAULT_RULES, parse_odds(odds)).goal_odds if odds else None)
    except ValueError as error:
        raise ValueError(str(error).removeprefix("goal_odds: ")) from None


class RulesReader(Reader):
    """The type of one set of rules, or of several separated by commas."""

    def __init__(self, read: Callable[[str], Any]) -> None:
        super().__init__("rules", read)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{name}") for name in RULES if name.startswith(last)]


def rules_option(default: str) -> Decorator:
    """The option `rules`, a WantedRules. default: its text in the help."""
    return click.option(
        "--rules",
        type=RulesReader(wanted_rules),
        default=WantedRules(),
        show_default=False,
        metavar="RULES",
        help="When a round ends: at the first three in a row (three-in-a-row), or when the board is filled; if both "
        "have three in a row then, both have won (filled), nobody's goal comes true (filled-none), or it is a tie "
        f"(filled-tie). {ODDS.capitalize()}.  [default: {default}]",
    )


@contextlib.contextmanager
def errors_of_formulas() -> Iterator[None]:
    try:
        yield
    except NoFormulaError as error:
        raise click.UsageError(str(error)) from error


def require_end(rules: Sequence[Rules]) -> None:
    """Raise click.UsageError if perfect players would never end a match by one of these rules."""
    from tictactoe.match import endless

    for each in rules:
        try:
            endless.check_that_it_ends(tictactoe.GameTree.build(each))
        except EndlessMatchError as error:
            raise click.UsageError(f"--rules: {error}; choose other odds, or other rules") from error


def require_rules(
    wanted: WantedRules, tree: tictactoe.GameTree, source: Path | str, position: tictactoe.Position | None = None
) -> None:
    """Raise click.UsageError unless the wanted rules and those of `position` are the tree's."""
    if (expected := wanted.over(tree.rules)) != tree.rules:
        raise click.UsageError(f"--rules: {source} is played by {tree.rules}, not by {expected}")
    if position is not None and position.rules not in (None, tree.rules):
        what = f"{source} was solved for {tree.rules}"
        raise click.UsageError(f"--position: its round is played by the rules {position.rules}, but {what}")


def rules_with_position(wanted: WantedRules, position: tictactoe.Position | None) -> Rules:
    """The wanted rules, or those of the transcript or address in --position. Raises click.UsageError if both are given
    and differ."""
    known = None if position is None else position.rules
    rules = wanted.over(known or Rules())
    if known not in (None, rules):
        raise click.UsageError(f"--position: its round is played by the rules {known}, not by {rules}")
    return rules


def shipped_by(rules: Rules) -> Path:
    """The directory of the shipped match to 5 by these rules. Raises click.UsageError if there is none."""
    from tictactoe.storage import shipped

    name = shipped.shipped_for(rules)
    if name is None:
        formula = " --algorithm formula" if rules.has_even_odds else ""
        how = f"solve-multiround{formula} {as_typed(['--rules', str(rules)])} -o DIR, then -s DIR"
        short = shipped.shipped_for(rules, "match_to_1")
        what = f"a match to 1 does (-s {short}); for more points" if short else "make one"
        raise click.UsageError(f"--rules: the program comes with no match to 5 by the rules {rules}; {what}: {how}")
    return shipped.shipped_solution(name)
