import io
import json
import re
import threading

import pytest

from webapp.engines.script import TITLE, Reply, Say, Wait
from webapp.errors import NotFound, StorageFailed
from webapp.web.rendering import fragment
from webapp.web.windows import FIRST_WINDOW


def test_a_first_question_makes_a_thread_and_leads_to_it(page, library):
    response = page.send("/threads", text="How do tides work?")
    assert response.status_code == 303
    html = page.get(response.location).text
    assert "How do tides work?" in html
    assert [each.title for each in library.threads()] == ["How do tides work?"]


def test_with_htmx_the_browser_is_sent_to_the_new_thread(page, library):
    response = page.htmx("/threads", text="Hello")
    assert response.status_code == 204
    assert response.headers["HX-Redirect"] == f"/threads/{library.threads()[0].id}"
    assert response.vary.as_set() == {"hx-request"}


@pytest.mark.parametrize("nothing", ["", " \n\t ", "\0", "\u3000\u00a0"])
def test_a_first_question_of_nothing_leaves_no_empty_thread(page, library, nothing):
    assert page.send("/threads", text=nothing).status_code == 422
    assert library.threads() == []


def test_the_title_is_the_title_of_the_page(page, library):
    thread = library.create("Tides & <moons>")
    html = page.get(f"/threads/{thread.id}").text
    assert "<title>Tides &amp; &lt;moons&gt; – Strata</title>" in html


@pytest.mark.parametrize("thread_id", ["nothing", "..%2Fother", "a%2Fb", ".", "%00", "x" * 3000])
def test_an_id_that_leads_nowhere_leads_home(page, thread_id):
    response = page.get(f"/threads/{thread_id}")
    assert response.status_code == 404
    assert 'href="/"' in response.text


def test_an_unknown_message_leads_home_too(page):
    thread_id = page.begin()
    for url in (f"?at=none&x={thread_id}", "?before=none", "/messages/none/foot"):
        assert page.get(f"/threads/{thread_id}{url}").status_code == 404


def test_a_thread_without_messages_says_what_to_do(page, library):
    html = page.get(f"/threads/{library.create('Empty').id}").text
    assert "Write below to begin." in html


def test_a_renamed_thread_has_its_name_in_title_head_and_list(page):
    thread_id = page.begin()
    html = page.htmx(f"/threads/{thread_id}/title", title="<i>Moon</i>").text
    assert html.count("&lt;i&gt;Moon&lt;/i&gt;") == 5
    assert f'id="thread-row-{thread_id}"' in html
    assert "<i>" not in html


def test_renaming_works_without_a_script(page):
    thread_id = page.begin()
    response = page.send(f"/threads/{thread_id}/title", title="Moon")
    assert (response.status_code, response.location) == (303, f"/threads/{thread_id}")
    assert "<title>Moon – Strata</title>" in page.get(response.location).text


def test_an_empty_name_is_refused_as_a_notice(page):
    thread_id = page.begin()
    response = page.htmx(f"/threads/{thread_id}/title", title="  ")
    assert response.status_code == 422
    assert response.headers["HX-Retarget"] == "#notices"


def test_a_deleted_thread_can_be_undone_from_the_next_page(page, library):
    thread_id = page.begin("Forget me not")
    response = page.send(f"/threads/{thread_id}/trash")
    html = page.get(response.location).text
    assert library.threads() == []
    assert f'action="/threads/{thread_id}/restore"' in html
    back = page.send(f"/threads/{thread_id}/restore")
    assert "Forget me not" in page.get(back.location).text


def test_the_offer_to_undo_goes_once_it_was_taken(page):
    thread_id = page.begin()
    url = page.send(f"/threads/{thread_id}/trash").location
    page.send(f"/threads/{thread_id}/restore")
    assert "/restore" not in page.get(url).text


def test_files_follow_their_thread_into_the_trash_and_are_found_again_after(page, documents):
    thread_id = page.begin("What does the contract say?")
    scope = documents.thread(thread_id)
    documents.add(scope, "contract.txt", io.BytesIO(b"Ninety days of notice end the contract."))
    assert [state.stage for state in documents.wait_over(scope, 30).files] == ["ready"]
    page.send(f"/threads/{thread_id}/trash")
    with pytest.raises(NotFound):
        documents.status(scope)
    assert not scope.folder.exists()
    page.send(f"/threads/{thread_id}/restore")
    assert documents.wait_idle(30)
    [passage] = documents.search([scope], "ninety days of notice").passages
    assert passage.file_name == "contract.txt"


def test_the_trash_lists_what_can_be_restored(page):
    thread_id = page.begin("In the bin")
    assert "The trash is empty" in page.get("/trash").text
    page.send(f"/threads/{thread_id}/trash")
    html = page.get("/trash").text
    assert "In the bin" in html
    assert f'action="/threads/{thread_id}/restore"' in html


