"""From a question to passages: scope, threshold, words, languages, neighbours."""

import pytest

from tests.documents.searching import WordModel, passages, text_vectors
from webapp.documents.passages import Passage
from webapp.documents.retrieval import MOST_NEIGHBOURS, Retrieval, Search
from webapp.errors import BadInput, BadSetting, EngineFailed, NotFound

THREAD, PROJECT = "attachments_a", "project_p"
CONTRACT = (
    "Either party may end the contract with ninety days of notice.",
    "The rent is due on the first day of each month.",
    "Pets are welcome in the garden but not in the house.",
)
TIDES = ("The moon pulls the water of the sea.", "High tide comes twice a day at the harbour.")
FILES = {"contract": "contract.pdf", "tides": "tides.txt"}


@pytest.fixture
def retrieval(tables, vectors):
    add(tables, vectors, "contract", CONTRACT)
    add(tables, vectors, "tides", TIDES)
    return Retrieval(tables, lambda: vectors)


def add(tables, vectors, file_id, texts, table=THREAD):
    chunks = passages(*texts)
    embedded = vectors.of_passages([chunk.searched for chunk in chunks])
    tables.add(table, vectors.model, file_id, chunks, embedded)


def texts(answers):
    return [passage.text for passage in answers.passages]


@pytest.mark.parametrize("how", ["vector", "hybrid"])
@pytest.mark.parametrize("mode", ["auto", "ann", "linear"])
def test_the_passage_that_answers_comes_first_with_all_that_is_known_of_it(retrieval, how, mode):
    answers = retrieval.search(
        "when is the rent due on the day", {THREAD: FILES}, Search(how=how, mode=mode)
    )
    first = answers.passages[0]
    assert isinstance(first, Passage)
    assert (first.id, first.file_id, first.file_name) == ("contract-1", "contract", "contract.pdf")
    assert (first.order, first.text, first.by) == (1, CONTRACT[1], "meaning")
    assert first.score == first.cosine > 0.3
    assert answers.notes == ()


@pytest.mark.parametrize("how", ["vector", "hybrid"])
def test_nothing_under_the_threshold_comes_back_on_any_path(retrieval, how):
    for mode in ("auto", "ann", "linear"):
        for threshold in (0.0, 0.2, 0.5, 1.0):
            search = Search(20, threshold, how, mode)
            found = retrieval.search("the water of the sea", {THREAD: FILES}, search).passages
            assert all(passage.score >= threshold for passage in found)
            assert len(found) == (5 if threshold == 0 else len(found))
    assert retrieval.search("zebra", {THREAD: FILES}).passages == ()


@pytest.mark.parametrize("limit", [1, 2, 20])
def test_no_more_passages_than_asked_for(retrieval, limit):
    found = retrieval.search("the day", {THREAD: FILES}, Search(limit, 0.0)).passages
    assert len(found) == min(limit, 5)


def test_only_files_in_scope_are_looked_at(retrieval, tables, vectors):
    scope = {THREAD: {"tides": "tides.txt"}}
    assert {p.file_id for p in retrieval.search("rent day", scope, Search(20, 0)).passages} == {
        "tides"
    }
    assert retrieval.search("rent", {THREAD: {}}).passages == ()
    assert retrieval.search("rent", {"attachments_none": FILES}).passages == ()
    tables.remove(THREAD, ["contract"])
    found = retrieval.search("the rent is due", {THREAD: FILES}, Search(20, 0)).passages
    assert {passage.file_id for passage in found} == {"tides"}


def test_a_thread_and_its_project_answer_together_by_one_score(retrieval, tables, vectors):
    add(tables, vectors, "rules", ["The rent is due on Fridays now."], PROJECT)
    scope = {THREAD: FILES, PROJECT: {"rules": "rules.md"}}
    for how in ("vector", "hybrid"):
        found = retrieval.search("the rent is due now", scope, Search(2, how=how)).passages
        assert [passage.file_name for passage in found] == ["rules.md", "contract.pdf"]


def test_words_find_what_the_vectors_do_not_rank(tables):
    class BlindToNumbers(WordModel):
        def _vector(self, number, text):
            return super()._vector(number, "".join(c for c in text if not c.isdigit()))

    vectors = text_vectors(BlindToNumbers())
    log = [f"On day {number} the sea was calm." for number in range(30)]
    add(tables, vectors, "log", [*log, "Ticket 4711 is closed."])
    retrieval, scope = Retrieval(tables, lambda: vectors), {THREAD: {"log": "log.txt"}}
    by_meaning = retrieval.search("the sea of 4711", scope, Search(3, 0.0, "vector"))
    assert "log-30" not in [passage.id for passage in by_meaning.passages]
    with_words = retrieval.search("4711", scope, Search(3, 0.0, "hybrid"))
    assert "log-30" in [passage.id for passage in with_words.passages]


