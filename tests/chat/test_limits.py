"""What settings of the window mean."""

import pytest

from webapp.chat.limits import Limits, compacting, limits


def test_nothing_set_is_what_the_model_has_loaded():
    assert limits(None, None, 8192) == Limits(8192, 2048, 6144)


def test_a_small_window_still_holds_a_question():
    assert limits(None, 2048, 2048) == Limits(2048, 1024, 1024)


def test_numbers_are_taken_as_they_stand_up_to_what_is_loaded():
    assert limits(400, 200, 0) == Limits(400, 200, 200)
    assert limits(400, 200, 8192) == Limits(400, 200, 200)
    assert limits(9999, 200, 8192) == Limits(8192, 200, 7992)
    assert limits(100, 2048, 8192).prompt == 100 - 2048


@pytest.mark.parametrize("off", [0, -1, "0", 0.0])
def test_zero_leaves_nothing_out(off):
    assert limits(off, 2048, 8192) == Limits(8192, 2048, None)


def test_without_a_known_context_nothing_is_left_out():
    assert limits(None, 2048, 0) == Limits(0, 0, None)


@pytest.mark.parametrize("odd", ["many", True, [], 1.5, "9" * 30, "٣٠٠x"])
def test_what_is_no_number_is_not_set(odd):
    assert limits(odd, odd, 8192) == limits(None, None, 8192)


def test_numbers_as_text_are_numbers():
    assert limits(" 400 ", "200", 0).prompt == 200


@pytest.mark.parametrize(
    ("value", "mode"),
    [
        (True, "when_full"),
        ("true", "when_full"),
        (" TRUE ", "when_full"),
        ("when_full", "when_full"),
        ("at_60", "at_60"),
        (False, "off"),
        ("false", "off"),
        ("", "off"),
        (None, "off"),
        (1, "off"),
        ("off", "off"),
        ("nonsense", "off"),
    ],
)
def test_compaction_as_it_is_written_here_and_elsewhere(value, mode):
    assert compacting(value) == mode


def test_a_retry_has_less_room():
    assert limits(400, 200, 0).tightened(70) == Limits(400, 200, 70)
