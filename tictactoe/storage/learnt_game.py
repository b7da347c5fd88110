"""A table that was learnt by trial and error on a described game, on disk.

A file of kind "learnt_game" holds the fields of `LearntGame`; `method` is a map of the method's fields. It names the
game, and `fingerprint` tells whether the rules are still the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import FloatArray
from ..algorithms.learning.learning_method import MOST_LEARNING_ROUNDS, LearningFigures, LearningMethod
from ..errors import FormatError
from .atomic_files import output_file
from .file_format import read_file, start_of, write_file
from .typed_records import as_record

LEARNT_GAME_KIND = "learnt_game"
_NUM_FIGURES = len(LearningFigures._fields)


@dataclass(frozen=True, eq=False, kw_only=True)
class LearntGame:
    """The knowledge of a learner of a described game: enough to play, to be judged and to learn further."""

    game: str
    """The game's name, as `named_game` takes it."""
    fingerprint: str
    method: LearningMethod
    seed: int
    opponent: str
    """The opponent's name; "self" for a learner that plays itself, or alone."""
    opponent_strategy: FloatArray | None
    """float64 (num_nodes, k): of an opponent that does not learn."""
    rounds: int
    """Rounds played so far."""
    nodes: int
    """Decisions and chance moves of these rounds."""
    values: FloatArray
    """float64 (num_rows, k), see TabularLearner and StateLearner."""
    visits: NDArray[np.int64]
    """int64 (num_rows, k)."""
    log: FloatArray
    """float64 (num_checkpoints, 5): rows of LearningFigures."""

    def save(self, path: Path) -> None:
        """Write the table, over an earlier one. Raises FormatError when `path` holds other data, and OSError."""
        content = {field.name: getattr(self, field.name) for field in fields(self)} | {"method": vars(self.method)}
        write_file(output_file(path, start_of(LEARNT_GAME_KIND)), LEARNT_GAME_KIND, content)

    @staticmethod
    def load(path: Path) -> LearntGame:
        """Read a table that `save` wrote. Raises FormatError for any other file, and for impossible numbers."""
        content = read_file(path, LEARNT_GAME_KIND)
        method = content.get("method")
        if type(method) is not dict or method.keys() != vars(LearningMethod()).keys():
            raise FormatError(path, "method: unknown or missing fields")
        table = as_record(path, content, LearntGame)
        for problem in table._problems():
            raise FormatError(path, problem)
        return table

    @property
    def figures(self) -> list[LearningFigures]:
        """The log, a record per checkpoint."""
        return [LearningFigures(int(row[0]), int(row[1]), *row[2:]) for row in self.log.tolist()]

    def task(self) -> dict[str, Any]:
        """The game and the learning method, by the names of train-agent's options."""
        names = {"epsilon_rounds": "epsilon_episodes", "name": "method"}
        how = {names.get(name, name): value for name, value in vars(self.method).items()}
        return {"game": self.game, "opponent": self.opponent, **how, "seed": self.seed}

    def _problems(self) -> Iterator[str]:
        if not 0 <= self.seed < 2**63:
            yield f"seed: {self.seed} is not in 0 to {2**63 - 1}"
        if not 0 <= self.rounds < MOST_LEARNING_ROUNDS or self.nodes < self.rounds:
            yield f"rounds, nodes: {self.rounds} and {self.nodes} are impossible"
        if self.values.ndim != 2 or self.values.dtype != "float64":
            yield f"values: {self.values.dtype} {self.values.shape} is no table"
        if self.visits.shape != self.values.shape or self.visits.dtype != "int64" or np.any(self.visits < 0):
            yield "visits: they do not fit the values"
        if self.log.dtype != "float64" or self.log.shape != (len(self.log), _NUM_FIGURES):
            yield f"log: {self.log.dtype} {self.log.shape} where rows of {_NUM_FIGURES} are needed"
            return
        counts = self.log[:, :2]
        if np.any(counts != np.floor(counts)) or np.any(np.diff(counts, axis=0, prepend=0.0) <= 0.0):
            yield "log: rounds and nodes are not whole numbers that grow"
