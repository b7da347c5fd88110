"""The lines that a person types into explore: commands, the words that may follow them, and positions."""

from __future__ import annotations

import re

from .explorer import Explorer, MistakeError
from .notation import Position

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
"""By command: the words that may follow in small letters, as a pattern, and the message about others."""


def command_in(line: str) -> tuple[str, str, str]:
    """The command's name ("" if no command has it), the words after the name, and the whole line."""
    if line == "EOF":  # the name that `cmd` has for the end of the input
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
    """Raise MistakeError if these words, in small letters, may not follow the command."""
    pattern, otherwise = _FORMS.get(name, (".*", ""))
    if not re.fullmatch(pattern, words):
        raise MistakeError(otherwise)


def position_in(line: str) -> Position:
    """The position that the line names. Raises MistakeError for any other line."""
    if len(line) > _LONGEST_LINE:
        raise MistakeError(f"a line of {len(line)} characters; ? lists the commands")
    if not re.match(r"([(]|[Pp]osition:? +|\S*#|\S+/)?[0-9]+-|\S*#", line):
        word = line.split()[0]
        quoted = repr(word if len(word) <= 40 else word[:37] + "...")
        raise MistakeError(f"{quoted} is not a command: play a square (1-9), or type ? for the list")
    try:
        return Position.parse(line)
    except ValueError as error:
        raise MistakeError(str(error)) from error


def words_after(before: list[str], explorer: Explorer) -> list[str]:
    """The words that may follow the words `before` on a line of explore."""
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


def iterations_told(explorer: Explorer) -> str:
    """The saved iterations, in words."""
    present, saved = explorer.saved.iteration, explorer.iterations()
    numbers = (f"{number}*" if number == present else str(number) for number in saved)
    if saved == [present]:
        return f"saved: iteration {present}"
    return f"saved iterations (* is this one): {', '.join(numbers) or 'none'}"
