"""The checker's own rules and trees of a round. Uses only the standard library and nothing from the solver.

A board is two bit masks, the marks of the first and of the second mover; bit s is square s, 0 to 8, row by row.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import product
from math import gcd
from typing import NamedTuple

WIN, LOSE, TIE, BOTH = range(4)
"""Endings as the first mover sees them. BOTH: both players have three in a row. The first three are also goals, as
their players see them."""
GOALS = (WIN, LOSE, TIE)
MOST_ODDS = 1_000_000
"""The largest of the three numbers in the odds of goals."""
FULL_BOARD = 0b111111111
_LINES = (0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100, 0b100010001, 0b1010100)

Ending = Callable[[int, int], int | None]
"""A function from the marks of the first and of the second mover to the ending; None while the round continues. It does
not change when the board is turned or mirrored."""
Goals = tuple[Collection[int], Collection[int]]
"""The goals with which the first mover scores, and the goals with which the second does."""


@cache
def _line(marks: int) -> bool:
    return any(marks & line == line for line in _LINES)


def first_line(first: int, second: int) -> int | None:
    """The ending of a round that ends with the first three in a row or with a full board."""
    if _line(first):
        return WIN
    if _line(second):
        return LOSE
    return TIE if first | second == FULL_BOARD else None


def full_board(first: int, second: int) -> int | None:
    """The ending of a round that ends with a full board, whose lines decide."""
    if first | second != FULL_BOARD:
        return None
    return {(True, False): WIN, (False, True): LOSE, (False, False): TIE, (True, True): BOTH}[
        _line(first), _line(second)
    ]


def full_board_both_as_none(first: int, second: int) -> int | None:
    """The ending of a round that ends with a full board and is a tie if both players have three in a row."""
    ending = full_board(first, second)
    return TIE if ending == BOTH else ending


_ONE_WINS: tuple[Goals, ...] = (((WIN,), (LOSE,)), ((LOSE,), (WIN,)), ((TIE,), (TIE,)))
_STATEMENTS: dict[str, tuple[Ending, tuple[Goals, ...]]] = {
    "three-in-a-row": (first_line, _ONE_WINS),
    "filled": (full_board, (*_ONE_WINS, ((WIN,), (WIN,)))),
    "filled-none": (full_board, (*_ONE_WINS, ((), ()))),
    "filled-tie": (full_board_both_as_none, _ONE_WINS),
}
"""The function of the ending, and the goals that score with each ending, by the name of the rules."""


class Rules(NamedTuple):
    """The rules of a round and the odds of the goals."""

    name: str = "three-in-a-row"
    odds: tuple[int, int, int] = (1, 1, 1)
    """The odds of win, lose and tie, in lowest terms and the same for both players."""

    def __str__(self) -> str:
        """The text in files, such as filled or filled 2:1:1."""
        return self.name if self.odds == (1, 1, 1) else f"{self.name} {':'.join(map(str, self.odds))}"

    @property
    def ending(self) -> Ending:
        """The function that says when and how a round has ended."""
        return _STATEMENTS[self.name][0]

    @property
    def goals_true(self) -> tuple[Goals, ...]:
        """The goals with which the first and the second mover score, by ending."""
        return _STATEMENTS[self.name][1]


def read_rules(text: str) -> Rules:
    """The rules that a file names. Raises ValueError unless the text is str() of known rules."""
    name, _, odds_text = text.partition(" ")
    odds = re.fullmatch("([0-9]{1,7}):([0-9]{1,7}):([0-9]{1,7})", odds_text or "1:1:1", re.ASCII)
    if name in _STATEMENTS and odds:
        win, lose, tie = map(int, odds.groups())
        rules = Rules(name, (win, lose, tie))
        if gcd(*rules.odds) == 1 and max(rules.odds) <= MOST_ODDS and str(rules) == text:  # gcd(0, 0, 0) is 0
            return rules
    raise ValueError(f"unknown rules: {text}")


SURE_MOVE, NEVER_MOVE = -1, -2
"""Marks of moves that a bot makes with probability 1 or 0, without its strategy, after the outcome is settled."""
SQUARES = range(9)


class Block(NamedTuple):
    """A decision node and its children, the nodes from start to stop - 1."""

    node: int
    start: int
    stop: int
    owner: int
    """The seat that moves, 0 or 1."""


class Tree(NamedTuple):
    """A public tree with N nodes. Node 0 is the root. A node without a block is a leaf."""

    blocks: Sequence[Block]
    """The decision nodes, each before its descendants."""
    outcome: Sequence[int]
    """(N,): the ending of a leaf; -1 at a decision node."""
    move: Sequence[int]
    """(N,): the source of the probability with which a bot makes the move into the node. A number >= 0 is the node of
    the reduced tree at which the bot's strategy has it; the others are SURE_MOVE and NEVER_MOVE."""
    square: Sequence[int]
    """(N,): the square of the move into the node, 0 to 8; -1 at the root."""
    rules: Rules = Rules()
    alike: Sequence[Sequence[int]] = ()
    """(2, N), by the bot's seat: the number of histories among which a bot spreads its reach of the node evenly,
    because their moves are one move of the reduced tree. An empty sequence means 1 everywhere."""

    @property
    def num_nodes(self) -> int:
        return len(self.outcome)


