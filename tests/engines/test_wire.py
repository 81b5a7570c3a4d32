import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.engines import wire
from webapp.engines.engine import Finished, Reading, Request, Sampling, Text, Turn

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=30)
@given(st.lists(st.dictionaries(st.text(max_size=9), VALUES, max_size=4), max_size=4))
def test_frames_arrive_as_they_were_sent(frames):
    pipe = io.BytesIO()
    for frame in frames:
        wire.send(pipe, frame)
    pipe.seek(0)
    assert [wire.receive(pipe) for _ in frames] == frames
    assert wire.receive(pipe) is None


def test_nul_and_lone_surrogates_travel():
    pipe = io.BytesIO()
    wire.send(pipe, {"text": "\0\ud800"})
    pipe.seek(0)
    assert wire.receive(pipe) == {"text": "\0\ud800"}


def test_a_torn_frame_is_the_end():
    pipe = io.BytesIO()
    wire.send(pipe, {"text": "whole"})
    whole = pipe.getvalue()
    assert [wire.receive(io.BytesIO(whole[:n])) for n in range(len(whole))] == [None] * len(whole)


@pytest.mark.parametrize("noise", [b"a library's chatter", b"\0\0\0\2no", b"\0\0\0\2[]"])
def test_what_is_no_frame_is_the_end(noise):
    assert wire.receive(io.BytesIO(noise)) is None


@pytest.mark.parametrize(
    "event",
    [Reading(1, 2, 0), Text("漢", 3), Finished("stop", 1, 2, 3, 0.5, 1.5)],
    ids=lambda event: type(event).__name__,
)
def test_events_come_out_as_they_went_in(event):
    frame = wire.event_frame(7, event)
    assert wire.event_of(frame) == event
    assert (frame["job"], frame["last"]) == (7, isinstance(event, Finished))


def test_requests_come_out_as_they_went_in():
    request = Request("r", (Turn("user", "hi"),), 9, Sampling(seed=4), ("stop", "here"))
    pipe = io.BytesIO()
    wire.send(pipe, wire.request_frame(request))
    pipe.seek(0)
    assert wire.request_of(wire.receive(pipe)) == request


def test_schema_and_tools_travel_with_their_request():
    request = Request("r", (), schema={"enum": ["\ud800", "漢"]}, tools=({"type": "function"},))
    pipe = io.BytesIO()
    wire.send(pipe, wire.request_frame(request))
    pipe.seek(0)
    assert wire.request_of(wire.receive(pipe)) == request
