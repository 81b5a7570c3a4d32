"""Heads of GGUF files, and of files that only say so."""

import struct

import gguf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engines.wheelhouse import tiny_gguf, written
from webapp.engines.gguf_head import QUANTIZATIONS, TYPE_SIZES, read_head
from webapp.errors import ModelFileMissing

WHOLE = tiny_gguf(tokenizer__chat_template="{{ messages }}")
DATA_SIZE = 4 * 64 * 64 * 4


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("models") / "model.gguf"


def head_of(path, data):
    path.write_bytes(data)
    return read_head(path)


def test_a_head_says_what_the_model_is(path):
    head = head_of(path, WHOLE)
    assert (head.architecture, head.name, head.role) == ("llama", "Tiny", "chat")
    assert (head.context_tokens, head.embedding_length) == (128, 64)
    assert head.parameters == 4 * 64 * 64
    assert head.chat_template == "{{ messages }}"
    assert head.file_bytes == len(WHOLE)


def test_the_memory_of_a_context_grows_with_it(path):
    head = head_of(path, WHOLE)
    assert head.kv_bytes_per_token == 2 * 2 * (16 + 16) * 2
    scores = head.heads * 128 * 4
    grown = head.memory_bytes(1000) - head.memory_bytes(0)
    assert grown == 1000 * (head.kv_bytes_per_token + scores)


def test_an_embedder_is_told_by_its_kind_or_its_pooling(path):
    assert head_of(path, tiny_gguf("bert")).role == "embedding"
    assert head_of(path, tiny_gguf(llama__pooling_type="mean")).role == "embedding"


def test_an_adapter_or_image_encoder_is_neither(path):
    writer = gguf.GGUFWriter(None, "llama")
    writer.add_type("adapter")
    assert head_of(path, written(writer)).role == ""
    assert head_of(path, tiny_gguf("clip")).role == ""


def test_facts_after_a_long_vocabulary_are_found(path):
    writer = gguf.GGUFWriter(None, "llama")
    writer.add_token_list(["x" * (n % 700) for n in range(20_000)])
    writer.add_chat_template("after it")
    assert head_of(path, written(writer)).chat_template == "after it"


def test_a_text_longer_than_a_block_within_a_list_is_passed_over(path):
    writer = gguf.GGUFWriter(None, "llama")
    writer.add_token_list(["short", "y" * 3_000_000, "short"])
    writer.add_chat_template("after it")
    assert head_of(path, written(writer)).chat_template == "after it"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "does not begin like one"),
        (b"<html>Not found</html>" * 10, "does not begin like one"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "version 50331648"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), "claims more"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + b"\xff" * 60, "too long"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 0), "what kind of model"),
        (WHOLE[:-1], f"{len(WHOLE) - 1:,} bytes of {len(WHOLE):,}"),
        (WHOLE[:-DATA_SIZE], "bytes of"),
        (WHOLE[:2000], "ends too early"),
    ],
)
def test_what_is_no_whole_model_is_named_with_the_reason(path, data, why):
    with pytest.raises(ModelFileMissing) as refused:
        head_of(path, data)
    assert why in refused.value.what
    assert str(path) in refused.value.what
    assert refused.value.do


def test_a_missing_file_is_named_with_the_way_out(tmp_path):
    with pytest.raises(ModelFileMissing, match=r"is not there.*strata models add"):
        read_head(tmp_path / "gone.gguf")


def test_a_folder_is_no_model(tmp_path):
    with pytest.raises(ModelFileMissing, match="cannot be read"):
        read_head(tmp_path)


@given(st.integers(0, len(WHOLE) - 1))
@settings(max_examples=150, deadline=None)
def test_a_model_cut_anywhere_is_noticed(path, size):
    with pytest.raises(ModelFileMissing):
        head_of(path, WHOLE[:size])


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - DATA_SIZE), st.integers(0, 255)), max_size=8))
@settings(max_examples=200, deadline=None)
def test_damage_in_a_head_never_does_more_than_raise_the_sentence(path, changes):
    data = bytearray(WHOLE)
    for at, value in changes:
        data[at] = value
    try:
        head_of(path, bytes(data))
    except ModelFileMissing as refused:
        assert refused.do


def test_the_sizes_of_types_are_those_of_the_library():
    known = {int(kind): sizes for kind, sizes in gguf.GGML_QUANT_SIZES.items()}
    assert {kind: known[kind] for kind in TYPE_SIZES} == TYPE_SIZES


def test_how_the_numbers_are_stored_is_named_as_the_library_names_it(path):
    named = {int(kind): kind.name for kind in gguf.LlamaFileType}
    for kind, name in QUANTIZATIONS.items():
        assert named[kind] in (f"MOSTLY_{name}", f"ALL_{name}")
    assert head_of(path, WHOLE).quantization == ""
    assert head_of(path, tiny_gguf(file_type=15)).quantization == "Q4_K_M"
    assert head_of(path, tiny_gguf(file_type=9999)).quantization == ""
