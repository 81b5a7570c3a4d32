"""Pin and mute at the level of the page, with htmx and without a script."""

import re

import pytest


@pytest.fixture
def thread(crowded):
    return crowded()


def first_state(page, thread):
    return page.generation.window.outlook(thread.id).states[thread.path()[0].id]


def test_a_pinned_message_is_sent_and_says_so_and_undo_takes_it_back(page, thread):
    first = thread.path()[0]
    assert first_state(page, thread) == "left_out"
    html = page.htmx(f"{thread.at(first)}/pin", on="yes").text
    assert "Pinned: this message is always sent." in html
    assert 'id="conversation"' in html
    assert first_state(page, thread) == "pinned"
    html = page.htmx(f"/threads/{thread.id}/undo", message=first.id).text
    assert "Undone: pinned a message." in html
    assert first_state(page, thread) == "left_out"


def test_a_muted_message_is_never_sent_and_can_be_unmuted(page, thread):
    newest = thread.path()[-2]
    html = page.htmx(f"{thread.at(newest)}/mute", on="yes").text
    assert 'class="state muted"' in html
    assert "data-muted" in html
    page.ask(thread.id, "And now?")
    sent = page.generation.window.outlook(thread.id).parts
    assert newest.text not in "\n".join(content for _, content in sent)
    html = page.htmx(f"{thread.at(newest)}/mute", on="no").text
    assert "No longer muted." in html
    assert 'class="state muted"' not in html


def test_a_pin_takes_the_place_of_a_mute(page, thread):
    first = thread.path()[0]
    page.htmx(f"{thread.at(first)}/mute", on="yes")
    page.htmx(f"{thread.at(first)}/pin", on="yes")
    page.htmx(f"{thread.at(first)}/pin", on="no")
    assert first_state(page, thread) == "left_out"


@pytest.mark.parametrize("act", ["pin", "mute"])
def test_the_acts_of_a_message_offer_it_and_its_opposite(page, thread, act):
    """The fragment `marks`."""
    first = thread.path()[0]
    form = page.get(f"{thread.at(first)}/acts/form").text
    assert f'action="{thread.at(first)}/{act}"' in form
    assert f">{act.title()}</button>" in form
    page.htmx(f"{thread.at(first)}/{act}", on="yes")
    assert f">Un{act}</button>" in page.get(f"{thread.at(first)}/acts/form").text


@pytest.mark.parametrize("act", ["pin", "mute"])
def test_it_works_without_a_script(page, thread, act):
    response = page.send(f"{thread.at(thread.path()[-1])}/{act}", on="yes")
    assert response.status_code == 303
    assert "ed a message." in page.get(response.location).text


@pytest.fixture
def heavy(page, thread):
    """A thread whose last question but one takes much of the window."""
    page.ask(thread.id, f"A very long one {'word ' * 220}")
    page.ask(thread.id, "A short one")
    return thread, thread.path()[-4]


def test_earlier_messages_that_come_back_for_a_mute_are_told(page, heavy):
    thread, long = heavy
    html = page.htmx(f"{thread.at(long)}/mute", on="yes").text
    assert re.search(r"not sent any more\. \d earlier messages are sent again", html)
    html = page.htmx(f"{thread.at(long)}/mute", on="no").text
    assert re.search(r"No longer muted\. \d other messages are not sent any more", html)


def test_they_are_told_without_a_script_too(page, heavy):
    thread, long = heavy
    response = page.send(f"{thread.at(long)}/mute", on="yes")
    assert "&back=" in response.location
    html = page.get(response.location).text
    assert re.search(r"Muted a message\. \d earlier messages are sent again", html)


def test_a_message_that_is_gone_is_told(page, thread):
    assert page.htmx(f"/threads/{thread.id}/messages/gone/pin", on="yes").status_code == 404
    assert page.htmx("/threads/nobody/messages/gone/mute", on="yes").status_code == 404
