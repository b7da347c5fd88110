"""What is known of a position at a saved iteration, as data: values, regrets, strategies, beliefs, likely play.

Seats are X, who moves first, and O. Expected values are to X. Counterfactual values follow Zinkevich et al. 2007: the
counterfactual probability of a node for a player is the chance of both goals (1/9) times the opponent's probabilities
on the way there; the regret of a move is that times what the mover would gain by always making it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .analysis import beliefs, expected_values, most_likely_line, own_reach
from .board import Outcome
from .cursor import Cursor, Position
from .files import FormatError
from .match import GOAL_PROBABILITY, Goal, Score, Seat
from .saved_response import SavedResponse, response_name
from .snapshot import Snapshot, list_snapshots, snapshot_name, subgame_name
from .solution import SOLUTION_FILE, Solution, load_solution
from .tree import GameTree

FloatArray = NDArray[np.float64]

PRIOR = GOAL_PROBABILITY * GOAL_PROBABILITY
"""The chance of a pair of goals."""


class NotSavedError(Exception):
    """A score or an iteration that was not saved; the message is one line."""


@dataclass(frozen=True, eq=False)
class SavedRound:
    """One saved iteration of a subgame, and the best response to it where one is saved.

    response_problem: why the best response that is there cannot be used, None where there is none or it can be.
    """

    tree: GameTree
    snapshot: Snapshot
    response: SavedResponse | None
    response_problem: str | None

    @property
    def iteration(self) -> int:
        return self.snapshot.iteration

    @property
    def score(self) -> Score:
        """The score of the subgame; 0-0 for a round on its own."""
        return Score(0, 0) if self.snapshot.score is None else self.snapshot.score

    @cached_property
    def has_regrets(self) -> bool:
        """Whether the snapshot has kept the regrets: a compact one has only strategies."""
        return self.iteration == 0 or bool(self.snapshot.regrets.any())

    @cached_property
    def average_strategy(self) -> FloatArray:
        return self.snapshot.average_strategy(self.tree)

    def strategy(self, average: bool) -> FloatArray:
        """float64 (num_nodes, 3): probability of the move into the node, by the mover's goal."""
        return self.average_strategy if average else self.snapshot.current_strategy

    @cached_property
    def _values(self) -> dict[bool, FloatArray]:
        return {}

    def values(self, average: bool) -> FloatArray:
        """float64 (num_nodes, 3, 3), [node, X's goal, O's goal]: the expected value to X."""
        if average not in self._values:
            strategy = self.strategy(average)
            self._values[average] = expected_values(self.tree, strategy, self.snapshot.outcome_values)
        return self._values[average]

    @cached_property
    def response_values(self) -> tuple[FloatArray, FloatArray] | None:
        """By the responder's seat, float64 (num_nodes, 3, 3), [node, X's goal, O's goal]: what its best response gets
        from the node on, to the responder. None where no best response is saved."""
        if self.response is None:
            return None
        answered = self.strategy(self.response.average)
        owner_of_move = np.full(self.tree.num_nodes, -1)
        owner_of_move[1:] = self.tree.owner[self.tree.parent[1:]]
        result = []
        for seat, sign in ((Seat.FIRST, 1.0), (Seat.SECOND, -1.0)):
            mixed = np.where((owner_of_move == int(seat))[:, None], self.response.strategy, answered)
            result.append(sign * expected_values(self.tree, mixed, self.response.outcome_values[seat]))
        return result[0], result[1]


