"""What is backed up of a data directory, and what is left out."""

import os

import pytest

from webapp.backups import source


@pytest.fixture
def root(tmp_path):
    def make(*paths):
        for path in paths:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(path)
        return tmp_path

    return make


def paths(root):
    return [each.path for part in source.parts(root) for each in source.look(root, part).files]


def test_threads_and_projects_are_parts_and_so_is_all_else(root):
    found = root(
        *("threads/a/thread.json", "threads/b/thread.json", "trash/5.c/thread.json"),
        *("projects/p/project.json", "assistants/x/assistant.json", "assistants/.trash/y/a.json"),
        *("settings.toml", "people/people.json", "store.toml", "repaired-20260101/t/thread.json"),
    )
    assert set(source.parts(found)) == {
        *("assistants", "people", "settings.toml", "store.toml", "repaired-20260101"),
        *("threads/a", "threads/b", "trash/5.c", "projects/p"),
    }
    assert "assistants/.trash/y/a.json" in paths(found)
    assert source.parents(found).keys() == {"", "threads", "trash", "projects"}


def test_what_can_be_made_again_holds_for_this_process_or_is_half_written_stays_behind(root):
    found = root(
        *("cache/search.sqlite3", "lance/t.lance/data/1", "instance.lock", "last-backup.json"),
        *("people/sessions.json", "threads.sqlite3-wal", "threads.sqlite3-shm"),
        *("migrating/threads.sqlite3", "settings.toml.new", "threads/a/thread.json.new"),
        *("threads/.b.new/thread.json", "threads/a/files/.new-1/original"),
        *("threads/a/files/.gone-2/original", "trash/.going.5.c/thread.json"),
        *("projects/.going.p/project.json", "threads/a/files/3/original"),
    )
    assert paths(found) == ["threads/a/files/3/original"]


def test_what_points_is_read_before_what_it_points_to(root):
    found = root(
        *("threads/a/files/1/about.json", "threads/a/files/1/original", "threads/a/history.jsonl"),
        *("threads/a/messages.jsonl", "threads/a/thread.json"),
    )
    assert [each.rpartition("/")[2] for each in paths(found)] == [
        *("thread.json", "messages.jsonl", "history.jsonl", "about.json", "original"),
    ]


def test_links_are_followed_and_those_that_lead_nowhere_or_back_are_told(root, tmp_path):
    found = root("data/threads/a/thread.json", "elsewhere/b/thread.json") / "data"
    (found / "threads/b").symlink_to(tmp_path / "elsewhere/b")
    (found / "threads/a/nowhere").symlink_to(tmp_path / "none")
    (found / "threads/a/back").symlink_to(found / "threads/a")
    os.mkfifo(found / "threads/a/pipe")
    assert "threads/b/thread.json" in paths(found)
    told = source.look(found, "threads/a").complaints
    assert len(told) == 3
    assert all(each.endswith("left out.") for each in told)
    assert paths(found).count("threads/a/thread.json") == 1


def test_what_is_gone_is_an_empty_look(root):
    found = root("threads/a/thread.json")
    assert source.look(found, "threads/z").files == []


def test_models_are_whole_ones_with_what_is_known_of_them(root):
    found = root("one.gguf", "one.gguf.json", "two.gguf.part", "two.gguf.json", ".x.json.new")
    assert [each.path for each in source.models(found)] == ["one.gguf", "one.gguf.json"]
