"""The bot of a certificate, from the files of a solution. A file is read once for its hash and content."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import FormatError, NoFormulaError
from ..formulas.match_values import formula_table
from ..match.scores import LARGEST_WINNING_SCORE, Score, following_scores, outcome_values, pair_of
from ..storage.atomic_files import file_sha256, read_bytes
from ..storage.directory_layout import SOLUTION_FILE, require_in_place, snapshot_name, subgame_name
from ..storage.file_format import content_of
from ..storage.shipped import no_solution
from ..storage.snapshot import SNAPSHOT_KIND, Snapshot, tree_of
from ..storage.solution import SOLUTION_KIND, solution_of
from .checker import RESULTS, AdversaryState, Group, after_round, groups_in_solve_order
from .checker_tree import Rules, fingerprint, read_rules, reduced_tree

FILES_CHANGED = "files were changed while they were read"
_fingerprint = cache(lambda rules: fingerprint(reduced_tree(rules)))


@dataclass(frozen=True)
class BotFiles:
    """The content of a solution.msgpack."""

    directory: Path
    rules: Rules
    winning_score: int
    values: Mapping[Score, float]
    """The match values to the first mover, by score, at which the search for bounds begins. No claim rests on them."""
    files: Mapping[Score, str]
    """The snapshot's file for each score, relative to the directory."""
    record_hash: str
    """The SHA-256 (hexadecimal) of solution.msgpack."""


class ScoreFile(NamedTuple):
    """The bytes of a snapshot's file, with the score, match and rules that it must have."""

    score: Score
    winning_score: int
    rules: Rules
    name: str
    """The name of the file, relative to the directory of the solution."""
    path: Path
    """The path for messages."""
    data: bytes

    @property
    def digest(self) -> str:
        """The SHA-256 (hexadecimal) of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    def weights(self) -> list[list[float]]:
        """The bot's strategy sums, by goal (3) and node. Raises FormatError."""
        found = snapshot_in(self.path, self.data)
        if (found.loaded.score, found.loaded.winning_score) != (self.score, self.winning_score):
            raise FormatError(self.path, f"not a snapshot of {self.score} of a match to {self.winning_score}")
        if found.rules != self.rules:
            what = f"belongs to a round by the rules {str(found.rules)!r}, not {str(self.rules)!r}"
            raise FormatError(self.path, what)
        return found.weights


class FoundSnapshot(NamedTuple):
    """A snapshot that play would load."""

    content: Mapping[str, Any]
    """The map in the file."""
    loaded: Snapshot
    rules: Rules
    weights: list[list[float]]
    """The bot's strategy sums, by goal (3) and node."""


def read_solution(directory: Path) -> BotFiles:
    """Read solution.msgpack. Raises FormatError if it is missing, outdated, or about a tree unknown to the checker."""
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
    """The snapshot in `data`, the bytes of the file `path`. Raises FormatError unless play and the checker know it."""
    content = content_of(path, data, SNAPSHOT_KIND)
    rules = _rules_in(path, content)
    sums = content.get("strategy_sums")
    shape = (reduced_tree(rules).num_nodes, 3)
    if getattr(sums, "dtype", None) not in ("float64", "float32") or getattr(sums, "shape", None) != shape:
        raise FormatError(path, f"strategy_sums: not a float64 array of shape {shape}, or a float32 one")
    assert sums is not None
    loaded = Snapshot.from_dict(path, {**content}, tree_of(path, content.get("rules"), content["tree_fingerprint"]))
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
    """Raise FormatError unless the files, by relative path, still have these hashes and no replacement waits."""
    require_in_place(directory)
    if any(file_sha256(directory / name) != digest for name, digest in files.items()):
        raise FormatError(directory, FILES_CHANGED)


def _rules_in(path: Path, content: Mapping[str, Any]) -> Rules:
    """The rules that a file names. Raises FormatError if the checker does not know them or the tree."""
    named = content.get("rules")
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
    """The groups whose scores, and all scores that can follow, are solved; in solve order."""
    judged: list[Group] = []
    states: set[AdversaryState] = set()
    for group in groups_in_solve_order(solution.winning_score):
        solved = all(score_of(state) in solution.files for state in group)
        if solved and following_states(group, solution.winning_score) <= states:
            judged.append(group)
            states.update(group)
    return judged


