"""A disk that runs full, for real: the server may not write one more byte to any file."""

import resource

import pytest
from playwright.sync_api import expect

from e2e.talk import answers, ask, ask_and_wait, body, last_answer, wait_for_end


@pytest.fixture
def server(start_server):
    """Of its own: it is to run out of room."""
    return start_server()


@pytest.fixture
def disk(server):
    """Full or with room; a limit of the operating system on the running server."""

    class Disk:
        def fill(self):
            self._limit(0)

        def make_room(self):
            self._limit(resource.RLIM_INFINITY)

        def _limit(self, size):
            limits = (size, resource.RLIM_INFINITY)
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)

    return Disk()


def test_a_full_disk_is_said_at_once_the_text_stays_and_sending_works_again_with_room(
    server, open_page, disk
):
    page = open_page(server.address, allow=("507",))
    ask_and_wait(page, "before")
    disk.fill()
    ask(page, "do not lose me")
    expect(page.locator("#notices")).not_to_be_empty()
    expect(page.get_by_label("Your message")).to_have_value("do not lose me")
    expect(answers(page)).to_have_count(1)
    page.reload()
    expect(answers(page)).to_have_count(1)
    disk.make_room()
    expect(page.get_by_label("Your message")).to_have_value("do not lose me")
    page.get_by_label("Your message").press("Enter")
    expect(answers(page)).to_have_count(2)
    wait_for_end(page)


def test_an_answer_that_cannot_be_saved_says_so_and_is_saved_when_there_is_room(
    server, open_page, disk
):
    page = open_page(server.address, allow=("507",))
    ask(page, "/hold these words")
    expect(body(last_answer(page))).to_contain_text("these words")
    disk.fill()
    page.keyboard.press("Escape")
    expect(page.get_by_role("status").filter(has_text="Not saved yet")).to_have_count(1)
    expect(body(last_answer(page))).to_contain_text("these words")
    disk.make_room()
    wait_for_end(page)
    expect(last_answer(page)).to_contain_text("Stopped.")
    server.restart()
    page.reload()
    expect(body(last_answer(page))).to_contain_text("these words")
    expect(last_answer(page)).to_contain_text("Stopped.")
