"""The conversation of explore: it reads commands from a person and answers them."""

from __future__ import annotations

import cmd
import contextlib
import io
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tictactoe.errors import printable
from tictactoe.games.rules import Goal
from tictactoe.match.scores import Score
from tictactoe.number_text import counted
from tictactoe.play.explorer import Explorer, MistakeError, check, command_in, iterations_told, position_in, words_after
from tictactoe.play.notation import GOAL_LETTERS

from ..streams import drawing
from .explore_screen import ExploreScreen, Look, help_lines, window, wrapped


class Talk(cmd.Cmd, ABC):
    """Shows a screen, reads a command and follows it, until a command quits or the input ends.

    On a terminal it has a prompt, history and completion, and shows long answers by pages. `cmdloop` can be called from
    another conversation: afterwards the terminal and its line editing are as before.
    """

    answer: list[str] | None
    """What a command has answered; None to show the screen."""

    def __init__(self, numpad: bool = False) -> None:
        super().__init__(stdin=sys.stdin or io.StringIO())
        self.look = Look(window(), numpad=numpad)
        self.use_rawinput = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self.prompt = "explore> " if self.use_rawinput else ""
        self.answer = None
        self._rest: list[str] = []  # the lines of an answer that did not fit on the terminal

    @abstractmethod
    def screen(self, look: Look) -> list[str]:
        """The lines of the screen."""

    @abstractmethod
    def follow(self, name: str, words: str, line: str) -> bool:
        """Follow a command, as `parseline` gives it. Returns whether to stop. Raises MistakeError."""

    @abstractmethod
    def words_after(self, before: list[str]) -> list[str]:
        """The words that may follow others on a line. Raises MistakeError and OSError."""

    def cmdloop(self, intro: str | None = None) -> None:
        with _any_bytes(), _line_editing() if self.use_rawinput else contextlib.nullcontext():
            self._show(self.lines())
            super().cmdloop(intro)

    def lines(self) -> list[str]:
        """The lines of the screen, for the present size of the terminal."""
        self.look = replace(self.look, window=window())
        return self.screen(self.look)

    def onecmd(self, line: str) -> bool:
        """Follow a command and print its answer, by default the screen. Returns whether to stop."""
        self.answer = None
        rest, self._rest = self._rest, []
        if rest and not line.strip():
            self._show(rest)
            return False
        try:
            name, words, whole = self.parseline(line)
            if name == "EOF" and self.use_rawinput:
                print()
            stop = self.follow(name or "", words or "", whole)
        except MistakeError as mistake:
            said = printable(" ".join(str(mistake).split()))
            columns, rows = window()
            parts = [said] if rows is None else wrapped(said, columns)
            stop, self.answer = False, [self.look.paint.styled(part, "31") for part in parts]
        if not stop:
            self._show(self.lines() if self.answer is None else self.answer)
        return stop

    def _show(self, lines: list[str]) -> None:
        """Print as many lines as the terminal has room for above the prompt. Enter shows the rest."""
        rows = window().rows
        if rows is not None and len(lines) >= rows:
            first = max(rows - 2, 1)
            self._rest = lines[first:] if lines[first] else lines[first + 1 :]
            lines = [*lines[:first], f"Press Enter for more ({counted(len(self._rest), 'line')})."]
        print("\n".join(lines), file=drawing(sys.stdout) if self.look.paint.on else None, flush=True)

    def set_look(self, name: str, words: str) -> None:
        """Follow a command about how things are shown: details, table or digits; any other one does nothing."""
        match name:
            case "d":
                self.look = replace(self.look, details=words == "on" if words else not self.look.details)
            case "t":
                self.look = replace(self.look, table=words == "on" if words else not self.look.table)
            case "p":
                self.look = replace(self.look, precision=int(words))

    def completedefault(self, text: str, line: str, begidx: int, endidx: int) -> list[str]:
        try:
            return [f"{word} " for word in self.words_after(line[:begidx].split()) if word.startswith(text)]
        except (MistakeError, OSError):
            return []

    def completenames(self, text: str, *ignored: object) -> list[str]:
        return self.completedefault(text, text, 0, len(text))


class Conversation(Talk):
    """The conversation about a round: it shows the explorer's position."""

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer.numpad)
        self.explorer = explorer

    def screen(self, look: Look) -> list[str]:
        return ExploreScreen(self.explorer.view(), self.explorer.saved_text(), look, self.explorer.about).lines()

    def parseline(self, line: str) -> tuple[str, str, str]:
        return command_in(line)

    def follow(self, name: str, words: str, line: str) -> bool:
        """A line without a command goes to its position."""
        explorer, small = self.explorer, words.lower()
        check(name, small)
        match name:
            case "help":
                self.answer = help_lines(window().columns, explorer.rounds.tree.rules, explorer.numpad)
            case "m":
                explorer.move(tuple(map(int, words.replace(" ", ""))))
            case "u":
                explorer.undo()
            case "r":
                explorer.restart()
            case "g":
                letters = (word[0] for word in (small.split() if " " in small else small))
                first, second = (None if letter == "?" else Goal(GOAL_LETTERS.index(letter)) for letter in letters)
                explorer.goals = (first, second)
            case "v":
                explorer.average = small.startswith("a")
            case "s":
                explorer.go_to_score(Score(*map(int, re.split("[ -]", words))))
            case "i" if words:
                explorer.go_to_iteration(small)
            case "i":
                self.answer = wrapped(iterations_told(explorer), window().columns, 2)
            case "" if line:
                explorer.go_to(position_in(line))
            case _:
                self.set_look(name, small)
        return name in ("q", "EOF")

    def words_after(self, before: list[str]) -> list[str]:
        return words_after(before, self.explorer)


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
