"""How the options of an earlier run differ from those of this one, in the words of the commands."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ..algorithms.cfr.update_rules import update_rule
from ..errors import StoreError
from ..games.rules import Rules
from ..match.options import OPTION_NAMES

Options = Mapping[str, Any]

_LONGEST_SHOWN = 200
"""Characters of an option's name or value in an error, at most."""
_MOST_SHOWN = 20
"""Differences in an error, at most."""

_NOT_SOLVED = {
    "imported_from": "it was imported, not solved",
    "compact_bits": "it is a compact copy, with nothing to solve on from",
    "polished_from": "it is exact already, made by polish-multiround",
}
"""Why no run can continue a solution, by an option that only such a solution has."""
_PARAMETERS_WITHOUT_OPTION = (
    "first_restart",
    "second_restart",
    "shrink",
    "grow",
    "blend",
    "full_average",
    "draw_own_type",
)
"""Parameters of algorithms that no command offers as an option."""
_START_FROM_DIFFERENCES = {
    (False, True): "is not given there, but here",
    (True, False): "is given there, not here",
    (True, True): "has other values there",
}
"""How start values differ, by whether (the other run, this run) has any. The files hold only a digest of them."""


def option_differences(theirs: Options, ours: Options) -> list[str]:
    """The options in which two runs differ, in words: "--algorithm is rdcfr there, dcfr here".

    Leaves out an option that follows from another one, as the default discounts follow from the algorithm. The list is
    empty only if all options are equal.
    """
    for name, what in _NOT_SOLVED.items():
        if name in theirs and name not in ours:
            return [what]
    names = {name: None for name in sorted({*ours, *theirs}) if theirs.get(name) != ours.get(name)}
    left_out = {name for name in names if _follows(name, names, theirs, ours)}
    differences = list(dict.fromkeys(_difference(name, theirs, ours) for name in names if name not in left_out))
    more = len(differences) - _MOST_SHOWN
    return [*differences[:_MOST_SHOWN], f"and {more} more"] if more > 0 else differences


def rules_differences(theirs: str, ours: Rules) -> list[str]:
    """How the rules of two runs differ, in words. theirs: from a file, perhaps of another version of the program."""
    if theirs == str(ours):
        return []
    try:
        there = Rules.parse(theirs)
    except ValueError:
        return [f"its rules are unknown here, {theirs!r:.60}"]
    pairs = (("rules", there.name, ours.name), ("goal-odds", there.odds_text, ours.odds_text))
    return [f"--{option} is {one} there, {other} here" for option, one, other in pairs if one != other]


def other_options(directory: Path, differences: list[str]) -> StoreError:
    """The error for a directory that holds a run with other options."""
    advice = "choose another output directory, or throw away what is there with --restart"
    if all(difference.startswith("--") for difference in differences):
        advice = f"use the options that it was begun with, {advice}"
    return StoreError(f"{directory}: cannot go on with what it holds: {'; '.join(differences)}. What to do: {advice}")


def _follows(name: str, names: Collection[str], theirs: Options, ours: Options) -> bool:
    """Whether the option `name` differs only because another one of `names` differs."""
    if "score" in names:  # a round takes outcome values and winning score from the solution of --values-from
        return name in ("outcome_values", "winning_score")
    return "algorithm" in names and all(options.get(name) == _usual(name, options) for options in (theirs, ours))


def _usual(name: str, options: Options) -> Any:
    """The default of an option that depends on the algorithm; None for another option."""
    try:
        rule = update_rule(str(options.get("algorithm", "")))
    except ValueError:  # an algorithm of another version of the program, or no name at all
        return options.get(name) if name in _PARAMETERS_WITHOUT_OPTION else None
    usual = {OPTION_NAMES.get(parameter, parameter): value for parameter, value in rule.parameters.items()}
    return {**usual, **({"seed": 0} if rule.samples else {})}.get(name)


def _difference(name: str, theirs: Options, ours: Options) -> str:
    if name in _PARAMETERS_WITHOUT_OPTION:
        return f"{ours.get('algorithm')} had other settings there, those of another version or of a program of your own"
    if name.startswith("polished_"):
        return "it was made from another solution, or by another version of the program"
    there, here = theirs.get(name), ours.get(name)
    if name == "start_from":
        return f"--start-from {_START_FROM_DIFFERENCES[there is not None, here is not None]}"
    in_match = theirs.get("score") is not None and ours.get("score") is not None
    if in_match and name == "outcome_values":
        return "--values-from is a solution with other values there"
    if in_match and name == "winning_score":
        return f"--values-from is a match to {_shown(there, ' ')} there, to {_shown(here, ' ')} here"
    separator = "," if name == "snapshot_at" else " "
    option = name[:_LONGEST_SHOWN].replace("_", "-")
    return f"--{option} is {_shown(there, separator)} there, {_shown(here, separator)} here"


def _shown(value: Any, separator: str) -> str:
    """The value as a user types it, cut to _LONGEST_SHOWN characters. separator: between the items of a list."""
    text = _typed(value, separator)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def _typed(value: Any, separator: str) -> str:
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return separator.join(_typed(item, separator) for item in value) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
