import re
import threading
from urllib.parse import quote_from_bytes

import pytest

from webapp.chat.messages import new_message, new_thread
from webapp.chat.records import Put
from webapp.chat.wording import LONGEST_MESSAGE
from webapp.engines.script import Reply, Say, Wait

FORM = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}


@pytest.fixture
def held(engine):
    """An answer that waits in mid-sentence; set it to let the answer end."""
    go_on = threading.Event()
    engine.queue(Reply((Say("The beginning "), Wait(go_on), Say("and the end."))))
    yield go_on
    go_on.set()


def begin_held(page):
    """A thread whose first answer is still being written; its id."""
    return page.send("/threads", text="Wait").location.split("/")[2]


def test_a_question_adds_its_turn_below_what_is_shown(page, ids):
    thread_id = page.begin()
    response = page.ask(thread_id, "And <why>?", after=ids(thread_id)[-1])
    assert response.headers["HX-Retarget"] == "#messages"
    assert response.headers["HX-Reswap"] == "beforeend"
    assert re.findall(r'<article id="message-([^"]+)"', response.text) == ids(thread_id)[-2:]
    assert "And &lt;why&gt;?" in response.text
    assert f'id="after" name="after" form="composer" value="{ids(thread_id)[-1]}"' in response.text


def test_a_thread_that_was_never_branched_is_asked_like_any_other(page, library, store, ids):
    """Its messages have no `parentId`, as in Jan's older threads, and it stays one."""
    thread_id = library.create("Legacy").id
    roles = {"u1": "user", "a1": "assistant"}
    lines = [
        new_message(id=id, thread_id=thread_id, role=role, text=id, created_at=at)
        for at, (id, role) in enumerate(roles.items(), start=1)
    ]
    store.write(thread_id, [Put(line) for line in lines])
    for turn in (1, 2):
        response = page.ask(thread_id, f"Question {turn}", after=ids(thread_id)[-1])
        assert response.status_code == 200
        assert response.headers["HX-Reswap"] == "beforeend"
        assert re.findall(r'<article id="message-([^"]+)"', response.text) == ids(thread_id)[-2:]
    assert all("parentId" not in each.metadata for each in library.path(thread_id))
    html = page.ask(thread_id, "From a tab behind", after="a1").text
    assert re.findall(r'<article id="message-([^"]+)"', html) == ids(thread_id)


def test_a_question_works_without_a_script(page, ids):
    thread_id = page.begin()
    response = page.send(f"/threads/{thread_id}/messages", text="And then?", after="")
    assert response.status_code == 303
    page.wait(thread_id)
    assert "And then?" in page.get(response.location).text


def test_a_pending_answer_names_its_stream_and_can_be_stopped(page, held, ids):
    thread_id = begin_held(page)
    html = page.get(f"/threads/{thread_id}").text
    at = f"/threads/{thread_id}/messages/{ids(thread_id)[-1]}"
    assert f'data-stream="{at}/live"' in html
    assert f'data-done-url="{at}/foot"' in html
    assert f'<form id="stop" method="post" action="{at}/stop"' in html
    assert page.htmx(f"{at}/stop").status_code == 204
    page.wait(thread_id)
    html = page.get(f"/threads/{thread_id}").text
    assert "The beginning" in html
    assert "Stopped. The text so far is kept." in html
    assert "data-stream" not in html


def test_stopping_what_is_finished_does_no_harm(page, ids):
    thread_id = page.begin()
    url = f"/threads/{thread_id}/messages/{ids(thread_id)[-1]}/stop"
    assert page.send(url).status_code == 303
    assert page.htmx(f"/threads/{thread_id}/messages/none/stop").status_code == 404


def test_a_second_question_meanwhile_is_refused_and_not_stored(page, held, ids):
    thread_id = begin_held(page)
    response = page.htmx(f"/threads/{thread_id}/messages", text="Too early")
    assert response.status_code == 409
    assert response.headers["HX-Retarget"] == "#notices"
    assert 'role="alert"' in response.text
    assert len(ids(thread_id)) == 2


def test_the_foot_of_a_finished_answer_tells_how_it_was_made(page, ids):
    thread_id = page.begin()
    answer = ids(thread_id)[-1]
    html = page.get(f"/threads/{thread_id}/messages/{answer}/foot").text
    assert html.startswith(f'<footer id="message-{answer}-foot"')
    assert "Answer again" in html
    assert "<dt>Written</dt>" in html
    assert 'id="stop"' not in html


def test_an_answer_that_failed_says_so_and_offers_another_try(page):
    thread_id = page.begin("Please /fail")
    html = page.get(f"/threads/{thread_id}").text
    assert "The scripted model failed as it was told to." in html
    assert "Try again" in html


