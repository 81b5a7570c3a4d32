"""What of an answer must be left alone."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.protected import is_protected, protected_spans

MARKDOWN = st.lists(
    st.sampled_from(
        [
            "`",
            "```",
            "~~~",
            "$",
            "$$",
            "\\[",
            "\\]",
            "[",
            "](",
            ")",
            "]",
            "<b>",
            "<",
            "| ",
            "|--|",
            "\n",
            "\n\n",
            "# ",
            "- ",
            "> ",
            "**",
            "_",
            "A word here. ",
            "Ja! ",
            "好的。",
            "\\",
            '"',
            "https://x.y/z",
            "a@b.de",
            "\ufdd0",
            "\ufdd1",
            "\ufdd2",
            "1. ",
            "    ",
            "[a]: b",
            "\r\n",
        ]
    ),
    max_size=25,
).map("".join)


def covered(text):
    return [text[start:end] for start, end in protected_spans(text)]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("Use `a. b` here", "`a. b`"),
        ("Use ``a ` b`` here", "``a ` b``"),
        ("See [words. More](https://x.y/a_(b)) now", "[words. More](https://x.y/a_(b))"),
        ("See ![words](<a b> 'title') now", "![words](<a b> 'title')"),
        ("See [words][one] now\n\n[one]: https://x.y", "[words][one]"),
        ("See [one] now\n\n[One]: https://x.y", "[one]"),
        ("Open https://example.org/a.b. Now", "https://example.org/a.b"),
        ("Mail a.b@example.org now", "a.b@example.org"),
        ("It is $x. y$ here", "$x. y$"),
        ("Press <kbd>Ctrl. C</kbd> now", "<kbd>Ctrl. C</kbd>"),
        ("It is <code class='x'>a. b</code> here", "<code class='x'>a. b</code>"),
        (r"It is \(x. y\) here", r"\(x. y\)"),
        ("It is $$x\n. y$$ here", "$$x\n. y$$"),
        ("A <span title='x'>word</span>", "<span title='x'>"),
        ("A <!-- note. --> word", "<!-- note. -->"),
        ("Words\n```\ncode. more", "```\ncode. more"),
        ("|a|b|\n|-|-|\n|c|d|", "|-|-|\n"),
    ],
)
def test_a_span_holds_what_belongs_together(text, inside):
    assert any(inside in part for part in covered(text))


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5. Or $10 for two.",
        "a < b and c > d",
        "Yes [so far]. It is.",
        "A ` alone and a \\\\ too",
        r"C:\new\1 holds $& and $1 (all)",
        "An [open bracket and ](",
    ],
)
def test_what_only_looks_like_a_sign_is_not_protected(text):
    assert covered(text) == []


def test_behind_a_block_that_ends_the_text_there_is_no_place():
    text = "Words\n```\ncode\n```"
    assert is_protected(text, protected_spans(text), len(text))
    inline = "Words `code`"
    assert not is_protected(inline, protected_spans(inline), len(inline))


@given(MARKDOWN)
def test_spans_are_sorted_and_lie_apart_within_the_text(text):
    spans = protected_spans(text)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert all(0 <= start < end <= len(text) for start, end in spans)


@pytest.mark.parametrize("sign", ["[", "`", "$", "<", "](", "<!--", "\\(", "*", "|", "a@", "![["])
def test_a_text_full_of_signs_is_read_in_time(sign):
    start = time.process_time()
    protected_spans((sign * 200_000)[:200_000])
    assert time.process_time() - start < 3
