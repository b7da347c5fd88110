"""Write `tictactoe/browser/riddles.json`: the positions of the daily riddle, and those to practise by theme.

python benchmarks/riddles.py [OTHER_SOLUTION ...]

A position is a riddle (`riddle_at`) if one or two squares cost nothing and the natural ones cost much. Natural is the
square by which the mover's goal would come true most often if both players marked squares at random from then on: it
looks at nobody's points, and hides nothing.

Left out is what rests on the equilibrium that ships: positions with another answer if one believed after mistakes that
all goals are as likely as drawn, or by an OTHER_SOLUTION, which must be refined.

What the file holds stays where it is, as the number of a day is a place in the list: new positions are appended. To
begin anew, as long as nobody has seen the list or with a new VERSION, delete the file.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tictactoe import Board, Cursor, GameTree, Goal, MatchBot, RoundBot, Seat, load_solution
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.browser.page_data import RIDDLES_FILE
from tictactoe.games.board import SYMMETRIES
from tictactoe.games.tic_tac_toe_tree import uniform_over_squares
from tictactoe.match.scores import all_scores
from tictactoe.play.move_costs import Advice, advise
from tictactoe.play.notation import Position
from tictactoe.storage.texts import json_text

VERSION = 1
"""Of the list, which shared texts name: another one where the same number means another riddle."""
DAYS = 400
PRACTICE = 20
"""Positions by theme."""
THEMES = ("decline", "lose", "hide", "punish")
"""Decline a win, lose on purpose, hide your goal, punish a mistake."""

_POINT = 0.02  # of winning chance, in match value
NATURAL_COST = 3 * _POINT
"""The natural squares cost at least so much."""
LEAST_COST = 0.5 * _POINT
"""Whatever costs something costs at least so much."""
_MISTAKE = 1.5 * _POINT  # what the opponent has given away, at least, whatever its goal
_PLAUSIBLE = 0.15  # how likely the mover's goal is, to judge by its moves
_HIDDEN = 0.6  # at most, after the squares that cost nothing
_MOST_MOVES = 5


class Riddle(NamedTuple):
    """What there is to know of a riddle."""

    good: tuple[int, ...]
    """The squares that cost nothing."""
    natural: tuple[int, ...]
    cost: float
    """Of the natural square that costs least, in match value."""
    theme: str
    """One of THEMES; empty if no theme fits."""


def riddle_at(bot: RoundBot, moves: tuple[int, ...], goal: Goal) -> Riddle | None:
    """The position as a riddle for the player whose turn it is, who has this goal; None if it makes no riddle."""
    cursor = Cursor(bot.tree, moves)
    node, seat = cursor.node, cursor.mover
    if seat is None or cursor.forced_outcome is not None or len(moves) > _MOST_MOVES:
        return None
    costs = bot.costs(node, goal)
    chances = _chances(bot.tree)[list(bot.tree.children(node)), seat, goal]
    natural = chances > chances.max() - 1e-9
    if costs[natural].min() < NATURAL_COST or costs[costs > 0].min() < LEAST_COST:
        return None
    if bot.belief(node, seat)[goal] < _PLAUSIBLE:
        return None
    advice = advise(bot, cursor, goal)
    best = [move for move in advice if not move.cost]
    good = tuple(sorted(square for move in best for square in move.squares))
    if len(good) > 2 or not all(move.possible for move in best):
        return None
    squares = cursor.squares_by_child().values()
    looks_good = {square for group, is_one in zip(squares, natural, strict=True) if is_one for square in group}
    tempting = [move for move in advice if looks_good & {*move.squares}]
    theme = _theme(bot, cursor, seat, goal, best, tempting)
    return Riddle(good, tuple(sorted(looks_good)), float(costs[natural].min()), theme)


def _theme(bot: RoundBot, cursor: Cursor, seat: Seat, goal: Goal, best: list[Advice], tempting: list[Advice]) -> str:
    node, parent = cursor.node, int(bot.tree.parent[cursor.node])
    place = node - bot.tree.first_child[parent]
    if min(bot.costs(parent, theirs)[place] for theirs in Goal) >= _MISTAKE:
        return "punish"
    if goal is Goal.LOSE:
        return "lose"
    if goal is Goal.WIN and all(move.completes_row for move in tempting):
        return "decline"
    story = any(move.outcome is not None or move.forfeits or move.avoidable for move in tempting)
    children = {squares: child for child, squares in cursor.squares_by_child().items()}
    told = max(bot.belief(children[move.squares], seat)[goal] for move in best)
    return "" if story or told > _HIDDEN else "hide"


@cache
def _chances(tree: GameTree) -> FloatArray:
    """float64 (num_nodes, 2, 3): how often each goal of each seat comes true if both mark squares at random."""
    uniform = uniform_over_squares(tree)[:, :1]
    ends = np.zeros((tree.num_nodes, len(Goal)))
    leaves = np.flatnonzero(tree.leaf_class >= 0)
    ends[leaves, tree.leaf_class[leaves]] = 1.0
    first = tree.from_leaves(ends, lambda level, below: level.sums(uniform[level.nodes] * below))
    return np.stack([first, first[:, [Goal.LOSE, Goal.WIN, Goal.TIE]]], axis=1)


def candidates(others: Iterable[str]) -> list[tuple[Position, Riddle]]:
    """All riddles of a match to 5 whose answers do not rest on the equilibrium, their squares as in the tree.

    others: the OTHER_SOLUTIONs.
    """
    shipped, further = MatchBot(load_solution("shipped")), [MatchBot(load_solution(name)) for name in others]
    result = []
    for score in all_scores(5):
        bot = shipped.round_bot(score)
        bots = [RoundBot(bot.tree, bot.strategy, bot.values), *(other.round_bot(score) for other in further)]
        for node in map(int, bot.tree.decision_nodes):
            moves, seat = bot.tree.history(node), bot.tree.owner[node]
            for goal in Goal if 0 < len(moves) <= _MOST_MOVES else ():
                if bot.costs(node, goal).max() < NATURAL_COST or (found := riddle_at(bot, moves, goal)) is None:
                    continue
                answers = [other.costs(node, goal) for other in bots]
                good = bot.costs(node, goal) == 0
                if all(np.array_equal(one == 0, good) and one[~good].min() >= LEAST_COST for one in answers):
                    goals = (goal, None) if seat == Seat.FIRST else (None, goal)
                    result.append((Position(score, goals, moves), found))
    return result


def in_order(found: list[tuple[Position, Riddle]]) -> list[tuple[Position, Riddle]]:
    """By chance, turned by chance, and so that the same board comes again as late as it can be."""
    draw, seen = random.Random("riddles"), Counter[Any]()
    placed = []
    for position, riddle in draw.sample(found, len(found)):
        board = Board()
        for move in position.moves:
            board = board.play(move)
        seen[key] = seen[key := (board.canonical(), position.goals)] + 1
        turn = draw.choice(SYMMETRIES)
        turned = Position(position.score, position.goals, tuple(turn[move - 1] for move in position.moves))
        placed.append((seen[key], draw.random(), turned, riddle))
    return [(position, riddle) for _, _, position, riddle in sorted(placed, key=lambda one: one[:2])]


def extended(kept: dict[str, Any], found: list[tuple[Position, Riddle]]) -> dict[str, Any]:
    """The content of the file with new positions behind those that it holds."""
    lists = [kept["days"], *(kept["practice"][theme] for theme in THEMES)]
    used = {text for one in lists for text in one}
    left = [(str(position), riddle.theme) for position, riddle in found if str(position) not in used]
    for theme in THEMES:
        behind = [text for text, its in reversed(left) if its == theme]  # the days have what is rare first
        kept["practice"][theme] += behind[: PRACTICE - len(kept["practice"][theme])]
    taken = {text for theme in THEMES for text in kept["practice"][theme]}
    days = [text for text, _ in left if text not in taken]
    kept["days"] += days[: max(0, DAYS - len(kept["days"]))]
    return kept


if __name__ == "__main__":
    empty = {"version": VERSION, "days": [], "practice": {theme: [] for theme in THEMES}}
    kept = json.loads(RIDDLES_FILE.read_text()) if RIDDLES_FILE.exists() else empty
    written = extended(kept, in_order(candidates(sys.argv[1:])))
    RIDDLES_FILE.write_text(json_text(written, compact=True) + "\n")
    print(len(written["days"]), {theme: len(written["practice"][theme]) for theme in THEMES})
