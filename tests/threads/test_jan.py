"""From a data folder of Jan and back, with either store."""

import json
import shutil
from pathlib import Path

import pytest

from tests.threads.disk_faults import no_file_grows_beyond
from tests.threads.store_contract import ids, said, texts, thread
from webapp.chat.records import Delete, Patch, Put
from webapp.chat.tree import Tree
from webapp.errors import NotFound, StorageFailed
from webapp.threads.jan import bring_in, take_out
from webapp.threads.jsonl import JsonlThreadStore
from webapp.threads.sqlite import SqliteThreadStore

FIELD_CASES = Path(__file__).parent.parent / "data" / "threads"
CASES = sorted(path.name for path in FIELD_CASES.iterdir() if path.is_dir())
NOW = 1_767_225_600_000


@pytest.fixture(params=[JsonlThreadStore, SqliteThreadStore])
def store(request, tmp_path, clock):
    store = request.param(tmp_path / "data", clock)
    yield store
    store.close()


@pytest.fixture
def jan(tmp_path):
    """A data folder as Jan leaves it, with some of its threads broken."""
    folder = tmp_path / "jan"
    shutil.copytree(FIELD_CASES, folder / "threads")
    write(folder / "assistants/jan/assistant.json", b'{"id":"jan", "temperature": 0.70}')
    write(folder / "assistants/broken/assistant.json", b"{")
    write(folder / "settings.json", b"{}")
    (folder / "threads/.DS_Store").write_bytes(b"")
    (folder / "threads/empty").mkdir()
    return folder


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def objects(path):
    found = []
    for line in path.read_text("utf-8").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return [value for value in found if "role" in value]


def come_in(jan, store, tmp_path, *, dry=False):
    return bring_in(jan, store, tmp_path / "data", NOW, dry=dry)


def go_out(store, tmp_path, name="out"):
    return take_out(store, tmp_path / "data", tmp_path / name, NOW)


def paths(store):
    return {
        id: Tree(store.read(id).messages, store.get_thread(id).active_root_id).active_path()
        for id in CASES
    }


def test_all_threads_come_in_with_their_ids_and_nothing_is_changed_there(jan, store, tmp_path):
    before = files(jan)
    done = come_in(jan, store, tmp_path)
    assert (done.threads, done.known, done.assistants) == (len(CASES), 0, 1)
    assert sorted(entry.id for entry in store.list_threads()) == CASES
    for id in CASES:
        assert [dict(each.data) for each in store.read(id).messages] == objects(
            jan / "threads" / id / "messages.jsonl"
        )
    assert done.messages == sum(len(store.read(id).messages) for id in CASES)
    assert store.get_thread("switch-back").data == json.loads(
        (jan / "threads/switch-back/thread.json").read_text()
    )
    assert files(jan) == before
    assistant = tmp_path / "data/assistants/jan/assistant.json"
    assert assistant.read_bytes() == b'{"id":"jan", "temperature": 0.70}'


def test_what_is_damaged_is_named_and_the_rest_of_it_comes_in(jan, store, tmp_path):
    done = come_in(jan, store, tmp_path)
    told = "\n".join(done.complaints)
    assert "half-list-broken: thread.json could not be read" in told
    assert "stale-pointers: 1 line could not be read" in told
    assert "The assistant 'broken'" in told
    assert store.get_thread("half-list-broken").title == "The broken one"
    assert texts(store.read("half-list-broken")) == {"w0": "My text must not be lost."}


def test_coming_in_twice_adds_nothing(jan, store, tmp_path):
    first = come_in(jan, store, tmp_path)
    before = {id: store.read(id) for id in CASES}
    again = come_in(jan, store, tmp_path)
    assert (again.threads, again.messages, again.assistants) == (0, 0, 0)
    assert again.known == first.threads
    assert {id: store.read(id) for id in CASES} == before


def test_a_dry_run_counts_alike_and_writes_nothing(jan, store, tmp_path):
    dry = come_in(jan, store, tmp_path, dry=True)
    assert store.list_threads() == []
    assert not (tmp_path / "data/assistants").exists()
    assert come_in(jan, store, tmp_path) == dry


def test_what_was_changed_deleted_or_thrown_away_here_does_not_come_back(jan, store, tmp_path):
    come_in(jan, store, tmp_path)
    last = ids(store.read("switch-back"))[-1]
    store.write("switch-back", [Delete(last)], what="Deleted")
    store.modify_thread(store.get_thread("half-list-good").with_fields(title="Mine"))
    store.write("half-list-good", [Put(said("g0", "mine"))])
    store.delete_thread("detached-answers")
    again = come_in(jan, store, tmp_path)
    assert (again.threads, again.messages) == (0, 0)
    assert last not in ids(store.read("switch-back"))
    assert store.get_thread("half-list-good").title == "Mine"
    assert texts(store.read("half-list-good")) == {"g0": "mine"}
    assert "detached-answers" not in {entry.id for entry in store.list_threads()}


