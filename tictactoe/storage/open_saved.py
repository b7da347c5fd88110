"""Saved results: opening a solution or one of its subgames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.strategy import best_response_values, both_seats, expected_values, strategy_problem
from ..errors import FormatError, NotSavedError
from ..games.payoffs import goal_prior, payoffs_by_outcome
from ..games.rules import OutcomeValues, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import MatchState, outcome_values_at
from ..match.scores import Score
from .atomic_files import file_sha256
from .directory_layout import SOLUTION_FILE, list_snapshots, response_name, snapshot_name, subgame_name
from .file_format import read_file, write_file
from .locked_directory import finish
from .records import RELATIVE_TOLERANCE, as_record, outcome_problems
from .shipped import no_solution, shipped_solution, solution_directory
from .snapshot import SNAPSHOT_KIND, Snapshot, tree_of
from .solution import read_solution

if TYPE_CHECKING:
    from ..algorithms.best_response import BestResponses
    from ..match.best_response_over_match import MatchResponse
    from .solution import Solution

RESPONSE_KIND = "best_response"


def round_responses(
    tree: GameTree, response: MatchResponse, winning_score: int, average: bool, iterations: Mapping[Score, int]
) -> Iterator[SavedResponse]:
    """The best responses over a match, one SavedResponse per judged score.

    average: whether they answer the average strategies. iterations: those of the snapshots, by score.
    """
    values = {MatchState(Seat.FIRST, score): result.maximum for score, result in response.scores.items()}
    values |= {MatchState(Seat.SECOND, score): -result.minimum for score, result in response.scores.items()}
    for score, result in response.scores.items():
        states = [MatchState(seat, score) for seat in Seat]
        first, second = (outcome_values_at(state, values, winning_score) for state in states)
        strategy = both_seats(tree, *(response.strategies[state] for state in states))
        of_round = (first, second), (result.maximum, -result.minimum), strategy
        yield SavedResponse(score, iterations[score], average, *of_round, tree.fingerprint)


def save_match_response(solution: Solution, response: MatchResponse, *, average: bool, iteration: int | None) -> None:
    """Save a best response beside the snapshots that it answers: those up to `iteration`, or the last."""
    iterations = {score: solution.iteration_of(score, iteration) for score in response.scores}
    for saved in round_responses(solution.tree, response, solution.winning_score, average, iterations):
        assert saved.score is not None
        saved.save(solution.directory / subgame_name(saved.score))


def response_to_snapshot(
    snapshot: Snapshot, average: bool, values: OutcomeValues, found: BestResponses
) -> SavedResponse:
    """The best responses `found` to a snapshot's average or current strategy, to be saved."""
    score, iteration, fingerprint = snapshot.score, snapshot.iteration, snapshot.tree_fingerprint
    return SavedResponse(score, iteration, average, (values, values), found.values, found.strategy, fingerprint)


