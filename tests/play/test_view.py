"""What is shown of a position, against computations that share nothing with it but the tree."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from oracle.lifting import LevelEvaluator
from support.playing import PAIRS, random_moves, values_at

from tictactoe.algorithms.arrays import FloatArray
from tictactoe.games.board import SYMMETRIES
from tictactoe.games.cursor import Cursor
from tictactoe.games.goals import Goal, OutcomeValues
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.scores import Score
from tictactoe.play.view import Goals, View, view
from tictactoe.storage.open_saved import SavedRound, SavedRounds

FIRST = (Goal.WIN, Goal.WIN)
SOME_UNKNOWN = list(itertools.product((*Goal, None), repeat=2))


def reaches(tree: GameTree, strategy: FloatArray, moves: tuple[int, ...]) -> list[list[float]]:
    """[player][goal]: the product of its own probabilities, read off the squares of the real board move by move."""
    result = [[1.0] * 3, [1.0] * 3]
    cursor = Cursor(tree)
    for number, square in enumerate(moves):
        for child, squares in cursor.squares_by_child().items():
            if square in squares:
                for goal in Goal:
                    result[number % 2][goal] *= float(strategy[child, goal])
        cursor.play(square)
    return result


def weights(own: list[float], goal: Goal | None) -> FloatArray:
    """What a player's goals count: the known one alone, else by what its own moves tell, if anything."""
    if goal is not None:
        return np.eye(3)[goal]
    return np.array(own) / sum(own) if sum(own) > 0.0 else np.full(3, 1 / 3)


def looks(rounds: SavedRounds) -> Iterator[tuple[SavedRound, Cursor, Goals, bool]]:
    """Random positions, goals, some of them unknown, scores, iterations."""
    rng = random.Random(7)
    for _ in range(40):
        score = rng.choice(rounds.scores or [])
        saved = rounds.load(score, rng.choice(rounds.iterations(score)))
        moves = random_moves(rng, rounds.tree, rng.randrange(2, 8))
        yield saved, Cursor(rounds.tree, moves), rng.choice(SOME_UNKNOWN), rng.random() < 0.7


def test_values_and_regrets_by_their_definitions(rounds: SavedRounds, evaluator: LevelEvaluator) -> None:
    """For every pair of goals; then their mean, by the weights of the goals that are unknown."""
    for saved, cursor, goals, average in looks(rounds):
        tree, values = rounds.tree, saved.snapshot.outcome_values
        strategy = saved.strategy(average)
        seen = view(saved, cursor, goals, average)
        reach = reaches(tree, strategy, cursor.moves)
        first, second = (weights(own, goal) for own, goal in zip(reach, goals, strict=True))
        assert seen.weights == (pytest.approx(first), pytest.approx(second))
        here = values_at(evaluator, strategy, values, cursor.node)
        assert seen.expected_value == pytest.approx(first @ here @ second, abs=1e-12)
        assert seen.first_mover_wins_percent == pytest.approx(50 + 50 * first @ here @ second)
        if not seen.choices:
            assert tree.outcome(cursor.node) is seen.forced_outcome is not None
            continue
        mover = len(cursor.moves) % 2
        mine = (first, second)[mover]
        for move in seen.choices:
            child = Cursor(tree, (*cursor.moves, move.squares[-1])).node
            after = values_at(evaluator, strategy, values, child)
            assert move.expected_value == pytest.approx(first @ after @ second, abs=1e-12)
            assert move.average == pytest.approx(saved.average_strategy[child] @ mine, abs=1e-15)
            assert move.current == pytest.approx(saved.snapshot.current_strategy[child] @ mine, abs=1e-15)
            assert move.total_regret == pytest.approx(saved.snapshot.regrets[child] @ mine, abs=1e-15)
            others = np.array(reach[1 - mover])
            regrets = (1 - 2 * mover) * (after - here) * (others[None, :] if mover == 0 else others[:, None]) / 9
            assert move.regret == pytest.approx(first @ regrets @ second, abs=1e-12)
            assert move.information_set_regret == pytest.approx(mine @ regrets.sum(axis=1 - mover), abs=1e-12)
            assert (move.best_response is None) == (saved.response is None or goals[mover] is None)
        assert sum(move.average for move in seen.choices) == pytest.approx(1.0)
        assert sum(move.current for move in seen.choices) == pytest.approx(1.0)
        squares = sorted(square for move in seen.choices for square in move.squares)
        assert tuple(squares) == cursor.board.free_squares
        if None not in goals:
            playing = [move.average if average else move.current for move in seen.choices]
            gained = sum(p * m.regret for p, m in zip(playing, seen.choices, strict=True))
            assert gained == pytest.approx(0.0, abs=1e-12)


