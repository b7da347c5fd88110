"""The options that play-multiround, play-subgame and review share."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.play.opponents import DEFAULT_OPPONENT, MEASURED_RULES, OPPONENTS

from .parameters import Count, Decorator, SolutionDirectory, all_of, check_name, true_option

if TYPE_CHECKING:
    from tictactoe.games.goals import Seat

SEATS = ("first", "second", "random")
KEYPADS = ("phone", "numpad")

plain_option = click.option(
    "--plain/--no-plain", default=None, help="No colour, no redrawing, one line per fact: for screen readers, logs."
)


def _keypad(default: str) -> Decorator:
    return click.option(
        "--keypad",
        type=click.Choice(KEYPADS),
        default=None,
        help=f"How the digits lie on the board: phone has 1 2 3 at the top, numpad 7 8 9.  [default: {default}]",
    )


keypad_option = _keypad("phone")
kept_keypad_option = _keypad("phone; of a match that was saved what it was played with")


class NewFile(click.ParamType):
    """The path of a new file, or of a device. `must_be_new` later checks that no file is there."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        text = check_name(self, value, param, ctx)
        if os.path.isdir(text):
            self.fail(f"{text!r} is not the name of a file", param, ctx)
        return Path(text)


class Names(click.ParamType):
    """Two different names with a comma between them."""

    name = "A,B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value[0], value[1]
        names = [" ".join(name.split()) for name in str(value).split(",")]
        if len(names) != 2 or not all(names) or names[0] == names[1]:
            self.fail(f"{value!r} is not two different names with a comma between them, such as Ann,Bot", param, ctx)
        from tictactoe.play.referee import check_names

        try:
            check_names((names[0], names[1]))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return names[0], names[1]


_OPTIONS: list[Callable[[Any], Any]] = [
    click.option(
        "-s",
        "--solution",
        type=SolutionDirectory(),
        default=None,
        help="Directory to play from.  [default: what comes with the program: shipped, or filled with --rules filled]",
    ),
    click.option(
        "--opponent",
        type=click.Choice(tuple(OPPONENTS)),
        default=DEFAULT_OPPONENT,
        show_default=True,
        help="Whom you play. Of 100 matches a perfect player wins against them: "
        + "; ".join(
            f"by {rules} {', '.join(f'{them.wins[rules].perfect} ({name})' for name, them in OPPONENTS.items())}"
            for rules in MEASURED_RULES
        )
        + ".",
    ),
    true_option(
        "--average-strategy",
        "false: the bot plays the current strategy of the last iteration instead of the average one.",
    ),
    click.option("--seed", type=Count(0), default=None, help="Repeat: the same goals and the same choices of the bot."),
    click.option("--names", type=Names(), default=None, help="Your name and the bot's.  [default: You,Bot]"),
    click.option(
        "--transcript", type=NewFile(), default=None, help="Write what is played to this file, which must be new."
    ),
    kept_keypad_option,
    plain_option,
]
playing_options = partial(all_of, _OPTIONS)


def must_be_new(path: Path | None, option: str = "--transcript") -> None:
    """Raises click.BadParameter if a file is there, which would be lost."""
    if path is not None and path.is_file():
        raise click.BadParameter(f"{str(path)!r} exists already; choose another name", param_hint=f"'{option}'")


def wanted_seat(name: str) -> Seat | None:
    """The seat by its name in SEATS; None for a random seat."""
    from tictactoe.games.goals import Seat

    return None if name == "random" else Seat[name.upper()]
