"""Waiting for the end of a tournament on a network."""

from __future__ import annotations

import asyncio
from typing import Any

from .network_referee import Referee


async def over_before(referee: Referee, stopped: asyncio.Event) -> bool:
    """Wait until all matches have been played or `stopped` is set. Returns whether all have been played.

    Raises the first error in a callback or an abandoned task, such as a full disk. Without this, the event loop would
    print the error and go on, with a match that never ends.
    """
    loop = asyncio.get_running_loop()
    failed: asyncio.Future[None] = loop.create_future()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not failed.done():
            failed.set_exception(context.get("exception") or RuntimeError(context["message"]))

    loop.set_exception_handler(handle)
    waiting = [asyncio.ensure_future(each.wait()) for each in (referee.over, stopped)]
    every: list[asyncio.Future[Any]] = [*waiting, failed]
    await asyncio.wait(every, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()
    if failed.done():
        await failed
    return referee.over.is_set()
