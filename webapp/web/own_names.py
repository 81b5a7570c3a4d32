"""The names and addresses by which others on the network reach this machine."""

from __future__ import annotations

import ipaddress
import socket

import psutil

_FAMILIES = (socket.AF_INET, socket.AF_INET6)


def own_names() -> tuple[str, ...]:
    """Addresses first, IPv6 in brackets, as a Host header has them. A foreign name that was bent
    to one of them is none of these."""
    found = [
        address
        for each_card in psutil.net_if_addrs().values()
        for each in each_card
        if each.family in _FAMILIES and (address := _reached_at(each.address))
    ]
    addresses = [
        str(each) if each.version == 4 else f"[{each}]" for each in sorted(found, key=_old)
    ]
    name = socket.gethostname().lower().removesuffix(".local")
    names = [name, f"{name}.local"] if name else []
    return (*dict.fromkeys(addresses), *names)


def own_urls(scheme: str, port: int) -> tuple[str, ...]:
    """Under which address others type it in: by number, for names are not known everywhere."""
    numbers = (name for name in own_names() if name[:1].isdecimal())
    return tuple(f"{scheme}://{number}:{port}" for number in numbers)


def _old(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> int:
    return address.version


def _reached_at(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """None for what only this machine has, and for what needs the name of a card behind it."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    local = address.is_loopback or (address.version == 6 and address.is_link_local)
    return None if local else address
