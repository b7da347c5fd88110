"""The code of a page of the documentation, run as it stands there."""

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]


class Block(NamedTuple):
    """A block of code: its language, its text, the line of the page that it begins at, and the block of output that
    follows it, None where none does."""

    language: str
    code: str
    line: int
    output: str | None


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, but for those of output (```text) that follow another one."""
    text = page.read_text(encoding="utf-8")
    found = list(re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    for index, match in enumerate(found):
        if match[1] == "text":
            continue
        after = found[index + 1] if index + 1 < len(found) else None
        follows = after is not None and after[1] == "text" and not text[match.end() : after.start()].strip()
        line = text.count("\n", 0, match.start()) + 1
        yield Block(match[1], match[2], line, after[2] if follows and after else None)


def run_page(page: Path, **names: Any) -> dict[str, Any]:
    """Run the Python blocks of a page one after the other, with `names` to begin with; what they define. What a block
    prints must be the block of output that follows it, if one does; otherwise it must print nothing."""
    space: dict[str, Any] = {"__name__": "__page__", **names}
    for block in blocks(page):
        if block.language != "python":
            continue
        printed = io.StringIO()
        code = compile("\n" * block.line + block.code, str(page), "exec")  # errors name the page's line
        with contextlib.redirect_stdout(printed):
            exec(code, space)
        assert printed.getvalue() == (block.output or ""), f"{page.name}, line {block.line}"
    return space


def rows_after(text: str, heading: str) -> list[list[str]]:
    """The cells of the table of a page that begins with this heading, row by row."""
    lines = text[text.index(heading) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
