"""Where a person who explores a solution is, and how they get elsewhere. No input and no output."""

from __future__ import annotations

from dataclasses import replace

from ..errors import FormatError, IllegalMoveError, NotSavedError
from ..games.cursor import Cursor
from ..match.scores import Score
from ..storage.open_saved import SavedRound, SavedRounds
from .notation import NUMPAD, Position
from .view import Goals, View, view


class MistakeError(Exception):
    """Something that cannot be done; the message says what is expected."""


class Explorer:
    """A position at a saved iteration, and the strategy looked at. A method that raises MistakeError changes nothing.

    The first position and iteration ("first", "last" or a number) come from the options of the command: what cannot be
    opened raises the errors of SavedRounds and Cursor. Goals may be None, unknown, as they are without a position.

    numpad: squares are numbered as on a numpad. The cursor then walks the board upside down, which is the same round:
    every square that it names is one of the numpad, and only who draws the board turns it over again.
    """

    def __init__(
        self,
        rounds: SavedRounds,
        position: Position | None = None,
        iteration: str | None = None,
        *,
        numpad: bool = False,
    ) -> None:
        self.rounds = rounds
        self.numpad = numpad
        self.saved = rounds.load(None if position is None else position.score)
        if iteration is not None:
            saved = rounds.iterations(self.saved.score)
            number = {"first": saved[0], "last": saved[-1]}.get(iteration)
            self.saved = rounds.load(self.saved.score, int(iteration) if number is None else number)
        self.goals: Goals = (None, None) if position is None else position.goals
        self.cursor = Cursor(rounds.tree, () if position is None else self._squares(position))
        self.average = True

    def _squares(self, position: Position) -> tuple[int, ...]:
        return tuple(NUMPAD[square] if self.numpad else square for square in position.moves)

    def view(self) -> View:
        """Its squares are numbered as on the keypad; its position is as every command takes it."""
        seen = view(self.saved, self.cursor, self.goals, self.average)
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
        """At the iteration looked at, if the score is the same, else the one that the solution is about."""
        if position.rules not in (None, self.rounds.tree.rules):
            raise MistakeError(f"that is by the rules {position.rules}, this solution by {self.rounds.tree.rules}")
        cursor = self._cursor(self._squares(position))
        if position.score != self.saved.score:
            self.saved = self._load(position.score, None)
        self.cursor, self.goals = cursor, position.goals

    def go_to_score(self, score: Score) -> None:
        self.saved = self._load(score, None)

    def go_to_iteration(self, word: str) -> None:
        """word: a number, "first", "last", or "+" or "-" for the next one or the one before."""
        present, saved = self.saved.iteration, self.iterations()
        if not saved:
            raise MistakeError("no iteration is saved here any more")
        if word in ("+", "-"):
            beyond = [number for number in saved if (number > present if word == "+" else number < present)]
            if not beyond:
                end = "last" if word == "+" else "first"
                raise MistakeError(f"{present} is the {end} iteration that is saved")
            number = beyond[0] if word == "+" else beyond[-1]
        else:
            number = {"first": saved[0], "last": saved[-1]}[word] if word in ("first", "last") else int(word)
        self.saved = self._load(self.saved.score, number)

    def iterations(self) -> list[int]:
        """The saved iterations of this score."""
        try:
            return self.rounds.iterations(self.saved.score)
        except OSError as error:
            raise MistakeError(f"the saved iterations cannot be listed: {error.strerror}") from error

    def saved_text(self) -> str:
        """How many are saved, in words; "" for the one that is looked at."""
        try:
            saved = self.iterations()
        except MistakeError:
            return "the others cannot be read"
        if len(saved) < 2:
            return "" if saved == [self.saved.iteration] else "it is not saved any more"
        return f"{len(saved)} are saved, {saved[0]} to {saved[-1]}"

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
