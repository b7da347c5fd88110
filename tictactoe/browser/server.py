"""A server for the page on this machine alone: sources from the package, data made when it is asked for."""

from __future__ import annotations

from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePath
from urllib.parse import unquote, urlsplit

from .page_data import PageData
from .sources import read_source

ADDRESS = "127.0.0.1"
CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".data": "application/octet-stream",
}


class PageServer(ThreadingHTTPServer):
    """Serves a page on 127.0.0.1; port 0 takes a free one. Raises OSError for a port that is taken."""

    daemon_threads = True

    def __init__(self, data: PageData, port: int = 0) -> None:
        self.data = data
        super().__init__((ADDRESS, port), _Handler)

    @property
    def url(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}/"

    def content(self, name: str) -> bytes:
        """Of the file of that name; KeyError for another one."""
        return self.data.file(name) if name.startswith("data/") else read_source(name)


class _Handler(BaseHTTPRequestHandler):
    server: PageServer

    def do_GET(self) -> None:
        name = unquote(urlsplit(self.path).path).removeprefix("/") or "index.html"
        try:
            content = self.server.content(name)
        except KeyError:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", CONTENT_TYPES[PurePath(name).suffix])
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: what the browser asks for is of no interest to the person at the terminal."""
