"""Results as text for other programs: JSON, CSV, and LaTeX for a paper."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import msgspec


def picked(value: object, *keys: str) -> dict[str, Any]:
    """Attributes of a value, for JSON. keys: "name", or "key=name" for an attribute with another key.

    >>> picked(3 + 4j, "real", "other=imag")
    {'real': 3.0, 'other': 4.0}
    """
    return {key: getattr(value, name or key) for key, _, name in (text.partition("=") for text in keys)}


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """A CSV table. The keys of the first row are the headings.

    >>> csv_text([{"score": "4-3", "value": 0.5}])
    'score,value\\n4-3,0.5\\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def json_text(content: Any, *, indent: int | None = None, compact: bool = False) -> str:
    r"""The content as JSON, in ASCII: maps, sequences, text, numbers, booleans, None.

    compact: whether to omit blanks. A float that is not finite becomes null, and -0.0 becomes 0.0.

    >>> json_text({"value": float("nan"), "range": (-0.0, float("inf"))})
    '{"value": null, "range": [0.0, null]}'
    >>> json_text({"name": "Zo\u00eb", "won": 3}, compact=True)
    '{"name":"Zo\\u00eb","won":3}'
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
"""The digits of the longest whole number. Python refuses longer ones with its own message."""
_LONGEST_SHOWN = 120
"""The most characters of an error's text."""


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
    """A decoder's error on one short line that begins with the field: "score[1]: expected int, got bool"."""
    import msgspec

    if isinstance(error, RecursionError):
        return "not JSON: lists in lists without end"
    if isinstance(error, UnicodeDecodeError):
        return "not JSON: a byte that is not UTF-8"
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


_ESCAPED = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_ESCAPED |= {character: f"\\{character}" for character in "&%$#_{}"}


def latex_table(headings: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> str:
    """A tabular without packages. Floats have five digits, small ones three; None is a dash. caption: the text of a
    comment above it.

    >>> print(latex_table(("rule", "runs", "median"), [("cfr_2", 20, 2.5e-7), ("own", 1, None)]), end="")
    \\begin{tabular}{lrr}
    \\hline
    rule & runs & median \\\\
    \\hline
    cfr\\_2 & 20 & $2.50 \\cdot 10^{-7}$ \\\\
    own & 1 & \\textendash \\\\
    \\hline
    \\end{tabular}
    """
    columns = zip(*rows, strict=True)
    kinds = "".join("l" if any(isinstance(cell, str) for cell in column) else "r" for column in columns)
    lines = [" & ".join(map(latex_text, headings)), *(" & ".join(map(_cell, row)) for row in rows)]
    head, *body = (f"{line} \\\\" for line in lines)
    table = [f"\\begin{{tabular}}{{{kinds}}}", "\\hline", head, "\\hline", *body, "\\hline", "\\end{tabular}"]
    comment = [f"% {' '.join(caption.split())}"] if caption else []
    return "\n".join([*comment, *table]) + "\n"


def latex_text(text: str) -> str:
    """Escape what has a meaning in LaTeX, and write numbers such as 1e-06 as powers of ten.

    >>> latex_text("50 % of {a_b}, to 1e-06")
    '50 \\\\% of \\\\{a\\\\_b\\\\}, to $10^{-6}$'
    """
    parts = re.split(r"\b1e([+-]\d+)\b", text.replace("\N{MINUS SIGN}", "-"))
    words = ["".join(_ESCAPED.get(character, character) for character in part) for part in parts[::2]]
    powers = [f"$10^{{{int(exponent)}}}$" for exponent in parts[1::2]]
    return "".join(word + power for word, power in zip(words, [*powers, ""], strict=True))


def _cell(value: object) -> str:
    if value is None or value == "":
        return "\\textendash"
    if not isinstance(value, float):
        return latex_text(str(value))
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    if value == 0.0 or -3 < int(exponent) < 5:
        return f"${value:.5g}$"
    return f"${mantissa} \\cdot 10^{{{int(exponent)}}}$"
