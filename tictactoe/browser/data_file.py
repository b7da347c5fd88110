"""The container of the page's data: a header and named arrays in one file. docs/page-data.md describes it."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from ..storage.json_text import json_text

DATA_FILE_MAGIC = b"SMBCTTT1"
"""The first bytes of the inflated file; the last one is the version of the format."""

_ALIGNMENT = 8
_NAMES = {"|i1": "int8", "|u1": "uint8", "<f4": "float32", "<f8": "float64"}


def encode(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], compression: int) -> bytes:
    """The bytes of a data file; equal arguments give equal bytes.

    header: the description of the file, as JSON types; `encode` adds the key "arrays": name, dtype and length of each.
    arrays: of dtype int8, uint8, float32 or float64, in C order.
    compression: gzip's level, 1 (fast) to 9 (small).

    >>> import numpy as np
    >>> inflated = gzip.decompress(encode({"kind": "example"}, {"square": np.array([5, 1], np.int8)}, 9))
    >>> inflated[:8], inflated[12:].rstrip(bytes(1))[-2:]
    (b'SMBCTTT1', b'\\x05\\x01')
    """
    listed = [{"name": name, "dtype": _NAMES[array.dtype.str], "length": array.size} for name, array in arrays.items()]
    text = json_text({**header, "arrays": listed}, compact=True).encode()
    text += b" " * (-(len(DATA_FILE_MAGIC) + 4 + len(text)) % _ALIGNMENT)
    parts = [DATA_FILE_MAGIC, struct.pack("<I", len(text)), text]
    for array in arrays.values():
        data = array.tobytes()
        parts += [data, bytes(-len(data) % _ALIGNMENT)]
    return gzip.compress(b"".join(parts), compresslevel=compression, mtime=0)
