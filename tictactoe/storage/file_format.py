"""The binary file format of solutions: writers and readers for files of any kind.

A file is one msgpack array of five:

    [magic "smbc-tictactoe", kind (text), format version (integer), payload (binary), checksum (binary, 32 bytes)]

The checksum is the SHA-256 of all bytes before its element (0xc4 0x20, then the checksum). The payload is a msgpack map
with sorted text keys, made of maps, lists, text, integers, finite floats, booleans, nil and arrays of numbers. An array
is a map {"__array__": dtype such as "<f8", "shape": [rows, columns], "zlib": its bytes in C order, little-endian,
deflated}. Equal content gives equal bytes with the same zlib library.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError, Remedy
from .atomic_files import MAXIMUM_SIZE, START_OF_DATA, read_bytes, replacing

FILE_MAGIC = "smbc-tictactoe"
FORMAT_VERSION = 2
WRONG_FILE_ADVICE = "; is it the right file?"
"""The end of the error for a file that this program did not write."""
_CHECKSUM_START = b"\xc4\x20"
_DTYPES = ("<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "|u1")
_MAXIMUM_LENGTH = 2**16  # of one text, list or map
_MAXIMUM_ITEMS = 2**20  # in all lists and maps of a file
_MAXIMUM_DEPTH = 16
_LIMITS = {"max_str_len": _MAXIMUM_LENGTH, "max_array_len": _MAXIMUM_LENGTH, "max_map_len": _MAXIMUM_LENGTH}
_TYPES = (dict, list, str, int, float, bool, type(None), np.ndarray)
_UNPACK_ERRORS = (ValueError, TypeError, RecursionError, MemoryError, msgpack.UnpackException)


class _ContentError(ValueError):
    def __init__(self, what: str, remedy: Remedy | None = None) -> None:
        super().__init__(what)
        self.remedy = remedy


class PackedList:
    """A list of maps, encoded in advance, for a file that is rewritten often. Readers read an ordinary list.

    The caller must respect a reader's limits: 2^16 items, and 2^20 with all nested items.
    """

    def __init__(self, items: Sequence[bytes]) -> None:
        self.data = msgpack.Packer().pack_array_header(len(items)) + b"".join(items)

    @staticmethod
    def item(content: Mapping[str, Any]) -> bytes:
        """Encode a map as an item. Raises ValueError like `write_file`."""
        packed: bytes = msgpack.packb(_encoded(content, "content", 1, 0))
        _checked(_Reader().content(packed))
        return packed


def write_file(path: Path, kind: str, content: Mapping[str, Any]) -> None:
    """Replace `path` by a file of `content`: maps with text keys, sequences, scalars and numpy arrays, nested.

    Tuples are read back as lists, and numpy scalars as Python's.

    Raises ValueError, which names the key, for content that no reader accepts, and OSError if the file cannot be
    written. After an error, the old file is intact.
    """
    write_bytes(path, file_bytes(kind, content))


def file_bytes(kind: str, content: Mapping[str, Any], *, compression: int = 1) -> bytes:
    """The bytes that `write_file` writes. compression: zlib's level, 1 to 9. Raises ValueError like `write_file`."""
    data = _packed(kind, content, compression)
    checked: dict[str, Any] = {name: [] for name, value in content.items() if isinstance(value, PackedList)}
    # Reading the bytes back applies the reader's limits to the writer.
    _unpacked(_packed(kind, {**content, **checked}, compression) if checked else data, kind, inflate=False)
    return data


def write_bytes(path: Path, data: bytes) -> None:
    """Replace the file `path`. Raises OSError."""
    with replacing(path) as file:
        file.write(data)


def start_of(kind: str) -> bytes:
    """The first bytes of every file of that kind."""
    packed: bytes = msgpack.packb(kind)
    return START_OF_DATA + packed


def read_file(path: Path, kind: str) -> dict[str, Any]:
    """The content of a file that `write_file` wrote as `kind`. Raises FormatError for anything else.

    Arrays are writable, in C order and of native byte order.
    """
    return content_of(path, read_bytes(path), kind)


def content_of(path: Path, data: bytes, kind: str, *, inflate: bool = True) -> dict[str, Any]:
    """Like `read_file`, for bytes that the caller has read. path: named in errors. inflate: False to read arrays as
    None."""
    try:
        return _unpacked(data, kind, inflate=inflate)
    except _ContentError as error:
        raise FormatError(path, str(error), error.remedy) from error


