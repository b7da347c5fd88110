"""Servers for tests of the page: the project's own server, and an ordinary file server."""

import contextlib
import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from socketserver import BaseServer
from typing import TypeVar

from tictactoe.browser.page_data import PageData
from tictactoe.browser.server import PageServer

AnyServer = TypeVar("AnyServer", bound=BaseServer)


@contextlib.contextmanager
def _serving(server: AnyServer) -> Iterator[AnyServer]:
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def running_server(
    data: PageData, report: Callable[[str], object] = print
) -> contextlib.AbstractContextManager[PageServer]:
    return _serving(PageServer(data, report=report))


class _Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None: ...


def static_server(folder: Path) -> contextlib.AbstractContextManager[http.server.ThreadingHTTPServer]:
    """A server that knows nothing of the page: Python's own, on a folder."""
    return _serving(http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Files, directory=folder)))
