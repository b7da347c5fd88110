"""The sources of the page, and functions that join its JavaScript modules into one script.

Sources must have the format of `npm run format`. ModuleError refuses any import or export that is not of these forms:

- import { a, b as c } from "./x.js";
- export function f, export async function f, export const c, export class C, export {};

Exports must not change later. Comments are removed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePath
from posixpath import dirname, join, normpath


class ModuleError(ValueError):
    """A source has an unsupported form. The message is one line with its name."""


@dataclass(frozen=True)
class Module:
    name: str
    """The path below the page's folder."""
    imports: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """For each import statement, the other module and the imported names, each with its name in this module."""
    exports: tuple[str, ...]
    body: str
    """The source without import statements, the word export, comments and indentation."""


_COMMENT = re.compile(r"(?s:/\*.*?\*/)|^\s*//.*|(?<=[;,{}()\]]) // .*", re.MULTILINE)
_IMPORT = re.compile(r'^import \{([\w$\s,]*)\} from "(\.[^"]*)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:(?=(?:(?:async )?function|const|class) ([\w$]+))|\{\};)", re.MULTILINE)
_OTHER_FORM = re.compile(r"^(?:import|export)\b.*|\bimport(?:\(|\.meta\b)", re.MULTILINE)


def parse_module(name: str, text: str) -> Module:
    """Read the module of that name from its source. Raises ModuleError."""
    code = _COMMENT.sub("", text)
    for comment in _COMMENT.finditer(text):
        before = _COMMENT.sub("", text[: comment.start()])
        line = before.rpartition("\n")[2]
        if before.count("`") % 2 or line.count('"') % 2 or line.count("'") % 2:
            raise ModuleError(
                f"{name}: {' '.join(comment[0].split())[:60]}: a text may not contain the start of a comment"
            )
    body = _EXPORT.sub("", _IMPORT.sub("", code))
    if other := _OTHER_FORM.search(body):
        raise ModuleError(f"{name}: {other[0]}: this form is not one of the page's")
    imports = []
    for listed, path in _IMPORT.findall(code):
        names = (item.strip().partition(" as ") for item in listed.split(",") if item.strip())
        pairs = tuple((theirs, ours or theirs) for theirs, _, ours in names)
        imports.append((normpath(join(dirname(name), path)), pairs))
    exports = tuple(filter(None, _EXPORT.findall(code)))
    return Module(name, tuple(imports), exports, re.sub(r"\n\s*", "\n", body).strip("\n"))


def modules_in_order(first: str, read: Callable[[str], str]) -> list[Module]:
    """The module `first` and all modules that it needs, each after the modules that it imports.

    read: returns the source of a name or raises KeyError. Raises ModuleError, even for circular imports and missing
    exports.
    """
    found: dict[str, Module] = {}
    waiting = [(first, "the page")]
    while waiting:
        name, user = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = parse_module(name, read(name))
        except KeyError:
            raise ModuleError(f"{user}: imports {name}, which does not exist") from None
        waiting += [(other, name) for other, _ in found[name].imports]
    for module in found.values():
        for other, names in module.imports:
            if absent := {theirs for theirs, _ in names} - set(found[other].exports):
                raise ModuleError(f"{module.name}: {other} exports no {min(absent)}")
    try:
        graph = {name: sorted(other for other, _ in found[name].imports) for name in sorted(found)}
        return [found[name] for name in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        raise ModuleError(f"{error.args[1][0]}: these imports form a cycle: {' < '.join(error.args[1])}") from None


def joined_script(modules: Iterable[Module]) -> str:
    """One classic script that runs the modules in order. Later scripts may import its modules.

    Raises ModuleError for text that would end a script in HTML.

    >>> from tictactoe.browser.modules import parse_module
    >>> source = 'import { one, two as zwei } from "./b.js";\\nexport const three = one + zwei;\\n'
    >>> print(joined_script([parse_module("a.js", source)]))
    "use strict";
    (() => {
    const modules = (globalThis.tictactoe ??= Object.create(null));
    modules["a.js"] = (() => {
    const { one, two: zwei } = modules["b.js"];
    const three = one + zwei;
    return { three };
    })();
    })();
    <BLANKLINE>
    """
    parts = ['"use strict";\n(() => {\nconst modules = (globalThis.tictactoe ??= Object.create(null));\n']
    for module in modules:
        if "</script" in module.body.lower() or "<!--" in module.body:
            raise ModuleError(f"{module.name}: contains letters that end a script in HTML")
        parts.append(f"modules[{json.dumps(module.name)}] = (() => {{\n")
        for other, names in module.imports:
            listed = ", ".join(ours if theirs == ours else f"{theirs}: {ours}" for theirs, ours in names)
            parts.append(f"const {{ {listed} }} = modules[{json.dumps(other)}];\n")
        parts.append(f"{module.body}\nreturn {{ {', '.join(module.exports)} }};\n}})();\n")
    return "".join([*parts, "})();\n"])


_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".data": "application/octet-stream",
}
_PACKED = {".png", ".data"}


def content_type(name: str) -> str:
    """The value of a file's Content-Type header."""
    return _TYPES[PurePath(name).suffix]


def is_text(name: str) -> bool:
    """Whether gzip makes the file smaller."""
    return PurePath(name).suffix not in _PACKED


PAGE_SOURCES = Path(__file__).parent / "page"
"""The folder of the sources."""
INDEX_FILE = "index.html"
MAIN_MODULE = "main.js"
"""The module with which the page starts."""
SCRIPT_FILE, STYLE_FILE = "page.js", "page.css"
"""All modules but those below, and all style sheets, joined. Two files load much faster than a hundred small ones."""
LATER_MODULES = {"page-friend.js": "friend.js", "page-adaptive.js": "adaptive.js"}
"""Scripts that loading/later.js loads when needed, with the module with which each begins. They contain the modules
that SCRIPT_FILE lacks."""
WORKER_MODULES = {"page-adaptive-worker.js": "adaptive_worker.js"}
"""Scripts of workers. Each contains all of its modules, because a worker has no other script beside it."""
WORKER_FILE = "service-worker.js"
"""The service worker, which lets a browser keep the page for use without a network."""
_STYLE_SHEET = re.compile(r'^ *<link rel="stylesheet" href="([^"]+)">\n', re.MULTILINE)


@cache
def source_names() -> tuple[str, ...]:
    """The names of all sources, as sorted paths below the page's folder."""
    paths = (path.relative_to(PAGE_SOURCES) for path in PAGE_SOURCES.rglob("*") if path.is_file())
    return tuple(sorted(path.as_posix() for path in paths))


@cache
def read_source(name: str) -> bytes:
    """The content of a source or a joined file. index.html has links to the joined files.

    Raises KeyError for an unknown name.
    """
    if name == SCRIPT_FILE:
        return joined_script(modules()).encode()
    if name in WORKER_MODULES:
        return joined_script(modules(WORKER_MODULES[name])).encode()
    if name in LATER_MODULES:
        there = {module.name for module in modules()}
        return joined_script(module for module in modules(LATER_MODULES[name]) if module.name not in there).encode()
    if name == STYLE_FILE:
        return b"".join(map(read_source, _STYLE_SHEET.findall((PAGE_SOURCES / INDEX_FILE).read_text("utf-8"))))
    if name not in source_names():
        raise KeyError(name)
    content = (PAGE_SOURCES / name).read_bytes()
    if is_text(name):
        content = content.replace(b"\r\n", b"\n")  # from Git for Windows
    if name == INDEX_FILE:
        main = f'    <script type="module" src="{MAIN_MODULE}"></script>\n'
        joined = f'    <link rel="stylesheet" href="{STYLE_FILE}">\n    <script defer src="{SCRIPT_FILE}"></script>\n'
        return _STYLE_SHEET.sub("", content.decode()).replace(main, joined).encode()
    return content


@cache
def modules(first: str = MAIN_MODULE) -> tuple[Module, ...]:
    """A module of the page and all modules that it needs, in order of import."""
    return tuple(modules_in_order(first, lambda name: read_source(name).decode()))


@cache
def content_security_policy() -> str:
    """The page's Content-Security-Policy, from its meta element."""
    html = read_source(INDEX_FILE).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    return str(policy)
