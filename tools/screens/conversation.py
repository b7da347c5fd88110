"""The conversations of explore about a round or a described game."""

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
from tictactoe.play.explored_game import GameExplorer, GameView
from tictactoe.play.explorer import Explorer, MistakeError, check, command_in, iterations_told, position_in, words_after
from tictactoe.play.notation import GOAL_LETTERS

from ..streams import drawing
from .explore_screen import (
    ExploreScreen,
    Look,
    help_lines,
    iteration_line,
    joined,
    keys_and_paragraphs,
    window,
    wrapped,
)


class Talk(cmd.Cmd, ABC):
    """Show a screen, then read and follow commands until one quits or the input ends.

    On a terminal, this offers history, completion and pages. `cmdloop` restores the terminal, even within another
    conversation.
    """

    answer: list[str] | None
    """The answer to the last command; None to show the screen."""

    def __init__(self, explorer: Explorer | GameExplorer, numpad: bool = False) -> None:
        super().__init__(stdin=sys.stdin or io.StringIO())
        self._explorer = explorer
        self.look = Look(window(), numpad=numpad)
        self.use_rawinput = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self.prompt = "explore> " if self.use_rawinput else ""
        self.answer = None
        self._rest: list[str] = []  # the lines of an answer that did not fit on the terminal

    @abstractmethod
    def screen(self, look: Look) -> list[str]:
        """The lines of the screen."""

    @abstractmethod
    def words_after(self, before: list[str]) -> list[str]:
        """The words that may follow `before` on a line. Raises MistakeError and OSError."""

    def cmdloop(self, intro: str | None = None) -> None:
        with _any_bytes(), _line_editing() if self.use_rawinput else contextlib.nullcontext():
            self._show(self.lines())
            super().cmdloop(intro)

    def lines(self) -> list[str]:
        """The lines of the screen for the terminal's present size."""
        self.look = replace(self.look, window=window())
        return self.screen(self.look)

    def onecmd(self, line: str) -> bool:
        """Follow a command and print its answer or else the screen. Returns whether to stop."""
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
        rows = window().rows
        if rows is not None and len(lines) >= rows:
            first = max(rows - 2, 1)
            self._rest = lines[first:] if lines[first] else lines[first + 1 :]
            lines = [*lines[:first], f"Press Enter for more ({counted(len(self._rest), 'line')})."]
        print("\n".join(lines), file=drawing(sys.stdout) if self.look.paint.on else None, flush=True)

    def follow(self, name: str, words: str, line: str) -> bool:
        """Follow a command that `parseline` has read. Returns whether to stop. Raises MistakeError."""
        explorer, words = self._explorer, words.lower()
        check(name, words)
        match name:
            case "u":
                explorer.undo()
            case "v":
                explorer.average = words.startswith("a")
            case "i" if words:
                explorer.go_to_iteration(words)
            case "i":
                self.answer = wrapped(iterations_told(explorer), window().columns, 2)
            case "d":
                self.look = replace(self.look, details=words == "on" if words else not self.look.details)
            case "t":
                self.look = replace(self.look, table=words == "on" if words else not self.look.table)
            case "p":
                self.look = replace(self.look, precision=int(words))
        return name in ("q", "EOF")

    def completedefault(self, text: str, line: str, begidx: int, endidx: int) -> list[str]:
        try:
            return [f"{word} " for word in self.words_after(line[:begidx].split()) if word.startswith(text)]
        except (MistakeError, OSError):
            return []

    def completenames(self, text: str, *ignored: object) -> list[str]:
        return self.completedefault(text, text, 0, len(text))


class Conversation(Talk):
    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer, explorer.numpad)
        self.explorer = explorer

    def screen(self, look: Look) -> list[str]:
        return ExploreScreen(self.explorer.view(), self.explorer.saved_text(), look, self.explorer.about).lines()

    def parseline(self, line: str) -> tuple[str, str, str]:
        return command_in(line)

    def follow(self, name: str, words: str, line: str) -> bool:
        stop, explorer, small = super().follow(name, words, line), self.explorer, words.lower()
        match name:
            case "help":
                self.answer = help_lines(window().columns, explorer.rounds.tree.rules, explorer.numpad)
            case "m":
                explorer.move(tuple(map(int, words.replace(" ", ""))))
            case "r":
                explorer.restart()
            case "g":
                letters = (word[0] for word in (small.split() if " " in small else small))
                first, second = (None if letter == "?" else Goal(GOAL_LETTERS.index(letter)) for letter in letters)
                explorer.goals = (first, second)
            case "s":
                explorer.go_to_score(Score(*map(int, re.split("[ -]", words))))
            case "" if line:
                explorer.go_to(position_in(line))
        return stop

    def words_after(self, before: list[str]) -> list[str]:
        return words_after(before, self.explorer)


@contextlib.contextmanager
def _any_bytes() -> Iterator[None]:
    with contextlib.ExitStack() as afterwards:
        for stream in (sys.stdin, sys.stdout):
            if hasattr(stream, "reconfigure"):
                afterwards.callback(_reconfigure, stream, stream.errors)
                _reconfigure(stream, "backslashreplace")
        yield


def _reconfigure(stream: Any, errors: str | None) -> None:
    with contextlib.suppress(io.UnsupportedOperation):  # the stream was read ahead
        stream.reconfigure(errors=errors)


@contextlib.contextmanager
def _line_editing() -> Iterator[None]:
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


