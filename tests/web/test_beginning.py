"""Files on the start page make a thread; what was typed is never lost."""

import re

import pytest

from webapp.documents.parsing.limits import MB
from webapp.errors import StorageFailed

SECONDS = 30
GOOD = ("rules.txt", b"The travel allowance is forty euros.")
LARGE = ("large.txt", b"x" * (20 * MB + 1))


class Start:
    def __init__(self, page):
        self.page = page

    def send(self, *files, text="", to="/threads/files", htmx=False):
        parts = [_part(f'name="files"; filename="{name}"', words) for name, words in files]
        body = b"".join([*parts, _part('name="text"', text.encode()), b"--edge--\r\n"])
        headers = {"HX-Request": "true"} if htmx else {}
        kind = "multipart/form-data; boundary=edge"
        return self.page.client.post(to, data=body, content_type=kind, headers=headers)


def _part(about, content):
    head = f"--edge\r\nContent-Disposition: form-data; {about}\r\n\r\n"
    return head.encode() + content + b"\r\n"


@pytest.fixture
def start(page):
    return Start(page)


def files_of(documents, thread_id):
    return documents.wait_over(documents.thread(thread_id), SECONDS).files


def draft_shown(page, url):
    return re.search(r'<textarea id="text"[^>]*>\n(.*?)</textarea>', page.get(url).text, re.S)[1]


def test_the_start_page_takes_files_without_a_script_too(page):
    """The fragments `file_button` and `file_form`."""
    html = page.get("/").text
    composer = html[html.index('<form id="composer"') :].split("</form>")[0]
    assert 'enctype="multipart/form-data"' in composer.split(">")[0]
    field = re.search(r'<input id="attach-files"[^>]*>', composer)[0]
    assert "form=" not in field and " multiple" in field
    assert '<noscript><button class="button" formaction="/threads/files">' in composer
    assert re.search(r'<form id="attach" [^>]*action="/threads/files"[^>]* data-begins', html)


def test_files_make_a_thread_where_the_draft_waits_until_it_is_asked(
    page, start, library, documents
):
    draft = "What is <the> allowance?\n\nTell me. " + "x" * 100_000
    response = start.send(GOOD, text=draft)
    [thread] = library.threads()
    assert (response.status_code, response.location) == (303, f"/threads/{thread.id}")
    assert [each.name for each in files_of(documents, thread.id)] == ["rules.txt"]
    shown = draft_shown(page, response.location)
    assert shown.startswith("What is &lt;the&gt; allowance?\n\nTell me. xxx")
    assert "Untitled" in page.get(response.location).text
    page.ask(thread.id, "What is it?")
    assert draft_shown(page, response.location) == ""
    assert "draft" not in library.thread(thread.id).metadata
    assert library.thread(thread.id).title == "What is it?"


def test_a_script_is_led_to_the_thread(start, library):
    response = start.send(GOOD, htmx=True)
    assert response.status_code == 204
    assert response.headers["HX-Redirect"] == f"/threads/{library.threads()[0].id}"


@pytest.mark.parametrize("to", ["/threads/files", "/threads"])
def test_when_every_file_is_refused_there_is_no_thread_and_the_draft_is_kept(
    start, library, settings, to
):
    response = start.send(LARGE, text="Why <b>?", to=to)
    assert response.status_code == 422
    assert "“large.txt” was not attached." in response.text
    assert "Why &lt;b&gt;?</textarea>" in response.text
    assert library.threads() == [] and library.trash() == []
    notice = start.send(LARGE, htmx=True)
    assert (notice.status_code, notice.headers["HX-Retarget"]) == (422, "#notices")


def test_a_disk_that_takes_no_file_leaves_no_thread_in_the_list(start, library, documents):
    documents.add = _refuses
    response = start.send(GOOD, text="Why?")
    assert response.status_code == 422
    assert "The disk is full." in response.text and "Why?</textarea>" in response.text
    assert library.threads() == []


def _refuses(*_):
    raise StorageFailed("The disk is full.", do="Free some space.")


def test_when_some_are_refused_the_others_are_there_and_it_is_told(page, start, library, documents):
    response = start.send(LARGE, GOOD, text="Why?")
    [thread] = library.threads()
    assert response.status_code == 422
    assert "“large.txt” was not attached." in response.text
    assert "rules.txt" in response.text
    assert [each.name for each in files_of(documents, thread.id)] == ["rules.txt"]
    assert draft_shown(page, f"/threads/{thread.id}") == "Why?"


def test_a_question_that_is_sent_with_its_files_is_asked(page, start, library, documents):
    response = start.send(GOOD, text="What is the allowance?", to="/threads")
    thread_id = response.location.split("/")[2]
    page.wait(thread_id)
    assert [each.role for each in library.path(thread_id)] == ["user", "assistant"]
    assert len(files_of(documents, thread_id)) == 1


def test_it_is_not_asked_without_a_file_that_was_meant_to_be_there(start, library, generation):
    start.send(LARGE, GOOD, text="What is the allowance?", to="/threads")
    [thread] = library.threads()
    assert library.path(thread.id) == [] and generation.running(thread.id) == ()


def test_a_question_too_long_to_be_asked_makes_nothing(start, library):
    response = start.send(GOOD, text="x" * 400_001, to="/threads")
    assert response.status_code == 422 and "400,001" in response.text
    assert library.threads() == []


def test_without_a_file_there_is_a_sentence(page, start, library):
    assert "No file was chosen." in start.send().text
    assert start.send(text="Hello", to="/threads").status_code == 303
    assert len(library.threads()) == 1
    assert page.get("/threads/files").status_code == 404
