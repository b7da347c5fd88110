"""The closed forms of the rules that fill the board: the stories of docs/closed-forms.md, told by what ships."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pieces
import plans
import pytest
import stories
import stories_at_scores
from oracle.lifting import game_tree

from tictactoe.algorithms.best_response import exploitability
from tictactoe.algorithms.punishing_double_oracle import DoubleOracle
from tictactoe.formulas.answer_tables import PLANS, Choices, table_lines
from tictactoe.games.board import SQUARES, Board, has_line
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.games.rules import Goal, Outcome, OutcomeValues, Rules, Seat
from tictactoe.match.scores import Score, pairs_in_solve_order
from tictactoe.storage.open_saved import open_saved

ROOT = Path(__file__).parents[2]
LAST_THREE = {
    "": {"WLT": 5},
    "5": {"WLT": 1},
    "51": {"WLT": 9},
    "519": {"WLT": 3},
    "5193": {"WLT": 6},
    "51936": {"WLT": 8},
    "519368": {"W": 4, "LT": 7},
    "5193684": {"WT": 2, "L": 7},
    "5193687": {"WL": 2, "T": 4},
}
PATHS = {
    "filled": LAST_THREE,
    "filled-none": LAST_THREE,
    "filled-tie": {"519378"[:length]: {"WLT": int("519378"[length])} for length in range(6)},
}


@pytest.mark.parametrize("rules", PATHS)
def test_what_ships_tells_the_story(rules: str) -> None:
    """Every move of it with probability 1."""
    tree = game_tree(rules=rules)
    strategy = open_saved(f"{rules}_single_round").load().average_strategy
    for history, by_goals in PATHS[rules].items():
        for goals, square in by_goals.items():
            child = tree.find(map(int, f"{history}{square}"))
            assert all(strategy[child]["WLT".index(goal)] == 1.0 for goal in goals)


@pytest.mark.parametrize(
    ("rules", "corners", "outside"),
    [
        ("filled", [(-1, -1), (1, 0), (1, 1), (-1, 1)], [(1, -0.1), (0.9, -0.1), (0, -0.6)]),
        ("filled-none", [(-1, 0), (0, 0), (1, 1), (-1, 1)], [(0.1, 0), (1, 0.9), (-1, -0.5)]),
        ("filled-tie", [(-1, -1), (1, -1), (1, 1), (-1, 1)], []),
    ],
)
def test_where_it_is_optimal(
    rules: str, corners: list[tuple[float, float]], outside: list[tuple[float, float]]
) -> None:
    """Exact to rounding: the strategy is zeros and ones. Within the corners it follows, for gains are convex."""
    tree = game_tree(rules=rules)
    strategy = open_saved(f"{rules}_single_round").load().average_strategy
    assert set(np.unique(strategy)) == {0.0, 1.0}

    def gain(both: float, neither: float) -> float:
        return exploitability(tic_tac_toe_round(tree, OutcomeValues(both, 1.0, -1.0, neither)), strategy).total

    assert [gain(*corner) for corner in corners] == pytest.approx([0.0] * len(corners), abs=1e-15)
    assert all(gain(*point) > 0.01 for point in outside)


@pytest.mark.parametrize(
    ("rules", "counts", "single", "last"),
    [
        ("three-in-a-row", (3, 2, 3, 1), "-1/9", "-1/13"),
        ("filled", (3, 1, 3, 2), "-2/9", "-1/7"),
        ("filled-none", (2, 0, 1, 6), "-1/9", "-1/17"),
        ("filled-tie", (1, 2, 2, 4), "0", "0"),
    ],
)
def test_the_nine_results_and_the_values_that_follow(
    rules: str, counts: tuple[int, ...], single: str, last: str
) -> None:
    story = stories.STORIES[rules][0]
    table = stories.play(plans.Round(rules), story)
    assert table.counts == counts
    assert table.value((0, 1, -1, 0)) == Fraction(single)
    assert stories_at_scores.exact_values([story], [table], 1)[0] == {Score(0, 0): Fraction(last)}


@pytest.mark.parametrize("rules", ["filled", "filled-tie"])
def test_every_score_of_matches_is_covered(rules: str) -> None:
    """Values are fractions that solve their equations, and b and n of every score are where the story is optimal."""
    story = stories.STORIES[rules][0]
    table = stories.play(plans.Round(rules), story)
    for winning_score in (2, 5, 8):
        values, _ = stories_at_scores.exact_values([story], [table], winning_score)
        for pair in pairs_in_solve_order(winning_score):
            for score in pair:
                payoffs = stories_at_scores.payoffs_at(score, values, winning_score)
                assert values[score] == table.value(payoffs)
                assert story.covers(*stories_at_scores.scaled(payoffs))
                if rules == "filled-tie":
                    assert values[score] == -values[score.twin]
                assert pow(77 if rules == "filled" else 5, 99, values[score].denominator) == 0 or not values[score]


def test_where_the_story_of_filled_none_is_not_enough() -> None:
    story = stories.STORIES["filled-none"][0]
    table = stories.play(plans.Round("filled-none"), story)
    with pytest.raises(stories_at_scores.NotCovered, match="1-0"):
        stories_at_scores.exact_values([story], [table], 2)


def test_the_values_of_filled_none_are_those_of_its_pieces() -> None:
    """Two linear formulas; at 3-4, where the second one holds, double oracle finds the same."""
    formulas = pieces.PIECES["filled-none"]
    values, chosen = stories_at_scores.exact_values(formulas, formulas, 5)
    assert values[Score(0, 0)] == Fraction(-299458565261, 9763553953125)
    assert set(chosen.values()) == {0, 1, 2}
    tree = game_tree(rules="filled-none")
    oracle = DoubleOracle(tree, open_saved("filled-none_single_round").load().average_strategy)
    payoffs = OutcomeValues(*map(float, stories_at_scores.payoffs_at(Score(3, 4), values, 5)))
    found = oracle.solve(tic_tac_toe_round(tree, payoffs))
    assert found.value == pytest.approx(float(values[Score(3, 4)]), abs=1e-13)


def test_opposite_squares_tie_every_round_of_filled_tie() -> None:
    """X begins in the middle and then marks the square opposite to O's: never is there three in a row of one alone."""
    rules, middle, ends = Rules("filled-tie"), 1 << 4, set()
    pairs = [(square, 10 - square) for square in SQUARES if square < 5]
    for chosen in itertools.product((0, 1), repeat=4):  # which square of each pair is O's
        second = sum(1 << (pair[one] - 1) for pair, one in zip(pairs, chosen, strict=True))
        first = sum(1 << (pair[1 - one] - 1) for pair, one in zip(pairs, chosen, strict=True)) | middle
        assert rules.outcome(Board(first, second)) is Outcome.TIE
        ends.add((has_line(first), has_line(second)))
    assert ends == {(False, False), (True, True)}


