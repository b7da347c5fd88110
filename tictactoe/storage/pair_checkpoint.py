"""The saved state of a pair of scores that is being solved: checkpoint_4_3.msgpack, one file for both twins.

A file of kind "checkpoint" with the fields following (as [points, points, value]), epoch_values, restart_due, converged
and twins, the content of a snapshot for each twin. A further field, holds, is true as long as the pair uses the start
values of its options; later the file leaves it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from ..errors import FormatError
from ..games.tic_tac_toe_tree import GameTree
from ..match.options import LARGEST_MATCH_VALUE, MatchOptions
from ..match.pair_cfr import PairState
from ..match.scores import Pair, Score, outcome_values
from .file_format import write_file
from .snapshot import Snapshot
from .typed_records import read_record

CHECKPOINT_KIND = "checkpoint"


class _Record(msgspec.Struct, forbid_unknown_fields=True):
    following: list[tuple[int, int, float]]
    epoch_values: tuple[float, ...]
    restart_due: bool
    converged: bool
    twins: list[dict[str, Any]]
    holds: bool = False


def save_checkpoint(path: Path, state: PairState, tree: GameTree, options: MatchOptions) -> None:
    """Save the state of a pair in progress, over the earlier one. Raises OSError when it cannot be written."""
    following = [(*score, value) for score, value in sorted(state.following.items())]
    twins = [snapshot.as_dict() for snapshot in snapshots_of(state, tree, options)]
    record = _Record(following, state.epoch_values, state.restart_due, state.converged, twins, state.holds)
    content = msgspec.structs.asdict(record)
    if not state.holds:
        del content["holds"]  # as in files of earlier versions
    write_file(path, CHECKPOINT_KIND, content)


def load_checkpoint(
    path: Path, pair: Pair, following: Mapping[Score, float], tree: GameTree, options: MatchOptions
) -> PairState | None:
    """The saved state of a pair in progress; None without a file, or for a file with other following values.

    Raises FormatError for a damaged file.
    """
    if not path.exists():
        return None
    try:
        record = read_record(path, CHECKPOINT_KIND, _Record)
        twins = tuple(Snapshot.from_dict(path, twin, tree) for twin in record.twins)
        if tuple(twin.score for twin in twins) != pair or len(record.epoch_values) != len(pair):
            raise FormatError(path, f"not a checkpoint of the pair {pair[0]}")
        if any(twin.options != options.as_dict() for twin in twins):
            raise FormatError(path, "a checkpoint of a run with other options")
        if any(twin.winning_score != options.winning_score for twin in twins):
            raise FormatError(path, f"not of a match to {options.winning_score}")
        if len({(twin.iteration, twin.started_at) for twin in twins}) > 1:
            raise FormatError(path, "twins: of different iterations")
        if any((twin.recent_sums is not None) != options.rule.averages_twice for twin in twins):
            raise FormatError(path, "recent_sums: missing, or of another update rule")
        if not all(abs(value) <= LARGEST_MATCH_VALUE for value in record.epoch_values):
            raise FormatError(path, f"epoch_values: {record.epoch_values} are not all match values (-1 to 1)")
        if record.holds and options.start_values is None:
            raise FormatError(path, "holds: there are no start values to hold")
    except FormatError as error:
        raise unusable(path, error.args[1]) from error
    if {Score(*points): value for *points, value in record.following} != following:
        return None
    values, exploitabilities = tuple(twin.value for twin in twins), tuple(twin.exploitability for twin in twins)
    epoch = record.epoch_values, record.restart_due, record.converged
    convergence = tuple(twin.convergence for twin in twins)
    return PairState(pair, following, values, exploitabilities, *epoch, twins, convergence, record.holds)


def unusable(path: Path, what: str) -> FormatError:
    """The error for a checkpoint that no run can continue."""
    return FormatError(path, f"{what} (without this file the pair is solved from its start)")


def snapshots_of(state: PairState, tree: GameTree, options: MatchOptions) -> list[Snapshot]:
    """The snapshot of each twin, in the order of the pair."""
    known = {**state.following, **dict(zip(state.pair, state.values, strict=True))}
    return [
        Snapshot(
            **vars(state.rounds[twin]),
            score=score,
            winning_score=options.winning_score,
            outcome_values=outcome_values(score, known, options.winning_score),
            options=options.as_dict(),
            rules=str(tree.rules),
            tree_fingerprint=tree.fingerprint,
            exploitability=state.exploitabilities[twin],
            value=state.values[twin],
            convergence=state.convergence[twin],
        )
        for twin, score in enumerate(state.pair)
    ]
