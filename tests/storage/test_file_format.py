"""The file format: the round trip, and a FormatError of one line for anything else on the disk."""

import contextlib
import errno
import hashlib
import os
import pickle
import random
import subprocess
import sys
import zipfile
import zlib
from functools import reduce
from pathlib import Path
from typing import Any
from unittest import mock

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.programs import environment
from support.storage_files import frame, linux, make_snapshot, packed_array, refusal, refuse_bytes, same, small_tree

from tictactoe import FormatError, Snapshot
from tictactoe.storage import atomic_files
from tictactoe.storage.atomic_files import MAXIMUM_SIZE
from tictactoe.storage.file_format import PackedList, file_bytes, read_file, write_file

TREE = small_tree()
finite = {"allow_nan": False, "allow_infinity": False}
letters = "ab_\0\n\x1b\xe9\u0660\U0001f3b2"
texts = st.text(letters, max_size=20)
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | texts | st.floats(**finite)
shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)
arrays = st.sampled_from(["f8", "f4", "i8", "i4", "i2", "i1", "u1"]).flatmap(
    lambda name: hnp.arrays(name, shapes, elements=finite if "f" in name else None)
)
keys = st.text(letters, max_size=8).filter(lambda key: key != "__array__")
values = st.recursive(scalars | arrays, lambda one: st.lists(one, max_size=4) | st.dictionaries(keys, one, max_size=4))


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(keys, values, max_size=5))
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


def test_any_msgpack_reader_reads_it(data: bytes) -> None:
    magic, kind, version, payload, checksum = msgpack.unpackb(data)
    assert (magic, kind, version) == ("smbc-tictactoe", "snapshot", 2)
    assert checksum == hashlib.sha256(data[:-34]).digest()
    regrets = msgpack.unpackb(payload)["regrets"]
    assert (regrets["__array__"], regrets["shape"]) == ("<f8", [7, 3])
    assert zlib.decompress(regrets["zlib"]) == make_snapshot(TREE).regrets.tobytes()
    assert frame(payload) == data


UNSUPPORTED: list[tuple[Any, str]] = [
    ({"x": [1.0, float("nan")]}, r"content\.key\.x\[1\]"),
    (float("-inf"), "finite"),
    (np.array([np.inf]), "finite"),
    *((np.array([item]), "dtype") for item in (None, True, 1j, "a")),
    (b"bytes", "bytes"),
    ({1}, "set"),
    (object(), "object"),
    *((number, "64 bits") for number in (2**64, -(2**63) - 1)),
    ({1: 2}, "text"),
    ({"__array__": 1}, "__array__"),
    *((long, "70000") for long in ([0] * 70_000, "x" * 70_000)),
    (reduce(lambda inner, _: [inner], range(20), 0), "deep"),
]


def test_unsupported_content(path: Path, data: bytes) -> None:
    for value, where in UNSUPPORTED:
        with pytest.raises(ValueError, match=where):
            write_file(path, "snapshot", {"key": value})
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == [path.name]


def test_damage_of_any_byte(path: Path, data: bytes) -> None:
    rng, cuts = random.Random(1), {*range(80), *range(80, len(data), 37), *range(len(data) - 40, len(data))}
    damaged = [data[:length] for length in cuts]
    payload_start = data.index(b"snapshot") + len(b"snapshot") + 1 + 3
    for position in {*range(payload_start + 20), *range(len(data) - 34, len(data))}:
        flips = (data[position] ^ flip for flip in (1, rng.choice((2, 4, 8, 16, 32, 64)), 128, 255))
        damaged += [data[:position] + bytes([flipped]) + data[position + 1 :] for flipped in flips]
    for _ in range(100):
        position, noise = rng.randrange(len(data)), rng.randbytes(rng.choice((1, 1, 1, 2, 16)))
        damaged.append(data[:position] + noise + data[position + len(noise) :])
    damaged += [data + data, b"\0" + data, data[1:], data[:100] + data[101:], data[:-34] + b"\xc0" + data[-34:]]
    for other in damaged:
        if other != data:
            refuse_bytes(path, other)


