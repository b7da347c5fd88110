"""Reading a solved match: the record of values in solution.msgpack, and the snapshots beside it.

solution.msgpack is a file of kind "solution" (see files.py) with the fields winning_score, options, end_rule,
tree_fingerprint, and subgames: a list of maps with score, value, exploitability, iteration, converged and following,
the values of later scores (as [points, points, value]) that the subgame was solved with.
"""

from __future__ import annotations

import importlib.resources
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .board import END_RULES
from .files import FormatError, read_file, write_file
from .match import LARGEST_WINNING_SCORE, OutcomeValues, Score, all_scores, following_scores, outcome_values, pair_of
from .snapshot import Snapshot, list_snapshots, snapshot_name, subgame_name
from .tree import GameTree

FloatArray = NDArray[np.float64]

SOLUTION_FILE = "solution.msgpack"
SOLUTION_KIND = "solution"


@dataclass(frozen=True)
class SubgameResult:
    """What is known of one subgame. Values are match values (-1 to 1) to the player who moves first in the round.

    exploitability: NashConv of the average strategy in the round, with the outcome values that `Solution.value`
    gives. iteration: of the snapshot that holds it. following: the values of later scores it was solved with.
    """

    score: Score
    value: float
    exploitability: float
    iteration: int
    converged: bool
    following: Mapping[Score, float]

    def as_dict(self) -> dict[str, Any]:
        """As it stands in the file."""
        return {
            "score": list(self.score),
            "value": self.value,
            "exploitability": self.exploitability,
            "iteration": self.iteration,
            "converged": self.converged,
            "following": [[score.first, score.second, value] for score, value in sorted(self.following.items())],
        }


class Solution:
    """A solved match, or as much of one as has been solved. Strategies are read when they are asked for."""

    def __init__(
        self,
        directory: Path,
        winning_score: int,
        options: Mapping[str, Any],
        end_rule: str,
        tree_fingerprint: str,
        results: Mapping[Score, SubgameResult],
    ) -> None:
        self.directory = directory
        self.winning_score = winning_score
        self.options = options
        self.end_rule = end_rule
        self.tree_fingerprint = tree_fingerprint
        self.results = results

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
        """The scores of the match that have no result, in the order in which they are solved."""
        return [score for score in all_scores(self.winning_score) if score not in self.results]

    @property
    def unconverged_scores(self) -> list[Score]:
        """The solved scores whose exploitability or value had not reached the target when the solver stopped."""
        return [score for score, result in self.results.items() if not result.converged]

    @cached_property
    def tree(self) -> GameTree:
        """The tree that the strategies are indexed by. Raises FormatError when this program builds another one."""
        path = self.directory / SOLUTION_FILE
        if self.end_rule not in END_RULES:
            raise FormatError(path, f"made with the unknown end rule {self.end_rule!r}; upgrade to read it")
        tree = GameTree.build(self.end_rule)
        if tree.fingerprint != self.tree_fingerprint:
            raise FormatError(path, "made with another game tree; solve again")
        return tree

    @cached_property
    def average_strategy(self) -> Mapping[Score, FloatArray]:
        """By score, float64 (num_nodes, 3): probability of the move into the node, by the mover's goal.

        Looking a score up raises KeyError when it is not solved and FormatError when its snapshot is damaged.
        """
        return self.strategies()

    def strategies(self, *, average: bool = True, iteration: int | None = None) -> Mapping[Score, FloatArray]:
        """As `average_strategy`; of the current strategies instead, or of an earlier iteration.

        iteration: of each subgame the last snapshot that is not after it. Looking up a score that has none that
        early raises FormatError.
        """
        return _Strategies(self, average, iteration)

    def outcome_values(self, score: Score) -> OutcomeValues:
        """What the results of a round at `score` are worth; KeyError when a score that it leads to is missing."""
        return outcome_values(score, self.value, self.winning_score)

    def iterations(self, score: Score) -> list[int]:
        """The iterations of `score` that are saved, in increasing order."""
        return list_snapshots(self.directory / subgame_name(score))

    def iteration_of(self, score: Score, iteration: int | None = None) -> int:
        """The saved iteration that `iteration` means: the last one not after it; by default that of the result.

        Raises KeyError for a score without a result and FormatError when nothing was saved that early.
        """
        last = self.results[Score(*score)].iteration
        if iteration is None:
            return last
        saved = [at for at in self.iterations(score) if at <= min(iteration, last)]
        if not saved:
            raise FormatError(self.directory / subgame_name(Score(*score)), f"no snapshot up to iteration {iteration}")
        return saved[-1]

    def snapshot(self, score: Score, iteration: int | None = None) -> Snapshot:
        """The saved state of a subgame at an iteration; by default the one that its result is about.

        Raises KeyError for a score without a result and FormatError for a file that is missing or damaged.
        """
        if iteration is None:
            iteration = self.results[Score(*score)].iteration
        path = self.directory / subgame_name(Score(*score)) / snapshot_name(iteration)
        snapshot = Snapshot.load(path, self.tree)
        if snapshot.score != score or snapshot.winning_score != self.winning_score:
            raise FormatError(path, f"a snapshot of {snapshot.score} of a match to {snapshot.winning_score}")
        return snapshot


