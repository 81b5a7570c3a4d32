"""Real refusals of the operating system: a file that may not grow, a folder that may not be
written to. Neither needs a special file system, and both hold for root as well. And any one call
to the operating system that goes wrong."""

import errno
import os
import resource
import tempfile
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65534


@contextmanager
def no_file_grows_beyond(size):
    """Writes past `size` bytes fail, after what fits: as on a disk that runs full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def folder_in_memory():
    """Where the system has a file system of that kind: a sync costs nothing there."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as name:
        yield Path(name)


@contextmanager
def folder_for_anyone():
    """A folder that a process without rights can reach; pytest's own is private."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def read_only(folder):
    """No rights to write below `folder`, for root neither."""
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    user = os.geteuid()
    if user == 0:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)


class Disk:
    """Every call that changes something on the disk, in order; one of them goes wrong.

    Stands between Python and the operating system while `watching`. `calls` are the names of what
    was called, `at` is the number of the call that goes wrong, `how` one of the ways below."""

    def __init__(self, at=None, how=None):
        self.calls = []
        self.was_short = False
        self._at, self._how = at, how

    @contextmanager
    def watching(self):
        real = {name: getattr(os, name) for name in _CHANGING}
        try:
            for name, call in real.items():
                setattr(os, name, self._watched(name, call))
            yield self
        finally:
            for name, call in real.items():
                setattr(os, name, call)

    def _watched(self, name, call):
        def watched(*args, **options):
            if name == "open" and not args[1] & os.O_CREAT:
                return call(*args, **options)
            self.calls.append(name)
            if self._at is not None and len(self.calls) > self._at:
                wrong = self._how(self, len(self.calls) - 1 - self._at, name, call, args)
                if wrong is not None:
                    return wrong
            return call(*args, **options)

        return watched


_CHANGING = (
    *("open", "write", "fsync", "ftruncate", "truncate"),
    *("rename", "replace", "mkdir", "rmdir", "unlink"),
)
DEAD = 86


def error_once(disk, since, name, call, args):
    if since == 0:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def full_once(disk, since, name, call, args):
    """A write takes half of the bytes, and the next is refused; anything else is at once."""
    if since == 0 and name == "write":
        disk.was_short = True
        return call(args[0], args[1][: len(args[1]) // 2])
    if since == 0 or (since == 1 and disk.was_short):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return None


def broken_for_good(disk, since, name, call, args):
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def death(disk, since, name, call, args):
    """The process is gone before the call."""
    os._exit(DEAD)


def death_in_a_write(disk, since, name, call, args):
    """The process is gone with half of the bytes written."""
    if name == "write":
        call(args[0], args[1][: len(args[1]) // 2])
    os._exit(DEAD)
