"""What sources share."""

import threading

import pytest

from webapp.engines.part_file import PartFile
from webapp.engines.progress import Meter, silent
from webapp.engines.sources import Job, SourceFailed


def test_a_job_is_a_value(tmp_path):
    meter = Meter(silent, "Model", threading.Event())
    job = Job(PartFile(tmp_path / "model.gguf"), 10, "0" * 64, meter)
    with pytest.raises(AttributeError):
        job.total_bytes = 11


def test_a_source_says_why_it_failed():
    assert str(SourceFailed("it cannot be reached")) == "it cannot be reached"
