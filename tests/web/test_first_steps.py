"""The fragment `first_steps` on the start page, and the sample thread."""

from dataclasses import replace

import pytest

from webapp.engines.engine import EngineInfo
from webapp.engines.scripted import ScriptedEngine

HEADING = "Three first steps"


class Broken(ScriptedEngine):
    def describe(self):
        return EngineInfo("scripted", "", "failed", 0, problem="No model at <there>.")


def done(page):
    return page.get("/").text.count('aria-label="Done"')


def test_a_newcomer_sees_three_steps_and_what_is_done_of_them(page):
    html = page.get("/").text
    assert HEADING in html
    assert done(page) == 1
    page.begin()
    assert done(page) == 2


def test_a_model_that_is_missing_is_no_step_that_was_done(app, services):
    app.extensions["strata"] = replace(services, engine=Broken())
    html = app.test_client().get("/").text
    assert 'aria-label="Done"' not in html
    assert "No model at &lt;there&gt;." in html


@pytest.mark.parametrize(
    ("state", "words"),
    [("ready", "is ready"), ("loading", "is being loaded"), ("unloaded", "ask.")],
)
def test_the_step_says_how_far_the_model_is(app, services, state, words):
    class Engine(ScriptedEngine):
        def describe(self):
            return replace(super().describe(), state=state)

    app.extensions["strata"] = replace(services, engine=Engine())
    assert words in app.test_client().get("/").text.split("A model</strong>")[1].split("</p>")[0]


def test_not_now_is_for_good(page):
    assert page.send("/first-steps/over").location == "/"
    assert HEADING not in page.get("/").text


def test_all_three_steps_done_end_it_for_good(page, documents, library):
    thread_id = page.begin()
    with page.client.application.open_resource(__file__) as file:
        page.client.post(f"/threads/{thread_id}/files", data={"files": (file, "notes.py")})
    documents.wait_over(documents.thread(thread_id), 30)
    assert HEADING not in page.get("/").text
    library.delete(thread_id)
    assert HEADING not in page.get("/").text


def test_who_has_many_threads_needs_no_steps(page, library):
    for number in range(6):
        library.create(f"Thread {number}")
    assert HEADING not in page.get("/").text


def test_a_thread_or_files_that_cannot_be_read_do_not_keep_the_start_page_away(
    page, library, settings
):
    for name in ("messages.jsonl", "files"):
        folder = settings.data / "threads" / library.create(f"Without {name}").id
        (folder / "messages.jsonl").unlink(missing_ok=True)
        (folder / name).symlink_to(name)
    html = page.get("/").text
    assert HEADING in html
    assert "Without messages.jsonl" in html


def test_the_sample_is_one_thread_however_often_it_is_asked_for(page, library):
    first = page.send("/threads/sample").location
    assert page.send("/threads/sample").location == first
    assert len(library.threads()) == 1
    html = page.get(first).text
    assert "A tour of Strata" in html
    assert "2/2" in html
    assert HEADING in page.get("/").text
    address, _, anchor = first.partition("#")
    assert html.index(f'id="{anchor}"') < html.index('<article id="message-') + 20  # the first
    library.delete(address.rsplit("/", 1)[1])
    assert page.send("/threads/sample").location != first


def test_it_can_be_opened_from_the_start_page_also_later(page):
    page.send("/first-steps/over")
    assert 'action="/threads/sample"' in page.get("/").text
