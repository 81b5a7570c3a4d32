"""Sources are recognised in whatever shape a tool gives them."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.windows import message
from webapp.chat.citations import MOST, citations, cited_by_tools, kept_excerpts
from webapp.chat.excerpts import Excerpt

PASSAGE = {"id": "a-3", "text": "Rye bread keeps for a week.", "file_id": "a"}
PAGE = {"url": "https://example.org/rye", "title": "Rye", "snippet": "Rye is a grass."}


def texts(output):
    return [each.text for each in citations(output)]


def test_a_passage_of_a_file():
    more = {"score": 0.71, "chunk_file_order": 3, "file_name": "bread.pdf", "page": 7}
    assert citations(json.dumps({"query": "rye", "citations": [PASSAGE | more]})) == (
        Excerpt(
            id="a-3",
            file_id="a",
            file="bread.pdf",
            place="p. 7",
            order=3,
            last_order=3,
            score=0.71,
            by="tool",
            text="Rye bread keeps for a week.",
        ),
    )


def test_a_page_of_the_web_has_its_address_as_text():
    [page] = citations({"results": [PAGE]})
    assert (page.file, page.place, page.address) == ("Rye", PAGE["url"], PAGE["url"])
    assert (page.text, page.file_id) == ("Rye is a grass.", "")


@pytest.mark.parametrize("name", ["results", "citations", "sources", "data"])
@pytest.mark.parametrize("source", [PASSAGE, PAGE])
def test_each_name_of_a_list_is_known(name, source):
    assert len(citations({"query": "rye", name: [source, source]})) == 1


@pytest.mark.parametrize(
    "output",
    [
        PASSAGE,
        [PASSAGE],
        json.dumps([PASSAGE]),
        "\ufeff " + json.dumps(PASSAGE),
        json.dumps(json.dumps({"results": [PASSAGE]})),
        {"content": [{"type": "text", "text": json.dumps({"citations": [PASSAGE]})}]},
        json.dumps({"content": [{"type": "text", "text": json.dumps({"data": [PASSAGE]})}]}),
        [{"type": "text", "text": "Here it is:"}, {"type": "text", "text": json.dumps([PASSAGE])}],
        {"content": "Done.", "structuredContent": {"sources": [PASSAGE]}},
        {"data": {"results": [None, 3, "x", [], {}, PASSAGE]}},
        {"results": [], "citations": None, "sources": {"data": [PASSAGE]}},
    ],
)
def test_they_are_found_where_tools_put_them(output):
    assert texts(output) == [PASSAGE["text"]]


@pytest.mark.parametrize(
    "source",
    [
        PASSAGE | {"id": 3},
        PASSAGE | {"file_id": None},
        PASSAGE | {"text": ["Rye"]},
        PASSAGE | {"text": " \n"},
        {"id": "a", "text": "Rye"},
        PAGE | {"url": "ftp://example.org"},
        PAGE | {"url": "javascript:alert(1)//https://x.y"},
        PAGE | {"url": " https://example.org"},
        PAGE | {"url": "https://"},
        PAGE | {"url": ["https://example.org"]},
        {"title": "Rye", "snippet": "Rye is a grass."},
    ],
)
def test_what_lacks_a_part_or_has_another_in_its_place_is_no_source(source):
    assert citations({"results": [source]}) == ()


@pytest.mark.parametrize(
    "output",
    [
        None,
        True,
        3.5,
        "",
        "plain words",
        "{",
        "[" * 100_000,
        '{"results": [' * 50_000,
        '"' * 1001,
        {"results": "https://example.org"},
        b"[]",
        object(),
        '[1, {"results": {"results": "null"}}, NaN]',
    ],
)
def test_anything_else_is_no_source(output):
    assert citations(output) == ()


def test_a_list_that_holds_itself_ends():
    endless = {"results": []}
    endless["results"].append(endless)
    assert citations(endless) == ()


@pytest.mark.parametrize("score", [True, "0.5", -1, 1.5, 10**400, float("nan"), None, [1]])
def test_a_score_that_means_something_else_is_left_out(score):
    assert citations(PASSAGE | {"score": score})[0].score is None


@pytest.mark.parametrize("order", [True, -2, "3", 1.5, 10**12, None])
def test_an_order_that_is_none_is_left_out(order):
    assert citations(PASSAGE | {"order": order})[0].order == -1


@pytest.mark.parametrize("span", [(0, 5), ("0", 27), (-1, 26), (True, 28), (5, None)])
def test_a_span_that_the_text_does_not_fill_is_left_out(span):
    assert not citations(PASSAGE | dict(zip(("start", "end"), span, strict=True)))[0].is_placed


def test_the_same_span_is_there_once_and_neighbours_are_one():
    parts = [("Rye keeps", 0, 9, 0), ("keeps long.", 4, 15, 1), ("Rye keeps", 0, 9, 0)]
    results = [
        {"id": f"a-{n}", "file_id": "a", "text": t, "start": s, "end": e, "order": o}
        for n, (t, s, e, o) in enumerate(parts)
    ]
    [one] = citations({"results": results, "citations": results})
    assert (one.text, one.start, one.end) == ("Rye keeps long.", 0, 15)


def test_what_can_be_neither_kept_nor_shown_goes():
    [page] = citations(
        json.dumps([PAGE | {"title": "R\x00y\ud800e\u202e\n", "snippet": "\udfff!"}])
    )
    assert (page.file, page.text) == ("R\ufffdy\ufffde", "\ufffd!")
    [page] = citations([PAGE | {"url": "https://example.org/\n\u200ba b", "title": ""}])
    assert (page.address, page.file) == ("https://example.org/ab", "example.org")


def test_a_huge_result_is_read_in_time_and_cut():
    many = [PASSAGE | {"id": f"{n}", "text": f"{n} " + "x" * 20_000} for n in range(180)]
    began = time.process_time()
    found = citations(json.dumps({"results": many}))
    assert len(found) == MOST and all(len(each.text) == 8192 for each in found)
    assert time.process_time() - began < 3


def test_of_an_answer_the_results_within_it_count():
    part = {"type": "tool-search", "toolCallId": "d", "input": {}, "output": {"results": [PAGE]}}
    inside = [{"tool": {"id": "c", "function": {"name": "f"}}, "response": json.dumps([PASSAGE])}]
    said = message("m", "assistant", tool_calls=inside).with_fields(content=[part])
    assert [each.file for each in cited_by_tools(said)] == ["A file", "Rye"]
    assert kept_excerpts(said) == cited_by_tools(said)
    assert kept_excerpts(said.with_fields(role="user")) == ()


def test_what_strata_kept_with_an_answer_comes_first():
    kept = message("m", "assistant", usage={"passages": [{"text": "Kept.", "file_id": "a"}, 5]})
    assert [each.text for each in kept_excerpts(kept)] == ["Kept.", ""]


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
NAMES = st.sampled_from(
    [
        "results",
        "citations",
        "sources",
        "data",
        "content",
        "id",
        "text",
        "file_id",
        "url",
        "title",
        "score",
        "order",
        "start",
        "end",
    ]
)
OUTPUTS = st.recursive(
    LEAVES | st.just("https://x.y/z"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=20,
)


@given(OUTPUTS)
def test_any_result_gives_sources_that_can_be_kept(output):
    for each in (*citations(output), *citations(json.dumps(output))):
        json.dumps(each.to_data(), ensure_ascii=False).encode()
        assert each.text.strip() or each.address
