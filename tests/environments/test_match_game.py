"""Matches and rounds as environments play them, whom a learning agent meets, policies as strategies."""

import copy
import importlib
import pickle
import random
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle.small_games import random_strategy

from tictactoe import RULES, Board, Cursor, GameTree, Goal, MatchBot, Rules, Score, Seat, open_saved, strategy_of_policy
from tictactoe.algorithms.best_response import exploitability
from tictactoe.environments import match_game
from tictactoe.environments.match_game import MatchGame, MatchGameOptions, RoundPlay, RoundVariant, opponent_to_meet
from tictactoe.environments.observations import OBSERVATION_SIZE, Masks, Observations, Policy, action_mask, observation
from tictactoe.errors import FormatError, IllegalMoveError, TicTacToeError
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.games.rules import SINGLE_ROUND
from tictactoe.play.bot import draw_first
from tictactoe.play.referee import Match
from tictactoe.storage.solution import load_solution


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
        match = Match(GameTree.build(rules), 2, match_game.PLAYERS, draw_first(None, seed), seed)
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


USUAL, ROOT = "three-in-a-row", Score(0, 0)


def test_names_solutions_and_bots() -> None:
    shipped = open_saved().load(Score(4, 3)).average_strategy
    for opponent in ("perfect", "shipped", MatchBot(load_solution("shipped"))):
        assert np.array_equal(opponent_to_meet(opponent, USUAL, 5)(Score(4, 3)).strategy, shipped)
    single = open_saved("single_round").load().average_strategy
    for opponent in ("perfect", "single_round"):
        assert np.array_equal(opponent_to_meet(opponent, USUAL, None)(ROOT).strategy, single)
    careless, perfect = (opponent_to_meet(name, USUAL, 2)(ROOT).strategy for name in ("careless", "perfect"))
    assert careless[1:].min() > 0.0 == perfect[1:].min()
    bot = opponent_to_meet("uniform", USUAL, None)(ROOT)
    assert opponent_to_meet(bot, USUAL, 3)(Score(2, 1)) is bot
    assert opponent_to_meet("learner-1", "filled", 5)(ROOT).tree is GameTree.build("filled")


def test_opponents_that_are_refused(tmp_path: Path) -> None:
    for message, asked in {
        "solved for three-in-a-row, not for filled": ("shipped", "filled", 5),
        "it plays by three-in-a-row, not by filled": (MatchBot(load_solution("match_to_1")), "filled", 1),
        "none ships for filled-tie": ("perfect", "filled-tie", 5),
        "a whole solution: take a subgame of it": ("shipped", USUAL, None),
        "winning_score: 6 is not from 1 to 5": ("shipped", USUAL, 6),
    }.items():
        with pytest.raises((ValueError, FormatError), match=message):
            opponent_to_meet(*asked)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nothing' does not name an agent"):
        opponent_to_meet(tmp_path / "nothing", USUAL, 5)


TREE = GameTree.build()


def looked_up(strategy: np.ndarray) -> Policy:
    nodes = {TREE.history(node): node for node in TREE.decision_nodes.tolist()}

    def policy(shown: Observations, masks: Masks) -> np.ndarray:
        result = np.zeros(masks.shape)
        moves = shown[:, 18:99].reshape(-1, 9, 9)
        squares = np.where(moves.any(axis=2), moves.argmax(axis=2) + 1, 0).tolist()
        for row, played, goal in zip(result, squares, shown[:, 99:102].argmax(axis=1).tolist(), strict=True):
            for child in TREE.children(nodes[tuple(square for square in played if square)]):
                row[TREE.square[child] - 1] = strategy[child, goal]
        assert (result <= masks).all()
        return result

    return policy


