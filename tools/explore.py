"""explore: an interactive view of a position at a saved iteration."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import Directory, run
from .explore_screen import Paint, screen, wrapped

if TYPE_CHECKING:
    from tictactoe.cursor import Position
    from tictactoe.exploring import SavedRound, SavedRounds, View
    from tictactoe.match import Goal, Score

MAXIMUM_PRECISION = 12
_LONGEST_LINE = 1000
_LETTERS = "wlt"
_COMMANDS = "igmpqrstuv?"

HELP = """\
X moves first, O second. The squares: 1 2 3 / 4 5 6 / 7 8 9.
 5, m 5, 513     play moves, in any orientation     u  undo     r  to the start
 g w l           goals of X and of O: w win, l lose, t tie
 i, i 500        the saved iterations; go to one (also i first, last, +, -)
 s 4 3           go to a score: points of X, then of O (of a whole solution)
 4-3 wl 513      go to a position: score, goals, moves (- for none)
 v a, v c        look at the average strategy (near equilibrium) or the current
 p 6, t          digits of numbers; the table on or off     ?  help     q  quit
Value: 1 if X is sure to win the match, -1 if O is, when these are the goals and
 both play the strategy looked at, with this iteration's values of later rounds.
Best response: what a perfect player of that seat gets, to itself, from here for
 these goals (saved by best-response-multiround --save); in the table its move.
Counterfactual prob., for a player: 1/9 for the goals times the other
 player's probabilities of the moves so far. The solver weighs regrets with it.
Regret: that times what the mover gains by always playing the move. "of goals":
 for these goals. "info set": for all goals that the opponent may have. "total":
 as accumulated and discounted by the solver ("not kept" in compact files).
Belief: how likely a goal is to one who knows the strategies and saw the moves.
This history: how likely the moves are, in any of their symmetric variants.
=: squares that are the same by symmetry; the probability is of all together."""

_EPILOG = """\b
The keys that --json prints; null stands for what is unknown or impossible:
position, score, winning_score, moves, iteration
goals, to_move, outcome, forced_outcome     in words; to_move: first or second
strategy                           average: of value, regrets, reach, beliefs
expected_value                     to the first mover: -1 to 1
first_mover_wins_percent           of matches
counterfactual_probability         [for the first mover, for the second]
parent_counterfactual_probability  the same one move earlier
history_probability, history_probability_for_goals
beliefs                            per player [win, lose, tie]
most_likely_line                   squares, probability, outcome
best_response                      answers (average or current), values (from
                                   here, to each responder), round_values
