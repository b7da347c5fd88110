"""Learning described games: the draws of chance, exact judgement, and refusals."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.slowness import slow

from tictactoe import GameOptions, best_play, best_values_against, exploitability, uniform_strategy, values_against
from tictactoe.algorithms.learning import LearningMethod, TabularLearner, state_graph
from tictactoe.algorithms.strategy import greedy_strategy
from tictactoe.errors import FormatError, GameError, OtherTaskError
from tictactoe.games.named_games import named_game
from tictactoe.solving.game_run import solve_game
from tictactoe.solving.learning_run import LearntReport, game_to_learn, learner_of, opponent_in, train_agent
from tictactoe.storage.learnt_table import LearntTable

ALWAYS_RANDOM = LearningMethod(epsilon=1.0, epsilon_end=1.0)
TWENTY_ONE = named_game("twenty-one")


@pytest.mark.parametrize("name", ["leduc", *slow("kuhn(13)")])
def test_random_play_learns_the_value_of_random_play(name: str) -> None:
    """The average reward at the root, over all types and moves, is the value of uniform strategies."""
    game = named_game(name).build()
    learner = TabularLearner(game, ALWAYS_RANDOM)
    learner.run(300_000)
    first_decision = next(node for node in game.tree.decision_nodes.tolist() if game.tree.owner[node] == 0)
    nodes = np.flatnonzero(game.tree.depth == game.tree.depth[first_decision] + 1)
    reward = np.sum(learner.values[nodes] * learner.visits[nodes]) / learner.visits[nodes].sum()
    uniform = uniform_strategy(game.tree)
    assert reward == pytest.approx(values_against(game, uniform, uniform)[0], abs=0.02)


def test_a_learner_gets_almost_the_most_against_a_fixed_opponent() -> None:
    game = named_game("leduc").build()
    uniform = uniform_strategy(game.tree)
    learner = TabularLearner(game, LearningMethod(), opponent=uniform)
    learner.run(500_000)
    best = sum(best_values_against(game, uniform)) / 2
    assert 0.9 * best < learner.figures().value <= best + 1e-12


def test_standing_is_worth_what_it_is_worth() -> None:
    graph, best = state_graph(TWENTY_ONE.description), best_play(TWENTY_ONE.description)
    learner = TabularLearner(graph, ALWAYS_RANDOM)
    learner.run(300_000)
    moves = dict(TWENTY_ONE.description.moves(TWENTY_ONE.description.root()))
    assert len(moves) == 10
    for state in range(len(graph.states)):
        for move in graph.moves(state):
            if graph.names[move] == "stand" and (visits := learner.visits[move, 0]) > 200:
                after = dict(TWENTY_ONE.description.moves(graph.states[state]))["stand"]
                assert abs(learner.values[move, 0] - best.values[after]) < 5.0 / np.sqrt(visits)


def test_policies_are_judged_exactly() -> None:
    graph = state_graph(TWENTY_ONE.description)
    assert graph.value_of(graph.best_moves) == pytest.approx(graph.best_value, abs=1e-14)
    stand = dict.fromkeys(graph.best_moves, "stand")
    assert graph.value_of(stand) < graph.best_value - 0.05
    learner = TabularLearner(graph, LearningMethod(method="q-learning"))
    learner.run(200_000)
    assert 0.0 < learner.figures().exploitability < 0.03


def test_a_report_of_two_players(tmp_path: Path) -> None:
    kuhn = named_game("kuhn")
    game = kuhn.build()
    solve_game(tmp_path / "solved", game, GameOptions(iterations=100))
    opponent = opponent_in(str(tmp_path / "solved"), kuhn, game)
    start = LearntTable.new(game, LearningMethod(), opponent=opponent)
    table = train_agent(tmp_path / "a", 2000, start, described=game)
    about = LearntReport(table, game).as_dict()
    greedy = greedy_strategy(game.tree, table.values)
    assert about["exploitability"] == pytest.approx(exploitability(game, greedy).total)
    assert about["value"] <= about["best_value"] + 1e-12
    assert about["rounds"] == 2000
    assert "chart" not in about


def test_when_to_stop() -> None:
    game = game_to_learn(TWENTY_ONE)
    table = LearntTable.new(game, LearningMethod())

    def after(*losses: float) -> int | None:
        rows = [(100.0 * 2**place, 100.0 * 3**place, 0.0, 0.0, loss) for place, loss in enumerate(losses)]
        rounds = int(rows[-1][0])
        return LearntReport(replace(table, log=np.array(rows), rounds=rounds), game).enough_rounds

    assert after(0.1, 0.0005, 0.0004) == 200
    assert after(0.1, 0.0005) is None, "it may have been luck"
    assert after(0.0005, 0.1, 0.0004) is None


def test_files_and_games_that_do_not_fit(tmp_path: Path) -> None:
    kuhn = named_game("kuhn").build()
    train_agent(tmp_path / "a", 200, LearntTable.new(kuhn, LearningMethod()), described=kuhn)
    for other in (TWENTY_ONE, named_game("kuhn(4)")):
        with pytest.raises(FormatError, match="belongs to another game, 'kuhn'"):
            train_agent(tmp_path / "a", 200, described=game_to_learn(other))
    with pytest.raises(FormatError, match="belongs to the game 'kuhn', not to a round"):
        train_agent(tmp_path / "a", 200)
    with pytest.raises(OtherTaskError, match="seed"):
        train_agent(tmp_path / "a", 200, LearntTable.new(kuhn, LearningMethod(), seed=4), described=kuhn)
    large = named_game("kuhn(65)").build()
    with pytest.raises(GameError, match=r"kuhn\(65\): a learner takes at most 64 types"):
        learner_of(LearntTable.new(large, LearningMethod()), large)