def test_a_coming_in_that_was_cut_short_is_finished(jan, store, tmp_path):
    come_in(jan, store, tmp_path)
    whole = {id: store.read(id).messages for id in CASES}
    other = type(store)(tmp_path / "other", lambda: NOW)
    other.create_thread(store.get_thread("switch-back"))
    other.write("switch-back", [Put(message) for message in whole["switch-back"][:3]])
    other.create_thread(store.get_thread("stale-pointers"))
    done = bring_in(jan, other, tmp_path / "other", NOW, dry=False)
    assert (done.threads, done.known) == (3, 2)
    assert {id: other.read(id).messages for id in CASES} == whole
    other.close()


def test_ids_that_cannot_be_used_and_folders_of_nothing_are_passed_over(jan, store, tmp_path):
    shutil.copytree(jan / "threads/switch-back", jan / "threads/an id with spaces")
    done = come_in(jan, store, tmp_path)
    assert done.threads == len(CASES)
    assert [each for each in done.complaints if "an id with spaces" in each]


def test_a_log_that_cannot_be_read_is_named_and_the_others_come_in(jan, store, tmp_path):
    (jan / "threads/switch-back/messages.jsonl").unlink()
    (jan / "threads/switch-back/messages.jsonl").mkdir()
    done = come_in(jan, store, tmp_path)
    assert done.threads == len(CASES) - 1
    assert [each for each in done.complaints if each.startswith("switch-back")]


@pytest.mark.parametrize("name", ["jan/threads", "nothing", "jan/settings.json"])
def test_what_is_no_data_folder_is_said(jan, store, tmp_path, name):
    with pytest.raises(NotFound, match="Jan"):
        come_in(tmp_path / name, store, tmp_path)


def test_a_full_disk_is_said_and_it_can_be_done_again(jan, store, tmp_path):
    with no_file_grows_beyond(100), pytest.raises(StorageFailed):
        come_in(jan, store, tmp_path)
    come_in(jan, store, tmp_path)
    assert sorted(entry.id for entry in store.list_threads()) == CASES
    assert len(store.read("switch-back").messages) == 7


def test_what_goes_out_is_what_came_in(jan, store, tmp_path):
    come_in(jan, store, tmp_path)
    done = go_out(store, tmp_path)
    assert (done.threads, done.assistants) == (len(CASES), 1)
    for id in CASES:
        path = tmp_path / "out/threads" / id / "messages.jsonl"
        lines = path.read_text("utf-8").splitlines()
        assert [json.loads(line) for line in lines] == objects(
            jan / "threads" / id / "messages.jsonl"
        )
    for id in set(CASES) - {"half-list-broken"}:
        fields = (tmp_path / "out/threads" / id / "thread.json").read_text("utf-8")
        assert json.loads(fields) == json.loads((jan / "threads" / id / "thread.json").read_text())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["assistants", "threads"]


def test_the_same_paths_are_shown_after_going_out_and_coming_in(jan, store, tmp_path, clock):
    come_in(jan, store, tmp_path)
    store.write("switch-back", [Patch("s-u1", {"activeChildId": "s-a1"})])
    odd = said("odd", "a\0b\ud800", parent="s-a1", at=1, crc=2).data
    store.write("switch-back", [Put(said("odd").with_fields(**odd, price=1.10))])
    before = paths(store)
    go_out(store, tmp_path)
    other = type(store)(tmp_path / "other", clock)
    bring_in(tmp_path / "out", other, tmp_path / "other", NOW, dry=False)
    assert paths(other) == before
    assert {id: other.read(id).messages for id in CASES} == {
        id: store.read(id).messages for id in CASES
    }
    other.close()


def test_no_member_of_ours_goes_out_and_deleted_messages_do_not(store, tmp_path):
    store.create_thread(thread())
    store.write("t", [Put(said("a", "one")), Put(said("b"))], what="Act")
    store.write("t", [Patch("a", {"pin": 1}), Delete("b")], what="Act")
    go_out(store, tmp_path)
    (line,) = (tmp_path / "out/threads/t/messages.jsonl").read_bytes().splitlines()
    assert json.loads(line) == said("a", "one").with_metadata({"pin": 1}).data


def test_going_out_overwrites_nothing_and_can_be_done_again(store, tmp_path):
    store.create_thread(thread())
    store.create_thread(thread("u"))
    write(tmp_path / "out/threads/t/thread.json", b"{}")
    write(tmp_path / "out/threads/.u.new/half", b"")
    done = go_out(store, tmp_path)
    assert (done.threads, done.known) == (1, 1)
    assert (tmp_path / "out/threads/t/thread.json").read_bytes() == b"{}"
    again = go_out(store, tmp_path)
    assert (again.threads, again.known) == (0, 2)


def test_a_full_disk_leaves_no_half_thread_behind(store, tmp_path):
    store.create_thread(thread())
    store.create_message("t", said("a", "x" * 5000))
    with no_file_grows_beyond(1000), pytest.raises(StorageFailed):
        go_out(store, tmp_path)
    assert not (tmp_path / "out/threads/t").exists()
    assert go_out(store, tmp_path).threads == 1
