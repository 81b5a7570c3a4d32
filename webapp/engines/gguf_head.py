"""What a GGUF file says of itself, read from its head without loading it.

Also tells whether a file is a GGUF at all and whether all of it is there. Nothing in the file is
trusted: every length is checked against the file's own size before it is read.
"""

from __future__ import annotations

import math
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from webapp.errors import ModelFileMissing

_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_STRING, _ARRAY = 8, 9
_LENGTH = struct.Struct("<Q")
_BLOCK = 1 << 20
_LONGEST_STRING = 4 << 20
_MOST_ITEMS = 4 << 20  # of texts in a list, keys, tensors: more than any model has
_BUFFERS = 256 << 20
_SCORE_BYTES = 128 * 4  # of each head and each token in the context: batches have 128 tokens
_EMBEDDERS = ("bert", "t5encoder", "gemma-embedding")

# ggml type -> values per block, bytes per block.
TYPE_SIZES = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 40), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8),
    28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip

# general.file_type -> how most of its numbers are stored.
QUANTIZATIONS = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K",
    11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S",
    17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS",
    23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M",
    30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4_MOE",
}  # fmt: skip


@dataclass(frozen=True)
class GgufHead:
    """`context_tokens` is what the model was made for; 0 where the file does not say. `role` is
    empty for files that no engine runs by themselves (adapters, image encoders); `quantization` is
    empty where the file does not say."""

    architecture: str
    name: str
    role: Literal["chat", "embedding", ""]
    context_tokens: int
    embedding_length: int
    parameters: int
    chat_template: str
    file_bytes: int
    kv_bytes_per_token: int
    heads: int = 0
    quantization: str = ""

    def memory_bytes(self, context_tokens: int) -> int:
        """RAM the loaded model takes, roughly: weights, the memory of the context, buffers, and
        the scores of a batch of tokens against the whole context."""
        scores = self.heads * _SCORE_BYTES
        return self.file_bytes + (self.kv_bytes_per_token + scores) * context_tokens + _BUFFERS


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self.size = size

    def take(self, layout: str) -> Any:
        (value,) = struct.unpack("<" + layout, self.raw(struct.calcsize("<" + layout)))
        return value

    def raw(self, size: int) -> bytes:
        if not 0 <= size <= self.size - self._file.tell():
            raise ValueError("it ends too early")
        return self._file.read(size)

    def text(self) -> str:
        size = self.take("Q")
        if size > _LONGEST_STRING:
            raise ValueError("a text in it is too long")
        return self.raw(size).decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """A scalar or a text; arrays are passed over and give None."""
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self._skip_array()
        return self.take(_scalar(kind))

    def _skip_array(self) -> None:
        kind, count = self.take("I"), self.take("Q")
        if kind == _STRING:
            self._skip_texts(_bounded(count, _MOST_ITEMS))
        else:
            self.skip(count * struct.calcsize(_scalar(kind)))

    def _skip_texts(self, count: int) -> None:
        """Vocabularies have hundreds of thousands: they are walked in blocks of bytes."""
        block, at = b"", 0
        for _ in range(count):
            if at + 8 > len(block):
                self.skip(at - len(block)) if at > len(block) else self._back(len(block) - at)
                block, at = self.raw(min(_BLOCK, self.size - self.at())), 0
                if len(block) < 8:
                    raise ValueError("it ends too early")
            at += 8 + _LENGTH.unpack_from(block, at)[0]
        self.skip(at - len(block)) if at > len(block) else self._back(len(block) - at)

    def _back(self, size: int) -> None:
        self._file.seek(-size, os.SEEK_CUR)

    def skip(self, size: int) -> None:
        if not 0 <= size <= self.size - self._file.tell():
            raise ValueError("it ends too early")
        self._file.seek(size, os.SEEK_CUR)

    def at(self) -> int:
        return self._file.tell()


def _scalar(kind: int) -> str:
    if kind not in _SCALARS:
        raise ValueError(f"it holds a value of the unknown kind {kind}")
    return _SCALARS[kind]


