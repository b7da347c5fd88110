"""Every kind of file, damaged in every way: refused by a FormatError of one line that names the file."""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import msgpack
import numpy as np
import pytest
from support import storage_files as files
from support.storage_files import frame, pure_strategy, refusal, small_tree

from tictactoe import FormatError, GameTree, MatchOptions, OutcomeValues, Score, Snapshot, load_solution, update_rule
from tictactoe.match.pair_cfr import PairState
from tictactoe.storage.file_format import write_file
from tictactoe.storage.import_strategies import read_published
from tictactoe.storage.open_saved import RESPONSE_KIND, SavedResponse
from tictactoe.storage.solution import SOLUTION_KIND, RecordWriter, Solution, SubgameResult
from tictactoe.storage.solution_writer import CHECKPOINT_KIND, load_checkpoint
from tictactoe.storage.strategy_tables import StrategyTable, read_table

TREE, OTHER_TREE = small_tree(), small_tree(last_class=0)
RULE = update_rule("dcfr")
"""Of one that averages twice, checkpoints hold more."""
OPTIONS = MatchOptions(winning_score=1, algorithm=RULE)
ONLY = Score(0, 0)


def snapshot() -> Snapshot:
    made = vars(files.make_snapshot(TREE)) | {"score": ONLY, "winning_score": 1, "options": OPTIONS.as_dict()}
    return Snapshot(**made)


def write_solution(path: Path) -> None:
    result = SubgameResult(ONLY, -1 / 13, 1e-7, 500, True, {})
    RecordWriter().write(Solution(path.parent, 1, OPTIONS.as_dict(), str(TREE.rules), TREE.fingerprint, {ONLY: result}))


def write_checkpoint(path: Path, options: MatchOptions = OPTIONS, **more: object) -> None:
    content = {"following": [], "epoch_values": [0.5], "restart_due": False, "converged": False, "holds": False}
    twin = replace(snapshot(), options=options.as_dict()).as_dict()
    write_file(path, CHECKPOINT_KIND, content | {"twins": [twin]} | more)


def write_response(path: Path) -> None:
    worth = (OutcomeValues(0.0, 1.0, -1.0, 0.0),) * 2
    snapshot().save(path.with_name("snapshot_000500.msgpack"))
    SavedResponse(ONLY, 500, True, worth, (0.5, -0.5), pure_strategy(TREE), TREE.fingerprint).save(path.parent)


def write_table(path: Path) -> None:
    table = StrategyTable(TREE)
    path.write_text(table.csv_header() + "".join(table.rows(pure_strategy(TREE), ONLY, 1)))


class Kind(NamedTuple):
    """name: of the file. read: what uses it, on a tree. kind: of the container, None for foreign formats."""

    name: str
    write: Callable[[Path], object]
    read: Callable[[Path, GameTree], object]
    kind: str | None = None


def read_checkpoint(path: Path, tree: GameTree, options: MatchOptions = OPTIONS) -> PairState | None:
    return load_checkpoint(path, (ONLY,), {}, tree, options)


PUBLISHED = files.bincode(files.entries_of(TREE, pure_strategy(TREE)))
KINDS = {
    "solution": Kind("solution.msgpack", write_solution, lambda path, _: load_solution(path.parent), SOLUTION_KIND),
    "snapshot": Kind("snapshot_000500.msgpack", lambda path: snapshot().save(path), Snapshot.load, "snapshot"),
    "response": Kind("best_response_000500.msgpack", write_response, SavedResponse.load, RESPONSE_KIND),
    "checkpoint": Kind("checkpoint_0_0.msgpack", write_checkpoint, read_checkpoint, CHECKPOINT_KIND),
    "table": Kind("table.csv", write_table, lambda path, tree: list(read_table(path, StrategyTable(tree)))),
    "published": Kind("strategy_1.bincode", lambda path: path.write_bytes(PUBLISHED), read_published),
}
OURS = [name for name, kind in KINDS.items() if kind.kind]
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
RULED = ("snapshot_000500.msgpack", "best_response_000500.msgpack", "checkpoint_0_0.msgpack", "table.csv")
our_kinds = pytest.mark.parametrize("kind", [KINDS[name] for name in OURS], ids=OURS)


class Saved:
    def __init__(self, directory: Path, kind: Kind) -> None:
        self.kind = kind
        self.path = directory / kind.name
        kind.write(self.path)
        self.data = self.path.read_bytes()
        assert kind.read(self.path, TREE) is not None

    def refusal(self, data: bytes, tree: GameTree = TREE) -> str:
        self.path.write_bytes(data)
        return refusal(self.kind.read, self.path, tree)

    @property
    def content(self) -> dict[str, Any]:
        content: dict[str, Any] = msgpack.unpackb(msgpack.unpackb(self.data)[3])
        return content

    def refusal_of(self, content: Any, version: int = 2) -> str:
        return self.refusal(frame(msgpack.packb(content), self.kind.kind, version))


