"""Writing JSON, with null in place of NaN and infinity, and reading untrusted JSON, with errors in plain words."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import msgspec


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


_MOST_DIGITS = 4300
"""Digits of the longest whole number; Python refuses longer ones with a message of its own."""
_LONGEST_SHOWN = 120
"""Characters of an error's text, at most."""


def json_of(data: str | bytes, **hooks: Any) -> Any:
    r"""Decode a JSON text. hooks: keyword arguments of `json.loads`. Raises ValueError, in plain words, for other text.

    >>> json_of('{"moves": [1, 5]}')
    {'moves': [1, 5]}
    >>> json_of('{\n"moves": [1, 5}')
    Traceback (most recent call last):
    ValueError: not JSON at line 2, character 15
    """
    try:
        text = data if isinstance(data, str) else data.decode()
        return json.loads(text, **{"parse_int": _whole_number, **hooks})
    except json.JSONDecodeError as error:
        if error.pos >= len(error.doc.rstrip()):
            what = "it breaks off" if error.doc.strip() else "nothing is there"
            raise ValueError(f"not JSON: {what}") from error
        line = f"line {error.lineno}, " if "\n" in error.doc.rstrip("\n") else ""
        raise ValueError(f"not JSON at {line}character {error.colno}") from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise ValueError(in_our_words(error)) from error


def in_our_words(error: msgspec.MsgspecError | UnicodeDecodeError | RecursionError) -> str:
    """A decoder's error on one short line, the field first: "score[1]: expected int, got bool"."""
    import msgspec

    if isinstance(error, RecursionError):
        return "not JSON: lists in lists without end"
    if isinstance(error, UnicodeDecodeError):
        return "not JSON: a byte that is no UTF-8"
    if isinstance(error, msgspec.DecodeError) and not isinstance(error, msgspec.ValidationError):
        place = re.search(r"\(byte ([0-9]+)\)", str(error))
        return f"not JSON at byte {int(place[1]) + 1}" if place else "not JSON: it breaks off"
    text = str(error).replace("`array`", "list").replace("`object`", "map").replace("enum value", "value")
    what, _, where = text.replace("`", "").removeprefix("Object ").rpartition(" - at $")
    what, where = (what, where) if what else (where, "")
    place_in_it = f"{where.lstrip('.')}: " if where else ""
    return f"{place_in_it}{what[:1].lower()}{what[1:_LONGEST_SHOWN]}"


def _whole_number(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number of more than {_MOST_DIGITS} digits")
    return int(text)
