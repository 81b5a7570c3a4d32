import pytest

from tests.documents.searching import DIMENSION, WordModel
from webapp.documents.current_model import CurrentModel
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.vector_cache import VectorCache
from webapp.errors import EngineFailed


@pytest.fixture
def cache(tmp_path):
    return VectorCache(tmp_path / "cache/vectors.sqlite3")


def test_a_known_model_is_taken_as_it_is(cache):
    words = WordModel()
    known = EmbeddingModel("words", DIMENSION, 0.2, 0.9)
    assert CurrentModel(words, known, cache).vectors().model == known
    assert words.asked == []


def test_an_unknown_model_is_measured_once(cache):
    words = WordModel()
    current = CurrentModel(words, EmbeddingModel("mine", 0, query_prefix="q: "), cache)
    model = current.vectors().model
    assert (model.name, model.dimension, model.query_prefix) == ("mine", DIMENSION, "q: ")
    assert 0 <= model.a < model.b == 1
    asked = len(words.asked)
    assert current.vectors().model == model
    assert len(words.asked) == asked


def test_an_unknown_model_that_does_not_answer_is_asked_again_later(cache):
    words = WordModel()
    words.broken = True
    current = CurrentModel(words, EmbeddingModel("mine", 0), cache)
    with pytest.raises(EngineFailed):
        current.vectors()
    with pytest.raises(EngineFailed):
        current.vectors_if_known().of_question("words")
    words.broken = False
    assert current.vectors_if_known().of_question("words").shape == (DIMENSION,)


def test_vectors_are_kept_for_their_owners_until_they_are_forgotten(cache):
    words = WordModel()
    current = CurrentModel(words, EmbeddingModel("words", DIMENSION), cache)
    current.vectors().of_passages(["one", "two"], owners=["f", "g"])
    assert current.owners() == {"f", "g"}
    current.forget(["f"])
    assert current.owners() == {"g"}
    current.vectors().of_passages(["one", "two"], owners=["g", "g"])
    assert [texts for _, texts in words.asked] == [("one", "two"), ("one",)]