OUTCOMES = ("both", "first", "second", "neither")
"""Words for who scores, in the order of the outcome values and of checker.RESULTS."""
VALUE_TOLERANCE = 1e-3
"""The difference in match value that solvers may leave."""
FAR = 0.4
"""The largest distance from the values of perfect players that a solver may have, as a part of what is at stake."""
FAR_FROM_ITSELF = 0.1
"""The largest distance of a round's value from the value that it is played for, as a part of what is at stake."""
UNDECIDED = 0.9
"""The largest values of an open match, in which a difference of two points is worth something."""


def label_problem(rules: Rules, score: Score, winning_score: int, values: Sequence[float]) -> str | None:
    """The reason why the outcome values to the first mover are impossible at a score; None if they are possible."""
    if winning_score > LARGEST_WINNING_SCORE:
        return f"winning_score: {winning_score} is more than {LARGEST_WINNING_SCORE}, the longest match that is solved"
    problem = _not_of_ends(score, winning_score, values)
    problem = problem or _not_in_order(rules, values) or _not_of_formula(rules, score, winning_score, values)
    if problem is None:
        return None
    return f"not what the results of a round at {score} of a match to {winning_score} are worth: {problem}"


def own_value_problem(
    score: Score, winning_score: int, values: Sequence[Fraction], lower: Fraction, upper: Fraction
) -> str | None:
    """The reason why `neither` at a tied score, where the same round follows, contradicts proved bounds; None if it
    does not."""
    if score.first != score.second:
        return None
    own, slack = -values[3], FAR_FROM_ITSELF * float(max(values) - min(values)) + VALUE_TOLERANCE
    if lower - slack <= own <= upper + slack:
        return None
    return (
        f"not those of {score} of a match to {winning_score}: by neither: {float(values[3])}, the round itself "
        f"would be worth {float(own)}, but its value is proved to be from {float(lower):.6f} to {float(upper):.6f}"
    )


def _not_of_ends(score: Score, winning_score: int, values: Sequence[float]) -> str | None:
    of_state: dict[AdversaryState, str] = {}
    for name, value, result in zip(OUTCOMES, values, RESULTS, strict=True):
        after = after_round(AdversaryState(0, *score), result, winning_score)
        if isinstance(after, int) and value != after:
            return f"{name}: {value} where the match has ended: {after}"
        if not -1.0 <= value <= 1.0:
            return f"{name}: {value} is not a match value (-1 to 1)"
        if isinstance(after, AdversaryState):
            same = of_state.setdefault(after, name)
            if value != values[OUTCOMES.index(same)]:
                return f"{name}: {value}, and {same}: {values[OUTCOMES.index(same)]}, lead to the same round"
    return None


def _not_in_order(rules: Rules, values: Sequence[float]) -> str | None:
    """The reason if a point more is worth less, or two points are worth nothing in an open match where players may
    tie."""
    both, first, second, neither = values
    if min(rules.odds) == 0:
        return None
    for name, value in (("both", both), ("neither", neither)):
        if not second - VALUE_TOLERANCE <= value <= first + VALUE_TOLERANCE:
            return f"{name}: {value} is not between second: {second} and first: {first}"
    if first - second <= VALUE_TOLERANCE and max(map(abs, values)) < UNDECIDED:
        return f"first: {first}, and second: {second}: it must matter to both who scores"
    return None


def _not_of_formula(rules: Rules, score: Score, winning_score: int, values: Sequence[float]) -> str | None:
    try:
        table = formula_table(winning_score, str(rules)).values()
    except NoFormulaError:
        return None
    pair = pair_of(score)
    of_score = {each: float(table[each]) for each in (*pair, *following_scores(pair, winning_score))}
    right = outcome_values(score, of_score, winning_score)
    for name, value, perfect in zip(OUTCOMES, values, right, strict=True):
        if abs(value - perfect) > FAR * (right.first - right.second) + VALUE_TOLERANCE:
            return f"{name}: {value}, but it is {perfect:.6f} between perfect players"
    return None
