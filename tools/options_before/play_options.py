"""The options that play-multiround, play-subgame and review share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

import tictactoe
from tictactoe.play.opponents import DEFAULT_OPPONENT, MEASURED_RULES, OPPONENTS

from ..lazy_imports import lazily
from ..options.parameters import Count, Reader, SolutionDirectory, checked_name
from .common import true_option
from .declaring import flag, option

with lazily():
    from tictactoe.play import referee

SEATS = ("first", "second", "random")
Keypad = Literal["phone", "numpad"]
KEYPADS = ("phone", "numpad")


def new_file(text: str) -> Path:
    """The path of a file. Raises ValueError for a directory, and for what is no name."""
    path = checked_name(text)
    if os.path.isdir(path):
        raise ValueError(f"{path!r} is not the name of a file")
    return Path(path)


NEW_FILE = Reader("file", new_file)
"""The path of a new file, or of a device. `must_be_new` later checks that no file is there."""


def _names(text: str) -> tuple[str, str]:
    names = [" ".join(name.split()) for name in text.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise ValueError(f"{text!r} is not two different names with a comma between them, such as Ann,Bot")
    referee.check_names((names[0], names[1]))
    return names[0], names[1]


def keypad_option(default: str = "phone") -> Any:
    """How the digits lie. default: in words, for the help."""
    text = f"How the digits lie on the board: phone has 1 2 3 at the top, numpad 7 8 9.  [default: {default}]"
    return option(click.Choice(KEYPADS), text)


def plain_option() -> Any:
    """Whether the screen is plain; None without the option."""
    text = "No colour, no redrawing, one line per fact: for screen readers, logs."
    return option(None, text, names="--plain/--no-plain", default=None, show_default=False)


@dataclass(frozen=True)
class Playing:
    """Whom a person plays, and how."""

    solution: Path | None = option(
        SolutionDirectory(),
        "Directory to play from.  [default: what comes with the program: shipped, or filled with --rules filled]",
        short="-s",
    )
    opponent: str = option(
        click.Choice(tuple(OPPONENTS)),
        "Whom you play. Of 100 matches to 5 a perfect player wins against them: "
        + "; ".join(
            f"by {rules} {', '.join(f'{them.wins[rules].perfect} ({name})' for name, them in OPPONENTS.items())}"
            for rules in MEASURED_RULES
        )
        + ".",
        default=DEFAULT_OPPONENT,
    )
    average_strategy: bool = true_option(
        "false: the bot plays the current strategy of the last iteration instead of the average one."
    )
    seed: int | None = option(Count(0), "Repeat: the same goals and the same choices of the bot.")
    names: tuple[str, str] | None = option(Reader("A,B", _names), "Your name and the bot's.  [default: You,Bot]")
    transcript: Path | None = option(NEW_FILE, "Write what is played to this file, which must be new.")
    keypad: Keypad | None = keypad_option("phone; of a match that was saved what it was played with")
    plain: bool | None = plain_option()
    no_history: bool = flag("Keep nothing of what is played for review and --continue, but in --transcript.")


def must_be_new(path: Path | None, option: str = "--transcript") -> None:
    """Raises click.BadParameter if a file is there, which would be lost."""
    if path is not None and path.is_file():
        raise click.BadParameter(f"{str(path)!r} exists already; choose another name", param_hint=f"'{option}'")


def wanted_seat(name: str) -> tictactoe.Seat | None:
    """The seat by its name in SEATS; None for a random seat."""
    return None if name == "random" else tictactoe.Seat[name.upper()]
