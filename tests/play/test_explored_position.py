"""The view of a position under all rules and odds, against computations that share nothing with it but the tree.

Rounds of the default rules come from a solved match, and values from the evaluator of the oracle. Rounds of other rules
and odds come from random strategies; the truth about them is a round that is played out by rules stated anew.
"""

import itertools
import random
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pytest
from oracle.lifting import LevelEvaluator
from oracle.refined import best_play, weights_at
from oracle.small_games import round_payoffs
from support.playing import PAIRS, random_moves
from support.slowness import by_default
from support.storage_files import imported

from tictactoe import Cursor, Game, GameTree, Goal, Rules, Score
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.games.rules import RESULTS
from tictactoe.play.bot import NEGLIGIBLE_COST
from tictactoe.play.explored_position import Goals, View, view
from tictactoe.storage.open_saved import SavedRound, SavedRounds

FIRST = (Goal.WIN, Goal.WIN)
SOME_UNKNOWN = list(itertools.product((*Goal, None), repeat=2))
OTHERS = ("filled 2:1:1", "three-in-a-row 1:0:2", "filled", "filled 1:0:1", "filled-none 3:1:0", "filled-tie 1:2:3")
ROWS = ("123", "456", "789", "147", "258", "369", "159", "357")
BOTH = {"filled": ("win", "win"), "filled-none": ("", ""), "filled-tie": ("tie", "tie")}


def true_goals(name: str, moves: tuple[int, ...]) -> tuple[str, str] | None:
    """The goal of each player that has come true, None while the round goes on."""
    marks = [{str(square) for square in moves[seat::2]} for seat in (0, 1)]
    first, second = (any(set(row) <= own for row in ROWS) for own in marks)
    if len(moves) < 9 and (name != "three-in-a-row" or not (first or second)):
        return None
    if first and second:
        return BOTH[name]
    return ("win", "lose") if first else ("lose", "win") if second else ("tie", "tie")


class Truth:
    """A round in which both play a saved strategy. Values come from the evaluator, else from play to the end."""

    def __init__(self, saved: SavedRound, average: bool = True, evaluator: LevelEvaluator | None = None) -> None:
        self.saved, self.tree, self.rules, self.values = saved, saved.tree, saved.tree.rules, None
        self.strategy = saved.strategy(average)
        if evaluator is not None:
            payoffs = round_payoffs(saved.snapshot.outcome_values)
            self.values = evaluator.values_by_types(self.strategy, payoffs)
        self.odds = np.array(self.rules.goal_odds) / sum(self.rules.goal_odds)

    def moves_of(self, moves: tuple[int, ...]) -> dict[int, FloatArray]:
        """By square, float64 (3,): the probability of the next mark, by the mover's goal."""
        cursor = Cursor(self.tree, moves)
        groups = cursor.squares_by_child()
        if not groups:  # the end is certain: no matter how
            free = cursor.board.free_squares
            return dict.fromkeys(free, np.full(3, 1 / len(free)))
        return {square: self.strategy[child] / len(group) for child, group in groups.items() for square in group}

    @cached_property
    def worth(self) -> dict[tuple[bool, bool], float]:
        return dict(zip(RESULTS, self.saved.snapshot.outcome_values, strict=True))

    def worth_of(self, moves: tuple[int, ...]) -> FloatArray:
        """float64 (3, 3), by X's goal and O's: X's average payoff from here on."""
        if self.values is not None:
            return self.values[Cursor(self.tree, moves).node]
        ended = true_goals(self.rules.name, moves)
        if ended is not None:
            fits = [[goal.name.lower() == true for goal in Goal] for true in ended]
            return np.array([[self.worth[x, o] for o in fits[1]] for x in fits[0]])
        return sum(
            (p[:, None] if len(moves) % 2 == 0 else p) * self.worth_of((*moves, square))
            for square, p in self.moves_of(moves).items()
        )

    def reach_of(self, moves: tuple[int, ...]) -> FloatArray:
        """float64 (2, 3): the product of a player's own probabilities, with symmetric moves taken together."""
        reach = np.ones((2, 3))
        for number, square in enumerate(moves):
            for child, group in Cursor(self.tree, moves[:number]).squares_by_child().items():
                if square in group:
                    reach[number % 2] *= self.strategy[child]
        return reach

    def belief(self, own: FloatArray) -> FloatArray | None:
        """The chances of a player's goals, told by its own moves; None if no goal plays so."""
        weighed = own * self.odds
        return weighed / weighed.sum() if weighed.sum() > 0.0 else None

    @cached_property
    def game(self) -> Game:
        return tic_tac_toe_round(self.tree, self.saved.snapshot.outcome_values)

    def weights(self, node: int, player: int, goal: Goal | None = None) -> FloatArray:
        """The same, counted anew from the odds after a move that no goal makes; a known goal has all the weight."""
        weighed = weights_at(self.game, self.strategy, None, node)[player] * self.odds
        return np.eye(3)[goal] if goal is not None else weighed / weighed.sum()

    def best_play(self, node: int, player: int, goal: Goal) -> float:
        likely = weights_at(self.game, self.strategy, None, node)
        return best_play(self.game, self.strategy, likely, node, player, goal)


