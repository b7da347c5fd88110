"""The conversation of explore: it reads commands from a person and answers them."""

from __future__ import annotations

import cmd
import contextlib
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tictactoe.errors import printable
from tictactoe.games.goals import Goal
from tictactoe.match.scores import Score
from tictactoe.play.explorer import Explorer, MistakeError
from tictactoe.play.notation import GOAL_LETTERS, Position

from ..streams import drawing
from ..words import counted
from .explore_help import help_lines
from .explore_screen import ExploreScreen
from .explore_text import Look, window, wrapped

_LONGEST_LINE = 1000
_COMMAND_LETTERS = "dgimpqrstuv?"
_LONG_NAMES = {"?": "help", "h": "help", "quit": "q", "exit": "q"}


class Conversation(cmd.Cmd):
    """Shows the explorer's position, reads a command and follows it, until a command quits or the input ends.

    On a terminal it has a prompt, history and completion, and shows long answers by pages. `cmdloop` can be called from
    another conversation: afterwards the terminal and its line editing are as before.
    """

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(stdin=sys.stdin or io.StringIO())
        self.explorer = explorer
        self.look = Look(window(), numpad=explorer.numpad)
        self.use_rawinput = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self.prompt = "explore> " if self.use_rawinput else ""
        self._answer: list[str] | None = None
        self._rest: list[str] = []  # the lines of an answer that did not fit on the terminal

    def cmdloop(self, intro: str | None = None) -> None:
        with _any_bytes(), _line_editing() if self.use_rawinput else contextlib.nullcontext():
            self._show(self.lines())
            super().cmdloop(intro)

    def lines(self) -> list[str]:
        """The lines of the screen, for the present size of the terminal."""
        self.look = replace(self.look, window=window())
        return ExploreScreen(self.explorer.view(), self.explorer.saved_text(), self.look).lines()

    def onecmd(self, line: str) -> bool:
        """Follow a command and print its answer, by default the screen. Returns whether to stop."""
        self._answer = None
        rest, self._rest = self._rest, []
        if rest and not line.strip():
            self._show(rest)
            return False
        try:
            stop = bool(super().onecmd(line))
        except MistakeError as mistake:
            said = printable(" ".join(str(mistake).split()))
            columns, rows = window()
            parts = [said] if rows is None else wrapped(said, columns)
            stop, self._answer = False, [self.look.paint.styled(part, "31") for part in parts]
        if not stop:
            self._show(self.lines() if self._answer is None else self._answer)
        return stop

    def _show(self, lines: list[str]) -> None:
        """Print as many lines as the terminal has room for above the prompt. Enter shows the rest."""
        rows = window().rows
        if rows is not None and len(lines) >= rows:
            first = max(rows - 2, 1)
            self._rest = lines[first:] if lines[first] else lines[first + 1 :]
            lines = [*lines[:first], f"Press Enter for more ({counted(len(self._rest), 'line')})."]
        print("\n".join(lines), file=drawing(sys.stdout) if self.look.paint.on else None, flush=True)

    def parseline(self, line: str) -> tuple[str, str, str]:
        """The command's name ("" if no command has it), the words after the name, and the whole line."""
        if line == "EOF":  # cmd's name for the end of the input
            return line, "", line
        words = line.split()
        if not words or len(line) > _LONGEST_LINE:
            return "", "", line.strip()
        name, rest = words[0].lower(), " ".join(words[1:])
        if re.fullmatch("[0-9]+", name):
            name, rest = "m", " ".join(words)
        elif glued := re.fullmatch("([imp])([0-9]+)", name):
            name, rest = glued[1], f"{glued[2]} {rest}".rstrip()
        name = _LONG_NAMES.get(name, name)
        return name if name == "help" or (len(name) == 1 and name in _COMMAND_LETTERS) else "", rest, line.strip()

    def emptyline(self) -> bool:
        return False

    def default(self, line: str) -> None:
        """Follow a line without a command: go to its position, or raise MistakeError."""
        if len(line) > _LONGEST_LINE:
            raise MistakeError(f"a line of {len(line)} characters; ? lists the commands")
        if not re.match(r"([(]|[Pp]osition:? +|\S*#|\S+/)?[0-9]+-|\S*#", line):
            word = line.split()[0]
            quoted = repr(word if len(word) <= 40 else word[:37] + "...")
            raise MistakeError(f"{quoted} is not a command: play a square (1-9), or type ? for the list")
        try:
            position = Position.parse(line)
        except ValueError as error:
            raise MistakeError(str(error)) from error
        self.explorer.go_to(position)

    def do_EOF(self, words: str) -> bool:
        if self.use_rawinput:
            print()
        return True

    def do_q(self, words: str) -> bool:
        _expect("", words, "q quits: no more words")
        return True

    def do_help(self, arg: str) -> None:
        self._answer = help_lines(window().columns, self.explorer.rounds.tree.rules, self.explorer.numpad)

    def do_m(self, words: str) -> None:
        _expect("([1-9] ?){1,9}", words, "m: give one or more squares from 1 to 9, such as m 5 or m 5 1 3")
        self.explorer.move(tuple(map(int, words.replace(" ", ""))))

    def do_u(self, words: str) -> None:
        _expect("", words, "u takes one move back: no more words")
        self.explorer.undo()

    def do_r(self, words: str) -> None:
        _expect("", words, "r goes back to the start of the round: no more words")
        self.explorer.restart()

    def do_g(self, words: str) -> None:
        goal = r"(w|l|t|\?|win|lose|tie)"
        wanted = "g: give the goals of X and of O, each w, l, t or ?, such as g w ?"
        _expect(rf"[wlt?]{{2}}|{goal} {goal}", words.lower(), wanted)
        letters = (word[0] for word in (words.lower().split() if " " in words else words.lower()))
        first, second = (None if letter == "?" else Goal(GOAL_LETTERS.index(letter)) for letter in letters)
        self.explorer.goals = (first, second)

    def do_d(self, words: str) -> None:
        self.look = replace(self.look, details=_switched(self.look.details, words, "d turns the details on or off"))

    def do_p(self, words: str) -> None:
        _expect("0{0,2}[1-9]|0?1[0-2]", words, "p: give a number of digits from 1 to 12, such as p 6")
        self.look = replace(self.look, precision=int(words))

    def do_t(self, words: str) -> None:
        self.look = replace(self.look, table=_switched(self.look.table, words, "t turns the table on or off"))

    def do_v(self, words: str) -> None:
        _expect("a|average|c|current", words.lower(), "v: a for the average strategy or c for the current one")
        self.explorer.average = words.lower().startswith("a")

    def do_s(self, words: str) -> None:
        _expect("[0-9]{1,9}[ -][0-9]{1,9}", words, "s: give the points of X and of O, such as s 4 3")
        self.explorer.go_to_score(Score(*map(int, re.split("[ -]", words))))

    def do_i(self, words: str) -> None:
        if not words:
            present, saved = self.explorer.saved.iteration, self.explorer.iterations()
            text = "saved iterations (* is this one): "
            text += ", ".join(f"{number}*" if number == present else str(number) for number in saved) or "none"
            self._answer = wrapped(f"saved: iteration {present}" if saved == [present] else text, window().columns, 2)
            return
        wanted = "i: give an iteration, first, last, + or -, or nothing for the list"
        _expect(r"[0-9]{1,12}|first|last|\+|-", words.lower(), wanted)
        self.explorer.go_to_iteration(words.lower())

    def completedefault(self, text: str, line: str, begidx: int, endidx: int) -> list[str]:
        try:
            return [f"{word} " for word in self.completions(line[:begidx].split()) if word.startswith(text)]
        except (MistakeError, OSError):
            return []

    def completenames(self, text: str, *ignored: object) -> list[str]:
        return self.completedefault(text, text, 0, len(text))

    def completions(self, before: list[str]) -> list[str]:
        """The words that may follow the words `before` on a line."""
        if not before:
            return list(_COMMAND_LETTERS)
        name, count = before[0].lower(), len(before)
        if name == "i" and count == 1:
            return ["first", "last", "+", "-", *map(str, self.explorer.iterations())]
        if name == "m":
            free = map(str, self.explorer.cursor.board.free_squares)
            return [square for square in free if square not in before[1:]]
        if name == "g" and count <= 2:
            return ["w", "l", "t", "?"]
        if name == "s" and count <= 2:
            scores = self.explorer.rounds.scores or []
            first = {str(score.first) for score in scores}
            return sorted(first if count == 1 else {str(s.second) for s in scores if str(s.first) == before[1]})
        words = {"d": ["on", "off"], "t": ["on", "off"], "v": ["average", "current"], "p": ["4", "6", "8"]}
        return words.get(name, []) if count == 1 else []


