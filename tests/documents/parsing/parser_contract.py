"""What every parser must do, whatever it reads.

A subclass gives `sample`, a good file as `(path, name)`, and `expected`, words that stand in it in
this order.
"""

import dataclasses
import io
import json
import re
import unicodedata

import pytest

from webapp.documents.parsing.child import Outgoing, outcome
from webapp.documents.parsing.choosing import chosen, parse
from webapp.documents.parsing.limits import Limits
from webapp.documents.parsing.lines import Assembly, lines_of
from webapp.documents.parsing.parser import Source
from webapp.errors import Unreadable

UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff\ud800-\udfff]")


def ending(path, name, limits=None):
    """The last line a child would send about a file."""
    order = {
        "path": str(path),
        "name": name,
        "limits": dataclasses.asdict(limits or Limits()),
    }
    *_, last = outcome(order, Outgoing(io.BytesIO()))
    return json.loads(json.dumps(last))


def in_order(text, words):
    at = 0
    for word in words:
        at = text.index(word, at) + len(word)
    return True


class ParserContract:
    parser = None
    expected = ()

    @pytest.fixture
    def sample(self):
        raise NotImplementedError

    @pytest.fixture
    def document(self, sample):
        return parse(Source(*sample))

    def test_it_is_the_one_that_is_chosen(self, sample):
        assert type(chosen(Source(*sample))) is self.parser

    def test_a_format_with_bytes_of_its_own_is_known_under_any_name(self, sample):
        if self.parser.has_signature:
            assert type(chosen(Source(sample[0], "something.txt"))) is self.parser
            assert type(chosen(Source(sample[0], "something"))) is self.parser

    def test_the_words_come_in_their_order(self, document):
        assert in_order(document.text, self.expected)

    def test_the_text_is_clean(self, document):
        assert not UNSEEN.search(document.text)
        assert unicodedata.is_normalized("NFC", document.text)
        assert document.text == document.text.strip("\n")

    def test_places_lie_in_the_text_sorted_and_one_kind_never_overlaps(self, document):
        starts = [place.start for place in document.places]
        assert starts == sorted(starts)
        ends = {}
        for place in document.places:
            assert 0 <= place.start < place.end <= len(document.text)
            assert place.start >= ends.get(place.kind, 0)
            ends[place.kind] = place.end

    def test_it_says_which_format_it_was(self, document):
        assert dict(document.details)["format"] == self.parser.name

    def test_reading_twice_gives_the_same(self, sample, document):
        assert parse(Source(*sample)) == document

    def test_the_document_survives_the_way_to_the_server(self, document):
        assembly = Assembly(10**6)
        sent = [json.loads(json.dumps(line)) for line in lines_of(document)]
        assert [assembly.add(line) for line in sent][-1] == document

    def test_more_text_than_may_be_is_refused(self, sample):
        with pytest.raises(Unreadable) as refused:
            parse(Source(*sample, Limits(characters=3)))
        assert refused.value.code == "too_large"

    def test_a_larger_file_than_may_be_is_refused(self, sample):
        with pytest.raises(Unreadable) as refused:
            parse(Source(*sample, Limits(file_bytes=10)))
        assert refused.value.code == "too_large"

    @pytest.mark.parametrize("part", [0.01, 0.3, 0.5, 0.9, 0.99])
    def test_a_file_that_was_cut_off_is_read_or_refused_in_words(self, sample, tmp_path, part):
        path, name = sample
        data = path.read_bytes()
        torn = tmp_path / "torn"
        torn.write_bytes(data[: max(1, int(len(data) * part))])
        assert ending(torn, name)["kind"] in ("end", "unreadable")

    def test_a_file_with_holes_is_read_or_refused_in_words(self, sample, tmp_path):
        path, name = sample
        data = bytearray(path.read_bytes())
        for at in range(len(data) // 3, len(data) - 8, max(9, len(data) // 7)):
            data[at : at + 8] = b"\0\xff\xfe\x80\x1a\r\n\0"
        holed = tmp_path / "holed"
        holed.write_bytes(data)
        assert ending(holed, name)["kind"] in ("end", "unreadable")
