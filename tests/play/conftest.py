"""A match to 2 that is solved roughly, with best responses, and what is read from it."""

import pytest
from oracle.lifting import LevelEvaluator
from support.playing import solved_match

from tictactoe import GameTree, MatchBot, RoundBot, Score, Solution
from tictactoe.storage.open_saved import SavedRounds


@pytest.fixture(scope="session")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> SavedRounds:
    """Not to be changed."""
    return SavedRounds(solved_match(tmp_path_factory.mktemp("playing")))


@pytest.fixture(scope="session")
def solution(rounds: SavedRounds) -> Solution:
    assert rounds.solution is not None
    return rounds.solution


@pytest.fixture(scope="session")
def tree() -> GameTree:
    return GameTree.build()


@pytest.fixture(scope="session")
def evaluator(tree: GameTree) -> LevelEvaluator:
    return LevelEvaluator(tree)


@pytest.fixture(scope="session")
def bot(solution: Solution) -> RoundBot:
    return MatchBot(solution).round_bot(Score(1, 0))
