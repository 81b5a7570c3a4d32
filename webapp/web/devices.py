"""What a browser calls itself, in the few words a person knows it by."""

from __future__ import annotations

from typing import Final

# In this order: most browsers also name those they want to be taken for.
_PROGRAMS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
)
_LONGEST: Final = 40


def device_words(named: str) -> str:
    """`Firefox on Windows`; the beginning of its own words where nothing of them is known."""
    program = next((words for mark, words in _PROGRAMS if mark in named), "")
    system = next((words for mark, words in _SYSTEMS if mark in named), "")
    return " on ".join(filter(None, (program, system))) or named[:_LONGEST] or "An unnamed device"
