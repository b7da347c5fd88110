"""--jobs and --cluster: threads, or the processes of a Dask cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import tictactoe

from ..interruption import stop_on_signals
from ..program import available_cores
from ..progress import StatusLine
from .common import Decorator, one_value
from .parameters import Count, Reader, checked_name

if TYPE_CHECKING:
    from tictactoe.solving import cluster as clusters

THREADS = "Number of threads; it does not change the result.  [default: the available cores]"


def _address(text: str) -> str:
    from tictactoe.solving import cluster as clusters

    address = checked_name(text)
    if not (clusters.local_workers(address) or clusters.is_address(address) or Path(address).is_file()):
        raise ValueError(
            f"{address!r} is neither the address of a scheduler (tcp://HOST:PORT), nor a file that one wrote, "
            "nor local:N"
        )
    return address


@dataclass(frozen=True)
class Workers:
    """The workers of a run. Raises click.UsageError if both options are given."""

    jobs: int | None = None
    cluster: str | None = None
    """The address of a Dask cluster; None for threads."""

    def __post_init__(self) -> None:
        if self.jobs is not None and self.cluster is not None:
            raise click.UsageError("--jobs and --cluster cannot be combined: a cluster has workers of its own")

    @property
    def threads(self) -> int:
        """Threads in this process; by default as many as available cores."""
        return self.jobs or available_cores()


def workers_options(jobs: str = THREADS) -> Decorator:
    """The option `workers`. jobs: the help text of --jobs."""
    cluster = click.option(
        "--cluster",
        type=Reader("cluster", _address),
        help="Work in the processes of a Dask cluster: tcp://HOST:PORT, or the file that its scheduler wrote; local:N "
        "starts N processes here. Needs dask: pip install distributed.",
    )
    return one_value("workers", Workers, click.option("--jobs", type=Count(1, 1024), help=jobs), cluster)


@contextlib.contextmanager
def control_of(
    workers: Workers, existing: tictactoe.Existing, *, quiet: bool, exact: bool = False
) -> Iterator[tictactoe.RunControl[Any]]:
    """The control of a run for the block, without stop and reporter. exact: whether the workers solve linear
    programs."""
    with connected(workers.cluster, quiet=quiet, exact=exact) as cluster:
        yield tictactoe.RunControl(cluster or workers.threads, existing)


@contextlib.contextmanager
def followed(
    progress: StatusLine, control: tictactoe.RunControl[Any], reporter: Any = None
) -> Iterator[tictactoe.RunControl[Any]]:
    """The control for the block. It stops at signals. reporter: the line of progress by default."""
    with stop_on_signals() as stop, progress.showing():
        yield replace(control, stop=stop, reporter=reporter or progress)


def cluster_of(control: tictactoe.RunControl[Any]) -> clusters.Cluster | None:
    """The cluster of a run; None if it uses threads."""
    from tictactoe.solving import cluster as clusters

    return control.workers if isinstance(control.workers, clusters.Cluster) else None


@contextlib.contextmanager
def connected(
    address: str | None, *, quiet: bool = False, exact: bool = False, goes_on: bool = True
) -> Iterator[clusters.Cluster | None]:
    """A connection to the cluster for the block; None without an address. exact: as in `control_of`.

    goes_on: whether the command can continue after it has lost the cluster.
    """
    if address is None:
        yield None
        return
    from tictactoe.solving import cluster as clusters
    from tictactoe.solving import versions

    libraries: Sequence[str] = (*versions.COMPARED_LIBRARIES, *(["highspy"] if exact else []))
    after_loss = clusters.AFTER_LOSS_GOES_ON if goes_on else clusters.AFTER_LOSS_STARTS_OVER
    task = "starting the workers" if address.startswith("local:") else f"connecting to {address}"
    with contextlib.ExitStack() as stack:
        with StatusLine(f"{task}, {{elapsed}} elapsed", quiet=quiet).showing():
            cluster = clusters.open_cluster(address, libraries=libraries, after_loss=after_loss)
            connection = stack.enter_context(cluster)
        yield connection
