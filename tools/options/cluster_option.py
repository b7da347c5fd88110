"""The option --cluster: do the work in the processes of a Dask cluster, not in threads of this process."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..progress import StatusLine
from .parameters import check_name

if TYPE_CHECKING:
    from tictactoe.run_control import RunControl
    from tictactoe.solving.cluster import Cluster


class ClusterAddress(click.ParamType):
    """The address of a scheduler, the file that it wrote, or local:N for N workers on this machine."""

    name = "cluster"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from tictactoe.solving.scheduler_address import is_address

        address = check_name(self, value, param, ctx)
        if address.startswith("local:"):
            if re.fullmatch("local:[1-9][0-9]{0,3}", address, re.ASCII) is None:
                self.fail(f"{address!r} is not local:N with a number of workers from 1 to 9999", param, ctx)
        elif not (is_address(address) or Path(address).is_file()):
            self.fail(
                f"{address!r} is neither the address of a scheduler (tcp://HOST:PORT), nor the file that it wrote, "
                "nor local:N",
                param,
                ctx,
            )
        return address


cluster_option = click.option(
    "--cluster",
    type=ClusterAddress(),
    help="Work in the processes of a Dask cluster: tcp://HOST:PORT, or the file that its scheduler wrote; local:N "
    "starts N processes here. Needs dask: pip install distributed.",
)


def check_jobs(jobs: int | None, cluster: str | None) -> None:
    """Raises click.UsageError if both options are given."""
    if jobs is not None and cluster is not None:
        raise click.UsageError("--jobs and --cluster exclude each other: a cluster has workers of its own")


def cluster_of(control: RunControl[Any]) -> Cluster | None:
    """The cluster that does the work of a run; None for threads."""
    from tictactoe.solving.cluster import Cluster

    return control.workers if isinstance(control.workers, Cluster) else None


@contextlib.contextmanager
def connected(
    address: str | None, *, quiet: bool = False, exact: bool = False, goes_on: bool = True
) -> Iterator[Cluster | None]:
    """A connection to the cluster while the block runs; None without an address.

    exact: whether workers must be able to solve linear programs. goes_on: whether the command saves its work and can
    continue; messages about a lost cluster say so.
    """
    if address is None:
        yield None
        return
    from tictactoe.solving.cluster import AFTER_LOSS_GOES_ON, AFTER_LOSS_STARTS_OVER, open_cluster
    from tictactoe.solving.versions import COMPARED_LIBRARIES

    libraries: Sequence[str] = (*COMPARED_LIBRARIES, "highspy") if exact else COMPARED_LIBRARIES
    with contextlib.ExitStack() as stack:
        what = "starting the workers" if address.startswith("local:") else f"connecting to {address}"
        with StatusLine(f"{what}, {{elapsed}} elapsed", quiet=quiet).showing():
            cluster = stack.enter_context(
                open_cluster(
                    address,
                    libraries=libraries,
                    notice=_note,
                    after_loss=AFTER_LOSS_GOES_ON if goes_on else AFTER_LOSS_STARTS_OVER,
                )
            )
        yield cluster


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
