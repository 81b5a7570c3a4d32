"""Copies of what is written to meanwhile."""

import io
import itertools
import threading
import time

import pytest

from webapp.backups.copying import Copying, whole_lines
from webapp.backups.objects import Objects
from webapp.backups.source import Source
from webapp.backups.states import PIECE
from webapp.errors import StorageFailed
from webapp.threads import log

LINE = log.seal(b'{"id":"a","append":"more"', 5)


@pytest.fixture
def objects(tmp_path):
    for name in ("objects", "partial", "data"):
        (tmp_path / name).mkdir()
    return Objects(tmp_path / "objects", tmp_path / "partial")


@pytest.fixture
def root(tmp_path):
    return tmp_path / "data"


class Later:
    """A clock an hour from now, so that everything is at rest; what happens in a pause."""

    def __init__(self, *acts):
        self.acts = list(acts)
        self.pauses = 0

    def __call__(self, seconds):
        self.pauses += 1
        if self.acts:
            self.acts.pop(0)()


def copying(objects, known=(), heard=lambda size: None, **more):
    return Copying(objects, {each.path: each for each in known}, heard, **more)


def hour_on():
    return time.time_ns() + 3_600_000_000_000


def content(objects, entry):
    return b"".join(objects.read(digest) for digest in entry.pieces)


def test_large_files_are_cut_so_that_only_what_changed_is_new(objects, root):
    path = root / "big"
    path.write_bytes(b"a" * PIECE + b"b" * PIECE + b"c")
    first = copying(objects)
    (entry,) = first.part(root, "big").files
    assert [size for _, size in entry.sizes()] == [PIECE, PIECE, 1]
    assert first.fresh == 2 * PIECE + 1
    with path.open("r+b") as file:
        file.seek(PIECE)
        file.write(b"x")
    second = copying(objects)
    (entry,) = second.part(root, "big").files
    assert second.fresh == PIECE
    assert content(objects, entry) == path.read_bytes()


def test_a_file_that_rested_since_is_not_read_again(objects, root, monkeypatch):
    path = root / "settings.toml"
    path.write_text("threads = 1")
    (entry,) = copying(objects, now_ns=hour_on).part(root, "settings.toml").files
    assert entry.mark
    path.chmod(0o600)  # also a change that leaves time and size alone
    (again,) = copying(objects, [entry], now_ns=hour_on).part(root, "settings.toml").files
    assert again != entry
    heard = []
    unread = copying(objects, [again], heard.append, now_ns=hour_on)
    monkeypatch.setattr("pathlib.Path.open", None)
    assert unread.part(root, "settings.toml").files == [again]
    assert heard == [11]


def test_one_that_was_just_written_is(objects, root):
    (root / "a").write_text("one")
    (entry,) = copying(objects).part(root, "a").files
    assert entry.mark is None


def test_a_piece_that_is_gone_or_distrusted_is_written_again(objects, root):
    (root / "a").write_text("one")
    (entry,) = copying(objects, now_ns=hour_on).part(root, "a").files
    known = frozenset(entry.pieces)
    distrusting = copying(objects, [entry], distrusted=known, now_ns=hour_on)
    distrusting.part(root, "a")
    assert distrusting.fresh == 3
    objects.remove(entry.pieces[0])
    missing = copying(objects, [entry], now_ns=hour_on)
    missing.part(root, "a")
    assert missing.fresh == 3


def test_what_changes_while_it_is_read_is_read_again(objects, root):
    folder = root / "threads/t"
    folder.mkdir(parents=True)
    (folder / "thread.json").write_text("old")
    (folder / "messages.jsonl").write_bytes(LINE)
    beats = itertools.count()

    def heard(size):
        if next(beats) == 0:  # between the two files
            (folder / "thread.json").write_text("new")
            (folder / "messages.jsonl").write_bytes(LINE + LINE)

    files = copying(objects, heard=heard, now_ns=hour_on).part(root, "threads/t").files
    assert [content(objects, each) for each in files] == [b"new", LINE + LINE]


def test_what_was_written_to_a_moment_ago_is_waited_for(objects, root):
    (root / "t").mkdir()
    path = root / "t/thread.json"
    path.write_text("old")
    wait = Later(lambda: path.write_text("newer"), lambda: path.write_text("newest"))
    (entry,) = copying(objects, wait=wait).part(root, "t").files
    assert content(objects, entry) == b"newest"
    assert wait.pauses > 2


def test_a_thread_that_never_rests_is_copied_all_the_same(objects, root):
    path = root / "messages.jsonl"
    path.write_bytes(LINE)

    def heard(size):
        with path.open("ab") as file:
            file.write(LINE)

    (entry,) = copying(objects, heard=heard, wait=Later()).part(root, "messages.jsonl").files
    assert content(objects, entry) == LINE * (entry.size // len(LINE))


def test_a_file_that_shrinks_and_one_that_goes_are_looked_at_again(objects, root):
    folder = root / "threads/t"
    folder.mkdir(parents=True)
    (folder / "thread.json").write_bytes(b"a" * (PIECE + 5))
    (folder / "messages.jsonl").write_bytes(LINE)
    beats = itertools.count()

    def heard(size):
        if next(beats) == 0:
            (folder / "thread.json").write_bytes(b"short")
            (folder / "messages.jsonl").unlink()

    files = copying(objects, heard=heard, now_ns=hour_on).part(root, "threads/t").files
    assert [content(objects, each) for each in files] == [b"short"]


def test_a_part_that_is_gone_is_empty(objects, root):
    assert copying(objects).part(root, "threads/t").files == []


def test_a_file_that_cannot_be_read_is_named(objects, root):
    with pytest.raises(StorageFailed, match=r"data could not be read"):
        copying(objects).file(Source("a", root, (9, 0, 0, 0), 0o600), "data/a")


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (b"", b""),
        (LINE, LINE),
        (LINE + LINE[:-1], LINE + LINE[:-1]),
        (LINE + LINE[:-9], LINE),
        (LINE[:-9], b""),
        (b'{"id":"x","role":"user"}', b'{"id":"x","role":"user"}'),
        (b"junk\n" + b"x" * 200_000, b"junk\n"),
        (b"junk\n\0\0\0", b"junk\n"),
    ],
)
def test_a_log_is_copied_up_to_its_last_whole_line(lines, kept):
    assert lines[: whole_lines(io.BytesIO(lines), len(lines))] == kept


def test_a_log_that_is_appended_to_by_another_thread_ends_with_a_whole_line(objects, root):
    path = root / "messages.jsonl"
    path.write_bytes(LINE)
    done = threading.Event()

    def write():
        with path.open("ab", buffering=0) as file:
            while not done.is_set():
                file.write(LINE[:7])
                file.write(LINE[7:])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(5):
            (entry,) = copying(objects, wait=Later()).part(root, "messages.jsonl").files
            assert content(objects, entry) == LINE * (entry.size // len(LINE))
    finally:
        done.set()
        writer.join()
