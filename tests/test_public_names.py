"""Every public name exists, is looked up on one page, has an explanation and an example that runs; pages and examples
import no other names. The examples of other modules run, too."""

import ast
import doctest
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.pages import PAGES, ROOT, blocks
from support.slowness import by_default
from tictactoe.tools.command_list import COMMAND_NAMES, module_of

import tictactoe

NAMES = sorted(tictactoe.__all__)
LISTED = re.compile(r"^__all__ = (\[[^]]*\])$", re.MULTILINE)
PUBLIC = {"tictactoe": NAMES} | {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): ast.literal_eval(found[1])
    for path in sorted((ROOT / "tictactoe").rglob("*.py"))
    if (found := LISTED.search(path.read_text(encoding="utf-8")))
}
"""The names in the __all__ of every module that has one."""
ADAPTERS = [module for module in PUBLIC if module != "tictactoe"]
MOST = 250

NEEDS_OPEN_SPIEL = ("open_spiel_game",)
"""Names whose examples run only with OpenSpiel."""
LONG = ("polish_solution",)
"""Names whose examples compute for a second or more."""
MADE_BY_OTHERS = (
    "ProgramAgent",
    "SavedRounds",
    "SeenGame",
    "StrategyAgent",
    "WalkedGame",
    "StrategyPolicy",
    "LinkedGame",
)
"""Classes that other public names make, in whose examples they are."""
OF_OPEN_SPIEL = ("MatchGame", "MatchState", "RoundGame", "RoundState", "match_strategies_of", "raw_env")
"""Made by name, as OpenSpiel and PettingZoo make them; or an example would take seconds."""


def is_value(public: Any) -> bool:
    """A constant or a type for annotations, which has no docstring of its own."""
    return not (isinstance(public, type) or inspect.isroutine(inspect.unwrap(public)))


EXPLAINED = [name for name in NAMES if not is_value(getattr(tictactoe, name))]


def test_the_names_are_there() -> None:
    main = "solve_match solve_game polish_solution exploitability best_response_over_match head_to_head certify verify"
    assert {*main.split(), "Cursor", "Position", "RoundBot", "MatchBot", "load_solution"} <= set(NAMES)
    assert [name for name in NAMES if getattr(tictactoe, name) is None] == []
    with pytest.raises(AttributeError):
        _ = tictactoe.no_such_name  # type: ignore[attr-defined]
    adapters = "gymnasium_match open_spiel open_spiel_policies pettingzoo_match"
    assert [f"tictactoe.environments.{name}" for name in adapters.split()] == ADAPTERS
    assert len({name for names in PUBLIC.values() for name in names}) <= MOST


def is_record(public: Any) -> bool:
    """What the library fills in: a named tuple, a data class, a struct; or a protocol."""
    return any(
        hasattr(public, name) for name in ("_fields", "__dataclass_fields__", "__struct_fields__", "_is_protocol")
    )


def run_example(name: str, public: Any, space: dict[str, Any]) -> None:
    """Run the example of the docstring, in which the names of `space` count as imported; it imports public names."""
    text = inspect.cleandoc(public.__doc__ or "")  # not that of a base class, nor what a data class writes itself
    assert text, f"{name} has no docstring"
    assert not text.startswith(f"{name}("), f"{name} has no docstring"
    if isinstance(public, type) and issubclass(public, Exception):
        return
    assert ">>> " in text or is_record(public) or name in (*MADE_BY_OTHERS, *OF_OPEN_SPIEL), f"{name} has no example"
    example = doctest.DocTestParser().get_doctest(text, space, name, None, None)
    assert list(not_public("".join(each.source for each in example.examples))) == []
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example).failed == 0


@cache
def imported() -> dict[str, Any]:
    return {name: getattr(tictactoe, name) for name in NAMES}


@pytest.mark.parametrize("name", by_default(EXPLAINED, *(name for name in EXPLAINED if name not in LONG)))
def test_every_name_is_explained_by_an_example(name: str) -> None:
    if name in NEEDS_OPEN_SPIEL:
        pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install '.[openspiel]'")
    run_example(name, getattr(tictactoe, name), imported())


