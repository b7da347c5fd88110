"""Options as fields of frozen dataclasses: one declaration makes the option, its line in --help, and the value.

    @dataclass(frozen=True)
    class Wanted:
        output: Path = option(Directory(), "Directory for the copy.", short="-o", required=True)
        rules: WantedRules = group(WantedRules, default="three-in-a-row")
        quiet: bool = flag("No progress.")

    @command_of(Wanted)
    def command(wanted: Wanted) -> None:

An option has the name of its field, such as --output here. --help shows the options in the order of the fields. A group
is a dataclass of options that several commands share.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, TypeVar

import click

from ..program import Program

Options = TypeVar("Options")


def option(kind: click.ParamType | type | None, text: str, *, names: str = "", short: str = "", **settings: Any) -> Any:
    """A field for an option.

    kind: its type. text: its help, in which {word} stands for a word of the group. names: with blanks between them, in
    place of the field's name. short: a name of one letter beside that. settings: click's; --help shows a default unless
    show_default is False.
    """
    absent: Any = () if settings.get("multiple") else False if settings.get("is_flag") else None
    if "default" in settings or settings.get("required"):
        absent, settings = dataclasses.MISSING, {"show_default": True} | settings

    def parameter(field: str, words: Mapping[str, str]) -> click.Option:
        spelt = names or f"{short} --{field.replace('_', '-')}"
        return click.Option(spelt.split(), type=kind, help=text.format_map(words) if words else text, **settings)

    return _field(parameter, absent)


def flag(text: str, **settings: Any) -> Any:
    """A field for an option without a value: whether it is given."""
    return option(None, text, is_flag=True, **settings)


def argument(kind: click.ParamType, **settings: Any) -> Any:
    """A field for an argument, which has no name on the command line."""
    return _field(lambda field, words: click.Argument([field], type=kind, **settings))


def group(options: type[Options], **words: str) -> Options:
    """A field for a dataclass of further options. words: texts for the help of its options."""
    field: Options = dataclasses.field(kw_only=True, metadata={"read": lambda *_: _read(options, words)})
    return field


def command_of(
    options: type[Options], cls: Any = Program, **settings: Any
) -> Callable[[Callable[[Options], int | None]], Any]:
    """Makes a click command of a function that gets the options as one value. Its docstring is the help. settings: of
    the command."""

    def make(function: Callable[[Options], int | None]) -> Any:
        parameters, made = _read(options, {})
        return cls(
            name=None,
            callback=lambda **given: function(made(given)),
            params=parameters,
            help=_docstring(function),
            **settings,
        )

    return make


def is_given(name: str) -> bool:
    """Whether the parameter of that name is on the command line that is being run."""
    context = click.get_current_context()
    return context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


_Made = Callable[[Mapping[str, Any]], Any]


def _field(parameter: Callable[[str, Mapping[str, str]], click.Parameter], absent: Any = dataclasses.MISSING) -> Any:
    """absent: the field's value if Python code makes the dataclass without it. Without `absent` it must give one."""

    def read(field: str, words: Mapping[str, str]) -> tuple[list[click.Parameter], _Made]:
        made = parameter(field, words)
        assert made.name is not None
        return [made], itemgetter(made.name)

    required = absent is dataclasses.MISSING
    return dataclasses.field(default=absent, kw_only=required, metadata={"read": read})


def _read(options: Any, words: Mapping[str, str]) -> tuple[list[click.Parameter], _Made]:
    """The parameters that the fields of a dataclass declare, and a function from click's values to the dataclass."""
    parameters, fields = [], {}
    for field in dataclasses.fields(options):
        more, fields[field.name] = field.metadata["read"](field.name, words)
        parameters += more
    return parameters, lambda given: options(**{name: made(given) for name, made in fields.items()})


def _docstring(function: Callable[..., Any]) -> str | None:
    """The docstring; of a program that python -OO has stripped of docstrings, from the source."""
    if sys.flags.optimize < 2:
        return function.__doc__
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(definition, ast.FunctionDef)
    return ast.get_docstring(definition)
