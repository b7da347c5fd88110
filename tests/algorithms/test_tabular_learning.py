"""The tabular learner: the same bits as in plain Python, however a run is cut, and best responses in Kuhn poker."""

import numpy as np
import pytest
from oracle import small_games
from oracle.naive import Floats, NaiveGame, average_strategy
from oracle.naive_learning import NaiveLearner

from tictactoe import Game, LearningMethod, best_response, exploitability, kuhn_poker, uniform_strategy
from tictactoe.algorithms.learning import TabularLearner, best_values_against, values_against
from tictactoe.algorithms.strategy import both_seats

METHODS = {
    "average": LearningMethod(epsilon_episodes=300),
    "q": LearningMethod(method="q-learning", epsilon=0.7, epsilon_end=0.2, epsilon_episodes=250),
    "constant rate": LearningMethod(method="q-learning", learning_rate=0.1, epsilon_episodes=0),
}
GAMES = {"kuhn": kuhn_poker(), **{f"random {seed}": Game(*small_games.random_game(seed)) for seed in (1, 4)}}


def mixed_strategy(game: Game) -> Floats:
    """Different everywhere; half the nodes with several moves never make the first of them."""
    weights = np.random.default_rng(3).uniform(0.0, 1.0, (game.tree.num_nodes, 3))
    several = np.flatnonzero(game.tree.num_children > 1)[::2]
    weights[game.tree.first_child[several]] = 0.0
    return average_strategy(game.tree, weights)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GAMES)
def test_the_same_table_as_plain_python(name: str, method: str) -> None:
    for opponent in (None, mixed_strategy(GAMES[name])):
        for shared in (False, True):
            assert_same_table(GAMES[name], METHODS[method], opponent, shared)


def assert_same_table(game: Game, method: LearningMethod, opponent: Floats | None, shared: bool) -> None:
    """shared: rows of the table are shared by moves at the same depth and place among their siblings."""
    num_rounds = 400
    row = np.arange(game.tree.num_nodes, dtype=np.int32)
    if shared:
        place = row - np.maximum(game.tree.first_child[game.tree.parent], 0)
        row = np.r_[0, 1 + 10 * game.tree.depth[1:] + place[1:]].astype(np.int32)
    learner = TabularLearner(game, method, opponent=opponent, row=row, seed=5)
    learner.run(num_rounds)
    key = int(np.random.SeedSequence(5).generate_state(1, np.uint64)[0])
    plain = NaiveLearner(NaiveGame(game.tree, game.payoffs, game.prior), method, key, row.tolist(), opponent)
    for _ in range(num_rounds):
        plain.play()
    visits, values = np.zeros_like(learner.visits), np.zeros_like(learner.values)
    for state, number in plain.visits.items():
        visits[state], values[state] = number, plain.values[state]
    assert np.array_equal(learner.visits, visits)
    assert np.array_equal(learner.values, values)
    assert (learner.rounds, learner.nodes) == (num_rounds, plain.nodes)
    assert num_rounds // 2 < visits.sum() <= plain.nodes
    assert (visits.sum() == plain.nodes) == (opponent is None)


def test_cut_into_runs_and_going_on_from_a_state_changes_no_bit() -> None:
    game, method = kuhn_poker(), METHODS["q"]
    whole, first, second = (TabularLearner(game, method, seed=8) for _ in range(3))
    whole.run(1000)
    for number in (1, 0, 250, 249):
        first.run(number)
    second.set_state(first.rounds, first.nodes, first.values, first.visits)
    second.run(500)
    assert np.array_equal(second.values, whole.values)
    assert np.array_equal(second.visits, whole.visits)
    assert (second.rounds, second.nodes) == (whole.rounds, whole.nodes)
    other = TabularLearner(game, method, seed=9)
    other.run(1000)
    assert not np.array_equal(other.values, whole.values)


@pytest.mark.parametrize("method", ["average", "q"])
def test_against_a_fixed_opponent_it_becomes_a_best_response(method: str) -> None:
    game = kuhn_poker()
    opponent = mixed_strategy(game)
    learner = TabularLearner(game, METHODS[method], opponent=opponent)
    learner.run(200_000)
    found = learner.figures()
    assert (found.as_first, found.as_second) == pytest.approx(best_values_against(game, opponent), abs=1e-12)
    assert found.exploitability > 0.1
    assert found.exploitability == pytest.approx(exploitability(game, learner.greedy_strategy()).total, abs=1e-12)


def test_figures_and_the_greedy_policy() -> None:
    game = kuhn_poker()
    learner = TabularLearner(game, METHODS["average"])
    learner.run(5000)
    found, greedy = learner.figures(), learner.greedy_strategy()
    assert found.as_first == -found.as_second == exploitability(game, greedy).value
    uniform = uniform_strategy(game.tree)
    as_first, as_second = values_against(game, greedy, uniform)
    assert as_first == pytest.approx(exploitability(game, both_seats(game.tree, greedy, uniform)).value)
    assert as_second == pytest.approx(-exploitability(game, both_seats(game.tree, uniform, greedy)).value)
    best = best_response(game, 0, uniform).strategy
    assert values_against(game, best, uniform)[0] == pytest.approx(best_values_against(game, uniform)[0])
    learner = TabularLearner(game, METHODS["average"])
    assert learner.greedy_strategy()[1:].tolist() == [[1.0] * 3, [0.0] * 3] * 4
    learner.values[2, 1] = 0.25
    learner.values[1, 2] = -0.25
    assert learner.greedy_strategy()[1:3].tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]


def test_refused_methods_and_arguments() -> None:
    for named, fields in (
        ("method", {"method": "sarsa"}),
        ("learning_rate", {"learning_rate": 0.1}),
        ("learning_rate", {"method": "q-learning", "learning_rate": 0.0}),
        ("epsilon", {"epsilon": 1.5}),
        ("epsilon_end", {"epsilon_end": float("nan")}),
        ("epsilon_episodes", {"epsilon_episodes": -1}),
    ):
        with pytest.raises(ValueError, match=f"^{named}: "):
            LearningMethod(**fields)
    game, method = kuhn_poker(), METHODS["q"]
    with pytest.raises(ValueError, match=r"^row: "):
        TabularLearner(game, method, row=np.zeros(3, np.int32))
    with pytest.raises(ValueError, match=r"^strategy: "):
        TabularLearner(game, method, opponent=np.zeros((9, 3)))
    learner = TabularLearner(game, method)
    with pytest.raises(ValueError, match=r"^num_rounds: "):
        learner.run(-1)
    with pytest.raises(ValueError, match=r"^values, visits: "):
        learner.set_state(1, 1, np.zeros((2, 3)), np.zeros((2, 3), np.int64))
