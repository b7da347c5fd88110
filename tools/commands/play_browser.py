"""play-browser: serve the page on this machine, and open it in a browser."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from ..interruption import EXIT_INTERRUPTED, stop_on_signals
from ..lazy_imports import lazily
from ..options.parameters import Count
from ..options_before.declaring import command_of, flag, option
from ..options_before.solution_choice import page_data, solutions_option
from ..program import CommandError, note

with lazily():
    import webbrowser

    from tictactoe.browser import page_data as pages
    from tictactoe.browser import server as servers


USUAL_PORT = 7315
"""The default port, always the same: a browser keeps the data of a page, such as matches, for one port alone."""


@dataclass(frozen=True)
class Options:
    solutions: tuple[Path, ...] = solutions_option()
    port: int | None = option(
        Count(1, 65535), f"Where to serve the page.  [default: {USUAL_PORT}, or any free one if that is taken]"
    )
    no_open: bool = flag("Only print the address; do not open a browser.")


@command_of(Options)
def command(given: Options) -> int:
    """Play, review, explore and learn in the browser.

    Prints an address of this machine, which nobody else can reach, and opens the browser there. Ctrl-C ends it. The
    browser keeps a match that you leave, and goes on with it at the same address.

    \b
    play-browser
    play-browser --no-open --port 8000
    play-browser -s my_solution/
    """

    def server(data: pages.PageData, at: int) -> servers.PageServer:
        return servers.PageServer(data, at, report=lambda line: note(f"play-browser: {line}"))

    data = page_data(given.solutions, compression=1)  # for this computer, at once
    try:
        serving = server(data, given.port or USUAL_PORT)
    except OSError as error:
        if given.port is not None:
            why = error.strerror or str(error)
            raise CommandError(f"port {given.port} cannot be used: {why}; name another, or leave --port out") from None
        serving = server(data, 0)
    with serving, stop_on_signals() as stop:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        print(f"Play at {serving.url} (Ctrl-C ends it)", flush=True)
        if not given.no_open and not _open(serving.url):
            note("play-browser: no browser could be opened here: open the address in one")
        while thread.is_alive() and not stop.wait(0.5):
            pass
        if thread.is_alive():
            serving.shutdown()
    return EXIT_INTERRUPTED if stop.is_set() else 0


def _open(url: str) -> bool:
    """Open the address in the person's browser. Returns whether a browser was found."""
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
