"""The pure strategy as files that the commands read: written, read back and checked in fractions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from plans import Plan, Round
from responses import best_response_to_array

from tictactoe import load_solution
from tictactoe.games.goals import SINGLE_ROUND, Goal, OutcomeValues
from tictactoe.games.rules import Outcome
from tictactoe.match.scores import Score
from tictactoe.storage.directory_layout import SOLUTION_FILE, snapshot_name, subgame_name
from tictactoe.storage.file_format import write_file
from tictactoe.storage.snapshot import Snapshot
from tictactoe.storage.solution import SOLUTION_KIND, SubgameResult

SINGLE_VALUE, MATCH_VALUE = Fraction(-1, 9), Fraction(-1, 13)
# The name of this program when the files of solutions/closed_forms were made: with another they would have other bytes.
OPTIONS = {"made_by": "benchmarks/closed_forms.py", "exploitability": "0, exactly"}


def elsewhere(game: Round) -> dict[tuple[int, int], int]:
    """For every node and goal the move that reaches the goal most often against random moves, the lowest of equals."""
    moves = {}
    for seat in (0, 1):
        for goal in Goal:
            chance = [Fraction(0)] * len(game.children)
            for node in reversed(range(len(game.children))):
                if game.outcome[node] >= 0:
                    outcome = Outcome(game.outcome[node])
                    chance[node] = Fraction(int(goal in game.tree.rules.goals_true(outcome)[seat]))
                    continue
                below = [chance[child] for child in game.children[node]]
                if game.owner[node] == seat:
                    chance[node] = max(below)
                    moves[node, int(goal)] = game.children[node][below.index(max(below))]
                else:
                    chance[node] = sum(below, Fraction(0)) / len(below)
    return moves


def as_array(game: Round, plan: Plan) -> NDArray[np.float64]:
    """float64 (num_nodes, 3): 1 for the moves that plan A makes, 0 for the others, the root's row 1."""
    moves = elsewhere(game) | {(node, goal): child for (node, goal, one), child in plan.items() if one == "A"}
    strategy = np.zeros((game.tree.num_nodes, 3))
    strategy[0] = 1.0
    for (_, goal), child in moves.items():
        strategy[child, goal] = 1.0
    return strategy


def write_snapshot(
    game: Round, path: Path, strategy: NDArray[np.float64], score: Score | None, values: OutcomeValues, value: Fraction
) -> None:
    """A snapshot without regrets."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sums = strategy.copy()
    sums[0] = 0.0
    Snapshot(
        score=score,
        winning_score=None if score is None else 1,
        iteration=0,
        started_at=0,
        outcome_values=values,
        options={**OPTIONS, "value": str(value)},
        rules=str(game.tree.rules),
        tree_fingerprint=game.tree.fingerprint,
        regrets=np.zeros_like(strategy),
        strategy_sums=sums,
        current_strategy=strategy,
        skippable=np.zeros((2, game.tree.num_decision_nodes), np.int8),
        exploitability=0.0,
        value=float(value),
        convergence=np.empty((0, 4)),
    ).save(path, compression=9)


def write_files(game: Round, directory: Path, strategy: NDArray[np.float64]) -> None:
    """single_round and match_to_1 in `directory`."""
    write_snapshot(game, directory / "single_round" / snapshot_name(0), strategy, None, SINGLE_ROUND, SINGLE_VALUE)
    score, value = Score(0, 0), float(MATCH_VALUE)
    match = directory / "match_to_1"
    values = OutcomeValues(-value, 1.0, -1.0, -value)
    write_snapshot(game, match / subgame_name(score) / snapshot_name(0), strategy, score, values, MATCH_VALUE)
    found = SubgameResult(score, value, exploitability=0.0, iteration=0, converged=True, following={})
    content = {
        "winning_score": 1,
        "options": {**OPTIONS, "value": str(MATCH_VALUE)},
        "end_rule": str(game.tree.rules),
        "tree_fingerprint": game.tree.fingerprint,
        "subgames": [found.as_dict()],
    }
    write_file(match / SOLUTION_FILE, SOLUTION_KIND, content)


def check_files(game: Round, directory: Path) -> None:
    """Read the files back and check that neither seat can gain anything."""
    single = Snapshot.load(directory / "single_round" / snapshot_name(0), game.tree).average_strategy(game.tree)
    match = load_solution(directory / "match_to_1").average_strategy[Score(0, 0)]
    for name, strategy, neither, value in (
        ("single round", single, Fraction(0), SINGLE_VALUE),
        ("match to 1", match, -MATCH_VALUE, MATCH_VALUE),
    ):
        payoffs = (neither, Fraction(1), Fraction(-1), neither)
        by_second, by_first = (best_response_to_array(game, seat, strategy, payoffs) for seat in (0, 1))
        if not by_first == -by_second == value:
            raise SystemExit(f"{name}: exploitability {by_first + by_second}, value {by_first}")
        print(f"{name}: exploitability exactly 0, value {by_first}", flush=True)
    check_triangle(game, single)


def check_triangle(game: Round, strategy: NDArray[np.float64]) -> None:
    """Check that the strategy is optimal wherever -1 <= b <= n <= 1.

    What a best response gains over the value is convex in (b, n), being the largest of linear functions, and never
    negative: when it is 0 in the corners of the triangle, it is 0 all over.
    """
    for both, neither in ((-1, -1), (-1, 1), (1, 1)):
        payoffs = (Fraction(both), Fraction(1), Fraction(-1), Fraction(neither))
        if sum(best_response_to_array(game, seat, strategy, payoffs) for seat in (0, 1)) != 0:
            raise SystemExit(f"exploitable at b = {both}, n = {neither}")
    print("the same strategy: exploitability exactly 0 wherever -1 <= b <= n <= 1")
