import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.documents.file_facts import FileFacts, Problem, from_json, problem_of, to_json
from webapp.errors import StorageFailed, Unreadable

WORDS = st.text(max_size=8)
FACTS = st.builds(
    FileFacts,
    id=st.just("f1"),
    name=st.text(min_size=1, max_size=8),
    size=st.integers(0, 10**12),
    sha256=WORDS,
    added_ms=st.integers(0, 10**13),
    stage=st.sampled_from(["received", "read", "ready", "rejected", "stopped", "damaged"]),
    problem=st.none() | st.builds(Problem, WORDS, WORDS, WORDS),
    use=st.sampled_from([None, "auto", "inline", "embeddings", "ask"]),
    chunks=st.integers(0, 10**6),
    notes=st.lists(WORDS, max_size=2).map(tuple),
    details=st.lists(st.tuples(WORDS, WORDS), max_size=2).map(tuple),
    unknown=st.dictionaries(st.sampled_from(["tags", "colour"]), WORDS, max_size=2),
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=5,
)
GOOD = to_json(FileFacts("f1", "a.txt", notes=("n",), details=(("k", "v"),)))


@settings(max_examples=50)
@given(FACTS)
def test_what_is_written_is_read_again(facts):
    assert from_json("f1", json.loads(json.dumps(to_json(facts)))) == facts


@settings(max_examples=100)
@given(st.sampled_from(sorted(GOOD)), ANY)
def test_a_field_of_another_kind_is_damage_and_never_a_crash(field, value):
    try:
        facts = from_json("f1", {**GOOD, field: value})
    except ValueError:
        return
    assert from_json("f1", json.loads(json.dumps(to_json(facts)))) == facts


@pytest.mark.parametrize("data", [None, [], "x", 3, {}, {"name": ""}, {"name": "a", "size": -1}])
def test_what_is_not_about_a_file_is_damage(data):
    with pytest.raises(ValueError):
        from_json("f1", data)


def test_the_folder_says_the_id():
    assert from_json("f2", GOOD).id == "f2"


def test_another_stage_ends_the_problem():
    facts = FileFacts("f1", "a.txt").at("stopped", problem=Problem("It stopped.", "Try again."))
    assert str(facts.problem) == "It stopped. Try again."
    assert facts.at("read").problem is None


def test_errors_become_problems_with_their_words_and_a_code():
    refused = problem_of(Unreadable("It is empty.", "Attach another.", "empty"), "engine")
    assert refused == Problem("It is empty.", "Attach another.", "empty")
    assert problem_of(StorageFailed("Full.", "Make room."), "disk").code == "disk"
