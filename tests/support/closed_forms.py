"""The modules of examples/closed_forms, for tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "closed_forms"


@contextmanager
def imported(*names: str) -> Iterator[SimpleNamespace]:
    """Modules of the example, by name, which nobody else sees."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLE))
        yield SimpleNamespace(**{name: __import__(name) for name in names})
    for file in EXAMPLE.glob("*.py"):
        if file.stem != "__main__":
            sys.modules.pop(file.stem, None)
