"""Damage is found wherever it is, and told by what it costs."""

import pytest

from tests.backups.house import NOW, back_up
from webapp.backups import vault as vaults
from webapp.backups.checking import check


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "data/threads/t"
    folder.mkdir(parents=True)
    (folder / "thread.json").write_text('{"title": "Harbour"}')
    (folder / "messages.jsonl").write_text("")
    (folder / "files/1").mkdir(parents=True)
    (folder / "files/1/about.json").write_text('{"name": "tides.txt"}')
    (folder / "files/1/original").write_text("of the moon")
    (tmp_path / "data/projects/p").mkdir(parents=True)
    (tmp_path / "data/projects/p/project.json").write_text('{"name": "Boats"}')
    (tmp_path / "data/trash/5.gone").mkdir(parents=True)
    (tmp_path / "data/trash/5.gone/thread.json").write_text('{"title": "Old"}')
    (tmp_path / "data/settings.toml").write_text("threads = 1")
    return tmp_path / "data"


@pytest.fixture
def vault(root, tmp_path):
    back_up(root, tmp_path / "backups")
    return vaults.opened(tmp_path / "backups")


def piece(vault, end):
    entry = next(e for e in vault.listing().states[0].files if e.path.endswith(end))
    return vault.folder / "objects" / entry.pieces[0][:2] / entry.pieces[0][2:]


def told(vault):
    return [line.partition(": ")[2] for line in check(vault).findings]


def test_a_whole_one_has_no_findings(vault):
    found = check(vault)
    assert (found.backups, found.findings, found.damaged) == (1, [], set())
    assert found.size == sum(each.size for each in vault.listing().states[0].files)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("1/original", "thread “Harbour” (t): 1 file is damaged: original of “tides.txt”."),
        ("1/about.json", "thread “Harbour” (t): 1 file is damaged: files/1/about.json."),
        ("threads/t/thread.json", "thread t: 1 file is damaged: thread.json."),
        ("5.gone/thread.json", "deleted thread gone: 1 file is damaged: thread.json."),
        ("project.json", "project p: 1 file is damaged: project.json."),
        ("settings.toml", "the data directory: 1 file is damaged: settings.toml."),
    ],
)
def test_a_damaged_piece_is_told_by_what_it_belongs_to(vault, end, expected):
    piece(vault, end).write_bytes(b"?")
    assert told(vault) == [expected]
    piece(vault, end).unlink()
    assert told(vault) == [expected]


def test_each_backup_that_is_hit_is_named(vault, root):
    back_up(root, vault.folder, NOW + 86_400_000)
    piece(vault, "settings.toml").unlink()
    found = check(vault).findings
    assert len(found) == 2
    assert found[0] != found[1]
    assert all(line.startswith("Backup of ") for line in found)


def test_a_list_that_is_damaged_is_a_finding_too(vault):
    name = vault.listing().states[0].name
    (vault.folder / f"states/{name}.json").write_text("{}")
    assert [line for line in check(vault).findings if name in line]


def test_only_what_was_asked_for_is_read(vault):
    piece(vault, "settings.toml").unlink()
    assert check(vault, only=set()).findings == []


def test_what_the_source_still_has_is_mended_by_the_next_run_that_distrusts_it(vault, root):
    for end in ("settings.toml", "1/original"):
        piece(vault, end).write_bytes(b"?" * piece(vault, end).stat().st_size)
    (root / "threads/t/files/1/original").write_text("of another moon")
    damaged = check(vault).damaged
    assert len(damaged) == 2
    back_up(root, vault.folder, distrusted=frozenset(damaged))
    left = check(vault)
    assert len(left.damaged) == 1
    assert "original of “tides.txt”" in left.findings[0]