def _image(square: int, across: bool, down: bool, swap: bool) -> int:
    row, column = divmod(square, 3)
    row, column = 2 - row if down else row, 2 - column if across else column
    return 3 * column + row if swap else 3 * row + column


SYMMETRIES = tuple(tuple(_image(square, *turns) for square in SQUARES) for turns in product((False, True), repeat=3))
"""The eight symmetries of the board. symmetry[s] is the image of square s. The first is the identity."""
_IMAGES = tuple(
    tuple(sum(1 << image[square] for square in SQUARES if marks >> square & 1) for marks in range(FULL_BOARD + 1))
    for image in SYMMETRIES
)
"""_IMAGES[s][marks]: the bit mask `marks` after symmetry s."""
_COMPOSED = tuple(
    tuple(SYMMETRIES.index(tuple(after[before[square]] for square in SQUARES)) for after in SYMMETRIES)
    for before in SYMMETRIES
)
"""_COMPOSED[s][t]: the number of the symmetry that applies s first, then t."""


@cache
def _canonical(first: int, second: int) -> tuple[int, int]:
    return min((image[first], image[second]) for image in _IMAGES)


def _after(first: int, second: int, square: int) -> tuple[int, int]:
    mark = 1 << square
    return (first | mark, second) if first.bit_count() == second.bit_count() else (first, second | mark)


def _free(first: int, second: int) -> list[int]:
    return [square for square in SQUARES if not (first | second) >> square & 1]


@cache
def _forced(ending: Ending, first: int, second: int) -> int | None:
    outcome = ending(first, second)
    if outcome is None:
        outcomes = {_forced(ending, *_after(first, second, square)) for square in _free(first, second)}
        outcome = outcomes.pop() if len(outcomes) == 1 else None
    return outcome


@cache
def _kept_moves(first: int, second: int) -> tuple[int, ...]:
    """The lowest square of each class of symmetric moves."""
    kept: dict[tuple[int, int], int] = {}
    for square in _free(first, second):
        kept.setdefault(_canonical(*_after(first, second, square)), square)
    return tuple(kept.values())


@cache
def reduced_tree(rules: Rules) -> Tree:
    """The tree for which strategies are stored, in the order of the stored arrays.

    Symmetric moves are merged, and a node is a leaf as soon as its ending is certain.
    """
    return _reduced_tree(rules.ending)._replace(rules=rules)


@cache
def _reduced_tree(ending: Ending) -> Tree:
    blocks, outcomes, squares = [], [-1], [-1]
    waiting = [(0, 0, 0)]
    while waiting:
        node, first, second = waiting.pop()
        forced = _forced(ending, first, second)
        if forced is not None:
            outcomes[node] = forced
            continue
        moves, start = _kept_moves(first, second), len(outcomes)
        blocks.append(Block(node, start, start + len(moves), (first | second).bit_count() % 2))
        outcomes += [-1] * len(moves)
        squares += moves
        for offset in reversed(range(len(moves))):
            waiting.append((start + offset, *_after(first, second, moves[offset])))
    return Tree(blocks, outcomes, range(len(outcomes)), squares)