class _Strategies(Mapping[Score, FloatArray]):
    def __init__(self, solution: Solution, average: bool, iteration: int | None) -> None:
        self._solution = solution
        self._average = average
        self._iteration = iteration
        self._loaded: dict[Score, FloatArray] = {}

    def __getitem__(self, score: Score) -> FloatArray:
        key = Score(*score)
        if key not in self._solution.results:
            raise KeyError(key)
        if key not in self._loaded:
            snapshot = self._solution.snapshot(key, self._solution.iteration_of(key, self._iteration))
            tree = self._solution.tree
            strategy = snapshot.average_strategy(tree) if self._average else snapshot.current_strategy
            strategy.flags.writeable = False
            self._loaded[key] = strategy
        return self._loaded[key]

    def __iter__(self) -> Iterator[Score]:
        return iter(self._solution.results)

    def __len__(self) -> int:
        return len(self._solution.results)


def shipped_solution() -> Path:
    """The directory of the solution to 5 that is installed with the program."""
    return Path(str(importlib.resources.files("tictactoe.solutions"))) / "match_to_5"


def load_solution(directory: str | Path) -> Solution:
    """Read what solve-multiround wrote. Raises FormatError when there is no solution there or it cannot be used."""
    directory = Path(directory)
    path = directory / SOLUTION_FILE
    if not path.exists():
        raise FormatError(directory, f"no solution here: {SOLUTION_FILE} is missing")
    return _solution_from(directory, read_file(path, SOLUTION_KIND))


def write_record(solution: Solution) -> None:
    """Write solution.msgpack, which `load_solution` reads, into the solution's directory; OSError when that fails."""
    content = {
        "winning_score": solution.winning_score,
        "options": dict(solution.options),
        "end_rule": solution.end_rule,
        "tree_fingerprint": solution.tree_fingerprint,
        "subgames": [solution.results[score].as_dict() for score in sorted(solution.results, reverse=True)],
    }
    write_file(solution.directory / SOLUTION_FILE, SOLUTION_KIND, content)


def _solution_from(directory: Path, content: dict[str, Any]) -> Solution:
    path = directory / SOLUTION_FILE
    types = {"winning_score": int, "options": dict, "end_rule": str, "tree_fingerprint": str, "subgames": list}
    if {name: type(value) for name, value in content.items()} != types:
        raise FormatError(path, f"the fields are not {', '.join(types)} of the right types")
    winning_score = content["winning_score"]
    if not 1 <= winning_score <= LARGEST_WINNING_SCORE:
        raise FormatError(path, f"winning_score: {winning_score} is not in 1 to {LARGEST_WINNING_SCORE}")
    results = {}
    for entry in content["subgames"]:
        result = _result_from(path, entry, winning_score)
        if result.score in results:
            raise FormatError(path, f"subgames: score {result.score} stands twice")
        results[result.score] = result
    return Solution(
        directory, winning_score, content["options"], content["end_rule"], content["tree_fingerprint"], results
    )


def _result_from(path: Path, entry: Any, winning_score: int) -> SubgameResult:
    types = {"score": list, "value": float, "exploitability": float, "iteration": int, "converged": bool,
             "following": list}  # fmt: skip
    if type(entry) is not dict or {name: type(value) for name, value in entry.items()} != types:
        raise FormatError(path, f"subgames: an entry whose fields are not {', '.join(types)} of the right types")
    score = _score_from(path, entry["score"], winning_score)
    following = {}
    for item in entry["following"]:
        if type(item) is not list or len(item) != 3 or type(item[2]) is not float:
            raise FormatError(path, f"subgames: score {score}: following is not a list of [points, points, value]")
        following[_score_from(path, item[:2], winning_score)] = item[2]
    if sorted(following) != following_scores(pair_of(score), winning_score):
        raise FormatError(path, f"subgames: score {score}: following are not the scores that it leads to")
    numbers = [entry["value"], *following.values()]
    if not (all(abs(number) <= 1.0 + 1e-9 for number in numbers) and 0 <= entry["iteration"] < 10**12):
        raise FormatError(path, f"subgames: score {score}: a value outside -1 to 1, or an impossible iteration")
    if not -1e-9 <= entry["exploitability"] <= 4.0 or math.isnan(entry["exploitability"]):
        raise FormatError(path, f"subgames: score {score}: an impossible exploitability")
    return SubgameResult(
        score, entry["value"], entry["exploitability"], entry["iteration"], entry["converged"], following
    )


def _score_from(path: Path, item: Any, winning_score: int) -> Score:
    if type(item) is not list or [type(points) for points in item] != [int, int]:
        raise FormatError(path, "subgames: a score that is not two integers")
    score = Score(*item)
    if not 0 <= min(score) <= max(score) < winning_score:
        raise FormatError(path, f"subgames: score {score} does not exist in a match to {winning_score}")
    return score
