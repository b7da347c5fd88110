"""Golden consoles: texts with commands and the output that they print, compared line by line.

    # A note on the screen.
    $ explore --position "4-4 ?w 5"
    < h
    the lines that the command prints
    ! a line that it prints to standard error
    [1]

`$` begins a command, perhaps with variables before it (`COLUMNS=60 explore`), `<` a line that is typed into it, `!` a
line on standard error, and `[1]` is the exit code if it is not 0. `...` stands for any lines. Numbers may differ as
another processor rounds them (`same_line`). `$ tty 24x80 explore` runs the command on a terminal of that size, and
shows the last screen on which it waits for a line.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from .programs import Result, call
from .terminal import Terminal

NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Entry:
    """A command of a console, the comment above it, and what it must print."""

    comment: str
    line: str
    typed: tuple[str, ...]
    printed: tuple[str, ...]

    def run(self) -> Result:
        words = shlex.split(self.line)
        start = next(place for place, word in enumerate(words) if "=" not in word)
        variables = dict(word.split("=", 1) for word in words[:start])
        if words[start] == "tty":
            return _screen(words[start + 1], words[start + 2 :], self.typed, variables)
        typed = "".join(f"{line}\n" for line in self.typed)
        return call(words[start], *words[start + 1 :], typed=typed, **variables)


def _screen(size: str, command: Sequence[str], typed: Sequence[str], variables: Mapping[str, str]) -> Result:
    """Run a command on a terminal. Returns its last screen as the output."""
    rows, columns = map(int, size.split("x"))
    terminal = Terminal(*command, rows=rows, columns=columns, **variables)
    shown = terminal.asked()
    for line in typed:
        shown = terminal.enter(line)
    code = terminal.finish()[0] if terminal.ended else terminal.interrupt()[0] - 130
    return Result(code, shown.rstrip(), "")


def entries(text: str) -> list[Entry]:
    parts = re.split(r"^((?:#.*\n)*)\$ ", text, flags=re.MULTILINE)[1:]
    return [_entry(comment, part) for comment, part in zip(parts[::2], parts[1::2], strict=True)]


def _entry(comment: str, part: str) -> Entry:
    command, *others = part.rstrip("\n").split("\n")
    typed = [line[2:] for line in others if line == "<" or line.startswith("< ")]
    return Entry(comment, command, tuple(typed), tuple(others[len(typed) :]))


def lines_of(result: Result) -> list[str]:
    """The output of a command in the form of a console. Spaces at the end of a line do not count, nor do lines of
    progress, which come only if a command takes longer than some seconds."""
    errors = [f"! {line}" for line in result.err.splitlines() if " elapsed" not in line]
    code = [f"[{result.code}]"] if result.code else []
    return [line.rstrip() for line in [*result.out.splitlines(), *errors, *code]]


def printed_by(path: Path) -> tuple[str, list[str]]:
    """Run the commands of a console. Returns the console's new text, and the commands whose output has changed.

    The output of other commands stays in the text as it was, with its `...`."""
    text, blocks, differences = path.read_text(encoding="utf-8"), [], []
    for entry in entries(text):
        printed = lines_of(entry.run())
        while printed and not printed[-1]:
            printed.pop()
        same = follows(printed, entry.printed)
        if not same:
            differences.append("\n".join([f"$ {entry.line}", *printed]))
        typed = (f"< {line}".rstrip() for line in entry.typed)
        lines = [f"$ {entry.line}", *typed, *(entry.printed if same else printed)]
        blocks.append(entry.comment + "\n".join(lines) + "\n")
    return "\n".join(blocks), differences


def follows(printed: Sequence[str], expected: Sequence[str]) -> bool:
    """Whether lines are the expected ones, where "..." stands for any lines."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(follows(printed[skipped:], expected[1:]) for skipped in range(len(printed) + 1))
    return bool(printed) and same_line(printed[0], expected[0]) and follows(printed[1:], expected[1:])


def same_line(printed: str, expected: str) -> bool:
    """Whether two lines have the same words, and numbers that differ no more than processors round differently: values
    near 0 by a factor of ten, counts of 100 and more by a fifth, others by 2e-4 of them or one in the last digit."""
    words = NUMBER.split(" ".join(printed.split())), NUMBER.split(" ".join(expected.split()))
    numbers = (NUMBER.findall(line) for line in (printed, expected))
    return words[0] == words[1] and all(_close(one, other) for one, other in zip(*numbers, strict=True))


def _close(printed: str, expected: str) -> bool:
    one, other = (float(text.replace(",", "")) for text in (printed, expected))
    if one == other:  # also where the digits of a hash look like a number that is too large
        return True
    if max(abs(one), abs(other)) < 1e-3:
        return other != 0 and 0.1 < one / other < 10.0
    if one.is_integer() and other.is_integer() and max(one, other) >= 100:
        return abs(one - other) <= 0.2 * max(abs(one), abs(other))
    last = 1.01 * _last_digit(expected) if _last_digit(printed) == _last_digit(expected) else 0.0
    return abs(one - other) <= max(last, 2e-4 * max(abs(one), abs(other)))


def _last_digit(text: str) -> float:
    """What a unit of the last digit is worth, of a number that is rounded to several digits; of others 0."""
    _, digits, exponent = Decimal(text.replace(",", "")).as_tuple()
    is_rounded = "e" in text or (len(digits) > 2 and "." in text)
    return 10.0 ** int(exponent) if is_rounded else 0.0
