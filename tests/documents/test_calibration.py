"""What is measured of a model: its scale, and the scripts it reads."""

import pytest

from tests.documents.searching import WordModel, text_vectors
from webapp.documents.calibration import Reading, measured
from webapp.errors import EngineFailed


class LatinModel(WordModel):
    """Takes all words of other scripts for one."""

    def _vector(self, number, text):
        return super()._vector(number, text if text.isascii() else "unknown " + str(len(text) % 2))


def test_a_model_nobody_knows_gets_its_dimension_and_scale():
    model = measured(WordModel(dimension=48), "mine", query_prefix="q: ")
    assert (model.name, model.dimension, model.b) == ("mine", 48, 1.0)
    assert (model.query_prefix, model.passage_prefix) == ("q: ", "")
    assert 0 <= model.a < 0.3


def test_a_script_without_a_probe_is_taken_for_readable():
    model = WordModel()
    assert Reading().can_read(text_vectors(model), None)
    assert model.asked == []


def test_a_model_is_asked_once_for_each_script():
    model, reading = LatinModel(), Reading()
    vectors = text_vectors(model)
    assert not reading.can_read(vectors, "Chinese")
    asked = len(model.asked)
    assert not reading.can_read(vectors, "Chinese")
    assert len(model.asked) == asked


def test_a_model_that_does_not_answer_is_not_taken_for_one_that_cannot_read():
    model = WordModel()
    model.broken = True
    with pytest.raises(EngineFailed):
        Reading().can_read(text_vectors(model), "Chinese")


@pytest.mark.model
def test_the_multilingual_model_reads_chinese_and_the_english_one_does_not(multilingual, english):
    reading = Reading()
    assert reading.can_read(multilingual, "Chinese")
    assert not reading.can_read(english, "Chinese")
    assert not reading.can_read(english, "Cyrillic")
