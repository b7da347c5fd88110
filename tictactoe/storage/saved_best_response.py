"""A best response on disk, beside the snapshot of the strategy that it answers, for those who explore."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.strategy import both_seats, strategy_problem
from ..errors import FormatError
from ..games.goals import OutcomeValues, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..match.markov_chain import MatchState, outcome_values_at
from ..match.scores import Score
from .directory_layout import response_name
from .file_format import write_file
from .snapshot import Snapshot
from .typed_records import read_record

if TYPE_CHECKING:
    from ..algorithms.best_response import BestResponses
    from ..match.best_response_over_match import MatchResponse

KIND = "best_response"


def round_responses(
    tree: GameTree, response: MatchResponse, winning_score: int, average: bool, iterations: Mapping[Score, int]
) -> Iterator[SavedResponse]:
    """The best response of every judged score, one after the other, as it is saved beside the given iteration's
    snapshot."""
    values = {MatchState(Seat.FIRST, score): result.maximum for score, result in response.scores.items()}
    values |= {MatchState(Seat.SECOND, score): -result.minimum for score, result in response.scores.items()}
    for score, result in response.scores.items():
        states = [MatchState(seat, score) for seat in Seat]
        first, second = (outcome_values_at(state, values, winning_score) for state in states)
        to_responder = (result.maximum, -result.minimum)
        strategy = both_seats(tree, *(response.strategies[state] for state in states))
        fields = (score, iterations[score], average, (first, second), to_responder, strategy, tree.fingerprint)
        yield SavedResponse(*fields)


def response_to_snapshot(
    snapshot: Snapshot, average: bool, values: OutcomeValues, found: BestResponses
) -> SavedResponse:
    """What was found against a snapshot's average or current strategy, in the round with these outcome values."""
    score, iteration, fingerprint = snapshot.score, snapshot.iteration, snapshot.tree_fingerprint
    return SavedResponse(score, iteration, average, (values, values), found.values, found.strategy, fingerprint)


@dataclass(frozen=True, eq=False)
class SavedResponse:
    """Best responses from both seats to the strategies of one snapshot.

    score: None for a round on its own. average: whether the average strategy was answered, else the current one.
    outcome_values: by the responder's seat, what the results were worth to the first mover. values: by the responder's
    seat, what the response gets in the round, to the responder. strategy: float64 (num_nodes, 3), the probability,
    0 or 1, of the move into the node in the best response of its mover.
    """

    score: Score | None
    iteration: int
    average: bool
    outcome_values: tuple[OutcomeValues, OutcomeValues]
    values: tuple[float, float]
    strategy: FloatArray
    tree_fingerprint: str

    def save(self, directory: Path) -> Path:
        """Write beside the snapshots in `directory`; the path. Raises OSError when it cannot be written."""
        path = directory / response_name(self.iteration)
        write_file(path, KIND, {**vars(self), "strategy": self.strategy.astype(np.int8)})
        return path

    @classmethod
    def load(cls, path: Path, tree: GameTree) -> SavedResponse:
        """Read what `save` wrote for `tree`; raises FormatError for anything else."""
        response = read_record(path, KIND, cls)
        points = response.score or (0, 0)
        if response.iteration < 0 or min(points) < 0:
            raise FormatError(path, "an impossible score or iteration; compute it again")
        if response.tree_fingerprint != tree.fingerprint:
            raise FormatError(path, "of another game tree; compute it again")
        strategy = np.asarray(response.strategy, np.float64)
        if strategy.shape != (tree.num_nodes, 3) or strategy_problem(tree, strategy) or np.any(strategy % 1.0):
            raise FormatError(path, "strategy: not one move everywhere; compute it again")
        return replace(response, strategy=strategy)
