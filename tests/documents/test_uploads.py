"""What is stored of an upload, and what is not."""

import threading

import pytest

from tests.documents.taking_in import (
    CONTRACT,
    GARDEN,
    SECONDS,
    Slow,
    add,
    open_documents,
    stages,
)
from tests.threads.disk_faults import no_file_grows_beyond
from webapp.documents.parsing.limits import MB
from webapp.documents.service import DocumentOptions
from webapp.documents.uploads import Duplicate, Stored
from webapp.errors import Conflict, NotFound, StorageFailed, Unreadable


@pytest.fixture
def documents(tmp_path):
    documents = open_documents(tmp_path, options=DocumentOptions(file_bytes=MB))
    yield documents
    documents.close()


@pytest.fixture
def scope(documents):
    return documents.thread("t1")


def begin(documents, scope, content, size=0):
    """An upload in a thread of its own, half done, and what came of it."""
    stream, result = Slow(content), []

    def upload():
        try:
            result.append(documents.add(scope, "slow.txt", stream, size))
        except Exception as error:
            result.append(error)

    thread = threading.Thread(target=upload)
    thread.start()
    assert stream.begun.wait(SECONDS)
    return stream, thread, result


def end(stream, thread):
    stream.go_on.set()
    thread.join(SECONDS)


def test_the_bytes_on_their_way_are_counted(documents, scope):
    content = CONTRACT.encode()
    stream, thread, [*_] = begin(documents, scope, content, len(content))
    [state] = documents.status(scope)
    assert (state.stage, state.done, state.total) == ("uploading", len(content) // 2, len(content))
    assert (state.name, state.is_over) == ("slow.txt", False)
    end(stream, thread)
    assert stages(documents, scope) == {"slow.txt": "ready"}


def test_a_cancelled_upload_leaves_nothing(documents, scope):
    stream, thread, result = begin(documents, scope, CONTRACT.encode())
    [state] = documents.status(scope)
    with pytest.raises(Conflict):
        documents.acts.read_again(scope, state.id)
    with pytest.raises(Conflict):
        documents.acts.choose_use(scope, state.id, "inline")
    documents.acts.cancel(scope, state.id)
    assert documents.status(scope) == ()
    end(stream, thread)
    assert isinstance(result[0], Conflict)
    assert list(scope.folder.iterdir()) == []


def test_an_upload_into_a_thread_that_is_deleted_meanwhile_does_not_bring_it_back(
    documents, scope, tmp_path
):
    stream, thread, result = begin(documents, scope, CONTRACT.encode())
    with documents.leaving(scope):
        (tmp_path / "trash").mkdir()
        scope.folder.parent.rename(tmp_path / "trash/1.t1")
    end(stream, thread)
    assert isinstance(result[0], Conflict | NotFound | StorageFailed)
    assert not scope.folder.parent.exists()
    with pytest.raises(NotFound):
        add(documents, scope, "late.txt", CONTRACT)
    assert not scope.folder.parent.exists()


def test_the_same_content_again_is_named_and_not_stored_twice(documents, scope):
    first = add(documents, scope, "contract.txt", CONTRACT)
    again = add(documents, scope, "contract.txt", CONTRACT)
    assert isinstance(first, Stored) and isinstance(again, Duplicate)
    assert (again.state.id, again.sentence) == (first.state.id, "“contract.txt” is here already.")
    stages(documents, scope)
    assert len(documents.status(scope)) == len(list(scope.folder.iterdir())) == 1
    assert isinstance(add(documents, documents.thread("t2"), "contract.txt", CONTRACT), Stored)


def test_the_same_name_with_other_content_is_a_new_file(documents, scope):
    names = [
        add(documents, scope, "a.txt", content).state.name for content in (CONTRACT, GARDEN, "x y")
    ]
    assert names == ["a.txt", "a (2).txt", "a (3).txt"]


def test_two_normal_forms_of_one_name_are_one_name(documents, scope):
    first = add(documents, scope, "\u00dcbung.txt", "equal")
    again = add(documents, scope, "U\u0308bung.txt", "equal")
    assert isinstance(again, Duplicate)
    assert first.state.name == again.state.name == "\u00dcbung.txt"
    other = add(documents, scope, "U\u0308bung.txt", "other")
    assert other.state.name == "\u00dcbung (2).txt"


def test_the_same_file_twice_at_one_moment_is_stored_once(documents, scope):
    results, ready = [], threading.Barrier(4)

    def upload():
        ready.wait(SECONDS)
        results.append(add(documents, scope, "contract.txt", CONTRACT))

    threads = [threading.Thread(target=upload) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert sorted(type(result).__name__ for result in results) == ["Duplicate"] * 3 + ["Stored"]
    assert stages(documents, scope) == {"contract.txt": "ready"}


@pytest.mark.parametrize(
    "name", ["../../x.txt", "/x.txt", "..\\x.txt", "a/../../x.txt", "%2e%2e%2fx.txt", "\ud800\0\n"]
)
def test_no_name_leads_out_of_the_folder(documents, scope, tmp_path, name):
    state = add(documents, scope, name, CONTRACT).state
    assert list(tmp_path.rglob("*x.txt*")) == []
    assert "/" not in state.name and "\\" not in state.name
    assert documents.original(scope, state.id).parent == scope.folder / state.id


@pytest.mark.parametrize("size", [0, MB + 1])
def test_what_is_too_large_is_refused_at_once_or_on_the_way(documents, scope, size):
    stream = Slow(b"x" * (MB + 1))
    stream.go_on.set()
    with pytest.raises(Unreadable, match="the limit is 1 MB"):
        documents.add(scope, "large.txt", stream, size)
    assert documents.status(scope) == ()
    assert stream.begun.is_set() == (size == 0)


def test_a_full_disk_is_said_and_the_next_file_is_taken(documents, scope):
    with no_file_grows_beyond(20), pytest.raises(StorageFailed, match="the disk is full"):
        add(documents, scope, "contract.txt", CONTRACT)
    assert documents.status(scope) == ()
    assert isinstance(add(documents, scope, "contract.txt", CONTRACT), Stored)
