"""What is done to a file before a command reads it: an edit is a list that JSON can hold, so that it can be repeated.

["set", PLACE, VALUE], ["remove", PLACE], ["twice", PLACE, VALUE], ["add", PLACE, KEY, VALUE], ["wrap", PLACE],
["copy", PLACE, FILE], ["array", PLACE, HOW, ...] change the value in a file; a PLACE is a list of keys and indices.
["cut", PART], ["byte", PART, NUMBER] change its bytes; ["replace", FILE], ["delete"], ["directory"], ["link", TARGET],
["pipe"], ["rename", NAME] the file itself.
"""

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from fuzzing.files import DEEP, Array, format_of

Edit = list[Any]


def apply(path: Path, edit: Edit, original: Path) -> None:
    """Do it to a file, if it is there and has the place. original: the world without edits, for what is copied."""
    if not path.is_file() or path.is_symlink():
        return
    what, *rest = edit
    if what in _OF_FILES:
        _change_file(path, what, rest, original)
        return
    if (kind := format_of(path)) is None:
        return
    try:
        content = kind.read(path.read_bytes())
    except Exception:  # an edit before has left nothing to be opened
        return
    edited = _edited(content, what, rest, original)
    data = kind.write(edited)
    path.unlink()
    path.write_bytes(data)


def value_of(described: Any) -> Any:
    """A value as a file holds it: {"!": ...} stands for what JSON has not, or not in a few letters."""
    if not isinstance(described, dict) or "!" not in described:
        if isinstance(described, dict):
            return {name: value_of(item) for name, item in described.items()}
        return [value_of(item) for item in described] if isinstance(described, list) else described
    match described["!"]:
        case "deep":
            return DEEP.format(described["depth"])
        case "many":
            return [described["of"]] * described["count"]
        case "text":
            return described["of"] * described["count"]
        case "bytes":
            return bytes.fromhex(described["hex"])
        case "array":
            return Array(described["dtype"], described["shape"], np.full(described["shape"], 1, described["dtype"]))
    raise ValueError(described)


def at(content: Any, place: list[Any]) -> Any:
    """What stands at a place. Raises LookupError or TypeError where nothing does."""
    for key in place:
        content = content[key]
    return content


def _edited(content: Any, what: str, rest: list[Any], original: Path) -> Any:
    place = rest[0]
    try:
        new = _new(at(content, place), what, rest[1:], original, place)
        if not place:
            return new
        holder = at(content, place[:-1])
        if new is _GONE:
            del holder[place[-1]]
        elif what == "twice" and isinstance(holder, dict):
            holder[Again(place[-1])] = new
        else:
            holder[place[-1]] = new
    except (LookupError, TypeError):  # an edit before has taken the place away
        pass
    return content


_GONE = object()


class Again(str):
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def _new(old: Any, what: str, rest: list[Any], original: Path, place: list[Any]) -> Any:
    match what:
        case "set" | "twice":
            return value_of(rest[0])
        case "remove":
            return _GONE if place else None
        case "add":
            key, value = rest[0], value_of(rest[1])
            return old | {key: value} if isinstance(old, dict) else [*old, value] if isinstance(old, list) else old
        case "wrap":
            return [old]
        case "copy":
            path = original / rest[0]
            kind = format_of(path)
            return at(kind.read(path.read_bytes()), place) if kind else old
        case "array":
            return _new_array(old, *rest) if isinstance(old, Array) else old
    raise ValueError(what)


def _new_array(old: Array, how: str, *rest: Any) -> Array:
    numbers = old.numbers.copy()
    with np.errstate(all="ignore"):
        match how:
            case "dtype":  # other numbers and another claim
                return Array(rest[0], old.shape, numbers.astype(np.dtype(rest[0])))
            case "claim":  # the same numbers and another claim
                return Array(rest[0], old.shape, numbers)
            case "shape":
                return Array(old.dtype, value_of(rest[0]), numbers)
            case "rows":
                numbers = np.resize(numbers, (rest[0], *numbers.shape[1:]))
            case "turn":
                numbers = np.ascontiguousarray(numbers.T)
            case "fill":
                numbers[...] = _fitting(rest[0], numbers.dtype)
            case "put" if numbers.size:
                numbers.reshape(-1)[int(rest[0] * (numbers.size - 1))] = _fitting(rest[1], numbers.dtype)
            case "scale":
                numbers = (numbers * rest[0]).astype(numbers.dtype)
    return Array(old.dtype, list(numbers.shape), numbers)


def _fitting(value: float, dtype: np.dtype[Any]) -> Any:
    return np.float64(value).astype(dtype)


_OF_FILES = ("cut", "byte", "replace", "delete", "directory", "link", "pipe", "rename")


def _change_file(path: Path, what: str, rest: list[Any], original: Path) -> None:
    if what == "rename":
        if not path.with_name(rest[0]).is_dir():
            path.replace(path.with_name(rest[0]))
        return
    data = bytearray(path.read_bytes())
    path.unlink()
    match what:
        case "cut":
            path.write_bytes(data[: int(rest[0] * len(data))])
        case "byte":
            if data:
                data[int(rest[0] * (len(data) - 1))] = rest[1]
            path.write_bytes(data)
        case "replace":
            shutil.copyfile(original / rest[0], path)
        case "directory":
            path.mkdir()
        case "link":
            path.symlink_to(rest[0])
        case "pipe":
            os.mkfifo(path)
