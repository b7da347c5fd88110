"""The versions with which a process computes. Equal versions give equal results on equal processors."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

COMPARED_LIBRARIES = ("numpy", "numba", "llvmlite")
"""The libraries on which the results of regret minimization depend."""

Versions = Mapping[str, str]
"""Versions by the name of a library, of Python or of this package; "none" for a missing library."""


@cache
def own_version() -> str:
    """This package's version and a digest of its source files that ignores line ends.

    >>> number, digest = own_version().split("+")
    >>> len(digest)
    12
    """
    from .. import __version__

    digest, package = hashlib.sha256(), Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        source = path.read_bytes().replace(b"\r\n", b"\n")  # from Git for Windows
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + source + b"\0")
    return f"{__version__}+{digest.hexdigest()[:12]}"


@cache
def own_commit() -> str | None:
    """The commit of this package's git clone, with -dirty after changes; None outside a clone or without git."""
    folder = Path(__file__).parents[2]
    if not (folder / ".git").exists():
        return None
    command = ["git", "--no-optional-locks", "-C", str(folder), "describe", "--always", "--abbrev=40", "--dirty"]
    try:
        found = subprocess.run([*command, "--exclude=*"], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None


def computed_with() -> dict[str, Any]:
    """The versions of this process and its machine, for comparisons of results.

    >>> sorted(computed_with())
    ['commit', 'compiled', 'compiled_for', 'libraries', 'processor', 'processors', 'source', 'system']
    """
    import llvmlite.binding
    import numba

    libraries = {name: importlib.metadata.version(name) for name in COMPARED_LIBRARIES}
    return {
        "source": own_version(),
        "commit": own_commit(),
        "libraries": {"Python": platform.python_version()} | libraries,
        "system": platform.platform(),
        "processor": processor_name(),
        "processors": os.cpu_count(),
        "compiled": not numba.config.DISABLE_JIT,
        "compiled_for": numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name(),
    }


def processor_name() -> str:
    """The name of the processor; empty if unknown."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line.partition(": ")[2].strip() for line in lines if line.startswith("model name")), "")
    return platform.processor()


def versions_here(libraries: Sequence[str]) -> dict[str, str]:
    """The versions of Python, this package and these libraries.

    >>> sorted(versions_here(["numpy"]))
    ['Python', 'numpy', 'smbc-tictactoe']
    """
    found = {"Python": ".".join(platform.python_version_tuple()[:2]), "smbc-tictactoe": own_version()}
    for name in libraries:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def differences(found: Versions, expected: Versions) -> str:
    """The versions that differ from the expected ones, in words; empty if none do.

    >>> differences({"numpy": "1.26.0", "numba": "0.60"}, {"numpy": "2.4.6", "numba": "0.60"})
    'numpy 1.26.0 (here 2.4.6)'
    """
    others = (name for name in expected if found.get(name) != expected[name])
    return ", ".join(f"{name} {found.get(name, 'none')} (here {expected[name]})" for name in others)
