"""multilingual-e5-small: a tiny one made here, and the real one."""

import os
import random
import struct

import gguf
import numpy as np
import pytest

from tests.engines import tiny_bert
from tests.engines.native import tokens_and_vectors
from tests.engines.references import check_references
from webapp.engines.catalog import load_catalog
from webapp.engines.convert_e5 import convert, read_source
from webapp.engines.gguf_head import read_head
from webapp.engines.shelf import Shelf
from webapp.settings import load

WEIGHTS = tiny_bert.weights()
SOURCE = tiny_bert.source(WEIGHTS)


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("e5")
    (folder / "source.bin").write_bytes(SOURCE)
    convert(folder / "source.bin", folder / "model.gguf")
    return folder / "model.gguf"


@pytest.fixture(scope="module")
def written(converted):
    return gguf.GGUFReader(converted)


def value(reader, key):
    return reader.get_field(key).contents()


def test_the_source_is_read_as_it_was_written():
    model = read_source(SOURCE)
    assert [text.decode() for text in model.pieces.texts] == tiny_bert.PIECES
    assert model.replacements == tiny_bert.REPLACEMENTS
    assert model.shape.vocabulary == tiny_bert.VOCABULARY
    assert [tensor.name for tensor in model.tensors] == list(WEIGHTS)


def test_the_four_bit_weights_are_copied_and_the_others_stay_whole(written):
    tensors = {tensor.name: tensor for tensor in written.tensors}
    assert len(tensors) == len(WEIGHTS)
    table = tensors["token_embd.weight"]
    assert table.tensor_type == gguf.GGMLQuantizationType.Q4_0
    kind = gguf.GGMLQuantizationType.Q4_0
    assert table.data.tobytes() == gguf.quants.quantize(WEIGHTS["emb.word"], kind).tobytes()
    for name, source in [("position_embd.weight", "emb.pos"), ("token_types.weight", "emb.type")]:
        assert tensors[name].tensor_type == gguf.GGMLQuantizationType.F32
        assert (tensors[name].data == WEIGHTS[source]).all()
    assert (tensors["blk.1.layer_output_norm.bias"].data == WEIGHTS["l1.oln.b"]).all()
    assert (tensors["blk.0.ffn_down.bias"].data == WEIGHTS["l0.fo.b"]).all()


def test_every_special_token_is_written_out(written):
    ids = {"bos": 0, "eos": 2, "unknown": 3, "seperator": 2, "padding": 1, "mask": 11}
    for name, token in ids.items():
        assert value(written, f"tokenizer.ggml.{name}_token_id") == token
    for flag in ("add_bos_token", "add_eos_token", "add_space_prefix", "remove_extra_whitespaces"):
        assert value(written, f"tokenizer.ggml.{flag}") is True
    assert value(written, "tokenizer.ggml.token_type_count") == 2


def test_rows_without_a_piece_get_a_filler_nobody_chooses(written):
    tokens, types = (value(written, f"tokenizer.ggml.{key}") for key in ("tokens", "token_type"))
    assert tokens[:12] == tiny_bert.PIECES
    assert tokens[12:] == ["[PAD12]", "[PAD13]"]
    control, normal, unknown, unused = 3, 1, 2, 5
    assert types == [control] * 3 + [unknown] + [normal] * 7 + [control] + [unused] * 2
    assert value(written, "tokenizer.ggml.scores")[12:] == [-10000, -10000]


def test_llama_cpp_computes_what_the_weights_say(converted):
    texts = ["abc", "aﬁ\tbc\x01a", "a  bc", "xyz"]
    ids, vectors = tokens_and_vectors(converted, texts, context=64)
    piece = tiny_bert.PIECES.index
    assert ids[0] == [0, piece("▁a"), piece("bc"), 2]
    assert ids[1] == [0, *map(piece, ("▁a", "fi", "▁", "bc", "a")), 2]
    assert ids[2] == [0, *map(piece, ("▁a", "▁", "bc")), 2]
    assert ids[3] == [0, *map(piece, ("▁", "<unk>")), 2]
    weights = tiny_bert.quantised(WEIGHTS)
    expected = np.array([tiny_bert.embed(weights, tokens) for tokens in ids])
    assert (vectors * expected).sum(axis=1) == pytest.approx(1, abs=0.005)


def test_a_source_cut_anywhere_is_refused():
    for size in random.Random(3).sample(range(len(SOURCE)), 60):
        with pytest.raises((ValueError, struct.error)):
            read_source(SOURCE[:size])


@pytest.mark.model
def test_the_real_model_ranks_in_english_and_chinese_as_it_should():
    entry = load_catalog().entry("multilingual-e5-small")
    path = Shelf(load(os.environ, {})[0].models).fetch(entry)
    assert read_head(path).role == "embedding"
    pairs = entry.embedding.references
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.first, pair.second)))
    odd = "query: ﬁne\u3000ＡＢＣ①\nline"
    ids, vectors = tokens_and_vectors(path, [*texts, odd, "query: fine ABC1 line"])
    known = dict(zip(texts, vectors.tolist(), strict=False))
    check_references(entry, known)
    assert ids[-2] == ids[-1], "full-width letters, ligatures and line breaks are normalised"