@dataclass(frozen=True, eq=False)
class SavedResponse:
    """Best responses from both seats to the strategies of one snapshot."""

    score: Score | None
    iteration: int
    average: bool
    """Whether the responses answer the average strategy, not the current one."""
    outcome_values: tuple[OutcomeValues, OutcomeValues]
    """The outcome values of the round to the first mover, by the responder's seat."""
    values: tuple[float, float]
    """The value of each response in the round to its responder, by the responder's seat."""
    strategy: FloatArray
    """float64 (num_nodes, 3): the probability, 0 or 1, of the move into each node in its mover's best response."""
    tree_fingerprint: str
    snapshot_hash: str | None = None
    """The SHA-256 (hexadecimal) of the snapshot's file; None before the response is saved."""

    def save(self, directory: Path) -> Path:
        """Write a file beside the snapshot in `directory` and return its path.

        Raises OSError if it cannot be written, and FormatError if the snapshot cannot be read.
        """
        path = directory / response_name(self.iteration)
        digest = file_sha256(directory / snapshot_name(self.iteration))
        content = vars(self) | {"strategy": self.strategy.astype(np.int8), "snapshot_hash": digest}
        write_file(path, RESPONSE_KIND, content)
        return path

    @classmethod
    def load(cls, path: Path, tree: GameTree) -> SavedResponse:
        """Read a best response. Raises FormatError for another file or another tree than `tree`."""
        response = as_record(path, read_file(path, RESPONSE_KIND), cls)
        if response.iteration < 0 or min(response.score or (0, 0)) < 0:
            raise FormatError(path, "an impossible score or iteration; compute it again")
        if response.tree_fingerprint != tree.fingerprint:
            raise FormatError(path, "belongs to another game tree; compute it again")
        strategy = np.asarray(response.strategy, np.float64)
        if strategy.shape != (tree.num_nodes, 3) or strategy_problem(tree, strategy) or np.any(strategy % 1.0):
            raise FormatError(path, "strategy: it does not make exactly one move everywhere; compute it again")
        return replace(response, strategy=strategy)

    def values_against(self, tree: GameTree, answered: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The response's value from each node on: by the responder's seat, float64 (num_nodes, 3, 3), by node, X's goal
        and O's goal.

        answered: the opponent's strategy, float64 (num_nodes, 3).
        """
        first, second = (payoffs_by_outcome(tree.rules, values) for values in self.outcome_values)
        to_first = expected_values(tree, both_seats(tree, self.strategy, answered), first)
        return to_first, -expected_values(tree, both_seats(tree, answered, self.strategy), second)


def load_response(path: Path, tree: GameTree, snapshot: Snapshot) -> SavedResponse:
    """Read the best response to `snapshot`, a file beside it.

    Raises FormatError unless it belongs to that snapshot and its round, and earns the values that the file claims,
    than which no other response earns more.
    """
    response, in_match = SavedResponse.load(path, tree), snapshot.winning_score is not None
    if (response.score, response.iteration) != (snapshot.score, snapshot.iteration):
        raise FormatError(path, f"answers iteration {response.iteration} of {response.score}")
    if response.snapshot_hash != file_sha256(path.with_name(snapshot_name(response.iteration))):
        raise FormatError(path, "it answers a snapshot other than the one that is there; compute it again")
    for values in response.outcome_values:
        for problem in outcome_problems(values, in_match):
            raise FormatError(path, f"{problem}; compute it again")
        if not in_match and values != snapshot.outcome_values:
            raise FormatError(path, "outcome_values: they differ from the snapshot's; compute it again")
    answered = snapshot.average_strategy(tree) if response.average else snapshot.current_strategy
    prior, gets = goal_prior(tree.rules), response.values_against(tree, answered)
    for seat in Seat:
        payoffs = payoffs_by_outcome(tree.rules, response.outcome_values[seat])
        most = best_response_values(tree, seat, answered, payoffs, prior)[0].sum()
        found = np.array([most, (gets[seat][0] * prior).sum()])
        tolerance = RELATIVE_TOLERANCE * max(1.0, *map(abs, response.outcome_values[seat]))
        if not np.all(np.abs(found - response.values[seat]) <= tolerance):
            raise FormatError(path, "it is not a best response to the snapshot that is there; compute it again")
    return response


def open_saved(name: str | Path | None = None) -> SavedRounds:
    """Open the directory of a solution, or of one subgame with its snapshots; by default the match to 5 that ships.

    name: a path, or as text the name of a solution that ships: shipped, match_to_1, single_round, or a part such as
    shipped/subgame_4_3. An existing path of that name takes precedence.

    Raises FormatError if the directory has neither a solution nor a subgame.

    >>> rounds = open_saved("match_to_1")
    >>> rounds.scores
    [Score(first=0, second=0)]
    >>> print(f"{rounds.load().snapshot.value:.6f}")
    -0.076923
    """
    return SavedRounds(shipped_solution() if name is None else solution_directory(name))


@dataclass(frozen=True, eq=False)
class SavedRound:
    """One saved iteration of a subgame, with the best response to it if there is one."""

    tree: GameTree
    snapshot: Snapshot
    directory: Path
    """The directory of the snapshot and of the best response."""

    @property
    def iteration(self) -> int:
        return self.snapshot.iteration

    @property
    def score(self) -> Score:
        """The score of the subgame; 0-0 for a round on its own."""
        return self.snapshot.score or Score(0, 0)

    @cached_property
    def has_regrets(self) -> bool:
        """Whether the snapshot has regrets."""
        return self.iteration == 0 or bool(self.snapshot.regrets.any())

    @cached_property
    def average_strategy(self) -> FloatArray:
        return self.snapshot.average_strategy(self.tree)

    def strategy(self, average: bool) -> FloatArray:
        """float64 (num_nodes, 3): the probability of the move into each node, by the mover's goal."""
        return self.average_strategy if average else self.snapshot.current_strategy

    @property
    def response(self) -> SavedResponse | None:
        """The saved best response; None if none can be used."""
        return self._response[0]

    @property
    def response_problem(self) -> str | None:
        """The reason why the saved best response cannot be used; None if there is none."""
        return self._response[1]

    @cached_property
    def _response(self) -> tuple[SavedResponse | None, str | None]:
        path = self.directory / response_name(self.iteration)
        try:
            return (load_response(path, self.tree, self.snapshot), None) if path.exists() else (None, None)
        except (FormatError, OSError) as error:
            return None, " ".join(str(error).split())

    @cached_property
    def response_values(self) -> tuple[FloatArray, FloatArray] | None:
        """`SavedResponse.values_against` of the strategy that `response` answers; None without a response."""
        found = self.response
        return None if found is None else found.values_against(self.tree, self.strategy(found.average))


class SavedRounds:
    """The saved iterations of a match, `solution`, or of a single subgame; see `open_saved`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        finish(directory)
        self.solution = read_solution(directory) if (directory / SOLUTION_FILE).exists() else None
        self._tree = None if self.solution is None else self.solution.tree
        self._score: Score | None = None
        if self.solution is None and not (directory.is_dir() and list_snapshots(directory)):
            neither = "neither a solution nor a subgame: no solution.msgpack and no snapshots here"
            what = neither if directory.is_dir() else "a file"
            raise no_solution(directory, f"{what}; give the directory of a solution, or of one subgame in it")

    @property
    def tree(self) -> GameTree:
        return self._tree or self.load().tree

    @property
    def scores(self) -> list[Score] | None:
        """The solved scores, in increasing order; None for a single subgame."""
        return None if self.solution is None else sorted(self.solution.results)

    def require_subgame(self) -> None:
        """Raise FormatError for a whole solution."""
        if self.solution is not None:
            example = self.solution.directory_of(Score(0, 0))
            raise FormatError(self.directory, f"a whole solution: take a subgame of it, such as {example}")

    def iterations(self, score: Score | None = None) -> list[int]:
        """The saved iterations of a score, in increasing order."""
        return list_snapshots(self._directory_of(score))

    def load(self, score: Score | None = None, iteration: int | None = None) -> SavedRound:
        """The saved state of a score at an iteration.

        score: by default, the lowest solved score or the score of the single subgame.
        iteration: by default, that of the result or the last one of the single subgame.

        Raises NotSavedError for what is not saved, and FormatError or OSError for an unusable file.
        """
        if self.solution is not None:
            if not self.solution.results:
                raise FormatError(self.directory, "no score has been solved yet")
            score = min(self.solution.results) if score is None else score
            if score not in self.solution.results:
                to = self.solution.winning_score
                what = "is not solved" if max(score) < to else f"does not exist in a match to {to}"
                raise NotSavedError(f"the score {score} {what}; solved: {shortened(sorted(self.solution.results))}")
        snapshot = self.snapshot(score, iteration)
        return SavedRound(self.tree, snapshot, self._directory_of(score))

    def snapshot(self, score: Score | None = None, iteration: int | None = None) -> Snapshot:
        """The snapshot that `load` reads. Scores without a result are allowed, too, by default at their last
        iteration."""
        if iteration is None and self.solution is not None and score is not None and score in self.solution.results:
            return self.solution.snapshot(score)
        saved = self.iterations(score)
        iteration = max(saved, default=0) if iteration is None else iteration
        if iteration not in saved:
            raise NotSavedError(f"iteration {iteration} is not saved; saved: {shortened(saved)}")
        if self.solution is not None and score is not None:
            return self.solution.snapshot(score, iteration)
        snapshot = self._snapshot_of_only(self.directory / snapshot_name(iteration))
        if score not in (None, self._score):
            what = f"only the score {self._score} is open; for others, start explore with a whole solution"
            raise NotSavedError(what)
        return snapshot

    def _snapshot_of_only(self, path: Path) -> Snapshot:
        content = read_file(path, SNAPSHOT_KIND)
        if content.get("outcome_values", ...) is None:
            raise FormatError(path, f"belongs to the game {content.get('rules')!r:.60}, not to a round of tic-tac-toe")
        tree = self._tree or tree_of(path, content.get("rules"), content.get("tree_fingerprint"))
        snapshot = Snapshot.from_dict(path, content, tree)
        found = snapshot.score or Score(0, 0)
        if self._score not in (None, found):
            raise FormatError(path, f"a snapshot of {found} among those of {self._score}")
        self._tree, self._score = tree, found
        return snapshot

    def _directory_of(self, score: Score | None) -> Path:
        return self.directory if self.solution is None or score is None else self.solution.directory_of(score)


def shortened(items: list[Any]) -> str:
    """The items, separated by commas, without the middle of a long list."""
    shown = items if len(items) <= 8 else [*items[:6], "...", *items[-2:]]
    return ", ".join(map(str, shown)) or "none"
