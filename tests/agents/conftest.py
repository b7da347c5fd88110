"""Tests of players on a network run event loops of their own: each `async def` test is run in one."""

import asyncio
import inspect

import pytest
from support.event_loops import no_running_loop

__all__ = ["no_running_loop"]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in arguments}))
    return True
