"""What the table library raises, in words that name no path."""

import errno
import os

import pytest

from webapp.documents.lance_errors import in_words, is_missing
from webapp.errors import Damaged, StorageFailed


class PanicException(BaseException):
    """As Rust code raises it."""


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (
            RuntimeError("lance error: LanceError(IO): No space left on device"),
            StorageFailed,
            "full",
        ),
        (OSError(errno.EACCES, os.strerror(errno.EACCES)), StorageFailed, "does not allow"),
        (RuntimeError("Read-only file system (os error 30)"), StorageFailed, "does not allow"),
        (RuntimeError("lance error: Not found: /home/ada/x.lance/data"), Damaged, "read"),
        (ValueError("sql parser error"), Damaged, "read"),
        (PanicException("index out of bounds"), Damaged, "read"),
    ],
)
def test_faults_of_the_library_become_sentences(error, kind, says):
    with pytest.raises(kind) as found, in_words("read"):
        raise error
    assert says in found.value.what
    assert found.value.do
    assert "ada" not in str(found.value)


@pytest.mark.parametrize("error", [KeyError("ours"), KeyboardInterrupt()])
def test_faults_of_ours_stay_what_they_are(error):
    with pytest.raises(type(error)), in_words("saved"):
        raise error


def test_a_table_that_is_not_there_is_told_from_one_that_is_broken():
    assert is_missing(ValueError("Table 'x' was not found"))
    assert not is_missing(ValueError("schema mismatch"))
