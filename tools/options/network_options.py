"""Addresses on a network, as options and arguments."""

from __future__ import annotations

from ..lazy_imports import lazily
from .parameters import Reader

with lazily():
    from tictactoe.agents import client


def address_type(least_port: int = 1) -> Reader:
    """HOST:PORT. least_port: 0 if port 0, for any free port, is allowed."""
    return Reader("address", lambda text: client.Address.parse(text, least_port))
