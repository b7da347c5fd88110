"""The page of the data format: its reader reads, and every key that there is stands in it."""

import ast
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tictactoe import FormatError, Goal, Score, Solution, load_solution
from tictactoe.browser.page_data import PageData
from tictactoe.games.rules import goal_name

DOCUMENT = (Path(__file__).parents[2] / "docs" / "page-data.md").read_text()
(READER,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)


def test_the_reader_of_the_document(built_folder: Path, small_solution: Solution) -> None:
    imported = {
        name.name for node in ast.walk(ast.parse(READER)) if isinstance(node, ast.Import) for name in node.names
    }
    assert imported <= sys.stdlib_module_names
    command, page = [sys.executable, "-I", "-S", "-c", READER], built_folder / "some" / "page"
    done = subprocess.run(command, cwd=page, capture_output=True, text=True, check=True, timeout=300)
    tree = small_solution.tree
    strategy = small_solution.snapshot(Score(0, 0)).average_strategy(tree)
    children = [tree.find((square,)) for square in (1, 2, 5)]
    expected = [
        f"X wants to {goal_name(goal)}: "
        + ", ".join(f"{tree.square[node]}: {strategy[node, goal]:.1%}" for node in children)
        for goal in Goal
    ]
    assert done.stdout.splitlines() == expected


def test_the_reader_finds_the_beliefs_of_a_refined_strategy(tmp_path: Path) -> None:
    solution, path, reader = load_solution("shipped"), tmp_path / "2-2.data", dict[str, Any]()
    data = PageData([solution])
    path.write_bytes(data.file(data.first_play[1]))
    exec(READER.partition("manifest = ")[0], reader)
    _, arrays = reader["read"](path)
    beliefs = solution.snapshot(Score(2, 2)).beliefs
    assert beliefs is not None
    assert set(arrays) == {"probability", "mistakes", "beliefs"}
    assert list(arrays["mistakes"]) == beliefs.any(axis=1).tolist()
    assert list(arrays["beliefs"]) == beliefs[beliefs.any(axis=1)].ravel().tolist()


def test_rules_that_are_unknown(small_solution: Solution) -> None:
    for rules in ("", "three-in-a-row 0:0:0"):
        with pytest.raises(FormatError, match=r"solution\.msgpack: made with rules that are unknown here, '.*'"):
            PageData([replace(small_solution, rules=rules)])


def keys_of(value: Any) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    below = (keys_of(inner) for name, inner in value.items() if name != "to_do")
    return set(value).union(*below)


def test_every_key_of_the_manifest_is_explained(small_page: PageData) -> None:
    named = set(re.findall(r"`(?:\w+\.)?(\w+)`", DOCUMENT))
    assert keys_of(json.loads(json.dumps(small_page.manifest()))) - named == set()
