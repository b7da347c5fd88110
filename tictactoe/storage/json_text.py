"""JSON as this program writes it: no NaN and no Infinity, which are not JSON; null stands for a figure that is none."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(content: Any, *, indent: int | None = None, compact: bool = False) -> str:
    """The content as JSON, in ASCII: maps, sequences, text, numbers, booleans, None.

    compact: without blanks. A float that is not finite is a figure that is not known, and becomes null; a zero has no
    sign.

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
