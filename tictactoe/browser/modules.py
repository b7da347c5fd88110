"""The sources of the page, which are part of the package, and joining its JavaScript modules to one script.

One script loads faster than a hundred modules, and a page that is one file needs it, because browsers load no modules
from files on disk. Reading a module is no parsing: the sources use a few forms, and ModuleError refuses all others.

- import { a, b as c } from "./x.js";
- export function f, export async function f, export const c, export class C, export {};
- no other form of import or export, no `await` outside a function, no circle of imports.

Each module becomes a function that is called once, after the modules that it imports. It returns its exports, and an
import reads them from the returned object. This equals real modules as long as no export changes later.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePath


class ModuleError(ValueError):
    """A source uses another form than those above; the message is one line with its name."""


@dataclass(frozen=True)
class Import:
    """An import statement."""

    module: str
    """The name of the imported module."""
    names: tuple[tuple[str, str], ...]
    """For each import, its name in the other module and its name in this one."""


@dataclass(frozen=True)
class Module:
    """A JavaScript module."""

    name: str
    """The path below the page's folder."""
    imports: tuple[Import, ...]
    exports: tuple[str, ...]
    body: str
    """The source without import statements, the word export, comments and indentation."""


_WORD = re.compile(r"(?<![\w$.])(import|export|await)(?![\w$])")
_IMPORT = re.compile(r'import\s*\{([^{}]*)\}\s*from\s*"(\.{1,2}/[^"\n]+\.js)";')
_EXPORT = re.compile(r"export\s+(?=(?:(?:async\s+)?function\s*\*?|const|class)\s+([A-Za-z_$][\w$]*))|export\s*\{\s*\};")
_NAME = re.compile(r"([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*))?")
_TEXT = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
_PATTERN = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/")
_LINE_ENDS = re.compile(r"\s*\n\s*")
_BEFORE_PATTERN = re.compile(r"(?:^|[(,=:\[!&|?{};+\-*%<>~^]|\breturn|\bof|\bin|\btypeof|\bcase)\s*$")


def parse_module(name: str, text: str) -> Module:
    """Read the module of that name from its source. Raises ModuleError."""
    code = "".join(part if is_code else " " * len(part) for part, is_code in _parts(text))
    imports: list[Import] = []
    exports: list[str] = []
    kept: list[tuple[int, int]] = []  # what is neither an import nor the word export
    at = 0
    for word in _WORD.finditer(code):
        depth = _depth(code, word.start())
        if word[1] == "await":
            if depth == 0:
                raise _refused(name, text, word.start(), "await outside a function")
            continue
        found = (_IMPORT if word[1] == "import" else _EXPORT).match(text, word.start())
        if found is None or depth != 0:
            raise _refused(name, text, word.start(), f"this form of {word[1]} is not one of the page's")
        kept.append((at, word.start()))
        at = found.end()
        if word[1] == "import":
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), found[2]))
            names = _names(found[1])
            if names is None:
                raise _refused(name, text, word.start(), "an import is { a, b as c }")
            imports.append(Import(path, names))
        elif found[1]:
            exports.append(found[1])
    body = "".join(text[start:end] for start, end in [*kept, (at, len(text))])
    return Module(name, tuple(imports), tuple(exports), _without_comments(body))


def _without_comments(text: str) -> str:
    """The source without comments, indentation and empty lines; what stands in strings and templates stays."""
    written: list[str] = []
    run: list[str] = []
    for part, is_code in (*_parts(text), ("", False)):
        if is_code:
            run.append(part)
        elif not part.startswith(("//", "/*")):
            written += [_LINE_ENDS.sub("\n", "".join(run)), part]
            run = []
    return "".join(written)


def modules_in_order(first: str, read: Callable[[str], str]) -> list[Module]:
    """The module `first` and all modules that it needs, each after the modules that it imports.

    read: returns the source of a name; raises KeyError for an unknown name. Raises ModuleError, also for a circle of
    imports, and for a name that a module does not export.
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
        waiting += [(wanted.module, name) for wanted in found[name].imports]
    for module in found.values():
        for wanted in module.imports:
            if absent := {theirs for theirs, _ in wanted.names} - set(found[wanted.module].exports):
                raise ModuleError(f"{module.name}: {wanted.module} exports no {min(absent)}")
    try:
        graph = {module.name: sorted(wanted.module for wanted in module.imports) for module in found.values()}
        return [found[name] for name in TopologicalSorter(dict(sorted(graph.items()))).static_order()]
    except CycleError as error:
        raise ModuleError(f"{error.args[1][0]}: a circle of imports: {' < '.join(error.args[1])}") from None


def _names(listed: str) -> tuple[tuple[str, str], ...] | None:
    """The names between the braces of an import; None for other text."""
    found = [_NAME.fullmatch(item.strip()) for item in listed.split(",") if item.strip()]
    return None if None in found else tuple((name[1], name[2] or name[1]) for name in found if name)


def _refused(name: str, text: str, at: int, why: str) -> ModuleError:
    return ModuleError(f"{name}, line {text.count(chr(10), 0, at) + 1}: {why}")


def _depth(code: str, at: int) -> int:
    """The number of brackets that are open at a position."""
    before = code[:at]
    return sum(before.count(opening) for opening in "([{") - sum(before.count(closing) for closing in ")]}")


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Cut the source into pieces, and tell of each whether it is code: no comment, string, pattern or template."""
    masked: list[str] = []
    in_templates: list[int] = []  # for every open template, the number of open braces within its ${ }
    at = 0
    while at < len(text):
        end, letter, is_code = at + 1, text[at], True
        found = _TEXT.match(text, at)
        if found is None and letter == "/" and _BEFORE_PATTERN.search("".join(masked[-80:])):
            found = _PATTERN.match(text, at)
        if found:
            end, is_code = found.end(), False
        elif letter == "`" or (letter == "}" and in_templates and in_templates[-1] == 0):
            if letter == "}":
                in_templates.pop()
            end, opens = _end_of_template(text, end)
            if opens:
                in_templates.append(0)
            is_code = False
        elif letter in "{}" and in_templates:
            in_templates[-1] += 1 if letter == "{" else -1
        masked.append(letter if is_code else " " * (end - at))
        yield text[at:end], is_code
        at = end


