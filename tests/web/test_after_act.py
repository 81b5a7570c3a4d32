"""What follows an act: the conversation, a notice with undo, the list of branches."""

import re

import pytest

from webapp.web.after_act import page_of, place_of


def test_addresses_of_a_message(app):
    with app.test_request_context("/"):
        assert page_of("t", "m") == "/threads/t#message-m"
        assert place_of("t", "m") == "/threads/t?at=m#message-m"


def test_htmx_gets_the_conversation_a_notice_and_the_branches(page, ids):
    thread_id = page.begin()
    question = ids(thread_id)[0]
    html = page.htmx(f"/threads/{thread_id}/messages/{question}/mark", name="Sea").text
    assert html.lstrip().startswith('<div id="conversation"')
    assert 'hx-swap-oob="innerHTML:#notices"' in html
    assert f'name="message" value="{question}"' in html
    branches = html[html.index(f'<ul id="branches-{thread_id}"') :]
    assert 'hx-swap-oob="true"' in branches
    assert "Sea" in branches


def test_a_plain_form_is_sent_to_a_page_with_the_same_offer(page, ids):
    thread_id = page.begin()
    question = ids(thread_id)[0]
    response = page.send(f"/threads/{thread_id}/messages/{question}/deletion")
    assert response.status_code == 303
    assert response.location == f"/threads/{thread_id}?undo={question}"
    html = page.get(response.location).text
    assert "Deleted 2 messages." in html
    assert re.search(rf'name="message" value="{question}"[^>]*>.*Undo', html, re.S)
    assert page.get(f"/threads/{thread_id}?undo=nothing").status_code == 200


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("", "Deleted 2 messages.</span>"),
        ("&back=1", "Deleted 2 messages. 1 earlier message is sent again"),
        ("&back=-3&gone=lots", "Deleted 2 messages.</span>"),
        (f"&gone={'9' * 30}", "1,000,000,000 other messages"),
    ],
)
def test_what_moved_with_an_act_is_told_with_its_offer(page, ids, asked, told):
    thread_id = page.begin()
    question = ids(thread_id)[0]
    page.send(f"/threads/{thread_id}/messages/{question}/deletion")
    assert told in page.get(f"/threads/{thread_id}?undo={question}{asked}").text