def read_head(path: Path) -> GgufHead:
    """Raises ModelFileMissing, naming the file, when it is missing, no GGUF or not all there."""
    try:
        with path.open("rb") as file:
            return _read(_Reader(file, os.fstat(file.fileno()).st_size))
    except FileNotFoundError:
        raise ModelFileMissing(
            f"The model file {_shown(path)} is not there.",
            do="Fetch it with 'strata models add', or choose another model.",
        ) from None
    except OSError as error:
        raise ModelFileMissing(
            f"The model file {_shown(path)} cannot be read: {error.strerror or error}.",
            do="Let Strata read it, or choose another model.",
        ) from None
    except (ValueError, struct.error) as error:
        raise ModelFileMissing(
            f"{_shown(path)} is not a whole GGUF model file: {error}.",
            do="Remove it and fetch it again, or choose another model.",
        ) from None


def _shown(path: Path) -> str:
    return str(path).encode("utf-8", "replace").decode()


def _read(reader: _Reader) -> GgufHead:
    if reader.size < 24 or reader.raw(4) != b"GGUF":
        raise ValueError("it does not begin like one")
    version = reader.take("I")
    if version not in (2, 3):
        raise ValueError(f"version {version} of the format is not known")
    tensors, keys = reader.take("Q"), reader.take("Q")
    facts: dict[str, Any] = {}
    for _ in range(_bounded(keys, _MOST_ITEMS)):
        key = reader.text()
        facts[key] = reader.value(reader.take("I"))
    alignment = facts.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1:
        raise ValueError("it has an impossible alignment")
    parameters = _check_tensors(reader, tensors, alignment)
    return _head(facts, parameters, reader.size)


def _check_tensors(reader: _Reader, count: int, alignment: int) -> int:
    """The number of parameters. Raises ValueError when a tensor lies beyond the file's end."""
    parameters = end = 0
    for _ in range(_bounded(count, _MOST_ITEMS)):
        reader.skip(reader.take("Q"))
        elements = math.prod(reader.take("Q") for _ in range(_bounded(reader.take("I"), 8)))
        kind, offset = reader.take("I"), reader.take("Q")
        values, size = TYPE_SIZES.get(kind, (1, 0))
        parameters += elements
        end = max(end, offset + elements // values * size)
    start = -(-reader.at() // alignment) * alignment
    if count and start + end > reader.size:
        raise ValueError(f"it has {reader.size:,} bytes of {start + end:,}")
    return parameters


def _bounded(number: int, most: int) -> int:
    if number > most:
        raise ValueError("it claims more than a model can hold")
    return number


def _head(facts: dict[str, Any], parameters: int, size: int) -> GgufHead:
    architecture = facts.get("general.architecture")
    if not isinstance(architecture, str):
        raise ValueError("it does not say what kind of model it is")  # noqa: TRY004 - of the file

    def number(key: str) -> int:
        value = facts.get(f"{architecture}.{key}")
        return int(value) if isinstance(value, int) else 0

    embeds = f"{architecture}.pooling_type" in facts or architecture.endswith(_EMBEDDERS)
    whole = facts.get("general.type", "model") == "model" and architecture != "clip"
    template = facts.get("tokenizer.chat_template")
    name = facts.get("general.name")
    return GgufHead(
        architecture=architecture,
        name=name if isinstance(name, str) else "",
        role=("embedding" if embeds else "chat") if whole else "",
        context_tokens=number("context_length"),
        embedding_length=number("embedding_length"),
        parameters=parameters,
        chat_template=template if isinstance(template, str) else "",
        file_bytes=size,
        kv_bytes_per_token=0 if embeds else _kv_bytes(number),
        heads=0 if embeds else number("attention.head_count"),
        quantization=_quantization(facts.get("general.file_type")),
    )


def _quantization(kind: object) -> str:
    return QUANTIZATIONS.get(kind, "") if isinstance(kind, int) else ""


def _kv_bytes(number: Any) -> int:
    """Keys and values of one token over all layers, at 2 bytes a number."""
    heads = number("attention.head_count")
    kv_heads = number("attention.head_count_kv") or heads
    width = number("embedding_length") // heads if heads else 0
    keys = number("attention.key_length") or width
    values = number("attention.value_length") or width
    return int(number("block_count") * kv_heads * (keys + values) * 2)
