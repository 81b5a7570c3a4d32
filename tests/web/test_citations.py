"""The passage behind a number, and the list of all, as a page and beside the answer."""

import io

import pytest

from tests.web.cited_answers import FIRST, SECOND, grounding, passage, usage

CONTRACT = (
    "Some words stand before. Either party may end this with ninety days of notice. Garden.\n"
)
TEXT = "The notice period is ninety days. The moon is made of cheese."


@pytest.fixture
def thread_id(page):
    return page.begin(f"/echo {TEXT}")


@pytest.fixture
def file_id(page, documents, thread_id):
    data = {"files": (io.BytesIO(CONTRACT.encode()), "contract.txt")}
    assert page.send(f"/threads/{thread_id}/files", **data).status_code < 400
    scope = documents.thread(thread_id)
    [state] = documents.wait_over(scope, 10).files
    return state.id


@pytest.fixture
def at(library, thread_id, ids, file_id):
    text = CONTRACT[25:78]
    known = passage(file_id=file_id, file="contract.txt", text=text, start=25, end=78, order=0)
    found = grounding(TEXT, passages=[known], quotes=[], unsupported=[[34, 61]])
    marks = [{"at": 33, "sentence": FIRST, "passage": 0, "score": 0.93, "span": [0, 12]}]
    answer_id = ids(thread_id)[-1]
    facts = {"usage": usage(passages=[known]), "grounding": found | {"marks": marks}}
    library.marks.keep(thread_id, answer_id, facts)
    return f"/threads/{thread_id}/messages/{answer_id}"


def test_the_answer_has_its_numbers_the_trace_and_the_button(page, thread_id, at):
    """The fragments message_sources and trace_call."""
    html = page.get(f"/threads/{thread_id}").text
    assert f'href="{at}/passages/1?mark=0"' in html
    assert "Searched your files: 1 passage" in html
    assert "The threshold of 0.30 removed 1 passage." in html
    assert "Show unsupported sentences (1)" in html
    assert "Similar is not proven" in html


def test_the_passage_is_a_page_with_what_stands_around_it(page, at):
    """The fragment cited_passage."""
    html = page.get(f"{at}/passages/1?mark=0").text
    assert "<mark>Either party</mark> may end" in html
    assert '<span class="around">Some words stand before. </span>' in html
    assert "Garden." in html
    assert "Similar, not proven: 0.93 of 1 alike" in html
    assert "The notice period is ninety days.</blockquote>" in html
    assert "<!doctype html>" in html.lower()
    card = page.get(f"{at}/passages/1/card").text
    assert "<mark>Either party</mark>" in card and "<html" not in card
    assert "Similar, not proven" not in card


def test_of_a_file_that_is_gone_the_kept_words_are_shown(page, documents, thread_id, file_id, at):
    documents.acts.remove(documents.thread(thread_id), file_id)
    html = page.get(f"{at}/passages/1").text
    assert "This file is not here any more" in html
    assert "may end this with ninety days" in html


@pytest.mark.parametrize("number", ["0", "2", "99999999999999999999"])
def test_a_passage_that_is_not_there_is_a_sentence(page, at, number):
    found = page.get(f"{at}/passages/{number}")
    assert found.status_code == 404
    assert "no such passage" in found.text


def test_the_list_comes_with_the_words_once_they_are_compared(page, at):
    """The fragment cited_body."""
    html = page.get(f"{at}/sources?tries=3").text
    assert 'class="cite"' in html and "hx-swap-oob" in html


def test_an_answer_compared_before_its_foot_is_asked_for_comes_with_its_words(page, at):
    assert 'class="cite"' in page.get(f"{at}/foot").text


def test_the_bytes_of_the_answer_stay_the_models(page, at):
    assert page.get(f"{at}/text").text == TEXT


def test_a_file_named_by_another_thread_is_not_read(page, library, ids, at):
    other = page.begin(f"/echo {TEXT}")
    message = library.message(at.split("/")[2], at.rsplit("/", 1)[1])
    facts = {key: message.metadata[key] for key in ("usage", "grounding")}
    library.marks.keep(other, ids(other)[-1], facts)
    html = page.get(f"/threads/{other}/messages/{ids(other)[-1]}/passages/1").text
    assert "not here any more" in html and "Some words stand before" not in html
    assert SECOND
