"""Advice against play by hand: what can still happen, who scores; and the costs of moves by another evaluator."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracle.lifting import possible_outcomes
from oracle.matches import SHORT_RULE, short_rounds
from oracle.refined import best_play, weights_at
from support.playing import played_match, random_moves
from support.slowness import by_default

from tictactoe import (
    Cursor,
    DoubleOracle,
    GameTree,
    MatchBot,
    OutcomeValues,
    Position,
    RoundBot,
    Score,
    Solution,
    load_solution,
    uniform_strategy,
)
from tictactoe.algorithms.refinement import refine
from tictactoe.games.board import Board, has_line
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.games.rules import DEFAULT_RULES, RULES, Goal, Outcome, Rules, Seat
from tictactoe.play.bot import NEGLIGIBLE_COST, Belief
from tictactoe.play.move_costs import accuracy_of, advise, mean_accuracy, off_equilibrium, review
from tictactoe.play.round_text import Speaker
from tictactoe.storage.shipped import shipped_match


@pytest.fixture(scope="module", params=by_default(RULES, "three-in-a-row", "filled-none"))
def player(request: pytest.FixtureRequest, bot: RoundBot) -> RoundBot:
    """By all rules: the solved match of the default ones, of the others what ships."""
    if request.param == DEFAULT_RULES:
        return bot
    return MatchBot(load_solution(shipped_match(Rules(request.param), 1) or "")).round_bot(Score(0, 0))


def positions(player: RoundBot, seed: int, number: int = 100) -> Iterator[tuple[Cursor, Goal]]:
    generator = random.Random(seed)
    while number:
        cursor = Cursor(player.tree, random_moves(generator, player.tree, generator.randrange(3, 8)))
        if cursor.forced_outcome is None:
            number -= 1
            yield cursor, generator.choice(list(Goal))


def answers_by_hand(player: RoundBot, after: Board, seat: Seat, goal: Goal, belief: Belief) -> dict[int, bool]:
    """By the other player's answers that may well complete its first row: whether they end the mover's hopes of a score
    while the round goes on. An answer counts because, or although, the mover keeps fewer ways to score."""
    rules, other, found = player.tree.rules, Seat(1 - seat), {}

    def ways(board: Board, of: Seat, wanted: Goal) -> set[Outcome]:
        return {end for end in possible_outcomes(rules, board) if rules.scores(end, wanted, wanted)[of]}

    for answer in after.free_squares if rules.outcome(after) is None else ():
        then = after.play(answer)
        if has_line(after[other]) or not has_line(then[other]):
            continue
        happy = {theirs for theirs in Goal if ways(then, other, theirs)}
        spiteful = {theirs for theirs in Goal if not ways(after, other, theirs)}
        likely = sum(belief[theirs] for theirs in happy or spiteful) > 0.2
        mine, left = ways(after, seat, goal), ways(then, seat, goal)
        if likely and (not mine or left != mine):
            found[answer] = bool(mine) and not left and rules.outcome(then) is None
    return found


def test_advice_against_the_boards_that_may_come(player: RoundBot) -> None:
    rules, seen = player.tree.rules, set()
    for cursor, goal in positions(player, 4):
        seat = Seat(len(cursor.moves) % 2)
        belief = player.belief(cursor.node, Seat(1 - seat))
        for move in advise(player, cursor, goal):
            answers: dict[int, bool] = {}
            for square in move.squares:
                after = cursor.board.play(square)
                ends = possible_outcomes(rules, after)
                mine = {end for end in ends if rules.scores(end, goal, goal)[seat]}
                assert move.possible is bool(mine)
                assert (move.outcome is not None) is (len(ends) == 1)
                assert move.completes_row is (has_line(after[seat]) and not has_line(cursor.board[seat]))
                for answer, spoils in answers_by_hand(player, after, seat, goal, belief).items():
                    answers[answer] = answers.get(answer, False) or spoils
                if move.outcome is not None:
                    true = rules.goals_true(move.outcome)[1 - seat]
                    chances = (p for p, g in zip(belief, Goal, strict=True) if g in true)
                    assert move.opponent_scores == pytest.approx(sum(chances))
                else:
                    assert move.opponent_scores is None
            assert move.answers == tuple(sorted(answers))
            assert move.spoiling == tuple(sorted(answer for answer, spoils in answers.items() if spoils))
            seen.add((move.possible, move.completes_row, bool(move.answers), bool(move.spoiling), move.outcome))
    assert len(seen) >= 8
    assert any(spoiling for *_, spoiling, _ in seen) is not rules.of_round.ends_with_line


def test_blame_spares_the_effects_of_good_moves(player: RoundBot) -> None:
    seen = set()
    for cursor, goal in positions(player, 5):
        advice = advise(player, cursor, goal)
        good = [move for move in advice if move.probability >= 5e-4 or not move.cost]
        for move in advice:
            assert not (move in good and (move.avoidable or move.forfeits))
            assert move.forfeits is (not move.possible and all(one.possible for one in good))
            anyway = {square for one in good for square in one.answers}
            assert move.avoidable == tuple(square for square in move.answers if square not in anyway)
            seen.add((move.forfeits, move.possible, bool(move.avoidable), bool(move.answers)))
    assert len(seen) >= 5


def test_reasons_are_true(player: RoundBot) -> None:
    rules, speaker, kinds = player.tree.rules, Speaker(), set()
    for cursor, goal in positions(player, 6):
        seat = Seat(len(cursor.moves) % 2)
        for move in advise(player, cursor, goal):
            reason = speaker.reason(move, goal)
            for square in move.squares:
                after = cursor.board.play(square)
                ends = possible_outcomes(rules, after)
                if "you could no longer" in reason and "after which" not in reason:
                    assert not any(rules.scores(end, goal, goal)[seat] for end in ends)
                    assert len(ends) > 1
                if "completes your row" in reason:
                    assert has_line(after[seat])
                    assert not has_line(cursor.board[seat])
                if "decides the round" in reason:
                    assert len(ends) == 1
                if "no point for you" in reason:
                    assert not any(rules.scores(end, goal, goal)[seat] for end in ends)
            if "after which you could no longer" in reason:
                for answer in move.avoidable:
                    then = after.play(answer) if answer in after.free_squares else None
                    assert then is None or rules.outcome(then) is None
            if reason.startswith("completes your row: you"):
                assert not rules.of_round.ends_with_line
            kinds.add(reason.partition(" ")[0])
    assert {"", "decides"} <= kinds


@pytest.mark.parametrize("moves", [(5, 1, 9, 6, 3, 7, 2), (1, 5, 2, 4, 3), (2, 3, 6, 9, 5, 7, 4)])
def test_costs_by_hand(bot: RoundBot, moves: tuple[int, ...]) -> None:
    game = tic_tac_toe_round(bot.tree, bot.values)
    for goal, seat in product(Goal, Seat):
        reviewed = review(bot, moves, seat, goal)
        assert [move.number for move in reviewed] == list(range(1 + seat, 2 + len(moves), 2))[: len(reviewed)]
        assert min(move.cost for move in reviewed) >= 0.0
        for move in reviewed:
            assert move.square == moves[move.number - 1]
            if move.number < 4:
                continue
            cursor = Cursor(bot.tree, moves[: move.number - 1])
            worth = {}
            for child, squares in cursor.squares_by_child().items():
                likely = weights_at(game, bot.strategy, bot.after_mistakes, child)
                worth |= dict.fromkeys(squares, best_play(game, bot.strategy, likely, child, seat, goal))
            cost, most = max(worth.values()) - worth[move.square], max(worth.values()) - min(worth.values())
            exact = None if most < NEGLIGIBLE_COST else 100.0 - 100.0 * cost / most
            assert move.accuracy == pytest.approx(exact, abs=100.0 * NEGLIGIBLE_COST / most if most else 0.0)
            assert move.cost == pytest.approx(cost if cost > NEGLIGIBLE_COST else 0.0, abs=1e-12)
            assert max(worth.values()) == pytest.approx(worth[move.best[0]], abs=NEGLIGIBLE_COST)


def test_accuracy_leaves_out_what_makes_no_difference() -> None:
    assert [accuracy_of(cost, 0.4) for cost in (0.0, 0.1, 0.4)] == [100.0, 75.0, 0.0]
    assert mean_accuracy([None, 100.0, accuracy_of(0.0, 0.0), 75.0]) == 87.5
    assert mean_accuracy([None, None]) is None


def test_a_safer_move_tells_less_of_the_goal(player: RoundBot) -> None:
    seen = set()
    for cursor, goal in positions(player, 7, 50):
        seat, moves = Seat(len(cursor.moves) % 2), {}
        for child, squares in cursor.squares_by_child().items():
            moves |= dict.fromkeys(squares, player.belief(child, seat)[goal])
        for square, tells in moves.items():
            (*_, told) = review(player, (*cursor.moves, square), seat, goal)
            assert told.advice.tells == tells
            more = tells - max(moves[best] for best in told.best) > 0.1
            after = cursor.board.play(square)
            rows = any(has_line(after.play(answer)[1 - seat]) for answer in after.free_squares)
            assert told.betrays is (more and (not rows or has_line(after[1 - seat])))
            seen.add((told.betrays, bool(told.cost)))
    # By the closed form of filled rounds no move that was drawn tells more than the best ones.
    assert (True, True) in seen or player.tree.rules.name == "filled"
    assert (False, True) in seen


def test_the_equilibrium_costs_nearly_nothing(solution: Solution) -> None:
    bot = MatchBot(solution)
    total = []
    for seed in range(20):
        for one in played_match(bot, seed).rounds:
            costs = review(bot.round_bot(one.score), one.cursor.moves, one.seat(0), one.goals[0])
            total += [move.cost for move in costs]
            given = review(bot.round_bot(one.score), one.cursor.moves, one.seat(0), one.goals[0], given=2)
            assert given == [move for move in costs if move.number > 2]
    assert len(total) > 100
    assert 0.0 <= np.mean(total) < 0.02


def test_the_review_that_the_page_of_transcripts_shows() -> None:
    text = (Path(__file__).parents[2] / "docs" / "transcripts.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    (played,) = (json.loads(block) for block in blocks if block.startswith('{"round"'))
    (shown,) = (json.loads(f"{{{block}}}") for block in blocks if block.startswith('"review"'))
    moves, goal, score = tuple(played["moves"]), Goal[played["goals"][1].upper()], Score(*played["score"])
    told = shown["review"]
    costs = review(MatchBot(load_solution("shipped")).round_bot(score), moves, Seat.SECOND, goal)
    assert told["accuracy"] == pytest.approx(mean_accuracy(move.accuracy for move in costs), abs=0.05)
    for move, line in zip(costs, told["moves"], strict=True):
        assert (move.number, move.square, list(move.best)) == (line["move"], line["square"], line["best"])
        assert (round(50 * move.cost, 2), move.accuracy) == (line["cost"], line["accuracy"])
        assert Position(score, (None, goal), moves[: move.number - 1]).text() == line["position"]


@pytest.fixture
def refined() -> Iterator[RoundBot]:
    pytest.importorskip("highspy")
    with short_rounds():
        tree, values = GameTree.build(SHORT_RULE), OutcomeValues(0.1, 1.0, -1.0, 0.2)
        game = tic_tac_toe_round(tree, values)
        found = refine(game, DoubleOracle(tree, uniform_strategy(tree)).solve(game).strategy)
        yield RoundBot(tree, found.strategy, values, found.beliefs)


def test_whoever_obeys_every_hint_of_a_refined_bot_pays_nothing(refined: RoundBot) -> None:
    """At every position, after any mistakes, with any goal; without the beliefs many hints cost something."""
    unrefined = replace(refined, after_mistakes=None)
    costs = dict.fromkeys((refined, unrefined), 0)
    for node in refined.tree.decision_nodes.tolist():
        cursor = Cursor(refined.tree, refined.tree.history(node))
        for one, goal in product(costs, Goal):
            costs[one] += any(move.probability > 0.0 and move.cost for move in advise(one, cursor, goal))
        assert not any(off_equilibrium(refined, cursor, Seat(seat), Goal.WIN) for seat in (0, 1))
    assert costs[refined] == 0 < costs[unrefined]
