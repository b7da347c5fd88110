"""play-browser: serve the page on this machine, and open it in a browser."""

from __future__ import annotations

import sys
import threading
from functools import partial
from pathlib import Path

import click

from ..options.page_options import page_data, solutions_option
from ..options.parameters import Count
from ..program import EXIT_INTERRUPTED, SETTINGS, CommandError, run, stop_on_signals

USUAL_PORT = 7315
"""The default port, always the same: a browser keeps the data of a page, such as matches, for one port alone."""


@click.command(context_settings=SETTINGS)
@solutions_option()
@click.option(
    "--port",
    type=Count(1, 65535),
    help=f"Where to serve the page.  [default: {USUAL_PORT}, or any free one if that is taken]",
)
@click.option("--no-open", is_flag=True, help="Only print the address; do not open a browser.")
def command(solutions: tuple[Path, ...], port: int | None, no_open: bool) -> int:
    """Play, review, explore and learn in the browser.

    Prints an address of this machine, which nobody else can reach, and opens the browser there. Ctrl-C ends it. The
    browser keeps a match that you leave, and goes on with it at the same address.

    \b
    play-browser
    play-browser --no-open --port 8000
    play-browser -s my_solution/
    """
    from tictactoe.browser.page_data import PageData
    from tictactoe.browser.server import PageServer

    def server(data: PageData, at: int) -> PageServer:
        return PageServer(data, at, report=lambda line: print(f"play-browser: {line}", file=sys.stderr, flush=True))

    data = page_data(solutions)
    try:
        serving = server(data, port or USUAL_PORT)
    except OSError as error:
        if port is not None:
            why = error.strerror or str(error)
            raise CommandError(f"port {port} cannot be used: {why}; name another, or leave --port out") from None
        serving = server(data, 0)
    with serving, stop_on_signals() as stop:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        print(f"Play at {serving.url} (Ctrl-C ends it)", flush=True)
        if not no_open and not _open(serving.url):
            print("play-browser: no browser could be opened here: open the address in one", file=sys.stderr, flush=True)
        while thread.is_alive() and not stop.wait(0.5):
            pass
        if thread.is_alive():
            serving.shutdown()
    return EXIT_INTERRUPTED if stop.is_set() else 0


def _open(url: str) -> bool:
    """Open the address in the person's browser. Returns whether a browser was found."""
    import webbrowser

    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False


main = partial(run, command)
