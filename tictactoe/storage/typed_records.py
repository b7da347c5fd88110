"""Typed records: what the content of a file must be before it is used, and what is said of content that is not it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from ..errors import FormatError
from .decoding import in_our_words
from .directory_layout import MOST_ITERATIONS
from .file_format import read_file

Iteration = Annotated[int, msgspec.Meta(ge=0, lt=MOST_ITERATIONS)]

_Record = TypeVar("_Record")


def read_record(path: Path, kind: str, record: type[_Record]) -> _Record:
    """The content of a file of a kind, as `read_file` gives it, as a record. Raises FormatError as that does."""
    return as_record(path, read_file(path, kind), record)


def as_record(path: Path, content: dict[str, Any], record: type[_Record], **keys: str) -> _Record:
    """The content of the file `path` as a record, which is a dataclass or a msgspec.Struct that forbids other fields.

    keys: by the name of a field its key in the content, where that is another one. Raises FormatError, naming the key,
    for a field that is missing, unknown, or of another type than annotated: a truth value is no number, nor is text.
    """
    names = [field.name for field in fields(record)] if is_dataclass(record) else content
    try:
        if unknown := sorted(content.keys() - {keys.get(name, name) for name in names}):
            raise msgspec.ValidationError(f"Object contains unknown field `{unknown[0]}`")
        return msgspec.convert({**content, **{name: content.get(key) for name, key in keys.items()}}, record)
    except AttributeError as error:  # what msgspec 0.22 makes of an array that it takes for a map
        raise FormatError(path, "an array of numbers where a map is needed") from error
    except msgspec.ValidationError as error:
        what = in_our_words(error)
        for name, key in keys.items():
            what = what.replace(name, key)
        raise FormatError(path, what) from error
