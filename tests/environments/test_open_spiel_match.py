"""The match as a game of OpenSpiel: its own test, our referee's matches, what players may know, and exact values."""

import random
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracle.small_games import random_strategy

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install '.[openspiel]'")

from open_spiel.python.algorithms import expected_game_score, exploitability  # noqa: E402

from tictactoe import RULES, GameTree, Goal, Outcome, OutcomeValues, Rules, Score, load_solution  # noqa: E402
from tictactoe.algorithms import best_response as ours  # noqa: E402
from tictactoe.algorithms.strategy import uniform_strategy  # noqa: E402
from tictactoe.environments.open_spiel import match_policy, match_strategies_of  # noqa: E402
from tictactoe.games.payoffs import tic_tac_toe_round  # noqa: E402
from tictactoe.games.rules import RESULTS  # noqa: E402
from tictactoe.match.scores import all_scores, continuation  # noqa: E402
from tictactoe.play.referee import Match, new_commitment  # noqa: E402


def game_of(**parameters: Any) -> Any:
    return pyspiel.load_game("smbc_tictactoe_match", parameters)


@pytest.fixture
def two_marks(monkeypatch: pytest.MonkeyPatch) -> str:
    """Rules of a round that is small enough for whole matches: two marks, whose neighbourhood decides."""

    def outcome(board: Any) -> Outcome | None:
        image = board.canonical()
        return None if board.num_marks < 2 else Outcome((image.first.bit_length() * image.second.bit_length()) % 3)

    monkeypatch.setitem(RULES, "two-marks", replace(RULES["three-in-a-row"], outcome=outcome))
    return "two-marks"


@pytest.mark.parametrize(
    "parameters",
    [
        {"winning_score": 1},
        {"rules": "filled 1:2:0", "merge_symmetric": False, "cut_forced": False},
        {"winning_score": 3, "first_points": 2, "second_points": 1, "merge_symmetric": False},
        {"winning_score": 5, "max_rounds": 2, "cut_forced": False, "rules": "filled-none"},
    ],
)
def test_random_simulation_of_open_spiel(parameters: dict[str, Any]) -> None:
    game = game_of(**parameters)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert game.max_game_length() == 9 * game.max_rounds
    assert game.max_chance_nodes_in_history() == 2 * game.max_rounds
    assert pyspiel.load_game(str(game)).score == game.score


REFUSED = {
    "match(winning_score=0)": "winning_score: 0 is not at least 1",
    "match(max_rounds=0)": "max_rounds: 0 is not at least 1",
    "match(winning_score=2,second_points=2)": "second_points: 2 is not in 0 to 1",
    "match(first_points=-1)": "first_points: -1 is not in 0 to 4",
    "match(rules=misere)": "rules: unknown rules 'misere'",
    "round(start=-5)": "start: -5 are not squares",
    "round(rules=misere)": "rules: unknown rules 'misere'",
    "round(rules=filled 2:2:2)": "rules: 'filled 2:2:2' where 'filled' would be right",
    "round(outcome_values=1:2:3)": "outcome_values: '1:2:3' is not four numbers",
    "round(outcome_values=0:nan:1:0)": "outcome_values: '0:nan:1:0' are all 0, or not all finite",
}


@pytest.mark.parametrize("text", REFUSED)
def test_parameters_that_make_no_game(text: str) -> None:
    with pytest.raises(ValueError, match=REFUSED[text]):
        pyspiel.load_game(f"smbc_tictactoe_{text}")


@pytest.mark.parametrize("rules", ["three-in-a-row", "filled 1:1:3"])
def test_matches_are_those_of_the_referee(rules: str) -> None:
    generator, both_there = random.Random(5), 0
    game = game_of(rules=rules, winning_score=2, merge_symmetric=False)
    for _ in range(20):
        state, match = game.new_initial_state(), Match(GameTree.build(rules), 2, ("A", "B"), first=0)
        while not state.is_terminal():
            assert (state.score, state.first) == (match.score, match.first)
            draws = []
            for _ in range(2):
                draws.append(generator.choice(state.chance_outcomes())[0])
                state.apply_action(draws[-1])
            goals = tuple(Goal(draws[(player + match.first) % 2]) for player in (0, 1))
            number = len(match.rounds) + 1
            played = match.next_round(goals, new_commitment(1, number, goals[1]))
            while played.mover is not None:
                assert state.current_player() == played.mover
                assert state.legal_actions() == [square - 1 for square in played.cursor.board.free_squares]
                action = generator.choice(state.legal_actions())
                state.apply_action(action)
                played.play(action + 1)
            both_there += match.finish(played)
        assert (match.winner, match.points) == (state.winner, state.points)
        assert state.returns() == ([1, -1] if match.winner == 0 else [-1, 1])
    assert both_there > 0  # both reached the winning score, and play went on


def test_a_draw_after_the_last_round(two_marks: str) -> None:
    game, scored = game_of(rules=two_marks, max_rounds=2), 0
    for seed in range(20):
        generator, state = random.Random(seed), game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(generator.choice(state.legal_actions()))
        assert (len(state.rounds), state.returns(), state.legal_actions()) == (2, [0, 0], [])
        assert sum(state.points) == sum(sum(played.scored) for played in state.rounds)
        scored += sum(state.points)
        with pytest.raises(ValueError, match="the match is over"):
            _ = state.score
    assert scored > 0


