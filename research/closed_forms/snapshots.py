"""Pure strategies as files that the commands read: written, read back and checked in fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from plans import Plan, Round
from responses import best_response_to_array
from stories import Story, Table
from stories_at_scores import Valued, exact_values, payoffs_at

from tictactoe import load_solution
from tictactoe.formulas.answer_tables import moves_elsewhere
from tictactoe.games.rules import SINGLE_ROUND, OutcomeValues
from tictactoe.match.scores import Score, following_scores, outcome_values, pairs_in_solve_order
from tictactoe.storage.directory_layout import SOLUTION_FILE, snapshot_name, subgame_name
from tictactoe.storage.file_format import write_file
from tictactoe.storage.snapshot import Snapshot
from tictactoe.storage.solution import SOLUTION_KIND, SubgameResult

SINGLE_PAYOFFS = tuple(map(Fraction, SINGLE_ROUND))
MADE_BY = "research/closed_forms"


def as_array(game: Round, plan: Plan) -> NDArray[np.float64]:
    """float64 (num_nodes, 3): 1 for the moves that plan A makes, 0 for the others, the root's row 1."""
    strategy = moves_elsewhere(game.tree).copy()
    for (node, goal, one), child in plan.items():
        if one == "A":
            strategy[game.children[node], goal] = 0.0
            strategy[child, goal] = 1.0
    return strategy


def write_snapshot(
    game: Round,
    path: Path,
    strategy: NDArray[np.float64],
    values: OutcomeValues,
    value: Fraction,
    of_match: tuple[Score, int] | None = None,
) -> None:
    """Write a snapshot without regrets. of_match: the score, and the points that win the match; None for one round."""
    score, winning_score = of_match or (None, None)
    path.parent.mkdir(parents=True, exist_ok=True)
    sums = strategy.copy()
    sums[0] = 0.0
    Snapshot(
        score=score,
        winning_score=winning_score,
        iteration=0,
        started_at=0,
        outcome_values=values,
        options=options(game, value),
        rules=str(game.tree.rules),
        tree_fingerprint=game.tree.fingerprint,
        regrets=np.zeros_like(strategy),
        strategy_sums=sums,
        current_strategy=strategy / strategy[0],
        skippable=np.zeros((2, game.tree.num_decision_nodes), np.int8),
        exploitability=0.0,
        value=float(value),
        convergence=np.empty((0, 4)),
    ).save(path, compression=9)


def options(game: Round, value: Fraction) -> dict[str, str]:
    return {"made_by": MADE_BY, "exploitability": "0, exactly", "value": str(value)}


def write_round(game: Round, directory: Path, strategy: NDArray[np.float64], table: Table) -> None:
    """The single round, as solve-multiround --one-round writes it."""
    value = table.value(SINGLE_PAYOFFS)
    write_snapshot(game, directory / snapshot_name(0), strategy, SINGLE_ROUND, value)


def write_match(
    game: Round,
    directory: Path,
    strategies: Mapping[Score, NDArray[np.float64]],
    values: Mapping[Score, Fraction],
    winning_score: int,
) -> None:
    """A match with a strategy for every score, as solve-multiround writes it.

    Strategies are float64 (num_nodes, 3), probabilities times whatever the root's row holds.
    """
    floats = {score: float(value) for score, value in values.items()}
    found = []
    for pair in pairs_in_solve_order(winning_score):
        following = {score: floats[score] for score in following_scores(pair, winning_score)}
        for score in pair:
            worth = outcome_values(score, floats, winning_score)
            path = directory / subgame_name(score) / snapshot_name(0)
            write_snapshot(game, path, strategies[score], worth, values[score], (score, winning_score))
            found.append(SubgameResult(score, floats[score], 0.0, iteration=0, converged=True, following=following))
    content = {
        "winning_score": winning_score,
        "options": options(game, values[Score(0, 0)]),
        "rules": str(game.tree.rules),
        "tree_fingerprint": game.tree.fingerprint,
        "subgames": [one.as_dict() for one in found],
    }
    write_file(directory / SOLUTION_FILE, SOLUTION_KIND, content)


def check_files(game: Round, directory: Path, story: Story, table: Table) -> None:
    """Read single_round and match_to_1 back and check that neither seat can gain anything."""
    single = Snapshot.load(directory / "single_round" / snapshot_name(0), game.tree).average_strategy(game.tree)
    match = load_solution(directory / "match_to_1").average_strategy[Score(0, 0)]
    last = exact_values([story], [table], 1)[0]
    for name, strategy, payoffs in (
        ("single round", single, SINGLE_PAYOFFS),
        ("match to 1", match, payoffs_at(Score(0, 0), last, 1)),
    ):
        value = gain_of_first(game, strategy, payoffs, table)
        print(f"{name}: exploitability exactly 0, value {value}", flush=True)
    check_region(game, single, story, table)


def gain_of_first(
    game: Round, strategy: NDArray[np.float64], payoffs: Sequence[Fraction], table: Valued, scale: int = 1
) -> Fraction:
    """What a best response of the first mover gets; SystemExit if that or the second's is not what the table says."""
    by_second, by_first = (best_response_to_array(game, seat, strategy, payoffs, scale) for seat in (0, 1))
    if not by_first == -by_second == table.value(payoffs):
        raise SystemExit(f"payoffs {payoffs}: exploitability {by_first + by_second}, value {by_first}")
    return by_first


def check_region(game: Round, strategy: NDArray[np.float64], story: Story, table: Valued, scale: int = 1) -> None:
    """Check that the strategy is optimal all over the polygon of its story.

    The gain of a best response over the value is convex in (b, n), as the largest of linear functions, and never
    negative. If it is 0 in the corners, it is therefore 0 in the whole polygon.
    """
    for both, neither in story.corners:
        gain_of_first(game, strategy, (both, Fraction(1), Fraction(-1), neither), table, scale)
    print(f"the same strategy: exploitability exactly 0 wherever {story.where}", flush=True)
