"""The lines that explore follows, and what it answers."""

from __future__ import annotations

import cmd
import contextlib
import io
import re
import sys

from tictactoe.games.goals import Goal
from tictactoe.match.scores import Score
from tictactoe.play.notation import GOAL_LETTERS, Position

from .explore_screen import Paint, screen, wrapped
from .explorer import Explorer, MistakeError

_LONGEST_LINE = 1000
_COMMANDS = "igmpqrstuv?"
_LONG_NAMES = {"?": "help", "h": "help", "quit": "q", "exit": "q"}

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


class Conversation(cmd.Cmd):
    """Shows where the explorer is, reads a line, follows it, until there is none or it says so.

    On a terminal with a prompt, history and completion.
    """

    def __init__(self, explorer: Explorer) -> None:
        for name in ("stdin", "stdout"):
            with contextlib.suppress(AttributeError):
                getattr(sys, name).reconfigure(errors="backslashreplace")
        super().__init__(stdin=sys.stdin or io.StringIO())
        self.explorer = explorer
        self.precision = 4
        self.table = True
        self.paint = Paint()
        self.use_rawinput = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        self.prompt = "explore> " if self.use_rawinput else ""
        self._answer: str | None = None

    def preloop(self) -> None:
        if self.use_rawinput:
            with contextlib.suppress(ImportError):  # not on every system
                import readline

                readline.set_completer_delims(" \t")
                if "libedit" in (readline.__doc__ or ""):
                    readline.parse_and_bind("bind ^I rl_complete")
        print(self.screen(), flush=True)

    def screen(self) -> str:
        explorer = self.explorer
        return screen(explorer.view(), explorer.saved_text(), self.precision, self.table, self.paint)

    def onecmd(self, line: str) -> bool:
        """Follow a line and print its answer, which is the screen unless the command has another; whether to stop."""
        self._answer = None
        try:
            stop = bool(super().onecmd(line))
        except MistakeError as mistake:
            stop, self._answer = False, self.paint.mistake(" ".join(str(mistake).split()))
        if not stop:
            print(self.screen() if self._answer is None else self._answer, flush=True)
        return stop

    def parseline(self, line: str) -> tuple[str, str, str]:
        """The command's name, "" if there is none of that name, the words after it, and the line."""
        if line == "EOF":  # what cmd makes of the end of the input
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
        return name if name == "help" or (len(name) == 1 and name in _COMMANDS) else "", rest, line.strip()

    def emptyline(self) -> bool:
        return False

    def default(self, line: str) -> None:
        """A position, or a mistake."""
        if len(line) > _LONGEST_LINE:
            raise MistakeError(f"a line of {len(line)} characters; ? lists the commands")
        if not re.match("[0-9]+-", line):
            word = line.split()[0]
            quoted = repr(word if len(word) <= 40 else word[:37] + "...")
            raise MistakeError(f"{quoted} is not a command: play a square (1-9), or type ? for the list")
        try:
            position = Position.parse(line)
            if None in position.goals:
                raise ValueError("both goals are needed, such as wl")
        except ValueError as error:
            raise MistakeError(str(error)) from error
        self.explorer.go_to(position)

    def do_EOF(self, words: str) -> bool:
        if self.use_rawinput:
            print()
        return True

    def do_q(self, words: str) -> bool:
        _expect("", words, "q quits: no more words")
        return True

    def do_help(self, arg: str) -> None:
        self._answer = HELP

    def do_m(self, words: str) -> None:
        _expect("([1-9] ?){1,9}", words, "m: give one or more squares from 1 to 9, such as m 5 or m 5 1 3")
        self.explorer.move(tuple(map(int, words.replace(" ", ""))))

    def do_u(self, words: str) -> None:
        _expect("", words, "u takes one move back: no more words")
        self.explorer.undo()

    def do_r(self, words: str) -> None:
        _expect("", words, "r goes back to the start of the round: no more words")
        self.explorer.restart()

    def do_g(self, words: str) -> None:
        goal = "(w|l|t|win|lose|tie)"
        wanted = "g: give the goals of X and of O, each w, l or t, such as g w l"
        _expect(f"[wlt]{{2}}|{goal} {goal}", words.lower(), wanted)
        first, second = words.lower().split() if " " in words else list(words.lower())
        self.explorer.goals = (Goal(GOAL_LETTERS.index(first[0])), Goal(GOAL_LETTERS.index(second[0])))

    def do_p(self, words: str) -> None:
        _expect("0{0,2}[1-9]|0?1[0-2]", words, "p: give a number of digits from 1 to 12, such as p 6")
        self.precision = int(words)

    def do_t(self, words: str) -> None:
        _expect("on|off|", words.lower(), "t turns the table on or off: t, t on or t off")
        self.table = not self.table if words == "" else words.lower() == "on"

    def do_v(self, words: str) -> None:
        _expect("a|average|c|current", words.lower(), "v: a for the average strategy or c for the current one")
        self.explorer.average = words.lower().startswith("a")

    def do_s(self, words: str) -> None:
        _expect("[0-9]{1,9}[ -][0-9]{1,9}", words, "s: give the points of X and of O, such as s 4 3")
        self.explorer.go_to_score(Score(*map(int, re.split("[ -]", words))))

    def do_i(self, words: str) -> None:
        if not words:
            present = self.explorer.saved.iteration
            listed = [f"{number}*" if number == present else str(number) for number in self.explorer.iterations()]
            self._answer = wrapped(f"saved iterations (* is this one): {', '.join(listed) or 'none'}")
            return
        wanted = "i: give an iteration, first, last, + or -, or nothing for the list"
        _expect(r"[0-9]{1,12}|first|last|\+|-", words.lower(), wanted)
        self.explorer.go_to_iteration(words.lower())

    def completedefault(self, text: str, line: str, begidx: int, endidx: int) -> list[str]:
        try:
            return [f"{word} " for word in self.completions(line[:begidx].split()) if word.startswith(text)]
        except (MistakeError, OSError):
            return []

    def completenames(self, text: str, *ignored: object) -> list[str]:
        return self.completedefault(text, text, 0, len(text))

    def completions(self, before: list[str]) -> list[str]:
        """The words that may follow the words `before` on a line."""
        if not before:
            return list(_COMMANDS)
        name, count = before[0].lower(), len(before)
        if name == "i" and count == 1:
            return ["first", "last", "+", "-", *map(str, self.explorer.iterations())]
        if name == "m":
            free = map(str, self.explorer.cursor.board.free_squares)
            return [square for square in free if square not in before[1:]]
        if name == "g" and count <= 2:
            return ["w", "l", "t"]
        if name == "s" and count <= 2:
            scores = self.explorer.rounds.scores or []
            first = {str(score.first) for score in scores}
            return sorted(first if count == 1 else {str(s.second) for s in scores if str(s.first) == before[1]})
        words = {"t": ["on", "off"], "v": ["average", "current"], "p": ["4", "6", "8"]}
        return words.get(name, []) if count == 1 else []


def _expect(pattern: str, words: str, otherwise: str) -> None:
    if not re.fullmatch(pattern, words):
        raise MistakeError(otherwise)
