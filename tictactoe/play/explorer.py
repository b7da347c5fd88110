"""The explorer: the position and iteration that a person looks at, and the lines typed to move between them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from ..errors import FormatError, IllegalMoveError, NotSavedError, cut
from ..games.cursor import Cursor
from ..games.rules import Seat
from ..match.scores import Score
from ..storage.open_saved import SavedRound, SavedRounds
from ..storage.snapshot import Snapshot
from .explored_position import Goals, View, view
from .known_opponent import KnownOpponent
from .notation import NUMPAD, Position


class MistakeError(Exception):
    """A request that cannot be met. The message says what is possible."""


def iteration_in(word: str, saved: Sequence[int]) -> int:
    """The iteration that a word names: a number, or "first" or "last" for a saved one."""
    return saved[0 if word == "first" else -1] if word in ("first", "last") else int(word)


class SavedIterations(ABC):
    """Something that is shown at one of several saved iterations."""

    saved: SavedRound | Snapshot
    """What is saved of the current iteration."""

    @abstractmethod
    def iterations(self) -> list[int]:
        """The saved iterations, in increasing order. Raises MistakeError if they cannot be listed."""

    @abstractmethod
    def load_iteration(self, number: int) -> None:
        """Load a saved iteration. Raises MistakeError."""

    def go_to_iteration(self, word: str) -> None:
        """Go to a saved iteration: a number, "first", "last", "+" (next) or "-" (previous). Raises MistakeError."""
        present, saved = self.saved.iteration, self.iterations()
        if not saved:
            raise MistakeError("no iteration is saved here any longer")
        if word in ("+", "-"):
            beyond = [number for number in saved if (number > present if word == "+" else number < present)]
            if not beyond:
                end = "last" if word == "+" else "first"
                raise MistakeError(f"{present} is the {end} iteration that is saved")
            number = beyond[0] if word == "+" else beyond[-1]
        else:
            number = iteration_in(word, saved)
        self.load_iteration(number)

    def saved_text(self) -> str:
        """A text about the saved iterations; "" if only the current one is saved."""
        try:
            saved = self.iterations()
        except MistakeError:
            return "the others cannot be read"
        if len(saved) < 2:
            return "" if saved == [self.saved.iteration] else "it is no longer saved"
        return f"{len(saved)} are saved, {saved[0]} to {saved[-1]}"


class Explorer(SavedIterations):
    """A position at a saved iteration, and the choice of a strategy. A method that raises MistakeError changes nothing.

    position: the position to begin at; by default, the start of a round with unknown goals.
    iteration: "first", "last" or a number.
    known: an opponent; its moves and the best responses to it are shown. The player who moves next at the start is the
        best responder.
    numpad: whether squares are numbered as on a numpad, in which case the cursor's board is upside down.

    Raises the errors of SavedRounds and Cursor.
    """

    def __init__(
        self,
        rounds: SavedRounds,
        position: Position | None = None,
        iteration: str | None = None,
        *,
        known: KnownOpponent | None = None,
        numpad: bool = False,
    ) -> None:
        self.saved: SavedRound
        self.rounds = rounds
        self.numpad = numpad
        self.saved = rounds.load(None if position is None else position.score)
        if iteration is not None:
            number = iteration_in(iteration, rounds.iterations(self.saved.score))
            self.saved = rounds.load(self.saved.score, number)
        self.goals: Goals = (None, None) if position is None else position.goals
        self.cursor = Cursor(rounds.tree, () if position is None else self._squares(position))
        self.average = True
        self.known, self._seat = known, Seat(len(self.cursor.moves) % 2)

    @property
    def about(self) -> str:
        """The player whose moves are shown; "" for the solution's."""
        if self.known is None:
            return ""
        return f"{'OX'[self._seat]} is {self.known.title}; {'XO'[self._seat]} plays the best answers to it."

    def _squares(self, position: Position) -> tuple[int, ...]:
        return tuple(NUMPAD[square] if self.numpad else square for square in position.moves)

    def view(self) -> View:
        """The view of the position. Every command accepts `position` of the view."""
        responder = None if self.known is None else self.known.responder(self.saved.score, self._seat)
        seen = view(self.saved, self.cursor, self.goals, self.average, responder)
        if not self.numpad:
            return seen
        moves = tuple(NUMPAD[square] for square in seen.moves)
        return replace(seen, position=Position(self.saved.score, self.goals, moves).text(numpad=True))

    def move(self, squares: tuple[int, ...]) -> None:
        self.cursor = self._cursor((*self.cursor.moves, *squares))

    def undo(self) -> None:
        try:
            self.cursor.undo()
        except IllegalMoveError as error:
            raise MistakeError(str(error)) from error

    def restart(self) -> None:
        self.cursor = self._cursor(())

    def go_to(self, position: Position) -> None:
        """Go to a position. If the score changes, the iteration is that of the solution."""
        if position.rules not in (None, self.rounds.tree.rules):
            raise MistakeError(f"its rules are {position.rules}, but this solution has {self.rounds.tree.rules}")
        cursor = self._cursor(self._squares(position))
        if position.score != self.saved.score:
            self.saved = self._load(position.score, None)
        self.cursor, self.goals = cursor, position.goals

    def iterations(self) -> list[int]:
        try:
            return self.rounds.iterations(self.saved.score)
        except OSError as error:
            raise MistakeError(f"the saved iterations cannot be listed: {error.strerror}") from error

    def load_iteration(self, number: int) -> None:
        self.saved = self._load(self.saved.score, number)

    def go_to_score(self, score: Score) -> None:
        self.saved = self._load(score, None)

    def _cursor(self, moves: tuple[int, ...]) -> Cursor:
        try:
            return Cursor(self.rounds.tree, moves)
        except IllegalMoveError as error:
            raise MistakeError(f"{error}; nothing was played") from error

    def _load(self, score: Score, iteration: int | None) -> SavedRound:
        try:
            return self.rounds.load(score, iteration)
        except (NotSavedError, FormatError, OSError) as error:
            raise MistakeError(f"{error}; still at iteration {self.saved.iteration} of {self.saved.score}") from error


