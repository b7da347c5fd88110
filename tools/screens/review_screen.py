"""The review of a match on a terminal, from which keys lead to explore and to a position once more, or in a pipe."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tictactoe.play import review_text
from tictactoe.play.match_review import MatchReview
from tictactoe.play.mistakes import Mistake
from tictactoe.play.notation import Position
from tictactoe.play.round_text import Speaker

from ..program import say
from .line_reader import LineReader
from .play_screen import prompt, which

_LARGE = 36  # rows of a terminal that has room for more

Explore = Callable[[Position], None]
Act = Callable[[Mistake], None]
"""What a letter of the review does with a mistake."""


def explore_in(directory: Path, opponent: str, *, average: bool = True, numpad: bool = False) -> Explore:
    """A function that shows a position of the solution in explore, until the person quits explore. opponent: whom the
    person plays there; explore shows the play of one that is known."""

    def explore(position: Position) -> None:
        from tictactoe.play.explorer import Explorer
        from tictactoe.play.judge import Judge
        from tictactoe.storage.open_saved import open_saved

        from .conversation import Conversation

        saved = open_saved(directory)
        known = Judge(saved, average=average).known_opponent(opponent, None)
        known = known if known is not None and known.can_answer else None
        explorer = Explorer(saved, position, known=known, numpad=numpad)
        explorer.average = average
        Conversation(explorer).cmdloop()

    return explore


def show_review(
    reader: LineReader, speaker: Speaker, names: tuple[str, str], review: MatchReview, acts: Mapping[str, Act]
) -> None:
    """Print the review. On a terminal, with `acts`, print the worst mistakes alone, without what was better, and then
    follow the person's wishes. acts: by letter, e to explore a mistake and t to try it again."""
    ask, mistakes = reader.is_terminal and bool(acts) and bool(review.mistakes), review.mistakes
    low = ask and shutil.get_terminal_size().lines < _LARGE
    most = (2 if low else 3) if ask else None
    tell = partial(_tell, speaker, names, review, most, low)
    tell()
    every = "all answers" if most is not None and len(mistakes) > most else "answers"
    words = (f"t 1 try mistake 1 again, e 1 explore it, a {every}", "t 1 try again, e 1 explore, a answers")
    while ask:
        answer = reader.read(prompt("Enter to end", words))
        if answer is None or answer.lower() in ("", "q", "quit"):
            return
        chosen = which(answer, mistakes, "".join(acts))
        if chosen is not None:
            acts[answer[0].lower()](chosen)
            tell()
        elif answer.lower() in ("a", "all", "answers"):
            _say_all(review_text.mistakes_told(speaker, mistakes))
        else:
            numbers = "1" if len(mistakes) == 1 else f"a number from 1 to {len(mistakes)}"
            print(f"{answer[:20]!a}: type t or e and {numbers}, a, or press Enter")


def _tell(speaker: Speaker, names: tuple[str, str], review: MatchReview, most: int | None, low: bool) -> None:
    explained, *rounds = review_text.rounds_told(speaker, review, names)
    say(explained)
    _say_all(rounds)
    heading, *drawn = review_text.chances(speaker, review, low=low)
    say(heading)
    print("\n".join(drawn))
    _say_all(review_text.mistakes_told(speaker, review.mistakes, most, answers=most is None))
    _say_all(review_text.luck_and_skill(speaker, review))


def _say_all(lines: list[str]) -> None:
    for line in lines:
        say(line, "    " if re.match(" |Luck|Skill", line) else "")
