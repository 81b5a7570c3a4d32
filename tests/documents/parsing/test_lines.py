import json

import pytest

from webapp.documents.document import Document, Place
from webapp.documents.parsing.lines import Assembly, lines_of, refusal_line
from webapp.documents.parsing.refusals import password
from webapp.errors import Unreadable


def test_a_long_document_goes_in_lines_of_bounded_length():
    places = tuple(Place(n, n + 1, "lines", "", n) for n in range(1_234))
    document = Document("漢" * 200_000, places, "T", ("note",), (("format", "Text"),))
    lines = [json.dumps(line) for line in lines_of(document)]
    assert max(map(len, lines)) < 1_000_000
    assembly = Assembly(200_000)
    found = [assembly.add(json.loads(line)) for line in lines]
    assert found[:-1] == [None] * (len(lines) - 1)
    assert found[-1] == document


def test_a_refusal_arrives_as_it_was():
    with pytest.raises(Unreadable) as refused:
        Assembly(1).add(json.loads(json.dumps(refusal_line(password()))))
    assert str(refused.value) == str(password())
    assert refused.value.code == "password"


def test_more_text_than_agreed_is_refused():
    with pytest.raises(Unreadable) as refused:
        Assembly(5).add({"kind": "text", "text": "123456"})
    assert refused.value.code == "too_large"


@pytest.mark.parametrize(
    "line",
    [
        *({}, {"kind": "odd"}, {"kind": "text"}, {"kind": "text", "text": 5}, {"kind": "end"}),
        *({"kind": "places", "places": [[1]]}, {"kind": "places", "places": 5}),
    ],
)
def test_lines_of_another_kind_are_an_error(line):
    with pytest.raises((KeyError, TypeError, ValueError)):
        Assembly(5).add(line)
