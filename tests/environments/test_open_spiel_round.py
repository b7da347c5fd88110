"""The round as a game of OpenSpiel: its own tests, what players may know, and the same values as ours."""

import runpy
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.small_games import random_strategy

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install '.[openspiel]'")

from open_spiel.python.algorithms import best_response, expected_game_score, exploitability, get_all_states  # noqa: E402
from open_spiel.python.policy import UniformRandomPolicy, python_policy_to_pyspiel_policy  # noqa: E402

from tictactoe import RULES, GameTree, Goal, OutcomeValues, open_saved, uniform_strategy  # noqa: E402
from tictactoe.algorithms import best_response as ours  # noqa: E402
from tictactoe.environments.open_spiel import round_policy, strategy_of, values_text  # noqa: E402

ROOT = Path(__file__).parents[2]
VALUES = OutcomeValues(both=1 / 3, first=0.9, second=-0.123456789012345678, neither=0.05)


def game_of(**parameters: Any) -> Any:
    return pyspiel.load_game("smbc_tictactoe_round", parameters)


@pytest.mark.parametrize("rules", RULES)
def test_random_simulation_of_open_spiel(rules: str) -> None:
    for merge, cut, start in product([True, False], [True, False], [0, 519]):
        text = rules if start else f"{rules} 3:0:1"
        game = game_of(rules=text, merge_symmetric=merge, cut_forced=cut, start=start)
        pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_what_a_player_may_know() -> None:
    game = game_of(start=5193, rules="filled", merge_symmetric=False)
    states = get_all_states.get_all_states(game, include_chance_states=True).values()
    words, numbers, observed = defaultdict(set), defaultdict(set), defaultdict(set)
    for state, player in product(states, (0, 1)):
        goal = state.play.goals[player] if len(state.play.goals) > player else None
        known = (player, goal, state.play.moves)
        words[state.information_state_string(player)].add(known)
        numbers[bytes(np.array(state.information_state_tensor(player), np.float32))].add(known)
        tensor = bytes(np.array(state.observation_tensor(player), np.float32))
        observed[state.observation_string(player)].add((player, goal, state.play.board, tensor))
    for seen in (words, numbers, observed):
        assert {len(known) for known in seen.values()} == {1}  # a text belongs to one state of knowledge
        assert len(seen) == len({next(iter(known)) for known in seen.values()})  # which has no second text
    assert len(words) > 500


def test_the_words_and_numbers_of_a_state() -> None:
    state = game_of(merge_symmetric=False).new_initial_state()
    for action in (0, 2, 4, 0):
        state.apply_action(action)
    game = state.get_game()
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
    state = game_of().new_initial_state()
    for action in (0, 2, 4):
        state.apply_action(action)
    game, private = state.get_game(), pyspiel.PrivateInfoType
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


CASES = [
    {"start": 5193},
    {"start": 95382, "rules": "filled 2:1:3", "merge_symmetric": False},
    {"start": 5193, "rules": "filled-none 1:0:2", "cut_forced": False},
    {"start": 15932, "rules": "filled-tie", "merge_symmetric": False, "cut_forced": False},
]


@pytest.mark.parametrize("parameters", CASES)
def test_values_agree(parameters: dict[str, Any]) -> None:
    game = game_of(outcome_values=values_text(VALUES), **parameters)
    our_game = game.variant.game()
    serialized = pyspiel.serialize_game_and_state(game, game.new_initial_state())
    for again in (pyspiel.load_game(str(game)), pyspiel.deserialize_game_and_state(serialized)[0]):
        assert (again.variant, again.variant.values) == (game.variant, VALUES)
    strategy = random_strategy(our_game.tree, seed=3)
    policy = TableOf(game, our_game.tree, strategy)
    is_drawn = np.array(game.variant.rules.goal_odds) > 0
    assert np.array_equal(strategy_of(game, policy), np.where(is_drawn, strategy, uniform_strategy(our_game.tree)))
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


def test_our_solution_as_a_policy() -> None:
    saved = open_saved("single_round").load()
    results = set()
    for merge, cut in product([True, False], [True, False]):
        game = game_of(start=7918, merge_symmetric=merge, cut_forced=cut)  # no history of the tree: a turned board
        policy = round_policy(game, saved.average_strategy)
        conv = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
        judged = ours.exploitability(game.variant.game(), strategy_of(game, policy))
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
    game = game_of()
    with pytest.raises(ValueError, match="strategy: shape"):
        round_policy(game, uniform_strategy(other))
    with pytest.raises(ValueError, match="tree: of the rules filled, and the game's are three-in-a-row"):
        round_policy(game, uniform_strategy(other), other)
    policy, state = round_policy(game, uniform_strategy(tree)), game.new_initial_state()
    with pytest.raises(ValueError, match="player_id: None is not to move"):
        policy.action_probabilities(state)
    state.apply_action(int(Goal.WIN))
    state.apply_action(int(Goal.WIN))
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
