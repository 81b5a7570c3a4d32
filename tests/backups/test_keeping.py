"""Older backups give way, and nothing goes that a backup needs."""

import pytest

from tests.backups.house import NOW, back_up, restore
from webapp.backups import vault as vaults
from webapp.backups.checking import check


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "data"
    root.mkdir()
    (root / "always").write_text("the same")
    for number in range(4):
        (root / "settings.toml").write_text(f"threads = {number}")
        back_up(root, tmp_path / "backups", NOW + number * 1000)
    return tmp_path / "backups"


def test_the_newest_stay_whole_and_pieces_of_the_others_go(folder, tmp_path):
    done = back_up(tmp_path / "data", folder, NOW + 9000, keep=2)
    vault = vaults.opened(folder)
    assert done.dropped == 3
    assert [each.made for each in vault.listing().states] == [NOW + 9000, NOW + 3000]
    assert len(vault.objects.sizes()) == 2
    assert check(vault).findings == []
    restore(folder, tmp_path / "new", vault.listing().states[1])
    assert (tmp_path / "new/settings.toml").read_text() == "threads = 3"


def test_without_a_number_all_stay(folder):
    vault = vaults.opened(folder)
    assert len(vault.listing().states) == 4
    assert len(vault.objects.sizes()) == 5


def test_what_no_backup_needs_goes_with_the_next_run(folder, tmp_path):
    vault = vaults.opened(folder)
    vault.objects.put("0" * 64, b"left by a run that was cut short")
    back_up(tmp_path / "data", folder)
    assert "0" * 64 not in vault.objects.sizes()


def test_nothing_goes_while_a_list_cannot_be_read(folder, tmp_path):
    vault = vaults.opened(folder)
    oldest = vault.listing().states[-1]
    path = folder / "states" / f"{oldest.name}.json"
    data = path.read_bytes()
    path.write_bytes(data[:-9])
    done = back_up(tmp_path / "data", folder, keep=1)
    assert f"states/{oldest.name}.json cannot be read" in done.complaints[0]
    path.write_bytes(data)
    assert check(vault).findings == []
