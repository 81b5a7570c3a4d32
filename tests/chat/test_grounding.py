"""Sentences find the passage that stands behind them."""

import json

from webapp.chat.grounding import Grounding, Mark, ground
from webapp.chat.sentences import Sentence

ONE, TWO = Sentence(0, 10, "x" * 10), Sentence(11, 20, "y" * 9)


def test_the_best_passage_at_or_over_the_threshold_is_marked():
    found = ground(
        [ONE, TWO], ["a", "b"], [[1, 0], [0, 1]], [[0.8, 0.6], [0.65, 0.2]], lambda c: c, 0.65
    )
    assert found == Grounding((Mark(10, (0, 10), 0, 0.8),), ((11, 20),))


def test_the_embedders_scale_decides_and_not_the_cosine():
    found = ground([ONE], ["a"], [[1.0]], [[0.9]], lambda c: (c - 0.8) / 0.2)
    assert found.marks == ()


def test_without_passages_nothing_is_supported():
    assert ground([ONE], [], [[1.0]], [], float).unsupported == ((0, 10),)
    assert ground([ONE], [" "], [[1.0]], [[1.0]], float).unsupported == ((0, 10),)


def test_it_survives_json_and_damaged_parts_are_left_out():
    made = Grounding((Mark(10, (0, 10), 0, 0.8),), ((11, 20),))
    data = json.loads(json.dumps(made.to_data()))
    assert Grounding.from_data(data) == made
    data["marks"] += [None, {"at": -1}, {**data["marks"][0], "score": "high"}]
    data["unsupported"] += [[3], [9, 2], "no"]
    assert Grounding.from_data(data) == made
    assert Grounding.from_data(None) == Grounding()


def test_a_sentence_taken_over_word_for_word_is_supported_whatever_its_vector():
    said = Sentence(0, 40, "The notice period is ninety days here.")
    passage = "The rooms are let. The notice period is ninety days here. Sign in ink."
    found = ground([said], ["other", passage], [[1.0, 0]], [[0.2, 0], [0.1, 0]], float)
    assert found.marks == (Mark(40, (0, 40), 1, 1.0),)
