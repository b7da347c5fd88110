"""How the page's sources are built: packages, circles, exports, forbidden forms; joining them to one script."""

import re
from functools import cache
from graphlib import TopologicalSorter
from posixpath import dirname, join, normpath

import pytest

from tictactoe.browser.modules import (
    LATER_MODULES,
    PAGE_SOURCES,
    WORKER_FILE,
    WORKER_MODULES,
    Module,
    ModuleError,
    joined_script,
    modules,
    modules_in_order,
    parse_module,
    source_names,
)

STARTS = ["main.js", *LATER_MODULES.values(), *WORKER_MODULES.values()]
LAYERS = ["games", "match", "play", "loading", "parts", "screens", *STARTS]
"""A module imports modules of its own layer and of those that stand before it."""
SCRIPTS, STYLES = ({name for name in source_names() if name.endswith(ends)} - {WORKER_FILE} for ends in (".js", ".css"))
TEXTS = {name: (PAGE_SOURCES / name).read_text("utf-8") for name in SCRIPTS | STYLES}
NAMESPACE = "http://www.w3.org/2000/svg"


@cache
def module_of(name: str) -> Module:
    return parse_module(name, TEXTS[name])


@cache
def used_names(name: str) -> set[tuple[str, str]]:
    """What a module imports from others, and the types that its comments name: the module and the name there."""
    imported = {(other, theirs) for other, names in module_of(name).imports for theirs, _ in names}
    types = re.findall(r'\bimport\("(\.[^"]+)"\)\.(\w+)', TEXTS[name])
    return imported | {(normpath(join(dirname(name), path)), kind) for path, kind in types}


def test_imports_run_one_way() -> None:
    uses = {name: {other for other, _ in used_names(name)} for name in SCRIPTS}
    for name, others in uses.items():
        allowed = LAYERS[: LAYERS.index(name.split("/")[0]) + 1]
        assert {other for other in others if other.split("/")[0] not in allowed} == set(), name
        if name.startswith("screens/"):
            screens = {other for other in others if other.startswith("screens/") and other.count("/") == 2}
            assert {dirname(other) for other in screens} <= {dirname(name)}, name
    assert {*TopologicalSorter(uses).static_order()} == SCRIPTS  # graphlib's error names a circle


def test_every_module_and_every_export_is_used() -> None:
    loaded = {module.name for first in STARTS for module in modules(first)}
    assert loaded.union(*({other for other, _ in used_names(name)} for name in loaded)) == SCRIPTS
    exported = {(name, export) for name in SCRIPTS for export in module_of(name).exports}
    assert exported - set().union(*map(used_names, SCRIPTS)) == set()


def test_no_text_becomes_code_or_markup_and_nothing_comes_from_elsewhere() -> None:
    risky = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|javascript:|DOMParser"
    loading = r"(?:fetch|import|src:|Worker|sendBeacon|EventSource|WebSocket)\W{0,3}https?:"
    for module in map(module_of, SCRIPTS):
        for wrong in (risky, r'\b(?:style|on\w+): ["`]', loading):
            assert re.findall(wrong, module.body) == [], module.name
        assert set(re.findall(r"http:[^\"'`\s]*", module.body)) <= {NAMESPACE}, module.name
    for name in STYLES:
        assert re.findall(r"@import|url\(|expression\(", TEXTS[name]) == [], name


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


GOOD = """/** @typedef {import("./other.js").Other} Other  and an export, and await. */
import { one, two as zwei } from "../b.js";
import {
  three,
} from "./c.js";

const quoted = "export default"; // import x from "y"
  // export const g = 1;
export const f = async (/** @type {string} */ s) => {
  await null;
};
export async function g() {
  return 1;
}
export class C {}
export {};
"""
GOOD_BODY = """const quoted = "export default";
const f = async ( s) => {
await null;
};
async function g() {
return 1;
}
class C {}"""


def test_what_a_module_imports_and_exports() -> None:
    module = parse_module("a/m.js", GOOD)
    assert module.imports == (("b.js", (("one", "one"), ("two", "zwei"))), ("a/c.js", (("three", "three"),)))
    assert module.exports == ("f", "g", "C")
    assert module.body == GOOD_BODY


REFUSED = """
export default function f() {}
export let a = 1;
export const { a, b } = c;
export { a };
export * from "./a.js";
export { a } from "./a.js";
import a from "./a.js";
import * as a from "./a.js";
import "./a.js";
import { a } from "a";
import { a } from "https://example.org/a.js";
import { a } from "./a.js"
import { default as a, "b" as c } from "./a.js";
const a = () => import("./a.js");
const here = import.meta.url;
const s = `${import.meta.url}`;
"""


def test_what_is_refused() -> None:
    for line in REFUSED.strip().split("\n"):
        with pytest.raises(ModuleError, match=r"^a/m\.js: .*(?:import|export).*: this form is not one of the page's$"):
            parse_module("a/m.js", f"/** A module. */\n\n{line}\n")


IMPORT_A = 'import { a } from "./a.js";'
GRAPHS = {
    "main.js: imports a.js, which does not exist": {"main.js": IMPORT_A},
    "main.js: a.js exports no a": {"main.js": IMPORT_A, "a.js": "const a = 1;"},
    "a.js: these imports form a cycle: a.js < main.js < a.js": {
        "main.js": f"{IMPORT_A}\nexport const m = 1;",
        "a.js": 'import { m } from "./main.js";\nexport const a = 1;',
    },
}


@pytest.mark.parametrize(
    "text", ['const a = "image/*";\n/* b */\n', "const a = `\n// b\n`;\n", "const a = '; // b';\n"]
)
def test_a_text_that_would_lose_a_comment_is_refused(text: str) -> None:
    with pytest.raises(ModuleError, match=r"^a\.js: .*: a text may not contain the start of a comment$"):
        parse_module("a.js", text)


def test_graphs_and_scripts_that_are_refused() -> None:
    for refusal, graph in GRAPHS.items():
        with pytest.raises(ModuleError, match=f"^{refusal}$"):
            modules_in_order("main.js", graph.__getitem__)
    with pytest.raises(ModuleError, match="end a script"):
        joined_script([parse_module("a.js", 'const text = "</SCRIPT>";\n')])
