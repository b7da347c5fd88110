"""JSON as this program writes it: no NaN and no Infinity, which are not JSON; null stands for a figure that is none."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(content: Any, *, indent: int | None = None, compact: bool = False) -> str:
    """The content as JSON, in ASCII: maps, sequences, text, numbers, booleans, None.

    compact: without blanks. A float that is not finite is a figure that is not known, and becomes null.

    >>> json_text({"value": float("nan"), "range": (0.5, float("inf"))})
    '{"value": null, "range": [0.5, null]}'
    """
    separators = (",", ":") if compact else None
    try:
        return json.dumps(content, indent=indent, separators=separators, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(content), indent=indent, separators=separators, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
