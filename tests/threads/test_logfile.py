import pytest

from tests.threads.store_contract import said
from webapp.chat.records import Append, Delete, Patch, Put
from webapp.errors import StorageFailed
from webapp.threads.logfile import Damage, LogFile


def test_a_file_knows_whether_someone_else_changed_it(tmp_path):
    file = LogFile(tmp_path)
    assert file.is_current()
    file.append([Put(said("m"))], 1, None, durably=True)
    assert file.is_current()
    other = LogFile(tmp_path)
    other.append([Append("m", "!")], 2, None, durably=False)
    assert not file.is_current()
    assert LogFile(tmp_path).contents() == other.contents()
    file.path.unlink()
    with pytest.raises(StorageFailed, match="disappeared"):
        other.is_current()


def test_only_a_mostly_dead_file_without_a_stream_is_worth_rewriting(tmp_path):
    file = LogFile(tmp_path)
    big = "x" * 600_000
    for text in (big, big, "short"):
        assert not file.is_worth_rewriting()
        file.append([Put(said("m", text))], 1, None, durably=False)
    assert file.is_worth_rewriting()
    assert LogFile(tmp_path).is_worth_rewriting()
    file.append([Put(said("a", status="pending"))], 1, None, durably=False)
    assert file.is_streamed_into()
    assert not file.is_worth_rewriting()
    file.append([Delete("a")], 1, None, durably=False)
    assert file.is_worth_rewriting()
    file.put_off_rewriting()
    assert not file.is_worth_rewriting()


def test_a_rewritten_file_has_nothing_dead(tmp_path):
    file = LogFile(tmp_path)
    file.append([Put(said("m")), Patch("m", {"a": 1}), Put(said("n"))], 1, None, durably=True)
    file.rewrite(2)
    written = file.path.read_bytes()
    again = LogFile(tmp_path)
    assert again.contents() == file.contents()
    again.rewrite(3)
    assert file.path.read_bytes() == written
    assert (tmp_path / "history.jsonl").read_bytes().count(b"log_until") == 1


def test_damage_is_counted_in_words():
    assert Damage().notices() == ()
    assert Damage([b"x"]).notices()[0].startswith("1 line of this thread's log could not be read")
    assert Damage([b"x"] * 1200).notices()[0].startswith("1,200 lines ")
    assert len(Damage([b"x"], repeated=2).notices()) == 2