@contextlib.contextmanager
def _any_bytes() -> Iterator[None]:
    """Within the block, read and print bytes that are no text as escapes with backslashes."""
    with contextlib.ExitStack() as afterwards:
        for stream in (sys.stdin, sys.stdout):
            if hasattr(stream, "reconfigure"):
                afterwards.callback(_reconfigure, stream, stream.errors)
                _reconfigure(stream, "backslashreplace")
        yield


def _reconfigure(stream: Any, errors: str | None) -> None:
    with contextlib.suppress(io.UnsupportedOperation):  # the stream has been read ahead
        stream.reconfigure(errors=errors)


@contextlib.contextmanager
def _line_editing() -> Iterator[None]:
    """Within the block, completion by words and a separate history, if readline is available. Afterwards both are as
    before."""
    try:
        import readline
    except ImportError:  # not on every system
        yield
        return
    delimiters, known = readline.get_completer_delims(), readline.get_current_history_length()
    libedit = "libedit" in (readline.__doc__ or "")
    readline.set_completer_delims(" \t")
    if libedit:
        readline.parse_and_bind("bind ^I rl_complete")
    try:
        yield
    finally:
        readline.set_completer_delims(delimiters)
        readline.parse_and_bind("bind ^I ed-insert" if libedit else "tab: self-insert")
        for index in reversed(range(known, readline.get_current_history_length())):
            readline.remove_history_item(index)


def _switched(is_on: bool, words: str, use: str) -> bool:
    letter = use[0]
    _expect("on|off|", words.lower(), f"{use}: {letter}, {letter} on or {letter} off")
    return words.lower() == "on" if words else not is_on


def _expect(pattern: str, words: str, otherwise: str) -> None:
    if not re.fullmatch(pattern, words):
        raise MistakeError(otherwise)
