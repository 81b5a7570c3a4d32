import pytest

from tests.documents.taking_in import SECONDS as PATIENCE
from tests.documents.taking_in import HeldModel, open_documents
from webapp.errors import StorageFailed
from webapp.generation import sample
from webapp.generation.groundings import GROUNDING, Groundings
from webapp.generation.sample import SampleThread, is_sample, words


@pytest.fixture
def model():
    return HeldModel()


@pytest.fixture
def documents(tmp_path, model):
    documents = open_documents(tmp_path / "data", model)
    yield documents
    documents.close()


@pytest.fixture
def groundings(documents, library):
    groundings = Groundings(documents, library, 0.65)
    yield groundings
    groundings.close()


@pytest.fixture
def made(library, documents, groundings):
    return SampleThread(library, documents, groundings)


def test_it_shows_versions_a_pin_a_file_and_what_no_file_says(made, library, groundings):
    thread_id = made.made("")
    thread = library.thread(thread_id)
    assert is_sample(thread)
    assert thread.title == words()["title"]
    rows = library.view(thread_id).shown
    assert [each.message.role for each in rows] == ["user", "assistant"] * 3
    assert (rows[1].version, len(rows[1].versions)) == (2, 2)
    assert rows[2].message.metadata["pinned"]
    assert rows[0].message.metadata["inline_file_contents"][0]["name"] == words()["file"]["name"]
    answers = [groundings.again(thread_id, each.message.id) for each in rows[1::2]]
    assert all(each.metadata[GROUNDING]["marks"] for each in answers)
    last = answers[-1].metadata[GROUNDING]
    unsupported = [answers[-1].text[start:end] for start, end in last["unsupported"]]
    assert any("Ulysses" in each for each in unsupported)


def test_the_wrong_version_has_no_passage(made, library, groundings):
    thread_id = made.made("")
    wrong = library.view(thread_id).shown[1].versions[0]
    assert groundings.again(thread_id, wrong).metadata[GROUNDING]["marks"] == []


def test_it_belongs_to_who_asked_for_it(made, library):
    assert library.thread(made.made("ada")).metadata["owner"] == "ada"


def test_without_passages_in_time_it_is_made_without_numbers(made, library, model, monkeypatch):
    monkeypatch.setattr(sample, "PATIENCE_SECONDS", 0.05)
    model.gate.clear()
    rows = library.view(made.made("")).shown
    assert len(rows) == 6
    assert "passages" not in rows[-1].message.metadata["usage"]
    model.gate.set()


def test_what_breaks_off_leaves_nothing_in_the_list(made, library, documents, monkeypatch):
    def full(*_, **__):
        raise StorageFailed("The disk is full.", do="Make room.")

    monkeypatch.setattr(library, "finish_answer", full)
    with pytest.raises(StorageFailed):
        made.made("")
    assert library.threads() == []


def test_every_turn_has_words_and_one_has_two_versions():
    turns = words()["turns"]
    assert all(turn["question"].strip() and all(turn["answers"]) for turn in turns)
    assert max(len(turn["answers"]) for turn in turns) == 2
    assert PATIENCE > sample.PATIENCE_SECONDS
