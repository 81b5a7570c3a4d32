import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.engines import openai_sse
from webapp.engines.openai_sse import EventStream, EventTooLong


def read(*pieces):
    stream = EventStream()
    return [data for piece in pieces for data in stream.feed(piece)] + list(stream.end())


def test_comments_names_and_ids_are_left_out_and_lines_joined():
    sent = b": hello\n\nevent: x\nid: 1\ndata: one\ndata:two\nretry: 3\n\n\n\ndata\n\n"
    assert read(sent) == ["one\ntwo", ""]


def test_an_event_is_given_out_as_soon_as_it_ends():
    stream = EventStream()
    assert list(stream.feed(b"data: one\n")) == []
    assert list(stream.feed(b"\ndata: t")) == ["one"]
    assert list(stream.feed(b"wo\r\n\r\n")) == ["two"]


def test_the_last_event_counts_without_an_empty_line_behind_it():
    assert read(b"data: [DONE]") == ["[DONE]"]


def test_a_mark_at_the_beginning_and_bytes_that_are_no_text_do_no_harm():
    assert read(b"\xef\xbb\xbfdata: \xff\n\n") == ["\ufffd"]


@given(st.lists(st.text(st.characters(exclude_characters="\r\n")), max_size=5), st.data())
def test_where_the_bytes_are_cut_changes_nothing(events, draw):
    end = draw.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    lines = [f"data: {event}{end}{end}" for event in events]
    sent = "".join(lines).encode()
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(sent)), max_size=8)))
    bounds = zip([0, *cuts], [*cuts, len(sent)], strict=True)
    assert read(*[sent[start:stop] for start, stop in bounds]) == events


def test_an_event_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(openai_sse, "LONGEST_EVENT", 100)
    stream = EventStream()
    assert list(stream.feed(b"data: " + b"x" * 90 + b"\n\n"))
    with pytest.raises(EventTooLong):
        for _ in range(50):
            list(stream.feed(b"xxx"))
