"""The import of strategies that another program computed, such as the published Rust program.

Its file subgame_A_B/strategy_N.bincode, perhaps gzipped, contains the strategy after N iterations. Little-endian
without padding: u64 count, then `count` information sets in any order. Each has u64 node, u32 goal of the mover (0 win,
1 lose, 2 tie), u64 length, and `length` float64 probabilities, one per child. Nodes are numbered depth-first, with
children in the order of squares and leaves included; entries of leaves are empty or left out.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import exploitability
from ..algorithms.strategy import strategy_problem
from ..errors import FormatError, Remedy
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import OutcomeValues, Rules, goal_name
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import match_self_play_values
from ..match.scores import Score, following_scores, missing_scores, outcome_values, pair_of
from ..run_control import DEFAULT_CONTROL, RunControl
from .atomic_files import read_bytes
from .directory_layout import PUBLISHED_NAME, is_subgame, parse_subgame_name
from .snapshot import Snapshot
from .solution import CONVERGED_EXPLOITABILITY, Solution, SubgameResult
from .solution_writer import SolutionWriter, check_output, checked_winning_score
from .strategy_tables import StrategyTable, format_of_name, read_table, rules_of_table

_HEADER = struct.Struct("<QIQ")


def find_published(directory: Path, winning_score: int) -> dict[Score, tuple[int, Path]]:
    """The last strategy of every subgame below `directory`: by score, its iteration and its path.

    Raises FormatError for a score beyond `winning_score`, and for two files of one iteration.
    """
    result: dict[Score, tuple[int, Path]] = {}
    for subgame in filter(is_subgame, sorted(directory.iterdir())):
        found: dict[int, Path] = {}
        for path in sorted(subgame.iterdir()):
            match = PUBLISHED_NAME.fullmatch(path.name)
            if match and path.is_file() and not path.is_symlink():
                before = found.setdefault(int(match[1]), path)
                if before is not path:
                    raise FormatError(path, f"the same iteration as {before.name}; remove one of them")
        score = parse_subgame_name(subgame.name)
        if found and score is not None:
            if max(score) >= winning_score:
                raise FormatError(
                    subgame, f"{score} is not a score of a match to {winning_score}", Remedy.WINNING_SCORE
                )
            result[score] = max(found.items())
    return result


def read_published(path: Path, tree: GameTree) -> FloatArray:
    """The strategy in a file of the published program: float64 (num_nodes, 3), by the nodes of `tree`.

    Raises FormatError, which names the byte and the information set, for anything but a whole strategy.
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
    """The nodes of `tree`, leaves too, in depth-first order."""
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(tree.children(node)))
    return tuple(order)


def _offsets(path: Path, data: bytes, tree: GameTree) -> NDArray[np.int64]:
    """int64 (num_nodes, 3): the byte at which an information set's probabilities begin; -1 for omitted leaves."""
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
            raise FormatError(path, f"at byte {start}: node {number} is not from 0 to {tree.num_nodes - 1}")
        if goal > 2:
            raise FormatError(path, f"at byte {start + 8}: node {number}: goal {goal} is not from 0 to 2")
        node = node_of[number]
        if length != num_children[node]:
            what = f"{_place(tree, node, goal)}: it has {length} moves, but {num_children[node]} in our tree"
            raise FormatError(path, f"at byte {start + 12}: {what}")
        if offsets[3 * node + goal] >= 0:
            raise FormatError(path, f"at byte {start}: {_place(tree, node, goal)} occurs twice")
        offsets[3 * node + goal], start = end, end + 8 * length
        if start > size:
            raise FormatError(path, f"at byte {end}: the file ends within {_place(tree, node, goal)}")
    if start < size:
        raise FormatError(path, f"at byte {start}: the file continues after the last of {num_sets} information sets")
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


class ImportedStrategy(NamedTuple):
    """A strategy that another program computed."""

    iteration: int
    """The iteration in the name of its file; 0 if the name has none."""
    strategy: FloatArray
    """float64 (num_nodes, 3): the probability of the move into each node, by the mover's goal; 1 at the root."""


class ImportedSolution(NamedTuple):
    solution: Solution
    scores: Collection[Score]
    """The scores that have a strategy."""

    def without_value(self) -> dict[Score, list[Score]]:
        """The imported scores without a value, each with the missing scores that cause this."""
        scores = [score for score in sorted(self.scores, reverse=True) if score not in self.solution.results]
        return {score: missing_scores(score, self.scores, self.solution.winning_score) for score in scores}


