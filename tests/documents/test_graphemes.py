"""Where a text may be cut so that nothing a reader sees falls apart."""

import pytest

from webapp.documents.graphemes import boundary_before, is_boundary

WHOLE = [
    "e\u0301",
    "\r\n",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family
    "\U0001f44d\U0001f3fd",  # a thumb of a colour
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # a flag by tags
    "\U0001f1e9\U0001f1ea",  # a flag by letters
    "\u2764\ufe0f",
    "\u1112\u1161\u11ab",  # Hangul by parts
    "\ud55c\u11ab"[:1] + "\u11ab",
    "\u0915\u094d\u0937\u093f",  # Devanagari, joined by a virama
    "\u0e01\u0e33",  # Thai
    "\uff76\uff9e",  # half-width kana with its voice mark
    "z" + "\u0300" * 50,
]


@pytest.mark.parametrize("whole", WHOLE, ids=ascii)
def test_what_a_reader_takes_for_one_is_never_cut(whole):
    text = f"a{whole}b"
    assert [at for at in range(len(text) + 1) if is_boundary(text, at)] == [
        0,
        1,
        1 + len(whole),
        len(text),
    ]


@pytest.mark.parametrize("text", ["ab", "a b", "\n\r", "가나", "漢字", "éa", "ไท", "😀😀"])
def test_what_stands_side_by_side_may_be_parted(text):
    assert all(is_boundary(text, at) for at in range(len(text)))


def test_flags_in_a_row_are_parted_in_pairs():
    flags = "\U0001f1e9\U0001f1ea" * 3
    assert [at for at in range(7) if is_boundary(flags, at)] == [0, 2, 4, 6]
    assert [at for at in range(1, 7) if is_boundary(flags, at, 1)] == [1, 3, 5, 6]


def test_the_last_boundary_before_a_limit_is_found_or_the_limit_is_taken():
    text = "ab" + "e" + "\u0301" * 10
    assert boundary_before(text, 6, 0, 0) == 2
    assert boundary_before(text, 6, 2, 0) == 6
    assert boundary_before("abcdef", 3, 0, 0) == 3