def _packed(kind: str, content: Mapping[str, Any], compression: int) -> bytes:
    lists = {name: value.data for name, value in content.items() if isinstance(value, PackedList)}
    encoded = _encoded({**content, **dict.fromkeys(lists)}, "content", 0, compression)
    payload = msgpack.Packer().pack_map_header(len(encoded))
    payload += b"".join(msgpack.packb(name) + (lists.get(name) or msgpack.packb(encoded[name])) for name in encoded)
    start: bytes = START_OF_DATA + b"".join(msgpack.packb(item) for item in (kind, FORMAT_VERSION, payload))
    return start + _CHECKSUM_START + hashlib.sha256(start).digest()


def _encoded(value: Any, key: str, depth: int, compression: int) -> Any:
    if depth > _MAXIMUM_DEPTH:
        raise ValueError(f"{key}: nested more than {_MAXIMUM_DEPTH} deep")
    if isinstance(value, np.ndarray):
        dtype = value.dtype.newbyteorder("<")
        if dtype.str not in _DTYPES:
            raise ValueError(f"{key}: dtype {value.dtype} is not supported")
        if not np.isfinite(value).all():
            raise ValueError(f"{key}: has values that are not finite")
        packed = zlib.compress(value.astype(dtype).tobytes(), compression)
        return {"__array__": dtype.str, "shape": list(value.shape), "zlib": packed}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) and name != "__array__" for name in value):
            raise ValueError(f"{key}: the keys of a map must be text other than '__array__'")
        return {name: _encoded(value[name], f"{key}.{name}", depth + 1, compression) for name in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [_encoded(item, f"{key}[{index}]", depth + 1, compression) for index, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{key}: {value} is not finite")
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise ValueError(f"{key}: {value} does not fit into 64 bits")
    if value is None or isinstance(value, (str, float, int)):
        return value
    raise ValueError(f"{key}: type {type(value).__name__} is not supported")


def _unpacked(data: bytes, kind: str, *, inflate: bool = True) -> dict[str, Any]:
    if len(data) > MAXIMUM_SIZE:
        raise _ContentError(f"larger than the limit of {MAXIMUM_SIZE // 2**20} MiB")
    if not data.startswith(START_OF_DATA):
        what = (
            "empty" if not data else "incomplete" if START_OF_DATA.startswith(data) else f"not a file of {FILE_MAGIC}"
        )
        raise _ContentError(what + WRONG_FILE_ADVICE)
    checksum = hashlib.sha256(memoryview(data)[:-34]).digest()
    if data[-34:] != _CHECKSUM_START + checksum:
        raise _ContentError("damaged or incomplete: the checksum does not match; use another copy or an earlier file")
    try:
        unpacker = msgpack.Unpacker(None, max_buffer_size=len(data), max_array_len=0, max_map_len=0, max_ext_len=0)
        unpacker.feed(memoryview(data)[len(START_OF_DATA) :])
        frame = list(itertools.islice(unpacker, 5))
    except _UNPACK_ERRORS as error:
        raise _ContentError(_in_our_words(error)) from error
    if [type(item) for item in frame] != [str, int, bytes, bytes] or frame[3] != checksum:
        raise _ContentError("the file is not [magic, kind, version, payload, checksum]")
    found, version, payload, _ = frame
    if version < FORMAT_VERSION:
        what, remedy = f"from an older version of {FILE_MAGIC}, in a format that is no longer read", _HELD[kind][1]
        raise _ContentError(what, _OLDER_KINDS.get(found, remedy))
    if found != kind:
        if {found, kind} <= _HELD.keys():
            raise _ContentError(f"it has {_HELD[found][0]}, not {_HELD[kind][0]}: name another file")
        raise _ContentError(f"a file of kind {found[:40]!r}, but {kind!r} is needed")
    if version > FORMAT_VERSION:
        raise _ContentError(f"format version {version}, but {FORMAT_VERSION} is needed; upgrade {FILE_MAGIC}")
    return _checked(_Reader(inflate).content(payload))


_HELD = {
    "solution": ("the record of a solved match", Remedy.SOLVE_ANEW),
    "snapshot": ("the solution of a game", Remedy.SOLVE_ANEW),
    "best_response": ("a best response", Remedy.ANSWER_ANEW),
    "checkpoint": ("the checkpoint of a match", Remedy.SOLVE_ANEW),
    "learnt_table": ("what was learnt about a game", Remedy.LEARN_ANEW),
}
"""Words for the content of a file, and the way to make such a file again, by kind."""
_OLDER_KINDS = {"game_snapshot": Remedy.SOLVE_GAME_ANEW, "learnt_game": Remedy.LEARN_ANEW}
"""The kinds that only older versions had."""


def _in_our_words(error: Exception) -> str:
    if found := re.match(r"([0-9]+) exceeds max_([a-z]+)_len\(([0-9]+)\)", str(error)):
        kinds = {"array": "a list", "map": "a map", "str": "a text"}
        return f"{kinds.get(found[2], 'binary data')} of length {found[1]}, which exceeds the limit of {found[3]}"
    return "not well-formed msgpack; use another copy or an earlier file"


def _checked(content: Any) -> dict[str, Any]:
    if type(content) is not dict or _deeper_than(content, _MAXIMUM_DEPTH):
        raise _ContentError(f"the content is not a map, or nested more than {_MAXIMUM_DEPTH} deep")
    return content


def _deeper_than(value: Any, depth: int) -> bool:
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    return depth < 0 or any(_deeper_than(item, depth - 1) for item in inner)


class _Reader:
    def __init__(self, inflate: bool = True) -> None:
        self._inflate = inflate
        self._items_left, self._bytes_left = _MAXIMUM_ITEMS, MAXIMUM_SIZE

    def content(self, payload: bytes) -> Any:
        hooks = {"list_hook": self._list, "object_pairs_hook": self._map}
        try:  # msgpack allocates the length that a list declares, which requires limits
            return msgpack.unpackb(payload, **hooks, **_LIMITS)
        except _ContentError:
            raise
        except _UNPACK_ERRORS as error:
            raise _ContentError(_in_our_words(error)) from error

    def _list(self, items: list[Any]) -> list[Any]:
        self._items_left -= len(items) + 1
        if self._items_left < 0:
            raise _ContentError(f"more than {_MAXIMUM_ITEMS} items")
        for item in items:
            if type(item) not in _TYPES:
                raise _ContentError(f"a value of type {type(item).__name__}")
            if type(item) is float and not math.isfinite(item):
                raise _ContentError(f"a number that is not finite: {item}")
        return items

    def _map(self, pairs: list[tuple[Any, Any]]) -> Any:
        result = dict(pairs)
        if len(result) != len(pairs) or not all(type(name) is str for name in result):
            raise _ContentError("a map has a key twice, or one that is not text")
        if "__array__" in result:
            return self._array(result)
        self._list(list(result.values()))
        return result

    def _array(self, value: dict[str, Any]) -> NDArray[Any] | None:
        name, shape, packed = value["__array__"], value.get("shape"), value.get("zlib")
        if name not in _DTYPES or len(value) != 3 or type(shape) is not list or type(packed) is not bytes:
            raise _ContentError("an array of unknown dtype, without a shape or without its bytes")
        if len(shape) > _MAXIMUM_DEPTH or not all(type(length) is int and length >= 0 for length in shape):
            raise _ContentError("an array of impossible shape")
        dtype = np.dtype(name)
        if dtype.itemsize * math.prod(max(length, 1) for length in shape) > self._bytes_left:
            raise _ContentError(f"arrays larger than the limit of {MAXIMUM_SIZE // 2**20} MiB")
        size = dtype.itemsize * math.prod(shape)
        self._bytes_left -= size
        if not self._inflate:
            return None
        inflater = zlib.decompressobj()
        try:
            raw = inflater.decompress(
                packed, size + 1
            )  # allocates for the bytes that arrive, not for the claimed shape
        except (zlib.error, MemoryError) as error:
            raise _ContentError("an array whose bytes cannot be inflated") from error
        if len(raw) != size or not inflater.eof or inflater.unused_data:
            raise _ContentError(f"an array whose bytes do not fill its shape {shape} exactly")
        array: NDArray[Any] = np.frombuffer(raw, dtype).reshape(shape).astype(dtype.newbyteorder("="))
        if not np.isfinite(array).all():
            raise _ContentError("an array with values that are not finite")
        return array