def _end_of_template(text: str, at: int) -> tuple[int, bool]:
    """The end of a template's literal text, and whether an expression begins there."""
    found = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(`|\$\{)", re.DOTALL).match(text, at)
    return (found.end(), found[1] == "${") if found else (len(text), False)


def joined_script(modules: Iterable[Module]) -> str:
    """One classic script that runs the modules in their order. Raises ModuleError for text that would end it in HTML.

    >>> from tictactoe.browser.modules import parse_module
    >>> print(joined_script([parse_module("a.js", "export const one = 1;\\n")]))
    "use strict";
    (() => {
    const modules = Object.create(null);
    modules["a.js"] = (() => {
    const one = 1;
    return { one };
    })();
    })();
    <BLANKLINE>
    """
    parts = ['"use strict";\n(() => {\nconst modules = Object.create(null);\n']
    for module in modules:
        if "</script" in module.body.lower() or "<!--" in module.body:
            raise ModuleError(f"{module.name}: holds letters that end a script in HTML")
        imports = "".join(map(_import, module.imports))
        body = module.body.strip("\n")
        returned = f"return {{ {', '.join(module.exports)} }};"
        parts.append(f"modules[{json.dumps(module.name)}] = (() => {{\n{imports}{body}\n{returned}\n}})();\n")
    parts.append("})();\n")
    return "".join(parts)


def _import(wanted: Import) -> str:
    """
    >>> _import(Import("a.js", (("one", "one"), ("two", "zwei"))))
    'const { one, two: zwei } = modules["a.js"];\\n'
    """
    names = (ours if theirs == ours else f"{theirs}: {ours}" for theirs, ours in wanted.names)
    return f"const {{ {', '.join(names)} }} = modules[{json.dumps(wanted.module)}];\n"


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
    """Whether gzip makes the file smaller: pictures and data are compressed already."""
    return PurePath(name).suffix not in _PACKED


PAGE_SOURCES = Path(__file__).parent / "page"
"""The folder of the sources."""
INDEX_FILE = "index.html"
MAIN_MODULE = "main.js"
"""The module with which the page starts."""
SCRIPT_FILE, STYLE_FILE = "page.js", "page.css"
"""All modules and all style sheets, joined: two files load much faster than a hundred small ones."""
WORKER_FILE = "service-worker.js"
"""The service worker, which lets a browser keep the page for use without a network."""


_STYLE_SHEET = re.compile(r'^ *<link rel="stylesheet" href="([^"]+)">\n', re.MULTILINE)


@cache
def source_names() -> tuple[str, ...]:
    """The names of all sources, as sorted paths below the page's folder."""
    return tuple(
        sorted(path.relative_to(PAGE_SOURCES).as_posix() for path in PAGE_SOURCES.rglob("*") if path.is_file())
    )


@cache
def read_source(name: str) -> bytes:
    """The content of a source, or of SCRIPT_FILE or STYLE_FILE, to which index.html has links.

    Raises KeyError for another name.
    """
    if name == SCRIPT_FILE:
        return joined_script(modules()).encode()
    if name == STYLE_FILE:
        return b"".join(map(read_source, _STYLE_SHEET.findall((PAGE_SOURCES / INDEX_FILE).read_text("utf-8"))))
    if name not in source_names():
        raise KeyError(name)
    content = (PAGE_SOURCES / name).read_bytes()
    if is_text(name):
        content = content.replace(b"\r\n", b"\n")  # Git for Windows may have put them there
    return _with_joined(content.decode()).encode() if name == INDEX_FILE else content


@cache
def modules() -> tuple[Module, ...]:
    """All modules of the page, each after the modules that it imports."""
    return tuple(modules_in_order(MAIN_MODULE, lambda name: read_source(name).decode()))


@cache
def content_security_policy() -> str:
    """The page's Content-Security-Policy, from its meta element."""
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', read_source(INDEX_FILE).decode())
    assert found is not None
    return found[1]


def _with_joined(html: str) -> str:
    main = f'    <script type="module" src="{MAIN_MODULE}"></script>\n'
    assert html.count(main) == 1
    joined = f'    <link rel="stylesheet" href="{STYLE_FILE}">\n    <script defer src="{SCRIPT_FILE}"></script>\n'
    return _STYLE_SHEET.sub("", html).replace(main, joined)
