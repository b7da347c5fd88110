"""The round and the match as games of OpenSpiel: its own tests, our referee's matches, secrets, and exact values."""

import random
import runpy
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.small_games import random_strategy
from support.slowness import slow

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install '.[openspiel]'")

from open_spiel.python.algorithms import best_response, expected_game_score, exploitability, get_all_states  # noqa: E402
from open_spiel.python.policy import UniformRandomPolicy, python_policy_to_pyspiel_policy  # noqa: E402

from tictactoe import GameTree, OutcomeValues, load_solution, open_saved, uniform_strategy  # noqa: E402
from tictactoe.algorithms import best_response as ours  # noqa: E402
from tictactoe.environments import open_spiel  # noqa: E402
from tictactoe.games.payoffs import tic_tac_toe_round  # noqa: E402
from tictactoe.games.rules import RESULTS, RULES, Goal, Outcome, Rules  # noqa: E402
from tictactoe.match.scores import Score, all_scores, continuation  # noqa: E402
from tictactoe.play.referee import Match, new_commitment  # noqa: E402

ROOT = Path(__file__).parents[2]
VALUES = OutcomeValues(both=1 / 3, first=0.9, second=-0.123456789012345678, neither=0.05)


def round_game(**parameters: Any) -> Any:
    return pyspiel.load_game("smbc_tictactoe_round", parameters)


def match_game(**parameters: Any) -> Any:
    return pyspiel.load_game("smbc_tictactoe_match", parameters)


def after(game: Any, *actions: int) -> Any:
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


@pytest.fixture
def two_marks(monkeypatch: pytest.MonkeyPatch) -> str:
    """Rules of a round that is small enough for whole matches: two marks, whose neighbourhood decides."""

    def outcome(board: Any) -> Outcome | None:
        image = board.canonical()
        return None if board.num_marks < 2 else Outcome((image.first.bit_length() * image.second.bit_length()) % 3)

    monkeypatch.setitem(RULES, "two-marks", replace(RULES["three-in-a-row"], outcome=outcome))
    return "two-marks"


@pytest.mark.parametrize("rules", RULES)
def test_random_simulations_of_rounds(rules: str) -> None:
    for merge, cut, start in product([True, False], [True, False], [0, 519]):
        text = rules if start else f"{rules} 3:0:1"
        game = round_game(rules=text, merge_symmetric=merge, cut_forced=cut, start=start)
        pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(
    "parameters",
    [
        {"winning_score": 1},
        {"rules": "filled 1:2:0", "merge_symmetric": False, "cut_forced": False},
        {"winning_score": 3, "first_points": 2, "second_points": 1, "merge_symmetric": False},
        {"winning_score": 5, "max_rounds": 2, "cut_forced": False, "rules": "filled-none"},
    ],
)
def test_random_simulations_of_matches(parameters: dict[str, Any]) -> None:
    game = match_game(**parameters)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    assert game.max_game_length() == 9 * game.max_rounds
    assert game.max_chance_nodes_in_history() == 2 * game.max_rounds
    assert pyspiel.load_game(str(game)).score == game.score


