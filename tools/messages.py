"""The words of commands for errors of the library: they name options, where the library names arguments.

The keys of files are the names of options with underscores.
"""

from __future__ import annotations

from typing import Any

from tictactoe.errors import (
    LONGEST_SHOWN,
    Difference,
    GameError,
    OtherOptionsError,
    OtherTaskError,
    Remedy,
    TicTacToeError,
    in_brief,
)

REMEDIES = {
    Remedy.BEGIN: "leave --resume out to start one",
    Remedy.REPLACE: "choose another output directory, or use --restart",
    Remedy.DISCARD: "use --restart to throw them away",
    Remedy.NEW_AGENT: "leave --continue out to begin one",
    Remedy.OTHER_TOURNAMENT: "go on with its options, choose a new directory, or replace it by tournament --restart",
    Remedy.OTHER_RESULTS: "choose another directory for --results",
    Remedy.FEWER_WORKERS: "nothing was written: try again, with fewer processes (--jobs)",
    Remedy.WINNING_SCORE: "see --winning-score",
    Remedy.NAME_SOLUTION: "name it, or another solution, with -s",
    Remedy.SOME_SOLUTION: "name a solution with -s",
    Remedy.OTHER_SOLUTION: "name another solution with -s",
    Remedy.SOLVE_MATCH_ANEW: "solve it anew: solve-multiround -o DIR --restart",
    Remedy.SOLVE_ROUND_ANEW: "solve it anew: solve-multiround -o DIR --restart (a round of its own: solve-subgame)",
    Remedy.SOLVE_GAME_ANEW: "solve it anew: solve-game GAME -o DIR --restart",
    Remedy.ANSWER_ANEW: "compute it anew: best-response-multiround -s DIR --save",
    Remedy.LEARN_ANEW: "learn it anew: train-agent -o FILE --restart",
    Remedy.WHOLE_EXPORT: "an export made with --reachable-only cannot be imported",
}

_START_FROM_DIFFERENCES = {
    (False, True): "is not given there, but here",
    (True, False): "is given there, not here",
    (True, True): "has other values there",
}
"""How start values differ, by whether (the other run, this run) has any. The files hold only a digest of them."""


def option_of(name: str) -> str:
    """The option of a field, or of a key in files."""
    return f"--{name[:LONGEST_SHOWN].replace('_', '-')}"


def words_of(problem: TicTacToeError | Difference | str) -> str:
    """A problem as a command words it."""
    if isinstance(problem, Difference):
        return _difference(problem)
    if isinstance(problem, OtherOptionsError):
        anew = "choose another output directory, or throw away what is there with --restart"
        only_options = all(isinstance(each, Difference) for each in problem.differences)
        advice = f"use the options that it was begun with, {anew}" if only_options else anew
        differences = "; ".join(in_brief(map(words_of, problem.differences)))
        return f"{problem.directory}: cannot go on with what it holds: {differences}. What to do: {advice}"
    if isinstance(problem, OtherTaskError):
        options = ", ".join(map(option_of, problem.names))
        what = f"with other options: {options}" if problem.names else "against another strategy of that name"
        how = "go on with its own by --continue, choose another output file, or throw it away with --restart"
        return f"{problem.path}: learnt {what}; {how}"
    if isinstance(problem, GameError):
        return str(problem).replace("see maximum_nodes", "see --maximum-nodes of solve-game")
    if isinstance(problem, TicTacToeError) and problem.remedy is not None:
        return f"{problem.problem}; {REMEDIES[problem.remedy]}"
    return str(problem)


def _difference(difference: Difference) -> str:
    name, there, here, in_match = difference
    if name == "start_from":
        return f"--start-from {_START_FROM_DIFFERENCES[there is not None, here is not None]}"
    if in_match and name == "outcome_values":
        return "--values-from is a solution with other values there"
    if in_match and name == "winning_score":
        return f"--values-from is a match to {_shown(there, ' ')} there, to {_shown(here, ' ')} here"
    separator = "," if name == "snapshot_at" else " "
    return f"{option_of(name)} is {_shown(there, separator)} there, {_shown(here, separator)} here"


def _shown(value: Any, separator: str) -> str:
    """The value as a user types it, cut to LONGEST_SHOWN characters. separator: between the items of a list."""
    text = _typed(value, separator)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def _typed(value: Any, separator: str) -> str:
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return separator.join(_typed(item, separator) for item in value) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
