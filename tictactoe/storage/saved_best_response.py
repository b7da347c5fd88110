"""A best response on disk, beside the snapshot of the strategy that it answers. The explore command shows it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.strategy import best_response_values, both_seats, expected_values, strategy_problem
from ..errors import FormatError
from ..games.payoffs import goal_prior, payoffs_by_outcome
from ..games.rules import OutcomeValues, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import MatchState, outcome_values_at
from ..match.scores import Score
from .atomic_files import read_bytes
from .directory_layout import response_name, snapshot_name, subgame_name
from .file_format import write_file
from .records import RELATIVE_TOLERANCE, outcome_problems, read_record
from .snapshot import Snapshot

if TYPE_CHECKING:
    from ..algorithms.best_response import BestResponses
    from ..match.best_response_over_match import MatchResponse
    from .solution import Solution

RESPONSE_KIND = "best_response"
_COMPUTE_AGAIN = "compute it again"


def round_responses(
    tree: GameTree, response: MatchResponse, winning_score: int, average: bool, iterations: Mapping[Score, int]
) -> Iterator[SavedResponse]:
    """The best responses over a match, one SavedResponse per judged score.

    average: whether they answer the average strategies, else the current ones. iterations: by score, the iteration of
    the snapshot that is answered.
    """
    values = {MatchState(Seat.FIRST, score): result.maximum for score, result in response.scores.items()}
    values |= {MatchState(Seat.SECOND, score): -result.minimum for score, result in response.scores.items()}
    for score, result in response.scores.items():
        states = [MatchState(seat, score) for seat in Seat]
        first, second = (outcome_values_at(state, values, winning_score) for state in states)
        to_responder = (result.maximum, -result.minimum)
        strategy = both_seats(tree, *(response.strategies[state] for state in states))
        fields = (score, iterations[score], average, (first, second), to_responder, strategy, tree.fingerprint)
        yield SavedResponse(*fields)


def save_match_response(solution: Solution, response: MatchResponse, *, average: bool, iteration: int | None) -> None:
    """Save a best response to a solution beside the snapshots that it answers: those up to `iteration`, or the last."""
    iterations = {score: solution.iteration_of(score, iteration) for score in response.scores}
    for saved in round_responses(solution.tree, response, solution.winning_score, average, iterations):
        assert saved.score is not None
        saved.save(solution.directory / subgame_name(saved.score))


def response_to_snapshot(
    snapshot: Snapshot, average: bool, values: OutcomeValues, found: BestResponses
) -> SavedResponse:
    """The best responses `found` to a snapshot's average or current strategy, to be saved.

    values: the outcome values of the round.
    """
    score, iteration, fingerprint = snapshot.score, snapshot.iteration, snapshot.tree_fingerprint
    return SavedResponse(score, iteration, average, (values, values), found.values, found.strategy, fingerprint)


@dataclass(frozen=True, eq=False)
class SavedResponse:
    """Best responses from both seats to the strategies of one snapshot."""

    score: Score | None
    """The snapshot's score; None for a round on its own."""
    iteration: int
    """The snapshot's iteration."""
    average: bool
    """Whether the responses answer the average strategy, else the current one."""
    outcome_values: tuple[OutcomeValues, OutcomeValues]
    """By the responder's seat, the outcome values of the round, to the first mover."""
    values: tuple[float, float]
    """By the responder's seat, the value of its response in the round, to the responder."""
    strategy: FloatArray
    """float64 (num_nodes, 3): probability, 0 or 1, of the move into the node in the best response of its mover."""
    tree_fingerprint: str
    snapshot_hash: str | None = None
    """SHA-256 (hexadecimal) of the snapshot's file; None before the response is saved."""

    def save(self, directory: Path) -> Path:
        """Write a file beside the snapshot in `directory`, with the hash of the snapshot's file; return its path.

        Raises OSError when it cannot be written, and FormatError when the snapshot cannot be read.
        """
        path = directory / response_name(self.iteration)
        digest = _hash_of(directory / snapshot_name(self.iteration))
        write_file(
            path, RESPONSE_KIND, {**vars(self), "strategy": self.strategy.astype(np.int8), "snapshot_hash": digest}
        )
        return path

    @classmethod
    def load(cls, path: Path, tree: GameTree) -> SavedResponse:
        """Read a best response that `save` wrote. Raises FormatError for another file or another tree than `tree`."""
        response = read_record(path, RESPONSE_KIND, cls)
        points = response.score or (0, 0)
        if response.iteration < 0 or min(points) < 0:
            raise FormatError(path, "an impossible score or iteration; compute it again")
        if response.tree_fingerprint != tree.fingerprint:
            raise FormatError(path, "of another game tree; compute it again")
        strategy = np.asarray(response.strategy, np.float64)
        if strategy.shape != (tree.num_nodes, 3) or strategy_problem(tree, strategy) or np.any(strategy % 1.0):
            raise FormatError(path, "strategy: not one move everywhere; compute it again")
        return replace(response, strategy=strategy)

    def values_against(self, tree: GameTree, answered: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each seat of the responder, float64 (num_nodes, 3, 3), [node, X's goal, O's goal]: the value of the saved
        response from the node on, to the responder, against the strategy `answered`, float64 (num_nodes, 3)."""
        first, second = (payoffs_by_outcome(tree.rules, values) for values in self.outcome_values)
        to_first = expected_values(tree, both_seats(tree, self.strategy, answered), first)
        return to_first, -expected_values(tree, both_seats(tree, answered, self.strategy), second)


def load_response(path: Path, tree: GameTree, snapshot: Snapshot) -> SavedResponse:
    """Read the best response to `snapshot`, a file beside it, and check that it is one.

    Raises FormatError unless score and iteration are the snapshot's, the hash is that of its file, and the outcome
    values are the round's, or match values. The response must earn the values that the file claims, and no other
    response may earn more.
    """
    response = SavedResponse.load(path, tree)
    if (response.score, response.iteration) != (snapshot.score, snapshot.iteration):
        raise FormatError(path, f"answers iteration {response.iteration} of {response.score}")
    if response.snapshot_hash != _hash_of(path.with_name(snapshot_name(response.iteration))):
        raise FormatError(path, f"answers another snapshot than the one that is there; {_COMPUTE_AGAIN}")
    in_match = snapshot.winning_score is not None
    for values in response.outcome_values:
        for problem in outcome_problems(values, in_match):
            raise FormatError(path, f"{problem}; {_COMPUTE_AGAIN}")
        if not in_match and values != snapshot.outcome_values:
            raise FormatError(path, f"outcome_values: others than in the snapshot; {_COMPUTE_AGAIN}")
    answered = snapshot.average_strategy(tree) if response.average else snapshot.current_strategy
    prior, gets = goal_prior(tree.rules), response.values_against(tree, answered)
    for seat in Seat:
        payoffs = payoffs_by_outcome(tree.rules, response.outcome_values[seat])
        most = best_response_values(tree, seat, answered, payoffs, prior)[0].sum()
        found = np.array([most, (gets[seat][0] * prior).sum()])
        tolerance = RELATIVE_TOLERANCE * max(1.0, *map(abs, response.outcome_values[seat]))
        if not np.all(np.abs(found - response.values[seat]) <= tolerance):
            raise FormatError(path, f"no best response to the snapshot that is there; {_COMPUTE_AGAIN}")
    return response


def _hash_of(path: Path) -> str:
    return hashlib.sha256(read_bytes(path)).hexdigest()
