"""Types of parameters, each with a clear error message, and options that many commands have."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from tictactoe.number_text import read_number, read_whole_number
from tictactoe.play.opponents import OPPONENTS

if TYPE_CHECKING:
    from tictactoe.play.notation import Position


class Number(click.ParamType):
    """A finite number in a range, in the notation of `read_number`. The limits are inclusive, but for `above_least`."""

    name = "number"

    def __init__(self, least: float | None = None, most: float | None = None, *, above_least: bool = False) -> None:
        self._range = click.FloatRange(least, most, min_open=above_least)
        self._range.name = self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, str):
            value = _read(self, read_number, value, param, ctx)
        number: float = self._range.convert(value, param, ctx)
        return number


class Count(click.ParamType):
    """A whole number in a range, written with digits."""

    name = "count"

    def __init__(self, least: int = 1, most: int = 10**9) -> None:
        self._range = click.IntRange(least, most)
        self._range.name = "whole number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, str):
            value = _read(self, read_whole_number, value, param, ctx)
        number: int = self._range.convert(value, param, ctx)
        return number


def _read(
    kind: click.ParamType,
    reader: Callable[[str], float],
    text: str,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> float:
    try:
        return reader(text)
    except ValueError as error:
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        kind.fail(f"{shown!r} {error}", param, ctx)


class TrueFalse(click.ParamType):
    """true or false, or any of click's words for them. An empty text is an error."""

    name = "true|false"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        with contextlib.suppress(click.BadParameter):
            if str(value).strip():
                return bool(click.BOOL.convert(value, param, ctx))
        raise click.BadParameter(f"{value!r} is not true or false", ctx, param)


def check_name(kind: click.ParamType, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
    """The text of a name. Fails if the text is empty, as by an unset variable of a shell, or has a zero byte."""
    text = str(value)
    if not text or "\0" in text:
        kind.fail("the name has a zero byte" if text else "the name is empty", param, ctx)
    return text


class Name(click.ParamType):
    """A name: a text that is not empty and has no zero byte."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return check_name(self, value, param, ctx)


class PathName(click.Path):
    """A path that need not exist. It is not empty and has no zero byte."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, readable=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        check_name(self, value, param, ctx)
        return super().convert(value, param, ctx)


class SolutionDirectory(PathName):
    """The directory of a solution or of a subgame, or the name of a solution that ships (see storage/shipped.py)."""

    def __init__(self) -> None:
        super().__init__(file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        from tictactoe.storage.shipped import solution_directory

        path: Path = super().convert(value, param, ctx)
        if isinstance(value, Path):
            return path
        if (found := solution_directory(value)).exists() or value not in OPPONENTS:
            return found
        advice = f"best-response-multiround, head-to-head and tournament take it, play-multiround --opponent {value}"
        raise click.BadParameter(f"{value} is the name of an opponent, not of a solution: {advice}", ctx, param)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Directories and, after the first letter, the names of solutions that ship."""
        from tictactoe.storage.shipped import SHIPPED

        names = [name for name in SHIPPED if incomplete and name.startswith(incomplete)]
        if not names:
            return super().shell_complete(ctx, param, incomplete)
        folders = [f"{path.name}/" for path in Path().glob("*/") if path.name.startswith(incomplete)]
        return [CompletionItem(name) for name in sorted({*names, *folders})]


class SolutionOrOpponent(SolutionDirectory):
    """A solution, or the name of an opponent, which stays text. A directory of the same name comes before the opponent,
    and the opponent before a solution that ships."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "directory|opponent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value in OPPONENTS and not os.path.exists(value) else super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The completions for a solution, and the names of opponents."""
        found = {item.value: item for item in super().shell_complete(ctx, param, incomplete)}
        names = [name for name in OPPONENTS if incomplete and name.startswith(incomplete)]
        return [*(CompletionItem(name) for name in names if name not in found), *found.values()]


Directory = partial(PathName, file_okay=False)
File = partial(PathName, dir_okay=False)


class PositionType(click.ParamType):
    """A position such as "4-3 w? 513", an address of the page, or the file of a transcript: the position at its end."""

    name = "position"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Position:
        from tictactoe.play.notation import Position

        if isinstance(value, Position):
            return value
        try:
            return Position.parse(str(value))
        except ValueError as error:
            if os.path.isfile(str(value)):
                from tictactoe.play.transcript import last_position

                return last_position(Path(str(value)))
            self.fail(str(error), param, ctx)


class Iterations(click.ParamType):
    """Iterations separated by commas, or "none"."""

    name = "list"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        if value == "none":
            return ()
        count = Count(0)
        return tuple(sorted({count.convert(item.strip(), param, ctx) for item in str(value).split(",")}))


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")


def directory_option(short: str, long: str, default: str, text: str) -> Decorator:
    """An option for a directory, shown with its default."""
    return click.option(short, long, type=Directory(), default=Path(default), show_default=True, help=text)


def score_option(name: str, text: str) -> Decorator:
    """An option for scores, which may be repeated."""
    return click.option(name, type=Count(0), nargs=2, multiple=True, metavar="A B", help=text)


def true_option(name: str, text: str) -> Decorator:
    """An option that is true by default."""
    return click.option(name, type=TrueFalse(), default="true", show_default=True, help=text)


def all_of(options: Sequence[Callable[[Any], Any]], function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with these options. --help shows them in this order."""
    for option in reversed(options):
        function = option(function)
    return function
