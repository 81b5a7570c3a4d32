import json

import llama_cpp as lib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engines import tiny_models
from webapp.engines.engine import Sampling
from webapp.engines.grammar import new_grammar, rules_of
from webapp.engines.llama_native import Log, NativeModel, StopFlag, free_sampler, new_sampler
from webapp.errors import EngineFailed

HOT = Sampling(temperature=2.0, top_k=0, top_p=1.0, seed=5)
WORDS = {"type": "string", "maxLength": 9}
OBJECT = {
    "type": "object",
    "properties": {"action": {"enum": ["answer", "look"]}, "words": WORDS},
    "required": ["action"],
}


@pytest.fixture(scope="module")
def native(tmp_path_factory):
    """A model of random numbers: what it writes fits for no other reason than the grammar."""
    log, stop = Log(), StopFlag()  # both have to outlive the model
    native = NativeModel(tiny_models.transformer(tmp_path_factory.mktemp("m") / "t.gguf"), log)
    native.open_context(2048, 64, 2, stop, embedding=False)
    yield native
    assert not stop.raised


def written(native, schema, sampling, most=1200):
    native.forget_after(0)
    native.decode([1])
    sampler = new_sampler(native.vocabulary_size, sampling, new_grammar(native.vocabulary, schema))
    pieces = []
    try:
        while len(pieces) < most and not native.ends_answer(token := native.sample(sampler)):
            pieces.append(native.piece(token))
            native.decode([token])
    finally:
        free_sampler(sampler)
    assert len(pieces) < most
    # Bytes that form no character are replaced, as in every answer.
    return json.loads(b"".join(pieces).decode("utf-8", "replace"))


@pytest.mark.parametrize(
    "sampling",
    [
        HOT,
        Sampling(temperature=0.0, repeat_penalty=100.0),
        Sampling(temperature=0.7, repeat_penalty=0.01, seed=1),
        Sampling(temperature=1e-40, seed=2),
        Sampling(temperature=1e30, top_k=1, seed=3),
        Sampling(top_p=0.0, seed=4),
    ],
    ids=repr,
)
def test_an_answer_fits_whatever_the_sampling(native, sampling):
    found = written(native, OBJECT, sampling)
    assert found["action"] in ("answer", "look")
    assert set(found) <= {"action", "words"}


ODD = ['say "no"', "back\\slash", "two\nlines", "漢字 🦊", "\0", "\ud800", "]|[^a-z", "\\u0041"]


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_names_and_constants_may_hold_any_character(native, odd):
    schema = {
        "type": "object",
        "properties": {odd: {"const": odd}},
        "required": [odd],
        "additionalProperties": False,
    }
    assert written(native, schema, HOT) == {odd: odd}


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text(max_size=12), min_size=1, max_size=4), st.integers(0, 99))
def test_one_of_the_allowed_values_is_written_whole(native, values, seed):
    sampling = Sampling(temperature=2.0, top_k=0, top_p=1.0, seed=seed)
    assert written(native, {"enum": values}, sampling) in values


def test_a_string_never_runs_over_a_line_unescaped(native):
    for seed in range(5):
        sampling = Sampling(temperature=3.0, top_k=0, top_p=1.0, seed=seed)
        assert isinstance(written(native, {"type": "string", "maxLength": 60}, sampling), str)


def test_letters_of_all_scripts_stand_for_themselves():
    assert "漢字" in rules_of({"const": "漢字"})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"enum": []},
        {"type": "object", "properties": 5},
        {"type": "object", "properties": {"a": False}},
        {"$ref": "https://schemas.example.org/one.json"},
        {"$ref": "#/$defs/none"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {}]}}},
        {"type": "string", "maxLength": 100_000},
        {"type": "string", "maxLength": 10**9},
        {"type": "array", "items": {"type": "string"}, "maxItems": 5_000},
        {"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}}},
        {"type": "array", "items": {"type": "string", "pattern": "^a+$"}},
        {"type": "object", "properties": {"": {"type": "string"}}},
    ],
    ids=lambda schema: json.dumps(schema)[:60],
)
def test_a_schema_that_no_grammar_keeps_is_refused_with_a_sentence(native, schema):
    with pytest.raises(EngineFailed, match="cannot be held to this schema") as told:
        new_grammar(native.vocabulary, schema)
    assert told.value.do


def test_a_property_may_be_called_like_a_keyword(native):
    schema = {"type": "object", "properties": {"pattern": {"const": 1}}, "required": ["pattern"]}
    assert written(native, schema, HOT) == {"pattern": 1}


def test_the_schema_of_the_caller_stays_as_it_was():
    schema = {"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}
    before = json.dumps(schema)
    rules_of(schema)
    assert json.dumps(schema) == before


def test_a_grammar_alone_is_a_sampler_that_can_be_freed(native):
    for _ in range(200):
        lib.llama_sampler_free(new_grammar(native.vocabulary, OBJECT))
