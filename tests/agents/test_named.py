"""Agents by name: texts that name an agent, labels in tables, learnt tables, and texts without a meaning."""

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.slowness import by_default

from tictactoe import OPPONENTS, FormatError, GameTree, LearningMethod, LearntTable, Score, load_solution, open_saved
from tictactoe.agents import named
from tictactoe.agents.agent import MatchFacts, RoundFacts
from tictactoe.agents.named import built_in_agents, parse_agent, parse_agents, round_opponent
from tictactoe.games.rules import SINGLE_ROUND, Goal, Rules, Seat
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.head_to_head import UniformStrategy, head_to_head
from tictactoe.storage.population import CARELESS_PROBABILITY, constant_strategy
from tictactoe.storage.shipped import shipped_solution


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("shipped", "shipped"),
        ("match_to_1", "match_to_1"),
        (str(shipped_solution("match_to_1")), "match_to_1"),
        ("current:match_to_1", "current match_to_1"),
        ("best-response:current:match_to_1", "BR current match_to_"),
        ("best-response:uniform", "BR uniform"),
        ("cmd:cat --option", "cat"),
        (f"cmd:{sys.executable} -S some/where/my_bot.py --depth 3", "my_bot"),
        ("cmd:sh 'a  b\x1b.sh'", "a b?"),
        ("cmd:sh -x a#b.sh # c", "a#b"),
    ],
)
def test_names(text: str, name: str) -> None:
    assert (parse_agent(text).name, parse_agent(text).text) == (name, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"C:\bots\my_bot.exe --depth 3", [r"C:\bots\my_bot.exe", "--depth", "3"]),
        (r""""C:\O'Neill\a bot.exe" --file="a b" #""", [r"C:\O'Neill\a bot.exe", "--file=a b", "#"]),
    ],
)
def test_a_program_on_windows_keeps_its_backslashes(
    text: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named.sys, "platform", "win32")
    monkeypatch.setattr(named.shutil, "which", lambda word: word)
    monkeypatch.setattr(named, "ProgramAgent", lambda words, *_, **options: words)
    assert parse_agent(f"cmd:{text}").agent(game_tree()) == words


