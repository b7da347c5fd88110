"""Matches and rounds as environments play them: held to the referee, and to the tree from any start."""

import copy
import importlib
import pickle
import random
import sys

import numpy as np
import pytest

from tictactoe import RULES, SINGLE_ROUND, Board, Cursor, GameTree, Goal, Rules, Seat, observation
from tictactoe.environments.match_game import PLAYERS, MatchGame, MatchGameOptions
from tictactoe.environments.open_spiel_round import OBSERVATION_SIZE, RoundPlay, RoundVariant, action_mask
from tictactoe.errors import IllegalMoveError, TicTacToeError
from tictactoe.play.bot import draw_first
from tictactoe.play.referee import Match


def rewards_of(game: MatchGame, seed: int) -> list[tuple[float, float]]:
    chooser = random.Random(seed)
    game.reset(seed)
    rewards = []
    while game.mover is not None:
        rewards.append(game.play(chooser.choice(game.squares)))
    return rewards


@pytest.mark.parametrize("rules", ["three-in-a-row", "filled 1:2:1"])
@pytest.mark.parametrize("merge_symmetric", [False, True])
def test_a_match_is_the_referees(rules: str, merge_symmetric: bool) -> None:
    for seed in range(8):
        game = MatchGame(MatchGameOptions(winning_score=2, rules=rules, merge_symmetric=merge_symmetric))
        rewards = rewards_of(game, seed)
        match = Match(GameTree.build(rules), 2, PLAYERS, draw_first(None, seed), seed)
        for played in game.match.rounds:
            dealt = match.deal()
            assert (dealt.first, dealt.goals, dealt.score) == (played.first, played.goals, played.score)
            for square in played.cursor.moves:
                dealt.play(square)
            match.finish(dealt)
        assert (match.winner, match.points) == (game.match.winner, game.match.points)
        assert not game.truncated
        assert rewards[-1] == ((1.0, -1.0) if match.winner == 0 else (-1.0, 1.0))
        assert set(rewards[:-1]) == {(0.0, 0.0)}


def test_points_as_rewards() -> None:
    for seed in range(8):
        game = MatchGame(MatchGameOptions(winning_score=2, rewards="points"))
        rewards = rewards_of(game, seed)
        scored = [played.scored for played in game.match.rounds]
        assert sum(first for first, _ in rewards) == sum(own - other for own, other in scored)
        assert all(first == -second for first, second in rewards)
    ends = set()
    for seed in range(40):
        game = MatchGame(MatchGameOptions(winning_score=None))
        rewards = rewards_of(game, seed)
        own, other = game.round.scored
        assert rewards[-1][0] == own - other
        assert not game.truncated
        assert game.observation(0)[104:].tolist() == [0.0, 0.0]
        ends.add(rewards[-1][0])
    assert ends == {-1.0, 0.0, 1.0}


def test_a_match_is_truncated() -> None:
    ends = set()
    for seed in range(30):
        game = MatchGame(MatchGameOptions(winning_score=1, max_rounds=2))
        rewards = rewards_of(game, seed)
        won = game.match.winner is not None
        assert game.truncated != won
        assert (rewards[-1] != (0.0, 0.0)) == won
        assert ("Nobody has won after 2 rounds." in game.text()) != won
        ends.add((won, len(game.match.rounds)))
    assert ends == {(True, 1), (True, 2), (False, 2)}


def test_merged_moves_and_who_moves_first() -> None:
    game = MatchGame(MatchGameOptions(winning_score=None, merge_symmetric=True, first=0))
    game.reset(0)
    assert game.squares == (1, 2, 5)
    with pytest.raises(IllegalMoveError, match="square 9 may not be marked"):
        game.play(9)
    assert game.round.cursor.moves == ()
    game.play(5)
    assert game.squares == (1, 2)
    for seed in range(20):
        rewards_of(game, seed)
        cursor = game.round.cursor
        assert cursor.moves == game.tree.history(cursor.node)
    for first, expected in ((0, {0}), (1, {1}), (None, {0, 1})):
        game, movers = MatchGame(MatchGameOptions(first=first)), set()
        for seed in range(20):
            game.reset(seed)
            assert game.mover is not None
            assert game.round.seat(game.mover) is Seat.FIRST
            movers.add(game.mover)
        assert movers == expected


def test_the_round_before_is_told() -> None:
    game = MatchGame(MatchGameOptions(winning_score=3))
    game.reset(1)
    assert game.info(0)["previous_round"] is None
    chooser = random.Random(1)
    while game.round.number == 1:
        game.play(chooser.choice(game.squares))
    (played,) = game.match.rounds
    for player in (0, 1):
        told = game.info(player)["previous_round"]
        assert told["moves"] == played.cursor.moves
        assert told["goals"] == (played.goals[player], played.goals[1 - player])
        assert told["scored"] == (played.scored[player], played.scored[1 - player])


REFUSED: dict[str, dict[str, object]] = {
    "winning_score: 0 is not at least 1": {"winning_score": 0},
    "rules: unknown rules 'chess'": {"rules": "chess"},
    "first: 2 is not 0, 1 or None": {"first": 2},
    "max_rounds: 0 is not at least 1": {"max_rounds": 0},
    "rewards: 'money' is not one of match, points": {"rewards": "money"},
    "rewards: a single round has no winner": {"winning_score": None, "rewards": "match"},
}


