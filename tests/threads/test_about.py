import pytest

from tests.threads.store_contract import said, thread
from webapp import durable
from webapp.errors import BadInput, Damaged, StorageFailed
from webapp.threads import about
from webapp.threads.store import TrashedThread


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "t"
    folder.mkdir()
    return folder


def test_a_thread_comes_back_under_its_folders_name(folder):
    about.save(folder, thread("other", title="\ud800é\0"))
    assert about.load(folder) == thread("t", title="\ud800é\0")


def test_numbers_and_order_of_unknown_fields_are_kept(folder):
    (folder / "thread.json").write_text('\ufeff{"z": 1.10, "id": "t", "a": 1E5}\n')
    about.save(folder, about.load(folder).with_fields(title="T"))
    assert (folder / "thread.json").read_text() == '{"z":1.10,"id":"t","a":1E5,"title":"T"}\n'


def test_bottomless_fields_are_refused_and_the_old_file_kept(folder):
    about.save(folder, thread())
    nested = []
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(BadInput):
        about.save(folder, thread().with_fields(extra=nested))
    assert about.load(folder) == thread()


def test_damage_names_the_folder_and_a_way_out(folder):
    with pytest.raises(Damaged, match="missing"):
        about.load(folder)
    (folder / "thread.json").write_text("{")
    with pytest.raises(Damaged, match="thread folder t") as damage:
        about.load(folder)
    assert damage.value.do


def test_what_was_added_before_fields_that_cannot_be_saved_is_taken_back(folder):
    about.save(folder, thread())
    log = folder / "messages.jsonl"
    log.write_bytes(b"one\n")
    with pytest.raises(StorageFailed), about.all_or_nothing(log):
        durable.append(log, b"two\n", durable=True)
        (folder / "thread.json.new").mkdir()
        about.save(folder, thread(title="New"))
    assert log.read_bytes() == b"one\n"
    assert about.load(folder) == thread()


def test_a_file_that_cannot_be_read_at_all_is_no_damage(folder):
    (folder / "thread.json").symlink_to("thread.json")
    with pytest.raises(StorageFailed):
        about.load(folder)


def test_a_folder_in_its_place_is_damage_that_holds_no_fields(folder):
    (folder / "thread.json").mkdir()
    with pytest.raises(Damaged, match="is a folder"):
        about.load(folder)
    assert about.text(folder) == b""


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (b'{"title":"Whole"}', "Whole"),
        (b'{"x":1 "title" : "Br\\u00e9ad \\"rye\\""', 'Br\u00e9ad "rye"'),
        (b'{"title":5}', ""),
        (b'{"title":"\\x"', ""),
        (b"\xff", ""),
    ],
)
def test_a_title_is_found_in_a_damaged_file_too(folder, content, title):
    assert about.title_in(content) == title


def test_a_thread_in_the_trash_has_its_title_or_its_id_and_its_owner_if_it_can_be_read():
    whole = b'{"title":"Whole","metadata":{"owner":"ada"}}'
    assert about.trashed("t", whole, 5) == TrashedThread("t", "Whole", 5, "ada")
    assert about.trashed("t", b"", 5) == TrashedThread("t", "t", 5)


def test_the_text_of_the_fields_is_had_whole_or_damaged(folder):
    assert about.text(folder) == b""
    (folder / "thread.json").write_bytes(b'\xef\xbb\xbf {"title": \n')
    assert about.text(folder) == b'{"title":'


def test_fields_are_put_together_from_what_can_be_found():
    messages = [said("b").with_fields(created_at=9000), said("a", "Why?").with_fields(created_at=0)]
    found = about.salvaged("t", b'{"title":"Half" "created"', messages, 50_000)
    assert (found.id, found.title, found.created, found.updated) == ("t", "Half", 9, 9)
    found = about.salvaged("t", b"", messages[1:], 50_000)
    assert (found.title, found.created, found.updated) == ("Why?", 50, 50)
    assert about.salvaged("t", b"", [], 50_000).title == ""
