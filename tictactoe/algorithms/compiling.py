"""Compilation of functions with numba, whose code is kept on disk."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar, cast

import numba
import numpy as np

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled_with(*parts: ModuleType) -> Callable[[_Function], _Function]:
    """Decorate a kernel that Python calls. numba keeps the compiled code on disk if it can.

    parts: the modules whose functions, constants and instructions the compiled code contains. A change in one of them
        discards it.
    """

    def compiled(function: _Function) -> _Function:
        if numba.config.DISABLE_JIT:
            return np.errstate(all="ignore")(function)  # integers wrap around without a warning, as in compiled code
        options = {"nogil": True, "error_model": "numpy"}
        try:
            kernel = numba.njit(cache=True, **options)(function)
        except RuntimeError:
            return cast(_Function, numba.njit(**options)(function))
        with contextlib.suppress(AttributeError, OSError):  # numba has no cache here, or a file cannot be read
            paths = [__file__, *(str(module.__file__) for module in parts)]
            cache, stamps = kernel._cache._cache_file, [os.stat(path) for path in paths]
            cache._source_stamp = (cache._source_stamp, *((stamp.st_mtime, stamp.st_size) for stamp in stamps))
        return cast(_Function, kernel)

    return compiled


def is_compiled(kernel: Callable[..., Any]) -> bool:
    """Whether the code of a kernel is in memory or on disk, or the JIT is disabled."""
    with contextlib.suppress(AttributeError, OSError):  # numba has no cache here, or a file cannot be read
        compiled = cast(Any, kernel)
        if compiled.signatures:
            return True
        processor = compiled.targetctx.codegen().magic_tuple()
        return any(key[1] == processor for key in compiled._cache._cache_file._load_index())
    return not hasattr(kernel, "signatures")  # plain Python, with NUMBA_DISABLE_JIT


def is_kept(kernel: Callable[..., Any]) -> bool:
    """Whether numba keeps the compiled code of a kernel on disk."""
    return hasattr(getattr(kernel, "_cache", None), "_cache_file")


def inlined(function: _Function) -> _Function:
    """Decorate a function that is copied into kernels without reference counts."""
    if numba.config.DISABLE_JIT:
        return np.errstate(all="ignore")(function)
    # reference counts cost ten times as much as the arithmetic
    return cast(_Function, numba.njit(error_model="numpy", forceinline=True, _nrt=False)(function))
