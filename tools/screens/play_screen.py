"""The screen of a round, redrawn on a terminal and printed line by line elsewhere."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from tictactoe.match.scores import Score
from tictactoe.play.move_costs import Mistake
from tictactoe.play.notation import Position
from tictactoe.play.referee import Round, commitment_hash
from tictactoe.play.review_text import of_a_round
from tictactoe.play.round_layout import MOST_COLUMNS, Room, beside, board, fitting, justified, styled, wrapped
from tictactoe.play.round_text import BOT, PERSON, Speaker, lines_by_player, rules_told

from ..interruption import QuitPlaying
from ..program import say
from ..streams import drawing
from .line_reader import LineReader

CHECK = "Check it with: python -c \"import hashlib; print(hashlib.sha256(b'TEXT').hexdigest())\""


class Screen:
    """The screen that shows a round and asks for moves.

    commands: letters and their words. commitments: whether goals are sealed. heading, score_line: texts about the
    round.
    solved_score: a function from a score to the solution's score.
    """

    def __init__(
        self, speaker: Speaker, reader: LineReader, commands: dict[str, str], *, commitments: bool = True
    ) -> None:
        self.speaker, self.reader, self.commands, self.commitments = speaker, reader, commands, commitments
        self.heading = self.score_line = ""
        self.solved_score: Callable[[Score], Score] = lambda score: score
        self.clock: Callable[[], str] = str
        """Returns a sentence about the time for the move; "" without a limit."""
        self.notices: list[str] = []
        """Lines to show at the beginning of the next round."""
        self._fresh = True  # the person has typed nothing in this round yet
        self._rules_told = False

    @property
    def redraws(self) -> bool:
        return self.reader.redraws

    def clear(self) -> None:
        if self.redraws:
            print("\x1b[H\x1b[2J", end="", file=drawing(sys.stdout))

    def begin(self, played: Round) -> Sequence[str]:
        """Begin a round: print its facts, or return the first panel of a redrawn screen."""
        self._fresh = True
        rules = [] if self._rules_told else rules_told(played.rules)
        self._rules_told = True
        rules, self.notices = [*self.notices, *rules], []
        if self.redraws:
            return rules
        speaker, moves = self.speaker, played.cursor.moves
        facts = [f"{self.heading}. {self.score_line}.", *rules, speaker.seats(played), f"{speaker.goal(played)}."]
        if self.commitments:
            facts.append(f"Commitment to {speaker.opponent}'s goal: {commitment_hash(played.commitment)}")
        if moves:
            facts += [f"Moves so far: {' '.join(map(speaker.digit, moves))}", speaker.standing(played)]
        _say_all(facts)
        return ()

    def moved(self, played: Round, player: int, square: int) -> None:
        if not self.redraws:
            who = "You mark" if player == PERSON else f"{self.speaker.bot_name} marks"
            completes = any(square in line for line in lines_by_player(played)[player])
            standing = self.speaker.standing(played) if completes else ""
            _say_all([f"Move {len(played.cursor.moves)}: {who} {self.speaker.digit(square)}.", standing])

    def taken_back(self) -> None:
        if not self.redraws:
            say("Taken back.")

    def ask(self, played: Round, panel: Sequence[str], message: str) -> str | None:
        """Ask for a line at the person's turn. Returns None at the end of the input."""
        commands = ", ".join(f"{letter} {word}" for letter, word in self.commands.items())
        if self.redraws:
            text = prompt("Your move", (f"1-9, {commands}", "1-9, h hint, ? help, q quit", "? help"))
            answer = self.reader.read(text, partial(self._draw, played, panel, message, text))
            self._fresh = False
            return answer
        at_first = [f"Board: {self.speaker.board(played)}", f"Position: {self._position(played)}"]
        _say_all([*panel, message] if panel or message else at_first)
        _say_all([self.clock()])
        free = self.speaker.digits_of(played.cursor.board.free_squares)
        return self.reader.read(f"Your move? Free: {free} ({commands})")

    def finish(
        self,
        played: Round,
        score: str,
        mistakes: Sequence[Mistake] | None,
        *,
        pause: str,
        explore: Callable[[Position], None] | None = None,
    ) -> None:
        """Show the end of a round; on a terminal, wait for Enter. Raises QuitPlaying.

        score: a sentence about the match. mistakes: the person's; None if they are not judged. pause: what Enter does.
        explore: a function that shows a position.
        """
        judged = [] if mistakes is None else of_a_round(self.speaker, mistakes)
        facts, mistakes = [*self.speaker.result(played, score), *judged], mistakes or ()
        if not self.redraws:
            _say_all([f"Board: {self.speaker.board(played)}", *facts, f"Position: {self._position(played)}"])
            if self.commitments:
                self.open_commitment(played)
            return
        can = f"e explore {'a' if len(mistakes) > 1 else 'the'} mistake, " if mistakes and explore else ""
        words = (f"{can}? help, q quit", f"{'e explore, ' * bool(can)}? help, q quit", "? help")
        panel, message = facts, ""
        while True:
            text = prompt(f"Enter {pause}", words, "Enter: ")
            answer = self.reader.read(text, partial(self._draw, played, panel, message, text))
            if answer is None:
                raise QuitPlaying("end of input")
            if not answer:
                return
            panel, message = facts, ""
            if answer.lower() in ("q", "quit"):
                self.quit()
            elif answer.lower() in ("?", "help"):
                panel = self._help_at_the_end(bool(can))
            elif can and explore and (chosen := which(answer, mistakes)) is not None:
                self.clear()
                explore(chosen.position)
                self.clear()
            else:
                message = f"{answer[:20]!a}: the round is over; press Enter, or type ? for help"

    def open_commitment(self, played: Round) -> None:
        """Print the text and the hash of the commitment without line breaks, so that they can be checked."""
        facts = ("Commitment opened:", played.commitment), ("Its SHA-256:", commitment_hash(played.commitment))
        for what, text in facts:
            fits = not self.reader.is_terminal or len(f"{what} {text}") <= shutil.get_terminal_size().columns
            print(what, text, sep=" " if fits else "\n")

    def _help_at_the_end(self, explore: bool) -> list[str]:
        opponent = "The bot" if self.speaker.opponent == "the bot" else self.speaker.opponent
        sealed = f"{opponent} sealed its goal in the commitment, which is the SHA-256 of the text now shown. {CHECK}"
        mistakes = "e 1: look at mistake 1 in explore (q returns)"
        return [*([sealed] if self.commitments else []), *([mistakes] if explore else []), "q: quit"]

    def quit(self) -> None:
        if not self.reader.is_terminal:
            raise QuitPlaying("quit")
        answer = self.reader.read("Quit? (y/n) ")
        if answer is None or answer.lower() in ("y", "yes", "q", "quit"):
            raise QuitPlaying("quit")

    def wait(self, played: Round, text: str) -> None:
        """Show the round on a terminal, with a text about the player to move."""
        if self.redraws:
            self._draw(played, (), "", "", text)

    def _draw(self, played: Round, panel: Sequence[str], message: str, prompt: str, waiting: str = "") -> None:
        size, over, speaker = shutil.get_terminal_size(), played.outcome is not None, self.speaker
        width = max(min(size.columns - 1, MOST_COLUMNS), 10)
        sha, moves, colours = commitment_hash(played.commitment), played.cursor.moves, self.reader.colours
        goal = f"{speaker.goal(played)}."
        goal = goal if len(goal) <= width else f"{goal.partition(':')[0].rstrip('.')}."

        def painted(text: str, style: str) -> str:
            return styled(text, style) if colours else text

        def lines(room: Room, most: int | None) -> list[str]:
            blank = [""] if room >= Room.BLANK else []
            tall, last = room >= Room.TALL_BOARD, moves[-1] - 1 if moves else None
            squares = board(speaker.cells(played), last, speaker.in_lines(played), tall=tall, colours=colours)
            sealed = [f"Commitment {sha}"] if self.commitments and self._fresh and room >= Room.SEALED else []
            return [
                *(painted(text, "heading") for text in justified(self.heading, self.score_line, width)),
                *blank,
                re.sub(r"\b(WIN|LOSE|TIE)\b", lambda word: painted(word[0], "goal"), goal),
                *([speaker.seats(played)] if room >= Room.SEATS else []),
                *blank,
                *beside(squares, panel, width, most),
                *blank,
                *(painted(line, "heading") for line in wrapped(speaker.standing(played), width)),
                "The round is over." if over else waiting or self._turn(played),
                *([f"Position {self._position(played)}"] if room >= Room.POSITION else []),
                *([f"Commitment {sha}", f"Opened: {played.commitment}"] if over and self.commitments else sealed),
                *(painted(line, "message") for line in wrapped(message, width)),
            ]

        drawn = fitting(lines, size.columns, size.lines - len(prompt) // size.columns)
        text = "\x1b[H" + "".join(f"{line}\x1b[K\n" for line in drawn) + "\x1b[J"
        print(text, end="", file=drawing(sys.stdout), flush=bool(waiting))

    def _position(self, played: Round) -> str:
        position = played.position(hidden=BOT if played.outcome is None else None)
        solved = self.solved_score(played.score)
        text = self.speaker.position(replace(position, score=solved))
        return text if solved == played.score else f"{text} ({played.score} in this match)"

    def _turn(self, played: Round) -> str:
        moves = played.cursor.moves
        marked = f"{self.speaker.bot_name} marked {self.speaker.digit(moves[-1])}. " if moves else ""
        return f"{marked}It is your turn. {self.clock()}".rstrip()


def _say_all(texts: Sequence[str]) -> None:
    for text in filter(None, texts):
        say(text)


def prompt(begin: str, words: Sequence[str], otherwise: str = "") -> str:
    """The longest prompt that leaves room for typing. otherwise: what replaces even the shortest."""
    prompts = [f"{begin} ({text}): " for text in words]
    columns = shutil.get_terminal_size().columns
    return next((text for text in prompts if len(text) + 3 <= columns), otherwise or f"{begin}: ")


def which(answer: str, mistakes: Sequence[Mistake], letters: str = "e") -> Mistake | None:
    """The mistake that an answer such as "e" or "e 2" names; None for another answer."""
    named = re.fullmatch(f"[{letters}] ?([1-9][0-9]{{0,3}})?", answer.lower()) if letters else None
    number = int(named[1] or 1) if named else 0
    return mistakes[number - 1] if 0 < number <= len(mistakes) else None
