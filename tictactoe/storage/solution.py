"""The reader of a solved match: the record of values in solution.msgpack, and the snapshots beside it.

solution.msgpack is a file of kind "solution" with the fields winning_score, options, rules, tree_fingerprint and
subgames, a list of maps with the fields of `SubgameResult`, in which `following` is a list of [points, points, value].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ..algorithms.arrays import FloatArray
from ..algorithms.public_tree import read_only
from ..algorithms.update_rules import ALGORITHMS, update_rule
from ..checked_numbers import whole_number
from ..errors import Difference, FormatError
from ..games.rules import OutcomeValues, Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import LARGEST_WINNING_SCORE, ByScore, Score, all_scores, following_scores, outcome_values, pair_of
from .atomic_files import read_bytes
from .directory_layout import SOLUTION_FILE, list_snapshots, snapshot_name, subgame_name
from .file_format import PackedList, read_file, write_file
from .locked_directory import finish
from .records import Iteration, as_record
from .shipped import no_solution, solution_directory
from .snapshot import Snapshot, tree_of

SOLUTION_KIND = "solution"

CONVERGED_EXPLOITABILITY = 1e-6
"""The largest NashConv of a converged round, in match value, if the solution's options set no target."""
KEPT_STRATEGIES = 4
"""The number of last used strategies that a solution keeps in memory, which is enough for two pairs of scores."""


@dataclass(frozen=True)
class SubgameResult:
    """The result of one subgame. Values are match values (-1 to 1) to the player who moves first in the round.

    >>> from tictactoe import open_saved, Score
    >>> result = open_saved("match_to_1").solution.results[Score(0, 0)]
    >>> result.converged, result.exploitability < 1e-12, result.following
    (True, True, {})
    """

    score: Score
    value: float
    """The value of the average strategies."""
    exploitability: float
    """NashConv of the average strategy in the round whose outcome values follow from `Solution.value`."""
    iteration: int
    """The iteration of the snapshot with the strategy."""
    converged: bool
    """Whether exploitability and value have reached the target."""
    following: Mapping[Score, float]
    """The values of the later scores with which the subgame was solved."""

    def as_dict(self) -> dict[str, Any]:
        """The fields as in the file."""
        return vars(self) | {"following": [[*score, value] for score, value in sorted(self.following.items())]}


