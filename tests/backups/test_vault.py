"""Folders of backups: begun only where nothing else is, and refused in a sentence."""

import json
import threading

import pytest

from tests.threads.disk_faults import folder_for_anyone, read_only
from webapp.backups import vault as vaults
from webapp.backups.states import State
from webapp.errors import BadInput, Conflict, Damaged, NotFound, StorageFailed


@pytest.fixture
def data(tmp_path):
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def vault(tmp_path, data):
    return vaults.made(tmp_path / "backups", data)


def test_it_is_for_its_owner_only(vault, tmp_path):
    (tmp_path / "backups").chmod(0o755)
    again = vaults.made(tmp_path / "backups")
    assert again.is_private()
    assert (tmp_path / "backups").stat().st_mode & 0o777 == 0o700
    (tmp_path / "backups").chmod(0o755)
    assert not again.is_private()


def test_an_empty_folder_will_do_and_one_whose_beginning_was_cut_short(tmp_path):
    for name in ("lost+found", "backup.json.new"):
        folder = tmp_path / name[:4]
        folder.mkdir()
        (folder / name).write_bytes(b"")
        vaults.made(folder)
        assert vaults.opened(folder).listing().states == []


@pytest.mark.parametrize("inside", ["", "threads", "new"])
def test_a_folder_in_what_is_copied_is_refused(data, inside):
    with pytest.raises(BadInput, match=r"lies in .* elsewhere"):
        vaults.made(data / inside, data)


def test_so_is_one_that_a_link_leads_there(data, tmp_path):
    (tmp_path / "link").symlink_to(data)
    with pytest.raises(BadInput, match="lies in"):
        vaults.made(tmp_path / "link" / "backups", data)


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path, data):
    with pytest.raises(BadInput, match=r"not empty.*strata-backups"):
        vaults.made(tmp_path, data / "none")
    assert {each.name for each in tmp_path.iterdir()} == {"data"}
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="is a file"):
        vaults.made(tmp_path / "file")


def test_a_disk_that_is_not_connected_is_not_made_up(tmp_path):
    with pytest.raises(NotFound, match="Connect its disk"):
        vaults.made(tmp_path / "usb" / "backups")
    with pytest.raises(NotFound, match="connect its disk"):
        vaults.opened(tmp_path / "usb")


def test_what_is_no_folder_of_backups_is_said(tmp_path, vault):
    with pytest.raises(BadInput, match="holds no backups"):
        vaults.opened(tmp_path)
    mark = tmp_path / "backups" / vaults.MARK
    mark.write_text("{")
    with pytest.raises(Damaged, match="is damaged"):
        vaults.opened(tmp_path / "backups")
    mark.write_text(json.dumps({"format": 2}))
    for open_it in (vaults.opened, vaults.made):
        with pytest.raises(Conflict, match="newer Strata"):
            open_it(tmp_path / "backups")


def test_lists_are_newest_first_and_a_damaged_one_hides_no_other(vault):
    for made in (1000, 3000, 2000):
        vault.keep(State(made, "", "", (), {}))
    lists = vault.folder / "states"
    (lists / "20300101T000000.000Z.json").write_text("{}")
    found = vault.listing()
    assert [each.made for each in found.states] == [3000, 2000, 1000]
    assert list(found.problems) == ["20300101T000000.000Z"]
    vault.forget(found.states[1])
    assert [each.made for each in vault.listing().states] == [3000, 1000]


def test_one_is_at_work_at_a_time(vault):
    refused = []

    def other():
        for held in (vault.held, vault.watched):
            try:
                with held():
                    pass
            except Conflict as error:
                refused.append(str(error))

    with vault.held():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(refused) == 2
    assert "Wait until it is done" in refused[0]
    with vault.watched():
        pass


def test_what_cannot_be_written_to_can_be_looked_at_and_is_named_when_written(data):
    with folder_for_anyone() as top:
        vault = vaults.made(top / "backups")
        vault.folder.chmod(0o755)
        with read_only(vault.folder):
            with vault.watched():
                assert vault.listing().states == []
            with pytest.raises(StorageFailed, match=r"was not finished.*does not allow it"):
                vault.make()
                with vault.held():
                    pass
        with read_only(top), pytest.raises(StorageFailed, match="does not allow it"):
            vaults.made(top / "others")
