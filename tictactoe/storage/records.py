"""Results as records: attributes of a value by the keys that JSON has, and rows as a CSV table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any


def picked(value: object, *keys: str) -> dict[str, Any]:
    """Attributes of a value for JSON. keys: "name", or "key=name" for an attribute with another key.

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
