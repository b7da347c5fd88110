"""The server of this machine sends the files of the page, refuses the rest, and goes on whatever visitors do."""

import contextlib
import errno
import gzip
import http.client
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.page_servers import running_server
from support.waiting import wait_until

from tictactoe import FormatError, load_solution
from tictactoe.browser import server as module
from tictactoe.browser.modules import WORKER_FILE, read_source, source_names
from tictactoe.browser.page_data import PageData
from tictactoe.browser.server import MOST_CONNECTIONS, PageServer


@pytest.fixture(scope="module")
def data() -> PageData:
    return PageData([load_solution("match_to_1")])


@pytest.fixture(scope="module")
def small(data: PageData) -> Iterator[PageServer]:
    with running_server(data) as running:
        yield running


HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "server": "smbc-tictactoe",
}


def ask(server: PageServer, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """The answer, whose headers keep a browser safe, whatever is asked."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)
    connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
    answer = connection.getresponse()
    received = answer.status, {name.lower(): text for name, text in answer.getheaders()}, answer.read()
    connection.close()
    assert HEADERS.items() <= received[1].items()
    policy = received[1]["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; ")
    assert policy.endswith("; frame-ancestors 'none'")
    assert "unsafe" not in policy
    return received


TYPES = {
    "/": "text/html; charset=utf-8",
    "/index.html": "text/html; charset=utf-8",
    "/main.js?x=1": "text/javascript; charset=utf-8",
    "/style/base.css": "text/css; charset=utf-8",
    "/icon.svg": "image/svg+xml",
    "/icon-192.png": "image/png",
    "/page.webmanifest": "application/manifest+json",
    "/data/manifest.json": "application/json",
}


@pytest.mark.parametrize("path", TYPES)
def test_files(small: PageServer, path: str) -> None:
    code, headers, content = ask(small, path)
    assert (code, headers["content-type"], len(content)) == (200, TYPES[path], int(headers["content-length"]))
    assert "content-encoding" not in headers
    _, zipped, sent = ask(small, path, Accept_Encoding="gzip, deflate, br")
    if path == "/icon-192.png":
        assert sent == content
    else:
        assert zipped["content-encoding"] == "gzip"
        assert gzip.decompress(sent) == content
        assert len(sent) < len(content)
    code, head, nothing = ask(small, path, "HEAD")
    assert (code, nothing, head | {"date": ""}) == (200, b"", headers | {"date": ""})


def test_all_files_that_there_are(small: PageServer, data: PageData) -> None:
    for name in {*source_names(), *data.names, "page.js", "page.css"} - {WORKER_FILE}:
        code, _, content = ask(small, f"/{name}")
        assert (code, name in data.names or content == read_source(name)) == (200, True), name
    assert ask(small, f"/{WORKER_FILE}")[0] == 404


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_what_has_not_changed_is_not_sent_again(small: PageServer, coding: str) -> None:
    tag = ask(small, "/main.js", Accept_Encoding=coding)[1]["etag"]
    for known in (tag, f'"other", W/{tag}', "*"):
        code, headers, content = ask(small, "/main.js", Accept_Encoding=coding, If_None_Match=known)
        assert (code, headers["etag"], content) == (304, tag, b"")
    assert ask(small, "/main.js", Accept_Encoding=coding, If_None_Match='"other"')[0] == 200
    assert ask(small, "/style/base.css", Accept_Encoding=coding)[1]["etag"] != tag


NOWHERE = r"""/nothing.js /style /style/ /../server.py /style/../../server.py /%2e%2e/server.py /..%2fserver.py
/..\server.py /data/../main.js /data/%2e%2e/%2e%2e/server.py /main.js/ /main.js%00 /%ff /etc/passwd //etc/passwd"""


def test_nothing_but_the_files_of_the_page(small: PageServer) -> None:
    for path in (*NOWHERE.split(), "/" + "x" * 5000):
        code, _, content = ask(small, path)
        assert code == 404, path
        assert b"smbc" not in content
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert ask(small, "/", method)[0] == 501


def test_names_of_this_machine_alone(small: PageServer) -> None:
    """A site that gives its own name this address (DNS rebinding) learns nothing."""
    assert small.socket.getsockname()[0] == "127.0.0.1"
    for host in ("127.0.0.1", "localhost", "LOCALHOST", "localhost.", "[::1]"):
        assert ask(small, "/", Host=f"{host}:{small.server_port}")[0] == 200
    for host in ("example.org", "example.org:80", "127.0.0.1", "127.0.0.1:1", "", "localhost.example.org", "[::2]"):
        code, _, content = ask(small, "/data/manifest.json", Host=host)
        assert code == 421, host
        assert b"solutions" not in content


def test_visitors_who_leave(small: PageServer, capfd: pytest.CaptureFixture[str]) -> None:
    manifest = f"GET /data/manifest.json HTTP/1.1\r\nHost: 127.0.0.1:{small.server_port}\r\n\r\n".encode()
    for sent in (b"", manifest, manifest[:3], b"\x16\x03\x01nonsense\r\n\r\n"):
        for _ in range(5):
            visitor = socket.create_connection(("127.0.0.1", small.server_port))
            visitor.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")  # resets it
            visitor.sendall(sent)
            visitor.close()
    assert ask(small, "/")[0] == 200
    assert capfd.readouterr() == ("", "")


def test_visitors_who_stay(small: PageServer) -> None:
    """And say nothing, or only half of what they want: with too many of them the longest silent go, nobody else."""
    asking = http.client.HTTPConnection("127.0.0.1", small.server_port, timeout=120)
    with contextlib.ExitStack() as stack:
        crowd = []
        for number in range(MOST_CONNECTIONS + 10):
            if number % 20 == 0:  # not silent for long
                asking.request("GET", "/main.js")
                assert asking.getresponse().read()
            visitor = stack.enter_context(socket.create_connection(("127.0.0.1", small.server_port), timeout=120))
            visitor.sendall(b"GET / HT" if number % 2 else b"")
            crowd.append(visitor)
        assert [visitor.recv(1) for visitor in crowd[:10]] == [b""] * 10
        asking.request("GET", "/main.js")
        assert asking.getresponse().read()
        assert ask(small, "/")[0] == 200
    asking.close()


def test_visitors_who_read_nothing(small: PageServer) -> None:
    """With too many of them the one who has been reading longest goes, and a new one comes in."""
    request = f"GET /page.js HTTP/1.1\r\nHost: 127.0.0.1:{small.server_port}\r\n\r\n".encode()
    with contextlib.ExitStack() as stack:
        for _ in range(MOST_CONNECTIONS):
            visitor = stack.enter_context(socket.socket())
            visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            visitor.connect(("127.0.0.1", small.server_port))
            visitor.sendall(request * 300)
        wait_until(lambda: [*small._open.values()] == [True] * MOST_CONNECTIONS)
        assert ask(small, "/")[0] == 200


def test_no_room_for_a_connection(data: PageData, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many open files: it is waited until there is room again, without asking a thousand times a second."""
    failures, pauses = [errno.EMFILE, errno.ENFILE, errno.ENOMEM], []
    accept = socket.socket.accept

    def failing(listening: socket.socket) -> tuple[socket.socket, object]:
        if failures:
            code = failures.pop()
            raise OSError(code, os.strerror(code))
        return accept(listening)

    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=pauses.append))
    monkeypatch.setattr(socket.socket, "accept", failing)
    with running_server(data) as server:
        assert ask(server, "/")[0] == 200
    assert len(pauses) == 3


def test_a_file_that_cannot_be_made() -> None:
    told: list[str] = []

    class Damaged(PageData):
        def file(self, name: str) -> bytes:
            if name.endswith("0-0.data"):
                raise FormatError(Path("snapshot"), "damaged")
            return super().file(name)

    data = Damaged([load_solution("match_to_1")])
    with running_server(data, told.append) as server:
        code, _, content = ask(server, f"/{data.first_play[1]}")
        assert (code, told) == (500, ["snapshot: damaged"])
        assert b"snapshot" not in content
        assert ask(server, f"/{data.first_play[0]}")[0] == 200


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_the_address_of_ipv6(server: PageServer) -> None:
    connection = http.client.HTTPConnection("::1", server.server_port, timeout=120)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    connection.close()
