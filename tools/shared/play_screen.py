"""The screen of play-multiround and play-subgame, the commands typed at it, and the round as a conversation."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace

from tictactoe.match.scores import Score
from tictactoe.play.bot import RoundBot
from tictactoe.play.commitment import commitment_hash
from tictactoe.play.referee import Round

from .play_text import BOT, PERSON, Speaker

LONGEST_LINE = 200  # characters of a typed line that are looked at
PANEL_COLUMN = 29  # where the text beside the board starts
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


class QuitPlaying(Exception):
    """The person wants no more, or there is no more input."""


class Screen:
    """Shows a round and asks for moves: drawn anew on a terminal, else line by line."""

    def __init__(self, speaker: Speaker, plain: bool) -> None:
        self.speaker = speaker
        self.is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self.redraws = self.is_terminal and not plain and os.environ.get("TERM", "dumb") not in ("", "dumb")
        self.colours = self.redraws and not os.environ.get("NO_COLOR")
        self.heading = ""
        self.score_line = ""
        self.solved_score: Score | None = None  # under which the solution has the present score
        if sys.stdin is not None and hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")

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
        if self.redraws:
            return
        print(f"{self.heading}. {self.score_line}.")
        print(self.speaker.seats(played))
        print(f"Goal: {self.speaker.goal(played)}.")
        print(f"Commitment to {self.speaker.opponent}'s goal: {commitment_hash(played.commitment)}")
        if played.cursor.moves:
            print(f"Moves so far: {' '.join(map(self.speaker.digit, played.cursor.moves))}")

    def moved(self, played: Round, player: int, square: int) -> None:
        if not self.redraws:
            who = "You mark" if player == PERSON else f"{self.speaker.bot_name} marks"
            print(f"Move {len(played.cursor.moves)}: {who} {self.speaker.digit(square)}.")

    def ask(self, played: Round, panel: Sequence[str], message: str) -> str | None:
        """What the person types at their turn."""
        if self.redraws:
            return self._read_below(PROMPT, played, panel, message)
        for line in (*panel, *([message] if message else [])):
            print(line)
        if not panel and not message:
            print(f"Board: {self.speaker.board(played)}")
            print(f"Position: {self._position(played)}")
        free = self.speaker.digits_of(played.cursor.board.free_squares)
        return self.read(f"Your move? Free: {free} (h hint, b beliefs, ? help, q quit)")

    def finish(self, played: Round, score: str, *, pause: str) -> None:
        """A round is over; `score` says how the match stands. On a terminal `pause` says what Enter does.

        Raises QuitPlaying if that is asked for.
        """
        facts = self.speaker.result(played, score)
        if not self.redraws:
            print(f"Board: {self.speaker.board(played)}")
            for fact in facts:
                print(fact)
            print(f"Position: {self._position(played)}")
            print(f"Commitment revealed: {played.commitment}")
            print(f"Its SHA-256: {commitment_hash(played.commitment)}")
            return
        panel: Sequence[str] = facts
        message = ""
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

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.colours else text

    def _board(self, played: Round) -> list[str]:
        """Eleven lines of 23 columns."""
        styles = {"X": "1;36", "O": "1;33"}
        cells = self.speaker.cells(played)
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
        goal = self.speaker.goal(played)
        gap = max(2, width - len(self.heading) - len(self.score_line))
        lines = [
            self._styled(self.heading + " " * gap + self.score_line, "1"),
            "",
            re.sub("WIN|LOSE|TIE", lambda word: self._styled(word[0], "1;35"), goal[0].upper() + goal[1:] + "."),
            self.speaker.seats(played),
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
        position = played.position(hidden=BOT if played.outcome is None else None)
        text = str(replace(position, score=self.solved_score or played.score))
        return text if self.solved_score in (None, played.score) else f"{text} (score as in the solution)"

    def _last_move(self, played: Round) -> str:
        moves = played.cursor.moves
        turn = f"It is your turn: move {len(moves) + 1}."
        if not moves:
            return turn
        return f"{self.speaker.bot_name} marked {self.speaker.digit(moves[-1])}. {turn}"


def _indent(text: str) -> str:
    """Of the further lines of a paragraph: under the text behind a heading column."""
    match = re.match(r"(\S+ {2,})\S", text)
    return " " * len(match[1]) if match else ""


def play_round(screen: Screen, played: Round, bot: RoundBot, generator: random.Random) -> None:
    """Play a round to its end with the person at the screen. Raises QuitPlaying."""
    screen.begin(played)
    panel: Sequence[str] = ()
    message = ""
    while (mover := played.mover) is not None:
        if mover == BOT:
            square = bot.choose(played.cursor, played.goals[mover], generator)
        else:
            typed = screen.ask(played, panel, message)
            if typed is None:
                raise QuitPlaying("end of input")
            answer = _follow(typed, screen, played, bot)
            if not isinstance(answer, int):
                panel, message = answer
                continue
            square, panel, message = answer, (), ""
        played.play(square)
        screen.moved(played, mover, square)


def _follow(typed: str, screen: Screen, played: Round, bot: RoundBot) -> int | tuple[Sequence[str], str]:
    """The square that the line names, or else what to show: a panel and a message. Raises QuitPlaying."""
    speaker, free = screen.speaker, played.cursor.board.free_squares
    command = typed.lower()
    if command in ("h", "hint"):
        return speaker.hint(played, bot), ""
    if command in ("b", "beliefs"):
        return speaker.beliefs(played, bot), ""
    if command in ("?", "help"):
        return HELP, ""
    if command in ("q", "quit"):
        screen.quit()
        return (), ""
    if not typed:
        return (), "Type the digit of a free square, or h, b, ? or q"
    if len(typed) != 1 or typed not in speaker.digits:
        return (), f"{typed[:20]!a} is no move: type a free square's digit, or h, b, ? or q"
    square = speaker.digits.index(typed) + 1
    return square if square in free else ((), f"{typed} is taken; free squares: {speaker.digits_of(free)}")
