"""The files of the published Rust program: finding and reading them.

A file subgame_A_B/strategy_N.bincode, optionally gzipped, holds the strategy after N iterations. Little-endian, no
padding: u64 count, then `count` information sets in any order. Each has u64 node, u32 goal of the mover (0 win, 1 lose,
2 tie), u64 length, and `length` float64 probabilities, one per child. Nodes are numbered in preorder: depth-first,
children in square order, leaves included. Entries of leaves have no probabilities and may be left out.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import FloatArray
from ..algorithms.strategy import strategy_problem
from ..errors import FormatError, Remedy
from ..games.goals import goal_name
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from .atomic_files import read_bytes
from .directory_layout import PUBLISHED_NAME, is_subgame, parse_subgame_name

_HEADER = struct.Struct("<QIQ")


def find_published(directory: Path, winning_score: int) -> dict[Score, tuple[int, Path]]:
    """The last strategy of every subgame below `directory`: by score, its iteration and its path.

    Ignores symbolic links and files of other names. Raises FormatError for a score that does not exist in a match to
    `winning_score`, and for two files of the same iteration.
    """
    result: dict[Score, tuple[int, Path]] = {}
    for subgame in filter(is_subgame, sorted(directory.iterdir())):
        found: dict[int, Path] = {}
        for path in sorted(subgame.iterdir()):
            match = PUBLISHED_NAME.fullmatch(path.name)
            if match is None or path.is_symlink() or not path.is_file():
                continue
            iteration = int(match[1])
            if iteration in found:
                raise FormatError(path, f"the same iteration as {found[iteration].name}; remove one of them")
            found[iteration] = path
        score = parse_subgame_name(subgame.name)
        if found and score is not None:
            if max(score) >= winning_score:
                raise FormatError(subgame, f"{score} is no score of a match to {winning_score}", Remedy.WINNING_SCORE)
            result[score] = max(found.items())
    return result


def read_published(path: Path, tree: GameTree) -> FloatArray:
    """The strategy in a file of the published program: float64 (num_nodes, 3), indexed by the nodes of `tree`.

    Raises FormatError, naming the byte and the information set, for anything but a whole strategy on that tree.
    """
    data = read_bytes(path, inflate=path.name.endswith(".gz"))
    offsets = _offsets(path, data, tree)
    parents = tree.parent[1:]
    rank = np.arange(1, tree.num_nodes) - tree.first_child[parents]  # a node's place among its siblings, from 0
    positions = offsets[parents] + 8 * rank[:, None]  # (num_nodes - 1, 3): byte offsets of probabilities
    result = np.ones((tree.num_nodes, 3))
    result[1:] = np.frombuffer(data, np.uint8)[positions[:, :, None] + np.arange(8)].view("<f8")[:, :, 0]
    bad = strategy_problem(tree, result)
    if bad is not None:
        place, count = _place(tree, bad.node, bad.type), tree.num_children[bad.node]
        raise FormatError(path, f"at byte {offsets[bad.node, bad.type]}, {count} probabilities of {place}: {bad.what}")
    return result


@lru_cache(maxsize=1)
def preorder(tree: GameTree) -> tuple[int, ...]:
    """The nodes of `tree`, leaves too, in the order of a depth-first walk. Cached, as many files have the same tree."""
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(tree.children(node)))
    return tuple(order)


def _offsets(path: Path, data: bytes, tree: GameTree) -> NDArray[np.int64]:
    """int64 (num_nodes, 3): the byte at which an information set's probabilities begin; -1 for leaves left out.

    The memory used depends on the size of the file and of the tree, never on numbers in the file.
    """
    size, unpack, start, num_sets = len(data), _HEADER.unpack_from, 8, int.from_bytes(data[:8], "little")
    if size < start:
        raise FormatError(path, f"at byte {size}: the file ends within the number of information sets")
    if num_sets > 3 * tree.num_nodes:
        what = f"claims {num_sets} information sets; the tree has {3 * tree.num_nodes}, leaves included"
        raise FormatError(path, f"at byte 0: {what}")
    num_children, node_of = tree.num_children.tolist(), preorder(tree)
    offsets = [-1] * (3 * tree.num_nodes)
    for index in range(num_sets):
        end = start + _HEADER.size
        if end > size:
            raise FormatError(path, f"at byte {start}: the file ends within information set {index + 1} of {num_sets}")
        number, goal, length = unpack(data, start)
        if number >= tree.num_nodes:
            raise FormatError(path, f"at byte {start}: node {number} is not in 0 to {tree.num_nodes - 1}")
        if goal > 2:
            raise FormatError(path, f"at byte {start + 8}: node {number}: goal {goal} is not in 0 to 2")
        node = node_of[number]
        if length != num_children[node]:
            what = f"{_place(tree, node, goal)}: number of moves {length}, in our tree {num_children[node]}"
            raise FormatError(path, f"at byte {start + 12}: {what}")
        if offsets[3 * node + goal] >= 0:
            raise FormatError(path, f"at byte {start}: {_place(tree, node, goal)} stands twice")
        offsets[3 * node + goal], start = end, end + 8 * length
        if start > size:
            raise FormatError(path, f"at byte {end}: the file ends within {_place(tree, node, goal)}")
    if start < size:
        raise FormatError(path, f"at byte {start}: the file goes on after the last of {num_sets} information sets")
    result = np.array(offsets, np.int64).reshape(-1, 3)
    missing = np.argwhere(result[tree.decision_nodes] < 0)
    if len(missing):
        place = _place(tree, int(tree.decision_nodes[missing[0, 0]]), int(missing[0, 1]))
        more = f", and {len(missing) - 1} more information sets" if len(missing) > 1 else ""
        raise FormatError(path, f"{place} is missing{more}")
    return result


def _place(tree: GameTree, node: int, goal: int) -> str:
    kind = "leaf" if tree.leaf_class[node] >= 0 else "node"
    return f"{kind} {preorder(tree).index(node)} ({tree.history_name(node)}), goal {goal_name(goal)}"
