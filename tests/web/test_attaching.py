"""Files of a form: read from it, refused by size, stored one by one."""

import io
from dataclasses import replace

import pytest
from werkzeug.datastructures import FileStorage

from webapp.documents.parsing.limits import MB
from webapp.errors import BadInput
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
