"""The start of a worker process of a cluster on this machine; Dask calls `dask_setup`."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Leave Ctrl-C to the process that hands out the work, and import the compiled code in advance."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from ..algorithms import kernels

    assert kernels
