"""Keeps every test in directories of its own. Spares the tests what would be done again and again. Compiles modules
and kernels once, before every worker and every program that it starts would do so for itself."""

import os
import signal
from collections.abc import Iterator

import pytest
from support import repeated_work
from support.own_directory import _own_directory, _root

__all__ = ["_own_directory", "_root"]


@pytest.fixture(scope="session", autouse=True)
def _signals_of_a_terminal() -> Iterator[None]:
    """Ctrl-C and the end of a terminal end programs, also if a shell runs the tests with `&` or nohup."""
    usual = {signal.SIGINT: signal.default_int_handler}
    if hasattr(signal, "SIGHUP"):
        usual[signal.SIGHUP] = signal.SIG_DFL
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than processors, because many tests wait for a browser, a terminal or a disk."""
    return len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)) + 1


def pytest_collection_finish() -> None:
    repeated_work.leave_what_is_loaded()


def pytest_configure(config: pytest.Config) -> None:
    repeated_work.spare()
    if hasattr(config, "workerinput"):
        repeated_work.compile_in_turn()
        return
    if not getattr(config.option, "numprocesses", None):
        return
    repeated_work.compile_modules(config.rootpath)
    whole = config.args_source is not pytest.Config.ArgsSource.ARGS
    collecting = repeated_work.collecting(config.rootpath) if whole else None
    repeated_work.compile_kernels()
    if collecting:
        collecting.wait()
