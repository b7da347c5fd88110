"""Tables of strategies as text: a seat's answers to every move of the other seat.

A line has the squares up to a move of the seat, the goals with which the seat gets there, and its answers:

    51936    WLT   4-8o; 7-8o; 8-4x W, 7 LT

`x`, `o`, `xo` and `=` tell how an answer ends the round. If only some goals give an answer, these follow it, with the
letters of their plans or a probability. Only the lowest of symmetric squares is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib import resources
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..algorithms.arrays import FloatArray
from ..algorithms.public_tree import read_only
from ..games.rules import Goal, Outcome, Seat
from ..games.tic_tac_toe_tree import GameTree
from .forms import Form

GOAL_LETTERS = "WLT"  # win, lose, tie
PLANS = frozenset("ABC")
Share = frozenset[str] | Fraction
"""The plans in which a goal makes a move, or the probability of the move."""

Choices = dict[tuple[int, int], dict[int, Share]]
"""The nodes that the moves lead to, each with its share, by decision node and goal of the mover."""

ENDING_MARKS = {Outcome.WIN: "x", Outcome.LOSE: "o", Outcome.TIE: "=", Outcome.BOTH_LINES: "xo"}
"""The marks for who has three in a row at the end of a round."""

_WHO = re.compile(r"([WLT])(\d+/\d+|[abc]*)")
_ANSWER = re.compile(r"(\d)(?:xo|[xo=])?(?: (\S+))?")


class AnswerTable(NamedTuple):
    """Each seat's choices at all nodes that its own moves lead to."""

    first: Choices
    second: Choices


@cache
def answer_table(name: str, tree: GameTree) -> AnswerTable:
    """The shipped table of a closed form. Raises ValueError if it does not fit the tree.

    >>> from tictactoe import GameTree, Goal
    >>> tree = GameTree.build()
    >>> [tree.history(node) for node in answer_table("three-in-a-row", tree).first[0, Goal.WIN]]
    [(5,)]
    """
    lines = resources.files(__package__).joinpath("tables", f"{name}.txt").read_text("ascii").splitlines()
    second = lines.index("second mover")
    return AnswerTable(
        read_choices(tree, Seat.FIRST, lines[lines.index("first mover") + 1 : second]),
        read_choices(tree, Seat.SECOND, lines[second + 1 :]),
    )


def read_choices(tree: GameTree, seat: Seat, lines: Iterable[str]) -> Choices:
    """Read a seat's choices from the lines of its table. Raises ValueError for a wrong line."""
    choices: Choices = {}
    for line in filter(str.strip, lines):
        try:
            _read_line(tree, seat, line, choices)
        except (KeyError, ValueError) as error:
            raise ValueError(f"table of strategies: {line[:60]!r}: {error}") from error
    for (node, goal), answers in choices.items():
        if not _is_whole(list(answers.values())):
            raise ValueError(
                f"table of strategies: {tree.history_name(node)}, goal {GOAL_LETTERS[goal]}: answers not complete"
            )
    return choices


def _is_whole(shares: list[Share]) -> bool:
    fractions = [share for share in shares if isinstance(share, Fraction)]
    if fractions:
        return len(fractions) == len(shares) and sum(fractions) == 1
    plans = [plan for share in shares if isinstance(share, frozenset) for plan in share]
    return len(plans) == len(set(plans)) > 0


def _read_line(tree: GameTree, seat: Seat, line: str, choices: Choices) -> None:
    squares, label, *rest = line.split(maxsplit=2)
    moves = [] if squares == "start" else list(map(int, squares))
    among = {goal: PLANS if isinstance(share, Fraction) else share for goal, share in _who(label, {}).items()}
    if seat == Seat.FIRST and len(moves) == 1:
        for goal, share in _who(label, {}).items():
            choices.setdefault((0, goal), {})[tree.find(moves)] = share
    for cell in rest[0].split("; ") if rest else []:
        reply, answers = cell.split("-", 1)
        node = tree.find([*moves, int(reply)])
        for answer in answers.split(", "):
            found = _ANSWER.fullmatch(answer)
            if found is None:
                raise ValueError(f"{answer!r} is not an answer")
            square, who = found.groups()
            shares: Mapping[int, Share] = among if who is None else _who(who, among)
            for goal, share in shares.items():
                choices.setdefault((node, goal), {})[tree.find([*moves, int(reply), int(square)])] = share


def _who(text: str, among: Mapping[int, frozenset[str]]) -> dict[int, Share]:
    if "".join(match.group() for match in _WHO.finditer(text)) != text:
        raise ValueError(f"{text!r} names no goals")
    result: dict[int, Share] = {}
    for letter, share in _WHO.findall(text):
        goal = GOAL_LETTERS.index(letter)
        if among and goal not in among:
            raise ValueError(f"goal {letter} does not get there")
        if "/" in share:
            result[goal] = Fraction(share)
        else:
            result[goal] = frozenset(share.upper()) or among.get(goal, PLANS)
    return result