class SavedRounds:
    """The iterations that are saved below a directory: of a solved match, or of one subgame.

    `directory` holds solution.msgpack, or snapshots. Raises FormatError when it is neither.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.solution: Solution | None = None
        self._score: Score | None = None
        if (directory / SOLUTION_FILE).exists():
            self.solution = load_solution(directory)
            self.tree = self.solution.tree
            if not self.solution.results:
                raise FormatError(directory, "no score is solved yet")
        else:
            if not list_snapshots(directory):
                what = "no snapshots here" if directory.exists() else "there is no such directory"
                raise FormatError(directory, f"{what}; give the directory of a solution, or of one subgame in it")
            self.tree = GameTree.build()

    @property
    def scores(self) -> list[Score] | None:
        """The scores that can be gone to, in order; None where there is but one subgame."""
        return None if self.solution is None else sorted(self.solution.results)

    def iterations(self, score: Score) -> list[int]:
        """The iterations of a score that are saved, in increasing order."""
        return list_snapshots(self._directory_of(score))

    def load(self, score: Score | None = None, iteration: int | None = None) -> SavedRound:
        """The saved state of a score at an iteration; by default of the lowest score, or of the one that there is, and
        the iteration that the solution is about, or the last one.

        Raises NotSavedError for a score or an iteration that is not there, and FormatError or OSError for a file that
        cannot be used.
        """
        if self.solution is None:
            return self._load_only(score, iteration)
        score = min(self.solution.results) if score is None else score
        if score not in self.solution.results:
            to = self.solution.winning_score
            what = "is not solved" if max(score) < to else f"does not exist in a match to {to}"
            raise NotSavedError(f"the score {score} {what}; solved: {shortened(sorted(self.solution.results))}")
        if iteration is None:
            iteration = self.solution.results[score].iteration
        elif iteration not in self.iterations(score):
            raise self._not_saved(iteration, self.iterations(score))
        return self._with_response(self._directory_of(score), self.solution.snapshot(score, iteration), iteration)

    def _load_only(self, score: Score | None, iteration: int | None) -> SavedRound:
        """The same where there is but one subgame. All its snapshots are of the same score."""
        if score is not None and self._score is not None and score != self._score:
            raise self._other_score(self._score)
        saved = list_snapshots(self.directory)
        if iteration is None and saved:
            iteration = saved[-1]
        if iteration is None or iteration not in saved:
            raise self._not_saved(iteration or 0, saved)
        path = self.directory / snapshot_name(iteration)
        snapshot = Snapshot.load(path, self.tree)
        found = snapshot.score or Score(0, 0)
        if self._score is not None and found != self._score:
            raise FormatError(path, f"a snapshot of {found} among those of {self._score}")
        if score is not None and found != score:
            raise self._other_score(found)
        result = self._with_response(self.directory, snapshot, iteration)
        self._score = found
        return result

    @staticmethod
    def _other_score(score: Score) -> NotSavedError:
        return NotSavedError(f"only the score {score} is open; for others start explore with a whole solution")

    @staticmethod
    def _not_saved(iteration: int, saved: list[int]) -> NotSavedError:
        return NotSavedError(f"iteration {iteration} is not saved; saved: {shortened(saved)}")

    def _directory_of(self, score: Score) -> Path:
        return self.directory if self.solution is None else self.directory / subgame_name(score)

    def _with_response(self, directory: Path, snapshot: Snapshot, iteration: int) -> SavedRound:
        if snapshot.iteration != iteration:
            path = directory / snapshot_name(iteration)
            raise FormatError(path, f"holds iteration {snapshot.iteration}, not the one that its name says")
        response, problem = self._response(directory, snapshot)
        return SavedRound(self.tree, snapshot, response, problem)

    def _response(self, directory: Path, snapshot: Snapshot) -> tuple[SavedResponse | None, str | None]:
        path = directory / response_name(snapshot.iteration)
        try:
            if not path.exists():
                return None, None
            response = SavedResponse.load(path, self.tree)
            if response.score != snapshot.score or response.iteration != snapshot.iteration:
                raise FormatError(path, f"answers iteration {response.iteration} of {response.score}")
        except (FormatError, OSError) as error:
            return None, " ".join(str(error).split())
        return response, None


def shortened(items: list[Any], most: int = 8) -> str:
    """A list in words, the middle of a long one left out."""
    words = [str(item) for item in items]
    if len(words) > most:
        words = [*words[: most - 2], "...", *words[-2:]]
    return ", ".join(words) or "none"


@dataclass(frozen=True)
class Move:
    """A move from a position: the squares that are the same move by symmetry, which share its probability.

    expected_value: to X, after the move. regret: of this pair of goals; information_set_regret: summed over the goals
    that the opponent may have; total_regret: what the solver has accumulated of those, None where the file has not kept
    it; all three to the mover.
    current, average: the mover's strategies for its goal. best_response: whether the saved best response of the mover
    makes this move, None where none is saved. forced_outcome: the outcome that is certain after it, if any.
    """

    squares: tuple[int, ...]
    expected_value: float
    regret: float
    information_set_regret: float
    total_regret: float | None
    current: float
    average: float
    best_response: bool | None
    forced_outcome: Outcome | None


@dataclass(frozen=True)
class Line:
    """The likeliest continuation: real squares, how likely all of it is for these goals, how the round then ends."""

    squares: tuple[int, ...]
    probability: float
    outcome: Outcome


@dataclass(frozen=True)
class BestResponse:
    """What the saved best responses get, to the responder, X first.

    values: from the position on, when the goals are those that are looked at. round_values: of the whole round, over
    all goals. average: whether the average strategy was answered, else the current one.
    """

    average: bool
    values: tuple[float, float]
    round_values: tuple[float, float]


@dataclass(frozen=True)
class View:
    """Everything that is known of a position. Pairs are of X, who moves first, and of O.

    average: whether expected values, regrets, reach, beliefs and the line are of the average strategies, else of the
    current ones. value_in_matches: whether expected values are match values; of a round on its own they are points.
    history_probability: of a history that is the same by symmetry, over all goals; for_goals: for these goals.
    beliefs: by goal, what an observer who knows the strategies thinks; None for a player who would never play so.
    moves is empty where the outcome is certain.
    """

    position: Position
    iteration: int
    winning_score: int | None
    value_in_matches: bool
    average: bool
    mover: Seat | None
    outcome: Outcome | None
    forced_outcome: Outcome | None
    expected_value: float
    counterfactual: tuple[float, float]
    parent_counterfactual: tuple[float, float] | None
    history_probability: float
    history_probability_for_goals: float
    beliefs: tuple[tuple[float, ...] | None, tuple[float, ...] | None]
    line: Line | None
    best_response: BestResponse | None
    response_problem: str | None
    moves: tuple[Move, ...]

    @property
    def wins_percent(self) -> float | None:
        """The percentage of matches that X wins; None for a round on its own."""
        return 50.0 * (1.0 + self.expected_value) if self.value_in_matches else None

    def as_dict(self) -> dict[str, Any]:
        """As --json prints it."""
        return {
            "position": str(self.position),
            "score": list(self.position.score) if self.value_in_matches else None,
            "winning_score": self.winning_score,
            "goals": [_name(self.position.first_goal), _name(self.position.second_goal)],
            "moves": list(self.position.moves),
            "iteration": self.iteration,
            "strategy": "average" if self.average else "current",
            "to_move": None if self.mover is None else _name(self.mover),
            "outcome": _name(self.outcome),
            "forced_outcome": _name(self.forced_outcome),
            "expected_value": self.expected_value,
            "first_mover_wins_percent": self.wins_percent,
            "counterfactual_probability": list(self.counterfactual),
            "parent_counterfactual_probability": _list(self.parent_counterfactual),
            "history_probability": self.history_probability,
            "history_probability_for_goals": self.history_probability_for_goals,
            "beliefs": [_list(belief) for belief in self.beliefs],
            "most_likely_line": None if self.line is None else {
                "squares": list(self.line.squares),
                "probability": self.line.probability,
                "outcome": _name(self.line.outcome),
            },
            "best_response": None if self.best_response is None else {
                "answers": "average" if self.best_response.average else "current",
                "values": list(self.best_response.values),
                "round_values": list(self.best_response.round_values),
            },
            "best_response_problem": self.response_problem,
            "choices": [
                {
                    "squares": list(move.squares),
                    "expected_value": move.expected_value,
                    "regret": move.regret,
                    "information_set_regret": move.information_set_regret,
                    "total_regret": move.total_regret,
                    "current": move.current,
                    "average": move.average,
                    "best_response": move.best_response,
                    "forced_outcome": _name(move.forced_outcome),
                }
                for move in self.moves
            ],
        }  # fmt: skip


def _name(item: Goal | Outcome | Seat | None) -> str | None:
    return None if item is None else item.name.lower()


def _list(items: tuple[float, ...] | None) -> list[float] | None:
    return None if items is None else list(items)


def view(saved: SavedRound, cursor: Cursor, goals: tuple[Goal, Goal], average: bool = True) -> View:
    """What `saved` knows of the position of `cursor` when X and O have these goals."""
    tree, node = saved.tree, cursor.node
    strategy, values = saved.strategy(average), saved.values(average)
    reach = own_reach(tree, strategy, node)
    parent = int(tree.parent[node])
    return View(
        position=Position(saved.score, goals[0], goals[1], cursor.moves),
        iteration=saved.iteration,
        winning_score=saved.snapshot.winning_score,
        value_in_matches=saved.snapshot.score is not None,
        average=average,
        mover=cursor.mover,
        outcome=cursor.outcome,
        forced_outcome=cursor.forced_outcome,
        expected_value=float(values[node][goals]),
        counterfactual=_counterfactual(reach, goals),
        parent_counterfactual=None if parent < 0 else _counterfactual(own_reach(tree, strategy, parent), goals),
        history_probability=float(reach[0].mean() * reach[1].mean()),
        history_probability_for_goals=float(reach[0][goals[0]] * reach[1][goals[1]]),
        beliefs=_as_tuples(beliefs(tree, strategy, node)),
        line=_line(saved, cursor, goals, average),
        best_response=_best_response(saved, node, goals),
        response_problem=saved.response_problem,
        moves=_moves(saved, cursor, goals, average),
    )


def _counterfactual(reach: tuple[FloatArray, FloatArray], goals: tuple[Goal, Goal]) -> tuple[float, float]:
    """For X and for O: the chance of the goals times the other player's probabilities."""
    return PRIOR * float(reach[1][goals[1]]), PRIOR * float(reach[0][goals[0]])


