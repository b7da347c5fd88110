"""What play-multiround and play-subgame share: the screen, the commands typed at it, the round as a conversation."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import Count, Directory, TrueFalse
from .play_text import belief_lines, goal_in_words, hint

if TYPE_CHECKING:
    import random

    from tictactoe.match import Score
    from tictactoe.playing import Player, Round, RoundBook

LONGEST_LINE = 200  # characters of a typed line that are looked at
LONGEST_NAME = 20
PANEL_COLUMN = 29  # where the text beside the board starts
SEATS = ("first", "second", "random")
KEYPADS = {"phone": "123456789", "numpad": "789456123"}
"""The digit shown on each square; the squares in the order of a phone's keypad."""
PROMPT = "Your move (1-9, h hint, b beliefs, ? help, q quit): "
HELP = (
    "1-9  mark that square; X1 is the first move, O2 the second",
    "h    hint: the equilibrium's moves for your goal",
    "b    beliefs: what the moves tell about the goals",
    "?    this help",
    "q    quit",
    "You score if the round ends as your goal says; so does the bot, whose goal you learn afterwards.",
    "The commitment is the SHA-256 of a text with the bot's goal, shown after the round. Check it with: "
    "printf '%s' 'TEXT' | sha256sum",
)
_OPTIONS = [
    click.option(
        "-s", "--solution", type=Directory(), default=None,
        help="Directory to play from.  [default: the solution that is installed with the program]",
    ),
    click.option(
        "--average-strategy", type=TrueFalse(), default="true", show_default=True,
        help="false: the bot plays the current strategy of the last iteration instead of the average one.",
    ),
    click.option("--seed", type=Count(0), default=None, help="Repeat: the same goals and the same choices of the bot."),
    click.option(
        "--keypad", type=click.Choice(tuple(KEYPADS)), default="phone", show_default=True,
        help="How the digits lie on the board: phone has 1 2 3 at the top, numpad 7 8 9.",
    ),
    click.option("--plain", is_flag=True, help="No colour, no redrawing, one line per fact: for screen readers, logs."),
]  # fmt: skip


def playing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that both commands take."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


class Names(click.ParamType):
    """Two different names with a comma between them."""

    name = "A,B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value[0], value[1]
        names = [" ".join(name.split()) for name in str(value).split(",")]
        if len(names) != 2 or not all(names) or names[0] == names[1]:
            self.fail(f"{value!r} is not two different names with a comma between them, such as Ann,Bot", param, ctx)
        for name in names:
            if len(name) > LONGEST_NAME or not name.isprintable():
                self.fail(f"{name[:40]!r} is longer than {LONGEST_NAME} characters, or unprintable", param, ctx)
        return names[0], names[1]


class QuitPlaying(Exception):
    """The person wants no more, or there is no more input."""


def first_player(seat: str, seed: int | None, number: int = 1) -> Player:
    """Who moves first when the person asked for this seat."""
    from tictactoe.playing import Player, generator_for

    if seat == "random":
        return Player(int(generator_for(seed, f"seat {number}").random() * 2))
    return Player.PERSON if seat == "first" else Player.BOT


