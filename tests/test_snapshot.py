"""The file format: what is written is read back, and whatever else is on the disk is a FormatError of one line."""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import random
import signal
import subprocess
import sys
import time
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tictactoe import files, snapshot
from tictactoe.files import FormatError, read_file, write_file
from tictactoe.match import OutcomeValues, Score
from tictactoe.snapshot import Snapshot
from tictactoe.tree import GameTree

SOURCE = Path(files.__file__)
linux = pytest.mark.skipif(sys.platform != "linux", reason="signals, limits and devices as on Linux")
ARRAYS = ("regrets", "strategy_sums", "current_strategy", "settled", "convergence")


def small_tree(end_rule: str = "three-in-a-row", last_class: int = 1) -> GameTree:
    """A root with three children; the first and the third have two and one of their own, all leaves."""
    return GameTree(
        parent=np.array([-1, 0, 0, 0, 1, 1, 3], np.int32),
        owner=np.array([0, 1, -1, 1, -1, -1, -1], np.int8),
        leaf_class=np.array([-1, -1, 0, -1, 0, 2, last_class], np.int8),
        square=np.array([0, 1, 2, 5, 2, 3, 1], np.int8),
        end_rule=end_rule,
    )


def make_snapshot(tree: GameTree, seed: int = 0, iteration: int = 500) -> Snapshot:
    rng = np.random.default_rng(seed)
    regrets, sums, strategy = rng.normal(size=(3, tree.num_nodes, 3))
    sums, strategy = np.abs(sums), np.abs(strategy)
    for node in tree.decision_nodes:
        block = slice(tree.children(node).start, tree.children(node).stop)
        strategy[block] /= strategy[block].sum(axis=0)
    sums[tree.children(1)] = 0.0
    regrets[0], sums[0], strategy[0] = 0.0, 0.0, 1.0
    return Snapshot(
        score=Score(4, 3), winning_score=5, iteration=iteration, started_at=iteration // 2,
        outcome_values=OutcomeValues(0.25, 1.0, -1.0, -0.1),
        options={"alpha": 1.5, "name": "dcfr", "nested": {"list": [1, None, True]}}, end_rule=tree.end_rule,
        tree_fingerprint=tree.fingerprint, regrets=regrets, strategy_sums=sums, current_strategy=strategy,
        settled=rng.integers(0, 2, (2, tree.num_decision_nodes)).astype(np.int8), exploitability=0.001,
        value=-1 / 9, convergence=rng.random((3, 4)),
    )  # fmt: skip


def packed_array(array: np.ndarray, **changes: Any) -> dict[str, Any]:
    fields = {"__array__": array.dtype.str, "shape": list(array.shape), "zlib": zlib.compress(array.tobytes())}
    return fields | changes


def frame(payload: bytes, kind: Any = "snapshot", version: Any = 1, magic: Any = "smbc-tictactoe") -> bytes:
    """A file with a correct checksum, written independently of the module's writer."""
    start = b"\x95" + b"".join(msgpack.packb(item) for item in (magic, kind, version, payload))
    return start + b"\xc4\x20" + hashlib.sha256(start).digest()


def assert_refused(path: Path, kind: str = "snapshot", tree: GameTree | None = None, match: str = ".") -> None:
    with pytest.raises(FormatError, match=match) as caught:
        read_file(path, kind) if tree is None else Snapshot.load(path, tree)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert len(message.splitlines()) == 1
    assert len(message) < len(str(path)) + 250


def refuse_bytes(path: Path, data: bytes, tree: GameTree | None = None, match: str = ".") -> None:
    path.write_bytes(data)
    assert_refused(path, tree=tree, match=match)