def _as_tuples(
    pair: tuple[FloatArray | None, FloatArray | None],
) -> tuple[tuple[float, ...] | None, tuple[float, ...] | None]:
    first, second = (None if item is None else tuple(map(float, item)) for item in pair)
    return first, second


def _best_response(saved: SavedRound, node: int, goals: tuple[Goal, Goal]) -> BestResponse | None:
    if saved.response is None or saved.response_values is None:
        return None
    first, second = (float(values[node][goals]) for values in saved.response_values)
    return BestResponse(saved.response.average, (first, second), saved.response.values)


def _line(saved: SavedRound, cursor: Cursor, goals: tuple[Goal, Goal], average: bool) -> Line | None:
    if cursor.forced_outcome is not None:
        return None
    strategy = saved.strategy(average)
    walk, probability = Cursor(saved.tree, cursor.moves), 1.0
    for node in most_likely_line(saved.tree, strategy, cursor.node, goals):
        mover = int(saved.tree.owner[walk.node])
        probability *= float(strategy[node, goals[mover]])
        walk.play(walk.squares_by_child()[node][0])
    assert walk.forced_outcome is not None
    return Line(walk.moves[len(cursor.moves) :], probability, walk.forced_outcome)


def _moves(saved: SavedRound, cursor: Cursor, goals: tuple[Goal, Goal], average: bool) -> tuple[Move, ...]:
    tree, node = saved.tree, cursor.node
    if tree.owner[node] < 0:
        return ()
    mover = Seat(int(tree.owner[node]))
    goal, sign = goals[mover], 1.0 if mover is Seat.FIRST else -1.0
    values = saved.values(average)
    opponents_reach = PRIOR * own_reach(tree, saved.strategy(average), node)[1 - mover]
    result = []
    for child, squares in cursor.squares_by_child().items():
        gain = sign * (values[child] - values[node])
        by_opponents_goal = (gain[goal] if mover is Seat.FIRST else gain[:, goal]) * opponents_reach
        result.append(
            Move(
                squares=squares,
                expected_value=float(values[child][goals]),
                regret=float(by_opponents_goal[goals[1 - mover]]),
                information_set_regret=float(by_opponents_goal.sum()),
                total_regret=float(saved.snapshot.regrets[child, goal]) if saved.has_regrets else None,
                current=float(saved.snapshot.current_strategy[child, goal]),
                average=float(saved.average_strategy[child, goal]),
                best_response=None if saved.response is None else bool(saved.response.strategy[child, goal]),
                forced_outcome=tree.outcome(child),
            )
        )
    return tuple(sorted(result, key=lambda move: move.squares))
