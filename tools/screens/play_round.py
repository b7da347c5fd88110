"""A round as a conversation: commands that the person types, and their answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tictactoe.errors import IllegalMoveError
from tictactoe.games.cursor import Cursor
from tictactoe.play.bot import RoundBot
from tictactoe.play.known_opponent import MOST_POINTS_TO_GO, KnownOpponent
from tictactoe.play.referee import Round
from tictactoe.play.round_text import BOT, PERSON, POINTS, rules_told

from ..interruption import QuitPlaying
from .play_screen import CHECK, Screen

_COMMANDS = {
    "h": ("hint", "hint: best moves, others' costs"),
    "b": ("beliefs", "beliefs: what the moves reveal"),
    "u": ("undo", "undo: take your last move back"),
    "s": ("save", "save and leave, to continue later"),
    "?": ("help", ""),
    "q": ("quit", "quit"),
}
"""The word of each command and its help, by letter."""


def commands(letters: str) -> dict[str, str]:
    """The commands of these letters with their words, for a Screen."""
    return {letter: _COMMANDS[letter][0] for letter in letters}


class PersonTalk:
    """The conversation about the person's moves. judge: answers hints and beliefs; may be None. given: moves before the
    start."""

    def __init__(self, screen: Screen, played: Round, judge: RoundBot | None, given: int = 0) -> None:
        self.screen, self.played, self.judge, self.given = screen, played, judge, given
        self.known: KnownOpponent | None = None
        """The opponent, if its strategy is known and it is not the perfect player."""
        self.counts_hints = False
        """Whether the round records how many hints were asked for."""
        self._helped = False  # the screen shows the first page of the help

    def next_move(self, panel: Sequence[str]) -> int:
        """Ask for the square that the person marks. panel: lines to show until the first answer. Raises QuitPlaying."""
        message = ""
        while (typed := self.screen.ask(self.played, panel, message)) is not None:
            answer = self._follow(typed)
            if isinstance(answer, int):
                return answer
            panel, message = answer
        raise QuitPlaying("end of input")

    def _follow(self, typed: str) -> int | tuple[Sequence[str], str]:
        screen, played, speaker = self.screen, self.played, self.screen.speaker
        letters, free = ", ".join(screen.commands), played.cursor.board.free_squares
        letter = next((letter for letter, word in screen.commands.items() if typed.lower() in (letter, word)), "")
        helped, self._helped = self._helped, letter == "?" and not self._helped
        if letter in ("h", "b") and self.judge is not None:
            return self._hint(self.judge) if letter == "h" else speaker.beliefs(played, self.judge, self.known), ""
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
            return (), f"{typed[:20]!a} is not a move: type a free square's digit, or a letter: {letters}"
        square = speaker.digits.index(typed) + 1
        return square if square in free else ((), f"{typed} is taken; free squares: {speaker.digits_of(free)}")

    def _hint(self, judge: RoundBot) -> list[str]:
        screen, played, known = self.screen, self.played, self.known
        played.hints += self.counts_hints
        if known is None:
            return screen.speaker.hint(played, judge)
        if not known.can_answer:
            match = f"in a match to more than {MOST_POINTS_TO_GO} points"
            return [*screen.speaker.hint(played, judge), f"Against {known.title}: not computed {match}."]
        if not known.is_ready(played.score, played.seat(PERSON)):
            screen.wait(played, f"One moment: the best moves against {known.title} are being computed.")
        return screen.speaker.hint(played, known.responder(played.score, played.seat(PERSON)))

    def _undo(self) -> str:
        try:
            self.played.take_back(PERSON, self.given)
        except IllegalMoveError as error:
            return str(error).capitalize()
        self.screen.taken_back()
        return ""

    def _help(self, *, again: bool) -> list[str]:
        screen, speaker, rules = self.screen, self.screen.speaker, rules_told(self.played.rules)
        opponent = speaker.opponent
        keys = [f"{letter}    {_COMMANDS[letter][1]}" for letter in screen.commands if letter != "?"]
        keys = ["1-9  mark that square", *keys]
        more = [
            f"You score if your goal comes true; {opponent} scores if its secret goal does.",
            *([] if speaker.in_points or self.judge is None else [POINTS]),
            "Position: score, goals and moves, for explore --position.",
            *([f"Commitment: seals {opponent}'s goal until the end. {CHECK}"] if screen.commitments else []),
        ]
        if not rules or not screen.redraws:
            return [*rules, *keys, *more]
        about = "positions, commitments" if screen.commitments else "positions"
        return more if again else [*keys, f"?    again: {about}", *rules]


class RoundTalk(PersonTalk):
    """The conversation about a round between the person at the screen and a bot."""

    def __init__(self, screen: Screen, played: Round, judge: RoundBot, opponent: RoundBot, given: int = 0) -> None:
        super().__init__(screen, played, judge, given)
        self.opponent = opponent
        self.verdict: Callable[[], Sequence[str]] | None = None
        """Returns lines about the person's first move; None before that move, or if there is no verdict until the
        end."""

    def play(self, generator: random.Random, after_move: Callable[[], None]) -> None:
        """Play the round to its end. A continued round repeats the same draws. Raises QuitPlaying.

        generator: draws the bot's moves. after_move: called after every move.
        """
        played, screen, opponent = self.played, self.screen, self.opponent
        moves, tree = played.cursor.moves, played.cursor.tree
        for number in range(self.given, len(moves)):  # repeats the draws of earlier moves
            if (played.first + number) % 2 == BOT:
                opponent.choose(Cursor(tree, moves[:number]), played.goals[BOT], generator)
        panel: Sequence[str] = screen.begin(played)
        while (mover := played.mover) is not None:
            if mover == BOT:
                square = opponent.choose(played.cursor, played.goals[mover], generator)
            else:
                square, panel = self.next_move(panel), ()
            played.play(square)
            screen.moved(played, mover, square)
            if mover == PERSON and self.verdict is not None:
                panel, self.verdict = self.verdict(), None
            after_move()
