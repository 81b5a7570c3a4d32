"""Frames: the difference between what a reader has and what there is."""

import json

from webapp.generation.broadcast import Snapshot
from webapp.web.blocks import Blocks
from webapp.web.frames import Cursor, next_frame
from webapp.web.growing import NOTHING, Open

WRITING = Snapshot(1, "", "writing")
DONE = Snapshot(9, "", "ready")


def frame(blocks, reader=None, now=WRITING):
    text, then = next_frame(now, blocks, reader or Cursor())
    return (json.loads(text) if text else None), then


def test_a_new_reader_gets_everything():
    got, then = frame(Blocks(0, ("<p>1</p>", "<p>2</p>"), Open("<p>3</p>")))
    assert got == {"n": 0, "c": ["<p>1</p>", "<p>2</p>"], "e": 0, "p": "writing", "o": "<p>3</p>"}
    assert (then.have, then.epoch) == (2, 0)


def test_a_reader_with_some_blocks_gets_the_others():
    got, _ = frame(Blocks(0, ("1", "2", "3"), NOTHING), Cursor(2, 0))
    assert (got["n"], got["c"]) == (2, ["3"])


def test_a_reader_of_another_epoch_or_with_impossible_blocks_begins_anew():
    blocks = Blocks(1, ("1", "2"), NOTHING)
    for reader in (Cursor(2, 0), Cursor(7, 1), Cursor(-3, 1)):
        got, _ = frame(blocks, reader)
        assert (got["n"], got["c"], got["e"]) == (0, ["1", "2"], 1)


def test_open_code_is_told_by_its_new_words_alone():
    _, reader = frame(Blocks(0, (), Open("<pre>", "one", "</pre>")))
    got, _ = frame(Blocks(0, (), Open("<pre>", "one <two>", "</pre>")), reader)
    assert got["a"] == " <two>"
    assert "o" not in got


def test_after_a_reconnect_the_open_block_is_told_whole():
    got, _ = frame(Blocks(0, ("1",), Open("<pre>", "one", "</pre>")), Cursor(1, 0))
    assert got["o"] == "<pre>one</pre>"


def test_a_block_that_closed_is_never_mistaken_for_the_one_that_follows():
    code = Open("<pre>", "a", "</pre>")
    _, reader = frame(Blocks(0, (), code))
    got, _ = frame(Blocks(0, ("<pre>a</pre>",), Open("<pre>", "ab", "</pre>")), reader)
    assert got["o"] == "<pre>ab</pre>"


def test_when_nothing_changed_there_is_nothing_to_tell():
    blocks = Blocks(0, ("1",), Open("<p>2</p>"))
    _, reader = frame(blocks)
    assert frame(blocks, reader)[0] is None


def test_a_new_phase_or_sentence_is_told_without_the_text():
    blocks = Blocks(0, (), NOTHING)
    _, reader = frame(blocks, now=Snapshot(1, "", "queued", "2nd in line"))
    got, reader = frame(blocks, reader, Snapshot(2, "", "reading", "Reading 1 of 2 tokens \ud800"))
    assert got == {"n": 0, "c": [], "e": 0, "p": "reading", "t": "Reading 1 of 2 tokens \ufffd"}


def test_the_last_frame_says_so_even_when_nothing_changed():
    blocks = Blocks(0, ("1",), NOTHING)
    _, reader = frame(blocks, now=Snapshot(1, "", "ready"))
    got, _ = frame(blocks, reader, DONE)
    assert (got["d"], got["p"]) == (1, "ready")
