"""Python files of a user: running them, and errors in them that name file and line."""

from __future__ import annotations

import contextlib
import runpy
import sys
import traceback
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from ..errors import UserCodeError


def run_file(path: Path) -> dict[str, Any]:
    """Run a Python file, which must exist; its names. Raises UserCodeError, with file and line, for an error in it."""
    sys.path.insert(0, str(path.resolve().parent))  # as for a script: imports from its own folder work
    try:
        with faults_with_lines({str(path)}):
            return runpy.run_path(str(path), run_name=path.stem)
    finally:
        sys.path.pop(0)


def what_is_no_file(path: Path) -> str | None:
    """Why the path names no file, in words; None for a file."""
    return None if path.is_file() else "is a directory" if path.is_dir() else "there is no such file"


@contextlib.contextmanager
def faults_with_lines(files: Collection[str]) -> Iterator[None]:
    """Turns an error that was raised in, or passed through, code of these files into a UserCodeError with file and
    line."""
    try:
        yield
    except (Exception, SystemExit) as raised:
        # a generator turns StopIteration, as of a bare next(), into another error, whose trace does not lead to it
        error = raised.__cause__ if isinstance(raised.__cause__, StopIteration) else raised
        place = _place(error, files)
        if place is None:
            raise
        what = str(error.msg if isinstance(error, SyntaxError) else error)
        notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
        raise UserCodeError(f"{place}: {type(error).__name__}{': ' if what else ''}{what}{notes}") from error


def _place(error: BaseException, files: Collection[str]) -> str | None:
    """File and line of the innermost of the error's frames in these files; None without such a frame.

    Code that has travelled to a worker is known by the module that it belongs to: its own file name may be lost.
    """
    if isinstance(error, SyntaxError) and error.filename in files:
        return f"{error.filename}:{error.lineno}"
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        for file in (frame.f_code.co_filename, frame.f_globals.get("__file__")):
            if file in files:
                return f"{file}:{line}"
    return None
