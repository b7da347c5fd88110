"""Python files and modules of a user, such as update rules. Errors name the file and the line."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.util
import re
import runpy
import sys
import traceback
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from ..errors import UserCodeError
from .update_rules import registered_rules


def run_file(path: Path) -> dict[str, Any]:
    """Run an existing Python file and return its names. Raises UserCodeError, which names file and line."""
    sys.path.insert(0, str(path.resolve().parent))  # imports from its own folder work, as for a script
    try:
        with faults_with_lines({str(path)}):
            return runpy.run_path(str(path), run_name=path.stem)
    finally:
        sys.path.pop(0)


def what_is_no_file(path: Path) -> str | None:
    """The reason why a path does not name a file; None if it does."""
    return None if path.is_file() else "is a directory" if path.is_dir() else "there is no such file"


@contextlib.contextmanager
def faults_with_lines(files: Collection[str]) -> Iterator[None]:
    """Turn an error that passes through code of these files into a UserCodeError with file and line."""
    try:
        yield
    except (Exception, SystemExit) as raised:
        # a generator turns StopIteration, such as from next(), into an error whose trace does not lead to it
        error = raised.__cause__ if isinstance(raised.__cause__, StopIteration) else raised
        place = _place(error, files)
        if place is None:
            raise
        what = str(error.msg if isinstance(error, SyntaxError) else error)
        notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
        raise UserCodeError(f"{place}: {type(error).__name__}{': ' if what else ''}{what}{notes}") from error


def _place(error: BaseException, files: Collection[str]) -> str | None:
    if isinstance(error, SyntaxError) and error.filename in files:
        return f"{error.filename}:{error.lineno}"
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        # code that was sent to a worker may have lost its own file name
        for file in (frame.f_code.co_filename, frame.f_globals.get("__file__")):
            if file in files:
                return f"{file}:{line}"
    return None


def load_rules(names: Sequence[str]) -> list[str]:
    """Run files and import modules that register rules. Returns the names of the rules in order of registration.

    Raises ValueError for a missing file or module, and UserCodeError, which names file and line, for an error in the
    code and for code that registers no rule.
    """
    found: list[str] = []
    for name in dict.fromkeys(names):
        before = registered_rules()
        if not _is_file(name):
            _import_module(name)
        elif (what := what_is_no_file(Path(name))) is not None:
            raise ValueError(f"algorithms_from: {Path(name)}: {what}")
        else:
            run_file(Path(name))
        new = [rule for rule, definition in registered_rules().items() if before.get(rule) is not definition]
        if not new:
            raise UserCodeError(
                f"{name}: it registers no rule; call register_rule in it, as docs/adding-a-rule.md shows"
            )
        found += [rule for rule in new if rule not in found]
    return found


def send_modules_of(names: Sequence[str]) -> None:
    """Send the code that `load_rules` has run, with the modules in the same folders, along with a cluster's tasks."""
    if not names:
        return
    try:
        import cloudpickle
    except ModuleNotFoundError:  # without it, no cluster can be used, and `open_cluster` says so
        return
    for module in _modules_beside(_paths_of(names)).values():
        cloudpickle.register_pickle_by_value(module)


def digest_of_rules(names: Sequence[str]) -> str:
    """The SHA-256 (hexadecimal) of the code that `load_rules` has run, whatever its line endings."""
    digest, paths = hashlib.sha256(), {path.resolve() for path in _paths_of(names)}
    for path in filter(Path.is_file, sorted(paths | _modules_beside(paths).keys())):
        digest.update(path.name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def _paths_of(names: Sequence[str]) -> list[Path]:
    return [Path(name) if _is_file(name) else Path(sys.modules[name].__file__ or "") for name in names]


def _modules_beside(paths: Collection[Path]) -> dict[Path, ModuleType]:
    folders = {path.resolve().parent for path in paths}
    found: dict[Path, ModuleType] = {}
    if not folders:
        return found
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and Path(file).resolve().parent in folders and module.__name__.split(".")[0] != "tictactoe":
            found[Path(file).resolve()] = module
    return found


@contextlib.contextmanager
def faults_of_workers() -> Iterator[None]:
    """Turn a worker's error about a missing module into a UserCodeError."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise UserCodeError(
            f"the workers have no module {error.name}, which an algorithm imports; install it"
        ) from error


def _is_file(name: str) -> bool:
    return name.endswith(".py") or "/" in name or "\\" in name


def _import_module(name: str) -> None:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"algorithms_from: {name[:60]!r} is neither a .py file nor a module")
    try:
        specification = importlib.util.find_spec(name)
    except ModuleNotFoundError:  # a parent package is missing
        specification = None
    if specification is None:
        raise ValueError(f"algorithms_from: no module {name} can be imported; a file is named with its .py")
    with faults_with_lines({specification.origin or name}):
        importlib.import_module(name)


@contextlib.contextmanager
def faults_of_rules() -> Iterator[None]:
    """Turn errors of registered rules, and coefficients out of range, into a UserCodeError that names file and line."""
    found = ((name, _code(definition.fill)) for name, definition in registered_rules().items())
    codes = {name: code for name, code in found if code is not None}
    with faults_with_lines({code.co_filename for code in codes.values()}):
        try:
            yield
        except ValueError as error:
            name = next((name for name in codes if re.match(rf"{re.escape(name)}[:(]", str(error))), None)
            if name is None:
                raise
            code = codes[name]
            raise UserCodeError(f"{code.co_filename}:{code.co_firstlineno}: {error}") from error


def _code(fill: Any) -> CodeType | None:
    while isinstance(fill, functools.partial):
        fill = fill.func
    code: CodeType | None = getattr(fill if hasattr(fill, "__code__") else type(fill).__call__, "__code__", None)
    return code
