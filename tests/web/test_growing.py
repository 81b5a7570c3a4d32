"""Markdown that grows: blocks close when they are over, and open code only gets longer."""

from itertools import pairwise

import pytest

from webapp.web import growing
from webapp.web.growing import NOTHING, GrowingMarkdown, Open, open_thinking


def grown(text, step=1):
    """What each call gave while `text` grew, and the markdown itself."""
    markdown, seen = GrowingMarkdown({}), []
    for end in range(step, len(text) + step, step):
        seen.append(markdown.grow(text[:end]))
    return seen, markdown


def test_a_block_is_over_when_whole_lines_behind_it_begin_another():
    _, markdown = grown("# One\n\nTwo\n\nThree\nis not o")
    assert [block.strip() for block in markdown.blocks] == ["<h1>One</h1>", "<p>Two</p>"]
    assert markdown.closed_text == "# One\n\nTwo\n\n"


@pytest.mark.parametrize("text", ["- a\n---x\n", "- b\n  -", "- a\n\n  b\n\n  c", "> a\nb\n> c\n"])
def test_a_line_that_is_not_whole_decides_nothing(text):
    _, markdown = grown(text)
    assert markdown.blocks == []


def test_open_code_only_gets_longer_by_its_new_words():
    text = "```python\nfor x in y:\n    print(x)\n"
    seen, markdown = grown(text)
    code = [each for each in seen if each.text is not None]
    assert code[-1].text == "for x in y:\n    print(x)\n"
    assert all(later.added_to(earlier) is not None for earlier, later in pairwise(code))
    assert "Python" in code[0].html
    assert markdown.blocks == []


def test_code_is_coloured_as_soon_as_its_fence_closes():
    _, markdown = grown("```python\nx = None\n```\n")
    assert len(markdown.blocks) == 1
    assert "hl-kc" in markdown.blocks[0]


def test_what_may_become_the_closing_fence_does_not_flash_as_code():
    seen, _ = grown("````md\n```\ninside\n```\n````\n")
    shown = [each.text for each in seen if each.text]
    assert not any(text.endswith("````") for text in shown)
    assert "```\ninside\n```\n" in shown


def test_code_inside_a_list_is_shown_as_code_too():
    seen, _ = grown("- item\n\n  ```py\n  x = 1\n")
    assert '<div class="code">' in seen[-1].html


def test_nothing_is_shown_for_nothing():
    assert GrowingMarkdown({}).grow("\n\n  ") == NOTHING


def test_a_huge_open_block_is_shown_letter_by_letter_until_it_is_over(monkeypatch):
    monkeypatch.setattr(growing, "LARGEST_OPEN", 30)
    seen, markdown = grown("- a **b** c\n" * 6 + "\nEnd.\n")
    plain = [each for each in seen if each.text is not None]
    assert plain[-1].before.startswith('<pre class="plain"')
    assert markdown.blocks[0].count("<strong>") == 6


def test_link_definitions_of_closed_blocks_serve_later_ones():
    _, markdown = grown("[a]: https://x.example\n\n[a]\n\nend\n")
    assert 'href="https://x.example"' in markdown.blocks[0]


def test_half_a_definition_is_never_taken_for_the_whole():
    _, markdown = grown("One\n\n[a]: https://x.example/long\n\n[a]\n\nend\n")
    assert "https://x.example/long" in "".join(markdown.blocks)


def test_an_open_block_knows_what_was_added_to_it():
    code = Open("<pre>", "a<b", "</pre>")
    assert code.html == "<pre>a&lt;b</pre>"
    assert Open("<pre>", "a<b>c", "</pre>").added_to(code) == ">c"
    assert Open("<pre>", "other", "</pre>").added_to(code) is None
    assert Open("<p>", "a<b>c", "</p>").added_to(code) is None
    assert Open("<p>a<b>c</p>").added_to(code) is None
    assert code.added_to(None) is None


def test_open_thinking_grows_by_its_words_too():
    assert open_thinking("one two").added_to(open_thinking("one")) == " two"
