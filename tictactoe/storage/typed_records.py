"""Schema validation of file contents, and its error messages."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from ..errors import FormatError
from ..match.file_keys import FILE_KEYS, file_key
from .decoding import in_our_words
from .directory_layout import MOST_ITERATIONS
from .file_format import read_file

Iteration = Annotated[int, msgspec.Meta(ge=0, lt=MOST_ITERATIONS)]

_Record = TypeVar("_Record")


def read_record(path: Path, kind: str, record: type[_Record]) -> _Record:
    """Read a file of a kind and convert its content to a record. Raises FormatError as `read_file` and `as_record`."""
    return as_record(path, read_file(path, kind), record)


def as_record(path: Path, content: dict[str, Any], record: type[_Record]) -> _Record:
    """Convert the content of the file `path` to a record: a dataclass, or a msgspec.Struct that forbids unknown fields.

    The fields of a dataclass are read from their keys in files (`file_keys.py`). Raises FormatError, with the key, for
    a field that is missing, unknown, or of another type than annotated: booleans and text are no numbers.
    """
    names = [field.name for field in fields(record)] if is_dataclass(record) else []
    keys = {name: FILE_KEYS[name] for name in names if name in FILE_KEYS}
    try:
        if names and (unknown := sorted(content.keys() - {file_key(name) for name in names})):
            raise msgspec.ValidationError(f"Object contains unknown field `{unknown[0]}`")
        return msgspec.convert({**content, **{name: content.get(key) for name, key in keys.items()}}, record)
    except AttributeError as error:  # msgspec 0.22 raises it for an array in place of a map
        raise FormatError(path, "an array of numbers where a map is needed") from error
    except msgspec.ValidationError as error:
        what = in_our_words(error)
        for name, key in keys.items():
            what = what.replace(name, key)
        raise FormatError(path, what) from error