best_response_problem              why the one on the disk cannot be used
choices                            per move: squares, expected_value, regret,
                                   information_set_regret, total_regret,
                                   current, average, best_response,
                                   forced_outcome"""


class MistakeError(Exception):
    """A line that cannot be followed; the message says what is expected."""


class PositionType(click.ParamType):
    """A position string such as "4-3 wl 513"."""

    name = "position"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Position:
        from tictactoe.cursor import Position

        try:
            return Position.parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class IterationType(click.ParamType):
    """A whole number, "first" or "last"."""

    name = "iteration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not re.fullmatch(r"[0-9]{1,12}|first|last", str(value)):
            self.fail(f"{str(value)[:40]!r} is not an iteration, first or last", param, ctx)
        return str(value)


@click.command(
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]}, epilog=_EPILOG,
)
@click.option(
    "-s", "--solution", type=Directory(), default=None,
    help="Directory of a solved match, or of one subgame in it.  [default: the solution that comes with the program]",
)
@click.option("-i", "--iteration", type=IterationType(), default=None, help="Begin at a saved one: N, first, last.")
@click.option("--position", type=PositionType(), default=None, help='Begin at a position, such as "4-3 wl 513".')
@click.option("--json", "as_json", is_flag=True, help="With --position: print it as JSON and exit.")
def command(solution: Path | None, iteration: str | None, position: Position | None, as_json: bool) -> None:
    """Look into what the solver thinks: values, regrets, strategies and beliefs at any position of a round.

    A position is a score, both goals and the moves: "4-3 wl 513" is at 4 points of the first mover to 3, whose goal
    is to win, while the second mover wants to lose, after the moves 5, 1, 3. Type ? for the commands.

    \b
    explore
    explore -s my_solution/subgame_4_4 -i last
    explore --position "4-4 ww 512" --json
    """
    from tictactoe.cursor import IllegalMoveError
    from tictactoe.exploring import NotSavedError, SavedRounds
    from tictactoe.files import FormatError

    if as_json and position is None:
        raise click.UsageError("--json prints one position: give it with --position")
    if solution is None:
        from tictactoe.solution import shipped_solution

        solution = shipped_solution()
    try:
        explorer = Explorer(SavedRounds(solution), position, iteration)
    except IllegalMoveError as error:
        raise click.UsageError(f"--position {position}: {error}") from error
    except NotSavedError as error:
        raise FormatError(solution, str(error)) from error
    if as_json:
        print(json.dumps(explorer.view().as_dict(), indent=2))
    else:
        _converse(explorer)


class Explorer:
    """Where the person is, and what the commands do to that. `follow` raises MistakeError and changes nothing then."""

    def __init__(self, rounds: SavedRounds, position: Position | None, iteration: str | None) -> None:
        from tictactoe.cursor import Cursor
        from tictactoe.match import Goal

        self.rounds = rounds
        self.saved = rounds.load(None if position is None else position.score)
        if iteration is not None:
            saved = rounds.iterations(self.saved.score)
            number = {"first": saved[0], "last": saved[-1]}.get(iteration)
            self.saved = rounds.load(self.saved.score, int(iteration) if number is None else number)
        self.goals: tuple[Goal, Goal] = (Goal.WIN, Goal.WIN)
        self.cursor = Cursor(rounds.tree)
        if position is not None:
            self.goals = (position.first_goal, position.second_goal)
            self.cursor = Cursor(rounds.tree, position.moves)
        self.precision = 4
        self.table = True
        self.average = True
        self.finished = False

    def view(self) -> View:
        from tictactoe.exploring import view

        return view(self.saved, self.cursor, self.goals, self.average)

    def follow(self, line: str) -> str | None:
        """Do what a line says. The text that answers it; None for the screen."""
        if len(line) > _LONGEST_LINE:
            raise MistakeError(f"a line of {len(line)} characters; ? lists the commands")
        words = line.split()
        if not words:
            return None
        if re.fullmatch("[0-9]+", words[0]):
            words.insert(0, "m")
        if re.match("[0-9]+-", words[0]):
            self._go(line)
            return None
        if glued := re.fullmatch("([imp])([0-9]+)", words[0].lower()):
            words[:1] = glued.groups()
        name = {"help": "?", "h": "?", "quit": "q", "exit": "q"}.get(words[0].lower(), words[0].lower())
        if name not in _COMMANDS or len(name) != 1:
            raise MistakeError(f"{_quoted(words[0])} is not a command: play a square (1-9), or type ? for the list")
        actions: dict[str, Callable[[list[str]], None]] = {
            "m": self._move, "u": self._undo, "g": self._set_goals, "s": self._set_score, "p": self._set_precision,
            "t": self._set_table, "r": self._restart, "v": self._set_strategy, "q": self._quit,
        }  # fmt: skip
        if name == "?":
            return HELP
        if name == "i":
            return self._iteration(words[1:])
        actions[name](words[1:])
        return None

    def _move(self, words: list[str]) -> None:
        squares = "".join(words)
        if not re.fullmatch("[1-9]{1,9}", squares):
            raise MistakeError("m: give one or more squares from 1 to 9, such as m 5 or m 5 1 3")
        self.cursor = self._cursor((*self.cursor.moves, *map(int, squares)))

    def _cursor(self, moves: tuple[int, ...]) -> Any:
        from tictactoe.cursor import Cursor, IllegalMoveError

        try:
            return Cursor(self.rounds.tree, moves)
        except IllegalMoveError as error:
            raise MistakeError(f"{error}; nothing was played") from error

    def _undo(self, words: list[str]) -> None:
        from tictactoe.cursor import IllegalMoveError

        _expect(not words, "u takes one move back: no more words")
        try:
            self.cursor.undo()
        except IllegalMoveError as error:
            raise MistakeError(str(error)) from error

    def _restart(self, words: list[str]) -> None:
        _expect(not words, "r goes back to the start of the round: no more words")
        self.cursor = self._cursor(())

    def _set_goals(self, words: list[str]) -> None:
        from tictactoe.match import Goal

        letters = "".join(word.lower() if len(word) <= 2 else word.lower()[:1] for word in words)
        named = all(len(word) <= 2 or word.lower() in ("win", "lose", "tie") for word in words)
        _expect(named and re.fullmatch("[wlt]{2}", letters) is not None,
                "g: give the goals of X and of O, each w, l or t, such as g w l")  # fmt: skip
        self.goals = (Goal(_LETTERS.index(letters[0])), Goal(_LETTERS.index(letters[1])))

    def _set_precision(self, words: list[str]) -> None:
        _expect(len(words) == 1 and re.fullmatch("[0-9]{1,3}", words[0]) is not None
                and 1 <= int(words[0]) <= MAXIMUM_PRECISION,
                f"p: give a number of digits from 1 to {MAXIMUM_PRECISION}, such as p 6")  # fmt: skip
        self.precision = int(words[0])

    def _set_table(self, words: list[str]) -> None:
        text = " ".join(words).lower()
        _expect(text in ("", "on", "off"), "t turns the table on or off: t, t on or t off")
        self.table = not self.table if text == "" else text == "on"

    def _set_strategy(self, words: list[str]) -> None:
        text = " ".join(words).lower()
        _expect(text in ("a", "average", "c", "current"), "v: a for the average strategy or c for the current one")
        self.average = text.startswith("a")

    def _set_score(self, words: list[str]) -> None:
        from tictactoe.match import Score

        if len(words) == 1:
            words = words[0].split("-")
        _expect(len(words) == 2 and all(re.fullmatch("[0-9]{1,9}", word) for word in words),
                "s: give the points of X and of O, such as s 4 3")  # fmt: skip
        self.saved = self._load(Score(int(words[0]), int(words[1])), None)

    def _go(self, line: str) -> None:
        from tictactoe.cursor import Position

        try:
            position = Position.parse(line)
        except ValueError as error:
            raise MistakeError(str(error)) from error
        cursor = self._cursor(position.moves)
        if position.score != self.saved.score:
            self.saved = self._load(position.score, None)
        self.cursor, self.goals = cursor, (position.first_goal, position.second_goal)

    def _iteration(self, words: list[str]) -> str | None:
        score, present = self.saved.score, self.saved.iteration
        saved = self.iterations()
        if not words:
            listed = [f"{number}*" if number == present else str(number) for number in saved]
            return wrapped(f"saved iterations (* is this one): {', '.join(listed) or 'none'}")
        _expect(len(words) == 1 and re.fullmatch(r"[0-9]{1,12}|first|last|\+|-", words[0].lower()) is not None,
                "i: give an iteration, first, last, + or -, or nothing for the list")  # fmt: skip
        _expect(bool(saved), "no iteration is saved here any more")
        later = [number for number in saved if number > present]
        earlier = [number for number in saved if number < present]
        word = words[0].lower()
        if word in ("+", "-"):
            beyond = later[:1] if word == "+" else earlier[-1:]
            _expect(bool(beyond), f"{present} is the {'last' if word == '+' else 'first'} iteration that is saved")
            number = beyond[0]
        else:
            number = {"first": saved[0], "last": saved[-1]}.get(word, -1)
            number = int(word) if number < 0 else number
        self.saved = self._load(score, number)
        return None

    def iterations(self) -> list[int]:
        """The saved iterations of this score."""
        try:
            return self.rounds.iterations(self.saved.score)
        except OSError as error:
            raise MistakeError(f"the saved iterations cannot be listed: {error.strerror}") from error

    def saved_text(self) -> str:
        """How many are saved, for the header."""
        try:
            saved = self.iterations()
        except MistakeError:
            return "the others cannot be read"
        if len(saved) < 2:
            return "the only one that is saved" if saved else "none is saved any more"
        return f"{len(saved)} are saved, {saved[0]} to {saved[-1]}"

    def _load(self, score: Score, iteration: int | None) -> SavedRound:
        from tictactoe.exploring import NotSavedError
        from tictactoe.files import FormatError

        try:
            return self.rounds.load(score, iteration)
        except (NotSavedError, FormatError, OSError) as error:
            raise MistakeError(f"{error}; still at iteration {self.saved.iteration} of {self.saved.score}") from error

    def _quit(self, words: list[str]) -> None:
        _expect(not words, "q quits: no more words")
        self.finished = True


def _expect(condition: bool, otherwise: str) -> None:
    if not condition:
        raise MistakeError(otherwise)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _converse(explorer: Explorer) -> None:
    """Show, read a line, follow it, until there is none or it says so."""
    for name in ("stdin", "stdout"):
        with contextlib.suppress(AttributeError):
            getattr(sys, name).reconfigure(errors="backslashreplace")
    paint = Paint()
    read = _reader(explorer)
    print(screen(explorer, paint), flush=True)
    while not explorer.finished:
        line = read()
        if line is None:
            break
        try:
            answer = explorer.follow(line)
        except MistakeError as mistake:
            answer = paint.mistake(" ".join(str(mistake).split()))
        if not explorer.finished:
            print(screen(explorer, paint) if answer is None else answer, flush=True)


def _reader(explorer: Explorer) -> Callable[[], str | None]:
    """Reads a line, None at the end of the input. On a terminal with a prompt, history and completion."""
    if sys.stdin is None:
        return lambda: None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return lambda: sys.stdin.readline() or None
    try:
        import readline
    except ImportError:  # not on every system
        pass
    else:
        readline.set_completer_delims(" \t")
        readline.set_completer(_completer(explorer))
        libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")

    def ask() -> str | None:
        try:
            return input("explore> ")
        except EOFError:
            print()
            return None

    return ask


def _completer(explorer: Explorer) -> Callable[[str, int], str | None]:
    def complete(text: str, state: int) -> str | None:
        import readline

        before = readline.get_line_buffer()[: readline.get_begidx()].split()
        try:
            found = [word for word in completions(explorer, before) if word.startswith(text)]
        except (MistakeError, OSError):
            found = []
        return found[state] + " " if state < len(found) else None

    return complete


def completions(explorer: Explorer, before: Sequence[str]) -> list[str]:
    """The words that may follow the words `before` on a line."""
    if not before:
        return list(_COMMANDS)
    name, count = before[0].lower(), len(before)
    if name == "i" and count == 1:
        return ["first", "last", "+", "-", *map(str, explorer.iterations())]
    if name == "m":
        return [str(square) for square in explorer.cursor.board.free_squares if str(square) not in before[1:]]
    if name == "g" and count <= 2:
        return ["w", "l", "t"]
    if name == "s" and count <= 2:
        scores = explorer.rounds.scores or []
        first = {str(score.first) for score in scores}
        return sorted(first if count == 1 else {str(s.second) for s in scores if str(s.first) == before[1]})
    return {"t": ["on", "off"], "v": ["average", "current"], "p": ["4", "6", "8"]}.get(name, []) if count == 1 else []


def main() -> None:
    """The program."""
    run(command)
