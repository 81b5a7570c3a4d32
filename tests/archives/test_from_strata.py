"""What this program took along, whole and bent."""

import json
import zipfile

import pytest

from tests.archives.lives import lived
from webapp.archives.come import AssistantCome, DamagedCome, ProjectCome, ThreadCome
from webapp.archives.from_strata import is_one, thread_of
from webapp.archives.sources import source
from webapp.chat.messages import is_id
from webapp.errors import BadInput


def told(**changes):
    thread, messages = lived(owner="ann", shares={"all": "read"})
    value = {"format": "strata-thread", "version": 1, "thread": dict(thread.data), "files": []}
    return {**value, "messages": [dict(each.data) for each in messages], **changes}


@pytest.fixture
def bent(taken, tmp_path):
    """The zip of everything with some entries changed, or left out (None)."""

    def bend(**changes):
        path = tmp_path / "bent.zip"
        (tmp_path / "whole.zip").write_bytes(taken())
        with zipfile.ZipFile(tmp_path / "whole.zip") as old, zipfile.ZipFile(path, "w") as new:
            for name in {**dict.fromkeys(old.namelist()), **changes}:
                data = changes[name] if name in changes else old.read(name)
                if data is not None:
                    new.writestr(name, data)
        with source(path, 1) as found:
            return found.program, found.total, list(found.read())

    return bend


def kinds(comes, kind):
    return [each for each in comes if isinstance(each, kind)]


def test_everything_comes_in_order(bent, owned):
    program, total, comes = bent()
    assert (program, total) == ("Strata", 2)
    assert [type(each) for each in comes] == [AssistantCome, ProjectCome, ThreadCome, ThreadCome]
    assistant, project, *threads = comes
    assert (assistant.id, assistant.fields["name"]) == ("tutor", "Tutor")
    assert project.fields["id"] == owned
    assert [each.facts.name for each in project.files] == ["house rules.txt"]
    [file] = next(each for each in threads if each.thread.id == "lived").files
    assert (file.facts.id, file.facts.name, file.size) == ("f1", "lease.txt", 69)


@pytest.mark.parametrize(
    ("name", "bytes_there"),
    [
        ("threads/lived.json", b"{"),
        ("threads/lived.json", b""),
        ("threads/lived.json", b'{"format":"strata-thread","thread":{"title":"Torn"}}'),
        ("threads/lived.json", b'{"format":"strata-thread","version":99}'),
        ("threads/lived.json", b'{"a":"\xff"}'),
        ("threads/lived.json", b"[" * 100_000),
        ("assistants/tutor.json", b"[]"),
        ("assistants/tutor.json", b'{"id":"../x"}'),
        ("projects/x.json", b'{"format":"strata-project","version":1}'),
        ("projects/x.json", b'{"format":"strata-project","version":2,"project":{}}'),
        ("projects/x.json", b'{"format":"other"}'),
    ],
)
def test_what_is_damaged_stops_nothing_else(bent, name, bytes_there):
    comes = bent(**{name: bytes_there})[2]
    [damaged] = kinds(comes, DamagedCome)
    assert damaged.why
    assert len(comes) - 1 + name.startswith(("threads", "assist")) == 4


def test_a_zip_of_a_newer_strata_is_refused(bent):
    newer = json.dumps({"format": "strata-archive", "version": 2}).encode()
    with pytest.raises(BadInput, match="newer Strata"):
        bent(**{"strata.json": newer})


def test_a_file_that_is_not_there_is_told_and_one_that_nobody_knows_is_none(bent):
    comes = bent(
        **{"files/threads/lived/f1/lease.txt": None, "files/threads/lived/f9/odd.txt": b"x"}
    )[2]
    thread = next(each for each in kinds(comes, ThreadCome) if each.thread.id == "lived")
    assert thread.files == ()
    assert thread.notes == ("1 file of it: not in what you imported.",)


def test_owner_and_shares_are_not_believed():
    come = thread_of(told())
    assert is_one(told())
    assert not {"owner", "shares"} & set(come.thread.metadata)
    assert len(come.messages) == 7


def test_messages_that_are_none_are_told():
    messages = [None, {"id": "a"}, {"role": "user"}, {"id": "b", "role": "user"}] * 2
    come = thread_of(told(messages=messages))
    assert [each.id for each in come.messages] == ["b"]
    assert come.notes == ("7 messages of it could not be read.",)


@pytest.mark.parametrize(
    "changes",
    [{"version": 2}, {"thread": None}, {"thread": {"title": "x"}}, {"messages": None}],
)
def test_what_is_no_thread_is_told(changes):
    with pytest.raises(BadInput):
        thread_of(told(**changes))


def test_an_id_that_is_none_becomes_one():
    come = thread_of(told(thread={"id": "../../x", "metadata": 3}))
    assert is_id(come.thread.id)
