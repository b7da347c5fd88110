"""One way to write JSON, without numbers that JSON has not."""

import ast
import json
import math
from pathlib import Path

import pytest

from tictactoe.storage.json_text import json_text

ROOT = Path(__file__).parents[2]
WITHOUT_FLOATS = {
    "tictactoe/browser/join_modules.py",  # a text as a script has it
    "tictactoe/proof/certificate_format.py",  # fractions as texts
    "tictactoe/storage/strategy_tables.py",  # repr of loaded probabilities
}


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_null(number: float) -> None:
    content = {"a": [1, number, {"b": (number, 2.5)}], "c": "\x1b[31m é", "d": None, "e": True}
    nothing = {"a": [1, None, {"b": [None, 2.5]}], "c": "\x1b[31m é", "d": None, "e": True}
    assert json_text(content) == json.dumps(nothing)
    assert json_text(content, indent=2) == json.dumps(nothing, indent=2)
    assert json_text(content, compact=True) == json.dumps(nothing, separators=(",", ":"))
    assert json_text(content).isascii()
    assert json_text(content).isprintable()


@pytest.mark.slow
def test_there_is_one_way_to_write_json() -> None:
    """Whatever calls json itself has no floats to write."""
    callers = set()
    for path in [*ROOT.glob("tictactoe/**/*.py"), *ROOT.glob("tools/**/*.py")]:
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in ("json.dumps", "json.dump", "dumps"):
                callers.add(path.relative_to(ROOT).as_posix())
    assert callers - {"tictactoe/storage/json_text.py"} == WITHOUT_FLOATS
