"""The page of search, with the fragments `search_results`, `search_hit` and `search_files`."""

import io
import re

import pytest


@pytest.fixture
def found(page, services):
    """The page for a question, with everything said so far in the index."""

    def ask(query, **options):
        services.finder.indexer.catch_up()
        assert services.finder.indexer.wait()
        return page.get(f"/search?{query}", **options).text

    return ask


def words(html):
    return [
        re.sub(r"<[^>]+>", "", each).strip()
        for each in re.findall(r'hit-words"[^>]*>(.*?)</span>', html, re.S)
    ]


def test_before_a_question_it_says_what_it_looks_through(page):
    html = page.get("/search").text
    assert "everything that was said" in html
    assert "autofocus" in html


def test_a_hit_is_marked_escaped_and_leads_to_its_message(page, found, ids):
    thread_id = page.begin("/echo Where is the <b>Harbour</b> wall?")
    html = found("q=harbour")
    assert "&lt;b&gt;<mark>Harbour</mark>&lt;/b&gt;" in html
    question = ids(thread_id)[0]
    assert f"/threads/{thread_id}?at={question}#message-{question}" in html
    assert page.get(f"/threads/{thread_id}?at={question}").status_code == 200


def test_other_versions_are_found_and_say_that_they_are_not_shown(page, found, library, ids):
    thread_id = page.begin("/echo A first lighthouse")
    first = ids(thread_id)[1]
    question = ids(thread_id)[0]
    page.htmx(f"/threads/{thread_id}/messages/{question}/edits", text="/echo Another tower")
    page.wait(thread_id)
    assert ids(thread_id)[0] != question
    html = found("q=lighthouse&role=assistant")
    assert "version 1 of 2" not in html  # the answer has one version; its question has two
    assert "on a branch that is not shown" in html
    assert f"at={first}" in html
    assert "version 1 of 2, on a branch that is not shown" in found("q=lighthouse&role=user")


def test_chinese_words_of_two_characters_are_found(page, found):
    page.begin("/echo 我买了一本笔记本。")
    assert "<mark>笔记</mark>" in found("q=笔记")


def test_filters_narrow_it_down(page, found, library, ids):
    one, two = page.begin("/echo tide one"), page.begin("/echo tide two")
    library.marks.pin(two, ids(two)[0], on=True)
    assert len(words(found("q=tide"))) > 3
    assert words(found("q=tide&only=pinned")) == ["/echo tide two"]
    assert {"/echo tide one"} == set(words(found(f"q=tide&thread={one}&role=user")))
    assert words(found("q=tide&files=yes")) == []
    assert words(found("q=tide&from=2999-01-01")) == []
    assert words(found("q=tide&to=1999-01-01")) == []
    assert words(found("q=tide&project=none")) == []
    assert words(found("q=tide&role=user&from=2020-01-01&to=2999-01-01")) != []
    assert "is not a day" in found("q=tide&from=yesterday")
    assert words(found("q=tide&role=nonsense&only=nonsense&start=-5")) != []


def test_a_long_list_goes_on_on_the_next_page(found, long_thread):
    long_thread(70)
    html = found("q=line")
    assert len(words(html)) == 30
    assert "start=30" in html
    assert len(words(found("q=line&start=60"))) <= 12
    assert "nothing more" in found("q=line&start=5000")


def test_with_a_script_only_the_results_come(page, found):
    page.begin("/echo tide")
    part = found("q=tide", headers={"HX-Request": "true"})
    assert part.lstrip().startswith('<section id="search-results"')
    assert "<html" not in part


def test_deleted_threads_are_not_found(page, found, library):
    thread_id = page.begin("/echo tide")
    assert words(found("q=tide"))
    library.delete(thread_id)
    assert words(found("q=tide")) == []


def test_passages_of_files_are_found_after_the_page(page, services, documents, library):
    thread_id = page.begin()
    file = io.BytesIO(b"Ninety days of notice end the contract."), "lease.txt"
    page.client.post(f"/threads/{thread_id}/files", data={"files": file})
    documents.wait_over(documents.thread(thread_id), 30)
    html = page.get("/search/files?q=ninety+days+of+notice").text
    assert "lease.txt" in html
    assert f"/threads/{thread_id}/files/" in html
    assert "<mark>Ninety</mark> <mark>days</mark>" in html  # what was looked for, as in messages
    assert "lease.txt" not in page.get("/search/files?q=").text


