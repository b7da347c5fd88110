"""Finding the scheduler of a Dask cluster, and testing that it answers, before Dask makes a client.

Dask's client would wait for ever for a server that accepts connections and sends nothing. A server of another protocol
would make it fail with any error.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from ..errors import ClusterError, FormatError
from ..storage.atomic_files import read_bytes
from ..storage.decoding import json_of

LARGEST_SCHEDULER_FILE = 16 << 20
"""Bytes of a scheduler's file, at most."""

_SCHEDULER = re.compile(r"([a-z]+://)?([a-zA-Z0-9_.-]+|\[[0-9a-f:]+\]):([0-9]{1,5})", re.ASCII)


def is_address(text: str) -> bool:
    """Whether the text has the form of a scheduler's address.

    >>> [is_address(text) for text in ("tcp://10.0.0.1:8786", "[::1]:8786", "10.0.0.1", "host:99999")]
    [True, True, False, False]
    """
    found = _SCHEDULER.fullmatch(text)
    return found is not None and 0 < int(found[3]) < 2**16


def find_scheduler(address: str, seconds: float) -> str:
    """The scheduler's address: `address` itself, or the one in a file that a scheduler has written.

    Raises ClusterError when no scheduler answers there within `seconds`.
    """
    where = _in_file(Path(address)) if Path(address).is_file() else address
    from distributed.utils import LoopRunner

    try:  # in a loop of its own, in another thread: the caller may have one
        kind = LoopRunner().run_sync(_kind_of, where, seconds)
    except Exception as error:  # other protocols' bytes may raise anything
        reason = "nothing came back in time" if isinstance(error, TimeoutError) and not str(error) else brief(error)
        raise ClusterError(f"{address}: no scheduler answers there ({reason}); is it running?") from error
    if "Scheduler" not in kind:
        raise ClusterError(f"{address}: no scheduler, but a {kind[:50]}; give the address of the scheduler")
    return where


def brief(error: BaseException) -> str:
    """The message of an error on one line of at most 200 characters."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def _in_file(path: Path) -> str:
    """The address in a scheduler's file. Errors show no content of the file: it may be any file."""
    try:
        found = json_of(read_bytes(path, LARGEST_SCHEDULER_FILE))["address"]
    except FormatError as error:
        raise ClusterError(str(error)) from error
    except (ValueError, TypeError, KeyError):
        found = None
    if not isinstance(found, str) or not is_address(found):
        raise ClusterError(
            f"{path}: not the file that a scheduler has written; give one that dask scheduler --scheduler-file wrote, "
            "or the address of a scheduler, such as tcp://10.0.0.1:8786"
        )
    return found


async def _kind_of(address: str, seconds: float) -> str:
    """The type of the server that answers at an address: Scheduler, Worker or Nanny."""
    from distributed import Security, rpc

    certificates = Security().get_connection_args("client")  # from Dask's configuration, as for Dask's own client
    async with rpc(address, timeout=seconds, connection_args=certificates) as remote:
        return str((await asyncio.wait_for(remote.identity(n_workers=0), seconds))["type"])
