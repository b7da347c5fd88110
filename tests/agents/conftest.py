"""Tests of players on a network run event loops of their own."""

from support.event_loops import no_running_loop

__all__ = ["no_running_loop"]
