import pytest

from webapp.engines.openai_address import address_of
from webapp.errors import BadSetting


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://box:8080", "http://box:8080/v1"),
        (" http://box:8080/ ", "http://box:8080/v1"),
        ("http://box:8080/v1", "http://box:8080/v1"),
        ("http://box:8080/v1///", "http://box:8080/v1"),
        ("http://box/v1/chat/completions", "http://box/v1"),
        ("https://box/v1/models/", "https://box/v1"),
        ("https://box/openai", "https://box/openai/v1"),
        ("https://box/v1beta/openai/", "https://box/v1beta/openai"),
        ("https://box/api/v3", "https://box/api/v3"),
        ("https://box:443", "https://box/v1"),
        ("localhost:8080", "http://localhost:8080/v1"),
        ("HTTP://BOX", "http://box/v1"),
        ("http://[::1]:8080", "http://[::1]:8080/v1"),
    ],
)
def test_an_address_is_understood_as_people_write_it(written, meant):
    assert str(address_of(written)) == meant


@pytest.mark.parametrize(
    "written",
    [
        *("", "  ", "ftp://box", "file:///etc/passwd", "http://", "http://box:0"),
        *("http://box:99999", "http://bo x", "http://box\n/v1", "http://box/?key=1"),
        *("http://box/#v1", "http://[::1"),
    ],
)
def test_what_is_no_address_is_refused_with_an_example(written):
    with pytest.raises(BadSetting, match="http://127"):
        address_of(written)


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(BadSetting) as told:
        address_of("http://me:hunter2@box/v1")
    assert "hunter2" not in str(told.value)
    assert "api_key" in told.value.do


@pytest.mark.parametrize(
    ("written", "here"),
    [
        ("localhost", True),
        ("127.0.0.5:1", True),
        ("http://[::1]", True),
        ("api.localhost", True),
        ("10.0.0.1", False),
        ("localhost.example.com", False),
    ],
)
def test_this_machine_is_known(written, here):
    assert address_of(written).is_here is here
