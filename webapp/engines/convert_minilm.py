"""all-MiniLM-L6-v2, from the zip it comes in (safetensors and tokenizer.json), to a GGUF.

Matrices become Q8_0; position and token-type tables, norms and biases stay float32.
"""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

_WORD_START = "\u2581"
_STAYS_FLOAT = ("position_embeddings", "token_type_embeddings", "LayerNorm", ".bias")


def convert(source: Path, target: Path) -> None:
    """Writes `target` anew. Raises ValueError, KeyError, struct.error or zipfile.BadZipFile when
    the source is not whole."""
    with zipfile.ZipFile(source) as archive:
        config = json.loads(archive.read("config.json"))
        tokenizer = json.loads(archive.read("tokenizer.json"))
        tensors = read_safetensors(archive.read("model.safetensors"))
    writer = gguf.GGUFWriter(target, "bert")
    _write_shape(writer, config)
    _write_tokenizer(writer, tokenizer, config)
    _write_tensors(writer, tensors, config["num_hidden_layers"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_safetensors(data: bytes) -> dict[str, NDArray[np.float32]]:
    """The float32 tensors of a safetensors file; others (position ids) are left out."""
    (size,) = struct.unpack_from("<Q", data)
    start = 8 + size
    tensors = {}
    for name, about in json.loads(data[8:start]).items():
        if about.get("dtype") != "F32":
            continue
        begin, end = about["data_offsets"]
        flat = np.frombuffer(data[start + begin : start + end], "<f4")
        tensors[name] = flat.reshape(about["shape"])
    return tensors


def gguf_tokens(vocabulary: dict[str, int]) -> list[str]:
    """WordPiece tokens in order of id, as llama.cpp wants them: "##x" goes on within a word and
    becomes "x"; what starts a word gets U+2581; "[CLS]" and its like stay."""
    ordered = sorted(vocabulary, key=vocabulary.__getitem__)
    return [_gguf_token(token) for token in ordered]


def _gguf_token(token: str) -> str:
    if token.startswith("[") and token.endswith("]"):
        return token
    if token.startswith("##"):
        return token[2:]
    return _WORD_START + token


def _write_shape(writer: gguf.GGUFWriter, config: dict[str, Any]) -> None:
    writer.add_name("all-MiniLM-L6-v2")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)


def _write_tokenizer(
    writer: gguf.GGUFWriter, tokenizer: dict[str, Any], config: dict[str, Any]
) -> None:
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    tokens = gguf_tokens(vocabulary)
    types = [int(gguf.TokenType.NORMAL)] * len(tokens)
    for added in tokenizer["added_tokens"]:
        types[added["id"]] = int(gguf.TokenType.CONTROL)
    unknown = vocabulary[tokenizer["model"]["unk_token"]]
    types[unknown] = int(gguf.TokenType.UNKNOWN)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_type_count(config["type_vocab_size"])
    writer.add_bos_token_id(vocabulary["[CLS]"])
    writer.add_eos_token_id(vocabulary["[SEP]"])
    writer.add_sep_token_id(vocabulary["[SEP]"])
    writer.add_unk_token_id(unknown)
    writer.add_pad_token_id(vocabulary["[PAD]"])
    writer.add_mask_token_id(vocabulary["[MASK]"])


def _write_tensors(
    writer: gguf.GGUFWriter, tensors: dict[str, NDArray[np.float32]], layers: int
) -> None:
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, layers)
    for name, tensor in tensors.items():
        target = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if target is None:
            continue  # the pooler: mean pooling has no use for it
        if any(part in name for part in _STAYS_FLOAT):
            writer.add_tensor(target, tensor)
        else:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(target, gguf.quants.quantize(tensor, kind), raw_dtype=kind)
