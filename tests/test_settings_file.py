"""settings.toml is changed where it is meant to be, and nowhere else."""

import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.errors import Conflict, StorageFailed
from webapp.settings import SETTINGS, load, read_toml
from webapp.settings_file import SettingsFile

MINE = """# Mine.
port = 5200  # not the usual one

# Why three: it is quieter.
threads = 3
"""


@pytest.fixture
def file(tmp_path):
    return SettingsFile(tmp_path / "settings.toml")


def test_comments_order_and_blank_lines_stay(file):
    file.path.write_text(MINE, "utf-8")
    file.change({"threads": 4, "small": True})
    assert file.path.read_text("utf-8") == MINE.replace("= 3", "= 4") + "small = true\n"
    file.change({"threads": None, "small": None})
    assert "# Why three" in file.path.read_text("utf-8")
    assert "threads = " not in file.path.read_text("utf-8")


def test_a_comment_behind_a_value_stays_and_so_do_the_line_ends_of_windows(file):
    file.path.write_bytes(MINE.replace("\n", "\r\n").encode())
    file.change({"port": 5300})
    expected = MINE.replace("5200", "5300").replace("\n", "\r\n")
    assert file.path.read_bytes() == expected.encode()


def test_a_file_that_is_not_there_is_made_and_only_its_owner_can_read_it(file):
    file.change({"api_key": "sk-secret"})
    assert load({}, {"data": file.path.parent})[0].api_key == "sk-secret"
    if os.name != "nt":
        assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text",
    [
        "port = = 1\nthreads = 3\n",
        "threads = 3\nthreads = 4\n",
        "threads = 3\n[old]\nx = 1\n",
        "not a line\n[table",
        "threads = 3",
        "chunk_size_tokens = 9\nthreads = three\n",
    ],
)
def test_a_file_with_a_mistake_elsewhere_is_changed_in_one_line(file, text):
    file.path.write_text(text, "utf-8")
    file.change({"threads": 8, "model": 'a "b" \\ c'})
    found, _ = read_toml(file.path.read_text("utf-8"))
    assert (found["threads"], found["model"]) == (8, 'a "b" \\ c')
    kept = [line for line in text.splitlines() if not line.startswith("threads")]
    assert [line for line in kept if line not in file.path.read_text("utf-8")] == []


def test_the_older_name_of_a_setting_goes_when_it_is_set(file):
    file.path.write_text("chunk_size_tokens = 100\n", "utf-8")
    file.change({"chunk_size_chars": 200})
    assert file.path.read_text("utf-8") == "chunk_size_chars = 200\n"
    file.path.write_text("overlap_tokens = 10\n", "utf-8")
    file.change({"overlap_chars": None})
    assert file.path.read_text("utf-8") == ""


def test_a_file_that_cannot_be_changed_without_harm_is_left_alone(file):
    file.path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Conflict, match="was not changed"):
        file.change({"threads": 7})
    assert file.path.read_bytes() == b"\xff\xfe\x00"


def test_a_link_stays_a_link(file, tmp_path):
    real = tmp_path / "elsewhere.toml"
    real.write_text("port = 1\n", "utf-8")
    file.path.symlink_to(real)
    file.change({"port": 2})
    assert file.path.is_symlink()
    assert real.read_text("utf-8") == "port = 2\n"


def test_a_folder_that_takes_no_file_is_told(file, tmp_path):
    gone = SettingsFile(tmp_path / "gone" / "settings.toml")
    with pytest.raises(StorageFailed, match="Nothing was saved"):
        gone.change({"port": 2})


NUMBERS = [each for each in SETTINGS if type(each.default) is int]


@given(
    before=st.lists(st.sampled_from(["# note", "", "port = 5", "model = 'x'", "[t]", "= ="])),
    name=st.sampled_from([each.name for each in NUMBERS]),
    data=st.data(),
)
def test_what_was_saved_is_what_is_read_next(tmp_path_factory, before, name, data):
    setting = next(each for each in NUMBERS if each.name == name)
    value = data.draw(st.integers(*setting.metadata["range"]))
    file = SettingsFile(tmp_path_factory.mktemp("data") / "settings.toml")
    text = "".join(f"{line}\n" for line in before)
    file.path.write_text(text, "utf-8")
    file.change({name: value})
    assert getattr(load({}, {"data": file.path.parent})[0], name) == value
    kept = file.path.read_text("utf-8")
    assert all(line in kept for line in before if not line.startswith(name))
