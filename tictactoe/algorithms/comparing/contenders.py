"""The contenders of a comparison: update rules, each with the order of its updates and a label."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from ..cfr.update_rules import UpdateRule, parse_rule

SIMULTANEOUS = "simultaneous"
"""The word in the brackets that asks for simultaneous updates."""

LONGEST_LABEL = 120
"""In characters."""


@dataclass(frozen=True)
class Contender:
    """An update rule in a comparison.

    Raises ValueError for a rule that samples without alternation, and for a label that is empty, too long or cannot be
    printed.

    >>> from tictactoe import Contender, update_rule
    >>> Contender(update_rule("dcfr", alpha=2.3), alternate_updates=False).label
    'dcfr(alpha=2.3, simultaneous)'
    """

    rule: UpdateRule
    alternate_updates: bool = True
    """Whether the second player's update sees the first player's new strategy."""
    label: str = ""
    """The name in tables and pictures; by default the settings, `str(contender)`."""

    def __post_init__(self) -> None:
        self.rule.check_use(self.alternate_updates, with_bonus=False)
        label = self.label or str(self)
        if len(label) > LONGEST_LABEL or not label.isprintable() or not label.strip():
            raise ValueError(f"label: {label[:60]!r} is not 1 to {LONGEST_LABEL} characters that can be printed")
        object.__setattr__(self, "label", label)

    def __str__(self) -> str:
        if self.alternate_updates:
            return str(self.rule)
        name, _, parameters = str(self.rule).removesuffix(")").partition("(")
        return f"{name}({parameters}{', ' if parameters else ''}{SIMULTANEOUS})"

    @property
    def updates(self) -> str:
        """The order of the updates: "alternating" or "simultaneous"."""
        return "alternating" if self.alternate_updates else SIMULTANEOUS

    def restarts_until(self, iteration: int) -> tuple[int, ...]:
        """The iterations after which the rule has restarted in a run of `iteration` iterations, in order."""
        return tuple(takewhile(lambda last: last < iteration, (last for last, _ in self.rule.restarts())))


def parse_contender(text: str) -> Contender:
    """Read a contender: a rule as `parse_rule` reads it, perhaps with `simultaneous` among its parameters, perhaps with
    a label before it.

    Raises ValueError for a text that is not of that form, and as `parse_rule` and `Contender`.

    >>> from tictactoe import parse_contender
    >>> bold = parse_contender("bold = dcfr(alpha=2.3, simultaneous)")
    >>> bold.label, str(bold), bold.alternate_updates
    ('bold', 'dcfr(alpha=2.3, simultaneous)', False)
    """
    label, equals, rule = text.partition("=")
    if not equals or "(" in label:
        label, rule = "", text
    elif not label.strip():
        raise ValueError(f"algorithm: {text[:60]!r} has no label before the =")
    words = re.findall(rf"[(,]\s*{SIMULTANEOUS}\s*(?=[,)])", rule)
    if len(words) > 1:
        raise ValueError(f"{SIMULTANEOUS}: given twice in {text[:60]!r}")
    for word in words:
        rule = rule.replace(word, word[0])
    return Contender(parse_rule(rule), not words, label.strip())


def parse_contenders(text: str) -> list[Contender]:
    """Contenders separated by commas; those within brackets separate parameters. Raises ValueError as
    `parse_contender`.

    >>> from tictactoe.algorithms.comparing.contenders import parse_contenders
    >>> [each.label for each in parse_contenders("cfr, dcfr(alpha=2, gamma=4), fast=pcfr+")]
    ['cfr', 'dcfr(alpha=2, gamma=4)', 'fast']
    """
    return [parse_contender(part) for part in re.split(r",(?![^(]*\))", text)]


def distinct(given: Iterable[Contender | UpdateRule]) -> list[Contender]:
    """The contenders without repetitions. A bare rule becomes a contender with alternating updates.

    Raises ValueError for two different contenders with the same label.
    """
    found: dict[str, Contender] = {}
    for each in given:
        contender = each if isinstance(each, Contender) else Contender(each)
        known = found.setdefault(contender.label, contender)
        if str(known) != str(contender):
            raise ValueError(
                f"label: {known} and {contender} are both called {contender.label!r}; "
                "give one of them another label, as in other=dcfr"
            )
    return list(found.values())
