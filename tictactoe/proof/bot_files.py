"""Reading the bot that a certificate is about out of the files of a solution."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from ..errors import FormatError
from ..match.scores import LARGEST_WINNING_SCORE, Score
from ..storage.directory_layout import SOLUTION_FILE, snapshot_name, subgame_name
from ..storage.file_format import read_file
from .checker import RESULTS, AdversaryState, Group, after_round, groups_in_solve_order
from .checker_rules import Rules, read_rules
from .checker_tree import fingerprint, reduced_tree

Fields = TypeVar("Fields")
_fingerprint = cache(lambda rules: fingerprint(reduced_tree(rules)))


@dataclass(frozen=True)
class BotFiles:
    """What solution.msgpack says: values to the first mover (only a place to start from) and files, by score."""

    directory: Path
    rules: Rules
    winning_score: int
    values: Mapping[Score, float]
    files: Mapping[Score, str]  # relative to the directory


class _Subgame(msgspec.Struct):
    score: tuple[int, int]
    value: float
    iteration: Annotated[int, msgspec.Meta(ge=0, lt=10**12)]


class _Record(msgspec.Struct):
    """What is read of solution.msgpack."""

    winning_score: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_WINNING_SCORE)]
    subgames: list[_Subgame]


def read_solution(directory: Path) -> BotFiles:
    """Raises FormatError when there is no solution there, or none of a tree that the checker builds."""
    path = directory / SOLUTION_FILE
    if not path.exists():
        raise FormatError(directory, f"no solution here: {SOLUTION_FILE} is missing")
    content = read_file(path, "solution")
    rules = rules_in(path, content)
    record = fields_of(path, content, _Record)
    values: dict[Score, float] = {}
    files: dict[Score, str] = {}
    for entry in record.subgames:
        score = Score(*entry.score)
        if score in files or not 0 <= min(score) <= max(score) < record.winning_score:
            raise FormatError(path, f"subgames: score {score} stands twice, or there is no such score")
        values[score] = entry.value
        files[score] = f"{subgame_name(score)}/{snapshot_name(entry.iteration)}"
    return BotFiles(directory, rules, record.winning_score, values, files)


def fields_of(path: Path, content: Mapping[str, Any], kind: type[Fields]) -> Fields:
    """The fields of a msgspec.Struct out of a file's content. Raises FormatError, naming one that is wrong."""
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise FormatError(path, str(error)) from error


def rules_in(path: Path, content: Mapping[str, Any]) -> Rules:
    """The rules that a file names, and of whose tree it is. Raises FormatError when the checker builds another one."""
    named = content.get("end_rule")
    try:
        rules = read_rules(named if isinstance(named, str) else "")
    except ValueError as error:
        raise FormatError(path, f"made with rules that are unknown here, {named!r:.60}; upgrade to read it") from error
    if content.get("tree_fingerprint") != _fingerprint(rules):
        raise FormatError(path, "made with another game tree than the checker's")
    return rules


def read_weights(solution: BotFiles, score: Score) -> list[list[float]]:
    """By goal and node: the strategy sums of the snapshot of a score. Raises FormatError."""
    path = solution.directory / solution.files[score]
    content = read_file(path, "snapshot")
    if content.get("score") != list(score) or content.get("winning_score") != solution.winning_score:
        raise FormatError(path, f"not a snapshot of {score} of a match to {solution.winning_score}")
    rules, weights = weights_in(path, content)
    if rules != solution.rules:
        raise FormatError(path, f"of a round by the rules {str(rules)!r}, not {str(solution.rules)!r}")
    return weights


def weights_in(path: Path, content: Mapping[str, Any]) -> tuple[Rules, list[list[float]]]:
    """The rules of a snapshot that `path` holds, and by goal and node its strategy sums. Raises FormatError."""
    rules = rules_in(path, content)
    sums = content.get("strategy_sums")
    shape = (reduced_tree(rules).num_nodes, 3)
    if getattr(sums, "dtype", None) != "float64" or getattr(sums, "shape", None) != shape:
        raise FormatError(path, f"strategy_sums: not a float64 array of shape {shape}")
    assert sums is not None
    if (sums < 0.0).any():
        raise FormatError(path, "strategy_sums: negative")
    weights: list[list[float]] = sums.T.tolist()
    return rules, weights


def score_of(state: AdversaryState) -> Score:
    """The points of the first and of the second mover."""
    return Score(state.first, state.second)


def following_states(group: Group, winning_score: int) -> set[AdversaryState]:
    """The states outside of a group that a round in it can lead to."""
    following = (after_round(state, result, winning_score) for state in group for result in RESULTS)
    return {state for state in following if isinstance(state, AdversaryState) and state not in group}


def judged_groups(solution: BotFiles) -> list[Group]:
    """The groups from which no score is reachable that the solution does not have, in solve order."""
    judged: list[Group] = []
    states: set[AdversaryState] = set()
    for group in groups_in_solve_order(solution.winning_score):
        solved = all(score_of(state) in solution.files for state in group)
        if solved and following_states(group, solution.winning_score) <= states:
            judged.append(group)
            states.update(group)
    return judged


def file_hashes(solution: BotFiles) -> dict[str, str]:
    """SHA-256 (hexadecimal) of every file that the claims are about, by relative path. Raises FormatError."""
    snapshots = {solution.files[score_of(state)] for group in judged_groups(solution) for state in group}
    return {name: file_hash(solution.directory / name) for name in (SOLUTION_FILE, *sorted(snapshots))}


def file_hash(path: Path) -> str:
    """SHA-256 (hexadecimal) of a file. Raises FormatError."""
    try:
        if not path.is_file():  # opening anything else might wait for ever
            raise FormatError(path, "missing, or not a regular file")
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FormatError(path, f"cannot be read: {error.strerror or error}") from error
