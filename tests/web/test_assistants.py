"""The pages of assistants. Fragments: assistant_row, assistant_form, assistant_preview."""

import pytest

from webapp.chat.assistant import BUILT_IN

COOK = {"name": "Cook", "icon": "C", "instructions": "Today: {{current_date}}.", "top_k": "5"}


@pytest.fixture
def cook(page, assistants):
    page.send("/assistants", **COOK)
    return assistants.all()[-1]


def test_one_is_made_and_listed(page, cook):
    assert (cook.name, cook.parameters) == ("Cook", {"top_k": 5})
    assert "Cook" in page.get("/assistants").text


def test_what_was_typed_stays_when_it_is_refused(page, assistants):
    refused = page.send("/assistants", **{**COOK, "top_k": "many"})
    assert refused.status_code == 422
    assert "0 to 1,000" in refused.text
    assert "Today: {{current_date}}." in refused.text
    assert 'value="many"' in refused.text
    assert assistants.all() == [BUILT_IN]


def test_the_preview_shows_what_is_sent(page):
    for answer in (
        page.htmx("/assistants/preview", **COOK),
        page.send("/assistants/preview", **COOK),
    ):
        assert "Today: Thursday, 1 January 2026." in answer.text


def test_it_is_edited_copied_made_default_deleted_and_put_back(page, assistants, cook):
    at = f"/assistants/{cook.id}"
    assert 'value="5"' in page.get(f"{at}/edit").text
    page.send(f"{at}/edit", **{**COOK, "name": "Chef"}, known=cook.revision)
    assert assistants.get(cook.id).name == "Chef"
    assert page.send(f"{at}/edit", **COOK, known=cook.revision).status_code == 409
    assert page.get(page.send(f"{at}/copy").location).status_code == 200
    page.send(f"{at}/default")
    assert assistants.default().id == cook.id
    gone = page.send(f"{at}/deletion").location
    assert assistants.find(cook.id) is None
    assert "Undo" in page.get(gone).text
    page.send("/assistants/restoration", name=gone.split("deleted=")[1])
    assert assistants.find(cook.id)


def test_a_new_thread_has_the_one_that_was_chosen_or_the_default(page, library, engine, cook):
    for field, expected in ({"assistant": cook.id}, "Cook"), ({}, "Strata"):
        url = page.send("/threads", text="Hello", **field).location
        thread = library.thread(url.split("/")[2])
        page.wait(thread.id)
        assert thread.data["assistants"][0]["name"] == expected
    assert engine.requests[0].turns[0].content == "Today: Thursday, 1 January 2026."
    assert engine.requests[0].sampling.top_k == 5
    assert page.send("/threads", text="Hello", assistant="gone").status_code == 404
