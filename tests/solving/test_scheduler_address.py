"""Servers, files and addresses that are no scheduler are refused in a bounded time."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tictactoe.errors import ClusterError
from tictactoe.solving import cluster as module
from tictactoe.solving.cluster import open_cluster

pytest.importorskip("distributed")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS_TO_CONNECT", 0.5)


def complaint(address: str) -> str:
    with pytest.raises(ClusterError) as caught, open_cluster(address):
        pass
    return str(caught.value)


@contextlib.contextmanager
def server(says: bytes) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        kept = []

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    kept.append(listening.accept()[0])
                    kept[-1].sendall(says)

        threading.Thread(target=serve, daemon=True).start()
        yield "tcp://{}:{}".format(*listening.getsockname())
        listening.shutdown(socket.SHUT_RDWR)
    for connection in kept:
        connection.close()


@pytest.mark.parametrize("address", ["127.0.0.1:9", "tcp://127.0.0.1:9"])
def test_nobody_answers(address: str) -> None:
    assert complaint(address).startswith(f"{address}: no scheduler answers there (")


@pytest.mark.parametrize(
    "says", [b"", b"HTTP/1.0 400 Bad request syntax\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", bytes(4000)], ids=len
)
def test_another_server_answers(says: bytes) -> None:
    """Dask's own client waits for ever for the silent one, and asks for exbibytes of memory at the web server's."""
    with server(says) as address:
        assert complaint(address).startswith(f"{address}: no scheduler answers there (")


SECRET = "geheim"
TEXTS = (
    *("", "{", "[]", "{}", '{"address": 8786}', "[" * 100_000, "\udcff", f"root:x:0:0:{SECRET}:/root:/bin/bash\n"),
    *(f'{{"address": "{address}"}}' for address in (SECRET, f"tcp://{SECRET}", f"tcp://me:{SECRET}@127.0.0.1:9")),
)


@pytest.mark.parametrize("text", TEXTS, ids=len)
def test_a_file_that_no_scheduler_has_written(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    assert complaint(str(path)).startswith(f"{path}: this is not a scheduler's file; give one that ")
    assert SECRET not in complaint(str(path))
