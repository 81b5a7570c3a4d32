import pytest

from webapp.documents.parsing import refusals

EVERY = {
    "too_large": refusals.too_large(84_000_000, 50_000_000),
    "empty": refusals.empty(),
    "unsupported": refusals.unsupported(),
    "password": refusals.password(),
    "damaged": refusals.damaged(),
    "archive_bomb": refusals.bomb(),
    "too_slow": refusals.too_slow(60),
    "too_big_in_memory": refusals.too_much_memory(),
    "not_started": refusals.not_started("no more memory"),
}


@pytest.mark.parametrize("code", EVERY)
def test_every_refusal_has_its_code_and_two_sentences(code):
    error = EVERY[code]
    assert error.code == code
    assert error.what.endswith(".") and error.do.endswith(".")


@pytest.mark.parametrize(
    "error", [refusals.scan(), refusals.garbled(), refusals.picture(), refusals.no_text()]
)
def test_a_file_without_text_says_so_in_each_of_its_ways(error):
    assert error.code == "no_text"
    assert "no text" in error.what
    assert error.do


def test_a_scan_says_how_to_get_it_read():
    assert "tesseract" in refusals.scan().do


def test_sizes_are_said_in_megabytes():
    assert str(EVERY["too_large"]).startswith("This file is 84 MB; the limit is 50 MB.")
    assert "20.1 MB; the limit is 20 MB" in refusals.too_large(20_000_001, 20_000_000).what
    assert "1.2 MB" in refusals.too_large(1_200_000, 1_000_000).what
    assert "6,000 pages" in refusals.too_many_pages(6000, 5000).what
    assert refusals.too_many_pages(6000, 5000).code == refusals.too_much_text(9).code == "too_large"
    assert refusals.picture_too_large().code == "too_large"