def test_damaged_payload_with_a_correct_checksum(path: Path, data: bytes) -> None:
    """No payload raises another exception. Small changes of numbers may be loaded."""
    rng = random.Random(2)
    payload = msgpack.unpackb(data)[3]
    places = [rng.randrange(len(payload)) for _ in range(200)]
    damaged = [payload[:place] + rng.randbytes(1) + payload[place + 1 :] for place in places]
    for changed in damaged + [rng.randbytes(rng.randrange(1, 60)) for _ in range(100)]:
        path.write_bytes(frame(changed))
        with contextlib.suppress(FormatError):
            Snapshot.load(path, TREE)
            continue
        refusal(Snapshot.load, path, TREE)


def test_foreign_files_and_other_versions(path: Path, data: bytes) -> None:
    payload = msgpack.unpackb(data)[3]
    refuse_bytes(path, b"", match="empty")
    refuse_bytes(path, b"Dear diary,\nno file of yours", match="not a file of smbc-tictactoe")
    for item in ([1, 2, 3], {"a": 1}, None, "snapshot", ["smbc-tictactoe", "snapshot", 1, b""], [[[]]] * 5):
        refuse_bytes(path, msgpack.packb(item))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "text")
    refuse_bytes(path, path.read_bytes())
    refuse_bytes(path, frame(b"\xc1 of the future", version=2**63), match="upgrade")
    for version in (-1, True, None, 1.0, "1", [1], b"1"):
        refuse_bytes(path, frame(payload, version=version))


def test_no_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(read_file, path, "snapshot") == "cannot be read: No such file or directory"
    assert refusal(read_file, Path(os.devnull), "snapshot") == "not a regular file"
    with pytest.raises(FormatError):
        read_file(Path("a\0b\nc"), "snapshot")
    with open(path, "wb") as file:
        file.truncate(MAXIMUM_SIZE + 1)  # sparse: nothing is written
    assert refusal(read_file, path, "snapshot") == "larger than the limit of 256 MiB"
    refuse = mock.Mock(side_effect=PermissionError(errno.EACCES, "Permission denied"))
    monkeypatch.setattr(atomic_files, "open", refuse, raising=False)
    assert refusal(read_file, path, "snapshot") == "cannot be read: Permission denied"
    error = pickle.loads(pickle.dumps(FormatError(Path("a\nb"), "what\r\x1b is wrong")))
    assert isinstance(error, FormatError)
    assert str(error) == "a\\nb: what\\r\\x1b is wrong"


FLOATS = np.zeros((7, 3))
DEFLATED = zlib.compress(FLOATS.tobytes())
BOMB = zlib.compress(bytes(2**27), 1)

HOSTILE_SHAPES = [[7, 4], [7, 2], [-7, -3], [2**40, 3], [2**25], [0, 2**62], [2**63] * 4, [1] * 60, 7, [7.0, 3.0]]
HOSTILE_DTYPES = ["|O", ">f8", "O", ["<f8"], {"a": 1}, None, "<m8[D]", "<f8,<f8"]
HOSTILE_BYTES = [b"", "text", FLOATS.tobytes(), DEFLATED[:-1], BOMB, DEFLATED + b"\0"]
HOSTILE_ARRAYS = [
    *(packed_array(FLOATS, shape=shape) for shape in [*HOSTILE_SHAPES, [True, 21], None]),
    *(packed_array(FLOATS, __array__=dtype) for dtype in HOSTILE_DTYPES),
    *(packed_array(FLOATS, zlib=packed) for packed in HOSTILE_BYTES),
    *(packed_array(np.full((7, 3), number)) for number in (np.nan, -np.inf)),
    packed_array(FLOATS, more=1),
    {"__array__": "<f8"},
]


