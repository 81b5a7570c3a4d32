import pytest

from webapp.web.windows import FIRST_WINDOW, above_given, count_above, window_again


@pytest.mark.parametrize("above", ["0", "-3", "999", "many", ""])
def test_whatever_a_page_says_is_above_it_the_end_is_shown(app, long_thread, above):
    thread_id = long_thread(70)
    with app.test_request_context("/", method="POST", data={"above": above}):
        view, left = window_again(thread_id)
    assert view.shown[-1].message.text == "Line 69."
    assert left + len(view.shown) == 70
    assert len(view.shown) >= FIRST_WINDOW


def test_a_window_begins_where_it_began(app, long_thread):
    thread_id = long_thread(100)
    with app.test_request_context("/", method="POST", data={"above": "7"}):
        view, left = window_again(thread_id)
    assert (view.shown[0].message.text, left) == ("Line 7.", 7)


def test_a_whole_thread_has_nothing_above(app, library, long_thread):
    view = library.view(long_thread(3))
    with app.test_request_context("/"):
        assert count_above(view) == 0


@pytest.mark.parametrize(("said", "meant"), [("5", 5), ("-5", 0), ("x", 0), ("9" * 30, 10**9)])
def test_a_count_from_the_address_is_only_a_count(app, said, meant):
    with app.test_request_context(f"/?above={said}"):
        assert above_given() == meant
