"""Where the scheduler of a Dask cluster is, and whether one answers there: asked before Dask makes a client.

That would wait without an end for what takes connections and says nothing, and fail with whatever the first bytes of
another protocol come to.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from ..errors import ClusterError, FormatError
from ..storage.decoding import json_of
from ..storage.safe_files import read_bytes

LARGEST_FILE = 16 << 20
"""Bytes of the file that a scheduler writes."""

_SCHEDULER = re.compile(r"([a-z]+://)?([a-zA-Z0-9_.-]+|\[[0-9a-f:]+\]):([0-9]{1,5})", re.ASCII)


def is_address(text: str) -> bool:
    """Whether a scheduler may be there.

    >>> [is_address(text) for text in ("tcp://10.0.0.1:8786", "[::1]:8786", "10.0.0.1", "host:99999")]
    [True, True, False, False]
    """
    found = _SCHEDULER.fullmatch(text)
    return found is not None and 0 < int(found[3]) < 2**16


def find_scheduler(address: str, seconds: float) -> str:
    """The address itself, or that in the file that a scheduler has written.

    Raises ClusterError when no scheduler has answered there within so many seconds.
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
    """What an error says, in one line that is not too long."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def _in_file(path: Path) -> str:
    """The address in it. What else is in it, nobody is told: it may be any file."""
    try:
        found = json_of(read_bytes(path, LARGEST_FILE))["address"]
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
    """What answers at an address: Scheduler, Worker or Nanny."""
    from distributed import Security, rpc

    certificates = Security().get_connection_args("client")  # of Dask's configuration, as its own client takes them
    async with rpc(address, timeout=seconds, connection_args=certificates) as remote:
        return str((await asyncio.wait_for(remote.identity(n_workers=0), seconds))["type"])
