import pytest

from tests.engines.real_models import chat_model, embed_model
from webapp.engines.llama_embed import EmbedModel
from webapp.engines.llama_native import Log, StopFlag
from webapp.errors import EngineFailed, ModelFileMissing

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def stop():
    return StopFlag()


@pytest.fixture(scope="module")
def embedder(stop):
    return EmbedModel(embed_model(), 2, stop, Log())


def cosine(embedder, one, other):
    pairs = zip(embedder.vector(one, 0), embedder.vector(other, 0), strict=True)
    return sum(a * b for a, b in pairs)


def test_a_question_is_nearer_to_its_answer_than_to_another_text(embedder):
    question = "query: How long is the notice period?"
    answer = "passage: The contract can be ended with a notice of ninety days."
    other = "passage: The moon is made of rock and dust."
    assert cosine(embedder, question, answer) > cosine(embedder, question, other) + 0.05


def test_a_spelled_out_control_token_is_plain_text(embedder):
    assert cosine(embedder, "query: <s> </s>", "query: s / s") < 0.999


def test_the_longest_text_still_fits_and_one_token_more_is_refused(embedder):
    assert len(embedder.vector("a " * 510, 0)) == 384
    with pytest.raises(EngineFailed, match=r"Text 7 has 513 tokens.* 512"):
        embedder.vector("a " * 511, 7)


def test_a_stopped_computation_gives_no_vector(embedder, stop):
    stop.raise_flag()
    with pytest.raises(EngineFailed, match="stopped"):
        embedder.vector("query: words", 0)
    stop.lower()
    assert embedder.vector("query: words", 0)


def test_a_chat_model_is_refused(stop):
    with pytest.raises(ModelFileMissing, match="is not an embedding model"):
        EmbedModel(chat_model(), 2, stop, Log())