@pytest.mark.parametrize("message", REFUSED)
def test_options_that_there_are_not(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MatchGameOptions(**REFUSED[message])  # type: ignore[arg-type]


def test_an_observation_by_hand() -> None:
    seen = observation((3, 7, 9), Goal.LOSE, Seat.SECOND, (1, 3), 4)
    ones = [7 - 1, 9 + 3 - 1, 9 + 9 - 1, 18 + 3 - 1, 18 + 9 + 7 - 1, 18 + 18 + 9 - 1, 99 + 1, 102 + 1]
    expected = np.zeros(OBSERVATION_SIZE, np.float32)
    expected[ones] = 1.0
    expected[104:] = 0.25, 0.75
    assert np.array_equal(seen, expected)
    assert seen.dtype == np.float32
    assert action_mask((1, 9)).tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 1]


def test_the_opponents_goal_is_a_secret() -> None:
    told: dict[Goal, list[object]] = {}
    others: dict[Goal, set[Goal]] = {}
    for seed in range(60):
        game = MatchGame(MatchGameOptions(winning_score=3, first=0))
        game.reset(seed)
        for square in (5, 1, 9):
            game.play(square)
        own, other = game.round.goals
        info = game.info(0)
        info["action_mask"] = info["action_mask"].tolist()
        shown = [game.observation(0).tolist(), info, game.text()]
        assert told.setdefault(own, shown) == shown
        others.setdefault(own, set()).add(other)
    assert others == {goal: set(Goal) for goal in Goal}


def test_copies() -> None:
    play = RoundPlay(RoundVariant(Rules("filled", (1, 0, 1)), start=(5,)), (Goal.WIN,), (5, 1), Board(16, 1))
    assert copy.deepcopy({"play": play})["play"] is play
    assert pickle.loads(pickle.dumps(play)) == play
    assert play.variant.values == SINGLE_ROUND


@pytest.mark.parametrize("rules", RULES)
def test_rounds_are_those_of_the_tree(rules: str) -> None:
    tree, generator = GameTree.build(rules), np.random.default_rng(1)
    for _ in range(100):
        play, node = RoundVariant(Rules(rules)).play.draw(Goal.LOSE).draw(Goal.TIE), 0
        while play.outcome is None:
            assert play.squares == tuple(tree.move(child) for child in tree.children(node))
            assert play.mover == tree.owner[node]
            chosen = int(generator.integers(len(play.squares)))
            play, node = play.mark(play.squares[chosen]), tree.children(node)[chosen]
        assert play.outcome is tree.outcome(node)
        assert play.moves == tree.history(node)
        assert play.scored == tree.rules.scores(play.outcome, Goal.LOSE, Goal.TIE)


@pytest.mark.parametrize("start", [(5, 1, 9), (9, 5, 1, 3), (3, 2, 9)])
@pytest.mark.parametrize("rules", ["three-in-a-row 2:1:1", "filled"])
def test_a_later_start_is_a_part_of_the_tree(start: tuple[int, ...], rules: str) -> None:
    """Node by node the subtree that a cursor finds, though the board may be turned, and the same game."""
    tree, later = GameTree.build(rules), RoundVariant(Rules.parse(rules), start=start).game()
    top = Cursor(tree, start).node
    known = {0}
    waiting = [(top, 0)]
    while waiting:
        node, other = waiting.pop()
        assert tree.owner[node] == later.tree.owner[other]
        assert len(tree.children(node)) == len(later.tree.children(other))
        squares = Cursor(tree, start + later.tree.history(other)).squares_by_child()
        for child in later.tree.children(other):
            waiting += [(below, child) for below, shared in squares.items() if later.tree.move(child) in shared]
            known.add(child)
    assert len(known) == later.tree.num_nodes
    assert later.prior.sum() == pytest.approx(1.0)


def test_starts_and_moves_that_are_refused() -> None:
    for start, message in {
        (5, 5): "start: 55 are not different squares from 1 to 9",
        (5, 0): "start: 50 are not different squares from 1 to 9",
        (1, 4, 2, 5, 3): "start: the round is decided after 14253",
        (1, 4, 2, 5, 3, 6): "start: the round is decided before the last move of 142536",
    }.items():
        for cut_forced in (True, False):
            with pytest.raises(ValueError, match=message):
                RoundVariant(start=start, cut_forced=cut_forced)
    play = RoundVariant().play
    with pytest.raises(ValueError, match="the round goes on"):
        _ = play.scored
    play = play.draw(Goal.WIN).draw(Goal.WIN)
    with pytest.raises(ValueError, match="both have been drawn"):
        play.draw(Goal.WIN)
    for square in (3, 10):
        with pytest.raises(IllegalMoveError, match=rf"square {square} is not one of \(1, 2, 5\)"):
            play.mark(square)


def test_the_import_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("tictactoe.environments.open_spiel")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ImportError) as missing:
        importlib.import_module("tictactoe.environments.open_spiel")
    assert isinstance(missing.value, TicTacToeError)
    assert str(missing.value) == "this needs the package open_spiel, which is not installed: pip install open_spiel"
