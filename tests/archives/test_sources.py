"""Files are known by what is in them, whatever they are called."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.archives.lives import lived
from webapp.archives import thread_json
from webapp.archives.come import DamagedCome, ThreadCome
from webapp.archives.sources import source
from webapp.errors import BadInput

EXPORTS = Path(__file__).resolve().parent.parent / "data" / "exports"
CHATGPT = (EXPORTS / "chatgpt.json").read_bytes()


def read(path):
    with source(path, 1) as found:
        return found.program, list(found.read())


def zipped(path, **entries):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("name", "program", "threads", "damaged"),
    [
        ("chatgpt.json", "ChatGPT", 3, 1),
        ("chatgpt_kinds.json", "ChatGPT", 3, 0),
        ("claude.json", "Claude", 2, 1),
        ("librechat.json", "LibreChat", 1, 0),
        ("librechat_flat.json", "LibreChat", 1, 0),
        ("open_webui.json", "Open WebUI", 2, 0),
        ("open_webui_newer.json", "Open WebUI", 3, 0),
        ("open_webui_old.json", "Open WebUI", 2, 0),
    ],
)
def test_exports_are_known_alone_and_in_a_zip(tmp_path, name, program, threads, damaged):
    data = (EXPORTS / name).read_bytes()
    in_zip = zipped(tmp_path / "in.zip", **{name: data, "chat.html": "<html>"})
    for path in (EXPORTS / name, in_zip):
        found, comes = read(path)
        assert found == program
        assert sum(isinstance(each, ThreadCome) for each in comes) == threads
        assert sum(isinstance(each, DamagedCome) for each in comes) == damaged


def test_the_zip_of_chatgpt_gives_its_files_too(tmp_path):
    entries = {
        "conversations.json": CHATGPT,
        "user.json": b"{}",
        "file-Tide1-tides.csv": b"hour,height\n6,3.1\n",
        "file-Pic1-photo.png": b"\x89PNG",
    }
    for inside in ("", "export/"):
        named = {inside + name: data for name, data in entries.items()}
        program, comes = read(zipped(tmp_path / "in.zip", **named))
        [tides] = [each for each in comes if isinstance(each, ThreadCome) and each.files]
        assert program == "ChatGPT"
        assert tides.thread.title == "Tide table"
        [file] = tides.files
        assert (file.facts.id, file.facts.name, file.size) == ("file-Tide1", "tides.csv", 18)


def test_a_file_that_is_json_or_has_lost_its_name_comes_too(tmp_path):
    attached = [{"id": "file-1", "name": "tides.json"}, {"id": "file_2", "name": "tides.csv"}]
    said = {"author": {"role": "user"}, "metadata": {"attachments": attached}}
    entries = {
        "conversations-000.json": json.dumps([{"mapping": {"q": {"message": said}}}]),
        "conversation_asset_file_names.json": b"{}",
        "file-1-tides.json": b"{}",
        "file_2.dat": b"6,3.1",
    }
    _, [come] = read(zipped(tmp_path / "in.zip", **entries))
    assert [each.facts.name for each in come.files] == ["tides.json", "tides.csv"]


def test_exports_that_lie_in_a_folder_are_found(tmp_path):
    entries = {"chats/one.json": CHATGPT, "__MACOSX/chats/._one.json": b"junk"}
    assert read(zipped(tmp_path / "in.zip", **entries))[0] == "ChatGPT"
    assert len(read(tmp_path / "in.zip")[1]) == 4


def test_a_list_in_several_parts_is_one(tmp_path):
    first, *rest = json.loads(CHATGPT)
    parts = {
        "conversations-000.json": json.dumps([first]),
        "conversations-001.json": json.dumps(rest),
    }
    assert len(read(zipped(tmp_path / "in.zip", **parts))[1]) == 4


def test_a_damaged_thread_is_named_by_its_title_or_its_place(tmp_path):
    path = tmp_path / "in.json"
    path.write_bytes(
        CHATGPT.rstrip()[:-1]
        + b', {"title": "Torn", "mapping": {"a": nul}}, {"x": NaN}, {"y": 1}, 7]'
    )
    damaged = [each for each in read(path)[1] if isinstance(each, DamagedCome)]
    assert [each.name for each in damaged] == ["Nothing said", "Torn", "No. 6", "No. 7", "No. 8"]
    path.write_bytes(CHATGPT[: len(CHATGPT) // 2])
    last = read(path)[1][-1]
    assert (last.name, last.why) == ("Tide table", "The file ends in the middle of it.")


def test_one_thread_of_ours_is_known(tmp_path):
    path = tmp_path / "in.json"
    thread, messages = lived()
    path.write_bytes(
        b"".join(thread_json.pieces(thread, messages, [{"id": "f1", "name": "a.txt"}]))
    )
    program, [come] = read(path)
    assert program == "Strata"
    assert list(come.messages) == messages
    assert come.notes == ("1 file of it: not in what you imported.",)


@pytest.mark.parametrize(
    "data",
    [b"", b"hello", b"[]", b"[1, 2]", b"{}", b'[{"a": 1}]', b"\x89PNG\r\n", b'{"chats": []}'],
)
def test_what_nothing_can_be_read_from_is_refused_in_a_sentence(tmp_path, data):
    path = tmp_path / "in.json"
    path.write_bytes(data)
    with pytest.raises(BadInput) as found:
        read(path)
    assert found.value.do


def test_a_zip_of_other_things_is_refused_in_a_sentence(tmp_path):
    for entries in ({"photo.png": b"x"}, {"strata.json": b"{}"}, {}, {"a.json": b"{}"}):
        with pytest.raises(BadInput):
            read(zipped(tmp_path / "in.zip", **entries))