_COMMANDS = (
    ("bet, 2, m bet call", "make moves: names, their beginnings, or numbers"),
    ("/bet/call, /", "go to a history, or to the start"),
    ("u, r", "take a move back, or all of them"),
    ("i, i 500", "list iterations, or go to one (first, last, +, -)"),
    ("v a, v c", "show the average or the current strategy"),
    ("d, p 6, t", "details on or off; more digits (usually p 4); table on or off"),
    ("?, q", "show this help; quit"),
)
_WORDS = (
    "The table has a row for everything that the player who moves next may have. likely: its probability to somebody "
    "who knows the strategies and saw the moves. gets: the most that the player can still get on average against the "
    "other's strategy, without seeing what the other has. plays: how often it makes the move. costs: how much less it "
    "gets than by its best move, as in game play. -: the other player's strategy never leads here.",
    "Details: the regrets that the solver has accumulated, and both strategies.",
)


class GameConversation(Talk):
    def __init__(self, explorer: GameExplorer) -> None:
        super().__init__(explorer)
        self.explorer = explorer

    def screen(self, look: Look) -> list[str]:
        view, saved, numbers = self.explorer.view(), self.explorer.saved_text(), look.numbers
        title = f"History {view.position or '/'}"
        first, *others = look.wrapped(f"{title} ({view.game}; happens {numbers.small(view.history_probability)})")
        player = view.to_move
        texts = [
            *([view.shown] if view.shown else []),
            f"{iteration_line(view, saved)}; exploitability {numbers.small(view.exploitability)}, "
            f"value {numbers.value(view.solution_value)} to the first player.",
            "The round is over." if player is None else f"{_MOVERS[player]} moves next.",
        ]
        if view.value is not None and player is not None:
            texts.append(
                f"From here, the first player gets {numbers.value(view.value)} if both follow these strategies."
            )
        lines = [first.replace(title, look.paint.styled(title)), *others, *look.wrapped(*texts)]
        told = [belief for belief in view.beliefs if belief is None or len(belief) > 1]
        if None in told:
            lines += look.wrapped("The strategies never lead here, so nothing is known about what the players have.")
        elif told:
            lines.append("")
            for seat, beliefs in zip(_MOVERS, view.beliefs, strict=False):
                likeliest = sorted(beliefs or (), key=lambda each: -each.probability)
                shown = ", ".join(f"{each.type} {numbers.share(each.probability)}" for each in likeliest[:12])
                more = f", and {counted(len(likeliest) - 12, 'other')}" if len(likeliest) > 12 else ""
                lines += look.wrapped(f"{_MOVERS[seat]} has: {shown}{more}") if len(likeliest) > 1 else []
        if len(view.may_be) > 1:
            shown = "; ".join(f"{each.type} {numbers.share(each.probability)}" for each in view.may_be[:6])
            more = f"; {counted(len(view.may_be) - 6, 'other')}" if len(view.may_be) > 6 else ""
            lines += ["", *look.wrapped(f"The player to move may be facing: {shown}{more}")]
        if look.table:
            lines += ["", *_table(view, look)]
        return lines

    def parseline(self, line: str) -> tuple[str, str, str]:
        name, words, whole = command_in(line)
        if name in ("u", "r", "v", "i", "d", "p", "t", "q", "help", "EOF") or not whole:
            return name, words, whole
        return "", whole.removeprefix("m ").strip(), whole

    def follow(self, name: str, words: str, line: str) -> bool:
        stop, explorer = super().follow(name, words, line), self.explorer
        match name:
            case "help":
                self.answer = keys_and_paragraphs(_COMMANDS, _WORDS, window().columns)
            case "r":
                explorer.go_to(())
            case "" if words.startswith("/"):
                explorer.go_to([name for name in words.split("/") if name])
            case "" if words:
                view = explorer.view()
                names = [move.move for row in view.rows[:1] for move in row.moves]
                names += [move.move for move in view.chance]  # a name may have blanks
                explorer.move([words] if words.lower() in map(str.lower, names) else words.split())
        return stop

    def words_after(self, before: list[str]) -> list[str]:
        moves = [move for row in self.explorer.view().rows[:1] for move in row.moves]
        return [] if before else [*(move.move for move in moves), "u", "r", "i", "v", "q", "?"]


_MOVERS = {"first": "The first player", "second": "The second player", "chance": "Chance"}
"""By `GameView.to_move`, with the players first."""


def _table(view: GameView, look: Look) -> list[str]:
    numbers = look.numbers
    if view.payoffs and not any(view.payoffs[0].types):
        return [f"the first player gets {numbers.value(view.payoffs[0].payoff)}"]
    if view.payoffs:
        heads = ["first has", "second has", "first gets"]
        rows = [[*each.types, numbers.value(each.payoff)] for each in view.payoffs]
        return joined([list(column) for column in zip(heads, *rows, strict=True)], 3)
    if view.chance:
        shares = ["-" if each.probability is None else numbers.share(each.probability) for each in view.chance]
        return joined([["chance", *(each.move for each in view.chance)], ["comes", *shares]], 3)
    columns = [
        ["", "", *(row.type for row in view.rows)],
        ["", "likely", *("-" if row.belief is None else numbers.share(row.belief) for row in view.rows)],
        ["", "gets", *("-" if row.value is None else numbers.value(row.value) for row in view.rows)],
    ]
    groups = []
    for place, move in enumerate(view.rows[0].moves):
        moves = [row.moves[place] for row in view.rows]
        group = [
            [move.move, "plays", *(numbers.share(each.probability) for each in moves)],
            ["", "costs", *("-" if each.cost is None else numbers.cost(each.cost, 1) for each in moves)],
        ]
        if look.details:
            group += [
                ["", "average", *(numbers.probability(each.average) for each in moves)],
                ["", "current", *(numbers.probability(each.current) for each in moves)],
                ["", "regret", *(numbers.small(each.total_regret) for each in moves)],
            ]
        groups.append(group)
    return look.blocks(columns, groups, 2)
