"""Rendered HTML of finished messages, kept while they are being looked at."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable


class RenderedTexts:
    """Least recently used out first, once the HTML kept passes `most_characters`."""

    def __init__(self, *, most_characters: int) -> None:
        self._most = most_characters
        self._kept: OrderedDict[tuple[str, bytes], str] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def html(self, message_id: str, text: str, render: Callable[[str], str]) -> str:
        """`render(text)`, or what it gave the last time for the same message and text."""
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        key = (message_id, digest)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        # Not under the lock: a long text takes a while, and rendering it twice is harmless.
        html = render(text)
        self._keep(key, html)
        return html

    def _keep(self, key: tuple[str, bytes], html: str) -> None:
        with self._lock:
            self._characters += len(html) - len(self._kept.pop(key, ""))
            self._kept[key] = html
            while self._characters > self._most:
                _, dropped = self._kept.popitem(last=False)
                self._characters -= len(dropped)
