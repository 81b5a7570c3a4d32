"""How much memory a model may take now, on this machine or in this container."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")
_MEMINFO = Path("/proc/meminfo")


def available_bytes() -> int | None:
    """Bytes that can be had without swapping; None when the system does not say."""
    if sys.platform == "win32":
        return _windows_free()
    if sys.platform == "darwin":
        return _mac_free()
    known = [room for room in (meminfo_free(_MEMINFO), cgroup_free(_CGROUP)) if room is not None]
    return min(known, default=None)


def meminfo_free(meminfo: Path) -> int | None:
    """MemAvailable of a /proc/meminfo."""
    try:
        lines = meminfo.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def cgroup_free(folder: Path) -> int | None:
    """What a container's limit leaves (version 2, then 1); the page cache counts as free."""
    names = (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes"))
    for base, (limit_name, used_name) in zip((folder, folder / "memory"), names, strict=True):
        limit, used = _number(base / limit_name), _number(base / used_name)
        if limit is not None and used is not None:
            return max(0, limit - used + _inactive_cache(base / "memory.stat"))
    return None


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # "max" is no number: no limit
        return None


def _inactive_cache(stat: Path) -> int:
    try:
        fields = dict(line.split() for line in stat.read_text().splitlines())
        return int(fields.get("inactive_file", 0))
    except (OSError, ValueError):
        return 0


def vm_stat_free(text: str) -> int | None:
    """Free and inactive pages of macOS's vm_stat, in bytes."""
    try:
        page = int(text.partition("page size of ")[2].split(maxsplit=1)[0])
        counts = dict(line.rstrip(".").split(":") for line in text.splitlines()[1:] if ":" in line)
        pages = sum(int(counts[f"Pages {kind}"]) for kind in ("free", "inactive", "speculative"))
    except (IndexError, KeyError, ValueError):
        return None
    return page * pages


def _mac_free() -> int | None:
    try:
        done = subprocess.run(["/usr/bin/vm_stat"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return vm_stat_free(done.stdout)


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API; only the fourth field is read."""

    _fields_ = (
        ("length", ctypes.c_ulong),
        ("load", ctypes.c_ulong),
        ("total", ctypes.c_ulonglong),
        ("available", ctypes.c_ulonglong),
        ("rest", ctypes.c_ulonglong * 5),
    )


def _windows_free() -> int | None:
    status = _MemoryStatus()
    status.length = ctypes.sizeof(_MemoryStatus)
    windll = getattr(ctypes, "windll", None)
    if windll is None or not windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.available)
