"""Files of a thread on the page: attached, watched, searched and deleted."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.documents.taking_in import CONTRACT, GARDEN, SECONDS, HeldModel
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.parsing.limits import MB
from webapp.documents.service import Documents

DATA = Path(__file__).parent.parent / "data" / "documents"


@pytest.fixture
def model():
    return HeldModel()


@pytest.fixture
def documents(settings, model, clock, new_id):
    name = EmbeddingModel("words", model.dimension)
    documents = Documents(settings.data, model, name, clock_ms=clock, new_id=new_id)
    yield documents
    model.gate.set()
    documents.close()


def _form(files):
    """What a browser sends."""
    parts = [
        b'--edge\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n'
        b"Content-Type: application/octet-stream\r\n\r\n%s\r\n"
        % (re.sub(r'["\r\n]', lambda bad: f"%{ord(bad[0]):02X}", name).encode(), data)
        for name, data in files
    ]
    return b"".join([*parts, b"--edge--\r\n"])


class Thread:
    """A thread and its files, as a browser sees them."""

    def __init__(self, page, documents):
        self.page, self.documents = page, documents
        self.id = page.begin("What does the contract say?")
        self.at = f"/threads/{self.id}/files"

    @property
    def scope(self):
        return self.documents.thread(self.id)

    def attach(self, *files, htmx=False):
        headers = {"HX-Request": "true"} if htmx else {}
        kind = "multipart/form-data; boundary=edge"
        return self.page.client.post(self.at, data=_form(files), content_type=kind, headers=headers)

    def over(self):
        return self.documents.wait_over(self.scope, SECONDS).files

    def with_files(self, *files):
        self.attach(*files)
        return [each.id for each in self.over()]

    def html(self, path=""):
        response = self.page.get(self.at + path)
        assert response.status_code == 200, response.text
        return response.text


@pytest.fixture
def thread(page, documents):
    return Thread(page, documents)


BOTH = (("contract.txt", CONTRACT.encode()), ("garden.txt", GARDEN.encode()))


def test_with_the_trash_the_vectors_of_its_files_go(thread, documents):
    thread.with_files(*BOTH)
    thread.page.send(f"/threads/{thread.id}/trash")
    assert documents.wait_idle(SECONDS)
    assert len(documents._model.owners()) == 2
    html = thread.page.get("/trash/emptying").text
    thread.page.send("/trash/emptying", until=re.search(r'name="until" value="(\d+)"', html)[1])
    assert documents.wait_idle(SECONDS)
    assert documents._model.owners() == set()


class TestAttach:
    def test_the_composer_takes_files_without_a_script_too(self, thread):
        """The fragments `file_button` and `file_form`."""
        html = thread.page.get(f"/threads/{thread.id}").text
        form = re.search(r'<form id="attach"[^>]*>', html)[0]
        assert f'action="{thread.at}"' in form
        assert 'enctype="multipart/form-data"' in form
        field = re.search(r'<input id="attach-files"[^>]*>', html)[0]
        assert 'form="attach"' in field
        assert " multiple" in field
        assert f'data-most="{20 * MB}"' in field
        assert re.search(r'<noscript><button [^>]*form="attach"', html)
        # A form in a form would end the outer one.
        assert html.index('id="attach" method') > html.index("</form>", html.index('id="composer"'))

    def test_a_form_is_sent_on_to_the_list_and_every_file_is_ready_there(self, thread):
        response = thread.attach(*BOTH)
        assert (response.status_code, response.location) == (303, thread.at)
        assert {each.stage for each in thread.over()} == {"ready"}
        html = thread.html()
        assert html.count('<span class="file-word">Ready</span>') == 2
        assert "<bdi>contract.txt</bdi>" in html
        assert "1 passage · Searched" in html

    def test_a_script_gets_nothing_when_all_went_well_and_the_list_asks_no_more_when_idle(
        self, thread
    ):
        assert thread.attach(*BOTH, htmx=True).status_code == 204
        thread.over()
        assert "load delay" not in thread.html("/list") + thread.html("/chips")

    @pytest.mark.parametrize("htmx", [True, False])
    def test_the_same_file_again_is_named(self, thread, htmx):
        thread.with_files(BOTH[0])
        response = thread.attach(("copy <b>.txt", CONTRACT.encode()), htmx=htmx)
        assert response.status_code == 200
        assert "“copy &lt;b&gt;.txt” is the same file as “contract.txt”" in response.text
        assert len(thread.over()) == 1

    def test_a_file_that_is_too_large_stops_no_other(self, services, page, settings, thread):
        large = b"x" * (20 * MB + 1)
        response = thread.attach(("large.txt", large), BOTH[0])
        assert response.status_code == 422
        assert "“large.txt” was not attached. This file is 20" in response.text
        assert "the limit is 20" in response.text
        assert [each.name for each in thread.over()] == ["contract.txt"]

    def test_more_than_a_form_can_hold_is_a_sentence(self, app, services, thread):
        small = replace(services, settings=replace(services.settings, max_file_mb=1))
        app.extensions["strata"] = small
        for htmx in (True, False):
            response = thread.attach(("x.txt", b"x" * (12 * MB)), htmx=htmx)
            assert response.status_code == 413
            assert "Attach fewer files, or smaller ones" in response.text

    def test_a_message_that_is_too_long_keeps_its_own_sentence(self, page, thread):
        response = page.send(f"/threads/{thread.id}/title", title="x" * 2**21)
        assert response.status_code == 413
        assert "more than one message can hold" in response.text

    def test_no_file_is_a_sentence(self, thread):
        assert "No file was chosen." in thread.attach().text
        assert thread.attach(("", b"")).status_code == 422

    def test_a_disk_that_refuses_is_told_with_the_name(self, thread, settings):
        folder = settings.data / "threads" / thread.id / "files"
        thread.html()
        folder.write_text("no folder")
        response = thread.attach(BOTH[0], htmx=True)
        assert response.status_code == 422
        assert "“contract.txt” was not attached." in response.text

    def test_nobody_attaches_to_a_thread_that_is_not_there(self, thread, settings):
        thread.at = "/threads/nobody/files"
        assert thread.attach(*BOTH).status_code == 404
        assert not (settings.data / "threads" / "nobody").exists()


class TestWatching:
    def test_the_stage_is_shown_and_asked_for_again_until_it_is_over(self, thread, model):
        """The fragments `file_list`, `file_row`, `file_chips` and `file_link`."""
        model.gate.clear()
        thread.attach(BOTH[0])
        assert model.reached.wait(SECONDS)
        html = thread.html("/list")
        assert "Embedding 0 of 1" in html
        assert "load delay:1s" in html
        assert '<progress aria-label="Progress of contract.txt" max="1" value="0">' in html
        chips = thread.html("/chips")
        assert "load delay:1s" in chips
        assert 'aria-label="Files (1)"' in chips
        assert 'hx-swap-oob="outerHTML"' in chips
        assert "Embedding 0 of 1" in thread.page.get(f"/threads/{thread.id}").text
        model.gate.set()
        thread.over()
        assert 'data-summary="1 file ready."' in thread.html("/chips")

    def test_a_file_can_be_cancelled_and_tried_again(self, thread, model):
        model.gate.clear()
        thread.attach(BOTH[0])
        assert model.reached.wait(SECONDS)
        (file,) = thread.documents.status(thread.scope)
        html = thread.page.htmx(f"{thread.at}/{file.id}/cancel").text
        assert "This was cancelled." in html
        assert f'id="retry-{file.id}"' in html
        assert thread.page.htmx(f"{thread.at}/{file.id}/cancel").status_code == 409
        model.gate.set()
        response = thread.page.send(f"{thread.at}/{file.id}/retry")
        assert (response.status_code, response.location) == (303, thread.at)
        assert [each.stage for each in thread.over()] == ["ready"]
        assert thread.page.htmx(f"{thread.at}/{file.id}/reading").status_code == 200
        assert [each.stage for each in thread.over()] == ["ready"]

    def test_a_rejected_file_says_why_and_what_to_do(self, thread):
        locked = DATA / "samples" / "tika-password.docx"
        thread.with_files((locked.name, locked.read_bytes()))
        html = thread.html()
        assert "Cannot be used" in html
        assert re.search(r'class="file-problem"><strong>[^<]*password[^<]*</strong> \w', html)
        (file,) = thread.over()
        assert 'class="file-problem"' in thread.html(f"/{file.id}")

    def test_names_are_shown_as_text(self, thread):
        name = '<img src=x>\u202etxt.exe&".txt'
        thread.with_files((name, CONTRACT.encode()))
        for path in ("", "/list", "/chips", f"/{thread.over()[0].id}"):
            html = thread.html(path)
            assert "<img src=x>" not in html
            assert "\u202e" not in html

    def test_a_list_that_cannot_be_read_keeps_nobody_from_the_conversation(self, thread, settings):
        folder = settings.data / "threads" / thread.id / "files"
        folder.write_text("no folder")
        response = thread.page.get(f"/threads/{thread.id}")
        assert response.status_code == 200
        assert "What does the contract say?" in response.text
        assert 'class="notice error"' in response.text


class TestOneFile:
    def test_its_passages_are_listed_twenty_at_a_time(self, thread):
        """The fragment `file_passage`."""
        lines = "".join(f"Line {number} about {number * 7} apples.\n\n" for number in range(900))
        (file_id,) = thread.with_files(("apples.txt", lines.encode()))
        html = thread.html(f"/{file_id}")
        assert html.count('class="passage"') == 20
        assert "Line 0 about 0 apples." in html
        assert f'{thread.at}/{file_id}?from=20"' in html
        later = thread.html(f"/{file_id}?from=20")
        assert 'id="passage-20"' in later
        assert "Earlier" in later
        assert thread.html(f"/{file_id}?from=99999999999999999999").count('class="passage"') == 0

    def test_the_original_is_a_download_whatever_it_is(self, thread):
        page = b"<script>alert(1)</script><p>Some words to read.</p>"
        (file_id,) = thread.with_files(('Ünder "quote"\r\n.html', page))
        response = thread.page.get(f"{thread.at}/{file_id}/original")
        assert response.data == page
        assert response.mimetype == "application/octet-stream"
        assert response.headers["Content-Disposition"].startswith("attachment;")
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        response.close()

    def test_its_text_is_plain(self, thread):
        (file_id,) = thread.with_files(BOTH[0])
        response = thread.page.get(f"{thread.at}/{file_id}/text")
        assert response.mimetype == "text/plain"
        assert CONTRACT.strip() in response.text

    def test_how_it_is_sent_can_be_chosen(self, thread):
        """The fragment `file_use`."""
        (file_id,) = thread.with_files(BOTH[0])
        response = thread.page.send(f"{thread.at}/{file_id}/use", use="inline")
        assert response.status_code == 303
        html = thread.page.get(response.location).text
        assert '<option value="inline" selected>' in html
        assert "Saved" in html
        assert thread.page.send(f"{thread.at}/{file_id}/use", use="what").status_code == 422

    def test_deleting_says_what_goes_and_it_is_gone(self, thread):
        first, second = thread.with_files(*BOTH)
        assert "goes for good, with its passage." in thread.html(f"/{first}/removal")
        response = thread.page.send(f"{thread.at}/{first}/removal")
        assert response.status_code == 303
        html = thread.page.get(response.location).text
        assert "The file was deleted" in html
        assert "contract.txt" not in html
        assert "ninety days" not in thread.html("/found?q=notice+contract")
        for path in ("", "/removal", "/original", "/text"):
            assert thread.page.get(f"{thread.at}/{first}{path}").status_code == 404
        assert thread.page.get(f"{thread.at}/{second}").status_code == 200

    def test_files_of_another_thread_are_not_here(self, thread, page):
        (file_id,) = thread.with_files(BOTH[0])
        other = page.begin("Another thread")
        for path in ("", "/original", "/text", "/removal"):
            assert page.get(f"/threads/{other}/files/{file_id}{path}").status_code == 404


class TestSearch:
    def test_passages_are_shown_with_their_scores_against_the_threshold(self, thread):
        """The fragments `file_search` and `file_found`."""
        thread.with_files(*BOTH)
        html = thread.html("?q=Either+party+may+end+this+contract")
        assert 'value="Either party may end this contract"' in html
        first = html[html.index('<li class="hit') :]
        assert "contract.txt" in first.split("</li>")[0]
        assert ", sent" in first.split("</li>")[0]
        assert re.search(r'<rect class="score" width="\d+"', first)
        assert '<line class="threshold" x1="30.0"' in first
        assert " style=" not in html
        assert "line 1" in first

    def test_a_weak_passage_is_shown_but_not_as_sent(self, thread):
        thread.with_files(*BOTH)
        html = thread.html("/found?q=water+the+tomatoes+every+morning")
        hits = html.split("<li ")[1:]
        assert "garden.txt" in hits[0]
        assert ", sent" in hits[0]
        weak = [each for each in hits if "contract.txt" in each]
        assert all("hit weak" in each and ", sent" not in each for each in weak)

    def test_what_is_found_leads_to_the_passage(self, thread):
        (file_id,) = thread.with_files(BOTH[0])
        link = f'href="{thread.at}/{file_id}?from=0#passage-0"'
        assert link in thread.html("/found?q=contract")

    def test_nothing_found_nothing_asked_and_odd_questions(self, thread):
        assert "Nothing was found" in thread.html("/found?q=anything")
        thread.with_files(BOTH[0])
        assert "hit" not in thread.html("/found?q=++")
        for odd in ("%00", "%22%27%3Cb%3E", "%F0%9F%A6%94", "x" * 5000, "%ED%A0%80"):
            assert thread.page.get(f"{thread.at}?q={odd}").status_code == 200

    def test_on_its_own_page_one_file_is_searched(self, thread):
        contract, garden = thread.with_files(*BOTH)
        html = thread.html(f"/{contract}?q=water+the+tomatoes+every+morning")
        assert "Search in this file" in html
        assert 'value="water the tomatoes every morning"' in html
        assert f'hx-get="{thread.at}/{contract}/found"' in html
        assert "0 passages of this file go to the model" in html
        hits = html.split('<li class="hit')[1:]
        assert hits, "weak ones too"
        assert all("garden.txt" not in each and ", sent" not in each for each in hits)
        (hit,) = thread.html(f"/{garden}/found?q=water+the+tomatoes").split('<li class="hit')[1:]
        assert ", sent" in hit
        link = f'href="{thread.at}/{garden}?q=water%20the%20tomatoes&amp;from=0#passage-0"'
        assert link in hit
        assert "hit" not in thread.html(f"/{garden}/found")

    def test_only_a_file_of_the_thread_can_be_searched(self, thread):
        (file_id,) = thread.with_files(BOTH[0])
        other = thread.page.begin("Another thread")
        for path in (f"/threads/{other}/files/{file_id}", f"{thread.at}/nothing"):
            for question in ("/found?q=contract", "?q=contract"):
                assert thread.page.get(path + question).status_code == 404

    def test_a_file_that_is_not_ready_has_no_search_of_its_own(self, thread, model):
        model.gate.clear()
        thread.attach(BOTH[0])
        assert model.reached.wait(SECONDS)
        (file,) = thread.documents.status(thread.scope)
        assert "Search in this file" not in thread.html(f"/{file.id}?q=contract")

    def test_a_file_that_is_still_read_is_noted(self, thread, model):
        thread.with_files(BOTH[0])
        model.gate.clear()
        model.reached.clear()
        thread.attach(BOTH[1])
        assert model.reached.wait(SECONDS)
        assert "1 file is still being read." in thread.html("/found?q=contract")


def test_a_thread_that_is_not_there_has_no_files(page, documents):
    for path in ("", "/list", "/chips", "/found?q=x", "/f", "/f/original"):
        assert page.get(f"/threads/nobody/files{path}").status_code == 404
    assert page.send("/threads/nobody/files/f/cancel").status_code == 404


def test_who_looks_at_a_thread_without_files_makes_nothing(thread, settings):
    thread.page.get(f"/threads/{thread.id}")
    assert "No files yet." in thread.html()
    assert not (settings.data / "threads" / thread.id / "files").exists()
    assert not (settings.data / "lance").exists()
