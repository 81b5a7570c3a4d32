"""The names and addresses by which others on the network reach this machine."""

from __future__ import annotations

import socket

import psutil


def own_names() -> tuple[str, ...]:
    """Addresses first. A foreign name that was bent to one of them is none of these."""
    addresses = [
        each.address
        for each_card in psutil.net_if_addrs().values()
        for each in each_card
        if each.family == socket.AF_INET and not each.address.startswith("127.")
    ]
    name = socket.gethostname().lower().removesuffix(".local")
    names = [name, f"{name}.local"] if name else []
    return (*dict.fromkeys(addresses), *names)
