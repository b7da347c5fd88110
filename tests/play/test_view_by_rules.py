"""What is shown of a position under all rules and odds, against rules stated anew and rounds that are played out."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from support.playing import random_moves
from support.programs import call
from support.storage_files import imported

from tictactoe.algorithms.arrays import FloatArray
from tictactoe.games.cursor import Cursor
from tictactoe.games.goals import RESULTS, Goal, Seat
from tictactoe.games.rules import Rules
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.play.advice import advise
from tictactoe.play.bot import RoundBot
from tictactoe.play.view import Goals, View, view
from tictactoe.storage.open_saved import SavedRound, SavedRounds

ALL = ("three-in-a-row 1:0:2", "filled", "filled 2:1:1", "filled 1:0:1", "filled-none 3:1:0", "filled-tie 1:2:3")
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
    """A round at a saved state, played out in every way."""

    def __init__(self, saved: SavedRound) -> None:
        self.tree, self.strategy, self.rules = saved.tree, saved.average_strategy, saved.tree.rules
        self.worth = dict(zip(RESULTS, saved.snapshot.outcome_values, strict=True))
        self.odds = np.array(self.rules.goal_odds) / sum(self.rules.goal_odds)

    def moves_of(self, moves: tuple[int, ...]) -> dict[int, FloatArray]:
        """By square, float64 (3,): how likely it is marked next, by the mover's goal."""
        cursor = Cursor(self.tree, moves)
        groups = cursor.squares_by_child()
        if not groups:  # the end is certain: no matter how
            free = cursor.board.free_squares
            return dict.fromkeys(free, np.full(3, 1 / len(free)))
        return {square: self.strategy[child] / len(group) for child, group in groups.items() for square in group}

    def worth_of(self, moves: tuple[int, ...]) -> FloatArray:
        """float64 (3, 3), by X's goal and O's: what X gets on average from here on."""
        ended = true_goals(self.rules.name, moves)
        if ended is not None:
            fits = [[goal.name.lower() == true for goal in Goal] for true in ended]
            return np.array([[self.worth[x, o] for o in fits[1]] for x in fits[0]])
        return sum(
            (p[:, None] if len(moves) % 2 == 0 else p) * self.worth_of((*moves, square))
            for square, p in self.moves_of(moves).items()
        )

    def reach_of(self, moves: tuple[int, ...]) -> FloatArray:
        """float64 (2, 3): the product of a player's own probabilities, of any of the moves that are the same."""
        reach = np.ones((2, 3))
        for number, square in enumerate(moves):
            cursor = Cursor(self.tree, moves[:number])
            for child, group in cursor.squares_by_child().items():
                if square in group:
                    reach[number % 2] *= self.strategy[child]
        return reach

    def belief(self, own: FloatArray) -> FloatArray | None:
        weighed = own * self.odds
        return weighed / weighed.sum() if weighed.sum() > 0.0 else None


class Look(NamedTuple):
    truth: Truth
    saved: SavedRound
    goals: Goals
    seen: View


@pytest.fixture(scope="module", params=ALL)
def looks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Look]:
    """Random positions with at most five free squares, and random strategies that never make some moves."""
    tree = GameTree.build(Rules.parse(request.param))
    rounds = SavedRounds(imported(tmp_path_factory.mktemp("by_rules") / "match", tree, 1))
    saved, rng, result = rounds.load(), random.Random(3), []
    truth = Truth(saved)
    for _ in range(12):
        goals = (rng.choice([*Goal, None]), rng.choice([*Goal, None]))
        cursor = Cursor(tree, random_moves(rng, tree, rng.randrange(4, 10)))
        result.append(Look(truth, saved, goals, view(saved, cursor, goals)))
    return result


def test_values_costs_and_regrets(looks: list[Look]) -> None:
    compared = 0
    for truth, _, goals, seen in looks:
        reach, here = truth.reach_of(seen.moves), truth.worth_of(seen.moves)
        believed = [truth.belief(own) for own in reach]
        for shown, belief in zip(seen.beliefs, believed, strict=True):
            assert shown is None if belief is None else shown == pytest.approx(belief)
        weights = [
            np.eye(3)[goal] if goal is not None else truth.odds if belief is None else belief
            for goal, belief in zip(goals, believed, strict=True)
        ]
        assert seen.weights == (pytest.approx(weights[0]), pytest.approx(weights[1]))
        assert seen.expected_value == pytest.approx(weights[0] @ here @ weights[1], abs=1e-12)
        if seen.to_move is None:
            continue
        mover = int(seen.to_move)
        unknown = [truth.odds if belief is None else belief for belief in believed]
        mine, others = unknown[mover], unknown[1 - mover]

        def to_mover(worth: FloatArray, others: FloatArray = others, mover: int = mover) -> FloatArray:
            return worth @ others if mover == 0 else -(others @ worth)

        assert seen.mover_value == pytest.approx(mine @ to_mover(here), abs=1e-12)
        assert [row.value for row in seen.rows] == pytest.approx(to_mover(here), abs=1e-12)
        after = [truth.worth_of((*seen.moves, move.squares[0])) for move in seen.choices]
        for row in seen.rows:
            worth = [to_mover(each)[row.goal] for each in after]
            for cell, value in zip(row.moves, worth, strict=True):
                assert (cell.value, cell.cost) == (pytest.approx(value, abs=1e-12), pytest.approx(max(worth) - value))
        chance = np.outer(truth.odds, truth.odds * reach[1 - mover])  # the mover's goal, the other's
        for move, each in zip(seen.choices, after, strict=True):
            gain = (each - here) if mover == 0 else (here - each).T
            regrets = gain * chance
            assert move.expected_value == pytest.approx(weights[0] @ each @ weights[1], abs=1e-12)
            assert move.regret == pytest.approx(weights[mover] @ regrets @ weights[1 - mover], abs=1e-12)
            assert move.information_set_regret == pytest.approx(weights[mover] @ regrets.sum(axis=1), abs=1e-12)
            compared += 1
    assert compared > 5


