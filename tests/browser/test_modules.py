"""How the page's sources are built, read from their text: rooms, circles, exports, and forbidden forms."""

import re
from graphlib import TopologicalSorter

from support.page_sources import ROOMS, read_module, read_modules

from tictactoe.browser.sources import PAGE_SOURCES, source_names

MODULES = read_modules()
STYLES = [name for name in source_names() if name.endswith(".css")]
LONGEST_FILE, LONGEST_STYLE, LONGEST_LINE = 300, 600, 120  # a style sheet has a line for each declaration
NAMESPACE = "http://www.w3.org/2000/svg"


def test_the_reading_of_modules() -> None:
    source = """/** A module. @typedef {import("../games/board.js").Board} Board */
// import { no } from "./no.js";
import { a } from "./sister.js";
export const URL = "a//b"; // export const nothing = 1;
"""
    module = read_module("play/new.js", source)
    assert (module.imports, module.types) == ({"play/sister.js": {"a"}}, {"games/board.js": {"Board"}})
    assert module.exports == {"URL"}
    assert "nothing" not in module.code
    assert {"games/board.js", "games/cursor.js"} <= MODULES["play/move_costs.js"].uses


def test_imports_run_one_way() -> None:
    for module in MODULES.values():
        allowed = ROOMS[: ROOMS.index(module.room) + 1]
        assert {name for name in module.uses if name.split("/")[0] not in allowed} == set(), module.name
        assert module.uses <= set(MODULES), module.name
        if module.room == "screens":
            others = {name for name in module.uses if name.startswith("screens/") and name.count("/") == 2}
            assert {name.rpartition("/")[0] for name in others} <= {module.name.rpartition("/")[0]}, module.name
    order = TopologicalSorter({module.name: module.uses for module in MODULES.values()}).static_order()
    assert len(list(order)) == len(MODULES)  # graphlib's error names a circle


def test_every_module_and_every_export_is_used() -> None:
    reached, waiting = set(), ["main.js"]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += MODULES[name].uses
    assert reached == set(MODULES)
    for module in MODULES.values():
        named = [of.get(module.name, set()) for other in MODULES.values() for of in (other.imports, other.types)]
        assert module.exports <= set().union(*named), module.name


def test_files_begin_with_a_comment_and_are_small() -> None:
    for name in (*MODULES, *STYLES):
        text = (PAGE_SOURCES / name).read_text("utf-8")
        lines = text.split("\n")
        assert text.startswith("/*"), name
        assert len(lines) <= (LONGEST_FILE if name.endswith(".js") else LONGEST_STYLE) + 1, name
        assert [line for line in lines if len(line) > LONGEST_LINE or line != line.rstrip()] == [], name
    for module in MODULES.values():
        bare = re.findall(r"(?<!\*/)\n(export (?:async )?(?:function|class) \w+)", module.text)
        assert bare == [] or len(module.exports) == 1, module.name


def test_no_text_becomes_code_or_markup_and_nothing_comes_from_elsewhere() -> None:
    risky = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|javascript:|DOMParser"
    loading = r"(?:fetch|import|src:|Worker|sendBeacon|EventSource|WebSocket)\W{0,3}https?:"
    for module in MODULES.values():
        for wrong in (risky, r'\b(?:style|on\w+): ["`]', loading):
            assert re.findall(wrong, module.code) == [], module.name
        assert set(re.findall(r"http:[^\"'`\s]*", module.code)) <= {NAMESPACE}, module.name
    for name in STYLES:
        assert re.findall(r"@import|url\(|expression\(", (PAGE_SOURCES / name).read_text("utf-8")) == [], name


HTML = (PAGE_SOURCES / "index.html").read_text("utf-8")
ELEMENTS = [
    (tag, dict(re.findall(r'([\w-]+)="([^"]*)"', attributes)))
    for tag, attributes in re.findall(r"<(\w+)((?:\s+[\w-]+(?:=\"[^\"]*\")?)*)\s*/?>", HTML)
]


def test_the_page_allows_nothing_inline_and_nothing_from_elsewhere() -> None:
    links = [link["href"] for tag, link in ELEMENTS if tag == "link" and link["rel"] == "stylesheet"]
    assert sorted(links) == sorted(STYLES)
    (policy,) = (each["content"] for _, each in ELEMENTS if each.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(maxsplit=1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
    assert {source for sources in rules.values() for source in sources.split()} <= {"'self'", "'none'", "data:"}
    assert re.findall(r"<style|<script[^>]*>[^<]", HTML) == []
    assert len(ELEMENTS) == len(re.findall(r"<\w", HTML))
    for tag, attributes in ELEMENTS:
        assert not [name for name in attributes if name == "style" or name.startswith("on")], tag
        address = attributes.get("href") or attributes.get("src") or ""
        assert not address.startswith(("http:", "https:", "//", "/")), address
