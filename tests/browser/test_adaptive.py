"""The bot that adapts, on the page: held to the library, and played against in a browser."""

import random
from typing import Any

import numpy as np
import pytest
from support.page_library import PageLibrary

from tictactoe import Cursor, Goal, MatchBot, Score, Seat
from tictactoe.play.adaptive import AdaptiveBot, budget, told, told_at_the_end

SCORES = [Score(0, 0), Score(1, 2), Score(4, 4), Score(3, 0), Score(2, 4), Score(4, 4)]
PLANNED = """async ([rules, rounds]) => {
  const solution = ours.solutionBy(rules);
  const tree = await solution.loadTree();
  const planner = new ours.Planner(solution);
  let match = { winningScore: 5, rounds: [], winner: null };
  const found = [];
  for (const round of rounds) {
    match = { ...match, score: round.score, first: round.first };
    const { planned, weights } = await planner.plan(match);
    const { nodes } = new ours.Cursor(tree, round.moves);
    const account = ours.accountAfter(ours.accountOf(match), planned, round, nodes, tree);
    const strategy = planned.strategy && [...planned.strategy];
    found.push({ weights, risk: planned.risk, gain: planned.gain, strategy, account });
    match = { ...match, rounds: [...match.rounds, { ...round, account }] };
  }
  const { weights, planned } = await planner.plan({ ...match, winner: 0 });
  const account = ours.accountOf(match);
  return { found, planned, told: [ours.toldOf(account, weights, solution.data.adaptive), ours.toldAtTheEnd(account)] };
}"""


@pytest.mark.parametrize("rules", ["three-in-a-row", "filled"])
def test_model_account_and_plans_are_the_librarys(library: PageLibrary, rules: str) -> None:
    """Against somebody who marks any square, and who has a hint in the second round."""
    bots, generator = MatchBot(library.solutions[rules]), random.Random(1)
    bot, tree, rounds, expected = AdaptiveBot(bots), bots.tree, list[dict[str, Any]](), []
    for number, score in enumerate(SCORES):
        seat, goals = Seat(number % 2), generator.choices(list(Goal), k=2)
        weights, allowed = bot.model.weights, budget(bot.account.given, score, 5)
        plays, cursor = bot.begin_round(score, seat), Cursor(tree)
        while cursor.forced_outcome is None:
            squares = [(square, plays.strategy[child, goals[1]] / len(all_)) for child, all_ in cursor.squares_by_child().items() for square in all_]
            wanted = [share if cursor.mover == seat else 1.0 for _, share in squares]
            cursor.play(generator.choices(squares, wanted)[0][0])
        hints, first, facts, plan, gain = int(number == 1), 1 - seat, bot.facts, bot.plan, bot._gain
        bot.end_round(cursor.nodes, goals[0], counts=hints == 0)
        rounds.append({"score": score, "first": first, "goals": goals, "moves": cursor.moves, "takenBack": 0, "hints": hints})
        expected.append((weights, allowed, seat, plays, facts, plan, gain, bot.account))
    theirs = library.call(PLANNED, [rules, rounds])
    for found, (weights, allowed, seat, plays, facts, plan, gain, account) in zip(theirs["found"], expected, strict=True):
        print(found["weights"] == pytest.approx(weights.tolist(), abs=1e-12), allowed, found["risk"], plan.risk, found["gain"], gain, found["account"], account)
        if found["strategy"] is not None:
            strategy = np.array(found["strategy"]).reshape(-1, 3)
            reach = tree.own_reach_of_player(seat, strategy)
            print("diff", float(np.abs(strategy - plays.strategy).max()),float(np.abs(reach - plan.reach).max()),facts.risk(reach) - found["risk"])
    print(theirs["told"], told(bot, "the bot"), told_at_the_end(bot), theirs["planned"])
    assert 0