def import_solution(
    source: Path,
    directory: Path,
    winning_score: int | None = None,
    *,
    rules: Rules | None = None,
    control: RunControl[Any] = DEFAULT_CONTROL,
) -> ImportedSolution:
    """Make a solution in `directory` from published strategies or an exported table.

    source: the table, or a directory with the table or the strategies.
    winning_score: None for that of the table, or for 5 with published strategies.
    rules: None for those of the table, or for the default rules with published strategies.

    Raises the errors of `save_solution`, and FormatError if `source` cannot be used or contradicts the arguments.
    """
    if not source.exists():
        raise FormatError(source, "no such file or directory")
    check_output(directory, control.existing)
    points, path = winning_score or 5, source
    published = find_published(source, points) if source.is_dir() else {}
    if not published:
        path = _table_in(source)
    tree = GameTree.build(Rules() if published else rules_of_table(path))
    if rules not in (None, tree.rules):
        raise FormatError(path, f"strategies by the rules {str(tree.rules)!r}, not {str(rules)!r}")
    imported: dict[Score, ImportedStrategy] = {}
    for score, (iteration, file) in published.items():
        control.check_stop("nothing was written")
        imported[score] = ImportedStrategy(iteration, read_published(file, tree))
    for points, score, strategy in () if published else read_table(path, StrategyTable(tree)):
        control.check_stop("nothing was written")
        if winning_score not in (None, points):
            raise FormatError(path, f"belongs to a match to {points}, not to {winning_score}")
        imported[score] = ImportedStrategy(0, strategy)
    origin = "published program" if published else "export"
    try:
        solution = save_solution(directory, tree, imported, points, origin, control=control)
    except ValueError as error:
        raise FormatError(source, str(error)) from error
    return ImportedSolution(solution, imported.keys())


def _table_in(source: Path) -> Path:
    if not source.is_dir():
        return source
    files = (path for path in sorted(source.iterdir()) if path.is_file() and not path.is_symlink())
    tables = [path for path in files if format_of_name(path)]
    if not tables:
        what = "nothing to import: no subgame_A_B/strategy_N.bincode and no table (.csv or .jsonl, perhaps .gz)"
        raise FormatError(source, what)
    if len(tables) > 1:
        raise FormatError(source, f"several tables: {', '.join(path.name for path in tables[:5])}; name one of them")
    return tables[0]


def save_solution(
    directory: Path,
    tree: GameTree,
    imported: Mapping[Score, ImportedStrategy],
    winning_score: int,
    source: str,
    *,
    control: RunControl[Any] = DEFAULT_CONTROL,
) -> Solution:
    """Make a solution from strategies in `directory`, which must be new or empty. RESTART replaces a solution there.

    source: the origin of the strategies.

    Raises StoreError for another directory, ValueError for a winning score above 100 or an endless match, OSError if a
    file cannot be written, and Interrupted for a stopped run. No part of the new solution is then left.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from tictactoe import uniform_strategy
    >>> tree, score = GameTree.build(), Score(0, 0)
    >>> uniform = {score: ImportedStrategy(0, uniform_strategy(tree))}
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     print(f"{save_solution(Path(directory), tree, uniform, 1, 'nobody').exploitability[score]:.4f}")
    1.0347
    """
    winning_score = checked_winning_score(winning_score)
    options = {"imported_from": source, "winning_score": winning_score}
    averages = {score: _snapshot(score, item, tree, options).average_strategy(tree) for score, item in imported.items()}
    values = match_self_play_values(tree, averages, winning_score)
    with SolutionWriter(directory, tree, winning_score, options, existing=control.existing, record_last=True) as writer:
        results = []
        for score, item in imported.items():
            control.check_stop("nothing was written")
            snapshot = _snapshot(score, item, tree, options)
            if score in values:
                played_for = outcome_values(score, values, winning_score)
                nash_conv = exploitability(tic_tac_toe_round(tree, played_for), averages[score]).total
                following = {later: values[later] for later in following_scores(pair_of(score), winning_score)}
                value, converged = values[score], nash_conv <= CONVERGED_EXPLOITABILITY
                results.append(SubgameResult(score, value, nash_conv, item.iteration, converged, following))
                snapshot = replace(snapshot, outcome_values=played_for, value=value, exploitability=nash_conv)
                snapshot.options["values_known"] = True
            writer.save_snapshot(snapshot)
        writer.record(results)
    return writer.solution()


def _snapshot(score: Score, item: ImportedStrategy, tree: GameTree, options: dict[str, Any]) -> Snapshot:
    return Snapshot.of_strategy(
        tree,
        item.strategy,
        score=score,
        winning_score=options["winning_score"],
        iteration=item.iteration,
        outcome_values=OutcomeValues(0.0, 0.0, 0.0, 0.0),
        options={**options, "values_known": False},
        exploitability=0.0,
        value=0.0,
    )
