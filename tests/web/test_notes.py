"""Notes in place of earlier messages: read, edited, put back, removed, asked for."""

from dataclasses import replace

import pytest

from webapp.chat.summary import Line, failed_at, kept_failure, kept_summary, summary_at


@pytest.fixture
def noted(crowded):
    """A thread with notes, and the address of the message where they end."""
    thread = crowded("when_full")
    node = thread.wait_for_notes()
    return thread, thread.at(node), lambda: thread.library.message(thread.id, node.id)


def system_part(page, thread):
    page.ask(thread.id, "What do you know?")
    sent = page.get(f"{thread.at(thread.path()[-1])}/sent.json").json["messages"]
    return next(part["content"] for part in sent if part["role"] == "system")


def test_each_line_leads_to_the_messages_it_comes_from(page, noted):
    """The fragment `message_notes`."""
    thread, at, message = noted
    html = page.get(f"{at}/notes/card").text
    assert html.startswith('<div id="message-')
    for line in summary_at(message()).lines:
        assert line.text in html
        assert f'href="/threads/{thread.id}?at={line.message_ids[0]}#message-' in html


def test_the_next_request_carries_the_edit(page, noted):
    thread, at, message = noted
    first = summary_at(message()).lines[0].text
    html = page.htmx(f"{at}/notes", text=f"- {first}\nThe cat is <grey>.\n").text
    assert "Edited the notes." in html
    assert "The cat is &lt;grey&gt;." in html
    assert "edited by hand" in html
    assert summary_at(message()).lines[0].message_ids
    assert "- The cat is <grey>." in system_part(page, thread)


def test_an_edit_can_be_undone_and_the_models_words_put_back(page, noted):
    thread, at, message = noted
    before = summary_at(message())
    page.htmx(f"{at}/notes", text="Mine")
    page.htmx(f"/threads/{thread.id}/undo", message=message().id)
    assert summary_at(message()) == before
    page.htmx(f"{at}/notes", text="Mine")
    assert "As the model wrote them" in page.get(f"{at}/notes/card").text
    page.htmx(f"{at}/notes/original")
    assert summary_at(message()).lines == before.lines
    assert "As the model wrote them" not in page.get(f"{at}/notes/card").text


def test_removed_notes_do_not_come_back_by_themselves(page, noted):
    thread, at, message = noted
    assert "The notes were removed." in page.htmx(f"{at}/notes/removal").text
    assert summary_at(message()) is None
    assert failed_at(message())
    assert "You removed the notes" in page.get(f"/threads/{thread.id}").text
    page.htmx(f"/threads/{thread.id}/undo", message=message().id)
    assert summary_at(message()) is not None


def test_notes_that_grew_while_somebody_edited_them_carry_the_edit(page, noted):
    thread, at, message = noted
    read = summary_at(message())
    later = Line("They ask on.", (thread.path()[-1].id,))
    grown = replace(read, lines=(*read.lines, later))
    newest = thread.path()[-1]
    thread.library.marks.keep(thread.id, newest.id, kept_summary(grown))
    html = page.htmx(f"{at}/notes", text="- The cat is grey.").text
    assert "Edited the notes." in html
    found = summary_at(thread.library.message(thread.id, newest.id))
    assert [line.text for line in found.lines] == ["The cat is grey.", "They ask on."]
    assert found.original == grown.lines
    assert "The cat is grey." in system_part(page, thread)


@pytest.mark.parametrize("nothing", ["", " \n ", "\0"])
def test_empty_notes_are_refused_in_words(page, noted, nothing):
    _, at, message = noted
    before = summary_at(message())
    assert page.htmx(f"{at}/notes", text=nothing).status_code == 422
    assert summary_at(message()) == before


def test_bullets_without_words_are_no_notes(page, noted):
    refused = page.htmx(f"{noted[1]}/notes", text="-\n- \n")
    assert refused.status_code == 422
    assert "Notes need at least one line." in refused.text


def test_the_form_holds_the_notes_and_has_a_page_of_its_own(page, noted):
    """The fragment `tree_notes`."""
    _, at, message = noted
    form, whole = page.get(f"{at}/notes/form").text, page.get(f"{at}/notes").text
    for html in (form, whole):
        assert f"\n- {summary_at(message()).lines[0].text}" in html
    assert form.startswith("<div id=")
    assert "<html" in whole
    assert page.send(f"{at}/notes", text="Mine").status_code == 303


@pytest.mark.parametrize("what", ["/form", "", "/removal", "/original"])
def test_notes_that_are_gone_are_told(page, crowded, what):
    thread = crowded()
    at = f"{thread.at(thread.path()[0])}/notes{what}"
    ask = page.get if what == "/form" else page.htmx
    assert ask(at, **({} if what == "/form" else {"text": "x"})).status_code == 404


def test_notes_are_written_when_a_person_asks_whatever_the_settings_say(page, crowded):
    thread = crowded("off")
    html = page.htmx(f"/threads/{thread.id}/notes", after=thread.path()[-1].id).text
    assert "Notes are being written" in html
    assert summary_at(thread.wait_for_notes()).lines


def test_without_anything_left_out_there_is_nothing_to_note(page):
    thread_id = page.begin()
    refused = page.htmx(f"/threads/{thread_id}/notes")
    assert refused.status_code == 409
    assert "everything that can be sent is sent" in refused.text


def test_after_a_failure_it_can_be_tried_again(page, crowded):
    thread = crowded("off")
    first_sent = page.generation.window.due(thread.id).node_id
    node = thread.library.message(thread.id, first_sent)
    thread.library.marks.keep(thread.id, node.id, kept_failure("No.", 1, ""))
    assert page.generation.window.due(thread.id) is None
    assert page.send(f"{thread.at(node)}/notes/again").status_code == 303
    thread.wait_for_notes()
    assert not failed_at(thread.library.message(thread.id, node.id))
