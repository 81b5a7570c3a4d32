from hypothesis import given
from hypothesis import strategies as st

from webapp.engines.text_stream import StopStrings, WholeCharacters

TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@given(TEXTS, st.data())
def test_any_cut_of_the_bytes_gives_the_same_text(text, data):
    rest, characters, out = text.encode(), WholeCharacters(), ""
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        piece, rest = characters.feed(rest[:size]), rest[size:]
        piece.encode()
        out += piece
    assert out == text


def test_a_torn_character_at_the_end_is_not_given_out():
    assert WholeCharacters().feed("é🦊".encode()[:-1]) == "é"


def test_bytes_that_are_no_text_become_one_mark():
    assert WholeCharacters().feed(b"a\xffb") == "a\ufffdb"


@given(st.lists(st.text("ab<|", max_size=3)), st.lists(st.text("ab<|", max_size=3), max_size=3))
def test_text_ends_at_the_first_stop_string_however_it_is_cut(pieces, stops):
    stream, out = StopStrings(stops), ""
    for piece in pieces:
        out += stream.feed(piece)
    out += stream.end()
    whole = "".join(pieces)
    found = [at for at in (whole.find(stop) for stop in stops if stop) if at >= 0]
    assert stream.stopped == bool(found)
    assert out == (whole[: min(found)] if found else whole)


def test_only_what_may_begin_a_stop_string_is_kept_back():
    stream = StopStrings(["</end>"])
    assert stream.feed("text </en") == "text "
    assert stream.feed("emy") == "</enemy"
