"""Opening saved results: a solution, one subgame of it, or a solution that ships with the program."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..algorithms.arrays import FloatArray
from ..errors import FormatError, NotSavedError
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from .directory_layout import SOLUTION_FILE, list_snapshots, response_name, snapshot_name
from .file_format import read_file
from .replaced_solution import finish
from .saved_best_response import SavedResponse, load_response
from .shipped import no_solution, shipped_solution, solution_directory
from .snapshot import SNAPSHOT_KIND, Snapshot, tree_of
from .solution import load_solution


def open_saved(name: str | Path | None = None) -> SavedRounds:
    """Open the directory of a solution, or of one subgame with its snapshots; by default the match to 5 that ships.

    name: a path, or as text the name of a solution that ships: shipped, match_to_1, single_round, or a part such as
    shipped/subgame_4_3 (see shipped.py). An existing path of that name comes first. The files name the game tree.
    Raises FormatError when the directory holds neither a solution nor a subgame.

    >>> rounds = open_saved("match_to_1")
    >>> rounds.scores
    [Score(first=0, second=0)]
    >>> print(f"{rounds.load().snapshot.value:.6f}")
    -0.076923
    """
    return SavedRounds(shipped_solution() if name is None else solution_directory(name))


@dataclass(frozen=True, eq=False)
class SavedRound:
    """One saved iteration of a subgame, and the best response to it where one is saved."""

    tree: GameTree
    snapshot: Snapshot
    directory: Path
    """The directory that holds the snapshot and the best response."""

    @property
    def iteration(self) -> int:
        return self.snapshot.iteration

    @property
    def score(self) -> Score:
        """The score of the subgame; 0-0 for a round on its own."""
        return self.snapshot.score or Score(0, 0)

    @cached_property
    def has_regrets(self) -> bool:
        """Whether the snapshot holds regrets; a compact one holds only strategies."""
        return self.iteration == 0 or bool(self.snapshot.regrets.any())

    @cached_property
    def average_strategy(self) -> FloatArray:
        return self.snapshot.average_strategy(self.tree)

    def strategy(self, average: bool) -> FloatArray:
        """float64 (num_nodes, 3): probability of the move into the node, by the mover's goal."""
        return self.average_strategy if average else self.snapshot.current_strategy

    @property
    def response(self) -> SavedResponse | None:
        """The saved best response; None if none is saved, or the saved one is unusable."""
        return self._response[0]

    @property
    def response_problem(self) -> str | None:
        """Why the saved best response is unusable; None for a usable one, and if none is saved."""
        return self._response[1]

    @cached_property
    def _response(self) -> tuple[SavedResponse | None, str | None]:
        """The best response and its problem. Reading and checking are slow, so they wait for the first use."""
        path = self.directory / response_name(self.iteration)
        try:
            return (load_response(path, self.tree, self.snapshot), None) if path.exists() else (None, None)
        except (FormatError, OSError) as error:
            return None, " ".join(str(error).split())

    @cached_property
    def response_values(self) -> tuple[FloatArray, FloatArray] | None:
        """For each seat of the responder, float64 (num_nodes, 3, 3), [node, X's goal, O's goal]: the value of its best
        response from the node on, to the responder. None if `response` is None."""
        if self.response is None:
            return None
        return self.response.values_against(self.tree, self.strategy(self.response.average))


class SavedRounds:
    """The saved iterations of a solved match, or of a single subgame; see `open_saved`.

    solution: the match; None for a single subgame.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        finish(directory)
        self.solution = load_solution(directory) if (directory / SOLUTION_FILE).exists() else None
        self._tree = None if self.solution is None else self.solution.tree
        self._score: Score | None = None
        if self.solution is None and not (directory.is_dir() and list_snapshots(directory)):
            what = "a file"
            if directory.is_dir():
                what = "neither a solution nor a subgame: no solution.msgpack and no snapshots here"
            raise no_solution(directory, f"{what}; give the directory of a solution, or of one subgame in it")

    @property
    def tree(self) -> GameTree:
        """The game tree that the files name."""
        return self._tree or self.load().tree

    @property
    def scores(self) -> list[Score] | None:
        """The solved scores, in increasing order; None for a single subgame."""
        return None if self.solution is None else sorted(self.solution.results)

    def require_subgame(self, score: Score | None = None) -> None:
        """Raise FormatError for a whole solution. The message offers a subgame instead: that of `score`, or of 0-0."""
        if self.solution is not None:
            example = self.solution.directory_of(score or Score(0, 0))
            raise FormatError(self.directory, f"a whole solution: take a subgame of it, such as {example}")

    def iterations(self, score: Score | None = None) -> list[int]:
        """The saved iterations of a score, in increasing order."""
        return list_snapshots(self._directory_of(score))

    def load(self, score: Score | None = None, iteration: int | None = None) -> SavedRound:
        """The saved state of a score at an iteration.

        score: by default the lowest solved score, or that of the single subgame.
        iteration: by default that of the solution's result, or the last one of the single subgame.

        Raises NotSavedError for a score or an iteration that is not saved, and FormatError or OSError for a file that
        cannot be used.
        """
        if self.solution is not None:
            if not self.solution.results:
                raise FormatError(self.directory, "no score is solved yet")
            score = min(self.solution.results) if score is None else score
            if score not in self.solution.results:
                to = self.solution.winning_score
                what = "is not solved" if max(score) < to else f"does not exist in a match to {to}"
                raise NotSavedError(f"the score {score} {what}; solved: {shortened(sorted(self.solution.results))}")
        snapshot = self.snapshot(score, iteration)
        return SavedRound(self.tree, snapshot, self._directory_of(score))

    def snapshot(self, score: Score | None = None, iteration: int | None = None) -> Snapshot:
        """The snapshot that `load` reads. Also takes scores without a result, by default at their last iteration."""
        solved = None if self.solution is None or score is None else self.solution.results.get(score)
        saved = self.iterations(score)
        if iteration is None and solved is not None:
            wanted = solved.iteration
        else:
            wanted = max(saved, default=0) if iteration is None else iteration
            if wanted not in saved:
                raise NotSavedError(f"iteration {wanted} is not saved; saved: {shortened(saved)}")
        path = self._directory_of(score) / snapshot_name(wanted)
        if self.solution is not None and score is not None:
            snapshot = self.solution.snapshot(score, wanted)
        else:
            snapshot, what = self._snapshot_of_only(path), "for others start explore with a whole solution"
            if score not in (None, self._score):
                raise NotSavedError(f"only the score {self._score} is open; {what}")
        return snapshot

    def _snapshot_of_only(self, path: Path) -> Snapshot:
        """A snapshot of a single subgame. Raises FormatError when its score differs from that of the ones before."""
        content = read_file(path, SNAPSHOT_KIND)
        tree = self._tree or tree_of(path, content.get("rules"), content.get("tree_fingerprint"))
        snapshot = Snapshot.from_dict(path, content, tree)
        found = snapshot.score or Score(0, 0)
        if self._score not in (None, found):
            raise FormatError(path, f"a snapshot of {found} among those of {self._score}")
        self._tree, self._score = tree, found
        return snapshot

    def _directory_of(self, score: Score | None) -> Path:
        return self.directory if self.solution is None or score is None else self.solution.directory_of(score)


def shortened(items: list[Any], most: int = 8) -> str:
    """The items, separated by commas; "..." stands for the middle of a long list."""
    words = [str(item) for item in items]
    if len(words) > most:
        words = [*words[: most - 2], "...", *words[-2:]]
    return ", ".join(words) or "none"
