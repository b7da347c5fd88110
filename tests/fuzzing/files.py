"""Files of every kind, opened into plain values and closed again with a right checksum, whatever has become of them.

The program's writer is not used, because it refuses wrong values. A value is a map, a list, a scalar, bytes or an
`Array`. The published program's files stay closed; tests/storage/test_import_strategies.py damages them.
"""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack
import numpy as np


@dataclass
class Array:
    """An array of numbers in a file. Its claims about itself need not agree with the numbers."""

    dtype: str
    shape: list[Any]
    numbers: np.ndarray


DEEP = "lists in lists: {}."
"""Stands in a value for so many: deeper than writers go."""


@dataclass(frozen=True)
class Format:
    read: Callable[[bytes], Any]
    write: Callable[[Any], bytes]


def format_of(path: Path) -> Format | None:
    if path.suffix == ".gz":
        inner = format_of(path.with_suffix(""))
        return inner and Format(lambda data: inner.read(gzip.decompress(data)), lambda value: _zip(inner.write(value)))
    return FORMATS.get(path.suffix)


def _zip(data: bytes) -> bytes:
    return gzip.compress(data, 1, mtime=0)


def _read_msgpack(data: bytes) -> Any:
    magic, kind, version, payload, _ = msgpack.unpackb(data)
    content = msgpack.unpackb(payload, object_hook=_array_of)
    return {"magic": magic, "kind": kind, "version": version, "content": content}


def _array_of(found: dict[str, Any]) -> Any:
    if "__array__" not in found:
        return found
    numbers = np.frombuffer(zlib.decompress(found["zlib"]), found["__array__"]).reshape(found["shape"])
    return Array(found["__array__"], found["shape"], numbers)


def _write_msgpack(value: Any) -> bytes:
    """A file with a right checksum, or without a frame if the value has none."""
    if not isinstance(value, dict):
        return _packed(value)
    frame = [value.get(name) for name in ("magic", "kind", "version")]
    start = b"\x95" + b"".join(map(_packed, [*frame, _packed(value.get("content"))]))
    return start + b"\xc4\x20" + hashlib.sha256(start).digest()


def _packed(value: Any) -> bytes:
    packed = msgpack.packb(value, default=_packable, unicode_errors="surrogatepass")
    return re.sub(rb"(?s:.)lists in lists: (\d+)\.", lambda found: b"\x91" * int(found[1]) + b"\xc0", packed)


def _packable(value: Any) -> Any:
    if isinstance(value, Array):
        return {"__array__": value.dtype, "shape": value.shape, "zlib": zlib.compress(value.numbers.tobytes(), 1)}
    return max(-(2**63), min(value, 2**64 - 1))


def _write_json(value: Any) -> bytes:
    return _text(value).encode("utf-8", "surrogatepass")


def _text(value: Any) -> str:
    text = json.dumps(value, default=lambda held: held.hex() if isinstance(held, bytes) else held.numbers.tolist())
    return re.sub(r'"lists in lists: (\d+)\."', lambda found: "[" * int(found[1]) + "]" * int(found[1]), text)


def _read_lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


def _write_lines(value: Any) -> bytes:
    return b"".join(_write_json(line) + b"\n" for line in (value if isinstance(value, list) else [value]))


def _read_table(data: bytes) -> list[list[str]]:
    return [line.split(",") for line in data.decode().splitlines()]


def _write_table(value: Any) -> bytes:
    lines = value if isinstance(value, list) else [value]
    texts = (",".join(map(_cell, line)) if isinstance(line, list) else _cell(line) for line in lines)
    return "".join(f"{text}\n" for text in texts).encode("utf-8", "surrogatepass")


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else _text(value)


FORMATS = {
    ".msgpack": Format(_read_msgpack, _write_msgpack),
    ".json": Format(json.loads, _write_json),
    ".jsonl": Format(_read_lines, _write_lines),
    ".ndjson": Format(_read_lines, _write_lines),
    ".csv": Format(_read_table, _write_table),
}