TABLE = """
array32 ddffffffff        map32 dfffffffff       str32 dbffffffff      bin32 81a161c6ffffffff   ext32 c9ffffffff01
never-used c1             trailing 8080          nil c0                list 90                  bytes 81a161c40161
a-key-twice 82a16101a16102       integer-key 810101       list-key 819001       bytes-key 81c4016101
extension 81a161d40500           bad-text 81a161a1ff      timestamp 81a161d6ff00000000
"""
HOSTILE_PAYLOADS = dict(zip(TABLE.split()[::2], map(bytes.fromhex, TABLE.split()[1::2]), strict=True)) | {
    "nested lists": b"\x91" * 5000 + b"\xc0",
    "20 maps": b"\x81\xa1a" * 20 + b"\xc0",
    "nested maps": b"\x81\xa1a" * 900 + b"\xc0",
    "no payload": b"",
    "nested claims": b"\xdd\x00\x00\xff\xff" * 500,
    "many lists": b"\x81\xa1a" + b"\xdc\x40\x00" * 2 + b"\x90" * 2**14,
    "NaN": msgpack.packb({"a": float("nan")}),
    "infinite": msgpack.packb({"a": [float("inf")]}),
    "million": msgpack.packb({"a": [[[0] * 1000] * 100] * 50}),
    "array alone": msgpack.packb(packed_array(FLOATS)),
    "bombs": msgpack.packb({str(i): packed_array(np.zeros(0), shape=[2**24 + i], zlib=BOMB) for i in range(2)}),
}


def test_hostile_content(path: Path, data: bytes) -> None:
    content = msgpack.unpackb(msgpack.unpackb(data)[3])
    for hostile in HOSTILE_ARRAYS:
        refuse_bytes(path, frame(msgpack.packb(content | {"regrets": hostile})))
    for payload in (*HOSTILE_PAYLOADS.values(), None, "text", [1], {"a": 1}, 5):
        refuse_bytes(path, frame(payload))  # type: ignore[arg-type]
    for kind in (None, b"snapshot", 1, ["snapshot"], {"snapshot": 1}):
        refuse_bytes(path, frame(b"\x80", kind=kind))
    refuse_bytes(path, frame(b"\x80", kind="a\nb\x1b[2J" + "c" * 9999), match="of kind")  # which would break the line
    kind = b"\xa8snapshot\x01"
    for middle in (b"", kind + b"\xc4\x01\x80\xc0", kind, b"\xc6\xff\xff\xff\xff", b"\xc9\xff\xff\xff\xff\x01"):
        start = b"\x95\xaesmbc-tictactoe" + middle
        refuse_bytes(path, start + b"\xc4\x20" + hashlib.sha256(start).digest())


@linux
def test_huge_claims_allocate_nothing(tmp_path: Path) -> None:
    claims: list[dict[str, Any]] = [{"shape": [2**24, 2]}, {"shape": [2**50]}, {"zlib": BOMB}]
    payloads = [msgpack.packb({"a": packed_array(FLOATS, **claim)}) for claim in claims]
    payloads += [HOSTILE_PAYLOADS[name] for name in ("array32", "map32", "bin32", "str32", "ext32")]
    for number, payload in enumerate(payloads):
        (tmp_path / f"{number}").write_bytes(frame(payload))
    code = """if True:
        import resource, sys
        from pathlib import Path
        from tictactoe.errors import FormatError
        from tictactoe.storage.file_format import read_file
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**25, used + 2**25))
        for path in sorted(Path(sys.argv[1]).iterdir()):
            try:
                read_file(path, "snapshot")
                print("loaded", path)
            except FormatError as error:
                assert "MemoryError" not in repr(error.__cause__.__cause__), error
    """
    arguments = [sys.executable, "-c", code, str(tmp_path)]
    result = subprocess.run(arguments, env=environment(), capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


items = st.dictionaries(keys, st.integers(-9, 9) | st.lists(st.floats(0, 1), max_size=3))


@settings(max_examples=30, deadline=None)
@given(st.lists(items, max_size=20))
def test_a_list_that_was_packed_before(items: list[dict[str, Any]]) -> None:
    packed = PackedList([PackedList.item(item) for item in items])
    content = {"b": items, "a": {"x": [1, 2.5, None]}, "c": np.arange(3)}
    assert file_bytes("kind", {**content, "b": packed}) == file_bytes("kind", content)
    with pytest.raises(ValueError, match="exceeds"):
        file_bytes("kind", {"a": packed, "b": "x" * (2**16 + 1)})


def test_an_item_that_could_not_be_read() -> None:
    for value in (float("nan"), object(), 2**64, "x" * 2**16 + "x"):
        with pytest.raises(ValueError, match="a"):
            PackedList.item({"a": value})
