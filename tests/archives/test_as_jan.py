"""Everything as Jan keeps it, which Jan's reader here reads back."""

import io
import zipfile

from webapp.threads import jan
from webapp.threads.jsonl import JsonlThreadStore


def test_the_zip_is_a_folder_of_jan(taken, tmp_path, clock, library):
    with zipfile.ZipFile(io.BytesIO(taken("jan"))) as archive:
        archive.extractall(tmp_path / "jan")
    store = JsonlThreadStore(tmp_path / "new", clock)
    done = jan.bring_in(tmp_path / "jan", store, tmp_path / "new", clock(), dry=False)
    assert (done.threads, done.messages, done.assistants, done.complaints) == (2, 14, 1, [])
    thread, messages = library.acts.whole("lived")
    assert list(store.read("lived").messages) == messages
    assert store.get_thread("lived").title == thread.title
    assert not {"owner", "shares", "project"} & set(store.get_thread("lived").metadata)


def test_files_lie_beside_their_thread_if_they_are_wanted(taken):
    for with_files in (True, False):
        with zipfile.ZipFile(io.BytesIO(taken("jan", with_files=with_files))) as archive:
            assert ("threads/lived/files/lease.txt" in archive.namelist()) is with_files
            assert not [name for name in archive.namelist() if "project" in name]
