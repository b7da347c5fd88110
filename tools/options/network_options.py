"""Addresses on a network, as options and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tictactoe.agents.client import Address


class AddressType(click.ParamType):
    """HOST:PORT. least_port: 0 if port 0, for any free port, is allowed."""

    name = "address"

    def __init__(self, least_port: int = 1) -> None:
        self._least_port = least_port

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Address:
        from tictactoe.agents.client import Address

        if isinstance(value, Address):
            return value
        try:
            return Address.parse(str(value), self._least_port)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