@dataclass(frozen=True, eq=False)
class Solution:
    """A match that is solved completely or in part. A strategy is read from its file when a caller looks it up.

    >>> from tictactoe import open_saved, Score
    >>> solution = open_saved("match_to_1").solution
    >>> print(f"{solution.value[Score(0, 0)]:.6f}")
    -0.076923
    >>> solution.average_strategy[Score(0, 0)].shape
    (37538, 3)
    """

    directory: Path
    winning_score: int
    options: Mapping[str, Any]
    """The options of solving, as MatchOptions.as_dict returns them, or the other origin of the strategies."""
    rules: str
    """The rules of a round, as str(Rules) writes them."""
    tree_fingerprint: str
    """GameTree.fingerprint of the rounds' tree."""
    results: Mapping[Score, SubgameResult]
    """The results of the solved scores."""

    @property
    def value(self) -> dict[Score, float]:
        """The match value (-1 to 1) of every solved score to the player who moves first."""
        return {score: result.value for score, result in self.results.items()}

    @property
    def exploitability(self) -> dict[Score, float]:
        """NashConv of the average strategy in every solved subgame, in match value."""
        return {score: result.exploitability for score, result in self.results.items()}

    @property
    def missing_scores(self) -> list[Score]:
        """The scores without a result, in solve order."""
        return [score for score in all_scores(self.winning_score) if score not in self.results]

    @property
    def unconverged_scores(self) -> list[Score]:
        """The solved scores that have not reached the target."""
        return [score for score, result in self.results.items() if not result.converged]

    @property
    def whole_scores(self) -> list[Score]:
        """The scores with a complete strategy, solved or imported, in solve order."""
        imported = "imported_from" in self.options
        scores = all_scores(self.winning_score)
        return [score for score in scores if score in self.results or (imported and self.iterations(score))]

    @cached_property
    def tree(self) -> GameTree:
        """The tree whose nodes index the strategies. Raises FormatError if this program builds another tree."""
        return tree_of(self.directory / SOLUTION_FILE, self.rules, self.tree_fingerprint)

    @cached_property
    def average_strategy(self) -> Mapping[Score, FloatArray]:
        """By score, float64 (num_nodes, 3): the probability of the move into each node, by the mover's goal.

        A look-up raises KeyError for a score that is not solved and FormatError for a damaged snapshot.
        """
        return self.strategies()

    def strategies(self, *, average: bool = True, iteration: int | None = None) -> Mapping[Score, FloatArray]:
        """The average strategies, as in `average_strategy`, or the current ones.

        iteration: take the last snapshot of each subgame up to this iteration. A look-up raises FormatError if there is
        none.
        """
        return ByScore(self.results, partial(self._strategy, average, iteration), KEPT_STRATEGIES)

    def _strategy(self, average: bool, iteration: int | None, score: Score) -> FloatArray:
        snapshot = self.snapshot(score, self.iteration_of(score, iteration))
        return read_only(snapshot.average_strategy(self.tree) if average else snapshot.current_strategy)

    def outcome_values(self, score: Score) -> OutcomeValues:
        """The outcome values of a round at `score`. Raises KeyError if a score to which it leads is missing."""
        return outcome_values(score, self.value, self.winning_score)

    def directory_of(self, score: Score) -> Path:
        """The directory of the snapshots of a score. Raises ValueError for a negative score."""
        return self.directory / subgame_name(Score(*score))

    def iterations(self, score: Score) -> list[int]:
        """The saved iterations of `score`, in increasing order."""
        return list_snapshots(self.directory_of(score))

    def iteration_of(self, score: Score, iteration: int | None = None) -> int:
        """The last saved iteration up to `iteration`; by default, that of the result.

        Raises KeyError for a score without a result, ValueError for a negative iteration, and FormatError if nothing
        was saved that early.
        """
        last = self.results[Score(*score)].iteration
        if iteration is None:
            return last
        iteration = whole_number("iteration", iteration, 0)
        saved = [at for at in self.iterations(score) if at <= min(iteration, last)]
        if not saved:
            raise FormatError(self.directory_of(score), f"no snapshot up to iteration {iteration}")
        return saved[-1]

    def snapshot(self, score: Score, iteration: int | None = None) -> Snapshot:
        """The saved state of a subgame at an iteration; by default, at that of its result.

        Raises KeyError for a score without a result and FormatError for a missing or damaged file.
        """
        return Snapshot.of_score(*self.snapshot_file(score, iteration), self.tree, Score(*score), self.winning_score)

    def snapshot_file(self, score: Score, iteration: int | None = None) -> tuple[Path, bytes]:
        """The path and the bytes of the file of `snapshot`. Raises KeyError and FormatError like it."""
        path = self.directory_of(score) / snapshot_name(self.iteration_of(score) if iteration is None else iteration)
        return path, read_bytes(path)


def load_solution(directory: str | Path) -> Solution:
    """Read a solution. Raises FormatError if it is missing or cannot be used.

    directory: a path, or as text the name of a solution that ships, such as "shipped".

    >>> solution = load_solution("shipped")
    >>> solution.winning_score, solution.missing_scores
    (5, [])
    """
    directory = solution_directory(directory)
    finish(directory)
    if not (directory / SOLUTION_FILE).exists():
        raise no_solution(directory, f"no solution here: {SOLUTION_FILE} is missing")
    return read_solution(directory)


def read_solution(directory: Path) -> Solution:
    return solution_of(directory, read_file(directory / SOLUTION_FILE, SOLUTION_KIND))


