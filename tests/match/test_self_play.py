"""Rounds between equal players, against the oracle, and a match followed round by round."""

from collections.abc import Iterator
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from oracle import small_games
from oracle.lifting import BOTH_LINES, LevelEvaluator, prior_of
from oracle.matches import CORNERS

from tictactoe import RULES, Board, GameTree, Outcome, Rules, Score, head_to_head
from tictactoe.games.rules import RESULTS
from tictactoe.match.head_to_head import MatchPlay, match_play, round_play
from tictactoe.match.scores import all_scores

FOUR_ENDS = "four-ends"


def four_ends(board: Board) -> Outcome | None:
    if board.num_marks < 4:
        return None
    first, second = board.first & CORNERS, board.second & CORNERS
    if first and second:
        return Outcome.BOTH_LINES
    return Outcome.WIN if first else Outcome.LOSE if second else Outcome.TIE


@pytest.fixture(autouse=True)
def _four_ends() -> Iterator[None]:
    with mock.patch.dict(RULES, {FOUR_ENDS: replace(RULES["filled"], outcome=four_ends)}):
        yield


@pytest.mark.parametrize("odds", [(1, 1, 1), (2, 1, 3), (0, 1, 1), (0, 0, 1)], ids=str)
def test_a_round_against_the_oracle(odds: tuple[int, int, int]) -> None:
    tree = GameTree.build(Rules(FOUR_ENDS, odds))
    for seed in range(3):
        strategy = small_games.random_strategy(tree, seed, 0.2)
        play = round_play(tree, strategy)
        distribution = LevelEvaluator(tree).leaf_distribution(strategy, prior_of(tree))
        units = (small_games.round_payoffs(tuple(unit), *BOTH_LINES["filled"]) for unit in np.eye(4))
        assert play.results == pytest.approx([float((unit * distribution).sum()) for unit in units], abs=1e-12)
        assert dict(play.endings) == pytest.approx({end: distribution[end].sum() for end in Outcome}, abs=1e-12)


def followed(play: MatchPlay, winning_score: int) -> tuple[float, list[float], dict[Outcome, float]]:
    rounds, results, endings = 0.0, [0.0] * 4, dict.fromkeys(Outcome, 0.0)
    at = {(0, 0): 1.0}  # points of who moves first, of the other
    while sum(at.values()) > 1e-15:
        then: dict[tuple[int, int], float] = {}
        for (first, second), chance in at.items():
            here = play.scores[Score(first, second)]
            rounds += chance
            for end, share in here.endings.items():
                endings[end] += chance * share
            for index, (more_first, more_second) in enumerate(RESULTS):
                results[index] += chance * here.results[index]
                points = second + more_second, first + more_first
                if min(points) == winning_score:
                    points = winning_score - 1, winning_score - 1
                if max(points) < winning_score:
                    then[points] = then.get(points, 0.0) + chance * here.results[index]
        at = then
    return rounds, results, endings


@pytest.mark.parametrize("winning_score", [1, 2, 4])
def test_a_match_against_one_that_is_followed(winning_score: int) -> None:
    tree = GameTree.build(Rules(FOUR_ENDS, (2, 1, 1)))
    bot = {score: small_games.random_strategy(tree, at) for at, score in enumerate(all_scores(winning_score))}
    play = match_play(tree, bot, winning_score)
    rounds, results, endings = followed(play, winning_score)
    assert play.rounds == pytest.approx(rounds, rel=1e-12)
    assert play.overall.results == pytest.approx([share / rounds for share in results], rel=1e-10)
    assert dict(play.overall.endings) == pytest.approx({e: share / rounds for e, share in endings.items()}, rel=1e-10)
    assert play.rounds == pytest.approx(head_to_head(tree, bot, bot, winning_score).rounds_as_first, rel=1e-12)
    assert sorted(play.scores) == sorted(bot)
    del bot[Score(0, 0)]
    with pytest.raises(KeyError):
        match_play(tree, bot, winning_score)
