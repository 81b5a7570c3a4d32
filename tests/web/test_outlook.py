"""What a page says of each message it shows: sent, summarised, left out, pinned or muted."""

import re

from webapp.chat.messages import new_message
from webapp.chat.records import Put
from webapp.chat.summary import kept_failure


def states(html):
    """(message, what its mark says) in the order of the page; the fragment `message_state`."""
    marks = re.findall(r'<span id="message-([\w-]+)-state"[^>]*>(.*?)</span>', html, re.S)
    return {id: re.sub(r"<[^>]+>", "", label).strip() for id, label in marks}


def test_every_message_shows_whether_it_is_sent(page, crowded):
    thread = crowded()
    path = thread.path()
    page.htmx(f"{thread.at(path[0])}/pin", on="yes")
    page.htmx(f"{thread.at(path[-2])}/mute", on="yes")
    shown = states(page.get(f"/threads/{thread.id}").text)
    assert shown[path[0].id] == "Pinned"
    assert shown[path[1].id] == "Left out"
    assert shown[path[-2].id] == "Muted"
    assert shown[path[-1].id] == "Sent"


def test_what_the_notes_stand_for_is_summarised_and_a_card_says_so(page, crowded):
    thread = crowded("when_full")
    node = thread.wait_for_notes()
    html = page.get(f"/threads/{thread.id}").text
    assert states(html)[thread.path()[0].id] == "Summarised"
    count = list(page.generation.window.outlook(thread.id).states.values()).count("summarised")
    assert f"Notes stand in for {count} earlier messages" in html
    assert html.count('class="notes-card"') == 1
    place = html.index(f'<div id="message-{node.id}-notes"')
    assert html.index("notes-card") - place < 100


def test_a_pin_without_room_says_both(page, crowded):
    thread = crowded()
    for message in thread.path()[:-2]:
        page.htmx(f"{thread.at(message)}/pin", on="yes")
    html = page.get(f"/threads/{thread.id}").text
    assert "Pinned, no room" in states(html).values()
    assert "pinned messages have no room in the window." in html


def test_a_failed_answer_is_marked_as_not_sent_and_a_growing_one_not_at_all(page, ids):
    thread_id = page.begin("/refuse")
    shown = states(page.get(f"/threads/{thread_id}").text)
    assert shown[ids(thread_id)[1]] == "Not sent"
    thread_id = page.send("/threads", text="/hold on").location.split("/")[2]
    shown = states(page.get(f"/threads/{thread_id}").text)
    assert shown[ids(thread_id)[-1]] == ""
    page.htmx(f"/threads/{thread_id}/messages/{ids(thread_id)[-1]}/stop")
    page.wait(thread_id)


def test_an_older_part_of_a_long_thread_is_marked_by_the_window_of_its_end(page, long_thread):
    thread_id = long_thread(400)
    page.generation._library.set_window(
        thread_id, {"max_context_tokens": 700, "max_output_tokens": 100, "auto_compact": "off"}
    )
    html = page.get(f"/threads/{thread_id}/earlier?before=line-100&above=100").text
    assert set(states(html).values()) == {"Left out"}
    html = page.get(f"/threads/{thread_id}?at=line-399").text
    assert "Sent" in states(html).values()


def test_one_message_shown_again_keeps_its_mark(page, crowded):
    thread = crowded()
    first = thread.path()[0]
    assert states(page.get(thread.at(first)).text) == {first.id: "Left out"}


def test_a_turn_that_was_just_asked_has_its_marks(page, ids):
    thread_id = page.begin()
    html = page.htmx(f"/threads/{thread_id}/messages", text="Next", after=ids(thread_id)[-1]).text
    page.wait(thread_id)
    assert list(states(html).values()) == ["Sent", ""]


def test_why_there_are_no_notes_is_told_while_it_matters(page, crowded):
    thread = crowded()
    node = thread.path()[3]
    thread.library.marks.keep(thread.id, node.id, kept_failure("It <excused> itself.", 1, ""))
    html = page.get(f"/threads/{thread.id}").text
    assert "It &lt;excused&gt; itself." in html
    assert f'action="{thread.at(node)}/notes/again"' in html
    thread.library.set_window(thread.id, {"max_context_tokens": 0})
    assert "excused" not in page.get(f"/threads/{thread.id}").text


def test_records_that_cannot_be_read_hide_no_message(page, library, store):
    thread_id = library.create("Odd").id
    odd = {"parentId": None, "summary": {"lines": 3}, "summary_failed": {"reason": 5}, "usage": 7}
    message = new_message(
        id="odd", thread_id=thread_id, role="user", text="x", created_at=1, metadata=odd
    )
    store.write(thread_id, [Put(message)])
    assert states(page.get(f"/threads/{thread_id}").text) == {"odd": "Sent"}
