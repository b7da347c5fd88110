"""README.md and docs/*.md: every block of code runs, and every command, and prints what stands there."""

import ast
import gzip
import importlib
import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.pages import OURS, PAGES, ROOT, Block, blocks, run_commands, run_python, within_a_night
from support.programs import call
from support.slowness import slow
from tictactoe.tools.command_list import COMMAND_NAMES, module_of

PYTHON_RUN_BY = {
    "adding-a-game.md": "tests/games/test_example_games.py",
    "adding-a-rule.md": "tests/algorithms/test_added_rules.py",
    "checking-a-game.md": "tests/games/test_example_games.py",
    "descriptions.md": "tests/games/test_example_games.py",
    "environments.md": "tests/environments/test_environments_page.py",
    "gambit.md": "tests/environments/test_environments_page.py",
    "openspiel.md": "tests/environments/test_environments_page.py",
    "tutorial.md": "tests/test_tutorial.py",
}
"""Pages whose Python another test runs, which looks at more of it."""

NOT_RUN = [(page.name, block) for page in PAGES for block in blocks(page) if block.note.startswith("not run")]
"""All blocks that nothing runs."""


def a_match(*options: str) -> None:
    """A match to 1 that somebody plays who marks the first free square."""
    squares = "".join(f"{square}\n" for square in range(1, 10)) * 60
    assert call("play-multiround", "--winning-score", 1, "--seed", 1, *options, typed=squares).code == 0


def transcripts() -> None:
    a_match("--transcript", "match.jsonl")
    Path("more.jsonl.gz").write_bytes(gzip.compress(Path("match.jsonl").read_bytes()))


def code_with(text: str, name: str) -> str:
    """The block of a page that has this text."""
    (code,) = (each.code for each in blocks(ROOT / "docs" / name) if text in each.code)
    return code


GIVEN: dict[str, Callable[[], object]] = {
    "my_solution": lambda: call("solve-multiround", "--algorithm", "formula", "-o", "my_solution"),
    "match.jsonl": transcripts,
    "tournament/": lambda: call("tournament", "learner-1", "uniform", "--sample", "--matches", 2, "-o", "tournament"),
    "my_rule.py": lambda: Path("my_rule.py").write_text(code_with("register_rule(", "tutorial.md"), encoding="utf-8"),
    "my_bot.py": lambda: Path("my_bot.py").symlink_to(ROOT / "examples" / "agents" / "lowest_square.py"),
    "review": lambda: [a_match("--seed", str(seed)) for seed in range(3)],
}
"""What a page may name without making it: a solution, transcripts, files of yours, matches that were played."""


def give(block: Block) -> None:
    for name, make in GIVEN.items():
        if re.search(rf"(?<!-o )\b{re.escape(name)}", block.code) and not Path(name).exists():
            make()


def test_ten_blocks_at_most_are_run_by_nothing() -> None:
    reasons = [(name, block.line, block.note) for name, block in NOT_RUN]
    assert len(reasons) <= 10
    assert all(re.fullmatch(r"not run: it \w+ .+", note) for _, _, note in reasons), reasons


def test_who_answers_best_is_the_best_responder_and_people_count_in_points() -> None:
    """A perfect player is the bot that cannot be beaten. Points are points of winning chance, of 100 matches."""
    words = (
        "best possible player|perfect (?:player|opponent)s? (?:can|could|gains?|gets?|would)|the unit of the (?:o|p)"
    )
    sources = [
        path
        for folder in ("tictactoe/proof", "tictactoe/figures", "tools/reports")
        for path in (ROOT / folder).rglob("*.py")
    ]
    told = [(path.name, found) for path in (*PAGES, *sources) for found in re.findall(words, path.read_text("utf-8"))]
    assert told == []
    assert [page.name for page in PAGES if "percentage points" in page.read_text("utf-8")] == []


def test_what_is_run_elsewhere_is_run_there() -> None:
    elsewhere = [
        (page.name, match[1])
        for page in PAGES
        for block in blocks(page)
        if (match := re.fullmatch("(?:run|checked) by (.*)", block.note))
    ]
    for name, path in (*elsewhere, *PYTHON_RUN_BY.items()):
        text = (ROOT / path).read_text(encoding="utf-8")
        assert name in text or "docs/*.md" in text or "support.tutorial" in text, (name, path)


def docstrings(source: str) -> str:
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return "\n".join(ast.get_docstring(node) or "" for node in ast.walk(ast.parse(source)) if isinstance(node, holders))


