"""What a test needs and not every machine has."""

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip the test and say why. With TICTACTOE_REQUIRE_BROWSER=1, as in CI, fail it."""
    if os.environ.get("TICTACTOE_REQUIRE_BROWSER") == "1":
        pytest.fail(f"TICTACTOE_REQUIRE_BROWSER=1, but {what}")
    pytest.skip(what)
