"""A match between agents: news and questions reach the right seat, and no seat learns a secret."""

from functools import partial

import pytest
from oracle.lifting import game_tree
from support.network import Recorder

from tictactoe import MatchEnd, MatchFacts, RoundEnd, RoundFacts, open_saved
from tictactoe.agents.match_play import play_match
from tictactoe.agents.strategy_agent import StrategyAgent, constant_agent, solution_policy, uniform_agent
from tictactoe.play.referee import Match


@pytest.mark.parametrize("seed", range(5))
def test_what_both_are_told(seed: int) -> None:
    agents, match = (Recorder(), Recorder()), Match(game_tree(), 3, ("Ann", "Bob"), first=0, seed=seed)
    play_match(agents, match)
    assert match.winner is not None
    for player, agent in enumerate(agents):
        assert agent.heard[0] == MatchFacts(3, "three-in-a-row", match.names[1 - player])
        begun = [one for one in agent.heard if isinstance(one, RoundFacts)]
        ended = [one for one in agent.heard if isinstance(one, RoundEnd)]
        assert len(begun) == len(ended) == len(match.rounds)
        for played, start, end in zip(match.rounds, begun, ended, strict=True):
            assert start.goal == end.goals[0] == played.goals[player]
            assert end.goals[1] == played.goals[1 - player]
            assert (start.seat, start.score) == (played.seat(player), played.score)
            assert end.moves == played.cursor.moves
            assert end.scored == (played.scored[player], played.scored[1 - player])
        assert [one.seat for one in begun[1:]] == [1 - one.seat for one in begun[:-1]]
        last = agent.heard[-1]
        assert isinstance(last, MatchEnd)
        assert last.won == (match.winner == player)
        assert last.points == ended[-1].points == (match.points[player], match.points[1 - player])


def test_matches_that_an_agent_cannot_play() -> None:
    tree = game_tree()
    solution = open_saved("match_to_1").solution
    short = StrategyAgent(partial(solution_policy, solution, True), solution.tree)
    with pytest.raises(ValueError, match="winning_score: 2 is not in 1 to 1"):
        short.begin_match(MatchFacts(2, "three-in-a-row", "Bob"))
    with pytest.raises(ValueError, match="cannot play by filled"):
        uniform_agent(tree).begin_match(MatchFacts(2, "filled", "Bob"))
    with pytest.raises(ValueError, match="'perfect' is not one of"):
        constant_agent("perfect", tree)