def test_names_that_are_taken() -> None:
    texts = ["uniform", "uniform", "Uniform=perfect", "x" * 20 + "=perfect", "x" * 20 + "=uniform"]
    names = [agent.name for agent in parse_agents(texts)]
    assert names == ["uniform", "uniform 2", "Uniform 3", "x" * 20, "x" * 18 + " 2"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "'' does not name an agent; give the name of an opponent"),
        ("a\0b", "does not name an agent"),
        ("cmd:", "the program is missing"),
        ("cmd:'", "No closing quotation"),
        ("cmd:no-such-program --x", "cmd:no-such-program: no such program"),
        ("cmd:./nothing", "no such program"),
        ("best-response:cmd:cat", "cat is not a fixed policy"),
        ("x" * 21 + "=uniform", "does not name an agent"),
    ],
)
def test_texts_that_name_nothing(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_agent(text)


def test_files_that_are_no_solution(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no solution here"):
        parse_agent(str(tmp_path))
    bot = tmp_path / "my_bot.py"
    bot.write_text("print('hello')")
    with pytest.raises(FormatError, match=r'my_bot\.py: no file of a learnt table; a program is named "cmd:COMMAND"'):
        parse_agent(str(bot))


@pytest.mark.parametrize("name", by_default(OPPONENTS, "careless"))
def test_policies_of_opponents(name: str) -> None:
    solution, tree = load_solution("shipped"), game_tree()
    wins = head_to_head(tree, solution.average_strategy, parse_agent(name).policy(tree, 5), 5).wins
    assert round(100.0 * wins) == OPPONENTS[name].wins["three-in-a-row"].perfect[-1]


def test_policies_of_solutions() -> None:
    tree = game_tree()
    policy = parse_agent("best-response:uniform").policy(tree, 2)
    expected = best_response_over_match(tree, UniformStrategy(tree, 2), 2).scores[Score(0, 0)]
    result = head_to_head(tree, policy, UniformStrategy(tree, 2), 2)
    assert 2.0 * result.wins_as_first - 1.0 == pytest.approx(expected.maximum, abs=1e-12)
    assert 2.0 * result.wins_as_second - 1.0 == pytest.approx(-expected.minimum, abs=1e-12)
    assert len(policy) == 4
    with pytest.raises(KeyError):
        _ = policy[Score(2, 0)]
    solution = load_solution("match_to_1")
    for text, is_average in (("match_to_1", True), ("current:match_to_1", False)):
        strategy = parse_agent(text).policy(game_tree(), 1)[Score(0, 0)]
        assert np.array_equal(strategy, solution.strategies(average=is_average)[Score(0, 0)])


@pytest.mark.parametrize(
    ("text", "rules", "winning_score", "why"),
    [
        ("match_to_1", "three-in-a-row", 2, "winning_score: 2 is not from 1 to 1"),
        ("match_to_1", "filled", 1, "solved for three-in-a-row, not for filled"),
        ("cmd:cat", "three-in-a-row", 1, "cat is not a fixed policy"),
    ],
)
def test_matches_that_are_not_known(text: str, rules: str, winning_score: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_agent(text).policy(game_tree(rules=rules), winning_score)


def test_a_learnt_table(tmp_path: Path) -> None:
    table = LearntTable.new(game_tree(), LearningMethod())
    table.save(tmp_path / "mine")
    agent = parse_agent(str(tmp_path / "mine"))
    assert (agent.name, agent.rules, agent.winning_score) == ("mine", Rules(), None)
    policy = agent.policy(game_tree(), 3)
    assert len(policy) == 9
    assert all(np.array_equal(strategy, table.strategy) for strategy in policy.values())
    with pytest.raises(ValueError, match="learnt under three-in-a-row, not under filled"):
        agent.policy(game_tree(rules="filled"), 3)


@pytest.mark.parametrize("text", ["uniform", "perfect", "current:match_to_1", "best-response:uniform", "cmd:cat"])
def test_agents_travel(text: str) -> None:
    named, tree = parse_agent(text), game_tree()
    assert pickle.loads(pickle.dumps(named)).name == named.name
    if text == "cmd:cat":
        return
    (making,) = pickle.loads(pickle.dumps(built_in_agents([text], Rules(), 1))).values()
    for agent, is_seeded in ((named.agent(tree, 3), True), (making(3), True), (named.agent(tree), False)):
        agent.begin_match(MatchFacts(1, "three-in-a-row", "somebody"))
        agent.begin_round(RoundFacts(1, Seat.FIRST, Goal.WIN, (0, 0)))
        agent.choose(())
        twin = pickle.loads(pickle.dumps(agent))
        drawn = [[each.choose((1, 5)) for _ in range(10)] for each in (agent, twin)]
        assert drawn[0] == drawn[1] or not is_seeded
        assert set(drawn[1]) <= {2, 3, 4, 6, 7, 8, 9}
        assert agent.choose((5, 6)) not in (5, 6)  # another history than the last one


TREE = GameTree.build()


def test_opponents_by_name() -> None:
    perfect = open_saved("single_round").load().average_strategy
    uniform = constant_strategy("uniform", TREE)
    assert np.array_equal(round_opponent("perfect", TREE, SINGLE_ROUND), perfect)
    careless = round_opponent("careless", TREE, SINGLE_ROUND)
    np.testing.assert_allclose(careless, (1.0 - CARELESS_PROBABILITY) * perfect + CARELESS_PROBABILITY * uniform)
    score = Score(4, 3)
    at_score = open_saved().load(score).average_strategy
    for name, solution in (("perfect", shipped_solution()), ("shipped", None), ("shipped/subgame_4_3", None)):
        assert np.array_equal(round_opponent(name, TREE, SINGLE_ROUND, solution, score), at_score)


def test_opponents_that_cannot_play(tmp_path: Path) -> None:
    filled = GameTree.build("filled")
    with pytest.raises(FormatError, match="belongs to a round by the rules 'three-in-a-row', not 'filled'"):
        round_opponent("single_round", filled, SINGLE_ROUND)
    with pytest.raises(ValueError, match=r"^opponent: no perfect player ships for filled 2:1:1"):
        round_opponent("perfect", GameTree.build("filled 2:1:1"), SINGLE_ROUND)
    path = tmp_path / "agent"
    LearntTable.new(filled, LearningMethod()).save(path)
    assert round_opponent(str(path), filled, SINGLE_ROUND)[1].tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(FormatError, match="belongs to a round by the rules 'filled'"):
        round_opponent(str(path), TREE, SINGLE_ROUND)
