"""How near a question comes to what has nothing to do with it."""

import numpy as np
import pytest

from tests.documents.searching import text_vectors
from webapp.search.background import Background


@pytest.fixture
def vectors():
    return text_vectors()


def test_a_question_is_compared_in_the_writing_of_what_was_found(vectors):
    beside = Background(vectors.of_questions).beside(vectors.of_question("the fence, the boat"))
    assert beside.of("He painted it") > beside.of("他把篱笆漆") >= beside.least


def test_a_background_like_the_question_leaves_nothing_near():
    same = Background(lambda texts: np.tile([0.6, 0.8], (len(texts), 1)))
    assert same.beside(np.array([0.6, 0.8])).least == pytest.approx(1.0)
    assert same.beside(np.array([-0.8, 0.6])).of("any") == pytest.approx(0.0)
