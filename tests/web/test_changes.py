"""Recent changes of a thread, their undo, and the thread as it was."""

import re
from datetime import datetime

import pytest

from webapp.errors import BadInput
from webapp.web.changes import milliseconds, to_the_second
from webapp.web.windows import FIRST_WINDOW


def rows(html):
    return re.findall(r'class="what" dir="auto">([^<]*)<', html)


def first_undo(html):
    return re.search(r'action="([^"]*/undo)"', html)[1]


@pytest.fixture
def thread(page, ids):
    """With a new name and an edited answer, in this order."""
    thread_id = page.begin("How do tides work?")
    page.send(f"/threads/{thread_id}/title", title="Moon & tides")
    page.send(f"/threads/{thread_id}/messages/{ids(thread_id)[1]}/edits", text="By the moon.")
    return thread_id


def test_they_are_listed_newest_first_and_linked_from_the_menu(page, thread):
    assert f'href="/threads/{thread}/changes"' in page.get(f"/threads/{thread}").text
    html = page.get(f"/threads/{thread}/changes").text
    assert rows(html) == ["Edited an answer", "Renamed to “Moon &amp; tides”"]


def test_a_thread_in_which_nothing_was_done_says_so(page):
    thread_id = page.begin()
    assert "Nothing yet." in page.get(f"/threads/{thread_id}/changes").text


def test_undo_leads_back_to_the_list_and_says_what_was_undone(page, thread, library):
    url = first_undo(page.get(f"/threads/{thread}/changes").text)
    done = page.send(url)
    assert done.status_code == 303
    html = page.get(done.location).text
    assert "Undone: edited an answer." in html
    assert rows(html)[0] == "Undid: Edited an answer"
    assert "Redo: Undid: Edited an answer" in html
    assert library.view(thread).shown[1].message.text != "By the moon."
    page.send(first_undo(html))
    assert library.view(thread).shown[1].message.text == "By the moon."


def test_with_htmx_the_browser_is_sent_to_the_list(page, thread):
    done = page.htmx(first_undo(page.get(f"/threads/{thread}/changes").text))
    assert done.status_code == 204
    assert done.headers["HX-Redirect"].startswith(f"/threads/{thread}/changes?undone=")


def test_an_undo_that_cannot_be_is_a_notice_in_words(page, thread):
    url = first_undo(page.get(f"/threads/{thread}/changes").text)
    page.send(url)
    refused = page.htmx(url)
    assert refused.status_code == 409
    assert refused.headers["HX-Retarget"] == "#notices"
    assert "changed again since, or is back already" in refused.text
    assert page.send(url).status_code == 409
    assert page.htmx(f"/threads/{thread}/changes/nothing/undo").status_code == 404


def test_switches_in_a_row_are_folded_into_one(page, thread, library):
    shown = library.view(thread).shown[1]
    for message_id in (shown.previous_version, shown.message.id, shown.previous_version):
        page.send(f"/threads/{thread}/active", message=message_id)
    html = page.get(f"/threads/{thread}/changes").text
    assert "Switched between versions 3 times" in html
    assert rows(html)[:2] == ["Switched to version 1 of 2", "Switched to version 2 of 2"]


def test_a_long_list_goes_on_on_the_next_page(page, thread):
    for number in range(105):
        page.send(f"/threads/{thread}/title", title=f"Name {number}")
    html = page.get(f"/threads/{thread}/changes").text
    assert len(rows(html)) == 100
    rest = page.get(f"/threads/{thread}/changes?from=100").text
    assert len(rows(rest)) == 7
    assert f'href="/threads/{thread}/changes?from=0"' in rest


@pytest.mark.parametrize("address", ["changes", "as-of?at=1"])
def test_of_an_unknown_thread_there_are_none(page, address):
    assert page.get(f"/threads/nobody/{address}").status_code in {404, 422}


class TestAsOf:
    def test_each_row_leads_to_the_thread_before_it(self, page, thread):
        html = page.get(f"/threads/{thread}/changes").text
        last, first = re.findall(r'href="([^"]*/as-of[^"]*)"', html)
        before_rename = page.get(first).text
        assert "How do tides work?, earlier" in before_rename
        before_edit = page.get(last).text.split("<main")[1]
        assert "Moon &amp; tides" in before_edit
        assert "By the moon." not in before_edit
        assert "It can only be read." in before_edit
        assert f'href="/threads/{thread}"' in before_edit
        assert "<form" not in before_edit.split('class="conversation"')[1]

    def test_what_was_deleted_can_be_read_again(self, page, thread, clock, ids):
        moment = clock()
        page.send(f"/threads/{thread}/messages/{ids(thread)[0]}/deletion")
        html = page.get(f"/threads/{thread}/as-of?at={moment}").text
        assert "By the moon." in html
        assert "Version 2 of 2" in html

    def test_before_the_first_word_there_is_nothing(self, page, thread, clock):
        html = page.get(f"/threads/{thread}/as-of?at={clock() - 10**6}").text
        assert "Nothing had been said" in html

    def test_a_long_thread_comes_in_parts(self, page, long_thread, clock):
        long = long_thread(FIRST_WINDOW + 10)
        html = page.get(f"/threads/{long}/as-of?at={clock()}").text
        assert html.count("<article") == FIRST_WINDOW
        link = re.search(r'href="([^"]*as-of[^"]*before=[^"]*)"', html)[1].replace("&amp;", "&")
        assert page.get(link).text.count("<article") == 10

    @pytest.mark.parametrize(
        "at", ["", "yesterday", "-5", "9" * 14, "9" * 400, "0", "١٢٣", "2026-13-01", "0001-01-01"]
    )
    def test_a_bad_moment_gets_a_sentence(self, page, thread, at):
        refused = page.get(f"/threads/{thread}/as-of", query_string={"at": at})
        assert refused.status_code == 422
        assert "moment" in refused.text


def test_a_moment_is_milliseconds_or_a_day_and_time_here():
    noon = datetime(2026, 3, 4, 12, 0).astimezone()
    assert milliseconds("2026-03-04T12:00") == noon.timestamp() * 1000
    assert milliseconds("2026-03-04T12:00:00+00:00") == 1_772_625_600_000
    assert milliseconds("1772625600000") == 1_772_625_600_000
    assert to_the_second(milliseconds("2026-03-04T12:00")) == "4 March 2026, 12:00:00"
    assert to_the_second(10**30) == ""
    with pytest.raises(BadInput):
        milliseconds("noon")
