"""Killing what writes into a directory at any of its steps."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from support.waiting import HANGS

WATCHED = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


def killed_at(event: int, directory: Path, run: Callable[[], object]) -> bool:
    """Call `run` in a fork that is killed just before its `event`th use of the directory; whether it came so far."""
    child = os.fork()
    if child == 0:
        seen = 0

        def watch(what: str, details: tuple[object, ...]) -> None:
            nonlocal seen
            if what in WATCHED and str(directory) in str(details):
                seen += 1
                if seen > event:
                    os.kill(os.getpid(), signal.SIGKILL)

        try:
            signal.alarm(int(HANGS))  # a copy that hangs dies, too, and fails to leave the same files
            sys.addaudithook(watch)
            run()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def killed_everywhere(parent: Path, step: int, run: Callable[[Path], object]) -> Iterator[Path]:
    """Directories, in order, in which `run` was killed before its first use of them, the `step`th after that, ..."""
    for event in range(0, 1000, step):
        output = parent / f"killed_{event}"
        if not killed_at(event, output, partial(run, output)):
            assert event > 10, "it was hardly ever killed"
            return
        yield output
