"""The rules of a round as data for the page: the arrays of the tree, the outcome of every board, and the words."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ..algorithms.arrays import ByteArray
from ..games.board import SQUARES, Board
from ..games.goals import Goal, goal_name
from ..games.rules import Outcome, Rules
from ..games.tic_tac_toe_tree import GameTree
from .data_file import encode

ROUND_GOES_ON = -1
"""Stands for the outcome of a board at which the round goes on, or which no round reaches."""


def tree_file(tree: GameTree, compression: int) -> bytes:
    """The data file of a tree, compressed as by `encode`.

    Its arrays: square, int8 (num_nodes,); num_children, uint8 (num_nodes,), from which the positions of the children
    follow by the order of PublicTree; leaf_class, int8 (num_nodes,); outcomes, see `outcomes_of_boards`.
    """
    arrays = {
        "square": tree.square,
        "num_children": tree.num_children.astype(np.uint8),
        "leaf_class": tree.leaf_class,
        "outcomes": outcomes_of_boards(tree.rules),
    }
    return encode({"kind": "tree", "tree": tree.fingerprint, "rules": rules_in_words(tree.rules)}, arrays, compression)


def outcomes_of_boards(rules: Rules) -> ByteArray:
    """int8 (19683,): the Outcome of every board; ROUND_GOES_ON if the round goes on, or if no round reaches the board.

    A board's index is a number in base 3 with a digit per square, that of square 1 the lowest: 0 for a free square, 1
    for one marked by the first mover, 2 by the second.

    >>> outcomes_of_boards(Rules())[1 + 2 * 3**3 + 3 + 2 * 3**4 + 3**2]  # X on 1, 2 and 3; O on 4 and 5
    0
    """
    boards = product(range(3), repeat=len(SQUARES))
    return np.array([_outcome(rules, tuple(reversed(marks))) for marks in boards], np.int8)


def _outcome(rules: Rules, marks: tuple[int, ...]) -> int:
    first, second = (sum(1 << bit for bit, mark in enumerate(marks) if mark == player) for player in (1, 2))
    if first.bit_count() - second.bit_count() not in (0, 1):
        return ROUND_GOES_ON
    outcome = rules.outcome(Board(first, second))
    return ROUND_GOES_ON if outcome is None else int(outcome)


def rules_in_words(rules: Rules) -> dict[str, Any]:
    """The rules for the manifest: texts and facts of `RoundRules`, by goal and by outcome."""
    of_round = rules.of_round
    outcomes = [outcome for outcome in Outcome if outcome in of_round.goals_true]
    return {
        "name": str(rules),
        "title": of_round.title if rules.has_even_odds else f"{of_round.title}; goals {rules.odds_text}",
        "goal_odds": rules.goal_odds,
        "ends_with_line": of_round.ends_with_line,
        "text": of_round.text,
        "to_do": {goal_name(goal): of_round.to_do[goal] for goal in Goal},
        "outcomes": [
            {
                "name": outcome.name.lower(),
                "goals_true": [sorted(map(int, goals)) for goals in rules.goals_true(outcome)],
                "happened": of_round.happened[outcome],
                "briefly": of_round.briefly[outcome],
            }
            for outcome in outcomes
        ],
    }
