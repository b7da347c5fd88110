"""Strategies that another program computed: reading the published Rust program's files, and a solution made of them.

A file subgame_A_B/strategy_N.bincode, optionally gzipped, holds the strategy after N iterations. Little-endian, no
padding: u64 count; then so many information sets in any order, each u64 node, u32 goal (0 win, 1 lose, 2 tie of the
mover), u64 length, and so many float64 probabilities, one per child. Nodes are numbered in preorder: depth-first,
children in square order, leaves included. Entries of leaves have no probabilities and may be left out.

A solution made of strategies holds one snapshot per score and the values of playing the strategies for ever in both
seats, for every score from which no missing score can be reached. A snapshot's current strategy is the strategy as it
was read, to the last bit; so are its sums, and the average is the sums divided by their totals: equal up to rounding.
"""

from __future__ import annotations

import contextlib
import gzip
import math
import re
import stat
import struct
import threading
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from . import chain
from .directory import (
    DirectoryLock,
    Interrupted,
    StoreError,
    check_no_leftovers,
    is_solution_part,
    is_subgame,
    remove_solution,
)
from .files import FormatError, write_file
from .game import FloatArray, result_probabilities, tic_tac_toe_round
from .match import (
    RESULTS,
    Goal,
    OutcomeValues,
    Score,
    continuation,
    following_scores,
    outcome_values,
    pair_of,
    pairs_in_solve_order,
)
from .response import exploitability, leaf_distribution
from .snapshot import Snapshot, parse_subgame_name, snapshot_name, subgame_name
from .solution import SOLUTION_FILE, SOLUTION_KIND, Solution, SubgameResult
from .tree import GameTree

MAXIMUM_BYTES = 256 * 2**20
"""Of one published file, after inflating. A real one has 3.2 million bytes."""

SUM_TOLERANCE = 1e-9
"""How far the probabilities of an information set may be from summing to 1."""

CONVERGED_EXPLOITABILITY = 1e-6
"""An imported score counts as converged up to this NashConv in its round, in match value."""

ENDLESS = 1e-12
"""A pair of scores that is left with at most this probability is taken to be played for ever: it has no value."""

_PUBLISHED_NAME = re.compile(r"strategy_([0-9]{1,12})\.bincode(\.gz)?")
_HEADER = struct.Struct("<QIQ")
_COUNT = struct.Struct("<Q")
_CHUNK = 2**20


class ImportedStrategy(NamedTuple):
    """A strategy that came from elsewhere. iteration: as its file name says, 0 when it says nothing.
    strategy: float64 (num_nodes, 3), the probability of the move into the node, by the mover's goal; 1 at the root."""

    iteration: int
    strategy: FloatArray


def goal_name(goal: int) -> str:
    """win, lose or tie."""
    return Goal(goal).name.lower()


def find_published(directory: Path, winning_score: int) -> dict[Score, tuple[int, Path]]:
    """The last strategy of every subgame below `directory`: by score, its iteration and its path.

    Symbolic links and files of other names are passed over. Raises FormatError for a score that does not exist in a
    match to `winning_score` and for two files of the same iteration.
    """
    result: dict[Score, tuple[int, Path]] = {}
    for subgame in sorted(directory.iterdir()):
        score = parse_subgame_name(subgame.name)
        if score is None or subgame.is_symlink() or not subgame.is_dir():
            continue
        found: dict[int, Path] = {}
        for path in sorted(subgame.iterdir()):
            match = _PUBLISHED_NAME.fullmatch(path.name)
            if match is None or path.is_symlink() or not path.is_file():
                continue
            iteration = int(match[1])
            if iteration in found:
                raise FormatError(path, f"the same iteration as {found[iteration].name}; remove one of them")
            found[iteration] = path
        if not found:
            continue
        if max(score) >= winning_score:
            raise FormatError(subgame, f"{score} is no score of a match to {winning_score}; see --winning-score")
        result[score] = max(found), found[max(found)]
    return result


def read_published(path: Path, tree: GameTree) -> FloatArray:
    """The strategy in a file of the published program: float64 (num_nodes, 3), indexed by the nodes of `tree`.

    Raises FormatError, naming the byte and the information set, for anything but a whole strategy on that tree.
    """
    return _PublishedReader(path, read_limited(path), tree).strategy()


