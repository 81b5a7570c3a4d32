"""A growing answer ends as the same HTML as a finished one, whatever stands in it."""

import threading
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.web.hostile import TEXTS, faults
from webapp.web.blocks import GrowingText
from webapp.web.markdown import to_html


class Watched:
    """An answer that grows without resting, and what a reader sees of it."""

    def __init__(self):
        self.text = GrowingText()
        self.seen = []

    def show(self, text, *, finished=False):
        self.text._resting_until = 0.0
        self.seen.append(self.text.show(text, finished=finished))
        return self.seen[-1]


def streamed(text, step=3):
    watched = Watched()
    for end in range(step, len(text), step):
        watched.show(text[:end])
    watched.show(text, finished=True)
    return watched.seen


def only_adds(seen):
    """Whether, within each epoch, closed blocks were only ever added."""
    return all(
        later.epoch > earlier.epoch or later.closed[: len(earlier.closed)] == earlier.closed
        for earlier, later in pairwise(seen)
    )


LONG = """# Title

A **first** paragraph with `code`
that goes on.

- one
- two

  ```python
  x = 1
  ```
- three

| a | b |
|---|--:|
| 1 | 2 |

```js
const a = "<b>";
```

> quoted
> text

1. first
2. second

\\[
x = \\frac{1}{2}
\\]

日本語の
文章。
"""


@pytest.mark.parametrize("step", [1, 4, 50])
def test_an_answer_ends_as_if_it_had_been_laid_out_at_once(step):
    seen = streamed(LONG, step)
    assert "".join(seen[-1].closed) == to_html(LONG)
    assert only_adds(seen)
    assert {blocks.epoch for blocks in seen} == {0}
    assert seen[-2].closed


PIECES = [
    *("# h\n", "**b** ", "word ", "\n", "\n\n", "- item\n", "  - sub\n", "1. one\n", "> q\n"),
    *("```py\nx\n", "```\n", "~~~\n", "    code\n", "|a|b|\n|-|-|\n", "|1|", "---\n", "===\n"),
    *("\\[\n", "\\]\n", "\\(x\\)", "$$\n", "日本\n", "\t", "`c` ", "&amp;", "``", "- ", "1) x\n"),
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
def test_any_markup_ends_the_same_and_never_begins_anew(text):
    seen = streamed(text, 2)
    assert "".join(seen[-1].closed) == to_html(text)
    assert only_adds(seen)
    assert seen[-1].epoch == 0


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [*PIECES, "<think>", "</think>", "\n</think>\n", "[a]: http://x.y\n", "[a] "]
        ),
        max_size=16,
    ).map("".join)
)
def test_late_definitions_and_thinking_end_the_same_too(text):
    seen = streamed(text, 2)
    assert "".join(seen[-1].closed) == to_html(text)
    assert only_adds(seen)


@pytest.mark.parametrize("text", TEXTS)
def test_nothing_in_an_answer_becomes_more_than_text_while_it_grows(text):
    whole = f"Before.\n\n{text}\n\nAfter.\n"
    for blocks in streamed(whole):
        html = "".join(blocks.closed) + blocks.open.html
        assert faults(html) == []
        html.encode()


def test_thinking_grows_by_its_words_and_closes_into_one_folded_block():
    seen = streamed("<think>\nfirst *this*\n\nthen that\n</think>\n\nAnswer", 1)
    growing = [blocks.open for blocks in seen if blocks.open.text]
    assert growing[-1].text == "first *this*\n\nthen that\n"
    assert growing[-1].added_to(growing[-2]) is not None
    assert seen[-1].closed[0].startswith('<details class="thinking">')
    assert seen[-1].epoch == 0
    assert only_adds(seen)


def test_a_late_definition_begins_anew_at_the_end():
    seen = streamed("See [a].\n\nMore.\n\n[a]: https://x.example\n")
    assert seen[-2].epoch == 0
    assert seen[-1].epoch == 1
    assert 'href="https://x.example"' in seen[-1].closed[0]


def test_a_template_that_began_the_thinking_begins_anew_when_it_ends():
    seen = streamed("I plan.\n\nAnd plan.\n\n</think>\n\nAnswer\n\nMore.")
    assert seen[-1].epoch == 1
    assert seen[-1].closed[0].startswith("<details")
    assert only_adds(seen)


def test_thinking_in_the_middle_of_an_answer_keeps_what_was_closed():
    seen = streamed("One.\n\nTwo.\n\n<think>\nhm\n</think>\n\nThree.\n\nFour.", 1)
    assert seen[-1].epoch == 0
    assert only_adds(seen)


def test_a_stale_or_repeated_text_changes_nothing():
    watched = Watched()
    watched.show("One.\n\nTwo.\n\nThr")
    now = watched.show("One.\n\nTwo.\n\nThree.")
    assert watched.show("One.\n\nTwo") is now
    end = watched.show("One.\n\nTwo.\n\nThree.", finished=True)
    assert watched.show("One.\n\nTwo.\n\nThree. And more", finished=False) is end


def test_what_took_long_is_not_done_again_at_once():
    text = GrowingText()
    first = text.show("word " * 2000, finished=False)
    assert first.rest > 0
    text._resting_until += 1000
    assert text.show("word " * 2001, finished=False) is first
    assert text.show("word " * 2001, finished=True).characters == 5 * 2001


def test_many_readers_at_once_see_one_and_the_same_answer():
    text, ends, wrong = GrowingText(), threading.Barrier(4), []

    def read():
        held, epoch = (), 0
        ends.wait()
        for end in range(20, len(LONG), 20):
            blocks = text.show(LONG[:end], finished=False)
            if blocks.epoch != epoch or blocks.closed[: len(held)] != held:
                wrong.append(end)
            held, epoch = blocks.closed, blocks.epoch
        held = text.show(LONG, finished=True).closed
        if "".join(held) != to_html(LONG):
            wrong.append("end")

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_a_long_open_block_of_code_costs_what_is_new_in_it():
    text = "```python\n" + "value = 1  # and a comment\n" * 1500
    watched = Watched()
    watched.show(text[:1000])
    opened = watched.show(text).open
    assert opened.added_to(watched.seen[0].open) == text[1000:]
