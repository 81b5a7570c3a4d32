"""Everything that is one's own, from the page."""

import io
import zipfile

import pytest

HOST = {"Host": "localhost:5100"}


def names_in(answer):
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        assert archive.testzip() is None
        return archive.namelist()


def test_the_page_can_be_found_and_says_what_would_come(page):
    page.begin()
    assert 'href="/export"' in page.get("/").text
    html = page.get("/export").text
    assert "1 thread, and the assistants" in html
    for form in ("json", "shown", "versions", "jan"):
        assert f'value="{form}"' in html


@pytest.mark.parametrize(
    ("form", "there"),
    [
        ("json", "threads/{}.json"),
        ("shown", "How do tides work.md"),
        ("versions", "How do tides work.md"),
        ("jan", "threads/{}/thread.json"),
    ],
)
def test_each_format_comes_as_a_zip_with_files_if_they_are_wanted(page, form, there):
    thread_id = page.begin()
    sent = {"files": (io.BytesIO(b"The harbour opens at six."), "hours.txt")}
    page.client.post(f"/threads/{thread_id}/files", data=sent)
    for files in ("", "&files=yes"):
        answer = page.get(f"/export/file?as={form}{files}")
        assert answer.mimetype == "application/zip"
        assert answer.headers["Content-Disposition"].startswith(
            f"attachment; filename=strata-{form}"
        )
        assert answer.headers["Cache-Control"] == "no-store"
        names = names_in(answer)
        assert there.format(thread_id) in names
        assert any(name.endswith("hours.txt") for name in names) is bool(files)


def test_the_zip_is_sent_while_it_is_made_and_watched(page):
    page.begin()
    assert "notice" not in page.get("/export/progress").text
    answer = page.client.get("/export/file", buffered=False)
    assert answer.is_streamed
    first = next(answer.iter_encoded())
    assert first
    running = page.get("/export/progress").text
    assert "0 of 1 thread" in running
    assert "load delay:1s" in running
    answer.close()
    broken = page.get("/export/progress").text
    assert "download stopped" in broken
    assert "load delay" not in broken
    assert page.get("/export/file").data
    assert "1 thread with 2 messages went into the zip" in page.get("/export").text


def test_rubbish_is_told_in_a_sentence(page):
    assert page.get("/export/file?as=exe").status_code == 422


def test_a_look_at_the_head_begins_nothing(page):
    assert page.client.head("/export/file").status_code == 200
    assert "notice" not in page.get("/export/progress").text


def test_on_a_shared_strata_each_gets_only_what_is_theirs(house, library):
    mine = library.create("Reader's own", owner=house.ids["reader"]).id
    found = names_in(house.client("reader").get("/export/file", headers=HOST))
    assert [name for name in found if name.startswith("threads/")] == [f"threads/{mine}.json"]
    assert not [name for name in found if name.startswith("projects/")]
    found = names_in(house.client("owner").get("/export/file", headers=HOST))
    assert f"threads/{house.thread}.json" in found
    assert f"projects/{house.project}.json" in found
    assert f"threads/{mine}.json" not in found
    assert "1 thread with" in house.client("reader").get("/export/progress", headers=HOST).text
    other = house.client("other").get("/export/progress", headers=HOST)
    assert "with" not in other.text
