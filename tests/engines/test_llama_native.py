import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.engines.real_models import chat_model
from tests.engines.test_model_files import CHAT, gguf
from webapp.engines.engine import Sampling
from webapp.engines.llama_native import Log, NativeModel, StopFlag, free_sampler, new_sampler
from webapp.errors import ModelFileMissing

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def stop():
    return StopFlag()


@pytest.fixture(scope="module")
def native(stop):
    native = NativeModel(chat_model(), Log())
    native.open_context(1024, 512, 2, stop, embedding=False)
    return native


def plain(native, text, *, special=False):
    return native.tokenize(text, beginning_and_end=False, special=special)


@pytest.mark.parametrize(
    "text",
    [
        "Hello, world",
        " leading",
        "漢字 🦊 e\u0301",
        "a\0b",
        "<|im_end|>",
        "x" * 999,
        " " * 400,
        "",
    ],
    ids=ascii,
)
def test_the_pieces_of_a_texts_tokens_are_its_bytes(native, text):
    assert b"".join(map(native.piece, plain(native, text))) == text.encode()


def test_only_special_tokenizing_makes_control_tokens(native):
    (token,) = plain(native, "<|im_end|>", special=True)
    assert native.ends_answer(token)
    assert native.piece(token) == b""
    assert native.text_of(token) == "<|im_end|>"
    assert token not in plain(native, "<|im_end|>")
    assert {"<|im_start|>", "<|im_end|>"} <= set(native.control_texts())


def test_a_raised_flag_ends_a_long_batch_soon_and_leaves_memory_as_it_was(native, stop):
    tokens = plain(native, "one two three four " * 120)[:480]
    native.forget_after(0)
    assert native.decode(tokens[:8])
    raised = []

    def raise_flag():
        raised.append(time.monotonic())
        stop.raise_flag()

    timer = threading.Timer(0.05, raise_flag)
    timer.start()
    assert not native.decode(tokens[8:])
    assert time.monotonic() - raised[0] < 0.5
    timer.join()
    assert stop.raised
    stop.lower()
    assert not stop.raised
    assert native.forget_after(8)
    assert native.decode(tokens[8:16])


def first_token(native, sampling):
    native.forget_after(0)
    native.decode(plain(native, "The capital of France is"))
    sampler = new_sampler(native.vocabulary_size, sampling)
    token = native.sample(sampler)
    free_sampler(sampler)
    return native.piece(token)


def test_without_heat_the_likeliest_token_is_taken(native):
    assert first_token(native, Sampling(temperature=0.0)) == b" Paris"


def test_the_same_seed_gives_the_same_token(native):
    hot = Sampling(temperature=5.0, top_k=0, top_p=1.0, seed=11)
    assert first_token(native, hot) == first_token(native, hot)


@pytest.mark.parametrize(
    "wild",
    [
        Sampling(temperature=-1.0),
        Sampling(temperature=float("nan")),
        Sampling(top_k=-5, top_p=7.0),
        Sampling(top_p=0.0, repeat_penalty=0.0),
        Sampling(repeat_penalty=float("inf"), seed=-1),
        Sampling(seed=2**70, top_k=2**40),
    ],
    ids=repr,
)
def test_wild_sampling_values_do_no_harm(native, wild):
    assert first_token(native, wild) is not None


def test_a_file_the_library_refuses_is_named_with_its_reason(tmp_path):
    path = gguf(tmp_path / "hollow.gguf", **CHAT)
    with pytest.raises(ModelFileMissing, match=r"hollow\.gguf cannot be loaded.*: .+") as told:
        NativeModel(path, Log())
    assert told.value.do


NOBODY_HOLDS = """
import gc
import llama_cpp as lib
from webapp.engines.llama_native import Log
Log()
gc.collect()
others = [bytearray(200) for _ in range(10_000)]
lib.llama_backend_init()
assert not lib.llama_model_load_from_file(b"none.gguf", lib.llama_model_default_params())
"""


def test_the_library_may_log_after_nobody_holds_its_log_any_more(tmp_path):
    """It calls the function it was given, and that ended the process when it was gone."""
    done = subprocess.run(
        [sys.executable, "-c", NOBODY_HOLDS],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "none.gguf" in done.stderr