def test_the_same_words_are_not_told_twice(tables, vectors):
    chunks = passages("a b c d e f g h", "c d e f g h i j")
    overlapping = [chunks[0], type(chunks[1])(1, 4, 19, chunks[1].text)]
    tables.add(
        THREAD, vectors.model, "f", overlapping, vectors.of_passages([c.text for c in overlapping])
    )
    found = Retrieval(tables, lambda: vectors).search("c d e", {THREAD: {"f": "f"}})
    assert len(found.passages) == 1


@pytest.mark.parametrize("question", ["", " \n", "\u3000"])
def test_an_empty_question_is_refused(retrieval, question):
    with pytest.raises(BadInput):
        retrieval.search(question, {THREAD: FILES})


@pytest.mark.parametrize("question", ["\ud800", "\0", "' OR 1=1 --", "word " * 5000, "?!", "😀"])
def test_odd_questions_break_nothing(retrieval, question):
    assert len(retrieval.search(question, {THREAD: FILES}).passages) <= 3


@pytest.mark.parametrize(("limit", "threshold"), [(0, 0.3), (21, 0.3), (3, -0.1), (3, 1.1)])
def test_a_limit_or_threshold_out_of_range_is_refused(limit, threshold):
    with pytest.raises(BadSetting):
        Search(limit, threshold)


def test_passages_of_another_model_are_found_by_their_words(retrieval, tables):
    other = text_vectors(WordModel("other"), name="other")
    answers = Retrieval(tables, lambda: other).search("ninety days of notice", {THREAD: FILES})
    assert answers.passages[0].id == "contract-0"
    assert {passage.by for passage in answers.passages} == {"words"}
    assert answers.passages[0].score == 1.0
    assert answers.passages[0].cosine is None
    assert "embedded by the new model" in answers.notes[0]


def test_a_model_that_fails_leaves_words_to_search_by(tables):
    model = WordModel()
    vectors = text_vectors(model)
    add(tables, vectors, "contract", CONTRACT)
    model.broken = True
    answers = Retrieval(tables, lambda: vectors).search("ninety days", {THREAD: FILES})
    assert answers.passages[0].id == "contract-0"
    assert answers.notes[0].startswith("The model has gone.")


def test_a_file_of_a_language_the_model_cannot_read_is_found_by_words(tables):
    class LatinModel(WordModel):
        def _vector(self, number, text):
            return super()._vector(number, text if text.isascii() else "unknown")

    vectors = text_vectors(LatinModel())
    chinese = ("任何一方均可提前九十天通知终止合同。", "月球几乎没有大气层。", "夏天给花浇水。")
    add(tables, vectors, "zh", chinese)
    answers = Retrieval(tables, lambda: vectors).search(
        "合同的通知期", {THREAD: {"zh": "合同.txt"}}
    )
    assert texts(answers)[0] == chinese[0]
    assert answers.passages[0].by == "words"
    assert "does not read Chinese" in answers.notes[0]


def test_neighbours_are_read_in_order_and_capped(retrieval, tables, vectors):
    add(tables, vectors, "long", [f"part {number}" for number in range(60)])
    scope = {THREAD: {**FILES, "long": "long.txt"}}
    around = retrieval.neighbours(scope, "contract", 0, 1)
    assert [passage.text for passage in around] == list(CONTRACT[:2])
    assert len(retrieval.neighbours(scope, "long", 3, 10**12)) == MOST_NEIGHBOURS
    assert [p.order for p in retrieval.neighbours(scope, "long", -5, 1)] == [0, 1]
    assert retrieval.neighbours(scope, "long", 5, 3) == ()
    assert retrieval.neighbours(scope, "long", 10**12, 10**13) == ()


@pytest.mark.parametrize("file_id", ["secret", "", "contract' OR '1'='1"])
def test_neighbours_of_a_file_out_of_scope_are_not_read(retrieval, file_id):
    with pytest.raises(NotFound):
        retrieval.neighbours({THREAD: FILES}, file_id, 0, 3)


@pytest.mark.model
def test_a_real_model_answers_in_english_and_chinese(tables, multilingual):
    chinese = ("任何一方均可提前九十天通知终止合同。", "月球几乎没有大气层。")
    add(tables, multilingual, "en", CONTRACT + TIDES)
    add(tables, multilingual, "zh", chinese)
    retrieval = Retrieval(tables, lambda: multilingual)
    scope = {THREAD: {"en": "en.txt", "zh": "zh.txt"}}
    for how in ("vector", "hybrid"):
        english = retrieval.search("How long is the notice period?", scope, Search(how=how))
        assert english.passages[0].text == CONTRACT[0]
        answers = retrieval.search("合同的通知期有多长?", scope, Search(how=how))
        assert answers.passages[0].text == chinese[0]
        assert answers.notes == ()


def test_a_fault_of_the_model_is_not_hidden_when_passages_are_made(tables):
    model = WordModel()
    model.broken = True
    with pytest.raises(EngineFailed):
        add(tables, text_vectors(model), "contract", CONTRACT)