def test_a_strategy_comes_back() -> None:
    strategy = random_strategy(TREE, seed=1)
    assert np.allclose(strategy_of_policy(TREE, looked_up(strategy)), strategy, rtol=0.0, atol=1e-12)

    def policy(shown: Observations, masks: Masks) -> np.ndarray:
        weights = masks * (1.0 + shown[:, :9])
        return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)

    strategy = strategy_of_policy(TREE, policy)
    assert strategy.shape == open_saved("single_round").load().average_strategy.shape
    assert np.abs(TREE.sums_over_children(strategy) - 1.0).max() < 1e-12


def test_it_is_asked_with_what_the_environment_shows() -> None:
    winning_score = 2
    game = MatchGame(MatchGameOptions(winning_score=winning_score, merge_symmetric=True))
    chooser = np.random.default_rng(3)
    wanted: dict[Score, set[bytes]] = {}
    for seed in range(12):
        game.reset(seed)
        while game.mover is not None:
            shown, mask = game.observation(game.mover), game.mask(game.mover)
            wanted.setdefault(game.round.score, set()).add(shown.tobytes() + mask.tobytes())
            game.play(int(chooser.choice(game.squares)))
    assert len(wanted) == winning_score**2
    for score, seen in wanted.items():
        asked: set[bytes] = set()

        def policy(shown: Observations, masks: Masks, asked: set[bytes] = asked) -> np.ndarray:
            asked.update(one.tobytes() + mask.tobytes() for one, mask in zip(shown, masks, strict=True))
            return masks / masks.sum(axis=1, keepdims=True)

        strategy_of_policy(TREE, policy, score, winning_score)
        assert len(asked) == 3 * TREE.num_decision_nodes
        assert seen <= asked


def test_no_probabilities() -> None:
    shape = TREE.num_decision_nodes, 9
    negative = np.where(np.arange(9) == 0, 2.0, -1.0 / 8.0) * np.ones(shape)
    for scale, wrong in ((1.0 / 9.0, 0.0), (0.0, 1.0 / 9.0), (0.0, np.nan), (0.0, negative)):  # 1/9 even if forbidden
        with pytest.raises(ValueError, match="policy: these are not probabilities"):
            strategy_of_policy(TREE, lambda shown, masks, a=scale, b=wrong: a * masks + b)  # type: ignore[misc]
    with pytest.raises(ValueError, match="expected"):
        strategy_of_policy(TREE, lambda shown, masks: masks[:, :3])
    with pytest.raises(ValueError, match="score:"):
        strategy_of_policy(TREE, lambda shown, masks: masks, Score(0, 0))


EXAMPLE = Path(__file__).parents[2] / "examples" / "train_ppo.py"
SCRIPT = runpy.run_path(str(EXAMPLE))


def test_a_round_against_the_perfect_opponent() -> None:
    tree, root = GameTree.build(), Score(0, 0)
    theirs = {root: opponent_to_meet("perfect", "three-in-a-row", None)(root).strategy}
    best = SCRIPT["possible"](tree, theirs, None)
    assert (best.as_first, best.as_second) == pytest.approx((-1 / 9, 1 / 9), abs=1e-12)
    ours = SCRIPT["strategies_of"](tree, lambda shown, masks: masks / masks.sum(axis=1, keepdims=True), None)
    judged = SCRIPT["judged"](tree, ours, theirs, None)
    assert judged.as_first < best.as_first - 0.1
    assert judged.as_second < best.as_second - 0.1
    assert judged.exploitability == exploitability(tic_tac_toe_round(tree, SINGLE_ROUND), ours[root]).total
    itself = SCRIPT["judged"](tree, theirs, theirs, None)
    assert (itself.as_first, itself.as_second) == pytest.approx((-1 / 9, 1 / 9), abs=1e-12)
    assert itself.exploitability < 1e-12


def test_a_short_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: pip install sb3-contrib")
    monkeypatch.setattr(sys, "argv", ["train_ppo.py", "--steps", "2048", "--parts", "1", "--opponent", "uniform"])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[2] for line in lines[2:]] == ["drawn", "likeliest"] * 2
    before, after = (line.split()[-2:] for line in (lines[2], lines[4]))
    assert before != after