@pytest.mark.parametrize("module", ADAPTERS)
def test_every_name_for_other_libraries_is_explained(module: str) -> None:
    for library in ("pyspiel",) if "open_spiel" in module else ("gymnasium", "pettingzoo"):
        pytest.importorskip(library)
    public = importlib.import_module(module)
    space = {name: getattr(public, name) for name in PUBLIC[module]}
    for name, value in space.items():
        if not is_value(value):
            run_example(name, value, imported() | space)


def test_every_name_is_looked_up_once() -> None:
    """In the interface reference of the site, whose pages list the names by subject."""
    found: Counter[tuple[str, str]] = Counter()
    for page in (ROOT / "docs" / "interface").glob("*.md"):
        module = ""
        for kind, name in re.findall(r"^\.\. (\w+):: ([\w.]+)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            if kind in ("currentmodule", "automodule"):
                module = name
            else:
                found[module, name] += 1
    assert found == Counter((module, name) for module, names in PUBLIC.items() for name in names)


def is_public(module: str, name: str) -> bool:
    """Whether this is a public name of a public module, or such a module; or one of examples/games."""
    whole = f"{module}.{name}"
    others = ("tictactoe.__version__", "tictactoe.example_games")
    return name in PUBLIC.get(module, ()) or whole in PUBLIC or whole.startswith(others)


def not_public(code: str) -> Iterator[str]:
    """What the code imports from the library and is not public."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names = [(each.name, "") for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(node.module or "", each.name) for each in node.names]
        else:
            continue
        for module, name in names:
            if module.split(".")[0] == "tictactoe" and not (is_public(module, name) if name else module in PUBLIC):
                yield f"{module} {name}"


def not_public_where_named(text: str) -> Iterator[str]:
    """Whatever is named with its module and is not public: tictactoe.module.name."""
    for whole in re.findall(r"(?<![\w./-])tictactoe(?:\.[A-Za-z_]\w*)+", text):
        parts = whole.split(".")
        opened = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        known = any(is_public(*place.rpartition(".")[::2]) for place in opened[1:])
        if not known and not any(module.startswith(f"{whole}.") for module in PUBLIC):
            yield whole


SITE = sorted({*PAGES, *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")})
PROGRAMS = sorted(path for folder in ("docs", "examples") for path in (ROOT / folder).rglob("*.py"))


def test_pages_and_examples_use_public_names_only() -> None:
    found = {path: [*not_public(path.read_text("utf-8"))] for path in PROGRAMS}
    for page in SITE:
        code = [block.code for block in blocks(page) if block.language == "python"]
        assert page.name != "tutorial.md" or code
        found[page] = [name for text in code for name in not_public(text)]
    for path in (*SITE, *PROGRAMS):
        found[path] += not_public_where_named(path.read_text("utf-8"))
    assert {str(path.relative_to(ROOT)): names for path, names in found.items() if names} == {}


def test_what_is_not_public_is_found() -> None:
    code = (
        "from tictactoe.play.referee import Match\nfrom tictactoe import Goal, no_such_name\nimport tictactoe.match\n"
    )
    assert [*not_public(code)] == ["tictactoe.play.referee Match", "tictactoe no_such_name", "tictactoe.match "]
    text = "`tictactoe.solve_match`, `tictactoe.environments.open_spiel.strategy_of`, tictactoe.play.referee"
    assert [*not_public_where_named(text)] == ["tictactoe.play.referee"]


ALWAYS = "gambit_text match_game observations"
WITH_OPEN_SPIEL = "open_spiel open_spiel_game open_spiel_policies walked_game"
ENVIRONMENTS = [f"environments.{name}" for name in f"{ALWAYS} {WITH_OPEN_SPIEL}".split()]


@pytest.mark.parametrize("name", [*ENVIRONMENTS, "games.tic_tac_toe_tree", "solving.match_run"])
def test_the_examples_of_a_module(name: str) -> None:
    if name.partition(".")[2] in WITH_OPEN_SPIEL.split():
        pytest.importorskip("pyspiel")
    result = doctest.testmod(importlib.import_module(f"tictactoe.{name}"))
    assert result.failed == 0 < result.attempted


LIBRARY = Path(__file__).parent.parent / "tictactoe"


@pytest.fixture(scope="module")
def options() -> set[str]:
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