def fingerprint(tree: Tree) -> str:
    """The SHA-256 (hexadecimal) of the rules and of every array that defines the tree, as in files."""
    parents, owners = array("i", [-1] * tree.num_nodes), array("b", [-1] * tree.num_nodes)
    for block in tree.blocks:
        owners[block.node] = block.owner
        for child in range(block.start, block.stop):
            parents[child] = block.node
    digest = hashlib.sha256(f"tic-tac-toe tree, {tree.rules}\n".encode())
    digest.update(b"".join(parent.to_bytes(4, "little", signed=True) for parent in parents))
    for numbers in (owners, array("b", tree.outcome), array("b", (square + 1 for square in tree.square))):
        digest.update(numbers.tobytes())
    return digest.hexdigest()


@cache
def num_histories(rules: Rules) -> int:
    """The number of nodes of the unreduced tree."""
    return _num_histories(rules.ending, 0, 0)


@cache
def _num_histories(ending: Ending, first: int, second: int) -> int:
    over = ending(first, second) is not None
    following = (_after(first, second, square) for square in ([] if over else _free(first, second)))
    return 1 + sum(_num_histories(ending, *board) for board in following)


@cache
def unreduced_tree(rules: Rules) -> Tree:
    """The tree of all histories, which end with the real round.

    A bot draws a move of the reduced tree, then one of its symmetric squares evenly. After the ending is certain, it
    marks the lowest free square.
    """
    return _unreduced_tree(rules.ending)._replace(rules=rules)


@cache
def _unreduced_tree(ending: Ending) -> Tree:
    reduced = _reduced_tree(ending)
    children = {block.node: range(block.start, block.stop) for block in reduced.blocks}
    known: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    blocks, outcomes, moves, squares, alike = [], [-1], [SURE_MOVE], [-1], ([1], [1])
    # Node, real board (2 masks), node of the reduced tree, its board (2 masks), symmetry from the real board to it.
    waiting = [(0, 0, 0, 0, 0, 0, 0)]
    while waiting:
        node, first, second, place, image_first, image_second, turned = waiting.pop()
        outcome = ending(first, second)
        if outcome is not None:
            outcomes[node] = outcome
            continue
        free, start, owner = _free(first, second), len(outcomes), (first | second).bit_count() % 2
        blocks.append(Block(node, start, start + len(free), owner))
        for square in free:
            board = _after(first, second, square)
            if place in children:
                move = place, SYMMETRIES[turned][square]
                if move not in known:
                    known[move] = _child_and_turn(reduced, children[place], image_first, image_second, move[1])
                child, turn, next_first, next_second = known[move]
                waiting.append((len(outcomes), *board, child, next_first, next_second, _COMPOSED[turned][turn]))
                moves.append(child)
            else:
                waiting.append((len(outcomes), *board, place, 0, 0, 0))
                moves.append(SURE_MOVE if square == free[0] else NEVER_MOVE)
            outcomes.append(-1)
            squares.append(square)
        twins = Counter(moves[start:]) if place in children else {}
        alike[owner].extend(alike[owner][node] * twins.get(move, 1) for move in moves[start:])
        alike[1 - owner].extend([alike[1 - owner][node]] * len(free))
    return Tree(blocks, outcomes, moves, squares, alike=alike)


def _child_and_turn(reduced: Tree, children: range, first: int, second: int, square: int) -> tuple[int, int, int, int]:
    """The target of a move on a board of the reduced tree: child, symmetry to the child's board, that board (2
    masks)."""
    after_first, after_second = _after(first, second, square)
    boards = {_after(first, second, reduced.square[child]): child for child in children}
    # Any such symmetry would do, because two differ by a symmetry of the child's board, whose images are one move.
    for turn, image in enumerate(_IMAGES):
        turned = image[after_first], image[after_second]
        if turned in boards:
            return boards[turned], turn, *turned
    raise AssertionError("a move that was merged into none")
