"""Real refusals of the operating system: a file that may not grow, a folder that may not be
written to. Neither needs a special file system, and both hold for root as well."""

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
