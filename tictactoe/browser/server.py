"""A server for the page on this machine alone: sources from the package, data made when it is asked for.

It answers programs of this machine, and says so to browsers: another site that gives its own name the address
127.0.0.1 is refused by the Host header, and no other page may show this one in a frame.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

from ..errors import TicTacToeError
from .content_types import content_type, is_text
from .page_data import PageData
from .sources import INDEX, WORKER, content_security_policy, read_source

ADDRESS = "127.0.0.1"
MOST_CONNECTIONS = 64
"""At once; a browser opens six. With one more, that goes which has been silent longest."""
_PAUSE = 0.1  # seconds until the next attempt where the system has no room for a connection


@dataclass(frozen=True)
class Answer:
    """A file, as it is and gzipped (None where that is of no use), and the tag that changes with it."""

    content: bytes
    zipped: bytes | None
    tag: str


class PageServer(ThreadingHTTPServer):
    """Serves a page on 127.0.0.1; port 0 takes a free one. Raises OSError for a port that is taken.

    report: called with a line about a file that cannot be made, from the thread that was to send it.
    """

    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere it would allow two servers at one port
    request_queue_size = 64

    def __init__(self, data: PageData, port: int = 0, report: Callable[[str], object] = lambda line: None) -> None:
        self.report = report
        self.data = data
        self._answers: dict[str, Answer] = {}
        self._making = threading.Lock()
        self._open: dict[socket.socket, bool] = {}  # whether it is being answered; the longest silent first
        self._counting = threading.Lock()
        super().__init__((ADDRESS, port), _Handler)

    @property
    def url(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}/"

    @property
    def hosts(self) -> set[str]:
        """What a request may call this server."""
        names = (ADDRESS, "localhost")
        return {f"{name}:{self.server_port}" for name in names} | (set(names) if self.server_port == 80 else set())

    def answer(self, name: str) -> Answer:
        """The file of that name, made once. Raises KeyError for another one, TicTacToeError if it cannot be made."""
        with self._making:
            if name not in self._answers:
                content = self.data.file(name) if name.startswith("data/") else _source(name)
                zipped = gzip.compress(content, mtime=0) if is_text(name) else None
                self._answers[name] = Answer(content, zipped, f'"{hashlib.sha256(content).hexdigest()[:32]}"')
            return self._answers[name]

    def get_request(self) -> tuple[socket.socket, Any]:
        """Part of TCPServer, which asks again at once after an error, such as too many open files."""
        try:
            return super().get_request()
        except OSError:
            time.sleep(_PAUSE)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Part of TCPServer: a connection has been made."""
        with self._counting:
            self._open[request] = False
            if len(self._open) > MOST_CONNECTIONS:
                silent = (each for each, is_answered in self._open.items() if not is_answered)
                dismissed = next(silent)
                del self._open[dismissed]
                with contextlib.suppress(OSError):  # it has gone by itself
                    dismissed.shutdown(socket.SHUT_RDWR)  # its thread finds that out, and closes it
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Part of TCPServer: a connection is over."""
        with self._counting:
            self._open.pop(request, None)
        super().shutdown_request(request)

    @contextlib.contextmanager
    def answering(self, request: Any) -> Iterator[None]:
        """A connection is being answered, and is not silent for as long as the block runs."""
        for is_answered in (True, False):
            with self._counting:
                if self._open.pop(request, None) is not None:
                    self._open[request] = is_answered
            if is_answered:
                yield

    def handle_error(self, request: object, client_address: object) -> None:
        """A line, as no traceback is for the person at the terminal; nothing for a browser that has gone away."""
        error = sys.exc_info()[1]
        if not isinstance(error, (ConnectionError, TimeoutError)):
            self.report(f"internal error: {type(error).__name__}: {error}")


def _source(name: str) -> bytes:
    if name == WORKER:  # this page is not to be kept: the program has to run for it anyway
        raise KeyError(name)
    return read_source(name)


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        self._respond(with_content=True)

    def do_HEAD(self) -> None:
        self._respond(with_content=False)

    def _respond(self, *, with_content: bool) -> None:
        with self.server.answering(self.connection):
            self._answer(with_content=with_content)

    def _answer(self, *, with_content: bool) -> None:
        if self.headers.get("Host", "").lower() not in self.server.hosts:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, f"Open {self.server.url}")
            return
        try:
            name = unquote(urlsplit(self.path).path, errors="strict").removeprefix("/") or INDEX
            answer = self.server.answer(name)
        except (KeyError, ValueError):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        except (TicTacToeError, OSError) as error:
            self.server.report(str(error))
            self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR)
            return
        zipped = answer.zipped is not None and _accepts_gzip(self.headers.get("Accept-Encoding", ""))
        tag = f'{answer.tag[:-1]}-gzip"' if zipped else answer.tag
        content = answer.zipped if zipped and answer.zipped is not None else answer.content
        known = {word.strip().removeprefix("W/") for word in self.headers.get("If-None-Match", "").split(",")}
        unchanged = tag in known or "*" in known
        self.send_response(HTTPStatus.NOT_MODIFIED if unchanged else HTTPStatus.OK)
        self.send_header("ETag", tag)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Vary", "Accept-Encoding")
        if not unchanged:
            self.send_header("Content-Type", content_type(name))
            self.send_header("Content-Length", str(len(content)))
            if zipped:
                self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if with_content and not unchanged:
            self.wfile.write(content)

    def end_headers(self) -> None:
        """With what every answer says to the browser."""
        self.send_header("Content-Security-Policy", f"{content_security_policy()}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        super().end_headers()

    def version_string(self) -> str:
        return "smbc-tictactoe"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what the browser asks for is of no interest to the person at the terminal."""


def _accepts_gzip(header: str) -> bool:
    """
    >>> [_accepts_gzip(header) for header in ("", "br, gzip", "gzip;q=0, br", "GZIP; q=0.5", "identity")]
    [False, True, False, True, False]
    """
    for item in header.lower().split(","):
        coding, _, weight = item.partition(";")
        if coding.strip() == "gzip":
            return weight.replace(" ", "").removeprefix("q=") not in ("0", "0.0", "0.00", "0.000")
    return False