class Look(NamedTuple):
    truth: Truth
    cursor: Cursor
    goals: Goals
    average: bool
    seen: View


@pytest.fixture(scope="module", params=["", *by_default(OTHERS, OTHERS[0])], ids=["usual", *OTHERS])
def looks(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    rounds: SavedRounds,
    evaluator: LevelEvaluator,
) -> list[Look]:
    """By other rules: positions with at most five free squares, and strategies that never make some moves."""
    opened, judge, lengths = rounds, None if request.param else evaluator, range(2, 8)
    if request.param:
        tree = GameTree.build(Rules.parse(request.param))
        opened = SavedRounds(imported(tmp_path_factory.mktemp("by_rules") / "match", tree, 1))
        lengths = range(4, 10)
    rng, result = random.Random(7), []
    for _ in range(12):
        score = rng.choice(opened.scores or [])
        saved = opened.load(score, rng.choice(opened.iterations(score)))
        cursor = Cursor(opened.tree, random_moves(rng, opened.tree, rng.choice(lengths)))
        goals, average = rng.choice(SOME_UNKNOWN), rng.random() < 0.7
        seen = view(saved, cursor, goals, average)
        result.append(Look(Truth(saved, average, judge), cursor, goals, average, seen))
    return result


def test_values_costs_and_regrets(looks: list[Look]) -> None:
    """By the weights of the goals that are unknown; by the mover's goal, over its beliefs of the other goal."""
    compared = 0
    for look in looks:
        truth, cursor, goals, average, seen = look
        saved, reach, here = truth.saved, truth.reach_of(cursor.moves), truth.worth_of(cursor.moves)
        weights = [truth.weights(cursor.node, player, goals[player]) for player in (0, 1)]
        assert seen.weights == (pytest.approx(weights[0]), pytest.approx(weights[1]))
        value = weights[0] @ here @ weights[1]
        assert seen.expected_value == pytest.approx(value, abs=1e-12)
        assert seen.first_mover_wins_percent == pytest.approx(50 + 50 * value)
        if cursor.mover is None:
            assert (seen.rows, seen.mover_value, seen.mover_wins_percent) == ((), None, None)
            continue
        mover = int(cursor.mover)
        by_goal = np.array([truth.best_play(cursor.node, mover, goal) for goal in Goal])
        value = float(truth.weights(cursor.node, mover) @ by_goal)
        assert seen.mover_value == pytest.approx(value, abs=1e-12)
        assert seen.mover_wins_percent == pytest.approx(50 + 50 * value)
        assert [row.goal for row in seen.rows] == list(Goal)
        assert [len(row.moves) for row in seen.rows] == [len(seen.choices)] * 3
        longer = [(*cursor.moves, move.squares[-1]) for move in seen.choices]
        nodes, after = [Cursor(truth.tree, moves).node for moves in longer], list(map(truth.worth_of, longer))
        for row in seen.rows:
            assert row.value == pytest.approx(by_goal[row.goal], abs=1e-12)
            assert row.wins_percent == pytest.approx(50 + 50 * by_goal[row.goal])
            worth = [truth.best_play(node, mover, row.goal) for node in nodes]
            for cell, node, value in zip(row.moves, nodes, worth, strict=True):
                cost = max(worth) - value if max(worth) - value > NEGLIGIBLE_COST else 0.0
                assert cell.value == pytest.approx(value, abs=1e-12)
                assert cell.cost == pytest.approx(cost, abs=1e-12)
                assert cell.cost_percent == pytest.approx(50 * cost, abs=1e-10)
                assert cell.probability == truth.strategy[node, row.goal]
            assert not row.moves or max(worth) == pytest.approx(row.value, abs=1e-12)
        if not seen.choices:
            assert truth.tree.outcome(cursor.node) is seen.forced_outcome is not None
            continue
        chance = np.outer(truth.odds, truth.odds * reach[1 - mover])  # the mover's goal, the other's
        known, other = weights[mover], weights[1 - mover]
        for move, node, each in zip(seen.choices, nodes, after, strict=True):
            regrets = ((each - here) if mover == 0 else (here - each).T) * chance
            assert move.expected_value == pytest.approx(weights[0] @ each @ weights[1], abs=1e-12)
            assert move.regret == pytest.approx(known @ regrets @ other, abs=1e-12)
            assert move.information_set_regret == pytest.approx(known @ regrets.sum(axis=1), abs=1e-12)
            assert move.average == pytest.approx(saved.average_strategy[node] @ known, abs=1e-15)
            assert move.current == pytest.approx(saved.snapshot.current_strategy[node] @ known, abs=1e-15)
            if saved.has_regrets:
                assert move.total_regret == pytest.approx(saved.snapshot.regrets[node] @ known, abs=1e-15)
            assert (move.best_response is None) == (saved.response is None or goals[mover] is None)
            compared += 1
        assert sum(move.average for move in seen.choices) == pytest.approx(1.0)
        assert sum(move.current for move in seen.choices) == pytest.approx(1.0)
        squares = sorted(square for move in seen.choices for square in move.squares)
        assert tuple(squares) == cursor.board.free_squares
        if None not in goals:
            playing = [move.average if average else move.current for move in seen.choices]
            gained = sum(p * m.regret for p, m in zip(playing, seen.choices, strict=True))
            assert gained == pytest.approx(0.0, abs=1e-12)
    assert compared > 5


