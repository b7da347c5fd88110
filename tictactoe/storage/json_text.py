"""Writing JSON, with null in place of NaN and infinity, which JSON does not have."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(content: Any, *, indent: int | None = None, compact: bool = False) -> str:
    """The content as JSON, in ASCII: maps, sequences, text, numbers, booleans, None.

    compact: without blanks. A float that is not finite stands for an unknown figure and becomes null; -0.0 becomes 0.0.

    >>> json_text({"value": float("nan"), "range": (-0.0, float("inf"))})
    '{"value": null, "range": [0.0, null]}'
    """
    separators = (",", ":") if compact else None
    return json.dumps(_plain(content), indent=indent, separators=separators, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else None
    return value
