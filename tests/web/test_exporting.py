"""A thread can be taken along from its menu."""

import io
import json

import pytest

HOST = {"Host": "localhost:5100"}


@pytest.fixture
def thread_id(page, ids):
    thread_id = page.begin("Where is Tartu?")
    page.htmx(f"/threads/{thread_id}/messages/{ids(thread_id)[1]}/versions")
    page.wait(thread_id)
    return thread_id


def test_the_menu_leads_to_a_page_with_all_formats(page, thread_id):
    assert f'href="/threads/{thread_id}/export"' in page.get(f"/threads/{thread_id}").text
    html = page.get(f"/threads/{thread_id}/export").text
    for wanted in ("shown", "versions", "json"):
        assert f"/threads/{thread_id}/export/file?as={wanted}" in html
    assert "All 3 messages" in html


def test_markdown_has_the_shown_path_or_every_version(page, thread_id):
    shown = page.get(f"/threads/{thread_id}/export/file?as=shown")
    assert shown.mimetype == "text/markdown"
    assert shown.text.count("\n## ") == 2
    assert "version 2 of 2" in shown.text
    every = page.get(f"/threads/{thread_id}/export/file?as=versions").text
    assert every.count("\n## ") == 3
    assert "version 1 of 2" in every


def test_json_has_all_messages_and_files(page, library, thread_id):
    sent = {"files": (io.BytesIO(b"The harbour opens at six."), "hours.txt")}
    page.client.post(f"/threads/{thread_id}/files", data=sent)
    found = json.loads(page.get(f"/threads/{thread_id}/export/file?as=json").data)
    thread, messages = library.acts.whole(thread_id)
    assert found["thread"] == thread.data
    assert found["messages"] == [dict(each.data) for each in messages]
    assert [each["name"] for each in found["files"]] == ["hours.txt"]
    assert "hours.txt, 25 bytes" in page.get(f"/threads/{thread_id}/export/file?as=shown").text


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ('a"; x=y/../b', "a-; x=y-..-b.md"),
        ("..", "...md"),
        ("Tide \u202e table", "Tide table.md"),
        ("CON", "_CON.md"),
    ],
)
def test_the_name_is_safe_whatever_the_title(page, library, thread_id, title, name):
    library.rename(thread_id, title)
    answer = page.get(f"/threads/{thread_id}/export/file?as=shown")
    header = answer.headers["Content-Disposition"]
    assert header.startswith("attachment; filename=")
    assert name in header
    assert header.count('"') in (0, 2)
    assert "\n" not in header


def test_a_title_of_other_letters_and_odd_characters_goes_through(page, store, library, thread_id):
    store.modify_thread(library.thread(thread_id).with_fields(title="潮\r\nX: y \ud800 表"))
    library._desk.open_threads.close_idle()
    for wanted in ("shown", "versions", "json"):
        answer = page.get(f"/threads/{thread_id}/export/file?as={wanted}")
        assert answer.status_code == 200
        assert "X" not in answer.headers
        assert answer.headers["Content-Disposition"].isascii()
        assert "filename*=UTF-8''" in answer.headers["Content-Disposition"]
        assert answer.headers["Cache-Control"] == "no-store"


def test_rubbish_is_told_in_a_sentence(page, thread_id):
    assert page.get(f"/threads/{thread_id}/export/file?as=exe").status_code == 422
    assert page.get(f"/threads/{thread_id}/export/file?as=").status_code == 422
    assert page.get("/threads/gone/export/file?as=json").status_code == 404


def test_on_a_shared_strata_only_who_may_read_it_may_take_it(house):
    for who, status in (("owner", 200), ("reader", 200), ("other", 404)):
        for at in ("export", "export/file?as=json"):
            answer = house.client(who).get(f"/threads/{house.thread}/{at}", headers=HOST)
            assert answer.status_code == status
    found = house.client("reader").get(f"/threads/{house.thread}/export/file?as=json", headers=HOST)
    assert found.json["thread"]["metadata"] == {}