def test_files_that_are_named_exist() -> None:
    """In pages and in what explains code; `my_rule.py` and the like are the reader's."""
    paths = [path for folder in ("tictactoe", "tools", "tests") for path in (ROOT / folder).rglob("*.py")]
    folders = ("tictactoe", "tools", "tests", "examples", "benchmarks", "research", "docs")
    known = {f"/{path.relative_to(ROOT)}" for folder in folders for path in (ROOT / folder).rglob("*.py")}
    for path in (*PAGES, ROOT / "CONTRIBUTING.md", *(ROOT / ".ci").iterdir(), *paths):
        text = path.read_text(encoding="utf-8")
        text = docstrings(text) if path.is_relative_to(ROOT / "tests") else text  # tests make files of their own
        named = set(re.findall(r"(?<![\w./-])[\w/]*\w\.py\b", text))
        absent = [name for name in named if not any(each.endswith(f"/{name.lstrip('/')}") for each in known)]
        assert [name for name in absent if not re.search(r"(^|/)(my_\w*|FILE)\.py", name)] == [], path


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/how-it-works.md"])
def test_pages_about_the_code_name_places_that_exist(page: str) -> None:
    """Every file and folder, from the top, from tictactoe/ or within the page. A name alone is that of a file whose
    place the page has named."""
    text, suffixes = (ROOT / page).read_text(encoding="utf-8"), "py|js|html|svg|toml|txt|md"
    tops = (ROOT, ROOT / "tictactoe", ROOT / "tictactoe" / "browser" / "page")
    named = set(re.findall(rf"`([\w.*/-]+(?:/|\.(?:{suffixes})))`", text))
    places = {name: [place for top in tops for place in top.glob(name.rstrip("/"))] for name in named}
    told = {place.name for found in places.values() for place in found}
    assert [name for name in sorted(named) if not places[name] and name not in told] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_a_sentence_exist(page: Path) -> None:
    """And those that nothing runs: every option that is named is one of the verb, every script a file."""
    text = page.read_text(encoding="utf-8")
    not_run = [block.code for block in blocks(page) if block.note.startswith("not run")]
    typed = [line for code in not_run for line in code.replace("\\\n", "").splitlines() if line]
    typed += re.findall("`([^`]+)`", re.sub("```.*?```", "", text, flags=re.DOTALL))
    for words in (" ".join(command.split()).split(" ") for command in typed):
        if words[0] in OURS and len(words) > 1:
            asked = words[words[0] == "tictactoe" :]
            verb = next((name for name in COMMAND_NAMES if asked[: len(name.split())] == name.split()), "tictactoe")
            command = importlib.import_module(f"tictactoe.tools.commands.{module_of(verb)}").command
            known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
            named = {word.partition("=")[0] for word in words if re.match("--?[a-z]", word)}
            assert named <= known | {"--help", "--version"}, (page.name, words)
        if words[0] == "python" and words[1].endswith(".py") and "/" in words[1]:
            assert (ROOT / words[1]).exists(), (page.name, words)


@pytest.mark.parametrize(
    ("page", "everything"),
    [
        *((page, False) for page in PAGES),
        *slow(*((page, True) for page in PAGES if any(block.note.startswith("slow") for block in blocks(page)))),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else ["quick", "whole"][value],
)
def test_every_block_runs(page: Path, everything: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after another in one directory, and all Python of a page in one namespace. In the directory lie the folders
    of the clone that pages name, and what earlier blocks have left."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for folder in ("benchmarks", "examples", "research", "tests"):
        Path(folder).symlink_to(ROOT / folder)
    names: dict[str, Any] = {"__name__": "__page__"}
    for block in blocks(page):
        kind, _, more = block.note.partition(" ")
        if kind in ("not", "run", "checked") or (kind.startswith("slow") and not everything):
            continue
        if more.startswith("needs ") and importlib.util.find_spec(more.removeprefix("needs ")) is None:
            continue
        if kind == "file":
            with Path(more).open("a", encoding="utf-8") as file:
                file.write(block.code)
        elif block.language == "commands":
            give(block)
            run_commands(within_a_night(block), page)
        elif block.language == "python":
            if page.name not in PYTHON_RUN_BY:
                run_python(block, page, names)
        elif block.language == "json":
            text = block.code.strip()
            json.loads(text if text.startswith("{") else f"{{{text}}}")
        else:
            assert block.language == "", f"{page.name}, line {block.line}: a block of {block.language} runs nowhere"
