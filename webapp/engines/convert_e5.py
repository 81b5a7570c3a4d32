"""multilingual-e5-small, from the 4-bit file it comes in, to a GGUF.

The source ("E5S1", little-endian) is read in one pass: sizes, tokenizer, normaliser, a directory of
tensors, their data. Its 4-bit blocks are byte for byte ggml's Q4_0 and are copied as they are, so
the conversion loses nothing. Positions count from 0 and pooling is the mean over all tokens.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

from webapp.engines.charsmap import precompiled_charsmap

_BLOCK_VALUES, _BLOCK_BYTES = 32, 18
_FILLER_SCORE = -10000.0
_TENSORS = {
    "emb.word": "embeddings.word_embeddings",
    "emb.pos": "embeddings.position_embeddings",
    "emb.type": "embeddings.token_type_embeddings",
    "emb.ln": "embeddings.LayerNorm",
}
_LAYER_TENSORS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True)
class Shape:
    """The sizes at the head of the source, in its order."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float
    block: int


@dataclass(frozen=True)
class Pieces:
    """The tokenizer: pieces as UTF-8, their scores, the ids of the special ones."""

    texts: tuple[bytes, ...]
    scores: tuple[float, ...]
    bos: int
    eos: int
    pad: int
    unknown: int


@dataclass(frozen=True)
class Tensor:
    name: str
    quantised: bool
    data: bytes


@dataclass(frozen=True)
class Source:
    shape: Shape
    pieces: Pieces
    replacements: dict[str, str]
    tensors: tuple[Tensor, ...]


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def raw(self, size: int) -> bytes:
        if self.at + size > len(self.data):
            raise ValueError(f"the file ends at byte {len(self.data)}, {size} more were due")
        self.at += size
        return self.data[self.at - size : self.at]


def read_source(data: bytes) -> Source:
    """Raises ValueError or struct.error when the bytes are not such a file, or not all of it."""
    cursor = _Cursor(data)
    if cursor.raw(4) != b"E5S1" or cursor.take("I") != (1,):
        raise ValueError("not an E5S1 file of version 1")
    shape = Shape(*cursor.take("7ifi"))
    if shape.block != _BLOCK_VALUES:
        raise ValueError(f"blocks of {shape.block} values, not {_BLOCK_VALUES}")
    pieces = _read_pieces(cursor)
    replacements = _read_replacements(cursor)
    return Source(shape, pieces, replacements, _read_tensors(cursor))


def _read_pieces(cursor: _Cursor) -> Pieces:
    count, bos, eos, pad, unknown, size = cursor.take("5iQ")
    ends = cursor.take(f"{count + 1}I")
    scores = cursor.take(f"{count}f")
    text = cursor.raw(size)
    texts = tuple(text[ends[i] : ends[i + 1]] for i in range(count))
    return Pieces(texts, scores, bos, eos, pad, unknown)


def _read_replacements(cursor: _Cursor) -> dict[str, str]:
    count, _bytes = cursor.take("iI")
    replacements = {}
    for _ in range(count):
        code, length = cursor.take("IB")
        replacements[chr(code)] = "".join(map(chr, cursor.take(f"{length}I")))
    return replacements


def _read_tensors(cursor: _Cursor) -> tuple[Tensor, ...]:
    tensors = []
    for _ in range(cursor.take("i")[0]):
        name = cursor.raw(cursor.take("H")[0]).decode()
        kind, _elements, offset, size = cursor.take("BIQQ")
        data = cursor.data[offset : offset + size]
        if len(data) != size:
            raise ValueError(f"the file ends within {name}")
        tensors.append(Tensor(name, kind == 1, data))
    return tuple(tensors)


def convert(source: Path, target: Path) -> None:
    """Writes `target` anew. Raises ValueError or struct.error when the source is not whole."""
    model = read_source(source.read_bytes())
    writer = gguf.GGUFWriter(target, "bert")
    _write_shape(writer, model.shape)
    _write_tokenizer(writer, model)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.BERT, model.shape.layers)
    for tensor in model.tensors:
        _write_tensor(writer, names, tensor, model.shape)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _write_shape(writer: gguf.GGUFWriter, shape: Shape) -> None:
    writer.add_name("multilingual-e5-small")
    writer.add_context_length(shape.positions)
    writer.add_embedding_length(shape.hidden)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_block_count(shape.layers)
    writer.add_head_count(shape.heads)
    writer.add_layer_norm_eps(shape.epsilon)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)


def _write_tokenizer(writer: gguf.GGUFWriter, model: Source) -> None:
    pieces, fillers = model.pieces, range(len(model.pieces.texts), model.shape.vocabulary)
    mask = len(pieces.texts) - 1
    writer.add_tokenizer_model("t5")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([*pieces.texts, *(f"[PAD{n}]".encode() for n in fillers)])
    writer.add_token_scores([*pieces.scores, *(_FILLER_SCORE for _ in fillers)])
    writer.add_token_types(_token_types(pieces, mask, len(fillers)))
    writer.add_token_type_count(model.shape.token_types)  # the loader refuses a bert without it
    # Loaders assume other ids for t5, so every one is written out.
    writer.add_bos_token_id(pieces.bos)
    writer.add_eos_token_id(pieces.eos)
    writer.add_sep_token_id(pieces.eos)
    writer.add_unk_token_id(pieces.unknown)
    writer.add_pad_token_id(pieces.pad)
    writer.add_mask_token_id(mask)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)
    writer.add_add_space_prefix(True)
    writer.add_remove_extra_whitespaces(True)
    writer.add_precompiled_charsmap(precompiled_charsmap(model.replacements))


def _token_types(pieces: Pieces, mask: int, fillers: int) -> list[int]:
    types = [int(gguf.TokenType.NORMAL)] * len(pieces.texts)
    for control in (pieces.bos, pieces.eos, pieces.pad, mask):
        types[control] = int(gguf.TokenType.CONTROL)
    types[pieces.unknown] = int(gguf.TokenType.UNKNOWN)
    return types + [int(gguf.TokenType.UNUSED)] * fillers


def _write_tensor(
    writer: gguf.GGUFWriter, names: gguf.TensorNameMap, tensor: Tensor, shape: Shape
) -> None:
    name, array = _target_name(names, tensor.name), _array(tensor, shape)
    kind = gguf.GGMLQuantizationType.Q4_0 if tensor.quantised else None
    writer.add_tensor(name, array, raw_dtype=kind)


def _target_name(names: gguf.TensorNameMap, name: str) -> str:
    stem, _dot, last = name.rpartition(".")
    suffix = {"w": ".weight", "b": ".bias"}.get(last)
    if suffix is None:
        stem, suffix = name, ".weight"  # the three embedding tables stand without one
    layer, _, part = stem.partition(".")
    long = _TENSORS.get(stem) or f"encoder.layer.{int(layer[1:])}.{_LAYER_TENSORS[part]}"
    found = names.get_name(long, try_suffixes=())
    if found is None:
        raise ValueError(f"no place for the tensor {name}")
    return str(found) + suffix


def _array(tensor: Tensor, shape: Shape) -> NDArray[Any]:
    """Matrices are rows of output; their width is known, so the height follows."""
    width = shape.feed_forward if tensor.name.endswith("fo.w") else shape.hidden
    if tensor.quantised:
        row = width // _BLOCK_VALUES * _BLOCK_BYTES
        return np.frombuffer(tensor.data, np.uint8).reshape(-1, row)
    values = np.frombuffer(tensor.data, "<f4")
    return values.reshape(-1, width) if tensor.name in ("emb.pos", "emb.type") else values