def test_a_question_that_was_left_alone_can_be_answered(page, library, ids):
    thread_id = library.create("Alone").id
    question = library.ask(thread_id, "Is anybody there?").id
    address = f"/threads/{thread_id}/messages/{question}/answers"
    assert f'hx-post="{address}"' in page.get(f"/threads/{thread_id}").text
    assert page.htmx(address).status_code == 200
    page.wait(thread_id)
    assert len(ids(thread_id)) == 2
    assert address not in page.get(f"/threads/{thread_id}").text


def test_an_answer_without_a_word_says_so(page):
    thread_id = page.begin("Say nothing /empty")
    assert "The model gave an empty answer." in page.get(f"/threads/{thread_id}").text


def test_answering_again_shows_the_new_version_with_its_count(page, ids):
    thread_id = page.begin()
    old = ids(thread_id)[-1]
    html = page.htmx(f"/threads/{thread_id}/messages/{old}/versions").text
    assert html.lstrip().startswith('<div id="conversation"')
    assert ">2/2</span>" in html
    page.wait(thread_id)
    assert ids(thread_id)[-1] != old


class TestWalkingBetweenVersions:
    @pytest.fixture
    def forked(self, page, engine, ids):
        """A thread whose answer has three versions, the first of them with a further turn."""
        engine.queue("one", "below one", "two", "three")
        thread_id = page.begin()
        first = ids(thread_id)[-1]
        page.ask(thread_id, "Further", after=first)
        versions = [first]
        for _ in range(2):
            page.htmx(f"/threads/{thread_id}/messages/{versions[-1]}/versions")
            page.wait(thread_id)
            versions.append(ids(thread_id)[-1])
        return thread_id, versions

    def test_path_and_count_change_together(self, page, forked):
        thread_id, versions = forked
        html = page.htmx(f"/threads/{thread_id}/active", message=versions[0]).text
        assert ">1/3</span>" in html
        assert "Further" in html
        assert "below one" in html
        html = page.htmx(f"/threads/{thread_id}/active", message=versions[1]).text
        assert ">2/3</span>" in html
        assert "Further" not in html

    def test_the_buttons_keep_their_ids_so_that_focus_can_stay(self, page, forked):
        thread_id, versions = forked
        for version in versions:
            html = page.htmx(f"/threads/{thread_id}/active", message=version).text
            assert f'id="older-{versions[0]}"' in html
            assert f'id="newer-{versions[0]}"' in html

    def test_both_ends_are_closed(self, page, forked):
        thread_id, versions = forked
        first = page.htmx(f"/threads/{thread_id}/active", message=versions[0]).text
        last = page.htmx(f"/threads/{thread_id}/active", message=versions[2]).text
        assert re.search(r'id="older-[^>]+aria-disabled="true"', first)
        assert not re.search(r'id="newer-[^>]+aria-disabled="true"', first)
        assert re.search(r'id="newer-[^>]+aria-disabled="true"', last)

    def test_the_choice_is_there_on_the_next_visit(self, page, forked):
        thread_id, versions = forked
        response = page.send(f"/threads/{thread_id}/active", message=versions[1])
        assert response.status_code == 303
        assert ">2/3</span>" in page.get(response.location).text

    def test_looking_at_another_version_by_its_address_changes_nothing(self, page, forked, ids):
        thread_id, versions = forked
        html = page.get(f"/threads/{thread_id}?at={versions[0]}").text
        assert ">1/3</span>" in html
        assert ids(thread_id)[-1] == versions[2]

    def test_a_version_that_is_none_is_refused(self, page, forked):
        thread_id, _ = forked
        for wrong in ("none", "", "../x"):
            assert page.htmx(f"/threads/{thread_id}/active", message=wrong).status_code == 404


def test_what_was_loaded_above_stays_when_a_version_changes(page, long_thread, ids):
    thread_id = long_thread(100)
    page.ask(thread_id, "Last")
    answer = ids(thread_id)[-1]
    html = page.htmx(f"/threads/{thread_id}/messages/{answer}/versions", above="10").text
    assert ">Line 10.<" in html
    assert ">Line 9.<" not in html
    assert 'name="above" value="10"' in html


def test_a_tab_that_fell_behind_gets_the_whole_conversation(page, ids):
    thread_id = page.begin()
    shown_in_both_tabs = ids(thread_id)[-1]
    page.ask(thread_id, "From the first tab", after=shown_in_both_tabs)
    html = page.ask(thread_id, "From the second tab", after=shown_in_both_tabs).text
    assert html.lstrip().startswith('<div id="conversation"')
    assert html.index("From the first tab") < html.index("From the second tab")
    assert len(ids(thread_id)) == 6


