"""Converters in a process of their own."""

import threading

import pytest

from tests.engines import tiny_bert
from webapp.engines.conversion import run_conversion
from webapp.engines.gguf_head import read_head
from webapp.engines.progress import Meter, Stopped, silent
from webapp.errors import Damaged


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.bin"
    path.write_bytes(tiny_bert.source(tiny_bert.weights()))
    return path


def test_a_conversion_reports_and_leaves_a_model(source, tmp_path, monkeypatch):
    monkeypatch.chdir("/")  # the child finds the program wherever it is started
    steps = []
    meter = Meter(steps.append, "Model", threading.Event())
    run_conversion("e5", source, tmp_path / "model.gguf", meter)
    assert read_head(tmp_path / "model.gguf").architecture == "bert"
    assert {step.stage for step in steps} == {"converting"}
    assert steps[-1].done == steps[-1].total


def test_a_source_that_cannot_be_converted_is_named_with_the_reason(source, tmp_path):
    source.write_bytes(b"E5S2" + bytes(100))
    meter = Meter(silent, "Model", threading.Event())
    with pytest.raises(Damaged, match=r"source\.bin could not be converted.*not an E5S1"):
        run_conversion("e5", source, tmp_path / "model.gguf", meter)


def test_a_conversion_can_be_stopped(source, tmp_path):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Stopped):
        run_conversion("e5", source, tmp_path / "model.gguf", Meter(silent, "Model", cancel))
    assert not (tmp_path / "model.gguf").exists()