def same(a: Any, b: Any) -> bool:
    """Equal as content: tuples are lists, arrays are equal bit by bit in dtype and shape."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and repr(a) == repr(b)


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return small_tree()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "snapshot_000500.msgpack"


@pytest.fixture
def data(path: Path, tree: GameTree) -> bytes:
    make_snapshot(tree).save(path)
    return path.read_bytes()


# Round trips


@pytest.mark.parametrize("built", [False, True])
def test_snapshot_round_trip(path: Path, built: bool) -> None:
    tree = GameTree.build() if built else small_tree()
    before = make_snapshot(tree)
    before.save(path)
    after = Snapshot.load(path, tree)
    assert same({**vars(before), "score": None, "outcome_values": None},
                {**vars(after), "score": None, "outcome_values": None})  # fmt: skip
    assert isinstance(after.score, Score)
    assert isinstance(after.outcome_values, OutcomeValues)
    assert (after.score, after.outcome_values) == (before.score, before.outcome_values)
    for name in ARRAYS:
        array = getattr(after, name)
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert array.dtype.isnative


def test_round_on_its_own(path: Path, tree: GameTree) -> None:
    ints: Any = {"exploitability": 0, "value": np.float64(0.5), "outcome_values": OutcomeValues(0, 1, -1, 0)}
    replace(
        make_snapshot(tree), score=None, winning_score=None, iteration=0, started_at=0, convergence=np.zeros((0, 4)),
        **ints
    ).save(path)
    after = Snapshot.load(path, tree)
    assert (after.score, after.winning_score, after.iteration, after.convergence.shape) == (None, None, 0, (0, 4))
    assert (after.exploitability, after.value, after.outcome_values) == (0.0, 0.5, (0.0, 1.0, -1.0, 0.0))


scalars = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=20)
    | st.floats(allow_nan=False, allow_infinity=False)
)  # fmt: skip
shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)
arrays = st.sampled_from(["f8", "f4", "i8", "i4", "i2", "i1", "u1"]).flatmap(
    lambda name: hnp.arrays(
        name, shapes, elements={"allow_nan": False, "allow_infinity": False} if "f" in name else None
    )
)
keys = st.text(max_size=8).filter(lambda key: key != "__array__")
contents = st.dictionaries(
    keys,
    st.recursive(
        scalars | arrays, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4)
    ),
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(contents)
def test_any_content_round_trip(tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "any.msgpack"
    write_file(path, "any", content)
    first = path.read_bytes()
    after = read_file(path, "any")
    assert same(content, after)
    write_file(path, "any", dict(reversed(list(after.items()))))
    assert path.read_bytes() == first


def test_array_layouts_and_byte_orders(path: Path) -> None:
    array = np.arange(12.0).reshape(3, 4)
    write_file(path, "a", {"a": array, "b": np.asfortranarray(array), "c": array.astype(">f8"), "d": array[::2, ::-1]})
    after = read_file(path, "a")
    assert all(same(array, after[key]) for key in "abc")
    assert same(array[::2, ::-1].copy(), after["d"])


def test_saving_again_gives_the_same_bytes(path: Path, tree: GameTree, data: bytes) -> None:
    Snapshot.load(path, tree).save(path)
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == [path.name]


def test_any_msgpack_reader_reads_it(data: bytes, tree: GameTree) -> None:
    magic, kind, version, payload, checksum = msgpack.unpackb(data)
    assert (magic, kind, version) == ("smbc-tictactoe", "snapshot", 1)
    assert checksum == hashlib.sha256(data[:-34]).digest()
    regrets = msgpack.unpackb(payload)["regrets"]
    assert (regrets["__array__"], regrets["shape"]) == ("<f8", [7, 3])
    assert zlib.decompress(regrets["zlib"]) == make_snapshot(tree).regrets.tobytes()
    assert frame(payload) == data


# Content that cannot be written


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"x": [1.0, float("nan")]}, r"content\.key\.x\[1\]"), (float("-inf"), "finite"),
        (np.array([np.inf]), "finite"),
        (np.array([None]), "dtype"), (np.array([True]), "dtype"), (np.array([1j]), "dtype"), (np.array(["a"]), "dtype"),
        (b"bytes", "bytes"), ({1}, "set"), (object(), "object"), (2**64, "64 bits"), (-(2**63) - 1, "64 bits"),
        ({1: 2}, "text"), ({"__array__": 1}, "__array__"), ([0] * 70_000, "70000"), ("x" * 70_000, "70000"),
    ],
)  # fmt: skip
def test_unsupported_content(path: Path, data: bytes, value: Any, where: str) -> None:
    with pytest.raises(ValueError, match=where):
        write_file(path, "snapshot", {"key": value})
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == [path.name]


def test_endless_content(path: Path) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="deep"):
        write_file(path, "a", {"a": endless})


@pytest.mark.parametrize(
    "change",
    [
        {"iteration": -1}, {"winning_score": 0}, {"score": Score(5, 0)}, {"score": Score(-1, 0)},
        {"value": float("nan")},
        {"regrets": np.zeros((6, 3))}, {"regrets": np.zeros((7, 3), np.float32)},
        {"settled": np.full((2, 3), 2, np.int8)},
        {"convergence": np.zeros((3, 3))}, {"regrets": np.ones((7, 3))}, {"options": {"a": float("inf")}},
        {"strategy_sums": np.full((7, 3), -1.0)},
    ],
)  # fmt: skip
def test_wrong_fields_are_not_saved(path: Path, tree: GameTree, change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(change)) + "|strategy_sums: float64"):
        replace(make_snapshot(tree), **change).save(path)
    assert os.listdir(path.parent) == []


# Damage


def test_truncation(path: Path, data: bytes) -> None:
    for length in {*range(80), *range(80, len(data), 7), *range(len(data) - 40, len(data))}:
        refuse_bytes(path, data[:length])


def test_every_byte_of_the_frame_flipped(path: Path, data: bytes) -> None:
    payload_start = data.index(b"snapshot") + len(b"snapshot") + 1 + 3
    for position in {*range(payload_start + 20), *range(len(data) - 34, len(data))}:
        for flip in (1, 2, 4, 8, 16, 32, 64, 128, 255):
            refuse_bytes(path, data[:position] + bytes([data[position] ^ flip]) + data[position + 1 :])


def test_random_damage(path: Path, data: bytes) -> None:
    rng = random.Random(1)
    for _ in range(400):
        position, length = rng.randrange(len(data)), rng.choice((1, 1, 1, 2, 16))
        noise = rng.randbytes(length)
        damaged = data[:position] + noise + data[position + length :]
        if damaged != data:
            refuse_bytes(path, damaged)


def test_added_and_removed_bytes(path: Path, data: bytes) -> None:
    for damaged in (
        data + b"\0",
        data + data,
        b"\0" + data,
        data[1:],
        data[:100] + data[101:],
        data[:-34] + b"\xc0" + data[-34:],
    ):
        refuse_bytes(path, damaged)


def test_damaged_payload_with_a_correct_checksum(path: Path, tree: GameTree, data: bytes) -> None:
    """Whatever the payload says, there is no other exception; small changes of numbers may be loaded."""
    rng = random.Random(2)
    payload = msgpack.unpackb(data)[3]
    for _ in range(400):
        position = rng.randrange(len(payload))
        path.write_bytes(frame(payload[:position] + rng.randbytes(1) + payload[position + 1 :]))
        try:
            Snapshot.load(path, tree)
        except FormatError as error:
            assert str(error).startswith(f"{path}: ")  # noqa: PT017
            assert len(str(error).splitlines()) == 1  # noqa: PT017


def test_random_bytes_with_a_correct_checksum(path: Path) -> None:
    rng = random.Random(3)
    for _ in range(300):
        path.write_bytes(frame(rng.randbytes(rng.randrange(1, 60))))
        with pytest.raises(FormatError):
            Snapshot.load(path, small_tree())


# Foreign files


def test_foreign_files(path: Path, data: bytes) -> None:
    refuse_bytes(path, b"", match="empty")
    refuse_bytes(path, b"Dear diary,\nno file of yours", match="not a file of smbc-tictactoe")
    for item in ([1, 2, 3], {"a": 1}, None, "snapshot", ["smbc-tictactoe", "snapshot", 1, b""], [[[]]] * 5):
        refuse_bytes(path, msgpack.packb(item))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "text")
    assert_refused(path)


def test_another_kind(path: Path) -> None:
    write_file(path, "solution", {"a": 1})
    assert_refused(path, match="'solution' where 'snapshot' is needed")


def test_newer_version(path: Path, data: bytes) -> None:
    payload = msgpack.unpackb(data)[3]
    refuse_bytes(path, frame(payload, version=2), match="version 2 where 1 is needed; it is newer: upgrade")
    refuse_bytes(path, frame(b"\xc1 of the future", version=2**63), match="upgrade")
    for version in (0, -1, True, None, 1.0, "1", [1], b"1"):
        refuse_bytes(path, frame(payload, version=version))


def test_kind_that_would_break_the_line(path: Path) -> None:
    refuse_bytes(path, frame(b"\x80", kind="a\nb\x1b[2J" + "c" * 9999), match="of kind")


def test_no_file(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_refused(path, match="No such file")
    assert_refused(tmp_path, match="regular")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "fifo")
        assert_refused(tmp_path / "fifo", match="regular")
    with pytest.raises(FormatError):
        read_file(Path("a\0b\nc"), "snapshot")
    path.write_bytes(b"")

    def refuse(*_: Any) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(files, "open", refuse, raising=False)
    assert_refused(path, match="cannot be read: Permission denied")


def test_format_error_crosses_processes() -> None:
    error = pickle.loads(pickle.dumps(FormatError(Path("a\nb"), "what\r\x1b is wrong")))
    assert isinstance(error, FormatError)
    assert str(error) == "a\\nb: what\\r\\x1b is wrong"


def test_file_above_the_limit(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(files.MAXIMUM_SIZE + 1)  # sparse: nothing is written
    assert_refused(path, match="limit of 256 MiB")


# Hostile files with a correct checksum


def bomb(size: int) -> bytes:
    compressor = zlib.compressobj(9)
    return b"".join([compressor.compress(bytes(2**20)) for _ in range(size // 2**20)]) + compressor.flush()


FLOATS = np.zeros((7, 3))
BOMB = bomb(2**27)
HOSTILE_ARRAYS = [
    packed_array(FLOATS, shape=[7, 4]), packed_array(FLOATS, shape=[7, 2]), packed_array(FLOATS, shape=[-7, -3]),
    packed_array(FLOATS, shape=[2**40, 3]), packed_array(FLOATS, shape=[2**25]), packed_array(FLOATS, shape=[0, 2**62]),
    packed_array(FLOATS, shape=[2**63] * 4), packed_array(FLOATS, shape=[1] * 60), packed_array(FLOATS, shape=7),
    packed_array(FLOATS, shape=[7.0, 3.0]), packed_array(FLOATS, shape=[True, 21]), packed_array(FLOATS, shape=None),
    packed_array(FLOATS, __array__="|O"), packed_array(FLOATS, __array__=">f8"), packed_array(FLOATS, __array__="O"),
    packed_array(FLOATS, __array__=["<f8"]), packed_array(FLOATS, __array__={"a": 1}),
    packed_array(FLOATS, __array__=None),
    packed_array(FLOATS, __array__="<m8[D]"), packed_array(FLOATS, __array__="<f8,<f8"), packed_array(FLOATS, more=1),
    packed_array(FLOATS, zlib=b""), packed_array(FLOATS, zlib="text"), packed_array(FLOATS, zlib=FLOATS.tobytes()),
    packed_array(FLOATS, zlib=zlib.compress(FLOATS.tobytes())[:-1]), packed_array(FLOATS, zlib=BOMB),
    packed_array(FLOATS, zlib=zlib.compress(FLOATS.tobytes()) + b"\0"), {"__array__": "<f8"},
    packed_array(np.full((7, 3), np.nan)), packed_array(np.full((7, 3), -np.inf)),
]  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE_ARRAYS, ids=range(len(HOSTILE_ARRAYS)))
def test_hostile_arrays(path: Path, tree: GameTree, data: bytes, hostile: dict[str, Any]) -> None:
    content = msgpack.unpackb(msgpack.unpackb(data)[3])
    refuse_bytes(path, frame(msgpack.packb(content | {"regrets": hostile})), tree)


HOSTILE_PAYLOADS = {
    "array32": b"\xdd\xff\xff\xff\xff", "map32": b"\xdf\xff\xff\xff\xff", "str32": b"\xdb\xff\xff\xff\xff",
    "bin32": b"\x81\xa1a\xc6\xff\xff\xff\xff", "ext32": b"\xc9\xff\xff\xff\xff\x01", "never used": b"\xc1",
    "nested lists": b"\x91" * 5000 + b"\xc0", "20 maps": b"\x81\xa1a" * 20 + b"\xc0",
    "nested maps": b"\x81\xa1a" * 900 + b"\xc0", "no payload": b"",
    "nested claims": b"\xdd\x00\x00\xff\xff" * 500, "many lists": b"\x81\xa1a" + b"\xdc\x40\x00" * 2 + b"\x90" * 2**14,
    "trailing": b"\x80\x80", "twice": b"\x82\xa1a\x01\xa1a\x02", "integer key": b"\x81\x01\x01",
    "list key": b"\x81\x90\x01",
    "bytes key": b"\x81\xc4\x01a\x01", "bytes": b"\x81\xa1a\xc4\x01a", "extension": b"\x81\xa1a\xd4\x05\x00",
    "timestamp": b"\x81\xa1a\xd6\xff\x00\x00\x00\x00", "NaN": msgpack.packb({"a": float("nan")}),
    "infinite": msgpack.packb({"a": [float("inf")]}), "bad text": b"\x81\xa1a\xa1\xff", "nil": b"\xc0", "list": b"\x90",
    "million": msgpack.packb({"a": [[[0] * 1000] * 100] * 50}), "array alone": msgpack.packb(packed_array(FLOATS)),
    "bombs": msgpack.packb({str(i): packed_array(np.zeros(0), shape=[2**24 + i], zlib=BOMB) for i in range(2)}),
}  # fmt: skip


@pytest.mark.parametrize("payload", HOSTILE_PAYLOADS.values(), ids=HOSTILE_PAYLOADS)
def test_hostile_payloads(path: Path, payload: bytes) -> None:
    refuse_bytes(path, frame(payload))


def test_hostile_frames(path: Path) -> None:
    for payload in (None, "text", [1], {"a": 1}, 5):
        refuse_bytes(path, frame(payload))  # type: ignore[arg-type]
    for kind in (None, b"snapshot", 1, ["snapshot"], {"snapshot": 1}):
        refuse_bytes(path, frame(b"\x80", kind=kind))
    for middle in (
        b"",
        b"\xa8snapshot\x01\xc4\x01\x80\xc0",
        b"\xa8snapshot\x01",
        b"\xc6\xff\xff\xff\xff",
        b"\xc9\xff\xff\xff\xff\x01",
    ):
        start = b"\x95\xaesmbc-tictactoe" + middle
        refuse_bytes(path, start + b"\xc4\x20" + hashlib.sha256(start).digest())


@linux
def test_huge_claims_allocate_nothing(tmp_path: Path) -> None:
    """In a process whose memory is limited to little more than it starts with."""
    claims = [
        packed_array(FLOATS, shape=[2**24, 2]),
        packed_array(FLOATS, shape=[2**50]),
        packed_array(FLOATS, zlib=BOMB),
    ]
    payloads = [msgpack.packb({"a": claim}) for claim in claims]
    payloads += [HOSTILE_PAYLOADS[name] for name in ("array32", "map32", "bin32", "str32", "ext32")]
    for number, payload in enumerate(payloads):
        (tmp_path / f"{number}").write_bytes(frame(payload))
    code = """if True:
        import resource, sys
        from pathlib import Path
        from tictactoe.files import FormatError, read_file
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**25, used + 2**25))
        for path in sorted(Path(sys.argv[1]).iterdir()):
            try:
                read_file(path, "snapshot")
                print("loaded", path)
            except FormatError as error:
                assert "MemoryError" not in repr(error.__cause__.__cause__), error
    """
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], env=environment(), capture_output=True, text=True
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_hostile_snapshots(path: Path, tree: GameTree, data: bytes) -> None:
    good = make_snapshot(tree)
    content = msgpack.unpackb(msgpack.unpackb(data)[3])

    def changed(name: str, row: Any, value: float) -> dict[str, Any]:
        array = getattr(good, name).copy()
        array[row] = value
        return {name: packed_array(array)}

    exchanged = good.current_strategy.copy()
    exchanged[4, 0] += 2.0
    exchanged[5, 0] -= 2.0
    for match, change in [
        ("negative probability", {"current_strategy": packed_array(exchanged)}),
        ("sum to 1", changed("current_strategy", (2, 1), 0.9)), ("sum to 1", changed("current_strategy", 1, 1e308)),
        ("sum to 1", changed("current_strategy", 6, 1.0 + 2e-9)), ("root", changed("current_strategy", 0, 0.5)),
        ("root", changed("regrets", 0, 1.0)), ("root", changed("strategy_sums", 0, 1.0)),
        ("strategy_sums", changed("strategy_sums", 3, -1e-300)), ("strategy_sums", changed("strategy_sums", 3, 1e308)),
        ("settled", changed("settled", 0, 2)), ("settled", changed("settled", 1, -1)),
        ("settled", {"settled": packed_array(good.settled.astype("<f8"))}),
        ("settled", {"settled": packed_array(good.settled[:, :2].copy())}),
        ("settled", {"settled": packed_array(np.array(1, np.int8))}),
        ("regrets", {"regrets": packed_array(good.regrets.astype("<f4"))}),
        ("regrets", {"regrets": packed_array(good.regrets[:6])}), ("regrets", {"regrets": packed_array(np.array(1.0))}),
        ("regrets", {"regrets": packed_array(np.zeros((0, 3)))}), ("regrets", {"regrets": [1.0]}),
        ("convergence", {"convergence": packed_array(np.zeros(4))}),
        ("convergence", {"convergence": packed_array(np.array(4.0))}),
        ("another game tree", {"tree_fingerprint": "0" * 64}), ("end rule 'misere'", {"end_rule": "misere"}),
        ("end rule", {"end_rule": "a\nb" * 999}), ("iteration", {"iteration": -1}), ("iteration", {"iteration": True}),
        ("iteration", {"iteration": 1.0}), ("iteration", {"iteration": None}), ("options", {"options": []}),
        ("score", {"score": [1]}), ("score", {"score": [1, True]}), ("score", {"score": [-1, 0]}),
        ("score", {"score": [5, 0]}),
        ("score", {"score": "43"}), ("winning_score", {"winning_score": 0}), ("winning_score", {"winning_score": 5.0}),
        ("outcome_values", {"outcome_values": [0.0, 1.0, 1.0]}),
        ("outcome_values", {"outcome_values": [0.0, 1.0, 1.0, 1]}),
        ("value", {"value": 0}), ("exploitability", {"exploitability": None}), ("unknown", {"x" * 999: 1}),
    ]:  # fmt: skip
        refuse_bytes(path, frame(msgpack.packb(content | change)), tree, match)
    for name in content:
        refuse_bytes(path, frame(msgpack.packb({key: content[key] for key in content if key != name})), tree, "missing")
    path.write_bytes(data)
    for other in (small_tree(last_class=0), small_tree("other rule"), GameTree.build()):
        assert_refused(path, tree=other)
    Snapshot.load(path, tree)


# Writers that are stopped


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(SOURCE.parents[1]), "OPENBLAS_NUM_THREADS": "1"}


def writer(path: Path, before: str = "") -> subprocess.Popen[str]:
    """A process that replaces `path` in a loop by a file of zeros, of ones, ... of about the real size."""
    code = f"""if True:
        import itertools, os, resource, signal, sys
        from pathlib import Path
        import numpy as np
        from tictactoe import files, snapshot
        kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        {before}
        print("ready", flush=True)
        for number in itertools.count(1):
            noise = np.random.default_rng(number).random((20000, 3))
            files.write_file(Path(sys.argv[1]), "loop", {{"number": number, "noise": noise}})
    """
    return subprocess.Popen(
        [sys.executable, "-c", code, str(path)], env=environment(), stdout=subprocess.PIPE, text=True
    )


@linux
def test_killed_writers_leave_a_whole_file(path: Path) -> None:
    rng = random.Random(4)
    write_file(path, "loop", {"number": 0})
    numbers = []
    for _ in range(6):
        with writer(path) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(rng.uniform(0.0, 0.12))
            process.kill()
        content = read_file(path, "loop")
        numbers.append(content["number"])
        if content["number"]:
            assert same(content["noise"], np.random.default_rng(content["number"]).random((20000, 3)))
    assert max(numbers) > 0
    files.remove_temporary_files(path.parent)
    assert os.listdir(path.parent) == [path.name]


@linux
@pytest.mark.parametrize(
    ("before", "number", "leftover"),
    [
        ("os.fsync = kill", 0, True), ("os.replace = kill", 0, True),
        ("replace, os.replace = os.replace, lambda a, b: (replace(a, b), kill())", 1, False),
    ],
)  # fmt: skip
def test_killed_at_every_step(path: Path, before: str, number: int, leftover: bool) -> None:
    write_file(path, "loop", {"number": 0})
    with writer(path, before) as process:
        assert process.wait(10) == -signal.SIGKILL
    assert read_file(path, "loop")["number"] == number
    assert len(os.listdir(path.parent)) == 1 + leftover
    files.remove_temporary_files(path.parent)
    assert os.listdir(path.parent) == [path.name]


def test_only_own_temporary_files_are_removed(tmp_path: Path) -> None:
    others = [
        ".a.tmp",
        "a.tmp",
        ".smbc-tictactoe-1-.tmp",
        ".smbc-tictactoe-1-0123456789abcdef.tmp.msgpack",
        "snapshot_000000.msgpack",
    ]
    for name in [*others, ".smbc-tictactoe-1-0123456789abcdef.tmp"]:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / ".smbc-tictactoe-2-0123456789abcdef.tmp").mkdir()
    files.remove_temporary_files(tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted([*others, ".smbc-tictactoe-2-0123456789abcdef.tmp"])


@pytest.mark.parametrize("function", ["fsync", "replace"])
@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=["full", "ctrl-c"]
)
def test_interrupted_writer(
    path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch, function: str, error: BaseException
) -> None:
    def fail(*_: Any) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(os, function, fail)
        with pytest.raises(type(error)):
            write_file(path, "snapshot", {"a": 1})
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == [path.name]


@linux
def test_full_disk(path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_full(name: Path, mode: str) -> Any:
        name.write_bytes(b"half")
        return open("/dev/full", "wb")

    monkeypatch.setattr(files, "open", open_full, raising=False)
    for content in ({"a": 1}, {"a": np.random.default_rng(0).random(20_000)}):
        with pytest.raises(OSError, match="No space left"):
            write_file(path, "snapshot", content)
        assert path.read_bytes() == data
        assert os.listdir(path.parent) == [path.name]


@linux
def test_file_size_limit_in_the_middle_of_a_write(path: Path) -> None:
    write_file(path, "loop", {"number": 0})
    limit = "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (99999, 99999))"
    with writer(path, limit + "; sys.excepthook = lambda kind, *_: print(kind.__name__, flush=True)") as process:
        assert process.stdout is not None
        assert process.stdout.read() == "ready\nOSError\n"
    assert read_file(path, "loop")["number"] == 0
    assert os.listdir(path.parent) == [path.name]


def test_target_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    for target in (tmp_path / "directory", tmp_path / "missing" / "file"):
        with pytest.raises(OSError, match="directory"):
            write_file(target, "a", {})
    assert os.listdir(tmp_path) == ["directory"]


def test_a_directory_that_cannot_be_synced(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "open", fail)
    write_file(path, "a", {"a": 1})
    assert read_file(path, "a") == {"a": 1}


# Average strategy, names, imports


def test_average_strategy(tree: GameTree) -> None:
    for game, seed in ((tree, 0), (GameTree.build(), 1)):
        saved = make_snapshot(game, seed)
        sums, average = saved.strategy_sums, saved.average_strategy(game)
        expected = np.ones_like(sums)
        for node in game.decision_nodes:
            children = game.children(node)
            for goal in range(3):
                total = sum(sums[child, goal] for child in children)
                for child in children:
                    expected[child, goal] = sums[child, goal] / total if total > 0 else 1 / len(children)
        np.testing.assert_allclose(average, expected, rtol=1e-14, atol=0)
        assert average.dtype == np.float64
        assert np.all(average[game.children(1)] == 1 / len(game.children(1)))
        assert saved.strategy_sums is sums
        with pytest.raises(ValueError, match="tree"):
            saved.average_strategy(small_tree(last_class=0))


def test_average_strategy_of_tiny_and_huge_sums(tree: GameTree) -> None:
    for number in (5e-324, 1e-310, 1e300):
        sums = np.full((7, 3), number)
        sums[0] = 0.0
        average = replace(make_snapshot(tree), strategy_sums=sums).average_strategy(tree)
        np.testing.assert_allclose(average[:, 0], [1, 1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 1], rtol=1e-15)


def test_names(tmp_path: Path) -> None:
    for iteration in (0, 500, 999_999, 1_000_000, 12_345_678):
        assert snapshot.parse_snapshot_name(snapshot.snapshot_name(iteration)) == iteration
    assert snapshot.snapshot_name(500) == "snapshot_000500.msgpack"
    assert snapshot.subgame_name(Score(4, 3)) == "subgame_4_3"
    assert snapshot.parse_subgame_name("subgame_10_0") == Score(10, 0)
    for number in ("500", "0000500", "-00500", "+00500", "00050\u0660", "000500.msgpack", "00_500", ""):
        assert snapshot.parse_snapshot_name(f"snapshot_{number}.msgpack") is None
    assert snapshot.parse_snapshot_name("snapshot_000500.msgpack\n") is None
    for name in ("subgame_4", "subgame_04_3", "subgame_4_3_", "subgame_4_-3", "subgame_4_3\n", "Subgame_4_3"):
        assert snapshot.parse_subgame_name(name) is None
    for call in (lambda: snapshot.snapshot_name(-1), lambda: snapshot.subgame_name(Score(0, -1))):
        with pytest.raises(ValueError, match="negative"):
            call()
    assert snapshot.list_snapshots(tmp_path / "missing") == []
    for name in (
        "snapshot_1000000.msgpack",
        "snapshot_000500.msgpack",
        "snapshot_000000.msgpack",
        ".x.tmp",
        "snapshot_1.msgpack",
    ):
        (tmp_path / name).write_bytes(b"")
    assert snapshot.list_snapshots(tmp_path) == [0, 500, 1_000_000]
