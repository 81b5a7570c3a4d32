"""Where a server is: from what a person writes as its address to what a connection needs."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from webapp.errors import BadSetting

_PORTS: Final = {"http": 80, "https": 443}
_VERSION: Final = re.compile(r"/v\d+[a-z0-9]*(/|$)")
_PASTED: Final = ("/chat/completions", "/completions", "/embeddings", "/models")
_EXAMPLE: Final = "Set base_url to an address like http://127.0.0.1:8080/v1."


@dataclass(frozen=True)
class Address:
    """`path` is where the API begins, such as `/v1`; it never ends with a slash."""

    scheme: str
    host: str
    port: int
    path: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"

    @property
    def is_here(self) -> bool:
        """Whether it names this machine, where no proxy leads."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def address_of(base_url: str) -> Address:
    """With or without scheme, `/v1` and a slash at the end. Raises BadSetting."""
    text = base_url.strip()
    if not text:
        raise BadSetting("The address of the model server is not set.", do=_EXAMPLE)
    if not text.isprintable() or " " in text:
        raise BadSetting("The address of the model server has spaces in it.", do=_EXAMPLE)
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise BadSetting(f"“{text}” is not an address ({error}).", do=_EXAMPLE) from error
    if "@" in parts.netloc:
        # Not repeated: what stands before the @ may be a password.
        raise BadSetting("base_url has a name or password in it.", do="Put the key into api_key.")
    if parts.scheme not in _PORTS or not host or port == 0 or parts.query or parts.fragment:
        raise BadSetting(f"“{text}” is not the address of a model server.", do=_EXAMPLE)
    return Address(parts.scheme, host, port or _PORTS[parts.scheme], _api_path(parts.path))


def _api_path(path: str) -> str:
    path = path.rstrip("/")
    for ending in _PASTED:
        path = path.removesuffix(ending).rstrip("/")
    return path if _VERSION.search(path) else f"{path}/v1"
