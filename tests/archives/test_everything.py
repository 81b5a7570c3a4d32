"""All that one person has in one zip, and what becomes of what cannot be read."""

import io
import zipfile
from dataclasses import replace

import pytest

from webapp.archives.everything import FORMS, LEFT_BEHIND, everything
from webapp.errors import StorageFailed


@pytest.mark.parametrize("form", FORMS)
def test_progress_is_told_thread_by_thread(stock, form):
    heard = []
    data = b"".join(
        everything(
            stock,
            form,
            with_files=True,
            heard=lambda now: heard.append((now.threads, now.total, now.messages)),
        )
    )
    assert heard == [(0, 2, 0), (1, 2, 7), (2, 2, 14)]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert LEFT_BEHIND not in archive.namelist()


@pytest.mark.parametrize("form", FORMS)
def test_what_cannot_be_read_is_named_and_stops_nothing(stock, data, form):
    (data / "threads/lived/files/f1/original").unlink()

    def whole(thread_id):
        if thread_id == "other":
            raise StorageFailed("The disk is gone.", "Check it.")
        return stock.whole(thread_id)

    broken = replace(stock, whole=whole, unread=["An assistant was damaged."])
    made = b"".join(everything(broken, form, with_files=True, heard=lambda now: None))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        said = archive.read(LEFT_BEHIND).decode().splitlines()
        names = archive.namelist()
    assert said == [
        "An assistant was damaged.",
        *[each for each in said if each.startswith("The lease: 1/2: ")],
    ]
    assert "The lease: 1/2: The disk is gone. Check it." in said
    assert any("no longer there" in each for each in said)
    assert not [name for name in names if "other" in name or "f1/lease" in name]


def test_a_file_that_is_gone_takes_no_other_with_it(stock, data):
    (data / "threads/lived/files/f1/original").unlink()
    made = b"".join(everything(stock, "json", with_files=True, heard=lambda now: None))
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert [n for n in archive.namelist() if n.startswith("files/")] == [
            n for n in archive.namelist() if n.startswith("files/projects/")
        ]
        assert {"threads/lived.json", "threads/other.json"} <= set(archive.namelist())
