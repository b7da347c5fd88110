"""How the page's sources are built, read from their text: rooms, circles, what they export, what they must not do."""

from __future__ import annotations

import re
import shutil
import subprocess
from graphlib import TopologicalSorter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from support.needed import missing
from support.page_sources import ROOMS, Module, read_module, read_modules

from tictactoe.browser.sources import PAGE, source_names

MODULES = read_modules()
STYLES = [name for name in source_names() if name.endswith(".css")]
LONGEST_FILE, LONGEST_STYLE, LONGEST_LINE = 300, 600, 120  # a style sheet has a line for each declaration
NAMESPACE = "http://www.w3.org/2000/svg"

every_module = pytest.mark.parametrize("module", MODULES.values(), ids=lambda module: module.name)


def test_the_reading_of_modules() -> None:
    """Imports on one line and on several, renamed ones, of types; nothing that only a comment says."""
    source = """/** A module. @typedef {import("../games/board.js").Board} Board */
// import { no } from "./no.js";
import { a, b as c } from "./sister.js";
import {
  d,
} from "../games/rules.js";
export const URL = "a//b"; // export const nothing = 1;
export async function f() {}
export class G {}
const hidden = 1;
"""
    module = read_module("play/new.js", source)
    assert module.imports == {"play/sister.js": {"a", "b"}, "games/rules.js": {"d"}}
    assert module.types == {"games/board.js": {"Board"}}
    assert module.exports == {"URL", "f", "G"}
    assert "nothing" not in module.code
    assert {"games/board.js", "games/cursor.js"} <= MODULES["play/advice.js"].uses


@every_module
def test_imports_run_one_way(module: Module) -> None:
    """To the same room or one before it, for types, too."""
    allowed = ROOMS[: ROOMS.index(module.room) + 1]
    assert {name for name in module.uses if name.split("/")[0] not in allowed} == set()
    assert module.uses <= set(MODULES)


def test_no_circles_between_modules() -> None:
    """Not even for types. graphlib raises CycleError and names the circle."""
    order = TopologicalSorter({module.name: module.uses for module in MODULES.values()}).static_order()
    assert len(list(order)) == len(MODULES)


@every_module
def test_no_screen_knows_another_one(module: Module) -> None:
    """What several show stands in parts/, or main.js hands it over."""
    if module.room == "screens":
        own = module.name.rpartition("/")[0]
        others = {name for name in module.uses if name.startswith("screens/") and name.count("/") == 2}
        assert {name for name in others if name.rpartition("/")[0] != own} == set()


@every_module
def test_imports_find_what_they_name(module: Module) -> None:
    for name, wanted in module.imports.items():
        assert wanted <= MODULES[name].exports, name


def test_every_module_is_used() -> None:
    """The page begins with main.js; whatever that does not lead to is left over."""
    reached, waiting = set(), ["main.js"]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += MODULES[name].uses
    assert reached == set(MODULES)


@every_module
def test_every_export_is_used_by_another_module(module: Module) -> None:
    """As a value or as a type; what is left needs no export, or is not needed at all."""
    named = [of.get(module.name, set()) for other in MODULES.values() for of in (other.imports, other.types)]
    used = set().union(*named)
    assert module.exports - used == set()


@every_module
def test_modules_say_what_they_are(module: Module) -> None:
    """A comment at the head of the file, and one before each function and class that others use, unless it is all that
    they can use of the file."""
    assert module.text.startswith("/**")
    bare = re.findall(r"(?<!\*/)\n(export (?:async )?(?:function|class) \w+)", module.text)
    assert bare == [] or len(module.exports) == 1


@pytest.mark.parametrize("name", [*MODULES, *STYLES])
def test_files_are_small_and_lines_short(name: str) -> None:
    lines = (PAGE / name).read_text("utf-8").split("\n")
    assert len(lines) <= (LONGEST_FILE if name.endswith(".js") else LONGEST_STYLE) + 1
    assert [line for line in lines if len(line) > LONGEST_LINE or line != line.rstrip()] == []


@pytest.mark.parametrize("name", STYLES)
def test_style_sheets_say_what_they_are_and_load_nothing(name: str) -> None:
    text = (PAGE / name).read_text("utf-8")
    assert text.startswith("/*")
    assert re.findall(r"@import|url\(|expression\(", text) == []


@every_module
def test_no_text_becomes_code_or_markup(module: Module) -> None:
    """Whatever a file, an address or a person says is shown as text."""
    danger = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|javascript:|DOMParser"
    )
    assert re.findall(danger, module.code) == []
    assert re.findall(r'\b(?:style|on\w+): ["`]', module.code) == []


@every_module
def test_nothing_comes_from_elsewhere(module: Module) -> None:
    """Links to other pages may be followed; they are never loaded from."""
    assert set(re.findall(r"http:[^\"'`\s]*", module.code)) <= {NAMESPACE}
    assert re.findall(r"(?:fetch|import|src:|Worker|sendBeacon|EventSource|WebSocket)\W{0,3}https?:", module.code) == []


class Head(HTMLParser):
    """The elements of a page with their attributes, and the text inside scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inline = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            self.inline += data.strip()

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


HEAD = Head((PAGE / "index.html").read_text("utf-8"))


def test_the_page_names_every_style_sheet() -> None:
    links = [link["href"] for link in HEAD.all("link") if link["rel"] == "stylesheet"]
    assert sorted(filter(None, links)) == sorted(STYLES)


def test_the_page_allows_nothing_inline_and_nothing_from_elsewhere() -> None:
    (policy,) = (meta["content"] for meta in HEAD.all("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(maxsplit=1) for rule in (policy or "").split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert {source for sources in rules.values() for source in sources.split()} <= {"'self'", "'none'", "data:"}
    assert HEAD.inline == ""
    for tag, attributes in HEAD.elements:
        assert not [name for name in attributes if name == "style" or name.startswith("on")], tag
        address = attributes.get("href") or attributes.get("src") or ""
        assert not address.startswith(("http:", "https:", "//", "/")), address


def complaints(tool: str, *arguments: str) -> str:
    """What a program of node_modules says that has nothing to say of good sources."""
    folder = Path(__file__).parent
    program = folder / "node_modules" / tool
    if shutil.which("node") is None or not program.exists():
        missing("there is no node, or `npm install` has not been run in tests/browser")
    command = ["node", str(program), *arguments]
    checked = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=folder)
    return checked.stdout + checked.stderr


@pytest.mark.parametrize("project", sorted(path.name for path in Path(__file__).parent.glob("tsconfig*.json")))
def test_types(project: str) -> None:
    """Every module is checked by the TypeScript compiler, as strictly as it can, from the types in the comments."""
    assert complaints("typescript/bin/tsc", "--project", project) == ""


def test_format() -> None:
    """As Prettier has it: `npm run format` in tests/browser puts it right."""
    files = [str(PAGE / name) for name in source_names() if name.endswith(".js")]
    assert complaints("prettier/bin/prettier.cjs", "--config", "prettier.json", "--list-different", *files) == ""
