"""What a test needs and not every machine has."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skips the test and says why; fails it where TICTACTOE_REQUIRE_BROWSER=1 says that all must run, as in CI."""
    if os.environ.get("TICTACTOE_REQUIRE_BROWSER") == "1":
        pytest.fail(f"TICTACTOE_REQUIRE_BROWSER=1, but {what}")
    pytest.skip(what)
