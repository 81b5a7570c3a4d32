"""The page of search: pages/search.html and the fragment search_results."""

import re

from webapp.chat.messages import new_message
from webapp.chat.records import Put

HOST = {"Host": "localhost:5100"}


def test_a_hit_on_a_version_that_is_not_shown_opens_there_and_moves_nothing(page, ids):
    thread_id = page.begin("Where is the zebra crossing?")
    question = ids(thread_id)[0]
    page.generation.edit(thread_id, question, "Where is the bridge?")
    page.wait(thread_id)
    shown = ids(thread_id)
    assert question not in shown
    found = page.get("/search?q=ZEBRA+cross").text
    assert "<mark>zebra</mark>" in found
    assert "<mark>cross</mark>ing" in found
    opened = page.get(re.search(rf'href="(/threads/{thread_id}\?at={question})', found)[1]).text
    assert "another branch than the one this thread opens with" in opened
    assert "zebra crossing?" in opened
    assert ids(thread_id) == shown


def test_two_chinese_characters_are_found_while_typing(page):
    page.begin("我住在北京市")
    assert "<mark>北京</mark>" in page.get("/search/results?q=北京").text


def test_what_was_said_is_text_and_no_markup(page):
    page.begin("harbour <img src=x onerror=alert(1)>")
    found = page.get("/search?q=harbour+%3Cimg").text
    assert "<mark>&lt;img</mark>" in found
    assert "<img" not in found


def test_a_deleted_thread_is_not_found_and_a_restored_one_is(page, library):
    thread_id = page.begin("The lighthouse keeper")
    library.delete(thread_id)
    assert "Nothing was found" in page.get("/search?q=lighthouse").text
    library.restore(thread_id)
    assert "<mark>lighthouse</mark>" in page.get("/search?q=lighthouse").text


def test_nothing_typed_finds_nothing_and_says_nothing(page):
    assert "Nothing was found" not in page.get("/search").text
    assert page.get("/search?q=" + "x" * 5000).status_code == 200


def test_nobody_finds_or_counts_what_they_may_not_read(house, store):
    message = new_message(id="m", thread_id=house.thread, role="user", text="tide", created_at=1)
    store.write(house.thread, [Put(message)])
    for who, finds in (("owner", True), ("reader", True), ("other", False)):
        found = house.client(who).get("/search?q=tide", headers=HOST).text
        assert ("<mark>tide</mark>" in found) is finds
        assert ("1 message" in found) is finds
