"""The checker's own trees of a round: the reduced one that strategies are stored on, and the one of all histories.

Standard library only, and nothing from the solver: what a certificate rests on is this file, checker_rules.py and
checker.py. Squares are 0 to 8 here, row by row; a board is two bit masks, as checker_rules.py has it.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from .checker_rules import FULL, Ending, Rules

SURE, NEVER = -1, -2
"""Moves that a bot makes for certain, or never, whatever its strategy says: once the outcome is settled."""
SQUARES = range(9)


class Block(NamedTuple):
    """A decision node: who moves (0 or 1), and the nodes that the moves lead to, start to stop - 1."""

    node: int
    start: int
    stop: int
    owner: int


class Tree(NamedTuple):
    """A public tree. Node 0 is the root; a node that is in no block is a leaf.

    blocks: parents before their descendants. outcome: by node, the ending of a leaf, -1 at a decision node. move: by
    node, what a bot makes of the move into it: the node of the strategy's tree whose probabilities it has, SURE or
    NEVER. square: by node, of the move into it, -1 at the root. alike: by seat and node, among how many histories a bot
    in that seat has spread its way to the node evenly; empty where it never spreads anything.
    """

    blocks: Sequence[Block]
    outcome: Sequence[int]
    move: Sequence[int]
    square: Sequence[int]
    rules: Rules = Rules()
    alike: Sequence[Sequence[int]] = ()

    @property
    def num_nodes(self) -> int:
        return len(self.outcome)


def _image(square: int, across: bool, down: bool, swap: bool) -> int:
    """Where a square goes when the board is turned over across, down, and along its diagonal."""
    row, column = divmod(square, 3)
    row, column = 2 - row if down else row, 2 - column if across else column
    return 3 * column + row if swap else 3 * row + column


SYMMETRIES = tuple(tuple(_image(square, *turns) for square in SQUARES) for turns in product((False, True), repeat=3))
"""All eight: square s goes to symmetry[s]. The first is the identity."""
_IMAGES = tuple(
    tuple(sum(1 << image[square] for square in SQUARES if marks >> square & 1) for marks in range(FULL + 1))
    for image in SYMMETRIES
)
_COMPOSED = tuple(
    tuple(SYMMETRIES.index(tuple(after[before[square]] for square in SQUARES)) for after in SYMMETRIES)
    for before in SYMMETRIES
)
"""_COMPOSED[s][t]: the symmetry that does s first, then t."""


@cache
def _canonical(first: int, second: int) -> tuple[int, int]:
    """The same for all eight images of a board, and for no other."""
    return min((image[first], image[second]) for image in _IMAGES)


def _after(first: int, second: int, square: int) -> tuple[int, int]:
    mark = 1 << square
    return (first | mark, second) if first.bit_count() == second.bit_count() else (first, second | mark)


def _free(first: int, second: int) -> list[int]:
    return [square for square in SQUARES if not (first | second) >> square & 1]


@cache
def _forced(ending: Ending, first: int, second: int) -> int | None:
    """The ending of every continuation; None when there is more than one."""
    outcome = ending(first, second)
    if outcome is None:
        outcomes = {_forced(ending, *_after(first, second, square)) for square in _free(first, second)}
        outcome = outcomes.pop() if len(outcomes) == 1 else None
    return outcome


@cache
def _kept_moves(first: int, second: int) -> tuple[int, ...]:
    """Of the moves that lead to boards that are images of each other only the lowest."""
    kept: dict[tuple[int, int], int] = {}
    for square in _free(first, second):
        kept.setdefault(_canonical(*_after(first, second, square)), square)
    return tuple(kept.values())


@cache
def reduced_tree(rules: Rules) -> Tree:
    """The tree that strategies are stored on, its nodes in the order of the stored arrays."""
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
    """SHA-256 (hexadecimal) of the rules and of every array that defines the tree, as the files name it."""
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
    """The nodes of the unreduced tree: all histories, the empty one included."""
    return _num_histories(rules.ending, 0, 0)


@cache
def _num_histories(ending: Ending, first: int, second: int) -> int:
    over = ending(first, second) is not None
    following = (_after(first, second, square) for square in ([] if over else _free(first, second)))
    return 1 + sum(_num_histories(ending, *board) for board in following)


@cache
def unreduced_tree(rules: Rules) -> Tree:
    """All histories, each to where the real round ends, with the outcome of the real board.

    A history is followed on the reduced tree, of whose board the real one is an image: a move that was merged into
    another one turns the image from then on. A bot draws a move of the reduced tree, and then any of the squares that
    are that move here, each with the same probability. Once the reduced tree has reached a leaf it marks the lowest
    free square.
    """
    return _unreduced_tree(rules.ending)._replace(rules=rules)


@cache
def _unreduced_tree(ending: Ending) -> Tree:
    reduced = _reduced_tree(ending)
    children = {block.node: range(block.start, block.stop) for block in reduced.blocks}
    known: dict[tuple[int, int], tuple[int, int, int, int]] = {}
    blocks, outcomes, moves, squares, alike = [], [-1], [SURE], [-1], ([1], [1])
    # Node, real board, the node of the reduced tree and its board, the symmetry from the real board to that one.
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
                moves.append(SURE if square == free[0] else NEVER)
            outcomes.append(-1)
            squares.append(square)
        twins = Counter(moves[start:]) if place in children else {}
        alike[owner].extend(alike[owner][node] * twins.get(move, 1) for move in moves[start:])
        alike[1 - owner].extend([alike[1 - owner][node]] * len(free))
    return Tree(blocks, outcomes, moves, squares, alike=alike)


def _child_and_turn(reduced: Tree, children: range, first: int, second: int, square: int) -> tuple[int, int, int, int]:
    """What a move on a reduced board became: the child, the first symmetry that leads to its board, and that board.

    Another symmetry that leads to it would do: it differs by one that the child's board does not change, and squares
    that such a symmetry exchanges are one move of the reduced tree.
    """
    after_first, after_second = _after(first, second, square)
    boards = {_after(first, second, reduced.square[child]): child for child in children}
    for turn, image in enumerate(_IMAGES):
        turned = image[after_first], image[after_second]
        if turned in boards:
            return boards[turned], turn, *turned
    raise AssertionError("a move that was merged into none")
