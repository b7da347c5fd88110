"""The library speaks of arguments, not of options."""

import ast
import importlib
import re
from pathlib import Path

import pytest
from tictactoe.tools.command_list import COMMAND_NAMES, module_of

LIBRARY = Path(__file__).parent.parent / "tictactoe"


@pytest.fixture(scope="module", name="options")
def _options() -> set[str]:
    """The long options of all commands."""
    modules = (importlib.import_module(f"tictactoe.tools.commands.{module_of(name)}") for name in COMMAND_NAMES)
    names = {name for module in modules for parameter in module.command.params for name in parameter.opts}
    return {name for name in names if name.startswith("--")}


def test_the_library_names_no_option(options: set[str]) -> None:
    named = []
    for path in sorted(LIBRARY.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = set(re.findall(r"--[a-z][a-z-]*", node.value))
                named += [f"{path.name}:{node.lineno}: {word}" for word in words & options]
                if node.value.endswith("--") and path.parent.name != "browser":  # an option is filled in
                    named.append(f"{path.name}:{node.lineno}: {node.value}")
    assert named == []
