"""How the options of an earlier run differ from those of this one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..algorithms.cfr.update_rules import ALGORITHMS, update_rule
from ..errors import Difference
from ..games.rules import Rules
from ..match.file_keys import PARAMETER_KEYS, file_key

Options = Mapping[str, Any]

_NOT_SOLVED = {
    "imported_from": "it was imported, not solved",
    "compact_bits": "it is a compact copy, with nothing to solve on from",
    "polished_from": "it is exact already, made by polish-multiround",
}
"""Why no run can continue a solution, by an option that only such a solution has."""

FIXED_PARAMETERS = {name for rule in ALGORITHMS for name in update_rule(rule).parameters if name not in PARAMETER_KEYS}
"""Parameters of this library's rules that the files hold under their own names, as they are seldom changed."""


def option_differences(theirs: Options, ours: Options) -> list[Difference | str]:
    """The options in which two runs differ; or the reason, in words, why nobody can continue what is there.

    Leaves out an option that follows from another one, as the default discounts follow from the algorithm. The list is
    empty only if all options are equal.
    """
    for name, what in _NOT_SOLVED.items():
        if name in theirs and name not in ours:
            return [what]
    names = {name: None for name in sorted({*ours, *theirs}) if theirs.get(name) != ours.get(name)}
    shown = [name for name in names if not _follows(name, names, theirs, ours)]
    return [_difference(name, theirs, ours) for name in shown]


def rules_differences(theirs: str, ours: Rules) -> list[Difference | str]:
    """How the rules of two runs differ. theirs: from a file, perhaps of another version of the program."""
    if theirs == str(ours):
        return []
    try:
        there = Rules.parse(theirs)
    except ValueError:
        return [f"its rules are unknown here, {theirs!r:.60}"]
    pairs = (("rules", there.name, ours.name), ("goal_odds", there.odds_text, ours.odds_text))
    return [Difference(name, one, other) for name, one, other in pairs if one != other]


def _follows(name: str, names: Collection[str], theirs: Options, ours: Options) -> bool:
    """Whether the option `name` differs only because another one of `names` differs."""
    if "score" in names:  # the outcome values and the winning score of a round follow from its match
        return name in ("outcome_values", "winning_score")
    return "algorithm" in names and all(options.get(name) == _usual(name, options) for options in (theirs, ours))


def _usual(name: str, options: Options) -> Any:
    """The default of an option that depends on the algorithm; None for another option."""
    try:
        rule = update_rule(str(options.get("algorithm", "")))
    except ValueError:  # an algorithm of another version of the program, or no name at all
        return options.get(name) if name in FIXED_PARAMETERS else None
    usual = {PARAMETER_KEYS.get(parameter, parameter): value for parameter, value in rule.parameters.items()}
    return {**usual, **({"seed": 0} if rule.samples else {})}.get(name)


def _difference(name: str, theirs: Options, ours: Options) -> Difference | str:
    if name == file_key("rule_digest"):
        return "the code of its update rule is another one"
    if name in FIXED_PARAMETERS:
        return f"{ours.get('algorithm')} had other settings there, those of another version or of a program of your own"
    if name.startswith("polished_"):
        return "it was made from another solution, or by another version of the program"
    in_match = theirs.get("score") is not None and ours.get("score") is not None
    return Difference(name, theirs.get(name), ours.get(name), in_match)
