"""Strategies as tables of text: a seat's answers to every move that the other seat can make.

A line stands for a position after a move of the seat. It has the squares played, the goals with which the seat gets
there, and the answers to every move of the adversary after which the round goes on. Goals follow an answer if not all
of the line's goals give it:

    51936    WLT   4-8o; 7-8o; 8-4x W, 7 LT

`x`, `o`, `xo` and `=` only say how a round ends with an answer. Small letters behind a goal are plans, if the goal
gives the answer in some of its plans alone; a fraction is a probability, 1/2 for a coin. Of moves to boards that are
images of each other a table has only the lowest square, as the tree does. The first mover's lines begin with its
opening.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import NamedTuple

from ..games.rules import Goal, Outcome, Seat
from ..games.tic_tac_toe_tree import GameTree

GOAL_LETTERS = "WLT"  # win, lose, tie
PLANS = frozenset("ABC")
Share = frozenset[str] | Fraction
"""How a goal makes a move: in which plans, or with which probability."""

Choices = dict[tuple[int, int], dict[int, Share]]
"""By decision node and goal of the mover: the nodes that the moves lead to, each with its share."""

ENDING_MARKS = {Outcome.WIN: "x", Outcome.LOSE: "o", Outcome.TIE: "=", Outcome.BOTH_LINES: "xo"}
"""Who has three in a row at the end of a round."""

_WHO = re.compile(r"([WLT])(\d+/\d+|[abc]*)")
_ANSWER = re.compile(r"(\d)(?:xo|[xo=])?(?: (\S+))?")


class AnswerTable(NamedTuple):
    """Each seat's choices at all nodes that its own moves lead to."""

    first: Choices
    second: Choices


@cache
def answer_table(name: str, tree: GameTree) -> AnswerTable:
    """The shipped table of a closed form. Raises ValueError if it does not fit the tree."""
    lines = resources.files(__package__).joinpath("tables", f"{name}.txt").read_text("ascii").splitlines()
    second = lines.index("second mover")
    return AnswerTable(
        read_choices(tree, Seat.FIRST, lines[lines.index("first mover") + 1 : second]),
        read_choices(tree, Seat.SECOND, lines[second + 1 :]),
    )


def read_choices(tree: GameTree, seat: Seat, lines: Iterable[str]) -> Choices:
    """The choices of a seat from the lines of its table.

    Raises ValueError for a line that cannot be read, or that says something impossible.
    """
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
    """Whether fractions sum to 1, and every plan occurs at most once. Plans that never get there do not occur."""
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
                raise ValueError(f"{answer!r} is no answer")
            square, who = found.groups()
            shares: Mapping[int, Share] = among if who is None else _who(who, among)
            for goal, share in shares.items():
                choices.setdefault((node, goal), {})[tree.find([*moves, int(reply), int(square)])] = share


def _who(text: str, among: Mapping[int, frozenset[str]]) -> dict[int, Share]:
    """Read goals with their shares. A goal without a share has all its plans of `among`, or all plans in a label.

    among: by goal, the plans that get there; empty for a label.
    """
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
    """The lines that `read_choices` reads, for every position that the seat's own moves lead to."""
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
        shown = ", ".join(f"{tree.move(child)}{_ending(tree, child)}{_shown(who, reach)}" for child, who in found)
        cells.append(f"{tree.move(reply)}-{shown}")
        below += [(child, _plans(who)) for child, who in found if tree.leaf_class[child] < 0]
    if cells:
        name = "".join(map(str, tree.history(node))) or "start"
        yield f"{name:8} {_named(reach, dict.fromkeys(Goal, PLANS)):5} {'; '.join(cells)}"
    for child, who in below:
        yield from _lines(tree, child, who, choices)


def _answers(node: int, reach: Reach, choices: Choices) -> list[tuple[int, dict[Goal, Share]]]:
    """The nodes that the answers lead to, in order, each with the goals that give the answer, and their shares."""
    by_child: dict[int, dict[Goal, Share]] = {}
    for goal, plans in reach.items():
        for child, share in choices[node, goal].items():
            part = share & plans if isinstance(share, frozenset) and isinstance(plans, frozenset) else share
            if part:
                by_child.setdefault(child, {})[goal] = part
    return sorted(by_child.items())


def _plans(who: Reach) -> dict[Goal, Share]:
    """The goals that get to a position, with their plans; a goal with a probability gets there in all plans."""
    return {goal: PLANS if isinstance(share, Fraction) else share for goal, share in who.items()}


def _ending(tree: GameTree, node: int) -> str:
    outcome = tree.outcome(node)
    return "" if outcome is None else ENDING_MARKS[outcome]


def _shown(who: Reach, reach: Reach) -> str:
    return "" if who == reach else f" {_named(who, reach)}"


def _named(who: Reach, reach: Reach) -> str:
    """The goals, each with its plans, unless all that get there make the move, or with its probability."""
    parts = []
    for goal, share in sorted(who.items()):
        if isinstance(share, Fraction):
            parts.append(GOAL_LETTERS[goal] + ("" if share == 1 else str(share)))
        else:
            parts.append(GOAL_LETTERS[goal] + ("" if share == reach[goal] else "".join(sorted(share)).lower()))
    return "".join(parts)
