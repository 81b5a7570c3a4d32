"""The double array, walked as llama.cpp walks it."""

import struct

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.engines.charsmap import BLOCK, double_array, precompiled_charsmap

KEYS = st.binary(min_size=1, max_size=6).filter(lambda key: 0 not in key)


def longest(units, text):
    """(bytes of `text` that are a key, its value), or (0, None); every probe must be inside."""

    def base(index):
        return int(units[index] >> 10) & 0x1FFFFF

    node, found = base(0), (0, None)
    for length, byte in enumerate(text, 1):
        if byte == 0:
            break
        node ^= byte
        assert node < len(units)
        if int(units[node]) & 0x800000FF != byte:
            break
        ends = int(units[node]) & 0x100
        node ^= base(node)
        assert node < len(units)
        if ends:
            assert int(units[node]) & 0x80000000
            found = (length, int(units[node]) & 0x7FFFFFFF)
    return found


@given(st.dictionaries(KEYS, st.integers(0, 1 << 20), max_size=60), st.lists(KEYS, max_size=20))
@settings(max_examples=150, deadline=None)
def test_every_text_finds_its_longest_key_and_no_other(values, others):
    units = double_array(values)
    for text in [*values, *others, *(key + b"\x01\xff" for key in values)]:
        keys = [text[:n] for n in range(len(text), 0, -1) if text[:n] in values]
        expected = (len(keys[0]), values[keys[0]]) if keys else (0, None)
        assert longest(units, text) == expected


def test_every_single_byte_and_pair_fits():
    values = {bytes([n]): n for n in range(1, 256)}
    values |= {bytes([n, m]): n * 256 + m for n in range(1, 256) for m in (1, 128, 255)}
    units = double_array(values)
    assert all(longest(units, key) == (len(key), value) for key, value in values.items())


def test_the_array_is_made_of_whole_blocks_so_that_no_probe_leaves_it():
    for count in (0, 1, 7, 300):
        assert len(double_array({b"k%d" % n: n for n in range(count)})) % BLOCK == 0


def test_replacements_stand_behind_the_array_each_ended_by_nul():
    charsmap = precompiled_charsmap({"ﬁ": "fi", "\t": " ", "\x01": "", "\u3000": " "})
    (size,) = struct.unpack_from("<I", charsmap)
    units = np.frombuffer(charsmap[4 : 4 + size], "<u4")
    texts = charsmap[4 + size :]

    def replaced(key):
        _length, value = longest(units, key.encode())
        return texts[value : texts.index(b"\0", value)].decode()

    assert [replaced(key) for key in ("ﬁ", "\t", "\x01", "\u3000")] == ["fi", " ", "", " "]
    assert longest(units, b"plain") == (0, None)
