"""tictactoe: lists all commands, and runs one by its name."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem, get_completion_class

from ..command_list import COMMAND_NAMES, COMMANDS, module_of, nearest
from ..options.declaring import command_of, option
from ..program import run

SHELLS = ("bash", "zsh", "fish")


class _AllCommands(click.Group):
    """A group of all commands, which imports a command when it is needed."""

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run as a program. If the first argument names a command, run that command as a program of its own."""
        if len(sys.argv) > 1 and sys.argv[1] in COMMAND_NAMES:
            sys.argv = sys.argv[1:]
            _command(sys.argv[0])()
        run(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMAND_NAMES)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return _command(name) if name in COMMAND_NAMES else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMAND_NAMES and not ctx.resilient_parsing:
            meant = nearest(args[0])
            advice = f"the nearest is {meant}" if meant else "tictactoe alone lists all there are"
            raise click.UsageError(f"there is no command {args[0][:40]!r}; {advice}", ctx)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, commands in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(name.ljust(max(map(len, COMMAND_NAMES))), line) for name, line in commands.items()]
                )
        click.Command.format_options(self, ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        lines = {name: line for group in COMMANDS.values() for name, line in group.items()}
        found = [CompletionItem(name, help=line) for name, line in lines.items() if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def _command(name: str) -> click.Command:
    command: click.Command = importlib.import_module(f".{module_of(name)}", __package__).command
    return command


@dataclass(frozen=True)
class Options:
    shell: str | None = option(
        click.Choice(SHELLS), "Print what lets this shell complete commands with TAB, and exit.", names="--completion"
    )


@command_of(Options, cls=_AllCommands, invoke_without_command=True, subcommand_metavar="COMMAND ...")
def command(given: Options) -> None:
    """Imperfect-information tic-tac-toe: play it, solve it, judge what was solved.

    Every command is a program of its own, too: tictactoe explore does what explore does. COMMAND --help says more.

    \b
    tictactoe play-multiround
    tictactoe explore --help
    eval "$(tictactoe --completion bash)"
    """
    if given.shell is None:
        click.echo(click.get_current_context().get_help())
        return
    kind = get_completion_class(given.shell)
    assert kind is not None
    for name in ("tictactoe", *COMMAND_NAMES):
        completion = kind(command, {}, name, f"_{module_of(name)}_COMPLETE".upper())
        click.echo(completion.source_template % completion.source_vars())
