"""The command tictactoe, which lists all verbs and runs them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem, get_completion_class

from ..command_list import COMMAND_NAMES, COMMANDS, ON_THE_PATH, RENAMED, module_of, nearest
from ..program import SETTINGS, run, with_version

SHELLS = ("bash", "zsh", "fish")


class _Verbs(click.Group):
    def __init__(self, name: str | None, before: str = "", **settings: Any) -> None:
        super().__init__(
            name,
            context_settings=SETTINGS,
            invoke_without_command=True,
            callback=_list,
            subcommand_metavar="VERB ...",
            **settings,
        )
        self._before = before
        self._lines = {
            verb.removeprefix(before): line
            for group in COMMANDS.values()
            for verb, line in group.items()
            if verb.startswith(before)
        }

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        name = _verb_of(sys.argv[1:])
        if name is not None:
            sys.argv = [f"tictactoe {name}", *sys.argv[1 + len(name.split()) :]]
            _command(name)()
        run(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(dict.fromkeys(verb.split()[0] for verb in self._lines))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in self._lines:
            return _command(self._before + name)
        text = f"{name}: {', '.join(verb.split()[1] for verb in self._lines if verb.startswith(f'{name} '))}."
        return _Verbs(name, f"{name} ", help=text) if name in self.list_commands(ctx) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if word not in self.list_commands(ctx) and not ctx.resilient_parsing:
            if word in RENAMED:
                raise click.UsageError(f"{word} is now called tictactoe {RENAMED[word]}", ctx)
            meant = nearest(word)
            advice = f"the nearest is {meant}" if meant else "tictactoe --help lists all verbs"
            raise click.UsageError(f"there is no verb {word[:40]!r}; {advice}", ctx)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, verbs in COMMANDS.items():
            shown = [(name, line) for name, line in verbs.items() if name.startswith(self._before)]
            if shown:
                with formatter.section(heading):
                    formatter.write_dl([(name.ljust(max(map(len, COMMAND_NAMES))), line) for name, line in shown])
        click.Command.format_options(self, ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        words = [word for word in self.list_commands(ctx) if word.startswith(incomplete)]
        found = [CompletionItem(word, help=self._lines.get(word)) for word in words]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def _verb_of(words: Sequence[str]) -> str | None:
    for count in (2, 1):
        if (name := " ".join(words[:count])) in COMMAND_NAMES:
            return name
    return None


def _command(name: str) -> click.Command:
    command: click.Command = importlib.import_module(f".{module_of(name)}", __package__).command
    return command


def _complete(context: click.Context, parameter: click.Parameter, shell: str | None) -> None:
    if shell is None or context.resilient_parsing:
        return
    kind = get_completion_class(shell)
    assert kind is not None
    for name in ("tictactoe", *ON_THE_PATH):
        completion = kind(command, {}, name, f"_{module_of(name)}_COMPLETE".upper())
        click.echo(completion.source_template % completion.source_vars())
    context.exit()


def _list(**given: Any) -> None:
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


command = _Verbs(
    "tictactoe",
    params=[
        click.Option(
            ["--completion"],
            type=click.Choice(SHELLS),
            callback=_complete,
            expose_value=False,
            help="Print a script that lets this shell complete commands with TAB, and exit.",
        )
    ],
    help="""Imperfect-information tic-tac-toe: play it, solve it, judge what was solved.

\b
tictactoe play-multiround
tictactoe explore --help
eval "$(tictactoe --completion bash)"

VERB --help says more about a verb. solve-multiround, best-response-multiround, play-multiround and explore are also
programs of their own.""",
)
with_version(command)
