import re

import pytest

from webapp.threads.history import KEPT_MS
from webapp.web.trash import days_left

DAY = 24 * 3600 * 1000


def trash(page, *texts):
    for text in texts:
        page.send(f"/threads/{page.begin(text)}/trash")


def until(html):
    return re.search(r'name="until" value="(\d+)"', html)[1]


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (0, "30 days left"),
        (-DAY, "30 days left"),
        (1, "30 days left"),
        (DAY, "29 days left"),
        (KEPT_MS - DAY, "1 day left"),
        (KEPT_MS - 1, "1 day left"),
        (KEPT_MS, "Goes at the next start"),
        (KEPT_MS * 9, "Goes at the next start"),
    ],
)
def test_how_long_a_thread_stays(age, words):
    assert days_left(10**12, 10**12 + age) == words


def test_it_is_said_how_many_go_before_any_goes(page, library):
    trash(page, "One <b>", "Two")
    assert 'href="/trash/emptying"' in page.get("/trash").text
    html = page.get("/trash/emptying").text
    assert "2 threads go for good" in html
    assert "One &lt;b&gt;" in html
    assert len(library.trash()) == 2
    done = page.send("/trash/emptying", until=until(html))
    assert (done.status_code, done.location) == (303, "/trash?gone=2")
    assert "2 threads were deleted for good." in page.get(done.location).text
    assert library.trash() == []


def test_what_was_deleted_after_the_question_stays(page, library):
    trash(page, "Old")
    moment = until(page.get("/trash/emptying").text)
    trash(page, "New")
    page.send("/trash/emptying", until=moment)
    assert [each.title for each in library.trash()] == ["New"]


@pytest.mark.parametrize("fields", [{}, {"until": ""}, {"until": "all"}])
def test_without_saying_what_nothing_goes(page, library, fields):
    trash(page, "One")
    assert page.send("/trash/emptying", **fields).status_code == 422
    assert len(library.trash()) == 1


def test_an_empty_trash_offers_nothing_to_empty(page):
    assert "/trash/emptying" not in page.get("/trash").text
    assert "The trash is empty" in page.get("/trash/emptying").text


def test_a_thread_that_came_back_says_so(page):
    thread_id = page.begin("Back again")
    page.send(f"/threads/{thread_id}/trash")
    back = page.send(f"/threads/{thread_id}/restore")
    assert "back from the trash" in page.get(back.location).text
