"""Dask clusters for tests: one of a process that a module shares, and ones that a test can do anything to."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tictactoe.solving.cluster import Cluster, open_cluster

from .programs import environment
from .waiting import wait_until


@pytest.fixture(scope="module")
def local_cluster() -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    with open_cluster("local:1") as cluster:
        yield cluster


@dataclass
class Machines:
    """A scheduler and workers as somebody starts them by hand, each a process, on any addresses of loopback."""

    directory: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def scheduler_file(self) -> Path:
        return self.directory / "scheduler.json"

    def scheduler(self, host: str = "127.0.0.1") -> subprocess.Popen[bytes]:
        started = self._start(
            "dask_scheduler", "--host", host, "--port", "0", "--no-dashboard", "--scheduler-file", self.scheduler_file
        )
        wait_until(self._has_written)
        return started

    def _has_written(self) -> bool:
        """Whether the scheduler's file is there, and whole."""
        with contextlib.suppress(OSError, ValueError):
            return bool(json.loads(self.scheduler_file.read_bytes()))
        return False

    def worker(self, host: str = "127.0.0.1", *, path: Sequence[Path] = ()) -> subprocess.Popen[bytes]:
        """path: where Python looks for modules first."""
        where = ("--scheduler-file", self.scheduler_file, "--host", host, "--nthreads", "1", "--no-nanny")
        return self._start("dask_worker", *where, "--no-dashboard", "--local-directory", self.directory, path=path)

    def _start(self, module: str, *arguments: object, path: Sequence[Path] = ()) -> subprocess.Popen[bytes]:
        env = environment(PYTHONPATH=os.pathsep.join([*map(str, path), *filter(None, sys.path)]))
        command = [sys.executable, "-m", f"distributed.cli.{module}", *map(str, arguments)]
        with open(self.directory / f"log_{len(self.processes)}", "wb") as log:
            self.processes.append(subprocess.Popen(command, env=env, stdout=log, stderr=log, cwd=self.directory))
        return self.processes[-1]


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    """None of their processes is left."""
    pytest.importorskip("distributed")
    directory = tmp_path / "machines"
    directory.mkdir()
    found = Machines(directory)
    try:
        yield found
    finally:
        for process in found.processes:
            process.kill()
            process.wait()


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(status.parent.name))
    return found + [child for each in found for child in children(each)]
