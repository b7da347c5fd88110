"""JSON that may be anything: read, or said in plain words what is wrong with it and where."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

_MOST_DIGITS = 4300
"""Of a whole number: more are refused by Python, in its own words."""
_LONGEST_SHOWN = 120


def json_of(data: str | bytes, **hooks: Any) -> Any:
    r"""What a text says. hooks: as `json.loads` takes them. Raises ValueError, in plain words, for what is no JSON.

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
    """What a decoder found, the field first: "score[1]: expected int, got bool"; no more than a line has room for."""
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
