"""The page of the words that support a sentence, not that of all that was read."""

import pytest

from tests.documents.taking_in import SECONDS, add, open_documents
from webapp.chat.excerpts import Excerpt
from webapp.generation.places import Places

LINES = "".join(f"This is the line with the number {n}.\n" for n in range(1, 40))


@pytest.fixture
def documents(tmp_path):
    documents = open_documents(tmp_path / "data")
    yield documents
    documents.close()


@pytest.fixture(params=["thread", "project"])
def excerpt(request, documents):
    project = "p1" if request.param == "project" else ""
    scope = documents.project(project) if project else documents.thread("t")
    file_id = add(documents, scope, "lines.txt", LINES).state.id
    documents.wait_over(scope, SECONDS)
    start = LINES.index("This is the line with the number 2.")
    text = LINES[start : start + 300]
    known = {"file_id": file_id, "project_id": project, "text": text, "place": "lines 2–9"}
    return Excerpt(start=start, end=start + 300, **known)


def test_a_part_has_its_own_place(documents, excerpt):
    places = Places(documents, "t")
    begin = excerpt.text.index("This is the line with the number 5.")
    assert places.of(excerpt, (begin, begin + 30)) == "line 5"
    assert places.of(excerpt, (begin, begin + 45)) == "lines 5–6"


@pytest.mark.parametrize(
    "changed",
    [
        {"text": "Something else."},
        {"file_id": "gone"},
        {"file_id": "../x"},
        {"file_id": ""},
        {"end": 0},
        {"start": 10**9, "end": 10**9 + 1},
        {"project_id": "other"},
    ],
)
def test_what_the_file_does_not_say_there_has_none(documents, excerpt, changed):
    known = vars(excerpt) | changed
    assert Places(documents, "t").of(Excerpt(**known), (0, 10)) == ""


def test_a_file_of_another_thread_is_not_read(documents, excerpt):
    if not excerpt.project_id:
        assert Places(documents, "other").of(excerpt, (0, 10)) == ""
