"""The types of parameters."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

import tictactoe
from tictactoe.errors import cut
from tictactoe.number_text import read_number, read_whole_number
from tictactoe.play.opponents import ADAPTIVE, TYPED_NAMES, opponent_named


class Reader(click.ParamType):
    """The type of a text that a function reads. The function raises ValueError with the problem."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        except click.BadParameter as error:
            self.fail(error.message, param, ctx)


def shortened(text: str) -> str:
    return repr(cut(text, 40))


class _InRange(Reader):
    def __init__(self, name: str, read: Callable[[str], float], limits: click.ParamType, number: str) -> None:
        super().__init__(name, read)
        self._limits = limits
        self._limits.name = number

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self._limits.convert(super().convert(value, param, ctx), param, ctx)


def _quoting(read: Callable[[str], float], text: str) -> float:
    try:
        return read(text)
    except ValueError as error:
        raise ValueError(f"{shortened(text)} {error}") from None


def Number(least: float | None = None, most: float | None = None, *, above_least: bool = False) -> click.ParamType:
    """A finite number in a closed range, open below with `above_least`."""
    limits = click.FloatRange(least, most, min_open=above_least)
    return _InRange("number", partial(_quoting, read_number), limits, "number")


def Count(least: int = 1, most: int = 10**9) -> click.ParamType:
    """A whole number in a range, such as 1000000 or 1e6."""
    return _InRange("count", partial(_quoting, read_whole_number), click.IntRange(least, most), "whole number")


def _true_or_false(text: str) -> bool:
    try:
        return bool(click.BOOL.convert(text.strip() or "neither", None, None))
    except click.BadParameter:
        raise ValueError(f"{text!r} is not true or false") from None


TRUE_FALSE = Reader("true|false", _true_or_false)
"""The type of true, false, and click's other words for them."""


def checked_name(text: str) -> str:
    """Return a name as it is. Raises ValueError if it is empty or contains a zero byte."""
    if not text or "\0" in text:
        raise ValueError("the name contains a zero byte" if text else "the name is empty")
    return text


NAME = Reader("text", checked_name)


class PathName(click.Path):
    """A path that need not exist. It must not be empty or contain zero bytes."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, readable=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        NAME.convert(str(value), param, ctx)
        return super().convert(value, param, ctx)


Directory = partial(PathName, file_okay=False)
File = partial(PathName, dir_okay=False)


class SolutionDirectory(PathName):
    """The directory of a solution or subgame, or the name of a shipped solution."""

    def __init__(self) -> None:
        super().__init__(file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path: Path = super().convert(value, param, ctx)
        if isinstance(value, Path):
            return path
        from tictactoe.storage import shipped

        if (found := shipped.solution_directory(value)).exists() or not opponent_named(value):
            return found
        advice = f"give it to best-response-multiround or tournament, or to play-multiround as --opponent {value}"
        raise click.BadParameter(f"{value} is the name of an opponent, not of a solution: {advice}", ctx, param)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from tictactoe.storage import shipped

        names = [name for name in shipped.SHIPPED if incomplete and name.startswith(incomplete)]
        if not names:
            return super().shell_complete(ctx, param, incomplete)
        folders = [f"{path.name}/" for path in Path().glob("*/") if path.name.startswith(incomplete)]
        return [CompletionItem(name) for name in sorted({*names, *folders})]


class SolutionOrOpponent(SolutionDirectory):
    """A solution, or the name of an opponent as text. Directories take precedence over opponents, and opponents
    over shipped names."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "DIRECTORY|OPPONENT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = opponent_named(value) if isinstance(value, str) and not os.path.exists(value) else None
        return found or super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        found = {item.value: item for item in super().shell_complete(ctx, param, incomplete)}
        names = [name for name in TYPED_NAMES if incomplete and name.startswith(incomplete)]
        return [*(CompletionItem(name) for name in names if name not in found), *found.values()]


class OpponentName(click.Choice):
    """The name or title of an opponent, or the name of the adapting bot."""

    def __init__(self) -> None:
        super().__init__((*TYPED_NAMES, ADAPTIVE))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return opponent_named(value) or super().convert(value, param, ctx)


def _position(text: str) -> Any:
    from tictactoe.play import transcript

    return transcript.position_of(text)


POSITION = Reader("position", _position)
"""The type of a position such as "4-3 w? 513", of an address of the page, or of a transcript's file, at whose end the
position is taken."""


def _score(text: str) -> tictactoe.Score:
    points = re.fullmatch("([0-9]{1,9})-([0-9]{1,9})", text.strip(), re.ASCII)
    if points is None:
        raise ValueError(
            f"{shortened(text)} is not a score: write the first mover's points, then the second's, such as 4-3"
        )
    return tictactoe.Score(int(points[1]), int(points[2]))


SCORE = Reader("score", _score)
"""The type of a score such as 4-3; the value is a `Score`."""


def _iterations(text: str) -> tuple[int, ...]:
    count = Count(0)
    items = [] if text == "none" else text.split(",")
    return tuple(sorted({count.convert(item.strip(), None, None) for item in items}))


ITERATIONS = Reader("list", _iterations)
"""The type of iterations separated by commas, or "none"."""


def address_type(least_port: int = 1) -> Reader:
    """The type of HOST:PORT. least_port: 0 to allow port 0, which means any free port."""

    def read(text: str) -> Any:
        from tictactoe.agents import client

        return client.Address.parse(text, least_port)

    return Reader("address", read)
