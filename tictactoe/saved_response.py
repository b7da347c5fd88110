"""A best response on disk, beside the snapshot of the strategy that it answers, for those who explore."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .files import FormatError, read_file, write_file
from .match import OutcomeValues, Score
from .tree import GameTree

KIND = "best_response"

FloatArray = NDArray[np.float64]


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
        content: dict[str, Any] = {
            "score": None if self.score is None else list(self.score),
            "iteration": self.iteration,
            "average": self.average,
            "outcome_values": [[float(value) for value in values] for values in self.outcome_values],
            "values": list(self.values),
            "strategy": self.strategy.astype(np.int8),
            "tree_fingerprint": self.tree_fingerprint,
        }
        write_file(path, KIND, content)
        return path

    @classmethod
    def load(cls, path: Path, tree: GameTree) -> SavedResponse:
        """Read what `save` wrote for `tree`; raises FormatError for anything else."""
        content = read_file(path, KIND)
        types: dict[str, tuple[type, ...]] = {
            "score": (list, type(None)), "iteration": (int,), "average": (bool,), "outcome_values": (list,),
            "values": (list,), "strategy": (np.ndarray,), "tree_fingerprint": (str,),
        }  # fmt: skip
        if content.keys() != types.keys() or any(type(content[name]) not in types[name] for name in types):
            raise FormatError(path, "not the fields of a best response; compute it again")
        if content["iteration"] < 0 or any(type(points) is not int or points < 0 for points in content["score"] or ()):
            raise FormatError(path, "an impossible score or iteration; compute it again")
        try:
            score = content["score"]
            strategy = content["strategy"]
            response = cls(
                score=None if score is None else Score(*(int(points) for points in score)),
                iteration=int(content["iteration"]),
                average=bool(content["average"]),
                outcome_values=tuple(OutcomeValues(*map(float, values)) for values in content["outcome_values"]),  # type: ignore[arg-type]
                values=tuple(map(float, content["values"])),  # type: ignore[arg-type]
                strategy=np.asarray(strategy, np.float64),
                tree_fingerprint=content["tree_fingerprint"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(path, "not the fields of a best response; compute it again") from error
        if response.tree_fingerprint != tree.fingerprint:
            raise FormatError(path, "of another game tree; compute it again")
        if len(response.outcome_values) != 2 or len(response.values) != 2:
            raise FormatError(path, "not of two seats; compute it again")
        if response.strategy.shape != (tree.num_nodes, 3) or not np.all(np.isin(response.strategy, (0.0, 1.0))):
            raise FormatError(path, "strategy: not 0 or 1 for every move; compute it again")
        moves = np.add.reduceat(response.strategy, tree.first_child[tree.decision_nodes], axis=0)
        if np.any(moves != 1.0):
            raise FormatError(path, "strategy: not one move everywhere; compute it again")
        return response


def response_name(iteration: int) -> str:
    """The file name: best_response_000500.msgpack for 500."""
    return f"best_response_{iteration:06d}.msgpack"