class Screen:
    """Shows a round and asks for moves: drawn anew on a terminal, else line by line."""

    def __init__(self, names: tuple[str, str], keypad: str, plain: bool) -> None:
        self.names = names
        self.opponent = "the bot" if names[1] == "Bot" else names[1]
        self.digits = KEYPADS[keypad]
        self.is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self.redraws = self.is_terminal and not plain and os.environ.get("TERM", "dumb") not in ("", "dumb")
        self.colours = self.redraws and not os.environ.get("NO_COLOR")
        self.heading = ""
        self.score_line = ""
        self.solved_score: Score | None = None  # under which the solution has the present score
        if sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")

    def digit(self, square: int) -> str:
        return self.digits[square - 1]

    def digits_of(self, squares: Sequence[int]) -> str:
        return " ".join(sorted(map(self.digit, squares)))

    def read(self, prompt: str) -> str | None:
        """One typed line without the space around it, None at the end of input. Only its start, if it is huge."""
        print(prompt, end="" if self.redraws else "\n", flush=True)
        if sys.stdin is None:
            return None
        line = sys.stdin.readline(LONGEST_LINE)
        rest = line
        while rest and not rest.endswith("\n"):
            rest = sys.stdin.readline(1 << 16)
        if not line and self.redraws:
            print()
        return line.strip() if line else None

    def _read_below(self, prompt: str, played: Round, panel: Sequence[str], message: str) -> str | None:
        """Draw, and read a line; draw again when the terminal changes its size, or the program was stopped."""

        def draw(*_: object) -> None:
            with contextlib.suppress(RuntimeError):  # the signal came while something was being printed
                self._draw(played, panel, message)
                print(prompt, end="", flush=True)

        self._draw(played, panel, message)
        reasons = [getattr(signal, name) for name in ("SIGWINCH", "SIGCONT") if hasattr(signal, name)]
        before = [signal.signal(reason, draw) for reason in reasons]
        try:
            return self.read(prompt)
        finally:
            for reason, handler in zip(reasons, before, strict=True):
                signal.signal(reason, handler)

    def begin(self, played: Round) -> None:
        """A round starts: the facts that a plain screen says once."""
        from tictactoe.playing import commitment_hash

        if self.redraws:
            return
        print(f"{self.heading}. {self.score_line}.")
        print(self._seats(played))
        print(f"Goal: {self._goal(played)}.")
        print(f"Commitment to {self.opponent}'s goal: {commitment_hash(played.commitment)}")
        if played.cursor.moves:
            print(f"Moves so far: {' '.join(map(self.digit, played.cursor.moves))}")

    def moved(self, played: Round, player: Player, square: int) -> None:
        if not self.redraws:
            who = "You mark" if player == 0 else f"{self.names[1]} marks"
            print(f"Move {len(played.cursor.moves)}: {who} {self.digit(square)}.")

    def ask(self, played: Round, panel: Sequence[str], message: str) -> str | None:
        """What the person types at their turn."""
        if self.redraws:
            return self._read_below(PROMPT, played, panel, message)
        for line in (*panel, *([message] if message else [])):
            print(line)
        if not panel and not message:
            print(f"Board: {self._one_line(played)}")
            print(f"Position: {self._position(played)}")
        free = self.digits_of(played.cursor.board.free_squares)
        return self.read(f"Your move? Free: {free} (h hint, b beliefs, ? help, q quit)")

    def finish(self, played: Round, facts: Sequence[str], *, pause: str) -> None:
        """A round is over. On a terminal `pause` says what Enter does. Raises QuitPlaying if that is asked for."""
        from tictactoe.playing import commitment_hash

        if not self.redraws:
            print(f"Board: {self._one_line(played)}")
            for fact in facts:
                print(fact)
            print(f"Position: {self._position(played)}")
            print(f"Commitment revealed: {played.commitment}")
            print(f"Its SHA-256: {commitment_hash(played.commitment)}")
            return
        panel, message = facts, ""
        while True:
            answer = self._read_below(f"Enter {pause} (? help, q quit): ", played, panel, message)
            if answer == "":
                return
            if answer is None:
                raise QuitPlaying("end of input")
            panel, message = facts, ""
            if answer.lower() in ("q", "quit"):
                self.quit()
            elif answer.lower() in ("?", "help"):
                panel = HELP
            else:
                message = f"{answer[:20]!a}: the round is over; press Enter, or type q to quit"

    def quit(self) -> None:
        """Ask first on a terminal; raises QuitPlaying unless that is denied."""
        if not self.is_terminal:
            raise QuitPlaying("quit")
        answer = self.read("Quit? (y/n) ")
        if answer is None or answer.lower() in ("y", "yes", "q", "quit"):
            raise QuitPlaying("quit")

    def clear(self) -> None:
        if self.redraws:
            print("\x1b[H\x1b[2J", end="")

    def _goal(self, played: Round) -> str:
        return goal_in_words(played.goals[0], self.opponent)

    def _seats(self, played: Round) -> str:
        if played.first == 0:
            return f"You move first and are X; {self.names[1]} is O."
        return f"{self.names[1]} moves first and is X; you move second and are O."

    def _cells(self, played: Round) -> list[str]:
        """Per square: the mark with the number of its move, or the digit."""
        cells = [self.digit(square) for square in range(1, 10)]
        for index, square in enumerate(played.cursor.moves):
            cells[square - 1] = f"{'XO'[index % 2]}{index + 1}"
        return cells

    def _one_line(self, played: Round) -> str:
        cells = self._cells(played)
        return " / ".join(" ".join(cells[row : row + 3]) for row in (0, 3, 6))

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.colours else text

    def _board(self, played: Round) -> list[str]:
        """Eleven lines of 23 columns."""
        styles = {"X": "1;36", "O": "1;33"}
        cells = self._cells(played)
        texts = [self._styled(f"{cell:^7}", styles.get(cell[0], "2")) for cell in cells]
        if played.cursor.moves:
            last = played.cursor.moves[-1] - 1
            texts[last] = self._styled(f"{cells[last]:^7}", styles[cells[last][0]] + ";7")
        empty, rule = "       |       |       ", "-------+-------+-------"
        lines: list[str] = []
        for row in (0, 3, 6):
            lines += [empty, "|".join(texts[row : row + 3]), empty, rule]
        return lines[:-1]

    def _draw(self, played: Round, panel: Sequence[str], message: str) -> None:
        from tictactoe.playing import commitment_hash

        over = played.outcome is not None
        width = min(shutil.get_terminal_size().columns - 1, 79)
        room = max(width - PANEL_COLUMN, 20)
        texts = [line for text in panel for line in textwrap.wrap(text, room, subsequent_indent=_indent(text))]
        if len(texts) <= 11:
            texts.insert(0, "")  # beside the board, not above it
        board = ["", *(f"  {cells}" for cells in self._board(played)), ""]
        filled = [0, *[25] * 11, 0]  # columns that they take on the screen
        middle = [
            line + " " * (PANEL_COLUMN - columns) + text if text else line
            for line, columns, text in zip(board, filled, texts + [""] * len(board), strict=False)
        ]
        goal = self._goal(played)
        gap = max(2, width - len(self.heading) - len(self.score_line))
        lines = [
            self._styled(self.heading + " " * gap + self.score_line, "1"),
            "",
            re.sub("WIN|LOSE|TIE", lambda word: self._styled(word[0], "1;35"), goal[0].upper() + goal[1:] + "."),
            self._seats(played),
            *middle,
            *(" " * PANEL_COLUMN + text for text in texts[len(board) :]),
            "The round is over." if over else self._last_move(played),
            f"Position   {self._position(played)}",
            f"Commitment {commitment_hash(played.commitment)}",
            played.commitment if over else "",
            self._styled(message, "33") if message else "",
        ]
        print("\x1b[H" + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J", end="")

    def _position(self, played: Round) -> str:
        text = played.position(hide_bot=played.outcome is None, score=self.solved_score)
        return text if self.solved_score in (None, played.score) else f"{text} (score as in the solution)"

    def _last_move(self, played: Round) -> str:
        moves = played.cursor.moves
        turn = f"It is your turn: move {len(moves) + 1}."
        if not moves:
            return turn
        return f"{self.names[1]} marked {self.digit(moves[-1])}. {turn}"


def _indent(text: str) -> str:
    """Of the further lines of a paragraph: under the text behind a heading column."""
    match = re.match(r"(\S+ {2,})\S", text)
    return " " * len(match[1]) if match else ""


def play_round(screen: Screen, played: Round, book: RoundBook, generator: random.Random) -> None:
    """Play a round to its end with the person at the screen. Raises QuitPlaying."""
    from tictactoe.playing import Player

    screen.begin(played)
    panel: Sequence[str] = ()
    message = ""
    while (mover := played.mover) is not None:
        if mover is Player.BOT:
            square = book.choose(played.cursor, played.goals[mover], generator)
        else:
            typed = screen.ask(played, panel, message)
            panel, message = (), ""
            if typed is None:
                raise QuitPlaying("end of input")
            command = typed.lower()
            if command in ("h", "hint"):
                panel = hint(screen, played, book)
            elif command in ("b", "beliefs"):
                panel = belief_lines(screen, played, book)
            elif command in ("?", "help"):
                panel = HELP
            elif command in ("q", "quit"):
                screen.quit()
            elif len(typed) != 1 or typed not in screen.digits:
                message = f"{typed[:20]!a} is no move: type a free square's digit, or h, b, ? or q"
                message = message if typed else "Type the digit of a free square, or h, b, ? or q"
            elif (square := screen.digits.index(typed) + 1) not in played.cursor.board.free_squares:
                free = screen.digits_of(played.cursor.board.free_squares)
                message = f"{typed} is taken; free squares: {free}"
            else:
                played.play(square)
                screen.moved(played, mover, square)
            continue
        played.play(square)
        screen.moved(played, mover, square)


def solution_directory(solution: Path | None) -> Path:
    """The one that was asked for, else the one that is installed with the program."""
    if solution is not None:
        return solution
    from tictactoe.solution import shipped_solution

    return shipped_solution()
