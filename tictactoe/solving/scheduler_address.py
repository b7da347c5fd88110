"""Where the scheduler of a Dask cluster is, and whether one answers there: asked before Dask makes a client.

That would wait without an end for what takes connections and says nothing, and fail with whatever the first bytes of
another protocol come to.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from ..errors import ClusterError, FormatError
from ..storage.safe_files import read_bytes

LARGEST_FILE = 16 << 20
"""Bytes of the file that a scheduler writes."""


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
    try:
        found = json.loads(read_bytes(path, LARGEST_FILE))["address"]
    except FormatError as error:
        raise ClusterError(str(error)) from error
    except (ValueError, TypeError, KeyError, RecursionError):
        found = None
    if not isinstance(found, str):
        raise ClusterError(f"{path}: not the file that a scheduler has written; start one with --scheduler-file {path}")
    return found


async def _kind_of(address: str, seconds: float) -> str:
    """What answers at an address: Scheduler, Worker or Nanny."""
    from distributed import Security, rpc

    certificates = Security().get_connection_args("client")  # of Dask's configuration, as its own client takes them
    async with rpc(address, timeout=seconds, connection_args=certificates) as remote:
        return str((await asyncio.wait_for(remote.identity(n_workers=0), seconds))["type"])