def test_a_long_list_goes_on_on_its_own_page(page, settings):
    for number in range(130):
        folder = settings.data / "threads" / f"t{number}"
        folder.mkdir(parents=True)
        written = {"id": folder.name, "title": f"Number {number}", "updated": number}
        (folder / "thread.json").write_text(json.dumps(written))
    side = page.get("/").text
    threads = side.split("sidebar-places")[0]
    assert threads.split("thread-list")[1].count('class="row"') == 100 + 1
    assert "All threads (30 more)" in side
    rest = page.get("/threads?from=100").text.split("<main")[1]
    assert len(re.findall(r'class="row"', rest)) == 30
    assert 'href="/threads?from=0"' in rest
    assert page.get("/threads?from=-5").status_code == 200
    assert page.get("/threads?from=999999999999").status_code == 200


def test_a_damaged_thread_is_listed_with_its_reason_and_can_be_opened(page, settings):
    good, bad = page.begin("The good one"), page.begin("The bad one")
    (settings.data / "threads" / bad / "thread.json").write_text("{not json")
    html = page.get("/").text
    assert "The good one" in html
    assert f'href="/threads/{bad}"' in html
    assert "row-reason" in html
    assert page.get(f"/threads/{good}").status_code == 200


def test_a_list_that_cannot_be_read_is_told_and_the_page_still_comes(page, library, monkeypatch):
    def unreadable():
        raise StorageFailed("The threads cannot be listed.", do="Check the disk.")

    monkeypatch.setattr(library, "threads", unreadable)
    html = page.get("/").text
    assert "The threads cannot be listed. Check the disk." in html


class TestALongThread:
    @pytest.fixture
    def long(self, long_thread):
        return long_thread(150)

    def lines(self, html):
        return [int(number) for number in re.findall(r">Line (\d+)\.<", html)]

    def test_shows_its_end_and_offers_what_is_earlier(self, page, long):
        html = page.get(f"/threads/{long}").text
        assert self.lines(html) == list(range(150 - FIRST_WINDOW, 150))
        assert f"Load earlier messages ({150 - FIRST_WINDOW})" in html

    def test_gives_earlier_messages_until_the_first(self, page, long):
        html, seen = page.get(f"/threads/{long}").text, []
        while link := re.search(r'hx-get="([^"]+/earlier[^"]*)"', html):
            html = page.get(link[1].replace("&amp;", "&")).text
            seen = self.lines(html) + seen
        assert seen == list(range(150 - FIRST_WINDOW))

    def test_can_be_read_backwards_without_a_script(self, page, long):
        html = page.get(f"/threads/{long}").text
        link = re.search(r'href="([^"]+before=[^"]+)"', html)[1].replace("&amp;", "&")
        older = page.get(link).text
        assert self.lines(older) == list(range(150 - 2 * FIRST_WINDOW, 150 - FIRST_WINDOW))
        assert "Go to the newest" in older
        assert f"Load earlier messages ({150 - 2 * FIRST_WINDOW})" in older


class TestATitleThatComesByItself:
    def settled(self, generation, thread_id):
        done = threading.Event()
        while generation.titles.expected(thread_id):
            assert not done.wait(0.01)

    def test_the_page_asks_for_it_until_it_is_there(self, page, engine, generation):
        engine.queue(Reply((Say("a "), Wait(release := threading.Event()))))
        location = page.send("/threads", text="/title Why tides?").location
        thread_id = location.split("/")[2].split("#")[0]
        asking = f'hx-get="/threads/{thread_id}/title"'
        assert asking in page.get(location).text
        assert asking in page.get(f"/threads/{thread_id}/title").text
        release.set()
        self.settled(generation, thread_id)
        html = page.get(f"/threads/{thread_id}/title").text
        assert asking not in html
        assert html.count(TITLE) == 5
        assert f'id="thread-row-{thread_id}"' in html

    def test_a_page_that_was_made_just_before_it_came_looks_at_once(self, page, app, library):
        thread_id = page.begin("Why tides?")
        before = library.thread(thread_id)
        library.rename(thread_id, "Tides")
        with app.test_request_context("/"):
            assert 'hx-trigger="load"' in fragment("thread_title", thread=before)
            now = library.thread(thread_id)
            assert "hx-trigger" not in fragment("thread_title", thread=now)

    def test_a_page_that_waits_for_none_does_not_ask(self, page, generation):
        thread_id = page.begin("Why tides?")
        self.settled(generation, thread_id)
        assert f'hx-get="/threads/{thread_id}/title"' not in page.get(f"/threads/{thread_id}").text
        assert page.get("/threads/nothing/title").status_code == 404
