"""Files of a form: read from it, refused by size, stored one by one."""

import io
from dataclasses import replace

import pytest
from werkzeug.datastructures import FileStorage

from webapp.documents.parsing.limits import MB
from webapp.errors import BadInput
from webapp.people.quota import Quota
from webapp.settings import Settings
from webapp.web import attaching
from webapp.web.attaching import Taken, chosen_files, fitting, posted_files, taken


def file(name, words):
    return FileStorage(io.BytesIO(words), name)


def test_a_form_without_files_has_none(app):
    with app.test_request_context("/", method="POST", data={"files": "a.txt"}):
        assert posted_files() == []
    empty = {"files": (io.BytesIO(b""), "")}
    with app.test_request_context("/", method="POST", data=empty):
        assert posted_files() == []
        with pytest.raises(BadInput, match="No file was chosen"):
            chosen_files()


def test_each_file_of_the_field_is_given(app):
    sent = {"files": [(io.BytesIO(b"x"), "a.txt"), (io.BytesIO(b"y"), "b.txt")], "text": "Why?"}
    with app.test_request_context("/", method="POST", data=sent):
        assert [each.filename for each in chosen_files()] == ["a.txt", "b.txt"]


def test_what_is_too_large_is_named_and_the_others_fit(app, services):
    small = replace(services, settings=replace(services.settings, max_file_mb=1))
    app.extensions["strata"] = small
    with app.app_context():
        fit, told = fitting([file("large.txt", b"x" * (MB + 1)), file("a.txt", b"x")])
    assert [each.filename for each in fit] == ["a.txt"]
    assert told.refused and "“large.txt” was not attached." in told.told[0]


def test_one_that_is_here_already_is_told_and_not_counted(app, documents, library):
    scope = documents.thread(library.create().id)
    with app.app_context():
        first = taken(scope, [file("a.txt", b"Same words."), file("b.txt", b"Same words.")])
    assert (first.stored, first.refused) == (1, False)
    assert "“b.txt” is the same file as “a.txt”" in first.told[0]


def test_what_was_told_before_comes_first():
    both = Taken(("b",), False, 1).after(Taken(("a",), True))
    assert both == Taken(("a", "b"), True, 1)


def attach(house, who, words=b"The sea rises.", **environ):
    sent = {"files": (io.BytesIO(words), "a.txt")}
    options = {"headers": {"Host": "localhost:5100"}, "environ_overrides": environ}
    return house.client(who).post(f"/threads/{house.thread}/files", data=sent, **options)


def test_one_person_waits_who_sends_much_and_others_do_not(house):
    house.household.uploads = Quota(2, 60_000, "uploads")
    assert [attach(house, "owner").status_code for _ in range(3)] == [303, 200, 429]
    refused = attach(house, "owner")
    assert int(refused.headers["Retry-After"]) >= 1
    assert "Try again in" in refused.text
    assert attach(house, "writer", words=b"And falls.").status_code == 303


def test_what_is_sent_is_counted_before_it_is_read(house):
    house.household.upload_bytes = Quota(1000, 60_000, "bytes")
    assert attach(house, "owner").status_code == 303
    assert attach(house, "owner", words=b"x" * 5000).status_code == 429


def test_a_shared_thread_holds_so_many_files_and_no_more(house, monkeypatch):
    monkeypatch.setattr(attaching, "MOST_FILES", 1)
    assert attach(house, "owner").status_code == 303
    refused = attach(house, "owner", words=b"And falls.")
    assert refused.status_code == 422
    assert "There are 1 files here already." in refused.text


def test_a_question_without_files_is_no_upload(house):
    house.household.uploads = Quota(1, 60_000, "uploads")
    client = house.client("owner")
    for _ in range(2):
        sent = {"text": "Why?", "files": (io.BytesIO(b""), "")}
        answer = client.post("/threads", data=sent, headers={"Host": "localhost:5100"})
        assert answer.status_code == 303


def test_what_no_form_can_hold_takes_nothing_of_what_may_be_sent(house):
    house.app.extensions["strata"] = replace(
        house.app.extensions["strata"], settings=replace(Settings(), max_file_mb=1)
    )
    house.household.upload_bytes = Quota(12 * MB, 60_000, "bytes")
    assert attach(house, "owner", CONTENT_LENGTH=str(12 * MB)).status_code == 413
    assert attach(house, "owner").status_code == 303