def test_a_broken_index_is_told(page, services):
    (services.settings.data / "cache" / "find.sqlite3").mkdir(parents=True)
    assert "cannot be used at the moment" in page.get("/search?q=tide").text


def test_what_others_said_is_neither_found_nor_counted(house, services):
    services.finder.indexer.catch_up()
    assert services.finder.indexer.wait()
    for who, sees in (("owner", True), ("reader", True), ("other", False)):
        answer = house.client(who).get("/search?q=private", headers={"Host": "localhost:5100"})
        assert ("<mark>Private</mark>" in answer.text) is sees, who


@pytest.fixture
def near(page, services, documents, found):
    """What is near in meaning, with everything said so far read."""
    services.finder.meaning.vectors = documents.vectors

    def ask(query, **options):
        found("q=nothing")
        while services.finder.reader.read_one():
            pass
        return page.get(f"/search/near?{query}", **options).text

    return ask


def test_what_is_near_comes_after_the_hits_by_a_request_of_its_own(page, found, services):
    page.begin("/echo The harbour wall")
    html = found("q=harbour&role=user")
    assert 'hx-get="/search/near?q=harbour&amp;role=user"' in html
    assert html.index("<mark>harbour</mark>") < html.index('id="search-near"')
    assert "/search/near" not in found("q=harbour&role=title")
    assert "/search/near" not in found("q=harbour&start=30")
    services.finder.reader.on = False
    assert "/search/near" not in found("q=harbour")


def test_what_has_not_all_the_words_is_near_and_opens_its_message(page, near, ids):
    """The fragment search_near."""
    thread_id = page.begin("/echo The keeper saw the harbour wall from afar")
    html = near("q=keeper harbour wall zanzibar&role=assistant")
    answer = ids(thread_id)[1]
    assert f"/threads/{thread_id}?at={answer}#message-{answer}" in html
    assert "<bdi>/echo The keeper saw" in html and "Near in meaning" in html
    assert words(near("q=keeper harbour wall&role=assistant")) == []
    assert words(near("q=keeper harbour wall zanzibar&thread=other")) == []


def test_what_is_not_read_yet_is_counted(page, found, services, documents):
    services.finder.meaning.vectors = documents.vectors
    page.begin("/echo The harbour wall")
    found("q=harbour")
    assert "2 messages are still to be read" in page.get("/search/near?q=harbour").text


def test_without_an_embedding_model_a_line_says_so(page, found):
    page.begin("/echo The harbour wall")
    assert "no embedding model" in page.get("/search/near?q=harbour").text


def test_it_waits_while_an_answer_is_written(page, services, library):
    thread_id = library.create("Waiting").id
    pending = services.generation.ask(thread_id, "/hold A long answer")
    html = page.get("/search/near?q=harbour").text
    assert "The model is busy" in html and "delay:2s" in html
    services.generation.stop(pending.id)
    page.wait(thread_id)
    assert "The model is busy" not in page.get("/search/near?q=harbour").text


@pytest.mark.parametrize("query", ["", "q=", "q=x&from=never"])
def test_nothing_is_near_to_nothing(page, near, query):
    page.begin("/echo The harbour wall")
    assert words(near(query)) == []


def test_what_others_said_is_not_near_either(house, services, documents):
    services.finder.meaning.vectors = documents.vectors
    said = services.library.ask(house.thread, "The keeper saw the harbour wall from afar")
    services.finder.indexer.catch_up()
    assert services.finder.indexer.wait()
    while services.finder.reader.read_one():
        pass
    url = "/search/near?q=keeper harbour wall zanzibar"
    for who, sees in (("owner", True), ("reader", True), ("other", False)):
        html = house.client(who).get(url, headers={"Host": "localhost:5100"}).text
        assert (said.id in html, "afar" in html) == (sees, sees)
