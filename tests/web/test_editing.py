"""Acts on a message at the level of the page, with htmx and without a script."""

import re
import threading

import pytest

from webapp.engines.script import Reply, Say, Wait

FORMS = ("acts", "edit", "delete", "mark")


@pytest.fixture
def thread(page, ids):
    """A thread of two turns: its id, and the address of each of its messages."""
    thread_id = page.begin()
    page.ask(thread_id, "And <then>?", after=ids(thread_id)[-1])
    return thread_id, [f"/threads/{thread_id}/messages/{each}" for each in ids(thread_id)]


def texts(page, html):
    bodies = re.findall(r'<div id="message-[^"]+-body" class="body"[^>]*>(.*?)</div>', html, re.S)
    return [re.sub(r"<[^>]+>", "", body).strip() for body in bodies]


@pytest.fixture
def shown(library):
    return lambda thread_id: [each.message.text for each in library.view(thread_id).shown]


@pytest.mark.parametrize("act", FORMS)
def test_every_act_has_a_page_and_a_form(page, thread, act):
    for address in thread[1]:
        whole = page.get(f"{address}/{act}")
        form = page.get(f"{address}/{act}/form")
        assert whole.status_code == form.status_code == 200
        assert "<html" in whole.text
        assert "<html" not in form.text
        assert form.text.lstrip().startswith("<div id=")
        assert "Cancel" in whole.text


@pytest.mark.parametrize("act", FORMS)
def test_an_act_on_what_is_gone_is_told(page, thread, act):
    for url in (f"/threads/{thread[0]}/messages/gone/{act}", f"/threads/no/messages/m/{act}"):
        assert page.get(url).status_code == 404
        assert page.get(f"{url}/form", headers={"HX-Request": "true"}).status_code == 404


class TestEditing:
    def test_the_form_holds_the_text_as_it_was_written(self, page, thread):
        html = page.get(f"{thread[1][2]}/edit/form").text
        assert "\nAnd &lt;then&gt;?</textarea>" in html

    def test_an_edited_question_is_answered_as_a_new_version(self, page, thread, shown):
        thread_id, at = thread
        html = page.htmx(f"{at[0]}/edits", text="Other words").text
        assert ">2/2</span>" in html
        assert "data-stream" in html or "You asked" in html
        page.wait(thread_id)
        assert shown(thread_id)[0] == "Other words"
        assert "Other words" in shown(thread_id)[1]
        assert len(shown(thread_id)) == 2

    def test_an_edited_answer_only_gets_other_words(self, page, thread, shown):
        thread_id, at = thread
        html = page.htmx(f"{at[1]}/edits", text="Better").text
        assert "data-stream" not in html
        assert shown(thread_id)[1:] == ["Better"]

    def test_it_works_without_a_script(self, page, thread, shown):
        response = page.send(f"{thread[1][1]}/edits", text="Better")
        assert response.status_code == 303
        html = page.get(response.location).text
        assert "Edited an answer." in html
        assert "Better" in html

    def test_what_was_typed_is_not_lost_when_the_message_is_gone(self, page, thread):
        _, at = thread
        page.htmx(f"{at[0]}/deletion")
        refused = page.htmx(f"{at[2]}/edits", text="Long thoughts")
        assert refused.status_code == 404
        assert refused.headers["HX-Retarget"] == "#notices"
        assert "Long thoughts" in page.send(f"{at[2]}/edits", text="Long thoughts").text

    def test_an_empty_edit_is_refused(self, page, thread, shown):
        thread_id, at = thread
        assert page.htmx(f"{at[0]}/edits", text="  ").status_code == 422
        assert len(shown(thread_id)) == 4

    def test_cancelling_shows_the_message_again(self, page, thread):
        html = page.get(thread[1][0]).text
        assert html.startswith("<article id=")


class TestDeleting:
    def test_it_says_how_many_messages_go(self, page, thread):
        _, at = thread
        assert "the 3 that follow it: 4 messages" in page.get(f"{at[0]}/delete").text
        assert "the one that follows it: 2 messages" in page.get(f"{at[2]}/delete").text
        assert "Nothing follows it." in page.get(f"{at[3]}/delete").text

    def test_versions_can_go_alone_or_together(self, page, thread, shown):
        thread_id, at = thread
        page.htmx(f"{at[0]}/edits", text="Other words")
        page.wait(thread_id)
        html = page.get(f"{at[0]}/delete").text
        assert "Delete only version 1 (4)" in html
        assert "Delete all 2 versions (6)" in html
        page.htmx(f"{at[0]}/deletion")
        assert shown(thread_id)[0] == "Other words"
        page.htmx(f"/threads/{thread_id}/undo", message=at[0].split("/")[-1])
        assert ">2/2</span>" in page.get(f"/threads/{thread_id}").text
        page.htmx(f"{at[0]}/deletion", versions="all")
        assert shown(thread_id) == []

    def test_the_notice_takes_it_back(self, page, thread, shown):
        thread_id, at = thread
        html = page.htmx(f"{at[1]}/deletion").text
        assert "3 messages were deleted." in html
        assert len(shown(thread_id)) == 1
        html = page.htmx(f"/threads/{thread_id}/undo", message=at[1].split("/")[-1]).text
        assert "Undone: deleted 3 messages." in html
        assert len(texts(page, html)) == len(shown(thread_id)) == 4

    def test_undoing_nothing_or_twice_is_told(self, page, thread):
        thread_id, at = thread
        message = at[1].split("/")[-1]
        assert page.htmx(f"/threads/{thread_id}/undo", message=message).status_code == 404
        page.htmx(f"{at[1]}/deletion")
        page.htmx(f"/threads/{thread_id}/undo", message=message)
        assert page.htmx(f"/threads/{thread_id}/undo", message=message).status_code == 409