@every_kind
def test_files_of_another_kind(tmp_path: Path, kind: Kind) -> None:
    saved = Saved(tmp_path, kind)
    for other in KINDS.values():
        if other is not kind:
            (tmp_path / "other").mkdir(exist_ok=True)
            message = saved.refusal(Saved(tmp_path / "other", other).data)
            if kind.kind and other.kind:
                assert re.match("it has (.+), not (?!\\1).+: name another file", message)
    saved.path.unlink()
    saved.path.mkdir()
    with pytest.raises(FormatError, match="not a regular file"):
        kind.read(saved.path, TREE)


@every_kind
def test_files_of_another_tree(tmp_path: Path, kind: Kind) -> None:
    saved = Saved(tmp_path, kind)
    if kind.name == "solution.msgpack":
        with pytest.raises(FormatError, match="made with another game tree"):
            _ = load_solution(tmp_path).tree
    elif kind.kind:
        assert "belongs to another game tree" in saved.refusal(saved.data, OTHER_TREE)
    else:
        saved.refusal(saved.data, GameTree.build())
    for rules in ("filled", "three-in-a-row 2:1:1") if kind.name in RULED else ():
        said = saved.refusal(saved.data, small_tree(rules))
        named = "'three-in-a-row'" in said and f"'{rules}'" in said
        assert named or (kind.name, said) == (RULED[1], "belongs to another game tree; compute it again")


def test_records_of_rules_that_are_unknown(tmp_path: Path) -> None:
    saved = Saved(tmp_path, KINDS["solution"])
    for rules in ("misere", "filled 2:2:2", "filled 1:1", "three-in-a-row 1:1:1", "Filled", ""):
        saved.path.write_bytes(frame(msgpack.packb(saved.content | {"rules": rules}), SOLUTION_KIND))
        message = f"made with rules that are unknown here, {rules!r}; upgrade to read it"
        assert refusal(lambda path: load_solution(path.parent).tree, saved.path) == message


def test_a_checkpoint_says_rightly_whether_it_holds_start_values(tmp_path: Path) -> None:
    """Only options with start values let a checkpoint hold some."""
    path = tmp_path / "checkpoint_0_0.msgpack"
    given = MatchOptions(winning_score=1, algorithm=RULE, start_from={ONLY: 0.5})
    for options, holds, refused in (
        (OPTIONS, False, None),
        (OPTIONS, True, "holds: there are no start values to use"),
        (given, True, None),
        (given, 1, "holds: expected bool, got int"),
        (given, None, "holds: expected bool, got null"),
    ):
        write_checkpoint(path, options, holds=holds)
        if refused:
            assert refusal(read_checkpoint, path, TREE, options).startswith(refused)
        else:
            state = read_checkpoint(path, TREE, options)
            assert state is not None
            assert state.holds is holds


def records_in(content: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "", content
    for name in ("subgames", "twins"):
        if name in content:
            yield f"{name}[0]", content[name][0]


ARRAY = files.packed_array(np.zeros(3))
WRONG = (None, True, 7, 0.5, "text", b"bytes", [], {}, [None], [["x"]], ARRAY, math.nan, math.inf)


@our_kinds
def test_fields(tmp_path: Path, kind: Kind) -> None:
    saved = Saved(tmp_path, kind)
    for which, (place, record) in enumerate(list(records_in(saved.content))):
        for name, value in product(record, ("gone", *WRONG)):
            content = saved.content
            changed = list(records_in(content))[which][1]
            old = changed.pop(name)
            if value != "gone":
                changed[name] = value
            if not is_good(kind, name, value, old):
                message = saved.refusal_of(content)
                assert any(message.startswith(start.format(place, name)) for start in REFUSALS), message
        content = saved.content
        list(records_in(content))[which][1]["x" * 999] = 1
        assert "contains unknown field xxx" in saved.refusal_of(content)
    huge = saved.content | {"options": files.packed_array(np.zeros(3), shape=[2**40, 3])}
    assert saved.refusal_of(huge).startswith("arrays larger than the limit of 256 MiB")
    saved.refusal_of([saved.content])
    newer = "format version 3, but 2 is needed; upgrade smbc-tictactoe"
    assert saved.refusal_of(saved.content, 3).startswith(newer)
    older = "from an older version of smbc-tictactoe, in a format that is no longer read"
    assert saved.refusal_of(saved.content, 1).startswith(older)


REFUSALS = (
    *("{1}:", "{1}[", "missing required field {1}", "{0}.{1}:", "{0}.{1}[", "{0}: missing required field {1}"),
    *("a value of type bytes", "a number that is not finite: ", "an array of numbers where a map is needed"),
    "not a checkpoint of the pair 0-0",
)


def is_good(kind: Kind, name: str, value: Any, old: Any) -> bool:
    if kind.name != "solution.msgpack" and name in ("score", "winning_score", "snapshot_hash") and value is None:
        return True
    if (name, value) in (("snapshot_hash", "gone"), ("subgames", [])):
        return True
    if name in ("recent_sums", "beliefs") and value in ("gone", None):
        return True
    if any(type(item) is dict and "__array__" in item for item in (value, old)):
        return False
    if type(old) is float:
        return (type(value) is float and value == 0.5) or type(value) is int
    return type(value) is type(old) and (type(old) is not list or value == old)
