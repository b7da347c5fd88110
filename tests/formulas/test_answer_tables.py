"""The tables of closed forms: read, written, and refused."""

from fractions import Fraction
from importlib import resources
from itertools import islice

import numpy as np
import pytest
from oracle.lifting import game_tree

from tictactoe import Goal, OutcomeValues, Seat, exploitability, open_saved, tic_tac_toe_round
from tictactoe.algorithms.strategy import strategy_problem
from tictactoe.formulas.answer_tables import answer_table, moves_elsewhere, read_choices, strategy_of_form, table_lines
from tictactoe.formulas.forms import FORMS, Form

ALL_FORMS = [(rules, form) for rules, forms in FORMS.items() for form in forms]
NAMES = [form.table for _, form in ALL_FORMS]


@pytest.mark.parametrize(("rules", "form"), ALL_FORMS, ids=NAMES)
def test_a_table_is_written_as_it_was_read(rules: str, form: Form) -> None:
    tree, file = game_tree(rules=rules), resources.files("tictactoe.formulas") / "tables" / f"{form.table}.txt"
    lines = file.read_text("ascii").splitlines()
    second = lines.index("second mover")
    table = answer_table(form.table, tree)
    assert list(table_lines(tree, Seat.FIRST, table.first)) == lines[lines.index("first mover") + 1 : second]
    assert list(table_lines(tree, Seat.SECOND, table.second)) == lines[second + 1 :]


@pytest.mark.parametrize(("rules", "form"), ALL_FORMS, ids=NAMES)
def test_nobody_gains_where_a_form_holds(rules: str, form: Form) -> None:
    """At random outcome values (b, 1, -1, n) that no match has, all over the region of the form."""
    tree = game_tree(rules=rules)
    generator = np.random.default_rng(16)
    drawn = (OutcomeValues(both, 1.0, -1.0, neither) for both, neither in generator.uniform(-1.0, 1.0, (10_000, 2)))
    for values in islice(filter(form.holds, drawn), 6):
        both, _, _, neither = values
        weights = np.array([1.0 - neither, both - neither, 1.0 + neither]) / (2.0 + both - neither)
        chances = weights.tolist() if form.three_plans else (1.0, 0.0, 0.0)
        judged = exploitability(tic_tac_toe_round(tree, values), strategy_of_form(tree, form, chances))
        assert judged.total < 1e-14
        assert judged.value == pytest.approx(form.value(*values), abs=1e-14)


@pytest.mark.parametrize("name", ["single_round", "filled_single_round", "filled-none_single_round"])
def test_shipped_rounds_are_those_of_the_tables(name: str) -> None:
    """Wherever the first mover's own moves lead; the rest of the files was made by the same rule."""
    saved = open_saved(name).load()
    strategy = strategy_of_form(saved.tree, FORMS[saved.tree.rules.name][0])
    assert strategy_problem(saved.tree, strategy) is None
    worth = OutcomeValues(0.0, 1.0, -1.0, 0.0)
    assert exploitability(tic_tac_toe_round(saved.tree, worth), strategy).total == 0.0
    assert (strategy == saved.average_strategy).all(axis=1).mean() > 0.98


def test_moves_elsewhere() -> None:
    tree = game_tree()
    moves = moves_elsewhere(tree)
    assert strategy_problem(tree, moves) is None

    def chance(node: int, seat: int, goal: Goal) -> Fraction:
        outcome = tree.outcome(node)
        if outcome is not None:
            return Fraction(goal in tree.rules.goals_true(outcome)[seat])
        below = [chance(child, seat, goal) for child in tree.children(node)]
        if tree.owner[node] != seat:
            return sum(below, Fraction(0)) / len(below)
        assert np.flatnonzero(moves[[*tree.children(node)], goal]).tolist() == [below.index(max(below))]
        return max(below)

    for history in ((5, 1, 2, 3), (1, 2, 4), (2, 5, 8, 1, 3)):
        for seat in Seat:
            for goal in Goal:
                chance(tree.find(history), seat, goal)


def test_probabilities_in_a_table() -> None:
    tree = game_tree()
    choices = read_choices(tree, Seat.SECOND, ["start    WLT   1-2 W1/3L, 5 W2/3T; 2-5; 5-1"])
    node = tree.find((1,))
    assert choices[node, Goal.WIN] == {tree.find((1, 2)): Fraction(1, 3), tree.find((1, 5)): Fraction(2, 3)}
    assert list(choices[node, Goal.LOSE]) == [tree.find((1, 2))]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("start WLT 1-5 W, 2 LX; 2-5; 5-1", "'LX' names no goals"),
        ("start WLT 1-1; 2-5; 5-1", "no move 1 after"),
        ("start WLT 1-5 W, 2 W; 2-5; 5-1", "answers not complete"),
        ("start WLT 1-5 W1/2, 2 W1/3; 2-5; 5-1", "answers not complete"),
        ("15 W 2-3 L", "goal L does not get there"),
        ("15 W 2-x", "'x' is not an answer"),
        ("nonsense", "table of strategies"),
    ],
)
def test_refused_lines(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_choices(game_tree(), Seat.SECOND, [line])
