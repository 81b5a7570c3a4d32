"""What a page of a shared thread is told of what others do in it."""

import pytest

from tests.web.calls import conversation
from webapp.chat.messages import new_message
from webapp.chat.records import Put
from webapp.web.news import DELETED, ELSEWHERE, MANY, MOST_AT_ONCE

HOST = {"Host": "localhost:5100", "Origin": "http://localhost:5100"}


@pytest.fixture
def thread(house, library, store):
    """Of the owner's, shared with all, with two turns and a question."""
    thread = library.create("Shared", owner=house.ids["owner"])
    store.write(thread.id, [Put(each) for each in conversation(thread.id)])
    library.sharing.share(thread.id, {"all": "write"})
    return thread.id


@pytest.fixture
def news(house, thread):
    def asked(who="reader", **query):
        url = f"/threads/{thread}/news"
        return house.client(who).get(url, query_string=query, headers=HOST)

    return asked


def test_nothing_new_is_nothing_to_show(news):
    assert news(after="q3", opens="yes").status_code == 204
    assert news(after="q1", older="yes").status_code == 204


def test_what_is_said_below_comes_with_who_asked_and_the_new_end(news, house, thread, services):
    house.client("writer").post(f"/threads/{thread}/messages", data={"text": "/hold"}, headers=HOST)
    (answer,) = services.generation.running(thread)
    html = news(after="q3").text
    assert '<bdi class="author">writer</bdi>' in html
    assert f'value="{answer}" hx-swap-oob' in html
    assert f"/messages/{answer}/live" in html
    assert 'id="message-q3"' not in html
    assert "data-to-read" not in html
    assert news(after=answer).status_code == 204


def test_the_first_words_of_an_empty_thread_come_too(house, library):
    empty = library.create("Empty", owner=house.ids["owner"]).id
    url, client = f"/threads/{empty}/news?after=", house.client("owner")
    assert client.get(url, headers=HOST).status_code == 204
    client.post(f"/threads/{empty}/messages", data={"text": "/hold"}, headers=HOST)
    assert 'class="message user"' in client.get(url, headers=HOST).text


def test_that_the_thread_opens_elsewhere_is_told_to_who_looks_at_where_it_opened(
    news, library, thread
):
    library.acts.edit(thread, "q3", "Other words")
    assert ELSEWHERE in news(after="q3", opens="yes").text
    assert news(after="q3").status_code == 204


def test_that_the_last_message_is_gone_is_told(news, library, thread):
    library.acts.delete(thread, "q3", all_versions=False)
    assert DELETED in news(after="q3").text


def test_very_much_is_not_sent_at_once(house, store, library):
    long = library.create("Long", owner=house.ids["owner"]).id
    lines = [
        new_message(
            id=f"more-{at}",
            thread_id=long,
            role="user",
            text="More",
            created_at=at + 1,
            metadata={"parentId": f"more-{at - 1}" if at else None},
        )
        for at in range(MOST_AT_ONCE + 2)
    ]
    store.write(long, [Put(each) for each in lines])
    url, client = f"/threads/{long}/news?after=", house.client("owner")
    assert MANY in client.get(f"{url}more-0", headers=HOST).text
    assert "message-more-61" in client.get(f"{url}more-1", headers=HOST).text


def test_a_page_looks_only_on_a_shared_strata(news, house, thread, page):
    at = f"/threads/{thread}"
    assert f'data-news="{at}/news"' in house.client("reader").get(at, headers=HOST).text
    older = house.client("reader").get(f"{at}?before=q2", headers=HOST).text
    assert "data-older" in older
    house.household.shared = False
    assert "data-news" not in page.get(at).text


def test_a_share_that_is_taken_back_is_a_404_and_a_session_that_ended_a_401(
    news, house, library, thread
):
    library.sharing.share(thread, {})
    assert news(after="q3").status_code == 404
    house.household.remove(house.ids["reader"])
    headers = {**HOST, "HX-Request": "true"}
    answer = house.client("reader").get(f"/threads/{thread}/news", headers=headers)
    assert answer.status_code == 401
