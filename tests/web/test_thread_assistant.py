"""The assistant of one thread. Fragments: assistant_choice, assistant_link."""

from webapp.chat.assistant import checked


def fields(instructions):
    return checked(name="Cook", icon="", instructions=instructions, typed={})


def test_a_thread_keeps_its_own_until_the_newer_one_is_taken(page, library, assistants):
    thread_id = page.begin()
    at = f"/threads/{thread_id}/assistant"
    cook = assistants.make(fields("Cook."))
    page.send(at, assistant=cook.id)
    assert library.instructions(thread_id) == "Cook."
    assistants.edit(cook.id, fields("Bake."), known=cook.revision)
    assert library.instructions(thread_id) == "Cook."
    assert "changed since" in page.get(f"/threads/{thread_id}").text
    assert "Use the newer" in page.get(at).text
    saved = page.get(page.send(at, assistant=cook.id).location).text
    assert "Changed the assistant to “Cook”" in saved
    assert library.instructions(thread_id) == "Bake."
    assert "Use the newer" not in page.get(at).text


def test_no_assistant_means_that_the_model_is_told_nothing(page, library, engine):
    thread_id = page.begin()
    page.send(f"/threads/{thread_id}/assistant", assistant="")
    assert library.instructions(thread_id) == ""
    assert "The model is told nothing" in page.get(f"/threads/{thread_id}/assistant").text
    page.ask(thread_id, "And now?")
    assert engine.requests[-1].turns[0].role == "user"


def test_one_that_is_gone_cannot_be_chosen(page):
    thread_id = page.begin()
    assert page.send(f"/threads/{thread_id}/assistant", assistant="gone").status_code == 404
