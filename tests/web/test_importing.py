"""Bringing in threads from the page: from a file, or from the folder of Jan."""

import io
import re
import shutil
import threading
from pathlib import Path

import pytest
import werkzeug.formparser

from webapp.web import importing
from webapp.web.importing import jan_folder

THREADS = Path(__file__).resolve().parent.parent / "data" / "threads"
EXPORTS = THREADS.parent / "exports"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def jan(tmp_path):
    folder = tmp_path / "jan"
    for name in ("switch-back", "detached-answers", "half-list-broken"):
        shutil.copytree(THREADS / name, folder / "threads" / name)
    return folder


def files_of(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_folder_of_jan_is_looked_at_first_and_nothing_is_changed_there(page, services, jan):
    before = files_of(jan)
    assert page.send("/import", folder=str(jan)).location == "/import"
    services.imports.wait(10)
    html = page.get("/import").text
    assert f"Jan, “{jan}”:" in html
    assert "3 threads with" in html
    assert "would come in" in html
    assert "Harbour walk" not in page.get("/").text
    page.send("/import/bring")
    services.imports.wait(10)
    assert "3 threads with" in page.get("/import/state").text
    assert "Harbour walk" in page.get("/").text
    assert "Begin at the lighthouse." in page.get("/threads/switch-back").text
    page.send("/import", folder=str(jan))
    services.imports.wait(10)
    assert "3 are here already" in page.get("/import/state").text
    page.send("/import/drop")
    assert files_of(jan) == before


def test_a_folder_of_jan_gives_way_to_a_file_and_stays(page, services, sent, jan):
    before = files_of(jan)
    page.send("/import", folder=str(jan))
    services.imports.wait(10)
    sent()
    assert "“chatgpt.json”" in page.get("/import").text
    page.send("/import", folder=str(jan))
    services.imports.wait(10)
    services.imports.close()
    assert files_of(jan) == before


@pytest.mark.parametrize("folder", ["", "  ", "/nowhere/at/all", "x\0y"])
def test_a_folder_that_is_none_is_told_in_a_sentence(page, folder):
    response = page.send("/import", folder=folder)
    assert response.status_code in (404, 422)
    assert "Traceback" not in response.text


def test_the_page_names_the_folder_where_jan_usually_is(page, monkeypatch, tmp_path):
    monkeypatch.delenv("APPDATA", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert jan_folder() is None
    usual = tmp_path / ".config" / "Jan" / "data"
    (usual / "threads").mkdir(parents=True)
    assert jan_folder() == usual
    assert str(usual) in page.get("/import").text


@pytest.fixture
def sent(page, services):
    """Sends a file, and waits until it was looked at."""

    def send(name="chatgpt.json", client=None, **headers):
        data = {"file": (io.BytesIO((EXPORTS / name).read_bytes()), f"../{name}")}
        answer = (client or page.client).post("/import/file", data=data, headers=headers)
        services.imports.wait(10)
        return answer

    return send


def test_a_file_is_looked_at_first_and_comes_in_when_that_is_wanted(page, services, sent):
    assert 'href="/import"' in page.get("/").text
    assert sent().location == "/import"
    html = page.get("/import").text
    assert "ChatGPT, “chatgpt.json”:" in html
    assert "3 threads with 12 messages would come in" in html
    assert "<strong>1 damaged</strong>" in html
    assert "Nothing said: There is no message in it." in html
    assert "Harbour hours" not in page.get("/threads").text
    assert page.send("/import/bring").location == "/import"
    services.imports.wait(10)
    html = page.get("/import").text
    assert "3 threads with 12 messages came in" in html
    assert "Harbour hours" in page.get("/threads").text
    shown = page.get("/threads/chatgpt-67000000-aaaa-4000-8000-000000000001").text
    assert "At six in summer" in shown
    tools = page.get("/threads/chatgpt-67000000-aaaa-4000-8000-000000000002").text
    assert "High water is at six" in tools
    sent()
    html = page.get("/import/state").text
    assert "3 are here already" in html
    assert "/import/bring" not in html
    assert page.send("/import/drop").status_code == 303
    assert "notice" not in page.get("/import/state").text


@pytest.mark.parametrize("name", sorted(each.name for each in EXPORTS.glob("*.json")))
def test_every_thread_of_every_export_opens_and_shows_what_it_says(page, services, sent, name):
    sent(name)
    page.send("/import/bring")
    services.imports.wait(10)
    rows = services.library.threads()
    assert rows
    for row in rows:
        html = page.get(f"/threads/{row.id}").text
        for shown in services.library.view(row.id).shown:
            assert f'id="m-{shown.message.id}"' in html or shown.message.id in html
        assert not re.search("[\ue200-\ue206]|data:image|<details type", html)


def test_progress_is_shown_while_it_works(page, services, sent, library):
    sent()
    going, may_go = threading.Event(), threading.Event()
    take_in = library.acts.take_in

    def slow(*thread):
        take_in(*thread)
        going.set()
        assert may_go.wait(10)

    library.acts.take_in = slow
    html = page.htmx("/import/bring").text
    assert going.wait(10)
    assert 'id="import-state"' in html
    html = page.get("/import/state").text
    assert "load delay:1s" in html
    assert "Importing “chatgpt.json”: 0 of 4 threads" in html
    may_go.set()
    services.imports.wait(10)


def test_nothing_chosen_and_rubbish_are_told_in_a_sentence(page, services):
    for data in ({}, {"file": (io.BytesIO(b""), "")}, {"other": (io.BytesIO(b"x"), "a.json")}):
        answer = page.client.post(
            "/import/file", data=data, content_type="multipart/form-data", headers=HTMX
        )
        assert answer.status_code == 422
        assert "No file was chosen" in answer.text
    data = {"file": (io.BytesIO(b"\x89PNG"), "photo.png")}
    assert page.client.post("/import/file", data=data).status_code == 303
    services.imports.wait(10)
    html = page.get("/import").text
    assert "could not be imported. It is not a JSON list or object." in html
    assert page.send("/import/bring").status_code == 409


def test_a_large_file_goes_straight_to_the_disk(page, services, monkeypatch):
    """Werkzeug would keep it in its own place too."""
    large = b'[{"mapping": {}}' + b" " * (8 << 20) + b"]"
    kept = []
    look = services.imports.look
    monkeypatch.setattr(
        services.imports, "look", lambda *args: (kept.append(args[2].stat().st_size), look(*args))
    )
    monkeypatch.setattr(werkzeug.formparser, "default_stream_factory", None)
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n'
    answer = page.client.post(
        "/import/file",
        data=head + large + b"\r\n--x--\r\n",
        content_type="multipart/form-data; boundary=x",
    )
    assert answer.status_code == 303
    assert kept == [len(large)]
    services.imports.wait(10)


def test_more_than_anybody_exports_is_refused_before_it_is_read(page, monkeypatch):
    monkeypatch.setattr(importing, "LARGEST_IMPORT", 1000)
    data = {"file": (io.BytesIO(b"x" * 5000), "a.json")}
    assert page.client.post("/import/file", data=data).status_code == 413


def test_on_a_shared_strata_each_brings_in_their_own(house, services, sent):
    local = {"Host": "localhost:5100"}
    for who in ("reader", "writer"):
        client = house.client(who)
        sent(client=client, **local)
        assert "3 threads" in client.get("/import", headers=local).text
        assert "Jan’s data folder" not in client.get("/import", headers=local).text
        client.post("/import/bring", headers=local)
        services.imports.wait(10)
        mine = [
            row for row in services.library.threads() if row.metadata.get("owner") == house.ids[who]
        ]
        assert len(mine) == 3
        assert "3 threads with 12 messages came in" in client.get("/import", headers=local).text
    assert "chatgpt.json" not in house.client("other").get("/import", headers=local).text
    assert "Jan’s data folder" in house.client("owner").get("/import", headers=local).text
