import pytest

from webapp.engines.openai_embed import Embedder
from webapp.engines.openai_refusal import Overflow, Refusal, Refused
from webapp.engines.openai_vectors import TAIL
from webapp.errors import EngineFailed

PREFIXES = {"query": "q: ", "passage": ""}
LONG = "many words " * 60
SAID = "Context of 50 exceeded."


class Model:
    """Takes `window` characters of each text; what is longer is refused or, if it `cuts`, cut."""

    def __init__(self, window, *, cuts=False):
        self.sent = []
        self._window = window
        self._cuts = cuts

    def __call__(self, body):
        self.sent.append(body["input"])
        longest = max(map(len, body["input"]))
        if longest > self._window and not self._cuts:
            raise Refused(Refusal(400, SAID, overflow=Overflow(longest, self._window)), SAID, "")
        vectors = [[sum(map(ord, t[: self._window])), 1000.0 * len(t[:50])] for t in body["input"]]
        return {"data": [{"index": n, "embedding": v} for n, v in enumerate(vectors)]}


def test_texts_go_in_batches_with_their_prefix():
    model = Model(1000)
    vectors = Embedder("m", PREFIXES, model).embed(["a"] * 40, "query")
    assert [len(sent) for sent in model.sent] == [32, 8]
    assert model.sent[0][0] == "q: a"
    assert len(vectors) == 40


def test_a_text_that_the_server_refuses_is_named_among_others():
    with pytest.raises(EngineFailed, match=r"Text 2 has 659 tokens; .* takes 100\.") as told:
        Embedder("m", PREFIXES, Model(100)).embed(["a", "b", LONG, "c"], "passage")
    assert "Split" in told.value.do


def test_a_text_that_the_server_would_cut_is_named():
    with pytest.raises(EngineFailed, match="Text 1 has about 189 tokens"):
        Embedder("m", PREFIXES, Model(300, cuts=True)).embed(["a", LONG.strip()], "passage")


def test_a_text_that_was_read_whole_is_kept_and_was_sent_twice():
    model = Model(10_000, cuts=True)
    assert len(Embedder("m", PREFIXES, model).embed([LONG], "passage")) == 1
    assert model.sent[1] == [LONG.strip() + TAIL]


def test_a_server_that_refuses_long_texts_is_not_asked_again():
    model = Model(700)
    embedder = Embedder("m", PREFIXES, model)
    for _ in range(3):
        assert len(embedder.embed([LONG], "passage")) == 1
    assert len(model.sent) == 4


def test_other_refusals_come_through():
    def refuse(body):
        raise Refused(Refusal(500, "Broken"), "Broken.", "")

    with pytest.raises(Refused, match="Broken"):
        Embedder("m", PREFIXES, refuse).embed(["a", "b"], "query")


def test_vectors_of_two_lengths_are_refused():
    lengths = iter([2, 3])

    def post(body):
        length = next(lengths)
        return {
            "data": [{"index": n, "embedding": [1.0] * length} for n in range(len(body["input"]))]
        }

    with pytest.raises(EngineFailed, match="differ in length"):
        Embedder("m", PREFIXES, post).embed(["a"] * 40, "query")
