"""Games with hidden moves as people meet them: played, explored, learnt, written to files."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from oracle.hidden_games import Bids, Matrix, SecretThief

from tictactoe import GameOptions, best_response_value, build_game, exploitability, solve_game
from tictactoe.algorithms.hidden_moves import HiddenMovesGame
from tictactoe.algorithms.learning import LearningMethod, TabularLearner, values_against
from tictactoe.algorithms.strategy import greedy_strategy, uniform_strategy
from tictactoe.games.named_games import NamedGame, named_game
from tictactoe.play.explored_game import GameExplorer
from tictactoe.play.game_advice import GameRound, GameRules, HiddenAdvice, advice_under
from tictactoe.play.game_session import GameSession
from tictactoe.storage.snapshot import strategy_rows

GAMES = {"thief": SecretThief(), "bids": Bids()}


def named(name: str) -> NamedGame:
    return NamedGame(name, name.title(), GAMES[name], __file__)


def built(name: str) -> HiddenMovesGame:
    game = named(name).build()
    assert isinstance(game, HiddenMovesGame)
    return game


def played(name: str, *lines: str, seed: int = 1) -> list[str]:
    """What a session says to a person who types these lines."""
    said, left, game = list[str](), list(lines), built(name)
    advice = advice_under(game, uniform_strategy(game.tree))
    GameSession(
        title=name,
        rules=GameRules(GAMES[name]),
        advice=lambda: advice,
        one_player=False,
        seed=seed,
        ask=lambda text: left.pop(0) if left else None,
        say=said.append,
    ).run()
    return said


def test_a_person_sees_no_more_than_the_information_set() -> None:
    for seed in range(6):
        said = played("thief", "1", "1", "1", seed=seed)
        first_round = said[: next(place for place, line in enumerate(said) if line.startswith("All moves"))]
        assert not any(line.startswith(("Bot:", "Chance:")) for line in said)
        if any("you are the second player" in line for line in first_round):
            assert not any("You see" in line for line in first_round)
        else:
            assert {"You see: left", "You see: right"} & set(first_round)
    assert any(line.startswith("You have ") for line in played("bids", "1"))
    assert any("You had" in line and "the bot had" in line for line in played("bids", "1"))


def test_both_players_get_the_total_of_a_file_together(tmp_path: Path) -> None:
    (tmp_path / "game.nfg").write_text('NFG 1 R "" { "A" "B" } { 1 2 } 4 12 6 10')
    game, lines, said = named_game(str(tmp_path / "game.nfg")), ["1", "h", "1"], list[str]()
    advice = advice_under(matrix := game.build(), uniform_strategy(matrix.tree))
    GameSession(
        title="",
        rules=GameRules(game.description),
        advice=lambda: advice,
        one_player=False,
        seed=1,
        rounds=2,
        ask=lambda text: lines.pop(0) if "Your move" in text else "",
        say=said.append,
    ).run()
    assert [line for line in said if line.startswith("You get")] == ["You get +4.00.", "You get +12.00."]
    assert [line.split()[:2] for line in said if line.endswith("%")] == [["1", "+12.0000"], ["2", "+10.0000"]]


@pytest.mark.parametrize("name", GAMES)
def test_the_worth_of_moves(name: str) -> None:
    """Weighed by how often they come, what best moves are worth is the value of a best response."""
    game = built(name)
    strategy = uniform_strategy(game.tree)
    advice = HiddenAdvice(game, strategy)
    for player in (0, 1):
        top = game.tree.children(1 + player) if game.tree.owner[1 + player] == 2 else [1 + player]
        first = [node for node in top if game.tree.owner[node] == player]
        total = sum(advice.met(node) * max(each.worth for each in advice.moves_at(node).values()) for node in first)
        assert total == pytest.approx(best_response_value(game, player, strategy), abs=1e-12)
        assert sum(map(advice.met, first)) == pytest.approx(1.0)


def test_rounds_that_are_drawn() -> None:
    rules = GameRules(GAMES["thief"])
    drawn = []
    for seed in range(300):
        position: GameRound = rules.dealt(Random(seed))
        drawn.append(position.draw())
        assert position.seen == drawn[-1]
    assert 0.55 < drawn.count("left") / 300 < 0.78


def test_names_of_moves_with_slashes(tmp_path: Path) -> None:
    (tmp_path / "game.nfg").write_text('NFG 1 R "" { "A" "B" } { { "1" "1/2" "1/2/x" } { "y" } } 0 0 1 -1 2 -2')
    game = named_game(str(tmp_path / "game.nfg"))
    solve_game(tmp_path / "solved", game.build(), GameOptions(iterations=10))
    explorer = GameExplorer(game, tmp_path / "solved")
    for number, name in enumerate(("1", "1/2", "1/2/x")):
        for history in ([name, "y"], f"{name}/y".split("/")):
            explorer.go_to(history)
            assert explorer.view().payoffs[0].payoff == number


@pytest.mark.parametrize("name", GAMES)
def test_explored(name: str, tmp_path: Path) -> None:
    game, described = built(name), named(name)
    solve_game(tmp_path, game, GameOptions(iterations=20, check_exploitability_every=10))
    explorer = GameExplorer(described, tmp_path)
    root = explorer.view()
    assert (root.to_move, root.history_probability, root.value) == ("chance", 1.0, pytest.approx(root.solution_value))
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        history = waiting.pop()
        explorer.go_to(history)
        view = explorer.view()
        names = [each.move for each in (view.rows[0].moves if view.rows else view.chance)]
        if view.to_move is None:
            assert view.payoffs[0].payoff == view.value or view.value is None
            continue
        after = []
        for each in names:
            explorer.go_to((*history, each))
            after.append(explorer.view())
        assert sum(each.history_probability for each in after) == pytest.approx(view.history_probability, abs=1e-14)
        total = sum(each.history_probability * (each.value or 0.0) for each in after)
        if view.value is not None:
            assert total == pytest.approx(view.history_probability * view.value, abs=1e-14)
        if view.may_be:
            assert sum(each.probability for each in view.may_be) == pytest.approx(1.0)
            assert view.position in {each.type for each in view.may_be}
        waiting += [(*history, each) for each in names]
    rows = list(strategy_rows(game, explorer.saved.average_strategy(game)))
    assert len(rows) == 2 * game.num_information_sets
    assert {row[2] for row in rows} == ({""} if name == "thief" else {"low", "high"})
    assert {row[0] for row in rows} >= ({"left", "right move", ""} if name == "thief" else {""})


class Digits(Matrix):
    """Two moves that player 1 sees as different things, which read alike."""

    def sees(self, throws: tuple[int, ...], player: int) -> object:
        return (1, "1")[throws[0]] if throws else ""


def test_what_reads_alike_is_told_apart() -> None:
    game = build_game(Digits((1, 0), (0, 1)))
    rows = [row[:2] for row in strategy_rows(game, uniform_strategy(game.tree))]
    assert rows[::2] == rows[1::2] == [("", 0), ("1", 1), ("1 [2]", 1)]


def test_learnt() -> None:
    game = built("bids")
    uniform = uniform_strategy(game.tree)
    learner = TabularLearner(game, LearningMethod(epsilon_episodes=5000), opponent=uniform, seed=3)
    learner.run(30_000)
    assert learner.figures().value == pytest.approx(
        sum(best_response_value(game, player, uniform) for player in (0, 1)) / 2
    )
    assert np.array_equal(learner.greedy_strategy(), greedy_strategy(game.tree, learner.values))
    again = TabularLearner(game, LearningMethod(epsilon_episodes=5000), opponent=uniform, seed=3)
    again.run(10_000)
    again.run(20_000)
    assert np.array_equal(again.values, learner.values)
    alone = TabularLearner(build_game(Matrix((3, 1), (2, 0))), LearningMethod(epsilon_episodes=500))
    alone.run(3000)
    assert alone.figures().exploitability == 0.0
    greedy = learner.greedy_strategy()
    assert values_against(game, greedy, greedy)[0] == pytest.approx(exploitability(game, greedy).value)
