"""all-MiniLM-L6-v2: a tiny one made here, and the real one."""

import json
import os
import struct
import zipfile

import gguf
import numpy as np
import pytest

from tests.engines.native import tokens_and_vectors
from tests.engines.references import check_references
from webapp.engines.catalog import load_catalog
from webapp.engines.convert_minilm import convert, gguf_tokens, read_safetensors
from webapp.engines.shelf import Shelf
from webapp.settings import load

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "eat", "##ing", "un", "##s"]
CONFIG = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_attention_heads": 2,
    "num_hidden_layers": 1,
    "max_position_embeddings": 64,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
}
TOKENIZER = {
    "added_tokens": [{"id": n} for n in range(5)],
    "model": {"unk_token": "[UNK]", "vocab": {word: n for n, word in enumerate(VOCABULARY)}},
}


def tensors():
    numbers = np.random.default_rng(1)
    layer = "encoder.layer.0."
    shapes = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), 32),
        "embeddings.position_embeddings.weight": (64, 32),
        "embeddings.token_type_embeddings.weight": (2, 32),
        "embeddings.LayerNorm.weight": (32,),
        "embeddings.LayerNorm.bias": (32,),
        f"{layer}intermediate.dense.weight": (64, 32),
        f"{layer}intermediate.dense.bias": (64,),
        f"{layer}output.dense.weight": (32, 64),
        f"{layer}output.dense.bias": (32,),
        "pooler.dense.weight": (32, 32),
    }
    for name in ("self.query", "self.key", "self.value", "output.dense"):
        shapes[f"{layer}attention.{name}.weight"] = (32, 32)
        shapes[f"{layer}attention.{name}.bias"] = (32,)
    for name in ("attention.output", "output"):
        shapes[f"{layer}{name}.LayerNorm.weight"] = shapes[f"{layer}{name}.LayerNorm.bias"] = (32,)
    return {name: numbers.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def safetensors(arrays):
    head, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in arrays.items():
        kind = {"float32": "F32", "int64": "I64"}[str(array.dtype)]
        offsets = [len(data), len(data) + array.nbytes]
        head[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": offsets}
        data += array.tobytes()
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + data


@pytest.fixture(scope="module")
def arrays():
    return tensors()


@pytest.fixture(scope="module")
def converted(tmp_path_factory, arrays):
    folder = tmp_path_factory.mktemp("minilm")
    with zipfile.ZipFile(folder / "model.zip", "w") as archive:
        archive.writestr("config.json", json.dumps(CONFIG))
        archive.writestr("tokenizer.json", json.dumps(TOKENIZER))
        archive.writestr("model.safetensors", safetensors(arrays))
    convert(folder / "model.zip", folder / "model.gguf")
    return folder / "model.gguf"


def test_words_and_their_continuations_are_marked_the_other_way_round():
    vocabulary = {"##ing": 2, "[CLS]": 0, "eat": 1, "[": 3, "##]": 4}
    assert gguf_tokens(vocabulary) == ["[CLS]", "▁eat", "ing", "▁[", "]"]


def test_only_numbers_of_the_model_are_read(arrays):
    data = safetensors({"a": arrays["embeddings.LayerNorm.bias"], "ids": np.arange(4)})
    read = read_safetensors(data)
    assert list(read) == ["a"]
    assert (read["a"] == arrays["embeddings.LayerNorm.bias"]).all()


def test_matrices_are_halved_twice_and_tables_stay_whole(converted, arrays):
    kinds = gguf.GGMLQuantizationType
    made = {tensor.name: tensor for tensor in gguf.GGUFReader(converted).tensors}
    assert len(made) == len(arrays) - 1, "the pooler is left out"
    assert made["token_embd.weight"].tensor_type == kinds.Q8_0
    assert made["blk.0.ffn_up.weight"].tensor_type == kinds.Q8_0
    assert made["position_embd.weight"].tensor_type == kinds.F32
    assert made["token_types.weight"].tensor_type == kinds.F32
    bias = made["blk.0.attn_q.bias"]
    assert (bias.data == arrays["encoder.layer.0.attention.self.query.bias"]).all()


def test_llama_cpp_cuts_words_as_word_pieces(converted):
    ids, vectors = tokens_and_vectors(converted, ["Eating UNS", "eat zzz"], context=64)
    assert ids == [[2, 5, 6, 7, 8, 3], [2, 5, 1, 3]]
    assert np.isfinite(vectors).all()


def test_a_zip_that_is_none_is_refused(tmp_path):
    (tmp_path / "model.zip").write_bytes(b"PK but no more")
    with pytest.raises(zipfile.BadZipFile):
        convert(tmp_path / "model.zip", tmp_path / "model.gguf")


@pytest.mark.model
def test_the_real_model_gives_the_published_cosine():
    entry = load_catalog().entry("all-minilm-l6-v2")
    path = Shelf(load(os.environ, {})[0].models).fetch(entry)
    pairs = entry.embedding.references
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.first, pair.second)))
    _, vectors = tokens_and_vectors(path, texts)
    known = dict(zip(texts, vectors.tolist(), strict=True))
    check_references(entry, known)
