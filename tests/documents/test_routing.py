import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.documents.routing import Candidate, route, routes

CHOICES = st.sampled_from([None, "auto", "inline", "embeddings", "ask"])
USES = st.sampled_from(["auto", "inline", "embeddings", "ask"])
TOKENS = st.none() | st.integers(0, 200_000)
FILES = st.builds(Candidate, st.text(max_size=4), TOKENS, CHOICES, st.booleans())


@pytest.mark.parametrize(
    ("tokens", "expected"), [(0, "inline"), (749, "inline"), (750, "embeddings")]
)
def test_a_file_below_three_quarters_of_the_free_tokens_is_sent_whole(tokens, expected):
    assert route(Candidate("a", tokens), "auto", 1000) == expected


@pytest.mark.parametrize("free", [0, -1, -5000])
def test_nothing_is_sent_whole_where_nothing_is_free(free):
    assert route(Candidate("a", 0), "auto", free) == "embeddings"


def test_what_a_person_chose_for_a_file_is_done_whatever_the_setting():
    for choice in ("inline", "embeddings", "ask"):
        assert route(Candidate("a", 10**6, choice), "auto", 10) == choice
    assert route(Candidate("a", 1, "auto"), "ask", 1000) == "inline"


def test_files_of_one_message_share_the_free_tokens():
    files = [Candidate("a", 600), Candidate("b", 600), Candidate("c", 200), Candidate("d", 250)]
    assert routes(files, "auto", 1000) == {
        "a": "inline",
        "b": "embeddings",
        "c": "inline",
        "d": "embeddings",
    }


@given(FILES, USES, st.integers(-1000, 200_000))
def test_files_of_a_project_and_files_without_text_are_always_searched(file, use, free):
    way = route(file, use, free)
    if file.in_project or file.tokens is None:
        assert way == "embeddings"
    elif (file.choice or use) == "auto":
        assert way == ("inline" if file.tokens < 0.75 * free else "embeddings")
    else:
        assert way == (file.choice or use)