@pytest.mark.parametrize("seat", [0, 1])
def test_both_players_of_filled_tie_can_make_every_round_a_tie(seat: int) -> None:
    """By what ships, whatever the goals: against the player in the seat every leaf that can be reached is a tie."""
    tree = game_tree(rules="filled-tie")
    strategy = open_saved("filled-tie_single_round").load().average_strategy
    reached = np.zeros((tree.num_nodes, len(Goal)), bool)
    reached[0] = True
    for node in range(1, tree.num_nodes):
        parent = tree.parent[node]
        reached[node] = reached[parent] & ((strategy[node] > 0) | (tree.owner[parent] != seat))
    leaves = (tree.leaf_class >= 0) & reached.any(axis=1)
    assert leaves.sum() > 10
    assert set(tree.leaf_class[leaves]) == {Outcome.TIE}


@pytest.mark.parametrize(("rules", "seat"), [("filled", 0), ("filled-tie", 0), ("filled-tie", 1)])
def test_the_tables_are_those_of_what_ships(rules: str, seat: int) -> None:
    tree = game_tree(rules=rules)
    strategy = open_saved(f"{rules}_single_round").load().average_strategy
    choices: Choices = {
        (parent, goal): {node: PLANS}
        for node, parent in enumerate(tree.parent.tolist())
        for goal in Goal
        if node and strategy[node][goal] == 1.0
    }
    lines = list(table_lines(tree, Seat(seat), choices))
    if (rules, seat) == ("filled-tie", 0):  # said in words
        assert all(int(reply) + int(answer[0]) == 10 for line in lines for reply, answer in answers(line))
    elif rules == "filled":
        page = (ROOT / "docs" / "closed-forms.md").read_text()
        assert "    " + "\n    ".join(lines) + "\n" in page
    else:
        table = (ROOT / "tictactoe" / "formulas" / "tables" / "filled-tie.txt").read_text()
        assert table.endswith("second mover\n" + "\n".join(lines) + "\n")


def answers(line: str) -> list[list[str]]:
    """The opponent's squares and the answers to them, of a line of a table."""
    return [part.split("-") for part in line.split(maxsplit=2)[2].split("; ")]