def table_lines(tree: GameTree, seat: Seat, choices: Choices) -> Iterator[str]:
    """The lines that `read_choices` reads."""
    if seat == Seat.SECOND:
        yield from _lines(tree, 0, dict.fromkeys(Goal, PLANS), choices)
        return
    for child, reach in _answers(0, dict.fromkeys(Goal, PLANS), choices):
        yield from _lines(tree, child, reach, choices)


Reach = Mapping[Goal, Share]


def _lines(tree: GameTree, node: int, reach: Reach, choices: Choices) -> Iterator[str]:
    cells, below = [], []
    for reply in tree.children(node):
        if tree.leaf_class[reply] >= 0:
            continue
        found = _answers(reply, reach, choices)
        shown = ", ".join(_shown(tree, child, who, reach) for child, who in found)
        cells.append(f"{tree.move(reply)}-{shown}")
        below += [(child, _plans(who)) for child, who in found if tree.leaf_class[child] < 0]
    if cells:
        name = "".join(map(str, tree.history(node))) or "start"
        yield f"{name:8} {_named(reach, dict.fromkeys(Goal, PLANS)):5} {'; '.join(cells)}"
    for child, who in below:
        yield from _lines(tree, child, who, choices)


def _answers(node: int, reach: Reach, choices: Choices) -> list[tuple[int, dict[Goal, Share]]]:
    by_child: dict[int, dict[Goal, Share]] = {}
    for goal, plans in reach.items():
        for child, share in choices[node, goal].items():
            part = share & plans if isinstance(share, frozenset) and isinstance(plans, frozenset) else share
            if part:
                by_child.setdefault(child, {})[goal] = part
    return sorted(by_child.items())


def _plans(who: Reach) -> dict[Goal, Share]:
    return {goal: PLANS if isinstance(share, Fraction) else share for goal, share in who.items()}


def _shown(tree: GameTree, node: int, who: Reach, reach: Reach) -> str:
    outcome = tree.outcome(node)
    ending = "" if outcome is None else ENDING_MARKS[outcome]
    return f"{tree.move(node)}{ending}" + ("" if who == reach else f" {_named(who, reach)}")


def _named(who: Reach, reach: Reach) -> str:
    parts = []
    for goal, share in sorted(who.items()):
        if isinstance(share, Fraction):
            parts.append(GOAL_LETTERS[goal] + ("" if share == 1 else str(share)))
        else:
            parts.append(GOAL_LETTERS[goal] + ("" if share == reach[goal] else "".join(sorted(share)).lower()))
    return "".join(parts)


def strategy_of_form(tree: GameTree, form: Form, plan_chances: Sequence[float] = (1.0, 0.0, 0.0)) -> FloatArray:
    """The strategies of both seats, float64 (num_nodes, 3). Where the form says nothing, they are `moves_elsewhere`.

    plan_chances: the probabilities of the plans A, B and C.
    """
    strategy = moves_elsewhere(tree).copy()
    chances = dict(zip(sorted(PLANS), plan_chances, strict=True))
    for (node, goal), answers in chain.from_iterable(choices.items() for choices in answer_table(form.table, tree)):
        parts = {
            child: float(share) if isinstance(share, Fraction) else sum(chances[plan] for plan in sorted(share))
            for child, share in answers.items()
        }
        total = sum(parts.values())
        if total == 0.0:  # plans that are never drawn give the first answer
            parts, total = {child: float(child == min(parts)) for child in parts}, 1.0
        children = tree.children(node)
        strategy[children.start : children.stop, goal] = 0.0
        for child, part in parts.items():
            strategy[child, goal] = part / total
    return strategy


@cache
def moves_elsewhere(tree: GameTree) -> FloatArray:
    """float64 (num_nodes, 3), read-only: 1 for the move with which the mover scores most often against random moves.

    The root's row is 1.
    """
    first, second = (_best_against_random(tree, seat) for seat in (0, 1))
    strategy = np.where(tree.mover[:, None] == 0, first, second)
    strategy[0] = 1.0
    return read_only(strategy)


def _best_against_random(tree: GameTree, seat: int) -> FloatArray:
    chance = np.zeros((tree.num_nodes, len(Goal)))
    for outcome, goals in tree.rules.of_round.goals_true.items():
        leaves = np.flatnonzero(tree.leaf_class == int(outcome))
        for goal in goals[seat]:
            chance[leaves, int(goal)] = 1.0
    best = np.zeros((tree.num_nodes, len(Goal)))
    for depth in range(len(tree.nodes_by_depth) - 2, -1, -1):
        nodes, below = tree.nodes_by_depth[depth], tree.nodes_by_depth[depth + 1]
        nodes = nodes[tree.owner[nodes] >= 0]
        blocks, counts = np.searchsorted(below, tree.first_child[nodes]), tree.num_children[nodes]
        if depth % 2 != seat:
            chance[nodes] = np.add.reduceat(chance[below], blocks) / counts[:, None]
            continue
        chance[nodes] = np.maximum.reduceat(chance[below], blocks)
        good = chance[below] >= np.repeat(chance[nodes], counts, axis=0) - 1e-12  # equal up to rounding
        lowest = np.minimum.reduceat(np.where(good, below[:, None], tree.num_nodes), blocks)
        best[lowest, np.arange(len(Goal))] = 1.0
    return best
