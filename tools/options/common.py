"""Options that many verbs share, and how a verb is declared.

A verb is a function in a module of tools/commands/ with the verb's name (_ for - and blanks), and a line in
tools/command_list.py. Its docstring is its help:

    @click.command(cls=Program)
    @click.argument("source", type=PathName())
    @directory_option("copy", "Directory for the copy.")
    @click.option("--bits", type=Count(8, 52), default=20, help="Binary digits to keep.")
    @workers_options()
    @json_option
    def command(source: Path, output: Path, bits: int, workers: Workers, as_json: bool) -> None:

Modules of tools/commands/ and tools/options/ import numpy, and what imports it, only in functions and under
TYPE_CHECKING, because --help must not wait for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from functools import wraps
from pathlib import Path
from typing import Any

import click

import tictactoe
from tictactoe.errors import MissingPlotsError

from ..program import CommandError
from .parameters import SCORE, Count, Directory, Number

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def one_value(name: str, kind: Callable[..., Any], *options: Decorator) -> Decorator:
    """A decorator that adds the options and passes them as one value: `kind` called with its parameters."""
    theirs = inspect.signature(kind).parameters

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_value(**given: Any) -> Any:
            value = kind(**{each: given.pop(each) for each in theirs})
            return function(**{name: value}, **given)

        decorated: Callable[..., Any] = with_value
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def for_paper_option(text: str) -> Decorator:
    return click.option("--for-paper", is_flag=True, help=text)


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")


def quiet_option(text: str = "Show no progress and no result, only errors.") -> Decorator:
    return click.option("--quiet", is_flag=True, help=text)


def directory_option(default: str | None, text: str) -> Decorator:
    """The option `output`. default: None if the option is required."""
    path = None if default is None else Path(default)
    return click.option("-o", "--output", type=Directory(), default=path, required=path is None, help=text)


def winning_score_option(
    text: str = "Points that win the match.", default: int | None = 5, most: int = 100
) -> Decorator:
    return click.option("--winning-score", type=Count(1, most), default=default, help=text)


def scores_option(text: str, name: str = "--score") -> Decorator:
    parameter = "scores" if name == "--score" else name.strip("-")
    return click.option(name, parameter, type=SCORE, multiple=True, metavar="A-B", help=text)


def target_option(text: str, default: float | None) -> Decorator:
    """The option `target`, in match value or payoff, of both seats together."""
    spelt = ("--target", "--maximum-subgame-exploitability", "target")
    return click.option(*spelt, type=Number(0.0, above_least=True), default=default, help=text)


def seed_option(text: str, default: int | None = None) -> Decorator:
    """The option `seed`. default: None if `text` names the default."""
    return click.option("--seed", type=Count(0, 2**63 - 1), default=default, help=text)


def strategy_option(*more: str, text: str = "") -> Decorator:
    """The option `strategy`: average, current, or one of `more`; `text` explains these."""
    kind = click.Choice(["average", "current", *more])
    words = f"Take the average strategy, which is the solution, or the current one, of the last iteration{text}."
    return click.option("--strategy", type=kind, default="average", help=words)


restart_option = click.option(
    "--restart",
    is_flag=True,
    help="Start again from the beginning; the new result replaces the earlier one when it is complete. If the run is "
    "stopped, continue it without --restart.",
)


def existing_of(restart: bool) -> tictactoe.Existing:
    return tictactoe.Existing.RESTART if restart else tictactoe.Existing.CONTINUE


def is_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def refuse(names: Collection[str], why: str) -> None:
    """Raise click.UsageError if one of these parameters is given. why: the sentence that the option's name begins."""
    for parameter in click.get_current_context().command.params:
        if parameter.name in names and is_given(parameter.name):
            name = next(each for each in parameter.opts if each.startswith("--"))
            raise click.UsageError(f"{name} {why}")


def refuse_all_but(names: Collection[str], way: str) -> None:
    """Raise click.UsageError if any other parameter is given. way: the use that takes only these."""
    others = {parameter.name or "" for parameter in click.get_current_context().command.params} - {*names}
    refuse(others, f"cannot be combined with {way}")


PICTURES = (".png", ".svg", ".pdf")
"""The endings of the names of pictures."""


def check_picture(path: Path, option: str) -> None:
    """Raise click.UsageError for a wrong ending or a missing folder, MissingPlotsError without matplotlib."""
    from tictactoe.figures import style

    if path.suffix not in PICTURES:
        raise click.UsageError(f"{option}: {path.name}: the name must end with {', '.join(PICTURES)}")
    if not path.parent.is_dir():
        raise click.UsageError(f"{option}: {path.parent}: this folder does not exist; make it first")
    style.require_plots()


def check_directory(path: Path | None, endings: str) -> None:
    """Raise click.UsageError if `path` is not a directory but ends like a file. endings: those that are allowed."""
    if path is not None and path.suffix[1:].isalpha() and not path.is_dir():
        raise click.UsageError(f"--output: {path.name}: give a directory, or a name that ends with {endings}")


def require_plots(wanted: bool, otherwise: str) -> None:
    """Raise CommandError if pictures are wanted without matplotlib. otherwise: what to do instead."""
    from tictactoe.figures import style

    try:
        if wanted:
            style.require_plots()
    except MissingPlotsError as error:
        raise CommandError(f"{error}; or {otherwise}") from error
