"""Options of verbs that show or play matches."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

import tictactoe
from tictactoe.play.opponents import ADAPTIVE, DEFAULT_OPPONENT, LADDER, MEASURED_RULES, OPPONENTS, TYPED_NAMES

from .common import Decorator, one_value, strategy_option
from .parameters import Count, OpponentName, Reader, SolutionDirectory, checked_name

SEATS = ("first", "second", "random")


def new_file(text: str) -> Path:
    """The path of a file. Raises ValueError for a directory or an invalid name."""
    path = checked_name(text)
    if os.path.isdir(path):
        raise ValueError(f"{path!r} cannot be the name of a file")
    return Path(path)


NEW_FILE = Reader("file", new_file)
"""The type of the path of a new file or a device. `must_be_new` checks later that no file is there."""


def _names(text: str) -> tuple[str, str]:
    from tictactoe.play import referee

    names = [" ".join(name.split()) for name in text.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise ValueError(f"{text!r} is not two different names with a comma between them (such as Ann,Bot)")
    referee.check_names((names[0], names[1]))
    return names[0], names[1]


def keypad_option(default: str = "phone") -> Decorator:
    """The option `keypad`: phone, numpad or None. default: for the help."""
    text = f"Order of the digits on the board: 1 2 3 at the top (phone), or 7 8 9 (numpad).  [default: {default}]"
    return click.option("--keypad", type=click.Choice(("phone", "numpad")), help=text)


plain_option = click.option(
    "--plain/--no-plain",
    default=None,
    show_default=False,
    help="Use no colour, redraw nothing, print one fact per line: for screen readers and logs.",
)
"""Whether the screen is plain; None if the option is not given."""

_CLIMBED = [OPPONENTS[name] for name in LADDER if name in OPPONENTS]
_WINS = "; ".join(
    f"by {rules} {', '.join(f'{one.wins[rules].simple[2]} ({one.title})' for one in _CLIMBED)}"
    for rules in MEASURED_RULES
)


@dataclass(frozen=True)
class Playing:
    """The options that choose a person's opponent and how it is played."""

    solution: Path | None
    opponent: str
    strategy: str
    seed: int | None
    names: tuple[str, str] | None
    transcript: Path | None
    keypad: Literal["phone", "numpad"] | None
    plain: bool | None
    no_history: bool

    @property
    def average(self) -> bool:
        return self.strategy == "average"


playing_options = one_value(
    "play",
    Playing,
    click.option(
        "-s",
        "--solution",
        type=SolutionDirectory(),
        help="Directory of the match or round that the bot plays from.  [default: a solution that comes with the "
        "program: shipped, or filled with --rules filled]",
    ),
    click.option(
        "--opponent",
        type=OpponentName(),
        metavar="NAME",
        default=DEFAULT_OPPONENT,
        help=f"Your opponent: {', '.join((*TYPED_NAMES, ADAPTIVE))}. Simple players win this many of 100 matches to 3 "
        f"against them: {_WINS}. "
        "adaptive plays perfectly, but learns how you play and risks only what your mistakes have given it. Nobody can "
        "beat it in the long run either.",
    ),
    strategy_option(),
    click.option("--seed", type=Count(0), help="Seed of the goals and the bot's choices; the same seed repeats them."),
    click.option(
        "--names", type=Reader("A,B", _names), help="Your name and the bot's.  [default: You,Bot]"
    ),
    click.option("--transcript", type=NEW_FILE, help="Write a transcript to this file, which must not exist yet."),
    keypad_option("phone; for a saved match, the order in which it was played"),
    plain_option,
    click.option(
        "--no-history",
        is_flag=True,
        help="Keep nothing for review and --resume, except in --transcript. adaptive then does not use earlier "
        "matches.",
    ),
)  # fmt: skip
"""The options of the verbs in which a person plays. They are passed as `play`, a Playing."""


def must_be_new(path: Path | None, option: str = "--transcript") -> None:
    if path is not None and path.is_file():
        raise click.BadParameter(f"{str(path)!r} exists already; choose another name", param_hint=f"'{option}'")


def wanted_seat(name: str) -> tictactoe.Seat | None:
    """The seat that has this name in SEATS; None for a random seat."""
    return None if name == "random" else tictactoe.Seat[name.upper()]
