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
_MOST_SHOWN = 20

_NOT_SOLVED = {
    "imported_from": "it was imported, not solved",
    "compact_bits": "it is a compact copy, with nothing to solve on from",
    "polished_from": "it is exact already, made by polish-multiround",
}
"""What a solution is, if its options have this field, and why it is not gone on with."""
_INNER = ("first_restart", "second_restart", "shrink", "grow", "blend", "full_average", "draw_own_type")
"""Parameters of algorithms that no command has an option for."""
_START_FROM = {
    (False, True): "is not given there, but here",
    (True, False): "is given there, not here",
    (True, True): "has other values there",
}
"""What differs, by whether it is given there and here: what files hold is a digest, which nobody types."""


def option_differences(theirs: Options, ours: Options) -> list[str]:
    """Every option that two runs have different, such as "--algorithm is rdcfr there, dcfr here".

    What merely follows from another one, as the usual discounts do from the algorithm, is left out; the list is empty
    only if nothing differs.
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
    """The same for the rules of two runs; theirs as a file names them, perhaps one of another version."""
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
    """Whether an option differs because another one of `names` does."""
    if "score" in names:  # of a round: its outcome values and the match are those of --values-from
        return name in ("outcome_values", "winning_score")
    return "algorithm" in names and all(options.get(name) == _usual(name, options) for options in (theirs, ours))


def _usual(name: str, options: Options) -> Any:
    """What an option is unless it is given, as far as that depends on the algorithm. None for all others."""
    try:
        rule = update_rule(str(options.get("algorithm", "")))
    except ValueError:  # of another version of the program, or no name at all
        return options.get(name) if name in _INNER else None
    usual = {OPTION_NAMES.get(parameter, parameter): value for parameter, value in rule.parameters.items()}
    return {**usual, **({"seed": 0} if rule.samples else {})}.get(name)


def _difference(name: str, theirs: Options, ours: Options) -> str:
    if name in _INNER:
        return f"{ours.get('algorithm')} had other settings there, those of another version or of a program of your own"
    if name.startswith("polished_"):
        return "it was made from another solution, or by another version of the program"
    there, here = theirs.get(name), ours.get(name)
    if name == "start_from":
        return f"--start-from {_START_FROM[there is not None, here is not None]}"
    in_match = theirs.get("score") is not None and ours.get("score") is not None
    if in_match and name == "outcome_values":
        return "--values-from is a solution with other values there"
    if in_match and name == "winning_score":
        return f"--values-from is a match to {_shown(there, ' ')} there, to {_shown(here, ' ')} here"
    separator = "," if name == "snapshot_at" else " "
    option = name[:_LONGEST_SHOWN].replace("_", "-")
    return f"--{option} is {_shown(there, separator)} there, {_shown(here, separator)} here"


def _shown(value: Any, separator: str) -> str:
    """As it is typed, as far as an error has room for it; separator: between the items of a list."""
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