def test_white_space_is_refused_with_a_sentence(page, ids):
    thread_id = page.begin()
    response = page.htmx(f"/threads/{thread_id}/messages", text=" \n ")
    assert response.status_code == 422
    assert "There is nothing to send yet." in response.text
    assert len(ids(thread_id)) == 2


@pytest.mark.parametrize("letter", ["a", "漢"])
def test_two_megabytes_are_refused_with_the_limit_and_nothing_stored(page, ids, letter):
    thread_id = page.begin()
    text = letter * (2_000_000 // len(letter.encode()))
    response = page.htmx(f"/threads/{thread_id}/messages", text=text)
    assert response.status_code == 422
    assert f"{LONGEST_MESSAGE:,}" in response.text
    assert len(ids(thread_id)) == 2


def test_a_refused_form_gives_its_text_back_on_the_page(page, held):
    thread_id = begin_held(page)
    response = page.send(f"/threads/{thread_id}/messages", text="Dear </textarea><b>words")
    assert response.status_code == 409
    assert "Dear &lt;/textarea&gt;&lt;b&gt;words</textarea>" in response.text


def test_a_text_at_the_limit_is_stored_whole(page, library, ids):
    thread_id = page.begin()
    page.ask(thread_id, "漢" * LONGEST_MESSAGE)
    question = library.message(thread_id, ids(thread_id)[2])
    assert len(question.text) == LONGEST_MESSAGE


@pytest.mark.parametrize("odd", ["a\0b", "lone \ud800 half", "\udfff\ud800", "\u202e\u2066\x07"])
def test_odd_characters_never_break_the_page(page, odd):
    thread_id = page.begin()
    body = "text=x" + quote_from_bytes(odd.encode("utf-8", "surrogatepass"))
    response = page.client.post(f"/threads/{thread_id}/messages", data=body, headers=FORM)
    assert response.status_code == 200
    page.wait(thread_id)
    assert page.get(f"/threads/{thread_id}").status_code == 200


def test_a_body_that_is_no_form_is_refused_and_stores_nothing(page, ids):
    thread_id = page.begin()
    for body in (b"text=\xff\xfe\xed\xa0\x80", b"\0" * 50, b""):
        response = page.client.post(f"/threads/{thread_id}/messages", data=body, headers=FORM)
        assert response.status_code == 422
    assert len(ids(thread_id)) == 2


def test_a_message_can_be_fetched_as_it_was_written(page, ids):
    thread_id = page.begin("**Bold** & <b>\nnext line")
    response = page.get(f"/threads/{thread_id}/messages/{ids(thread_id)[0]}/text")
    assert response.text == "**Bold** & <b>\nnext line"
    assert response.mimetype == "text/plain"


def test_answers_to_htmx_and_to_forms_are_told_apart_by_caches(page, ids):
    thread_id = page.begin()
    url = f"/threads/{thread_id}/active"
    message = ids(thread_id)[-1]
    for response in (page.send(url, message=message), page.htmx(url, message=message)):
        assert "HX-Request" in response.headers["Vary"]


class TestAThreadThatWasNeverBranched:
    """As Jan keeps one: no message says which one it follows."""

    @pytest.fixture
    def straight(self, store):
        store.create_thread(new_thread(id="jan", title="From Jan", created=1))
        said = [("q", "user", "Why?"), ("a", "assistant", "Because."), ("q2", "user", "And?")]
        for at, (id, role, text) in enumerate([*said, ("a2", "assistant", "So it is.")], 1):
            message = new_message(id=id, thread_id="jan", role=role, text=text, created_at=at)
            store.create_message("jan", message)
        return "/threads/jan/messages"

    @pytest.mark.parametrize(
        ("act", "fields"),
        [
            ("q/edits", {"text": "Why not?"}),
            ("a2/edits", {"text": "So it was."}),
            ("a/versions", {}),
            ("a2/versions", {"count": 2}),
            ("q2/deletion", {}),
            ("a/pin", {"on": "yes"}),
            ("q/mute", {"on": "yes"}),
            ("a/mark", {"name": "The first", "starred": "on"}),
        ],
    )
    def test_each_act_shows_the_conversation_and_can_be_followed_by_a_question(
        self, page, straight, ids, act, fields
    ):
        response = page.htmx(f"{straight}/{act}", **fields)
        assert response.status_code == 200, response.text
        assert 'id="conversation"' in response.text
        page.wait("jan")
        assert page.ask("jan", "And then?", after=ids("jan")[-1]).status_code == 200
        assert "And then?" in page.get("/threads/jan").text
