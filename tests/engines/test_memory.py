"""How much memory a model may take now."""

import pytest

from webapp.engines.memory import available_bytes, cgroup_free, meminfo_free, vm_stat_free


def test_this_machine_has_some_memory_to_give():
    room = available_bytes()
    assert room is None or room > 0


def test_linux_says_what_is_available(tmp_path):
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:  100 kB\nMemFree:  10 kB\nMemAvailable:   64 kB\n")
    assert meminfo_free(meminfo) == 65536


def test_a_kernel_that_does_not_say_gives_none(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal:  100 kB\n")
    assert meminfo_free(tmp_path / "meminfo") is None
    assert meminfo_free(tmp_path / "missing") is None


def test_a_container_has_what_its_limit_leaves_and_the_cache_it_may_drop(tmp_path):
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("700\n")
    (tmp_path / "memory.stat").write_text("anon 500\ninactive_file 150\n")
    assert cgroup_free(tmp_path) == 450


def test_a_container_of_the_first_kind_is_read_too(tmp_path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("1000\n")
    (tmp_path / "memory" / "memory.usage_in_bytes").write_text("1200\n")
    assert cgroup_free(tmp_path) == 0


@pytest.mark.parametrize("limit", ["max\n", "", "lots"])
def test_a_container_without_a_limit_limits_nothing(tmp_path, limit):
    (tmp_path / "memory.max").write_text(limit)
    (tmp_path / "memory.current").write_text("700\n")
    assert cgroup_free(tmp_path) is None


def test_macos_pages_are_added_up():
    text = (
        "Mach Virtual Memory Statistics: (page size of 16384 bytes)\n"
        "Pages free:                    10.\nPages active:      99.\n"
        "Pages inactive:                 5.\nPages speculative:  1.\n"
    )
    assert vm_stat_free(text) == 16 * 16384


def test_words_that_are_no_statistics_give_none():
    assert vm_stat_free("nothing to see") is None
    assert vm_stat_free("") is None
