"""The review of a match on a terminal, from which a key leads to explore, or in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tictactoe.play.notation import Position
from tictactoe.play.review import Mistake
from tictactoe.play.review_text import of_all
from tictactoe.play.round_text import Speaker

from ..program import say
from .line_reader import LineReader
from .play_screen import which

_MOST_SHOWN = 5  # mistakes that fit on a screen

Explore = Callable[[Position], None]


def explore_in(directory: Path, *, average: bool = True, numpad: bool = False) -> Explore:
    """A function that shows a position of the solution in explore, until the person quits explore."""

    def explore(position: Position) -> None:
        from tictactoe.play.explorer import Explorer
        from tictactoe.storage.open_saved import open_saved

        from .conversation import Conversation

        explorer = Explorer(open_saved(directory), position, numpad=numpad)
        explorer.average = average
        Conversation(explorer).cmdloop()

    return explore


def show_review(
    reader: LineReader, speaker: Speaker, mistakes: Sequence[Mistake], explore: Explore, *, ask: bool = True
) -> None:
    """Print the mistakes. On a terminal, with `ask`, print the worst ones and then follow the person's wishes."""
    ask = ask and reader.is_terminal and bool(mistakes)
    tell = partial(_tell, speaker, mistakes)
    tell(_MOST_SHOWN if ask else None)
    while ask:
        more = ", a all" if len(mistakes) > _MOST_SHOWN else ""
        answer = reader.read(f"Enter to end, e 1 to explore mistake 1{more}: ")
        if answer is None or answer.lower() in ("", "q", "quit"):
            return
        chosen = which(answer, mistakes)
        if chosen is not None:
            explore(chosen.position)
            tell(_MOST_SHOWN)
        elif more and answer.lower() in ("a", "all"):
            tell(None)
        else:
            print(f"{answer[:20]!a}: type e and a number from 1 to {len(mistakes)}, or press Enter")


def _tell(speaker: Speaker, mistakes: Sequence[Mistake], most: int | None) -> None:
    for line in of_all(speaker, mistakes, most):
        say(line, "    " if line.startswith(" ") else "")
