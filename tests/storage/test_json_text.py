"""One way to write JSON, without numbers that JSON has not."""

import json
import math

import pytest

from tictactoe.storage.texts import json_text


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_null(number: float) -> None:
    content = {"a": [1, number, {"b": (number, 2.5)}], "c": "\x1b[31m é", "d": None, "e": True}
    nothing = {"a": [1, None, {"b": [None, 2.5]}], "c": "\x1b[31m é", "d": None, "e": True}
    assert json_text(content) == json.dumps(nothing)
    assert json_text(content, indent=2) == json.dumps(nothing, indent=2)
    assert json_text(content, compact=True) == json.dumps(nothing, separators=(",", ":"))
    assert json_text(content).isascii()
    assert json_text(content).isprintable()
