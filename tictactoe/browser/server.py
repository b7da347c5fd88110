"""A server of the page for this machine alone. It checks the Host header and forbids frames."""

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
from .modules import INDEX_FILE, WORKER_FILE, content_security_policy, content_type, is_text, read_source
from .page_data import PageData

LOCAL_ADDRESS = "127.0.0.1"
MOST_CONNECTIONS = 64
"""The most simultaneous connections, of which a browser opens six. One more closes the one that has been idle longest
or, if none is idle, the one that has been answered longest."""
_PAUSE = 0.1  # seconds before another attempt to accept a connection


@dataclass(frozen=True)
class Answer:
    """A file to be sent."""

    content: bytes
    zipped: bytes | None
    """The gzipped content; None for a file that is already compressed."""
    tag: str
    """The ETag, computed from the content."""


class PageServer(ThreadingHTTPServer):
    """A server of a page on 127.0.0.1 and, if possible, on ::1.

    port: 0 for any free port. Raises OSError for a port in use.
    report: called with a line about a file that cannot be made, in the thread of the request.
    """

    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # on other systems it would allow two servers on one port
    request_queue_size = 64

    def __init__(self, data: PageData, port: int = 0, report: Callable[[str], object] = lambda line: None) -> None:
        self.report = report
        self.data = data
        self._answers: dict[str, Answer] = {}
        self._making = threading.Lock()
        self._open: dict[socket.socket, bool] = {}  # open connections, whether being answered, by their latest change
        self._counting = threading.Lock()
        self._at_ipv6: socket.socket | None = None
        super().__init__((LOCAL_ADDRESS, port), _Handler)
        with contextlib.suppress(OSError):  # a system without IPv6, or with another server there
            self._at_ipv6 = socket.create_server(("::1", self.server_port), family=socket.AF_INET6, backlog=64)
            threading.Thread(target=self._accept_at, args=(self._at_ipv6,), daemon=True).start()

    def _accept_at(self, listening: socket.socket) -> None:
        while self.socket.fileno() >= 0:
            try:
                connection = listening.accept()
                self.process_request(*connection)
            except OSError:
                if self.socket.fileno() >= 0:  # no room for a connection
                    time.sleep(_PAUSE)

    def server_close(self) -> None:
        super().server_close()
        if self._at_ipv6 is not None:
            with contextlib.suppress(OSError):
                self._at_ipv6.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
            self._at_ipv6.close()

    @property
    def url(self) -> str:
        return f"http://{LOCAL_ADDRESS}:{self.server_port}/"

    @property
    def hosts(self) -> set[str]:
        """The values of a Host header that the server accepts."""
        names = (LOCAL_ADDRESS, "localhost", "localhost.", "[::1]")
        return {f"{name}:{self.server_port}" for name in names} | (set(names) if self.server_port == 80 else set())

    def answer(self, name: str) -> Answer:
        """The file of that name, made once. Raises KeyError for an unknown name, and TicTacToeError if making it
        fails."""
        with self._making:
            if name not in self._answers:
                content = self.data.file(name) if name.startswith("data/") else _source(name)
                zipped = gzip.compress(content, mtime=0) if is_text(name) else None
                self._answers[name] = Answer(content, zipped, f'"{hashlib.sha256(content).hexdigest()[:32]}"')
            return self._answers[name]

    def get_request(self) -> tuple[socket.socket, Any]:
        try:
            return super().get_request()
        except OSError:
            time.sleep(_PAUSE)  # TCPServer tries again at once
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._counting:
            if len(self._open) >= MOST_CONNECTIONS:
                dismissed = min(self._open, key=self._open.__getitem__)
                del self._open[dismissed]
                with contextlib.suppress(OSError):  # the other side has closed it already
                    dismissed.shutdown(socket.SHUT_RDWR)  # its thread notices this and closes the socket
            self._open[request] = False
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._counting:
            self._open.pop(request, None)
        super().shutdown_request(request)

    @contextlib.contextmanager
    def answering(self, request: Any) -> Iterator[None]:
        """Count a connection as busy for the block."""
        for is_answered in (True, False):
            with self._counting:
                if self._open.pop(request, None) is not None:
                    self._open[request] = is_answered
            if is_answered:
                yield

    def handle_error(self, request: object, client_address: object) -> None:
        """Report an error in one line. Ignore closed connections."""
        error = sys.exc_info()[1]
        if not isinstance(error, (ConnectionError, TimeoutError)):
            self.report(f"internal error: {type(error).__name__}: {error}")


def _source(name: str) -> bytes:
    if name == WORKER_FILE:  # this page works only while the program runs
        raise KeyError(name)
    return read_source(name)


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        with self.server.answering(self.connection):
            self._answer()

    do_HEAD = do_GET

    def _answer(self) -> None:
        if self.headers.get("Host", "").lower() not in self.server.hosts:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, f"Open {self.server.url}")
            return
        try:
            name = unquote(urlsplit(self.path).path, errors="strict").removeprefix("/") or INDEX_FILE
            answer = self.server.answer(name)
        except (KeyError, ValueError):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        except (TicTacToeError, OSError) as error:
            self.server.report(str(error))
            self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR)
            return
        zipped = answer.zipped if "gzip" in self.headers.get("Accept-Encoding", "").lower() else None
        tag = answer.tag if zipped is None else f'{answer.tag[:-1]}-gzip"'
        content = answer.content if zipped is None else zipped
        known = {word.strip().removeprefix("W/") for word in self.headers.get("If-None-Match", "").split(",")}
        unchanged = tag in known or "*" in known
        self.send_response(HTTPStatus.NOT_MODIFIED if unchanged else HTTPStatus.OK)
        self.send_header("ETag", tag)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Vary", "Accept-Encoding")
        if not unchanged:
            self.send_header("Content-Type", content_type(name))
            self.send_header("Content-Length", str(len(content)))
            if zipped is not None:
                self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if self.command == "GET" and not unchanged:
            self.wfile.write(content)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", f"{content_security_policy()}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        super().end_headers()

    def version_string(self) -> str:
        return "smbc-tictactoe"

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""
