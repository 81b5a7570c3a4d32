"""What a browser calls itself, in words."""

import pytest

from webapp.web.devices import device_words

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (f"Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} Chrome/143.0 Safari/537.36", "Chrome on Linux"),
        (f"Mozilla/5.0 (Windows NT 10.0) {WEBKIT} Chrome/1 Safari/1 Edg/1", "Edge on Windows"),
        (
            "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox on Windows",
        ),
        (
            f"Mozilla/5.0 (Macintosh; Intel Mac OS X) {WEBKIT} Version/18 Safari/605",
            "Safari on Mac",
        ),
        (f"Mozilla/5.0 (iPhone; like Mac OS X) {WEBKIT} CriOS/1 Safari/1", "Chrome on iPhone"),
        (f"Mozilla/5.0 (Linux; Android 15) {WEBKIT} Chrome/1 Safari/1", "Chrome on Android"),
        ("curl/8.1", "curl"),
        ("A fridge " * 20, ("A fridge " * 20)[:40]),
        ("", "An unnamed device"),
    ],
)
def test_a_device_is_told_in_the_words_it_is_known_by(named, words):
    assert device_words(named) == words
