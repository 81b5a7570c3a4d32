"""The assistants of a data directory."""

import pytest

from webapp.chat.assistant import BUILT_IN, checked
from webapp.errors import Conflict, NotFound
from webapp.threads.assistants import Assistants, DamagedAssistant


@pytest.fixture
def assistants(tmp_path, clock, new_id):
    return Assistants(tmp_path, clock_ms=clock, new_id=new_id)


def fields(name="Cook", instructions="Cook.", **typed):
    return checked(name=name, icon="", instructions=instructions, typed=typed)


def test_the_built_in_one_is_there_and_the_default(assistants):
    assert assistants.all() == [BUILT_IN]
    assert assistants.default() == BUILT_IN
    with pytest.raises(NotFound):
        assistants.delete(BUILT_IN.id)


def test_one_is_made_copied_edited_and_read_again(assistants, tmp_path, clock, new_id):
    made = assistants.make(fields(temperature="0.5"))
    twin = assistants.copy(made.id)
    assert twin.name == "Cook (copy)"
    assistants.edit(twin.id, fields("Baker", "Bake."), known=twin.revision)
    again = Assistants(tmp_path, clock_ms=clock, new_id=new_id)
    assert [each.name for each in again.all()] == ["Strata", "Baker", "Cook"]
    assert again.get(made.id).parameters == {"temperature": 0.5}


def test_an_edit_of_what_changed_meanwhile_is_refused(assistants):
    made = assistants.make(fields())
    assistants.edit(made.id, fields("Chef"), known=made.revision)
    with pytest.raises(Conflict):
        assistants.edit(made.id, fields("Baker"), known=made.revision)
    assert assistants.get(made.id).name == "Chef"


def test_the_edited_built_in_one_can_be_put_back_as_it_came(assistants):
    assistants.edit(BUILT_IN.id, fields("Mine"), known=BUILT_IN.revision)
    assert assistants.default().name == "Mine"
    assistants.delete(BUILT_IN.id)
    assert assistants.default() == BUILT_IN


def test_a_deleted_default_gives_way_and_comes_back(assistants):
    made = assistants.make(fields())
    assistants.choose_default(made.id)
    name = assistants.delete(made.id)
    assert assistants.default() == BUILT_IN
    assert assistants.restore(name) == made.id
    assert assistants.default() == made
    with pytest.raises(NotFound):
        assistants.restore(name)


def test_a_damaged_one_is_listed_skipped_and_can_be_deleted(assistants, tmp_path):
    made = assistants.make(fields())
    (tmp_path / "assistants" / made.id / "assistant.json").write_bytes(b"{")
    assert isinstance(assistants.all()[-1], DamagedAssistant)
    assert assistants.usable() == [BUILT_IN]
    assert assistants.find(made.id) is None
    assistants.delete(made.id)
    assert assistants.all() == [BUILT_IN]


@pytest.mark.parametrize("odd", ["", "..", "../x", "a/b", "\0", "x" * 65, ".trash", "nobody"])
def test_ids_are_checked_before_they_meet_a_path(assistants, odd):
    for act in (assistants.get, assistants.copy, assistants.choose_default, assistants.delete):
        with pytest.raises(NotFound):
            act(odd)
    with pytest.raises(NotFound):
        assistants.restore(odd)


def test_what_was_deleted_long_ago_is_forgotten_at_the_start(assistants, clock):
    name = assistants.delete(assistants.make(fields()).id)
    clock.now += 31 * 86_400_000
    assert assistants.migrate() == []
    with pytest.raises(NotFound):
        assistants.restore(name)


def test_one_from_elsewhere_takes_nobodys_place(tmp_path, clock, new_id):
    assistants = Assistants(tmp_path, clock_ms=clock, new_id=new_id)
    assert assistants.is_free("tutor")
    assert assistants.take_in("tutor", {"id": "other", "name": "Tutor"})
    assert not assistants.is_free("tutor")
    assert not assistants.take_in("tutor", {"name": "Another"})
    assert (assistants.get("tutor").id, assistants.get("tutor").name) == ("tutor", "Tutor")
    with pytest.raises(NotFound):
        assistants.take_in("../x", {})