class TestStaleTabs:
    """A message is only ever stored under one that is there."""

    def test_a_question_goes_below_the_newest_leaf_of_what_the_tab_showed(
        self, page, thread, ids, shown
    ):
        thread_id, _ = thread
        seen = ids(thread_id)[1]
        page.ask(thread_id, "From a tab that saw less", after=seen)
        assert shown(thread_id)[4] == "From a tab that saw less"

    def test_a_question_on_another_branch_shows_that_branch(self, page, thread, ids, shown):
        thread_id, at = thread
        leaf = ids(thread_id)[-1]
        page.htmx(f"{at[0]}/edits", text="Other words")
        page.wait(thread_id)
        response = page.ask(thread_id, "On the old branch", after=leaf)
        assert response.headers["HX-Retarget"] == "#messages"
        assert shown(thread_id)[4] == "On the old branch"

    def test_after_a_deletion_in_another_tab_it_is_refused_in_words(self, page, thread, ids, shown):
        thread_id, at = thread
        leaf = ids(thread_id)[-1]
        page.htmx(f"{at[2]}/deletion")
        refused = page.ask(thread_id, "Too late", after=leaf)
        assert refused.status_code == 404
        assert "no longer there" in refused.text
        assert (
            "Too late"
            in page.send(f"/threads/{thread_id}/messages", text="Too late", after=leaf).text
        )
        assert len(shown(thread_id)) == 2

    @pytest.mark.parametrize(
        "what", ["versions", "answers", "edits", "fork", "mark", "continuation"]
    )
    def test_other_acts_on_a_deleted_message_store_nothing(self, page, thread, shown, what):
        thread_id, at = thread
        page.htmx(f"{at[2]}/deletion")
        assert page.htmx(f"{at[2]}/{what}", text="x", name="x").status_code == 404
        assert len(shown(thread_id)) == 2


class TestContinuing:
    @pytest.fixture
    def stopped(self, page, engine, generation, ids):
        engine.queue(Reply((Say("The tide"), Wait(threading.Event()))))
        thread_id = page.send("/threads", text="Tides").location.split("/")[2]
        answer = ids(thread_id)[-1]
        live = generation.live(answer)
        while live.snapshot().text != "The tide":
            live.wait(live.snapshot().version, timeout=10)
        page.htmx(f"/threads/{thread_id}/messages/{answer}/stop")
        page.wait(thread_id)
        return thread_id, f"/threads/{thread_id}/messages/{answer}"

    @pytest.mark.parametrize(("place", "versions"), [("here", 1), ("new", 2)])
    def test_a_stopped_answer_goes_on(self, page, engine, stopped, library, shown, place, versions):
        thread_id, at = stopped
        assert "Continue in place" in page.get(f"/threads/{thread_id}").text
        engine.queue("comes in.")
        html = page.htmx(f"{at}/continuation", place=place).text
        assert "The tide" in html
        page.wait(thread_id)
        assert shown(thread_id)[-1] == "The tide comes in."
        assert len(library.view(thread_id).shown[-1].versions) == versions
        assert "Continue in place" not in page.get(f"/threads/{thread_id}").text

    def test_a_whole_answer_is_not_continued(self, page, thread):
        assert page.htmx(f"{thread[1][1]}/continuation").status_code == 409


def test_several_versions_are_begun_at_once(page, thread, ids, library):
    thread_id, at = thread
    page.htmx(f"{at[3]}/versions", count=3)
    page.wait(thread_id)
    shown = library.view(thread_id).shown[-1]
    assert (shown.version, len(shown.versions)) == (2, 4)
    assert page.htmx(f"{at[3]}/versions", count=9).status_code == 422


def test_a_branch_is_named_starred_and_listed_under_its_thread(page, thread):
    thread_id, at = thread
    page.send(f"{at[1]}/mark", name="<Sea>", starred="on")
    html = page.get("/").text
    message = at[1].split("/")[-1]
    assert f'href="/threads/{thread_id}?at={message}#message-{message}"' in html
    assert "&lt;Sea&gt;" in html
    assert "glyph-starred" in html
    assert page.htmx(f"{at[1]}/mark", name="x" * 81).status_code == 422


def test_a_fork_is_a_thread_of_its_own(page, thread, shown):
    thread_id, at = thread
    response = page.send(f"{at[1]}/fork")
    assert response.status_code == 303
    forked = response.location.split("/")[2]
    assert forked != thread_id
    assert shown(forked) == shown(thread_id)[:2]
