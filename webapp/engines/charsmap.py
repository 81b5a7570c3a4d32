"""The normaliser of a t5-style tokenizer, in the form a GGUF carries it.

`tokenizer.ggml.precompiled_charsmap` is: the size of a double array in bytes (u32), the array,
then the replacements, each ended by NUL. The array is a trie over the UTF-8 bytes of what is to be
replaced. A unit (u32) is either a value (bit 31 set) or a step: bits 0-7 the byte that leads here,
bit 8 "a value follows", bits 10-30 what to XOR its own position with to reach its children.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

BLOCK = 256
_VALUE = 1 << 31
_ENDS_HERE = 1 << 8


@dataclass
class _Node:
    value: int | None = None
    children: dict[int, _Node] = field(default_factory=dict)

    def labels(self) -> list[int]:
        """The bytes under which this node needs a unit; 0 stands for its value."""
        return ([] if self.value is None else [0]) + sorted(self.children)


class _Units:
    """The double array while it grows, one block of 256 units at a time.

    A base is used by one node only: two nodes with one base would each find the other's children.
    Every probe from a base stays in the base's block, so whole blocks keep probes inside the array.
    """

    def __init__(self) -> None:
        self.units: NDArray[np.uint32] = np.zeros(0, np.uint32)
        self._free: list[NDArray[np.bool_]] = []
        self._unused_base: list[NDArray[np.bool_]] = []
        self._first_open = 0
        self._grow()
        self._free[0][0] = False  # the root stands at 0

    def _grow(self) -> None:
        self.units = np.concatenate([self.units, np.zeros(BLOCK, np.uint32)])
        self._free.append(np.ones(BLOCK, np.bool_))
        self._unused_base.append(np.ones(BLOCK, np.bool_))

    def place(self, labels: Sequence[int]) -> int:
        """A base under which every label is free; the units are taken."""
        wanted = np.array(labels, np.int64)
        probes = np.arange(BLOCK)[:, None] ^ wanted[None, :]
        block = self._first_open
        while True:
            if block == len(self._free):
                self._grow()
            fits = self._free[block][probes].all(axis=1) & self._unused_base[block]
            if fits.any():
                base = int(fits.argmax())
                self._free[block][base ^ wanted] = False
                self._unused_base[block][base] = False
                self._skip_full_blocks()
                return block * BLOCK + base
            block += 1

    def _skip_full_blocks(self) -> None:
        while self._first_open < len(self._free) - 1 and not self._free[self._first_open].any():
            self._first_open += 1


def double_array(values: Mapping[bytes, int]) -> NDArray[np.uint32]:
    """A double array that finds each key's value; keys hold no NUL and are not empty."""
    root = _trie(values)
    units = _Units()
    waiting = [(root, 0)]
    while waiting:
        node, position = waiting.pop()
        base = units.place(node.labels())
        units.units[position] |= np.uint32((position ^ base) << 10)
        if node.value is not None:
            units.units[position] |= np.uint32(_ENDS_HERE)
            units.units[base] = np.uint32(_VALUE | node.value)
        for label, child in node.children.items():
            units.units[base ^ label] = np.uint32(label)
            waiting.append((child, base ^ label))
    return units.units


def _trie(values: Mapping[bytes, int]) -> _Node:
    root = _Node()
    for key, value in values.items():
        node = root
        for byte in key:
            node = node.children.setdefault(byte, _Node())
        node.value = value
    return root


def precompiled_charsmap(replacements: Mapping[str, str]) -> bytes:
    """The GGUF value for "replace each key by its text" (an empty text removes the key)."""
    text = bytearray()
    values: dict[bytes, int] = {}
    known: dict[str, int] = {}
    for key, replacement in replacements.items():
        if replacement not in known:
            known[replacement] = len(text)
            text += replacement.encode() + b"\0"
        values[key.encode()] = known[replacement]
    array = double_array(values).astype("<u4").tobytes()
    return struct.pack("<I", len(array)) + array + bytes(text)
