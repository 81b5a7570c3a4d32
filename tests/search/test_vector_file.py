import numpy as np
import pytest

from webapp.search.vector_file import VectorFile


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "vectors"


@pytest.fixture
def file(path):
    return VectorFile(path, 4)


ROWS = np.eye(4, dtype=np.float32)


def test_each_vector_is_compared_by_its_slot(file):
    file.write([0, 2], ROWS[[1, 3]])
    assert file.products(ROWS[1]).tolist() == [1, 0, 0]
    assert file.products(ROWS[3]).tolist() == [0, 0, 1]
    file.write([1], ROWS[[3]])
    assert file.products(ROWS[3]).tolist() == [0, 1, 1]


def test_what_is_wiped_is_not_on_the_disk_any_more(file, path):
    file.write([0, 1], ROWS[:2])
    file.wipe([1])
    assert file.products(ROWS[1]).tolist() == [0, 0]
    assert path.read_bytes()[16:] == bytes(16)


def test_without_a_file_there_is_nothing_and_a_torn_end_is_left_out(file, path):
    assert file.products(ROWS[0]).tolist() == []
    file.write([0, 1], ROWS[:2])
    path.write_bytes(path.read_bytes()[:-3])
    assert file.products(ROWS[0]).tolist() == [1]
