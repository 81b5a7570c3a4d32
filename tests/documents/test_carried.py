"""Files from elsewhere lie in their place, under the ids they had, and are read anew."""

import io

import pytest

from webapp.documents import files
from webapp.documents.carried import carry_in, take_back
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.file_facts import FileFacts
from webapp.documents.scope import thread_scope
from webapp.documents.service import Documents
from webapp.engines.scripted import DIMENSION
from webapp.errors import StrataError, Unreadable

TOLD = FileFacts("f1", "../Lease\u202e.txt", 7, "lies", 5, "ready", use="inline", chunks=9)


def carried(scope, facts=TOLD, data=b"words", most=100):
    carry_in(scope, facts, io.BytesIO(data), len(data), most)


def test_only_name_time_and_use_are_believed(tmp_path):
    scope = thread_scope(tmp_path, "t")
    carried(scope)
    [facts] = files.load(scope)
    assert (facts.id, facts.name, facts.added_ms, facts.use) == ("f1", "Lease.txt", 5, "inline")
    assert (facts.size, facts.stage, facts.chunks) == (5, "received", 0)
    assert facts.sha256 == files.original_facts(scope, "f1").sha256
    assert files.original(scope, "f1").read_bytes() == b"words"


def test_two_files_of_one_name_keep_apart_and_a_second_try_replaces_the_first(tmp_path):
    scope = thread_scope(tmp_path, "t")
    carried(scope)
    carried(scope, FileFacts("f2", "Lease.txt", added_ms=6))
    carried(scope, data=b"other")
    assert {each.id for each in files.load(scope)} == {"f1", "f2"}
    assert {each.name for each in files.load(scope)} == {"Lease.txt", "Lease (2).txt"}
    assert files.original(scope, "f1").read_bytes() == b"other"


def test_what_is_too_large_or_has_no_id_leaves_nothing(tmp_path):
    scope = thread_scope(tmp_path, "t")
    with pytest.raises(Unreadable):
        carried(scope, most=4)
    with pytest.raises(Unreadable):
        carry_in(scope, TOLD, io.BytesIO(b"x" * 50), 3, 10)
    with pytest.raises(StrataError):
        carried(scope, FileFacts("../x", "x"))
    assert files.load(scope) == []


def test_what_did_not_come_after_all_is_taken_back_and_nothing_else(tmp_path):
    scope = thread_scope(tmp_path, "t")
    carried(scope)
    carried(scope, FileFacts("f2", "b"))
    take_back(scope, ["f1"])
    assert [each.id for each in files.load(scope)] == ["f2"]
    take_back(scope, ["f2"])
    assert not (tmp_path / "threads/t").exists()


def test_they_are_read_when_somebody_looks(tmp_path, engine, clock, new_id):
    model = EmbeddingModel("scripted", DIMENSION)
    documents = Documents(tmp_path, engine, model, clock_ms=clock, new_id=new_id)
    scope = documents.thread("t")
    carried(scope, data=b"The notice period is three months.")
    documents.returned(scope)
    assert documents.wait_over(scope, 30).files[0].is_ready
    found = documents.search([scope], "notice")
    documents.close()
    assert found.passages[0].file_id == "f1"
