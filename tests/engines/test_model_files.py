import struct

import pytest

from webapp.engines.model_files import (
    chat_need_bytes,
    check_chat_model,
    check_embed_model,
    unloadable,
)
from webapp.errors import ModelFileMissing


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def gguf(path, *, size=0, **facts):
    """A GGUF without tensors: it can be judged, not loaded. `size` makes it look that large."""
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(facts) + 1)
    head += text("general.architecture") + struct.pack("<I", 8) + text("llama")
    for key, value in facts.items():
        head += text(f"llama.{key.replace('__', '.')}") + struct.pack("<II", 4, value)
    with path.open("wb") as file:
        file.write(head)
        file.truncate(max(size, len(head)))
    return path


CHAT = {"context_length": 4096, "block_count": 32, "embedding_length": 4096} | {
    "attention__head_count": 32
}


def test_a_model_that_fits_is_fine(tmp_path):
    check_chat_model(gguf(tmp_path / "a.gguf", **CHAT), 4096, 8 * 2**30)
    check_chat_model(gguf(tmp_path / "a.gguf", **CHAT), 4096, None)


def test_weights_too_large_for_memory_are_told_with_both_sizes(tmp_path):
    path = gguf(tmp_path / "huge.gguf", size=2**40, **CHAT)
    with pytest.raises(ModelFileMissing, match=r"1,02\d\.\d GiB .* 8\.0 GiB are free") as told:
        check_chat_model(path, 4096, 8 * 2**30)
    assert str(path) in told.value.what
    assert "smaller model" in told.value.do


def test_a_context_too_long_for_memory_is_told_with_its_length(tmp_path):
    path = gguf(tmp_path / "a.gguf", **CHAT)
    with pytest.raises(ModelFileMissing, match="4,096 tokens") as told:
        check_chat_model(path, 0, 2**30)
    assert "smaller window" in told.value.do
    check_chat_model(path, 512, 2**30)


def test_more_context_than_the_model_has_costs_no_more(tmp_path):
    check_chat_model(gguf(tmp_path / "a.gguf", **CHAT), 10**9, 3 * 2**30)


def test_the_need_is_what_the_check_asks_for(tmp_path):
    path = gguf(tmp_path / "a.gguf", **CHAT)
    for context in (512, 4096, 0, 10**9):
        need = chat_need_bytes(path, context)
        check_chat_model(path, context, need)
        with pytest.raises(ModelFileMissing, match="needs about"):
            check_chat_model(path, context, need - 1)
    assert chat_need_bytes(path, 512) < chat_need_bytes(path, 4096) == chat_need_bytes(path, 0)


def test_the_need_of_a_file_is_looked_up_anew_when_it_changes(tmp_path):
    path = gguf(tmp_path / "a.gguf", **CHAT)
    before = chat_need_bytes(path, 512)
    assert chat_need_bytes(gguf(path, size=2**33, **CHAT), 512) > before + 2**32


def test_what_is_no_model_needs_nothing(tmp_path):
    (tmp_path / "b.gguf").write_bytes(b"GGUF and no more")
    for path in (tmp_path / "b.gguf", tmp_path / "missing.gguf", tmp_path):
        assert chat_need_bytes(path, 512) == 0


def test_each_kind_of_model_is_refused_in_the_place_of_the_other(tmp_path):
    chat = gguf(tmp_path / "chat.gguf", **CHAT)
    embedder = gguf(tmp_path / "embed.gguf", context_length=512, pooling_type=1)
    with pytest.raises(ModelFileMissing, match=r"embed\.gguf is an embedding model"):
        check_chat_model(embedder, 512, None)
    with pytest.raises(ModelFileMissing, match=r"chat\.gguf is not an embedding model"):
        check_embed_model(chat, None)
    check_embed_model(embedder, 2**30)
    with pytest.raises(ModelFileMissing, match="needs about"):
        check_embed_model(embedder, 1)


def test_a_refused_file_is_named_with_the_words_of_the_library(tmp_path):
    told = unloadable(tmp_path / "a.gguf", "unknown model architecture: 'x'.")
    assert str(told).count("unknown model architecture: 'x'.") == 1
    assert str(tmp_path / "a.gguf") in told.what
    assert told.do
