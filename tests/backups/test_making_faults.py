"""Whichever call to the disk goes wrong, and wherever the process dies: earlier backups are whole,
the new one is whole or not there, and the next run makes it."""

import itertools
import shutil
import signal

import pytest

from tests.backups.house import NOW, back_up, bytes_of, restore
from tests.threads.crash_writer import processes
from tests.threads.disk_faults import (
    DEAD,
    Disk,
    broken_for_good,
    death,
    death_in_a_write,
    error_once,
    folder_in_memory,
    full_once,
)
from webapp.backups import vault as vaults
from webapp.backups.checking import check
from webapp.errors import StrataError


class Stage:
    """A data directory that changed since its first backup, to be copied for every fault."""

    def __init__(self, top):
        self.root, self.first = top / "data", top / "first"
        (self.root / "threads/t").mkdir(parents=True)
        (self.root / "threads/t/thread.json").write_text('{"title": "Harbour"}')
        (self.root / "settings.toml").write_text("threads = 1")
        back_up(self.root, self.first)
        self.before = bytes_of(self.root)
        (self.root / "settings.toml").write_text("threads = 2")
        (self.root / "threads/u").mkdir()
        (self.root / "threads/u/thread.json").write_text('{"title": "Pier"}')
        self.after = bytes_of(self.root)
        self.top = top
        self.numbers = itertools.count()

    def fresh(self):
        """A folder with the first backup."""
        return shutil.copytree(self.first, self.top / f"backups{next(self.numbers)}")

    def calls(self):
        folder = self.fresh()
        with Disk().watching() as disk:
            self.act(folder)
        return disk.calls

    def act(self, folder):
        """What is done to the folder; the first backup gives way."""
        back_up(self.root, folder, NOW + 1000, keep=1)

    def check(self, folder, where, said=""):
        vault = vaults.opened(folder)
        found = [self.restored(folder, state) for state in vault.listing().states]
        assert found in ([self.before], [self.after, self.before], [self.after]), where
        assert not said or "not certain" in said or found == [self.before], where
        assert check(vault).findings == [], where
        self.act(folder)
        assert self.restored(folder) == self.after, where
        vault = vaults.opened(folder)
        assert len(vault.listing().states) == 1, where
        assert len(vault.objects.sizes()) == 3, where
        shutil.rmtree(folder)

    def restored(self, folder, state=None):
        new = self.top / f"new{next(self.numbers)}"
        restore(folder, new, state)
        found = bytes_of(new)
        shutil.rmtree(new)
        return found


@pytest.fixture(scope="module")
def stage():
    with folder_in_memory() as top:
        yield Stage(top)


def test_a_backup_is_whole_or_absent_whichever_call_fails(stage):
    calls = stage.calls()
    assert calls.count("write") > 3
    for at, call in enumerate(calls):
        once = full_once if call == "write" else error_once
        for how in (once, broken_for_good):
            folder, said = stage.fresh(), ""
            try:
                with Disk(at, how).watching():
                    stage.act(folder)
            except StrataError as error:
                said = str(error)
                assert error.what and error.do, said
            stage.check(folder, f"call {at}, {call}, {how.__name__}: {said}", said)


def die(stage_root, folder, at, how):
    with Disk(at, how).watching():
        back_up(stage_root, folder, NOW + 1000, keep=1)


def test_a_backup_is_whole_or_absent_wherever_the_process_dies(stage):
    calls = stage.calls()
    for at, call in enumerate(calls):
        for how in (death, death_in_a_write) if call == "write" else (death,):
            folder = stage.fresh()
            process = processes("tests.backups.test_making_faults").Process(
                target=die, args=(stage.root, folder, at, how)
            )
            process.start()
            process.join()
            assert process.exitcode == DEAD
            stage.check(folder, f"call {at}, {call}, {how.__name__}")


def back_up_again_and_again(root, folder, begun):
    for number in itertools.count():
        (root / "settings.toml").write_text(f"threads = {number}\n" + "# more\n" * 30_000)
        begun.send(number)
        back_up(root, folder, NOW + number, keep=2)


def test_killed_at_any_moment_it_is_gone_on_with(tmp_path):
    root = tmp_path / "data"
    for number in range(20):
        path = root / f"threads/t{number}/thread.json"
        path.parent.mkdir(parents=True)
        path.write_text(f'{{"title": "{number}"}}')
    for kill in range(12):
        receiving, sending = processes("tests.backups.test_making_faults").Pipe(duplex=False)
        process = processes("tests.backups.test_making_faults").Process(
            target=back_up_again_and_again, args=(root, tmp_path / "backups", sending)
        )
        process.start()
        sending.close()
        receiving.recv()
        process.join(0.003 * kill)
        process.kill()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        if (tmp_path / "backups" / vaults.MARK).exists():
            assert check(vaults.opened(tmp_path / "backups")).findings == []
    back_up(root, tmp_path / "backups")
    restore(tmp_path / "backups", tmp_path / "new")
    assert bytes_of(tmp_path / "new") == bytes_of(root)


def test_what_was_copied_before_an_end_is_not_copied_again(stage):
    folder = stage.fresh()
    writes = [number for number, name in enumerate(stage.calls()) if name == "write"]
    with pytest.raises(StrataError), Disk(writes[-2], broken_for_good).watching():
        stage.act(folder)  # all is there but the list
    assert [each.made for each in vaults.opened(folder).listing().states] == [NOW]
    state = back_up(stage.root, folder).state
    assert state.fresh == 0
    assert stage.restored(folder) == stage.after


# --- restoring ---


def put_back(folder, new, at, how):
    with Disk(at, how).watching():
        restore(folder, new)


def test_a_restore_is_whole_or_absent_whichever_call_fails_or_is_the_last(stage):
    new = stage.top / "place/data"
    with Disk().watching() as disk:
        restore(stage.first, new)
    assert bytes_of(new) == stage.before
    for at, call in enumerate(disk.calls):
        for how in (full_once if call == "write" else error_once, broken_for_good, death):
            shutil.rmtree(stage.top / "place")
            where = f"call {at}, {call}, {how.__name__}"
            if how is death:
                process = processes("tests.backups.test_making_faults").Process(
                    target=put_back, args=(stage.first, new, at, how)
                )
                process.start()
                process.join()
                assert process.exitcode == DEAD
            else:
                try:
                    put_back(stage.first, new, at, how)
                except StrataError as error:
                    where += f": {error}"
                    assert error.do, where
            if new.exists() and bytes_of(new):
                assert bytes_of(new) == stage.before, where
                shutil.rmtree(new)
            restore(stage.first, new)
            assert bytes_of(new) == stage.before, where
            assert [each.name for each in new.parent.iterdir()] == ["data"], where