def values_to_mover(
    evaluator: LevelEvaluator, strategy: FloatArray, values: OutcomeValues, mover: int, others: FloatArray, node: int
) -> FloatArray:
    """float64 (3,), by the mover's goal: over the opponent's goals, which have the weights `others`."""
    to_first = values_at(evaluator, strategy, values, node)
    result: FloatArray = to_first @ others if mover == 0 else -(others @ to_first)
    return result


def test_what_the_mover_knows(rounds: SavedRounds, evaluator: LevelEvaluator) -> None:
    """Per goal of the mover: values over what is believed of the other goal, whatever that is, costs, probabilities."""
    for saved, cursor, goals, average in itertools.islice(looks(rounds), 20):
        tree, strategy = rounds.tree, saved.strategy(average)
        seen = view(saved, cursor, goals, average)
        if cursor.mover is None:
            assert (seen.rows, seen.mover_value, seen.mover_wins_percent) == ((), None, None)
            continue
        mover = int(cursor.mover)
        reach = reaches(tree, strategy, cursor.moves)
        mine, others = weights(reach[mover], None), weights(reach[1 - mover], None)
        to_mover = partial(values_to_mover, evaluator, strategy, saved.snapshot.outcome_values, mover, others)
        here = to_mover(cursor.node)
        assert seen.mover_value == pytest.approx(mine @ here, abs=1e-12)
        assert seen.mover_wins_percent == pytest.approx(50 + 50 * mine @ here)
        assert [row.goal for row in seen.rows] == list(Goal)
        for row in seen.rows:
            assert row.value == pytest.approx(here[row.goal], abs=1e-12)
            assert row.wins_percent == pytest.approx(50 + 50 * here[row.goal])
            nodes = [Cursor(tree, (*cursor.moves, cell.squares[-1])).node for cell in row.moves]
            after = [to_mover(node)[row.goal] for node in nodes]
            for cell, node, value in zip(row.moves, nodes, after, strict=True):
                assert cell.value == pytest.approx(value, abs=1e-12)
                assert cell.cost == pytest.approx(max(after) - value, abs=1e-12)
                assert cell.cost_percent == pytest.approx(50 * (max(after) - value), abs=1e-10)
                assert cell.probability == strategy[node, row.goal]
            if row.moves:
                played = sum(cell.probability * value for cell, value in zip(row.moves, after, strict=True))
                assert played == pytest.approx(row.value, abs=1e-12)
        assert [len(row.moves) for row in seen.rows] == [len(seen.choices)] * 3


def test_the_start(rounds: SavedRounds, evaluator: LevelEvaluator) -> None:
    saved = rounds.load(Score(0, 1))
    for goals in (FIRST, (Goal.TIE, Goal.LOSE)):
        here = values_at(evaluator, saved.average_strategy, saved.snapshot.outcome_values, 0)
        assert view(saved, Cursor(rounds.tree), goals).expected_value == pytest.approx(here[goals], abs=1e-12)
    mean = np.mean([view(saved, Cursor(rounds.tree), goals).expected_value for goals in PAIRS])
    assert rounds.solution is not None
    assert mean == pytest.approx(rounds.solution.value[Score(0, 1)], abs=0.02)


def test_probabilities_of_the_history(rounds: SavedRounds) -> None:
    impossible = 0
    for saved, cursor, goals, average in looks(rounds):
        reach = reaches(rounds.tree, saved.strategy(average), cursor.moves)
        before = reaches(
            rounds.tree, saved.strategy(average), cursor.moves[: len(Cursor(rounds.tree, cursor.moves).nodes) - 2]
        )
        seen = view(saved, cursor, goals, average)
        first, second = (weights(own, goal) for own, goal in zip(reach, goals, strict=True))
        assert seen.counterfactual_probability == pytest.approx((second @ reach[1] / 9, first @ reach[0] / 9))
        assert seen.parent_counterfactual_probability == pytest.approx((second @ before[1] / 9, first @ before[0] / 9))
        likely = [np.mean(own) if goal is None else own[goal] for own, goal in zip(reach, goals, strict=True)]
        assert seen.history_probability_for_goals == pytest.approx(np.prod(likely))
        total = sum(reach[0][g] * reach[1][h] for g, h in PAIRS) / 9
        assert seen.history_probability == pytest.approx(total)
        for own, belief in zip(reach, seen.beliefs, strict=True):
            if belief is None:
                impossible += 1
                assert sum(own) == 0.0
            else:
                assert belief == pytest.approx([p / sum(own) for p in own])
    assert impossible > 0
    start = view(rounds.load(), Cursor(rounds.tree), FIRST)
    assert start.parent_counterfactual_probability is None
    assert start.counterfactual_probability == pytest.approx((1 / 9, 1 / 9))