REFUSED = {
    "match(winning_score=0)": "winning_score: 0 is not at least 1",
    "match(max_rounds=0)": "max_rounds: 0 is not at least 1",
    "match(winning_score=2,second_points=2)": "second_points: 2 is not from 0 to 1",
    "match(first_points=-1)": "first_points: -1 is not from 0 to 4",
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
    game = match_game(rules=rules, winning_score=2, merge_symmetric=False)
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
    game, scored = match_game(rules=two_marks, max_rounds=2), 0
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


def played_at_random(game: Any, matches: int) -> Iterable[Any]:
    generator = random.Random(2)
    for _ in range(matches):
        state = game.new_initial_state()
        yield state.clone()
        while not state.is_terminal():
            state.apply_action(generator.choice(state.legal_actions()))
            yield state.clone()


@pytest.mark.parametrize("kind", ["round", "match"])
def test_what_a_player_may_know(kind: str, two_marks: str) -> None:
    """No two states of knowledge have the same text or the same tensor, and none has two."""
    if kind == "round":
        game = round_game(start=5193, rules="filled", merge_symmetric=False)
        states = get_all_states.get_all_states(game, include_chance_states=True).values()
    else:
        game = match_game(rules=two_marks, winning_score=1, max_rounds=2, merge_symmetric=False)
        states = played_at_random(game, 300)
    seen: list[dict[object, set[object]]] = [defaultdict(set) for _ in range(3)]
    for state, player in product(states, (0, 1)):
        rounds = tuple((played.goals, played.moves) for played in getattr(state, "rounds", ()))
        seat = (player + state.first) % 2
        goal = state.play.goals[seat] if len(state.play.goals) > seat else None
        known = (player, rounds, goal, state.play.moves)
        seen[0][state.information_state_string(player)].add(known)
        seen[1][bytes(np.array(state.information_state_tensor(player), np.float32))].add(known)
        if kind == "round":
            tensor = bytes(np.array(state.observation_tensor(player), np.float32))
            seen[2][state.observation_string(player)].add((player, goal, state.play.board, tensor))
    for each in seen:
        assert {len(known) for known in each.values()} <= {1}
        assert len(each) == len({next(iter(known)) for known in each.values()})
    assert len(seen[0]) > 500
    assert kind == "round" or any(len(next(iter(known))[1]) == 1 for known in seen[0].values())  # type: ignore[arg-type]


def test_the_words_and_numbers_of_a_round() -> None:
    game = round_game(merge_symmetric=False)
    state = after(game, 0, 2, 4, 0)
    assert (game.max_game_length(), game.max_chance_nodes_in_history()) == (9, 2)
    assert (game.min_utility(), game.max_utility()) == (-1, 1)
    assert (str(state), state.information_state_string(0)) == ("wt 51", "player:0 goal:win moves:51")
    assert state.information_state_string(1) == "player:1 goal:tie moves:51"
    assert state.observation_string(1) == "player:1 goal:tie board:O...X...."
    assert state.action_to_string(0, 8) == "X9"
    expected = np.zeros((9, 9))
    expected[0, 4] = expected[1, 0] = 1
    assert state.information_state_tensor(0) == [1, 0, 1, 0, 0, *expected.ravel()]
    board = [[0, 1, 1, 1, 0, 1, 1, 1, 1], [0, 0, 0, 0, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 0]]
    assert state.observation_tensor(1) == [0, 1, 0, 0, 1, *np.ravel(board)]


def test_observers_of_less() -> None:
    game, private = round_game(), pyspiel.PrivateInfoType
    state = after(game, 0, 2, 4)
    for public, secret, text, size in (
        (True, private.NONE, "player:1 moves:5", 2 + 81),
        (False, private.SINGLE_PLAYER, "player:1 goal:tie", 2 + 3),
    ):
        observer = game.make_py_observer(pyspiel.IIGObservationType(public, True, secret))
        assert (observer.string_from(state, 1), observer.tensor.shape) == (text, (size,))
    with pytest.raises(ValueError, match="no observer gives both players' goals"):
        game.make_py_observer(pyspiel.IIGObservationType(True, True, private.ALL_PLAYERS))
    with pytest.raises(ValueError, match=r"params: \{'a': 1\}"):
        game.make_py_observer(None, {"a": 1})


def test_the_words_and_numbers_of_a_match() -> None:
    game = match_game(winning_score=2, max_rounds=10, merge_symmetric=False)
    state = after(game, 0, 2, 0, 3, 1, 4, 2, 1, 0, 4)  # X wins by 1 4 2 5 3. In round 2 the players swap seats.
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


CASES = [
    {"start": 95382, "rules": "filled 2:1:3", "merge_symmetric": False},
    *slow({"start": 5193}, {"start": 5193, "rules": "filled-none 1:0:2", "cut_forced": False}),
    *slow({"start": 15932, "rules": "filled-tie", "merge_symmetric": False, "cut_forced": False}),
]


@pytest.mark.parametrize("parameters", CASES)
def test_values_of_rounds_agree(parameters: dict[str, Any]) -> None:
    game = round_game(outcome_values=open_spiel.values_text(VALUES), **parameters)
    our_game = game.variant.game()
    serialized = pyspiel.serialize_game_and_state(game, game.new_initial_state())
    for again in (pyspiel.load_game(str(game)), pyspiel.deserialize_game_and_state(serialized)[0]):
        assert (again.variant, again.variant.values) == (game.variant, VALUES)
    strategy = random_strategy(our_game.tree, seed=3)
    policy = TableOf(game, our_game.tree, strategy)
    is_drawn = np.array(game.variant.rules.goal_odds) > 0
    assert np.array_equal(
        open_spiel.strategy_of(game, policy), np.where(is_drawn, strategy, uniform_strategy(our_game.tree))
    )
    judged = ours.exploitability(our_game, strategy)
    root = game.new_initial_state()
    assert expected_game_score.policy_value(root, [policy, policy])[0] == pytest.approx(judged.value, abs=1e-9)
    conv = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
    assert conv.player_improvements == pytest.approx([judged.first_gain, judged.second_gain], abs=1e-9)
    for player in (0, 1):
        best = best_response.BestResponsePolicy(game, player, policy)
        assert best.value(root) == pytest.approx(ours.best_response_value(our_game, player, strategy), abs=1e-9)
    assert judged.total > 0.1


class TableOf(UniformRandomPolicy):  # type: ignore[misc]
    def __init__(self, game: Any, tree: Any, strategy: Any) -> None:
        super().__init__(game)
        self.tree, self.strategy, self.start = tree, strategy, len(game.variant.start)

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        node, goal = self.tree.find(state.play.moves[self.start :]), state.play.goals[state.current_player()]
        return {self.tree.move(child) - 1: self.strategy[child, goal] for child in self.tree.children(node)}


def cut_values(tree: GameTree, strategies: Any, winning_score: int, rounds: int, adversary: int | None) -> Any:
    """The points of player 0 by score and first mover, by our algorithms. adversary: who answers best, 0 or 1."""
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


@pytest.mark.parametrize("points", [(1, 0), *slow(((0, 0),))])
def test_values_of_matches_agree(two_marks: str, points: tuple[int, int]) -> None:
    rules, rounds = f"{two_marks} 1:2:0", 2
    game = match_game(rules=rules, winning_score=2, max_rounds=rounds, first_points=points[0], second_points=points[1])
    tree = GameTree.build(Rules.parse(rules))
    strategies = {score: random_strategy(tree, seed) for seed, score in enumerate(all_scores(2))}
    for strategy in strategies.values():
        strategy[:, Goal.TIE] = uniform_strategy(tree)[:, 0]  # is never drawn
    policy = open_spiel.match_policy(game, strategies)
    start = (Score(*points), 0)
    expected = cut_values(tree, strategies, 2, rounds, None)[start]
    value = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert value == pytest.approx([expected, -expected], abs=1e-9)
    best_of_0, best_of_1 = (cut_values(tree, strategies, 2, rounds, player)[start] for player in (0, 1))
    gains = [best_of_0 - expected, expected - best_of_1]
    conv = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
    assert conv.player_improvements == pytest.approx(gains, abs=1e-9)
    assert min(gains) > 1e-3
    read = open_spiel.match_strategies_of(game, policy)
    assert read.keys() == strategies.keys()
    for score, strategy in strategies.items():
        np.testing.assert_allclose(read[score][1:], strategy[1:], rtol=0, atol=1e-15)


def test_our_solution_as_a_policy() -> None:
    saved = open_saved("single_round").load()
    results = set()
    for merge, cut in ((True, True), (False, False)):
        game = round_game(start=7918, merge_symmetric=merge, cut_forced=cut)  # no history of the tree: a turned board
        policy = open_spiel.round_policy(game, saved.average_strategy)
        conv = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
        judged = ours.exploitability(game.variant.game(), open_spiel.strategy_of(game, policy))
        assert conv.player_improvements == pytest.approx([judged.first_gain, judged.second_gain], abs=1e-9)
        results.add((round(float(conv.nash_conv), 9), round(judged.value, 9)))
        if merge and cut:
            table = python_policy_to_pyspiel_policy(policy.to_tabular())  # for the compiled algorithms
            assert pyspiel.nash_conv(game, table) == pytest.approx(conv.nash_conv, abs=1e-9)
    assert len(results) == 1
    ((conv, _),) = results
    assert conv > 0.01  # goals drawn anew, at a position that the solution would not come to with all of them


def test_policies_that_do_not_fit() -> None:
    tree, other = GameTree.build(), GameTree.build("filled")
    game = round_game()
    with pytest.raises(ValueError, match="strategy: shape"):
        open_spiel.round_policy(game, uniform_strategy(other))
    with pytest.raises(ValueError, match="tree: its rules are filled, but the game's are three-in-a-row"):
        open_spiel.round_policy(game, uniform_strategy(other), other)
    policy, state = open_spiel.round_policy(game, uniform_strategy(tree)), game.new_initial_state()
    with pytest.raises(ValueError, match="player_id: None is not to move"):
        policy.action_probabilities(state)
    state = after(game, Goal.WIN, Goal.WIN)
    assert policy.action_probabilities(state, 0) == pytest.approx({0: 1 / 3, 1: 1 / 3, 4: 1 / 3})
    with pytest.raises(ValueError, match="player_id: 1 is not to move"):
        policy.action_probabilities(state, 1)
    with pytest.raises(ValueError, match="states are not read from text"):
        game.new_initial_state("wt 51")


def test_the_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main = runpy.run_path(str(ROOT / "examples" / "open_spiel_cfr.py"))["main"]
    tables = []
    for iterations in ("1", "30"):
        main(["--start", "5193", "--iterations", iterations])
        rows = [row.split("|") for row in capsys.readouterr().out.splitlines()[2:]]
        assert [row[1].strip() for row in rows] == ["`cfr`", "`cfr+`"]
        tables.append([(float(row[3]), float(row[5])) for row in rows])
    for before, after in zip(*tables, strict=True):
        assert before[0] == before[1]  # nothing has been rounded yet
        assert max(after) < min(before) / 5
    with pytest.raises(SystemExit, match="2"):
        main(["--start", "5193", "-o", str(tmp_path / "learnt")])


def test_a_longer_match_than_its_strategies() -> None:
    strategies = load_solution("shipped").average_strategy
    with pytest.raises(ValueError, match="strategies: none for 11 scores, such as 5-5"):
        open_spiel.match_policy(match_game(winning_score=6), strategies)
