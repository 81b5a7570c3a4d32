"""From texts to vectors: order, batches, cache, texts that are too long."""

import unicodedata

import numpy as np
import pytest

from tests.documents.searching import WordModel, text_vectors
from webapp.documents.embedding import EmbeddingModel, cleaned
from webapp.documents.vector_cache import VectorCache
from webapp.errors import BadInput, Conflict, EngineFailed, ModelFileMissing


def test_each_text_gets_its_own_vector_in_the_order_given(vectors):
    texts = [f"text {number}" for number in range(20)]
    found = vectors.of_passages(texts)
    assert found.shape == (20, 64)
    assert all(
        np.allclose(found[number], vectors.of_passages([text])[0])
        for number, text in enumerate(texts)
    )


def test_texts_are_given_composed_and_without_white_space_or_half_characters():
    assert cleaned(" e\u0301 \ud800x\n") == "\u00e9 \ufffdx"
    model = WordModel()
    text_vectors(model).of_passages([unicodedata.normalize("NFD", " café ")])
    assert model.asked == [("passage", ("café",))]


def test_questions_are_embedded_as_questions():
    model = WordModel()
    assert text_vectors(model).of_question("why?").shape == (64,)
    assert model.asked == [("query", ("why?",))]
    with pytest.raises(BadInput):
        text_vectors(model).of_question(" \n")


def test_what_people_say_is_embedded_like_questions():
    model = WordModel()
    found = text_vectors(model).of_questions([" a dog ", "a cat"])
    assert found.shape == (2, 64) and model.asked == [("query", ("a dog", "a cat"))]


def test_batches_are_small_and_tell_how_far_they_are():
    model, heard = WordModel(), []
    text_vectors(model).of_passages(
        [f"text {number}" for number in range(20)],
        progress=lambda done, total: heard.append((done, total)),
    )
    assert max(len(texts) for _, texts in model.asked) <= 8
    assert heard[-1] == (20, 20)
    assert heard == sorted(heard)


def test_it_can_be_cancelled_between_two_batches_and_goes_on_from_there(tmp_path):
    model, done = WordModel(), []
    vectors = text_vectors(model, cache=VectorCache(tmp_path / "vectors"))
    texts = [f"text {number}" for number in range(20)]
    with pytest.raises(Conflict):
        vectors.of_passages(
            texts,
            owners=["f"] * 20,
            progress=lambda n, _: done.append(n),
            cancelled=lambda: bool(done),
        )
    assert len(model.asked) == 1
    vectors.of_passages(texts, owners=["g"] * 20)
    embedded = [text for _, batch in model.asked for text in batch]
    assert sorted(embedded) == sorted(texts)


def test_what_is_known_is_not_embedded_again(tmp_path):
    model = WordModel()
    vectors = text_vectors(model, cache=VectorCache(tmp_path / "vectors"))
    first = vectors.of_passages(["a", "b", "a"], owners=["f", "f", "g"])
    model.asked.clear()
    second = vectors.of_passages(["b", "c", "a"], owners=["f"] * 3)
    assert model.asked == [("passage", ("c",))]
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(second[0], first[1])


def test_a_known_text_is_kept_for_who_asks_for_it_next(tmp_path):
    model, cache = WordModel(), VectorCache(tmp_path / "vectors")
    vectors = text_vectors(model, cache=cache)
    vectors.of_passages(["a", "b"], owners=["f", ""])
    vectors.of_passages(["a", "b"], owners=["g", "g"])
    cache.forget(["f"])
    model.asked.clear()
    vectors.of_passages([" a", "b"], owners=["g", "g"])
    assert model.asked == []
    vectors.of_passages(["a"])  # for nobody, so it is not even looked up
    assert len(model.asked) == 1


def test_a_text_that_is_too_long_is_taken_in_pieces():
    model = WordModel(window=10)
    vectors = text_vectors(model)
    long = " ".join(f"word{number}" for number in range(35))
    found = vectors.of_passages(["short one", long, "short two"])
    assert np.allclose(found[0], vectors.of_passages(["short one"])[0])
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    whole = text_vectors(WordModel()).of_passages([long])[0]
    assert found[1] @ whole > 0.97
    assert vectors.of_question(long).shape == (64,)


def test_a_model_that_has_gone_is_not_asked_for_every_piece():
    model = WordModel()
    model.broken = True
    with pytest.raises(EngineFailed, match="has gone"):
        text_vectors(model).of_passages(["many words " * 200] * 8)
    assert len(model.asked) < 15


def test_a_missing_model_file_is_said_at_once():
    class Missing(WordModel):
        def embed(self, texts, kind):
            super().embed(texts, kind)
            raise ModelFileMissing("No model.", do="Fetch it.")

    model = Missing()
    with pytest.raises(ModelFileMissing):
        text_vectors(model).of_passages(["a long text " * 50] * 3)
    assert len(model.asked) == 1


def test_a_model_of_another_dimension_is_refused():
    vectors = text_vectors(WordModel(dimension=32))
    vectors.model = EmbeddingModel("words", 64)
    with pytest.raises(EngineFailed, match="32 numbers instead of 64"):
        vectors.of_passages(["a"])


def test_a_score_is_the_cosine_between_two_numbers_of_the_model():
    model = EmbeddingModel("m", 3, a=0.774, b=0.945)
    assert model.score(0.825) == pytest.approx(0.298, abs=0.001)
    assert (model.score(0.5), model.score(0.99)) == (0.0, 1.0)
    assert EmbeddingModel("m", 3).score(0.65) == 0.65


@pytest.mark.model
def test_a_real_model_takes_texts_longer_than_its_window(multilingual):
    long = "合同的通知期为九十天。" * 70
    found = multilingual.of_passages([long, "合同的通知期为九十天。", "The moon has no air."])
    assert found[0] @ found[1] > 0.85
    assert found[0] @ found[1] > found[0] @ found[2]