def test_what_a_player_may_know(two_marks: str) -> None:
    game = game_of(rules=two_marks, winning_score=1, max_rounds=2, merge_symmetric=False)
    words, numbers, generator = defaultdict(set), defaultdict(set), random.Random(2)
    for _ in range(300):
        state = game.new_initial_state()
        while True:
            for player in (0, 1):
                rounds = tuple((played.goals, played.moves) for played in state.rounds)
                seat = (player + state.first) % 2
                goal = state.play.goals[seat] if len(state.play.goals) > seat else None
                known = (player, rounds, goal, state.play.moves)
                words[state.information_state_string(player)].add(known)
                numbers[bytes(np.array(state.information_state_tensor(player), np.float32))].add(known)
            if state.is_terminal():
                break
            state.apply_action(generator.choice(state.legal_actions()))
    for seen in (words, numbers):
        assert {len(known) for known in seen.values()} == {1}
        assert len(seen) == len({next(iter(known)) for known in seen.values()})
    assert any(len(next(iter(known))[1]) == 1 for known in words.values())


def test_the_words_and_numbers_of_a_state() -> None:
    game = game_of(winning_score=2, max_rounds=10, merge_symmetric=False)
    state = game.new_initial_state()
    for action in (0, 2, 0, 3, 1, 4, 2, 1, 0, 4):  # X wins by 1 4 2 5 3. In round 2 the players swap seats.
        state.apply_action(action)
    assert (str(state), state.current_player(), state.score) == ("1-0: wt 14253, lw 5", 0, Score(0, 1))
    assert state.information_state_string(0) == "player:0 round:2 points:1-0 earlier:win/tie/14253 goal:win moves:5"
    assert state.information_state_string(1) == "player:1 round:2 points:0-1 earlier:tie/win/14253 goal:lose moves:5"
    assert state.observation_string(0) == "player:0 round:2 points:1-0 goal:win board:....X...."
    board = [[1, 1, 1, 1, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 0, 0, 0, 0], [0] * 9]
    player, goal, seat, points = [1, 0], [1, 0, 0], [0, 1], [0, 1, 0, 1, 0, 0]
    assert state.observation_tensor(0) == pytest.approx([*player, *goal, *np.ravel(board), *seat, *points, 0.1])
    observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True))
    observer.set_from(state, 1)
    assert observer.dict["earlier_goals"][0].tolist() == [[0, 0, 1], [1, 0, 0]]
    assert np.argwhere(observer.dict["earlier_moves"]).tolist() == [
        [0, 0, 0], [0, 1, 3], [0, 2, 1], [0, 3, 4], [0, 4, 2]]  # fmt: skip
    private = game.make_py_observer(pyspiel.IIGObservationType(False, True, pyspiel.PrivateInfoType.SINGLE_PLAYER))
    private.set_from(state, 1)
    assert private.tensor.tolist() == [0, 1, 0, 1, 0]
    assert private.string_from(state, 1) == "player:1 goal:lose"


def cut_values(tree: GameTree, strategies: Any, winning_score: int, rounds: int, adversary: int | None) -> Any:
    """The points of player 0 by score and first mover, with so many rounds left, computed by our algorithms. Both
    players play `strategies`, but for `adversary`, 0 or 1, whose answer is a best response."""
    values = {(score, first): 0.0 for score in all_scores(winning_score) for first in (0, 1)}
    for _ in range(rounds):
        before, values = values, {}
        for score, first in before:
            sign = 1 if first == 0 else -1
            worth = []
            for result in RESULTS:
                after = continuation(score, *result, winning_score)
                leader = first if after.sign > 0 else 1 - first
                decided = 1.0 if leader == 0 else -1.0
                worth.append(sign * (decided if after.score is None else before[after.score, leader]))
            game = tic_tac_toe_round(tree, OutcomeValues(*worth))
            if adversary is None:
                value = ours.expected_value(game, ours.leaf_distribution(tree, strategies[score]))
            else:
                seat = (adversary + first) % 2
                value = ours.best_response_value(game, seat, strategies[score]) * (1 if seat == 0 else -1)
            values[score, first] = sign * value
    return values


@pytest.mark.parametrize("points", [(0, 0), (1, 0)])
def test_values_agree(two_marks: str, points: tuple[int, int]) -> None:
    rules, rounds = f"{two_marks} 1:2:0", 2
    game = game_of(rules=rules, winning_score=2, max_rounds=rounds, first_points=points[0], second_points=points[1])
    tree = GameTree.build(Rules.parse(rules))
    strategies = {score: random_strategy(tree, seed) for seed, score in enumerate(all_scores(2))}
    for strategy in strategies.values():
        strategy[:, Goal.TIE] = uniform_strategy(tree)[:, 0]  # is never drawn
    policy = match_policy(game, strategies)
    start = (Score(*points), 0)
    expected = cut_values(tree, strategies, 2, rounds, None)[start]
    value = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert value == pytest.approx([expected, -expected], abs=1e-9)
    best_of_0, best_of_1 = (cut_values(tree, strategies, 2, rounds, player)[start] for player in (0, 1))
    gains = [best_of_0 - expected, expected - best_of_1]
    conv = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
    assert conv.player_improvements == pytest.approx(gains, abs=1e-9)
    assert min(gains) > 1e-3
    read = match_strategies_of(game, policy)
    assert read.keys() == strategies.keys()
    for score, strategy in strategies.items():
        np.testing.assert_allclose(read[score][1:], strategy[1:], rtol=0, atol=1e-15)


def test_a_longer_match_than_its_strategies() -> None:
    strategies = load_solution("shipped").average_strategy
    with pytest.raises(ValueError, match="strategies: none for 11 scores, such as 5-5"):
        match_policy(game_of(winning_score=6), strategies)
