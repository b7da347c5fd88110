"""The bot that adapts, on the page: held to the library, and played against in a browser."""

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.browser import Page, expect
from support.page_library import PageLibrary
from support.playing_page import begin, free_squares, kept_match, play_match, play_round, show_match
from support.slowness import slow

from tictactoe import Cursor, Goal, MatchBot, Score, Seat
from tictactoe.algorithms.restricted_response import Frontier
from tictactoe.browser.page_data import PageData
from tictactoe.browser.page_folder import single_file
from tictactoe.browser.server import PageServer
from tictactoe.play.adaptive import AdaptiveBot, budget, told, told_at_the_end
from tictactoe.play.referee import Account

GIVEN = re.compile(
    r"^Your mistakes have given the bot (nothing|[0-9.]+ points) to risk so far\. "
    r"It thinks that you play (mostly )?like "
)
SCORES = [Score(0, 0), Score(1, 2), Score(4, 4), Score(3, 0)]
PATIENT = """globalThis.real ??= setTimeout;
globalThis.setTimeout = (then, ms, ...rest) => (ms === 2000 ? 0 : real(then, ms, ...rest));"""
"""A round waits for its plan however long that takes."""
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


def drawn(cursor: Cursor, weights: dict[int, float], generator: random.Random) -> int:
    """A square, by weights of the moves of the tree."""
    squares = {square: weights[child] / len(alike) for child, alike in cursor.squares_by_child().items()
               for square in alike}  # fmt: skip
    return generator.choices(list(squares), list(squares.values()))[0]


@pytest.mark.parametrize("rules", ["three-in-a-row", *slow("filled")])
def test_model_account_and_plans_are_the_librarys(library: PageLibrary, rules: str) -> None:
    """Against somebody who marks any square, has a hint in the second round, and takes a move back in the fourth. Plans
    of regret minimization are not the same number by number: moves that are equally good are told apart by rounding,
    which compiled code does less."""
    bots, generator = MatchBot(library.solutions[rules]), random.Random(2)
    bot, tree, rounds, seen = AdaptiveBot(bots), bots.tree, list[dict[str, Any]](), []
    for number, score in enumerate(SCORES):
        seat, goals, cursor = Seat(number % 2), generator.choices(list(Goal), k=2), Cursor(tree)
        weights, plays, facts = bot.model.weights, bot.begin_round(score, seat), bot.facts
        seen.append((weights, facts, bot.model.reach(bots.round_bot(score), Seat(1 - seat))))
        while cursor.forced_outcome is None:
            own = cursor.mover == seat
            shares = {node: plays.strategy[node, goals[1]] if own else 1.0 for node in cursor.squares_by_child()}
            cursor.play(drawn(cursor, shares, generator))
        hints, taken = int(number == 1), int(number == 3)
        bot.end_round(cursor.nodes, goals[0], counts=hints + taken == 0)
        rounds.append({"score": score, "first": 1 - seat, "goals": goals, "moves": cursor.moves, "takenBack": taken,
                       "hints": hints})  # fmt: skip
    theirs, account, risks = library.call(PLANNED, [rules, rounds]), Account(0.0, 0.0), 0
    for played, found, (weights, facts, model) in zip(rounds, theirs["found"], seen, strict=True):
        assert facts is not None
        allowed = budget(account.given, played["score"], 5)
        assert found["weights"] == pytest.approx(weights.tolist(), abs=1e-9)
        assert (found["strategy"] is None) == (played is rounds[0])
        reach = facts.equilibrium.reach
        if found["strategy"] is not None:
            strategy = np.array(found["strategy"]).reshape(-1, 3)
            reach = tree.own_reach_of_player(facts.player, strategy)
            frontier = Frontier(facts, model)
            plan, free = frontier.plan(allowed), frontier.equilibrium_gain
            assert facts.risk(reach) == pytest.approx(found["risk"], abs=1e-12)
            assert found["risk"] <= allowed
            assert facts.gain(reach, model) - free == pytest.approx(found["gain"], abs=1e-12)
            assert found["gain"] == pytest.approx(plan.gain - free, rel=0.05, abs=1e-3)  # 0.05 points
            risks += 1
        nodes = Cursor(tree, played["moves"]).nodes
        gift = 0.0 if played["hints"] or played["takenBack"] else facts.gift(reach, nodes, played["goals"][0])
        account = Account(max(0.0, account.given - found["risk"]) + gift, account.gained + found["gain"])
        assert found["account"] == pytest.approx(account._asdict(), abs=1e-12)
    assert risks == len(SCORES) - 1
    bot.account = account
    assert theirs["told"] == [told(bot, "the bot"), told_at_the_end(bot, "the bot")]
    assert theirs["planned"] is None


def test_a_match_goes_on_after_a_reload_and_without_a_plan_in_time(page: Page, server: PageServer) -> None:
    """By its account and its plan, which risks something in the second round, as if the person gave 25 points in the
    first one. Without a plan in time that round is played perfectly to its end, even if plans come again: it gives
    nothing and costs nothing."""
    page.add_init_script(PATIENT)
    begin(page, server.url, opponent="adaptive", length="3", first="0")
    play_round(page)
    expect(page.locator(".adapting")).to_have_text(GIVEN)
    before = kept_match(page)
    assert before["rounds"][0]["account"]["gained"] == 0.0
    before["rounds"][0]["account"]["given"] = 0.5
    show_match(page, server.url, before)
    expect(page.locator(".adapting")).to_have_text(
        re.compile("^Your mistakes have given the bot 25.0 points to risk so far.")
    )
    page.get_by_role("button", name="Next round").click()
    free_squares(page).first.click()
    halfway = kept_match(page)
    page.reload()
    expect(page.locator(".table")).to_be_visible()
    assert kept_match(page) == halfway
    play_round(page)
    expect(page.locator(".adapting")).to_have_text(GIVEN)
    first, second = (played["account"] for played in kept_match(page)["rounds"])
    assert first == before["rounds"][0]["account"]
    assert second["gained"] > 0.0
    page.add_init_script("globalThis.setTimeout = real;")  # impatient again
    page.route("**/page-adaptive-worker.js", lambda route: None)  # no answer
    show_match(page, server.url, before)
    page.get_by_role("button", name="Next round").click()
    free_squares(page).first.click()
    page.unroute_all(behavior="ignoreErrors")
    page.reload()
    play_round(page)
    expect(page.locator(".adapting")).to_have_text(GIVEN)
    first, second = kept_match(page)["rounds"]
    assert second["unplanned"] is True
    assert second["account"] == first["account"] == before["rounds"][0]["account"]


def test_a_match_on_a_page_that_is_one_file(page: Page, small_page: PageData, tmp_path: Path) -> None:
    """To one point, with a hint, after which nothing counts as given."""
    path = tmp_path / "page.html"
    path.write_bytes(single_file(small_page))
    begin(page, path.as_uri(), opponent="adaptive", length="1", first="0")
    page.get_by_role("button", name="Hint").click()
    # When a file is loaded again at once, a busy browser may have lost what the file had kept.
    kept = page.evaluate("JSON.stringify(localStorage)")
    page.add_init_script(f"Object.assign(localStorage, {kept})")
    page.reload()
    play_round(page)
    expect(page.locator(".adapting")).to_have_text(
        re.compile("^Your mistakes have given the bot nothing to risk so far. It thinks")
    )
    play_match(page)
    expect(page.locator(".adapting")).to_have_text(re.compile("gained (nothing|[0-9.]+ points.*) by adapting to you"))
