"""Reading the bot that a certificate is about from the files of a solution.

The bytes of a file are read once, then hashed, parsed and judged, so the hash belongs to the bot that is judged. Play's
own loaders read them, and refuse the files that play would refuse. The judged weights are the numbers in the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import FormatError
from ..match.scores import Score
from ..storage.atomic_files import read_bytes
from ..storage.directory_layout import SOLUTION_FILE, require_in_place, snapshot_name, subgame_name
from ..storage.file_format import content_of
from ..storage.shipped import no_solution
from ..storage.snapshot import SNAPSHOT_KIND, Snapshot, tree_of
from ..storage.solution import SOLUTION_KIND, solution_of
from .checker import RESULTS, AdversaryState, Group, after_round, groups_in_solve_order
from .checker_rules import Rules, read_rules
from .checker_tree import fingerprint, reduced_tree

FILES_CHANGED = "files were changed while they were read"
_fingerprint = cache(lambda rules: fingerprint(reduced_tree(rules)))


@dataclass(frozen=True)
class BotFiles:
    """The content of solution.msgpack."""

    directory: Path
    """Of the solution."""
    rules: Rules
    winning_score: int
    values: Mapping[Score, float]
    """Match values to the first mover, by score: where the search for bounds begins. No claim rests on them."""
    files: Mapping[Score, str]
    """By score, the snapshot's file, relative to the directory."""
    record_hash: str
    """SHA-256 (hexadecimal) of the bytes of solution.msgpack."""


class ScoreFile(NamedTuple):
    """The bytes of a snapshot's file and what they must contain. Any process can judge the bot from this alone."""

    score: Score
    """The snapshot must be of this score."""
    winning_score: int
    """The snapshot must be of a match to so many points."""
    rules: Rules
    """The snapshot must be of these rules."""
    name: str
    """Of the file, relative to the directory of the solution."""
    path: Path
    """Of the file, for messages."""
    data: bytes

    @property
    def digest(self) -> str:
        """SHA-256 (hexadecimal) of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    def weights(self) -> list[list[float]]:
        """The bot: its strategy sums by goal (3) and node. Raises FormatError."""
        found = snapshot_in(self.path, self.data)
        if (found.loaded.score, found.loaded.winning_score) != (self.score, self.winning_score):
            raise FormatError(self.path, f"not a snapshot of {self.score} of a match to {self.winning_score}")
        if found.rules != self.rules:
            raise FormatError(self.path, f"of a round by the rules {str(found.rules)!r}, not {str(self.rules)!r}")
        return found.weights


class FoundSnapshot(NamedTuple):
    """A snapshot that play would load."""

    content: Mapping[str, Any]
    """The map in the file."""
    loaded: Snapshot
    """The snapshot as play loads it."""
    rules: Rules
    weights: list[list[float]]
    """The bot: its strategy sums by goal (3) and node."""


def read_solution(directory: Path) -> BotFiles:
    """Read solution.msgpack. Raises FormatError if the directory has none, if it is about a tree that the checker does
    not build, or if a new solution waits to be put in its place."""
    require_in_place(directory)
    path = directory / SOLUTION_FILE
    if not path.exists():
        raise no_solution(directory, f"no solution here: {SOLUTION_FILE} is missing")
    data, record_hash = read_hashed(path)
    content = content_of(path, data, SOLUTION_KIND)
    rules = _rules_in(path, content)
    solution = solution_of(directory, content)
    files = {score: f"{subgame_name(score)}/{snapshot_name(at.iteration)}" for score, at in solution.results.items()}
    return BotFiles(directory, rules, solution.winning_score, solution.value, files, record_hash)


def snapshot_in(path: Path, data: bytes) -> FoundSnapshot:
    """The snapshot in `data`, the bytes of the file `path`.

    Raises FormatError if play would not load the snapshot, or the checker does not build its tree.
    """
    content = content_of(path, data, SNAPSHOT_KIND)
    rules = _rules_in(path, content)
    sums = content.get("strategy_sums")
    shape = (reduced_tree(rules).num_nodes, 3)
    if getattr(sums, "dtype", None) not in ("float64", "float32") or getattr(sums, "shape", None) != shape:
        raise FormatError(path, f"strategy_sums: not a float64 array of shape {shape}, or a float32 one")
    assert sums is not None
    loaded = Snapshot.from_dict(path, {**content}, tree_of(path, content.get("end_rule"), content["tree_fingerprint"]))
    return FoundSnapshot(content, loaded, rules, sums.T.tolist())


def read_score(solution: BotFiles, score: Score) -> ScoreFile:
    """The file of the snapshot at a score. Raises FormatError."""
    name = solution.files[score]
    path = solution.directory / name
    return ScoreFile(score, solution.winning_score, solution.rules, name, path, read_bytes(path))


def read_hashed(path: Path) -> tuple[bytes, str]:
    """The bytes of a file and their SHA-256 (hexadecimal). Raises FormatError."""
    data = read_bytes(path)
    return data, hashlib.sha256(data).hexdigest()


def require_unchanged(directory: Path, files: Mapping[str, str]) -> None:
    """Raises FormatError unless the files in a directory, by relative path, still have these hashes, and are what play
    would take."""
    require_in_place(directory)
    if any(read_hashed(directory / name)[1] != digest for name, digest in files.items()):
        raise FormatError(directory, FILES_CHANGED)


def _rules_in(path: Path, content: Mapping[str, Any]) -> Rules:
    """The rules that a file names. Raises FormatError if the checker does not know them, or if the file is about
    another tree than the checker builds for them."""
    named = content.get("end_rule")
    try:
        rules = read_rules(named if isinstance(named, str) else "")
    except ValueError as error:
        raise FormatError(path, f"made with rules that are unknown here, {named!r:.60}; upgrade to read it") from error
    if content.get("tree_fingerprint") != _fingerprint(rules):
        raise FormatError(path, "made with another game tree than the checker's")
    return rules


def score_of(state: AdversaryState) -> Score:
    """The score of a state: the points of the first and of the second mover."""
    return Score(state.first, state.second)


def following_states(group: Group, winning_score: int) -> set[AdversaryState]:
    """The states outside of a group to which a round in the group can lead."""
    following = (after_round(state, result, winning_score) for state in group for result in RESULTS)
    return {state for state in following if isinstance(state, AdversaryState) and state not in group}


def judged_groups(solution: BotFiles) -> list[Group]:
    """The groups that can be judged, in solve order: the solution has their scores and all scores that can follow."""
    judged: list[Group] = []
    states: set[AdversaryState] = set()
    for group in groups_in_solve_order(solution.winning_score):
        solved = all(score_of(state) in solution.files for state in group)
        if solved and following_states(group, solution.winning_score) <= states:
            judged.append(group)
            states.update(group)
    return judged
