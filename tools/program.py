"""Running a command as a program: one-line errors, exit codes, interruptions, output streams."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import sys
import textwrap
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import click

from tictactoe.errors import NotOnDiskWarning, printable

from .streams import discard_output, ignore_useless_settings, plain_streams

if TYPE_CHECKING:
    from tictactoe.run_control import Existing

EXIT_FAILURE = 1
EXIT_INTERRUPTED = 130


SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}
"""Settings of every click command."""

REPLACE_HELP = (
    "Replace the solution that the output directory holds, its certificate too, once the new one is whole; "
    "plots/ and what else is there stay."
)
"""The help of --restart for a command that cannot continue an earlier run."""
DISCARD_HELP = (
    "Throw away what an earlier run left in the directory, at once, and begin anew; "
    "if that is stopped, go on without --restart."
)
"""The help of --restart for a command that continues a stopped run."""


DISTRIBUTION = "smbc-tictactoe"


class CommandError(Exception):
    """The command must end with exit code 1. The message is one line."""


def available_cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """An event that the first SIGINT, SIGTERM or SIGHUP sets, so that work can be saved. A second signal raises
    KeyboardInterrupt."""
    stop = threading.Event()

    def handle(number: int, frame: Any) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    with _handling((signal.SIGINT, *_endings()), handle):
        yield stop


def _endings() -> list[signal.Signals]:
    """The signals that ask a program to end, without those that are ignored: SIGTERM, and SIGHUP when its terminal
    closes, which nohup ignores."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    return [number for number in numbers if signal.getsignal(number) not in (signal.SIG_IGN, None)]


@contextlib.contextmanager
def _handling(numbers: Iterable[signal.Signals], handle: Callable[[int, Any], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(command: click.Command) -> None:
    """Run a command as a program: parse, call, and end the process with the right code and no traceback."""
    name = os.path.basename(sys.argv[0])
    with plain_streams(), _plain_warnings(name):
        try:
            complete(command)
            ignore_useless_settings()
            code = _outcome(command, name)
        except KeyboardInterrupt:  # also raised while an error is being printed
            code = EXIT_INTERRUPTED
    _leave(code if isinstance(code, int) else 0)


@contextlib.contextmanager
def _plain_warnings(name: str) -> Iterator[None]:
    """Within the block each warning of this package is printed once, as one line, and with --quiet not at all."""
    show, told = warnings.showwarning, set()

    def tell(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, NotOnDiskWarning):
            show(message, category, *where, **more)
        elif "--quiet" not in sys.argv and str(message) not in told:
            told.add(str(message))
            _complain(f"{name}: {_one_line(str(message))}")

    warnings.showwarning = tell
    try:
        yield
    finally:
        warnings.showwarning = show


def _outcome(command: click.Command, name: str) -> Any:
    try:
        with _handling(_endings(), signal.default_int_handler):  # a signal, too, must leave no half-written file
            code = command.main(prog_name=name, standalone_mode=False)
            sys.stdout.flush()
            return code
    except Exception as error:  # the outermost handler: any error becomes one line
        return _report(name, error)


def _leave(code: int) -> NoReturn:
    """End the process. All output is written: another Ctrl-C stops waiting for threads, without a message."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(code))
    sys.exit(code)


def complete(command: click.Command) -> None:
    """Give a command the option --version, and its help if Python runs without docstrings."""
    _restore_help(command)
    if any("--version" in parameter.opts for parameter in command.params):
        return

    def show(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            from tictactoe import __version__

            click.echo(f"{context.info_name} {__version__} ({DISTRIBUTION})")
            context.exit()

    text = "Print the version and exit."
    add = click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=show, help=text)
    add(command)


def say(text: str, indent: str = "") -> None:
    """Print a paragraph, on a terminal wrapped between words, elsewhere on one line. indent: begins further lines.
    Lines are not broken at no-break spaces, which are printed as usual spaces."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    wrap = partial(textwrap.wrap, break_long_words=False, break_on_hyphens=False, subsequent_indent=indent)
    print("\n".join(wrap(text, max(width, 20)) if width else [text]).replace("\N{NO-BREAK SPACE}", " "))


def _restore_help(command: click.Command) -> None:
    """With python -OO, which drops docstrings: take the help from the source."""
    if sys.flags.optimize > 1 and command.help is None and command.callback is not None:
        import ast
        import inspect

        source = textwrap.dedent(inspect.getsource(inspect.unwrap(command.callback)))
        function = ast.parse(source).body[0]
        assert isinstance(function, ast.FunctionDef)
        command.help = ast.get_docstring(function)


def _report(name: str, error: Exception) -> int:
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.exceptions.Abort):
        return EXIT_INTERRUPTED
    if isinstance(error, click.ClickException):
        from tictactoe.storage.shipped import with_names

        _complain(f"{name}: {with_names(_one_line(error.format_message()))} (see {name} --help)")
        return error.exit_code
    if isinstance(error, OSError):
        discard_output()
    if isinstance(error, BrokenPipeError):  # the reader has gone, such as head: no message
        return EXIT_FAILURE
    if os.environ.get("TICTACTOE_TRACEBACK"):
        raise error
    from tictactoe.errors import Interrupted, TicTacToeError

    if isinstance(error, Interrupted):
        _complain(f"{name}: interrupted; {str(error) or _continuation(name)}")
        return EXIT_INTERRUPTED
    if isinstance(error, (CommandError, TicTacToeError)):
        from tictactoe.storage.shipped import with_names

        from .messages import words_of

        words = words_of(error) if isinstance(error, TicTacToeError) else str(error)
        _complain(f"{name}: {with_names(_one_line(words))}")
    elif isinstance(error, OSError):
        where = f"{shown_path(error.filename)}: " if error.filename else ""
        _complain(f"{name}: {where}{_one_line(str(error.strerror or error))}; what was saved before is intact")
    elif type(error) is UnicodeError:  # a decoder of standard input misses the byte-order mark
        what = f"it is read as {sys.stdin.encoding}, which PYTHONIOENCODING names: unset that, or give such a text"
        _complain(f"{name}: standard input: {_one_line(str(error))}; {what}")
    else:
        _complain(
            f"{name}: internal error: {type(error).__name__}: {_one_line(str(error))} "
            "(set TICTACTOE_TRACEBACK=1 for where)"
        )
    return EXIT_FAILURE


def existing_of(restart: bool, resume: bool = False) -> Existing:
    """The meaning of --restart and --resume, which exclude each other."""
    from tictactoe.run_control import Existing

    return Existing.RESTART if restart else Existing.RESUME if resume else Existing.CONTINUE


def _continuation(name: str) -> str:
    """A sentence for an interrupted run: everything is saved, and this command continues."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--restart"]
    return f"everything is saved, continue with: {shlex.join([name, *arguments])}"


def shown_path(path: Any) -> str:
    """The path on one line, with escapes for unprintable characters."""
    return printable(os.fsdecode(path))


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _complain(line: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)