_LONGEST_LINE = 1000
_LONG_NAMES = {"?": "help", "h": "help", "quit": "q", "exit": "q"}
_GOAL = r"(w|l|t|\?|win|lose|tie)"
_FORMS = {
    "q": ("", "q quits: no more words"),
    "m": ("([1-9] ?){1,9}", "m: give one or more squares from 1 to 9, such as m 5 or m 5 1 3"),
    "u": ("", "u takes one move back: no more words"),
    "r": ("", "r goes back to the start of the round: no more words"),
    "g": (rf"[wlt?]{{2}}|{_GOAL} {_GOAL}", "g: give the goals of X and of O, each w, l, t or ?, such as g w ?"),
    "d": ("on|off|", "d turns the details on or off: d, d on or d off"),
    "p": ("0{0,2}[1-9]|0?1[0-2]", "p: give a number of digits from 1 to 12, such as p 6"),
    "t": ("on|off|", "t turns the table on or off: t, t on or t off"),
    "v": ("a|average|c|current", "v: a for the average strategy or c for the current one"),
    "s": ("[0-9]{1,9}[ -][0-9]{1,9}", "s: give the points of X and of O, such as s 4 3"),
    "i": (r"[0-9]{1,12}|first|last|\+|-|", "i: give an iteration, first, last, + or -, or nothing for the list"),
}
"""A pattern for the words that may follow a command, in small letters, and the message about other words."""


def command_in(line: str) -> tuple[str, str, str]:
    """The command's name ("" for an unknown one), the words after it, and the whole line."""
    if line == "EOF":  # `cmd` writes the end of the input like this
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
    return name if name == "help" or name in _FORMS else "", rest, line.strip()


def check(name: str, words: str) -> None:
    """Raise MistakeError if these words may not follow the command."""
    pattern, otherwise = _FORMS.get(name, (".*", ""))
    if not re.fullmatch(pattern, words):
        raise MistakeError(otherwise)


def position_in(line: str) -> Position:
    """The position that a line gives. Raises MistakeError if the line gives none."""
    if len(line) > _LONGEST_LINE:
        raise MistakeError(f"the line has {len(line)} characters, too many for a command; ? lists the commands")
    if not re.match(r"([(]|[Pp]osition:? +|\S*#|\S+/)?[0-9]+-|\S*#", line):
        word = cut(line.split()[0], 40)
        raise MistakeError(f"{word!r} is not a command: play a square (1-9), or type ? for the list")
    try:
        return Position.parse(line)
    except ValueError as error:
        raise MistakeError(str(error)) from error


def words_after(before: list[str], explorer: Explorer) -> list[str]:
    """The words that may follow `before` on a line."""
    if not before:
        return [*sorted(_FORMS), "?"]
    name, count = before[0].lower(), len(before)
    if name == "i" and count == 1:
        return ["first", "last", "+", "-", *map(str, explorer.iterations())]
    if name == "m":
        free = map(str, explorer.cursor.board.free_squares)
        return [square for square in free if square not in before[1:]]
    if name == "g" and count <= 2:
        return ["w", "l", "t", "?"]
    if name == "s" and count <= 2:
        scores = explorer.rounds.scores or []
        first = {str(score.first) for score in scores}
        return sorted(first if count == 1 else {str(s.second) for s in scores if str(s.first) == before[1]})
    words = {"d": ["on", "off"], "t": ["on", "off"], "v": ["average", "current"], "p": ["4", "6", "8"]}
    return words.get(name, []) if count == 1 else []


def iterations_told(explorer: SavedIterations) -> str:
    present, saved = explorer.saved.iteration, explorer.iterations()
    numbers = (f"{number}*" if number == present else str(number) for number in saved)
    if saved == [present]:
        return f"saved: iteration {present}"
    return f"saved iterations (* is this one): {', '.join(numbers) or 'none'}"
