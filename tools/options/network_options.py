"""Addresses on a network, as options and arguments."""

from __future__ import annotations

from functools import partial

from ..lazy_imports import lazily
from .parameters import Reader

with lazily():
    import ipaddress

    from tictactoe.agents import client


def address_type(least_port: int = 1) -> Reader:
    """HOST:PORT. least_port: 0 if port 0, for any free port, is allowed."""
    return Reader("address", partial(_address, least_port))


def _address(least_port: int, text: str) -> client.Address:
    return client.Address.parse(text, least_port)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
