"""The passage behind a number, and the list of all, as a page and beside the answer."""

import io

import pytest

from tests.generation.with_files import service_over
from tests.web.cited_answers import FIRST, SECOND, grounding, passage, usage
from tests.web.test_access import HOST
from webapp.errors import NotFound
from webapp.web.citations import _scope
from webapp.web.cited import Source

CONTRACT = (
    "Some words stand before. Either party may end this with ninety days of notice. Garden.\n"
)
TEXT = "The notice period is ninety days. The moon is made of cheese."


@pytest.fixture
def generation(engine, library, clock, documents):
    service = service_over(documents, engine, library, clock, file_search="off")
    yield service
    service.close()


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
    assert "Similar, not proven: a likeness of 0.93 out of 1" in html
    assert "The notice period is ninety days.</blockquote>" in html
    assert "<!doctype html>" in html.lower()
    card = page.get(f"{at}/passages/1/card").text
    assert "<mark>Either party</mark>" in card and "<html" not in card
    assert "Similar, not proven" not in card


def test_of_a_file_that_is_gone_the_kept_words_are_shown(page, documents, thread_id, file_id, at):
    documents.acts.remove(documents.thread(thread_id), file_id)
    html = page.get(f"{at}/passages/1").text
    assert "This file is no longer here" in html
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
    assert "no longer here" in html and "Some words stand before" not in html
    assert SECOND


def test_the_place_of_the_supporting_words_is_told_not_that_of_the_whole_excerpt(
    page, library, thread_id, ids, at
):
    message = library.message(thread_id, ids(thread_id)[-1])
    known = passage(place="pp. 1–3", file="contract.txt")
    marks = [{**message.metadata["grounding"]["marks"][0], "place": "p. 2"}]
    facts = {"grounding": message.metadata["grounding"] | {"passages": [known], "marks": marks}}
    library.marks.keep(thread_id, message.id, facts)
    html = page.get(f"/threads/{thread_id}").text
    assert 'aria-label="Source 1: similar passage in contract.txt, p. 2"' in html
    assert "<bdi>p. 2</bdi>" in html and "pp. 1–3" not in html
    for address in ("passages/1?mark=0", "passages/1/card"):
        assert (
            "<bdi>p. 2</bdi> (in an excerpt of <bdi>pp. 1–3</bdi>)"
            in page.get(f"{at}/{address}").text
        )


WEB = {"url": "https://example.org/rye?a=1&b=<i>", "title": "<b>Rye</b>", "snippet": TEXT}


@pytest.fixture
def imported(library, page):
    """An answer that another program made with a tool of its own."""
    thread_id = page.begin(f"/echo {TEXT}")
    answer = library.path(thread_id)[-1]
    kept = {"id": "x", "file_id": "elsewhere", "text": "Rye keeps.", "page": 4}
    tool = {"id": "c", "function": {"name": "web_search", "arguments": "{}"}}
    call = {"tool": tool, "response": {"results": [WEB, kept]}}
    library.marks.keep(thread_id, answer.id, {"tool_calls": [call]})
    return f"/threads/{thread_id}/messages/{answer.id}"


def test_a_page_of_the_web_is_shown_as_text_and_never_as_a_link(page, imported):
    html = page.get(imported.rsplit("/messages", 1)[0]).text
    assert "From 1 passage and 1 web page" in html
    card = page.get(f"{imported}/passages/1").text
    assert "&lt;b&gt;Rye&lt;/b&gt;" in card
    assert "<bdi>https://example.org/rye?a=1&amp;b=&lt;i&gt;</bdi>" in card
    assert "loads nothing" in card and "no longer here" not in card
    for text in (html, card):
        assert 'href="https://example.org' not in text and 'src="https://' not in text
    assert "no longer here" in page.get(f"{imported}/passages/2").text


def test_an_answer_from_elsewhere_can_be_compared_with_its_sources(page, imported):
    html = page.get(imported.rsplit("/messages", 1)[0]).text
    assert f'action="{imported}/grounding"' in html
    after = page.htmx(f"{imported}/grounding").text
    assert 'class="cite"' in after and "hx-swap-oob" in after
    assert f'action="{imported}/grounding"' not in after
    response = page.send(f"{imported}/grounding")
    assert response.status_code == 303
    assert page.get(f"{imported}/text").text == TEXT


def test_what_stands_around_a_passage_of_a_project_is_for_who_may_read_the_project(house, services):
    services.projects.share(house.project, {})
    source = Source("1", "file", project_id=house.project)
    with house.visiting("owner"):
        assert _scope(house.thread, source) == services.documents.project(house.project)
    with house.visiting("reader"), pytest.raises(NotFound, match="not shared"):
        _scope(house.thread, source)


DOG = "Long ago I said this. My dog is called Bello. He is two."


@pytest.fixture
def said(page, library, ids, thread_id):
    """An answer that rests on what was said elsewhere, on a version that is not shown any more:
    its address, and the thread and message of the passage."""
    where = page.begin(f"/echo {DOG}")
    message = ids(where)[-1]
    page.htmx(f"/threads/{where}/messages/{message}/versions")
    page.wait(where)
    facts = {"file_id": "", "file": "Dogs", "place": "Answer, 1 January 2026", "order": -1}
    known = passage(**facts, thread=where, id=message, text=DOG[22:45], start=22, end=45)
    answer_id = ids(thread_id)[-1]
    library.marks.keep(thread_id, answer_id, {"usage": usage(passages=[known])})
    return f"/threads/{thread_id}/messages/{answer_id}", where, message


def test_what_was_said_elsewhere_is_read_and_opened_where_it_was_said(page, said, library, ids):
    at, where, message = said
    html = page.get(f"{at}/passages/1").text
    assert "My dog is called Bello." in html and "Long ago I said this." in html
    assert "He is two." in html and "Open where it was said" in html
    assert f'href="/threads/{where}?at={message}#message-{message}"' in html
    assert message not in ids(where)
    assert f'id="message-{message}"' in page.get(f"/threads/{where}?at={message}").text


@pytest.mark.parametrize("act", ["edit", "delete"])
def test_of_words_that_were_changed_or_deleted_the_kept_ones_are_shown(page, said, library, act):
    at, where, message = said
    words = "My dog is called Bello."
    if act == "delete":
        library.delete(where)
    else:
        words = "My dog was called Bello."
        known = passage(file_id="", thread=where, id=message, text=words, start=22, end=46)
        answer_id = at.rpartition("/")[2]
        library.marks.keep(at.split("/")[2], answer_id, {"usage": usage(passages=[known])})
    html = page.get(f"{at}/passages/1/card").text
    assert words in html and "Long ago" not in html
    assert "shown as it was then" in html


def test_who_may_not_read_that_thread_sees_nothing_beyond_the_passage(app, house, library):
    where = library.create("Dogs", owner=house.ids["owner"]).id
    message = library.ask(where, DOG).id
    known = passage(file_id="", thread=where, id=message, text=DOG[22:45], start=22, end=45)
    question = library.ask(house.thread, "How is my dog called?")
    [answer] = library.acts.begin_answers(house.thread, question.id, 1)
    library.marks.keep(house.thread, answer.id, {"usage": usage(passages=[known])})
    at = f"/threads/{house.thread}/messages/{answer.id}/passages/1"
    html = house.client("reader").get(at, headers=HOST).text
    assert "My dog is called Bello." in html
    assert "Long ago" not in html and where not in html
    assert "Long ago" in house.client("owner").get(at, headers=HOST).text
