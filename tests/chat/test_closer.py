"""Sentences that no passage is like as a whole are looked at beside its sentences."""

import pytest

from tests.engines.real_models import chat_model, embed_model
from webapp.chat.closer import MOST_PIECES, Pieces, closer
from webapp.chat.grounding import Grounding, Mark, ground
from webapp.chat.sentences import sentences
from webapp.documents.embedding import EmbeddingModel, TextVectors
from webapp.engines.catalog import load_catalog
from webapp.engines.llama_cpp import LlamaCppEngine

LEASE = (
    "The rent is 740 euro a month and is due on the third working day. "
    "Heating and water are paid by the tenant, by the meter. "
    "Either side may end the lease with ninety days of notice, in writing. "
    "The deposit is two months of rent, 1,480 euro. "
    "It comes back within sixty days after the keys are handed over. "
    "One cat may be kept. Dogs need the consent of the landlord."
)
RULES = "The garden is shared by all tenants. Whoever loses a key pays 40 euro."
BEHIND = "Either side may end the lease with ninety days of notice, in writing."


def looked_at(text, vectors, score=float, passages=(LEASE, RULES)):
    """Sentences with their mark, None for those without; `vectors` maps texts to vectors."""
    said = sentences(text)
    pieces = Pieces(passages)
    bare = Grounding((), tuple((each.start, each.end) for each in said))
    spans = {(each.start, each.end): (each, vectors[each.text]) for each in said}
    wanted = {span: pieces.like(spans[span][0].text) for span in bare.unsupported}
    of_pieces = {piece: vectors[piece.text] for row in wanted.values() for piece in row}
    found = closer(bare, spans, wanted, of_pieces, score, 0.65)
    marks = {mark.sentence: mark for mark in found.marks}
    assert {*marks, *found.unsupported} == {*spans}
    return {sentence.text: marks.get(span) for span, (sentence, _) in spans.items()}


class Alike(dict):
    """All texts have the same vector, so that only their words decide."""

    def __missing__(self, text):
        return [1.0]


@pytest.mark.parametrize(
    ("sentence", "supported"),
    [
        ("The lease may be ended with ninety days of notice.", True),
        ("The lease may be ended with 90 days of notice.", True),
        ("The lease may be ended with thirty days of notice.", False),
        # Sixty days stand there too, but not with these words.
        ("The lease may be ended with sixty days of notice.", False),
        ("The lease may not be ended with ninety days of notice.", False),
        ("The deposit of 1480 euro comes back within sixty days after the keys.", True),
        ("The deposit of 1840 euro comes back within sixty days after the keys.", False),
        ("Dogs are forbidden in this house.", False),  # one word in common says nothing
        ("A lost key costs 40 euro.", True),
        ("A lost key costs 50 euro.", False),
        ("Nothing of this is written anywhere.", False),
    ],
)
def test_words_are_shared_and_numbers_stand_with_them(sentence, supported):
    [mark] = looked_at(sentence, Alike()).values()
    assert (mark is not None) == supported


def test_a_mark_says_which_part_of_which_passage_it_is_about():
    [mark] = looked_at("The lease ends with ninety days of notice.", Alike()).values()
    assert mark.passage == 0 and mark.at == mark.sentence[1]
    assert LEASE[slice(*mark.part)] == BEHIND


def test_what_is_unlike_by_its_vector_stays_unsupported():
    vectors = Alike({BEHIND: [0.6]})
    [mark] = looked_at("Either side ends the lease with ninety days of notice.", vectors).values()
    assert mark is None


def test_chinese_is_compared_by_its_characters():
    passages = ["房租每月七百四十元。合同的通知期为九十天。钥匙丢失要付四十元。"]
    for text, supported in (("合同的通知期是九十天。", True), ("合同的通知期是三十天。", False)):
        [mark] = looked_at(text, Alike(), passages=passages).values()
        assert (mark is not None) == supported


def test_only_a_few_pieces_are_looked_at_and_none_of_a_passage_that_is_one_sentence():
    many = " ".join(f"Ship number {n} passed the harbour gate at noon." for n in range(40))
    found = Pieces([many, "The ship passed the harbour gate."]).like("A ship passed the gate.")
    assert len(found) == MOST_PIECES
    assert {piece.passage for piece in found} == {0}


def test_marks_that_were_there_stay_in_the_order_of_the_text():
    kept = Mark(90, (60, 90), 1, 0.9)
    assert closer(Grounding((kept,), ()), {}, {}, {}, float, 0.65) == Grounding((kept,), ())


TRUE = (
    "The lease asks for ninety days' notice, and the deposit comes back within sixty days after "
    "the keys are handed over.",
    "You may keep a dog only if the landlord agrees.",
    "The deposit amounts to 1,480 euro.",
    "A lost key costs 40 euro.",
)
FALSE = (
    "The lease asks for thirty days' notice.",
    "The lease asks for sixty days' notice.",
    "The deposit amounts to 1,840 euro.",
    "A lost key costs 50 euro.",
    "The landlord pays for the heating.",
    "The tenant must water the plants every day.",
    "The flat has a balcony and a garden.",
    "The capital of France is Paris.",
)


@pytest.mark.model
def test_the_real_embedder_supports_what_is_told_and_nothing_else():
    facts = load_catalog().entry("multilingual-e5-small").embedding
    prefixes = {"query_prefix": facts.query_prefix, "passage_prefix": facts.passage_prefix}
    engine = LlamaCppEngine(chat_model(), embed_model(), context_tokens=512, threads=0, **prefixes)
    model = EmbeddingModel("e5", facts.dimension, facts.a, facts.b, **prefixes)
    vectors = TextVectors(engine, model)

    class Real(dict):
        def __missing__(self, text):
            return vectors.of_passages([text])[0].tolist()

    try:
        found = looked_at(" ".join((*TRUE, *FALSE)), Real(), model.score)
        said = sentences(" ".join(TRUE))
        words = [LEASE, RULES]
        made = vectors.of_passages([*(each.text for each in said), *words]).tolist()
        whole = ground(said, words, made[: len(said)], made[len(said) :], model.score)
    finally:
        engine.close()
    assert {text for text, mark in found.items() if mark} == set(TRUE)
    assert len(whole.marks) < len(TRUE)  # which is what the closer look is for
