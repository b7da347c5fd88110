"""The options that play-multiround and play-subgame share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from .parameters import Count, Directory, all_of, true_option

if TYPE_CHECKING:
    from tictactoe.games.goals import Seat

LONGEST_NAME = 20
SEATS = ("first", "second", "random")
KEYPADS = {"phone": "123456789", "numpad": "789456123"}
"""The digit shown on each square; the squares in the order of a phone's keypad."""
_OPTIONS: list[Callable[[Any], Any]] = [
    click.option(
        "-s",
        "--solution",
        type=Directory(),
        default=None,
        help="Directory to play from.  [default: the solution that is installed with the program]",
    ),
    true_option(
        "--average-strategy",
        "false: the bot plays the current strategy of the last iteration instead of the average one.",
    ),
    click.option("--seed", type=Count(0), default=None, help="Repeat: the same goals and the same choices of the bot."),
    click.option(
        "--keypad",
        type=click.Choice(tuple(KEYPADS)),
        default="phone",
        show_default=True,
        help="How the digits lie on the board: phone has 1 2 3 at the top, numpad 7 8 9.",
    ),
    click.option("--plain", is_flag=True, help="No colour, no redrawing, one line per fact: for screen readers, logs."),
]
playing_options = partial(all_of, _OPTIONS)


def wanted_seat(name: str) -> Seat | None:
    """The seat by its name in SEATS; None for a random one."""
    from tictactoe.games.goals import Seat

    return None if name == "random" else Seat[name.upper()]


class Names(click.ParamType):
    """Two different names with a comma between them."""

    name = "A,B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value[0], value[1]
        names = [" ".join(name.split()) for name in str(value).split(",")]
        if len(names) != 2 or not all(names) or names[0] == names[1]:
            self.fail(f"{value!r} is not two different names with a comma between them, such as Ann,Bot", param, ctx)
        for name in names:
            if len(name) > LONGEST_NAME or not name.isprintable():
                self.fail(f"{name[:40]!r} is longer than {LONGEST_NAME} characters, or unprintable", param, ctx)
        return names[0], names[1]