def test_probabilities_of_the_history(looks: list[Look]) -> None:
    impossible = 0
    for look in looks:
        truth, seen, cursor = look.truth, look.seen, look.cursor
        reach, before = truth.reach_of(cursor.moves), truth.reach_of(cursor.moves[: len(cursor.nodes) - 2])
        first, second = (np.array(each) for each in seen.weights)
        chance = np.outer(truth.odds, truth.odds)
        for shown, own in ((seen.counterfactual_probability, reach), (seen.parent_counterfactual_probability, before)):
            assert shown == pytest.approx((first @ chance @ (own[1] * second), (own[0] * first) @ chance @ second))
        likely = [own @ truth.odds if goal is None else own[goal] for own, goal in zip(reach, look.goals, strict=True)]
        assert seen.history_probability_for_goals == pytest.approx(likely[0] * likely[1])
        assert seen.history_probability == pytest.approx(reach[0] @ chance @ reach[1])
        for own, shown in zip(reach, seen.beliefs, strict=True):
            belief = truth.belief(own)
            assert shown is None if belief is None else shown == pytest.approx(belief)
            impossible += belief is None
    start = view(looks[0].truth.saved, Cursor(looks[0].truth.tree), FIRST)
    assert start.parent_counterfactual_probability is None
    assert start.counterfactual_probability == pytest.approx((looks[0].truth.odds[Goal.WIN] ** 2,) * 2)
    assert impossible > 0 or looks[0].truth.values is None


def test_the_likeliest_line_can_be_played(looks: list[Look]) -> None:
    for look in looks:
        seen, truth = look.seen, look.truth
        line = seen.most_likely_line
        if line is None:
            assert look.cursor.forced_outcome is not None
            continue
        walk = Cursor(truth.tree, look.cursor.moves)
        joint = np.outer(*seen.weights)  # of both goals and the moves of the line so far, by X's goal and O's
        for square in line.squares:
            after = {}
            for child, squares in walk.squares_by_child().items():
                mine = truth.strategy[child]
                after[squares] = joint * (mine[:, None] if walk.mover == 0 else mine[None, :])
            chosen = next(squares for squares in after if square in squares)
            assert after[chosen].sum() == pytest.approx(max(table.sum() for table in after.values()))
            joint = after[chosen]
            walk.play(square)
        assert walk.forced_outcome is line.outcome
        assert line.probability == pytest.approx(joint.sum())


def test_lines_and_ends(looks: list[Look]) -> None:
    ended, rules = 0, looks[0].truth.rules
    for look in looks:
        seen = look.seen
        marks = [{str(square) for square in seen.moves[seat::2]} for seat in (0, 1)]
        assert seen.lines == tuple(tuple(tuple(map(int, row)) for row in ROWS if set(row) <= own) for own in marks)
        true = true_goals(rules.name, seen.moves)
        assert (seen.outcome is None) == (true is None)
        if seen.outcome is not None:
            named = ["".join(goal.name.lower() for goal in goals) for goals in rules.goals_true(seen.outcome)]
            assert tuple(named) == true
            ended += 1
    assert ended > 0 or rules.name == "three-in-a-row"


def test_best_responses(rounds: SavedRounds, evaluator: LevelEvaluator) -> None:
    for score in rounds.scores or []:
        saved = rounds.load(score)
        seen = [view(saved, Cursor(rounds.tree), goals) for goals in PAIRS]
        assert saved.response is not None
        for seat in (0, 1):
            here = [each.best_response.values[seat] for each in seen if each.best_response is not None]
            assert len(here) == 9
            assert np.mean(here) == pytest.approx(saved.response.values[seat], abs=1e-9)
        for each in seen:
            assert sorted(bool(move.best_response) for move in each.choices) == [False, False, True]
    early = view(rounds.load(Score(1, 1), 0), Cursor(rounds.tree), FIRST)
    assert early.best_response is None
    assert {move.best_response for move in early.choices} == {None}
    saved, tree, rng = rounds.load(Score(1, 0)), rounds.tree, random.Random(5)
    assert saved.response is not None
    by_seat = []
    for seat in (0, 1):
        mixed = np.where((tree.mover == seat)[:, None], saved.response.strategy, saved.average_strategy)
        by_seat.append(evaluator.values_by_types(mixed, round_payoffs(saved.response.outcome_values[seat])))
    for _ in range(15):
        cursor, goals = Cursor(tree, random_moves(rng, tree, 4)), rng.choice(PAIRS)
        response = view(saved, cursor, goals).best_response
        assert response is not None
        for seat, sign in ((0, 1), (1, -1)):
            assert response.values[seat] == pytest.approx(sign * by_seat[seat][cursor.node][goals], abs=1e-12)