def read_limited(path: Path) -> bytes:
    """The bytes of a regular file, inflated when its name ends in .gz: MAXIMUM_BYTES at most, else FormatError."""
    parts, size = [], 0
    for part in read_parts(path, inflate=path.name.endswith(".gz")):
        size += len(part)
        if size > MAXIMUM_BYTES:
            raise FormatError(path, f"larger than the limit of {MAXIMUM_BYTES // 2**20} MiB")
        parts.append(part)
    return b"".join(parts)


def read_parts(path: Path, *, inflate: bool) -> Iterator[bytes]:
    """The bytes of a regular file in parts of at most a MiB. Raises FormatError when it cannot be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise FormatError(path, "not a regular file")
        with gzip.open(path, "rb") if inflate else open(path, "rb") as file:
            while part := file.read(_CHUNK):
                yield part
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise FormatError(path, f"not a whole gzip file: {error}") from error
    except OSError as error:
        raise FormatError(path, f"cannot be read: {error.strerror or error}") from error


@lru_cache(maxsize=1)
def preorder(tree: GameTree) -> tuple[int, ...]:
    """The nodes of `tree`, leaves too, in the order of a depth-first walk. Many files are read with the same tree."""
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(tree.children(node)))
    return tuple(order)


class _PublishedReader:
    """Reads one file. Nothing is allocated by what the file claims: only by its size and that of the tree."""

    def __init__(self, path: Path, data: bytes, tree: GameTree) -> None:
        self._path = path
        self._data = data
        self._tree = tree

    def strategy(self) -> FloatArray:
        offsets = self._offsets()
        tree, count = self._tree, self._tree.num_children
        parents = tree.parent[1:]
        rank = np.arange(1, tree.num_nodes) - tree.first_child[parents]  # the how-manieth child, from 0
        positions = offsets[parents] + 8 * rank[:, None]  # (num_nodes - 1, 3): byte offsets of probabilities
        data = np.frombuffer(self._data, np.uint8)
        result = np.ones((tree.num_nodes, 3))
        result[1:] = data[positions[:, :, None] + np.arange(8)].view("<f8")[:, :, 0]
        bad = strategy_problem(tree, result)
        if bad is not None:
            offset = int(offsets[bad.node, bad.goal])
            what = f"at byte {offset}, {int(count[bad.node])} probabilities of"
            raise FormatError(self._path, f"{what} {self._place(bad.node, bad.goal)}: {bad.what}")
        return result

    def _offsets(self) -> NDArray[np.int64]:
        """(num_nodes, 3) int64: where the probabilities of each information set begin; -1 where there are none."""
        data, size, tree = self._data, len(self._data), self._tree
        if size < _COUNT.size:
            self._refuse(size, f"the file ends within the number of information sets ({size} bytes)")
        (num_sets,) = _COUNT.unpack_from(data)
        if num_sets > 3 * tree.num_nodes:
            self._refuse(0, f"claims {num_sets} information sets; the tree has {3 * tree.num_nodes}, leaves included")
        num_children, node_of = tree.num_children.tolist(), preorder(tree)
        offsets = [-1] * (3 * tree.num_nodes)
        unpack, start = _HEADER.unpack_from, _COUNT.size
        for index in range(num_sets):
            if start + _HEADER.size > size:
                self._refuse(start, f"the file ends within information set {index + 1} of {num_sets}")
            number, goal, length = unpack(data, start)
            if number >= tree.num_nodes:
                self._refuse(start, f"node {number} is not in 0 to {tree.num_nodes - 1}")
            if goal > 2:
                self._refuse(start + 8, f"node {number}: goal {goal} is not in 0 to 2")
            node = node_of[number]
            if length != num_children[node]:
                self._refuse(start + 12, f"{self._place(node, goal)}: {length} moves, {num_children[node]} in our tree")
            if offsets[3 * node + goal] >= 0:
                self._refuse(start, f"{self._place(node, goal)} stands twice")
            offsets[3 * node + goal] = start + _HEADER.size
            end = start + _HEADER.size + 8 * length
            if end > size:
                self._refuse(start + _HEADER.size, f"the file ends within {self._place(node, goal)}")
            start = end
        if start < size:
            self._refuse(start, f"{size - start} bytes after the last of {num_sets} information sets")
        result = np.array(offsets, np.int64).reshape(-1, 3)
        missing = np.argwhere(result[tree.decision_nodes] < 0)
        if len(missing):
            node, goal = tree.decision_nodes[missing[0, 0]], missing[0, 1]
            more = f", and {len(missing) - 1} more information sets" if len(missing) > 1 else ""
            raise FormatError(self._path, f"{self._place(int(node), int(goal))} is missing{more}")
        return result

    def _place(self, node: int, goal: int) -> str:
        number = preorder(self._tree).index(node)
        kind = "leaf" if self._tree.leaf_class[node] >= 0 else "node"
        return f"{kind} {number} ({history_name(self._tree, node)}), goal {goal_name(goal)}"

    def _refuse(self, offset: int, what: str) -> NoReturn:
        raise FormatError(self._path, f"at byte {offset}: {what}")


def history_name(tree: GameTree, node: int) -> str:
    """For messages: "history 513", or "empty history" at the root."""
    squares = "".join(map(str, tree.history(node)))
    return f"history {squares}" if squares else "empty history"


class StrategyProblem(NamedTuple):
    """What is wrong with the probabilities of one information set."""

    node: int
    goal: int
    what: str


def strategy_problem(tree: GameTree, strategy: FloatArray) -> StrategyProblem | None:
    """The first information set, in preorder, whose probabilities are negative, not finite, or do not sum to 1."""
    starts = tree.first_child[tree.decision_nodes]
    with np.errstate(over="ignore", invalid="ignore"):
        usable = np.isfinite(strategy) & (strategy >= 0.0)
        sums = np.add.reduceat(strategy, starts, axis=0)
        bad = ~(np.abs(sums - 1.0) <= SUM_TOLERANCE) | ~np.logical_and.reduceat(usable, starts, axis=0)
    if not bad.any():
        return None
    decision, goal = (int(number) for number in np.argwhere(bad)[0])
    node = int(tree.decision_nodes[decision])
    for child in tree.children(node):
        if not usable[child, goal]:
            what = f"square {tree.square[child]} has the probability {float(strategy[child, goal])!r}"
            return StrategyProblem(node, goal, what)
    return StrategyProblem(node, goal, f"the probabilities sum to {float(sums[decision, goal])!r}, not 1")


def missing_scores(score: Score, available: Mapping[Score, object], winning_score: int) -> list[Score]:
    """The scores that are not in `available` but can be reached from `score`, itself included."""
    seen, stack = {score}, [score]
    while stack:
        current = stack.pop()
        for result in RESULTS:
            after = continuation(current, *result, winning_score).score
            if after is not None and after not in seen:
                seen.add(after)
                stack.append(after)
    return sorted(seen - available.keys(), reverse=True)


def self_play_values(
    tree: GameTree, strategies: Mapping[Score, FloatArray], winning_score: int
) -> dict[Score, float]:
    """The match values (-1 to 1) to the first mover when both players use `strategies` for ever.

    Of every score from which no score can be reached that is not there. Raises ValueError for strategies with which
    nobody ever scores again.
    """
    values: dict[Score, float] = {}
    for pair in pairs_in_solve_order(winning_score):
        needed = following_scores(pair, winning_score)
        if any(score not in strategies for score in pair) or any(score not in values for score in needed):
            continue
        probabilities = {score: result_probabilities(leaf_distribution(tree, strategies[score])) for score in pair}
        # The chance to be in the same pair again: "neither" leads to the twin, "both" at the last score back to it.
        stay = [p.neither + (p.both if score.first == score.second == winning_score - 1 else 0.0)
                for score, p in probabilities.items()]  # fmt: skip
        if math.prod(stay) > 1.0 - ENDLESS:
            raise ValueError(f"score {pair[0]}: with these strategies the match never ends")
        following = {score: values[score] for score in needed}
        found = chain.self_play_values(pair, probabilities, following, winning_score)
        values |= {score: max(-1.0, min(1.0, value)) for score, value in found.items()}
    return values


def imported_options(source: str, winning_score: int) -> dict[str, Any]:
    """The options of a solution that was imported from `source`."""
    return {"imported_from": source, "winning_score": winning_score}


def check_output(directory: Path, *, restart: bool) -> None:
    """Raises StoreError when a solution cannot be made in `directory`; touches nothing."""
    if directory.exists() and not directory.is_dir():
        raise StoreError(f"{directory}: a file, not a directory; choose another output directory")
    if (directory / SOLUTION_FILE).exists():
        if not restart:
            raise StoreError(f"{directory}: holds a solution; choose another output directory, or use --restart")
    elif directory.is_dir():
        check_no_leftovers(directory, _is_replaceable, restart, "a solution")


def save_solution(
    directory: Path,
    tree: GameTree,
    imported: Mapping[Score, ImportedStrategy],
    winning_score: int,
    source: str,
    *,
    restart: bool = False,
    stop: threading.Event | None = None,
) -> Solution:
    """Make a solution of strategies in `directory`, which must be new or empty; with `restart` a solution is replaced.

    Raises StoreError for another directory, ValueError for strategies with which the match never ends, OSError when
    it cannot be written, and Interrupted when `stop` is set. Nothing half-written stays then.
    """
    options = imported_options(source, winning_score)
    snapshots = {
        score: Snapshot(
            score=score, winning_score=winning_score, iteration=item.iteration, started_at=0,
            outcome_values=OutcomeValues(0.0, 0.0, 0.0, 0.0), options={**options, "values_known": False},
            end_rule=tree.end_rule, tree_fingerprint=tree.fingerprint, regrets=np.zeros_like(item.strategy),
            strategy_sums=np.r_[np.zeros((1, 3)), item.strategy[1:]], current_strategy=item.strategy,
            settled=np.zeros((2, tree.num_decision_nodes), np.int8), exploitability=0.0, value=0.0,
            convergence=np.zeros((0, 4)),
        )
        for score, item in imported.items()
    }  # fmt: skip
    averages = {score: snapshot.average_strategy(tree) for score, snapshot in snapshots.items()}
    values = self_play_values(tree, averages, winning_score)
    results: dict[Score, SubgameResult] = {}
    for score, value in values.items():
        played_for = outcome_values(score, values, winning_score)
        nash_conv = exploitability(tic_tac_toe_round(tree, played_for), averages[score]).total
        fields = vars(snapshots[score]) | {
            "outcome_values": played_for, "value": value, "exploitability": nash_conv,
            "options": {**options, "values_known": True},
        }  # fmt: skip
        snapshots[score] = Snapshot(**fields)
        following = {later: values[later] for later in following_scores(pair_of(score), winning_score)}
        converged = nash_conv <= CONVERGED_EXPLOITABILITY
        results[score] = SubgameResult(score, value, nash_conv, imported[score].iteration, converged, following)
    solution = Solution(directory, winning_score, options, tree.end_rule, tree.fingerprint, results)
    _write(solution, snapshots, restart, stop or threading.Event())
    return solution


def _write(solution: Solution, snapshots: Mapping[Score, Snapshot], restart: bool, stop: threading.Event) -> None:
    directory = solution.directory
    check_output(directory, restart=restart)
    is_new = not directory.exists()
    lock = DirectoryLock()
    lock.acquire(directory)
    try:
        check_output(directory, restart=restart)
        remove_solution(directory)
        try:
            for score, snapshot in snapshots.items():
                if stop.is_set():
                    raise Interrupted
                (directory / subgame_name(score)).mkdir(exist_ok=True)
                snapshot.save(directory / subgame_name(score) / snapshot_name(snapshot.iteration))
            content = {
                "winning_score": solution.winning_score, "options": solution.options, "end_rule": solution.end_rule,
                "tree_fingerprint": solution.tree_fingerprint,
                "subgames": [result.as_dict() for _, result in sorted(solution.results.items(), reverse=True)],
            }  # fmt: skip
            write_file(directory / SOLUTION_FILE, SOLUTION_KIND, content)  # last: until then there is no solution
        except BaseException:
            remove_solution(directory)
            if is_new:
                with contextlib.suppress(OSError):
                    directory.rmdir()
            raise
    finally:
        lock.release()


def _is_replaceable(path: Path) -> bool:
    """Whether a solver or an import may have left `path`, and not the published program."""
    return is_solution_part(path) and not (
        is_subgame(path) and any(_PUBLISHED_NAME.fullmatch(found.name) for found in path.iterdir())
    )
