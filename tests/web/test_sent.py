"""What was sent for an answer can be opened, copied, and compared with what stands there now."""

import pytest

from webapp.chat.messages import new_message
from webapp.chat.records import Put


@pytest.fixture
def answered(page, ids):
    thread_id = page.begin("Where is <Tartu>?")
    page.ask(thread_id, "And Turku?", after=ids(thread_id)[-1])
    return thread_id, ids(thread_id)


def test_the_exact_request_is_shown_part_by_part(page, engine, answered):
    """The fragment `sent_part`."""
    thread_id, ids = answered
    at = f"/threads/{thread_id}/messages/{ids[-1]}"
    assert f'href="{at}/sent"' in page.get(f"/threads/{thread_id}").text
    html = page.get(f"{at}/sent").text
    assert html.count('class="sent-part ') == len(engine.requests[-1].turns)
    assert "Where is &lt;Tartu&gt;?</pre>" in html
    assert "changed after it was sent" not in html
    assert "tokens" in html


def test_it_can_be_copied_as_json(page, engine, answered):
    thread_id, ids = answered
    found = page.get(f"/threads/{thread_id}/messages/{ids[-1]}/sent.json")
    assert found.mimetype == "application/json"
    turns = [{"role": turn.role, "content": turn.content} for turn in engine.requests[-1].turns]
    assert found.json == {"messages": turns}


def test_a_message_that_changed_since_is_told(page, library, store, answered):
    thread_id, ids = answered
    store.write(thread_id, [Put(library.message(thread_id, ids[0]).with_text("Other words"))])
    library.close()
    reopened = page.get(f"/threads/{thread_id}/messages/{ids[-1]}/sent")
    library._desk.open_threads.close_idle()
    reopened = page.get(f"/threads/{thread_id}/messages/{ids[-1]}/sent").text
    assert "changed after it was sent" in reopened
    assert "Other words" in reopened


def test_what_was_never_kept_is_told(page, library, answered):
    thread_id, ids = answered
    html = page.get(f"/threads/{thread_id}/messages/{ids[0]}/sent").text
    assert "was not kept" in html
    assert "Copy as JSON" not in html


def test_what_is_no_character_is_copied_as_json_has_it(page, library, store):
    thread_id = library.create("Odd").id
    usage = {"sent": [{"role": "user", "text": "a\ud800z 漢"}, 5, {"role": "tool", "message": []}]}
    message = new_message(
        id="odd",
        thread_id=thread_id,
        role="assistant",
        text="x",
        created_at=1,
        metadata={"parentId": None, "usage": usage},
    )
    store.write(thread_id, [Put(message)])
    at = f"/threads/{thread_id}/messages/odd"
    assert page.get(f"{at}/sent").status_code == 200
    found = page.get(f"{at}/sent.json")
    assert r"a\ud800z 漢".encode() in found.data
    assert found.json["messages"][0]["content"] == "a\ud800z 漢"


def test_a_message_that_says_it_is_of_another_thread_shows_nothing_of_that_one(
    page, library, store, answered
):
    other, ids = answered
    thread_id = library.create("Brought in").id
    usage = {"sent": [{"role": "user", "message": ids[0], "digest": "x"}]}
    message = new_message(
        id="odd",
        thread_id=other,
        role="assistant",
        text="x",
        created_at=1,
        metadata={"parentId": None, "usage": usage},
    )
    store.write(thread_id, [Put(message)])
    at = f"/threads/{thread_id}/messages/odd/sent"
    for address in (at, f"{at}.json"):
        found = page.get(address)
        assert found.status_code == 200
        assert "was deleted since" in found.text
        assert "Tartu?" not in found.text.split("<main", 1)[-1]


class TestLeftOut:
    def test_an_answer_says_how_many_and_leads_to_the_first_of_them(self, page, crowded):
        thread = crowded()
        last = thread.path()[-1]
        gone = last.metadata["usage"]["left_out"]
        assert gone > 1
        assert (
            f"{gone} earlier messages were left out</a>" in page.get(f"/threads/{thread.id}").text
        )
        first = thread.path()[0].id
        response = page.get(f"{thread.at(last)}/left-out")
        assert response.status_code == 303
        assert response.location == f"/threads/{thread.id}?at={first}#message-{first}"

    def test_an_answer_that_saw_everything_says_nothing(self, page, answered):
        assert "left out</a>" not in page.get(f"/threads/{answered[0]}").text

    def test_what_fits_by_now_leads_to_the_beginning(self, page, crowded):
        thread = crowded()
        thread.library.set_window(thread.id, {"max_context_tokens": 0})
        response = page.get(f"{thread.at(thread.path()[-1])}/left-out")
        assert thread.path()[0].id in response.location

    def test_a_root_leads_to_itself_and_nobody_nowhere(self, page, answered):
        thread_id, ids = answered
        response = page.get(f"/threads/{thread_id}/messages/{ids[0]}/left-out")
        assert ids[0] in response.location
        assert page.get(f"/threads/{thread_id}/messages/gone/left-out").status_code == 404
        assert page.get(f"/threads/{thread_id}/messages/gone/sent").status_code == 404
