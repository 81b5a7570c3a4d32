import hashlib
import json
import os

import pytest

from webapp.engines.kv_identity import ModelHash, identity

CONTENT = os.urandom(20_000_000)
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def never():
    return False


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "mödel \udcff.gguf"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "kv" / "models.json"


def test_it_is_computed_in_pauses_and_goes_on_where_it_was(model, notes):
    found = ModelHash(model, notes)
    for _ in range(10):
        looks = iter([False, True])
        found.advance(lambda: next(looks))  # noqa: B023 - called at once
    assert found.digest == DIGEST


def test_it_is_remembered_until_the_file_changes(model, notes):
    ModelHash(model, notes).advance(never)
    assert ModelHash(model, notes).digest == DIGEST
    os.utime(model, (1, 1))
    assert ModelHash(model, notes).digest == ""


def test_a_file_that_changed_while_it_was_loaded_has_none(model, notes):
    found = ModelHash(model, notes)
    model.write_bytes(b"other")
    found.advance(never)
    assert found.digest == ""


def test_a_file_that_is_gone_has_none(model, notes):
    found = ModelHash(model, notes)
    model.unlink()
    found.advance(never)
    assert found.digest == ""
    assert ModelHash(model, notes).digest == ""


@pytest.mark.parametrize("notes_say", ["", "[]", '{"a": 1}', "[" * 100_000, "\ud800"], ids=repr)
def test_notes_that_cannot_be_read_are_made_anew(model, notes, notes_say):
    notes.parent.mkdir()
    notes.write_bytes(notes_say.encode("utf-8", "surrogatepass"))
    ModelHash(model, notes).advance(never)
    assert ModelHash(model, notes).digest == DIGEST


@pytest.mark.parametrize("digest", [7, "", "short", None])
def test_a_digest_that_is_none_is_not_believed(model, notes, digest):
    ModelHash(model, notes).advance(never)
    known = json.loads(notes.read_text())
    known[str(model)]["sha256"] = digest
    notes.write_text(json.dumps(known))
    assert ModelHash(model, notes).digest == ""


def test_a_place_that_cannot_be_written_is_no_failure(model, tmp_path):
    (tmp_path / "kv").write_text("a file")
    found = ModelHash(model, tmp_path / "kv" / "models.json")
    found.advance(never)
    assert found.digest == DIGEST


def test_whatever_changes_what_is_computed_makes_another_identity():
    facts = {"n_ctx": 4096, "type_k": 1, "library": "0.3.36"}
    one = identity(DIGEST, facts)
    assert len(one) == 32
    assert one == identity(DIGEST, dict(reversed(facts.items())))
    for name in facts:
        assert identity(DIGEST, facts | {name: 7}) != one
    assert identity("0" * 64, facts) != one
