"""A tiny e5 source file, made here from random numbers, and what its model computes."""

import math
import struct

import gguf
import numpy as np

HIDDEN, LAYERS, HEADS, FEED_FORWARD, POSITIONS = 32, 2, 2, 64, 64
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "c", "▁a", "bc", "fi", "<mask>"]
SCORES = [0, 0, 0, 0, -2, -3, -3, -3, -1.5, -2.5, -2.5, 0]
REPLACEMENTS = {"ﬁ": "fi", "\t": " ", "\x01": ""}
VOCABULARY = len(PIECES) + 2
EPSILON = 1e-12


def weights(seed=0):
    """Name in the source -> array; matrices as rows of output."""
    numbers = np.random.default_rng(seed)

    def some(*shape):
        return numbers.normal(0, 0.5, shape).astype(np.float32)

    made = {
        "emb.word": some(VOCABULARY, HIDDEN),
        "emb.pos": some(POSITIONS, HIDDEN),
        "emb.type": some(2, HIDDEN),
        "emb.ln.w": some(HIDDEN) + 1,
        "emb.ln.b": some(HIDDEN),
    }
    for layer in range(LAYERS):
        for part in ("q", "k", "v", "ao", "fi", "fo"):
            rows = FEED_FORWARD if part == "fi" else HIDDEN
            columns = FEED_FORWARD if part == "fo" else HIDDEN
            made[f"l{layer}.{part}.w"] = some(rows, columns)
            made[f"l{layer}.{part}.b"] = some(rows)
        for part in ("aln", "oln"):
            made[f"l{layer}.{part}.w"] = some(HIDDEN) + 1
            made[f"l{layer}.{part}.b"] = some(HIDDEN)
    return made


def is_quantised(name, array):
    return array.ndim == 2 and name not in ("emb.pos", "emb.type")


def quantised(weights):
    """The same weights after their trip through 4 bits, as the model sees them."""
    kind = gguf.GGMLQuantizationType.Q4_0
    return {
        name: gguf.quants.dequantize(gguf.quants.quantize(array, kind), kind)
        if is_quantised(name, array)
        else array
        for name, array in weights.items()
    }


def source(weights):
    """The bytes of an E5S1 file."""
    head = b"E5S1" + struct.pack("<I", 1)
    sizes = (HIDDEN, LAYERS, HEADS, FEED_FORWARD, VOCABULARY, POSITIONS, 2)
    head += struct.pack("<7ifi", *sizes, EPSILON, 32)
    head += _pieces() + _replacements()
    blobs = {name: _blob(name, array) for name, array in weights.items()}
    size = 4 + sum(2 + len(name.encode()) + 21 for name in blobs)
    offset, directory, data = len(head) + size, struct.pack("<i", len(blobs)), b""
    for name, (kind, blob) in blobs.items():
        directory += struct.pack("<H", len(name)) + name.encode()
        elements = weights[name].size
        directory += struct.pack("<BIQQ", kind, elements, offset + len(data), len(blob))
        data += blob
    return head + directory + data


def _pieces():
    texts = [piece.encode() for piece in PIECES]
    ends = np.cumsum([0] + [len(text) for text in texts]).astype("<u4")
    head = struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, int(ends[-1]))
    return head + ends.tobytes() + np.array(SCORES, "<f4").tobytes() + b"".join(texts)


def _replacements():
    entries = b""
    for key, text in REPLACEMENTS.items():
        entries += struct.pack(f"<IB{len(text)}I", ord(key), len(text), *map(ord, text))
    return struct.pack("<iI", len(REPLACEMENTS), len(entries)) + entries


def _blob(name, array):
    if is_quantised(name, array):
        return 1, gguf.quants.quantize(array, gguf.GGMLQuantizationType.Q4_0).tobytes()
    return 0, array.astype("<f4").tobytes()


def embed(weights, ids):
    """A BERT's mean over all tokens, written down once more from its definition."""
    w = weights
    x = w["emb.word"][ids] + w["emb.pos"][: len(ids)] + w["emb.type"][0]
    x = _norm(x, w, "emb.ln")
    for layer in range(LAYERS):
        at = f"l{layer}."
        x = _norm(x + _linear(_attention(x, w, at), w, at + "ao"), w, at + "aln")
        inner = _linear(x, w, at + "fi")
        gelu = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = _norm(x + _linear(gelu, w, at + "fo"), w, at + "oln")
    mean = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


def _attention(x, w, at):
    q, k, v = (_linear(x, w, at + part).reshape(len(x), HEADS, -1) for part in "qkv")
    scores = np.einsum("ihd,jhd->hij", q, k) / math.sqrt(HIDDEN // HEADS)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    return np.einsum("hij,jhd->ihd", scores, v).reshape(len(x), HIDDEN)


def _linear(x, w, name):
    return x @ w[name + ".w"].T + w[name + ".b"]


def _norm(x, w, name):
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    return centred / spread * w[name + ".w"] + w[name + ".b"]