def solution_of(directory: Path, content: dict[str, Any]) -> Solution:
    """The solution in `directory`, given the content of its record. Raises FormatError."""
    path = directory / SOLUTION_FILE
    record = as_record(path, content, _Record)
    results: dict[Score, SubgameResult] = {}
    for entry in record.subgames:
        score, following = entry.score, {Score(*points): value for *points, value in entry.following}
        if not 0 <= min(score) <= max(score) < record.winning_score:
            raise FormatError(path, f"subgames: score {score} does not exist in a match to {record.winning_score}")
        if sorted(following) != following_scores(pair_of(score), record.winning_score):
            raise FormatError(path, f"subgames: score {score}: following are not the scores to which it leads")
        if score in results:
            raise FormatError(path, f"subgames: score {score} occurs twice")
        results[score] = SubgameResult(**(msgspec.structs.asdict(entry) | {"following": following}))
    return Solution(directory, record.winning_score, record.options, record.rules, record.tree_fingerprint, results)


class RecordWriter:
    """The writer of a growing solution's record. It encodes every result only once."""

    def __init__(self) -> None:
        self._packed: dict[Score, tuple[SubgameResult, bytes]] = {}

    def write(self, solution: Solution) -> None:
        """Write solution.msgpack into the solution's directory. Raises OSError."""
        content = {field.name: getattr(solution, field.name, None) for field in msgspec.structs.fields(_Record)}
        results = (solution.results[score] for score in sorted(solution.results, reverse=True))
        content["subgames"] = PackedList([self._item(result) for result in results])
        write_file(solution.directory / SOLUTION_FILE, SOLUTION_KIND, content)

    def _item(self, result: SubgameResult) -> bytes:
        known, packed = self._packed.get(result.score, (None, b""))
        if known is not result:
            packed = PackedList.item(result.as_dict())
            self._packed[result.score] = result, packed
        return packed


_Value = Annotated[float, msgspec.Meta(ge=-1.0 - 1e-9, le=1.0 + 1e-9)]


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    score: Score
    value: _Value
    exploitability: Annotated[float, msgspec.Meta(ge=0.0, le=4.0)]
    iteration: Iteration
    converged: bool
    following: list[tuple[int, int, _Value]]


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    winning_score: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_WINNING_SCORE)]
    options: dict[str, Any]
    rules: str
    tree_fingerprint: str
    subgames: list[_Entry]


Options = Mapping[str, Any]

_NOT_SOLVED = {
    "imported_from": "it was imported, not solved",
    "compact_bits": "it is a compact copy, which cannot be solved further",
    "polished_from": "it is exact already, made by linear programs",
}
"""The reasons why no run can continue a solution, by an option that only such a solution has."""

WITH_OPTIONS = ("discount_alpha", "discount_beta", "discount_gamma", "schedule_horizon")
"""The parameters of algorithms for which commands have options."""
PARAMETERS = {name for rule in ALGORITHMS for name in update_rule(rule).parameters}
"""The parameters of this library's algorithms."""


def option_differences(theirs: Options, ours: Options) -> list[Difference | str]:
    """The options in which two runs differ, or the reason in words why no run can continue what is there.

    Options that follow from others are left out.
    """
    for name, what in _NOT_SOLVED.items():
        if name in theirs and name not in ours:
            return [what]
    names = [name for name in sorted({*ours, *theirs}) if theirs.get(name) != ours.get(name)]
    follows = {*PARAMETERS, "seed"} if "algorithm" in names else set()
    if "score" in names:  # the outcome values and the winning score of a round follow from its match
        follows |= {"outcome_values", "winning_score"}
    return [_difference(name, theirs, ours) for name in names if name not in follows]


def rules_differences(theirs: str, ours: Rules) -> list[Difference | str]:
    """The differences between the rules of two runs. theirs: rules from a file, perhaps of another version."""
    if theirs == str(ours):
        return []
    try:
        there = Rules.parse(theirs)
    except ValueError:
        return [f"its rules are unknown here, {theirs!r:.60}"]
    pairs = (("rules", there.name, ours.name), ("goal_odds", there.odds_text, ours.odds_text))
    return [Difference(name, one, other) for name, one, other in pairs if one != other]


def _difference(name: str, theirs: Options, ours: Options) -> Difference | str:
    if name == "algorithm_sha256":
        return "the code of its update rule is different"
    if name in PARAMETERS - {*WITH_OPTIONS}:
        return f"{ours.get('algorithm')} had other settings there, from another version or a program of your own"
    if name.startswith("polished_"):
        return "it was made from another solution, or by another version of the program"
    return Difference(name, theirs.get(name), ours.get(name))