def test_probabilities(looks: list[Look]) -> None:
    for truth, _, goals, seen in looks:
        reach, weights = truth.reach_of(seen.moves), [np.array(each) for each in seen.weights]
        chance = np.outer(truth.odds, truth.odds)
        expected = (weights[0] @ chance @ (reach[1] * weights[1]), (reach[0] * weights[0]) @ chance @ weights[1])
        assert seen.counterfactual_probability == pytest.approx(expected)
        likely = [own @ truth.odds if goal is None else own[goal] for own, goal in zip(reach, goals, strict=True)]
        assert seen.history_probability_for_goals == pytest.approx(likely[0] * likely[1])
        assert seen.history_probability == pytest.approx(reach[0] @ chance @ reach[1])


def test_information_set_regrets_are_what_the_solver_accumulates(tmp_path: Path) -> None:
    """The first iteration adds, for the first mover, the regrets of the uniform strategies that it starts from."""
    odds = ("--rules", "filled", "--goal-odds", "2:0:1", "--algorithm", "pdcfr+")
    assert call("solve-subgame", "-o", tmp_path, *odds, "--iterations", 1, "--snapshot-at", "0,1", "--quiet").code == 0
    rounds, rng, positive = SavedRounds(tmp_path), random.Random(3), 0
    before, after = rounds.load(None, 0), rounds.load(None, 1)
    for _ in range(20):
        cursor = Cursor(rounds.tree, random_moves(rng, rounds.tree, rng.choice((0, 2, 4))))
        for goal in Goal:
            now, later = view(before, cursor, (goal, Goal.WIN), average=False), view(after, cursor, (goal, Goal.WIN))
            for first, second in zip(now.choices, later.choices, strict=True):
                assert second.total_regret is not None
                assert max(first.information_set_regret, 0.0) == pytest.approx(max(second.total_regret, 0.0), abs=1e-12)
                assert goal is not Goal.LOSE or first.information_set_regret == 0.0
                positive += first.information_set_regret > 1e-6
    assert positive > 20


def test_lines_ends_and_who_scores(looks: list[Look]) -> None:
    ended = 0
    for truth, saved, _, seen in looks:
        marks = [{str(square) for square in seen.moves[seat::2]} for seat in (0, 1)]
        lines = tuple(tuple(tuple(map(int, row)) for row in ROWS if set(row) <= own) for own in marks)
        assert seen.lines == lines
        true = true_goals(truth.rules.name, seen.moves)
        assert (seen.outcome is None) == (true is None)
        if true is not None:
            assert seen.outcome is not None
            named = ["".join(goal.name.lower() for goal in goals) for goals in truth.rules.goals_true(seen.outcome)]
            assert tuple(named) == true
            ended += 1
        bot, cursor = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values), Cursor(truth.tree)
        for square in seen.moves:
            cursor.play(square)
        if cursor.mover is None:
            continue
        other = Seat(1 - cursor.mover)
        belief = truth.belief(truth.reach_of(seen.moves)[other])
        for advice in advise(bot, cursor, Goal.WIN):
            moves = (*seen.moves, advice.squares[0])
            ends = {true_goals(truth.rules.name, (*moves, *rest)) for rest in _all_ends(truth.rules.name, moves)}
            if len(ends) == 1:
                scoring = next(iter(ends)) or ("", "")
                expected = sum(
                    (truth.odds if belief is None else belief)[goal]
                    for goal in Goal
                    if goal.name.lower() == scoring[other]
                )
                assert advice.opponent_scores == pytest.approx(expected)
            else:
                assert advice.opponent_scores is None
            assert advice.possible == any(end is not None and end[1 - other] == "win" for end in ends)
    assert ended > 0


def _all_ends(name: str, moves: tuple[int, ...]) -> list[tuple[int, ...]]:
    """What can be played until the round is over."""
    if true_goals(name, moves) is not None:
        return [()]
    free = [square for square in range(1, 10) if square not in moves]
    return [(square, *rest) for square in free for rest in _all_ends(name, (*moves, square))]