def numbers(seen: View, turn: tuple[int, ...]) -> Any:
    """Everything but the position, with squares taken to where `turn` takes them."""
    result = seen.as_dict()
    line = result.pop("most_likely_line")
    for name in ("position", "moves"):
        del result[name]
    result["lines"] = [sorted(sorted(turn[s - 1] for s in line) for line in own) for own in result["lines"]]
    for choice in result["choices"]:
        choice["squares"] = sorted(turn[square - 1] for square in choice["squares"])
    result["choices"].sort(key=lambda choice: choice["squares"])
    for row in result["rows"]:
        for cell in row["moves"]:
            cell["squares"] = sorted(turn[square - 1] for square in cell["squares"])
        row["moves"].sort(key=lambda cell: cell["squares"])
    return result, line and (line["probability"], line["outcome"], len(line["squares"]))


def test_symmetric_positions_have_the_same_numbers(rounds: SavedRounds) -> None:
    identity = SYMMETRIES[0]
    for saved, cursor, goals, average in itertools.islice(looks(rounds), 25):
        seen = view(saved, cursor, goals, average)
        for turn in SYMMETRIES:
            turned = Cursor(rounds.tree, tuple(turn[square - 1] for square in cursor.moves))
            assert numbers(view(saved, turned, goals, average), identity) == numbers(seen, turn)


def test_information_set_regrets_are_what_the_solver_accumulates(rounds: SavedRounds) -> None:
    """The first iteration adds, for the first mover, the regrets of the uniform strategies that it starts from."""
    score = Score(1, 1)
    before, after = rounds.load(score, 0), rounds.load(score, 1)
    tree, rng = rounds.tree, random.Random(3)
    for _ in range(40):
        cursor = Cursor(tree, random_moves(rng, tree, rng.choice((0, 2, 4))))
        for goal in Goal:
            now = view(before, cursor, (goal, Goal.WIN), average=False)
            later = view(after, cursor, (goal, Goal.WIN))
            for first, second in zip(now.choices, later.choices, strict=True):
                assert first.squares == second.squares
                assert second.total_regret is not None
                assert max(first.information_set_regret, 0.0) == pytest.approx(max(second.total_regret, 0.0), abs=1e-12)


def test_best_responses(rounds: SavedRounds) -> None:
    for score in rounds.scores or []:
        saved = rounds.load(score)
        start = Cursor(rounds.tree)
        seen = [view(saved, start, goals).best_response for goals in PAIRS]
        for seat in (0, 1):
            here = [response.values[seat] for response in seen if response is not None]
            assert len(here) == 9
            assert saved.response is not None
            assert np.mean(here) == pytest.approx(saved.response.values[seat], abs=1e-9)
        for goals in PAIRS:
            chosen = [move.best_response for move in view(saved, start, goals).choices]
            assert sorted(map(bool, chosen)) == [False, False, True]
    early = view(rounds.load(Score(1, 1), 0), Cursor(rounds.tree), FIRST)
    assert early.best_response is None
    assert {move.best_response for move in early.choices} == {None}


def test_a_best_response_in_the_middle(rounds: SavedRounds, evaluator: LevelEvaluator) -> None:
    saved = rounds.load(Score(1, 0))
    assert saved.response is not None
    tree, rng = rounds.tree, random.Random(5)
    for _ in range(15):
        cursor, goals = Cursor(tree, random_moves(rng, tree, 4)), rng.choice(PAIRS)
        response = view(saved, cursor, goals).best_response
        assert response is not None
        for seat, sign in ((0, 1), (1, -1)):
            mixed = np.where((tree.mover == seat)[:, None], saved.response.strategy, saved.average_strategy)
            here = values_at(evaluator, mixed, saved.response.outcome_values[seat], cursor.node)[goals]
            assert response.values[seat] == pytest.approx(sign * here, abs=1e-12)


def test_the_likeliest_line_can_be_played(rounds: SavedRounds) -> None:
    """Where a goal is unknown its weights follow the moves of the line."""
    for saved, cursor, goals, average in looks(rounds):
        seen = view(saved, cursor, goals, average)
        line = seen.most_likely_line
        if line is None:
            assert cursor.forced_outcome is not None
            continue
        walk, strategy = Cursor(rounds.tree, cursor.moves), saved.strategy(average)
        joint = np.outer(*seen.weights)  # of both goals and the moves of the line so far, by X's goal and O's
        for square in line.squares:
            after = {}
            for child, squares in walk.squares_by_child().items():
                mine = strategy[child]
                after[squares] = joint * (mine[:, None] if walk.mover == 0 else mine[None, :])
            chosen = next(squares for squares in after if square in squares)
            assert after[chosen].sum() == pytest.approx(max(table.sum() for table in after.values()))
            joint = after[chosen]
            walk.play(square)
        assert walk.forced_outcome is line.outcome
        assert line.probability == pytest.approx(joint.sum())
