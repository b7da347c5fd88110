"""Reading the page's JavaScript modules: the imports and exports of each, and the order in which they start.

This is no parser: the sources use a few forms, and ModuleError refuses all others.

- import { a, b as c } from "./x.js";
- export function f, export async function f, export const c, export class C, export {};
- no other form of import or export, no `await` outside a function, no circle of imports.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter


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
