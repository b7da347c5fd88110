"""A round as a conversation: commands that the person types, and their answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tictactoe.errors import IllegalMoveError
from tictactoe.games.cursor import Cursor
from tictactoe.play.bot import RoundBot
from tictactoe.play.referee import Round

from ..reports.ending_text import rules_told
from ..reports.play_text import BOT, PERSON
from .play_screen import CHECK, Screen
from .quitting import QuitPlaying

COMMAND_HELP = {
    "h": "hint: best moves, others' costs",
    "b": "beliefs: what the moves tell",
    "u": "undo: take your last move back",
    "s": "save and leave, to go on later",
    "q": "quit",
}
COMMAND_WORDS = {"h": "hint", "b": "beliefs", "u": "undo", "s": "save", "?": "help", "q": "quit"}


def commands(letters: str) -> dict[str, str]:
    """The commands of these letters, in order, each with its word: for a Screen."""
    return {letter: COMMAND_WORDS[letter] for letter in letters}


class PersonTalk:
    """The person's moves in a round. judge: the perfect player, for hints and beliefs; None for a round without them.
    given: how many moves the round began with."""

    def __init__(self, screen: Screen, played: Round, judge: RoundBot | None, given: int = 0) -> None:
        self.screen = screen
        self.played = played
        self.judge = judge
        self.given = given
        self._helped = False  # the screen shows the first page of the help

    def next_move(self, panel: Sequence[str]) -> int:
        """The square that the person marks. panel: stands beside the board until the first answer. Raises
        QuitPlaying."""
        message = ""
        while True:
            typed = self.screen.ask(self.played, panel, message)
            if typed is None:
                raise QuitPlaying("end of input")
            answer = self._follow(typed)
            if isinstance(answer, int):
                return answer
            panel, message = answer

    def _follow(self, typed: str) -> int | tuple[Sequence[str], str]:
        """The square that the line names; otherwise the answer to the line: a panel and a message. Raises
        QuitPlaying."""
        screen, played = self.screen, self.played
        speaker, free = screen.speaker, played.cursor.board.free_squares
        letters = ", ".join(screen.commands)
        command = typed.lower()
        letter = next((letter for letter, word in screen.commands.items() if command in (letter, word)), "")
        helped, self._helped = self._helped, letter == "?" and not self._helped
        if letter == "h" and self.judge is not None:
            return speaker.hint(played, self.judge), ""
        if letter == "b" and self.judge is not None:
            return speaker.beliefs(played, self.judge), ""
        if letter == "?":
            return self._help(again=helped), ""
        if letter == "u":
            return (), self._undo()
        if letter == "s":
            raise QuitPlaying("saved", save=True)
        if letter == "q":
            screen.quit()
            return (), ""
        if not typed:
            return (), f"Type the digit of a free square, or a letter: {letters}"
        if len(typed) != 1 or typed not in speaker.digits:
            return (), f"{typed[:20]!a} is no move: type a free square's digit, or a letter: {letters}"
        square = speaker.digits.index(typed) + 1
        return square if square in free else ((), f"{typed} is taken; free squares: {speaker.digits_of(free)}")

    def _undo(self) -> str:
        try:
            self.played.take_back(PERSON, self.given)
        except IllegalMoveError as error:
            return str(error).capitalize()
        self.screen.taken_back()
        return ""

    def _help(self, *, again: bool) -> list[str]:
        """The help. On a screen with rules to explain it has two pages. again: show the second page."""
        speaker, rules = self.screen.speaker, rules_told(self.played.rules)
        opponent = speaker.opponent
        known = [f"{letter}    {COMMAND_HELP[letter]}" for letter in self.screen.commands if letter in COMMAND_HELP]
        keys = ["1-9  mark that square", *known]
        more = [
            f"You score if your goal comes true; {opponent} scores if its secret goal does.",
            *([] if speaker.in_points or self.judge is None else ["1 % of matches is one in a hundred."]),
            "Position: score, goals, moves, as explore --position takes them.",
            *([f"Commitment: seals {opponent}'s goal until the end. {CHECK}"] if self.screen.commitments else []),
        ]
        if not rules or not self.screen.redraws:
            return [*rules, *keys, *more]
        about = "positions, commitments" if self.screen.commitments else "positions"
        return more if again else [*keys, f"?    again: {about}", *rules]


class RoundTalk(PersonTalk):
    """A round between the person at the screen and `opponent`, the bot."""

    def __init__(self, screen: Screen, played: Round, judge: RoundBot, opponent: RoundBot, given: int = 0) -> None:
        super().__init__(screen, played, judge, given)
        self.opponent = opponent

    def play(self, generator: random.Random, after_move: Callable[[], None]) -> None:
        """Play the round to its end. Raises QuitPlaying. A round that was begun earlier continues with the same draws.

        generator: draws the bot's moves. after_move: called after every move.
        """
        played, screen = self.played, self.screen
        self._draw_again(generator)
        panel: Sequence[str] = screen.begin(played)
        while (mover := played.mover) is not None:
            if mover == BOT:
                square = self.opponent.choose(played.cursor, played.goals[mover], generator)
            else:
                square, panel = self.next_move(panel), ()
            played.play(square)
            screen.moved(played, mover, square)
            after_move()

    def _draw_again(self, generator: random.Random) -> None:
        """Repeat the draws for the bot's earlier moves, so that the generator is in the same state as then."""
        moves = self.played.cursor.moves
        for number in range(self.given, len(moves)):
            if (self.played.first + number) % 2 == BOT:
                cursor = Cursor(self.played.cursor.tree, moves[:number])
                self.opponent.choose(cursor, self.played.goals[BOT], generator)
