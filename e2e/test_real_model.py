"""A real conversation with the small starter model, and what happens when its process dies."""

import os
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.talk import answers, ask, body, last_answer, version

pytestmark = pytest.mark.model
PATIENCE = 120_000
# What even the smallest model goes on with, so that there is time to break it. Asked to count, it
# was done after four words in one of ten answers.
STORY = "Write a long story about a lighthouse keeper and a storm. Use at least twenty paragraphs."
# How often a model that guesses may guess: it knows the name in more than half of its answers.
TRIES = 12
TEN_WORDS = re.compile(r"\w+(\W+\w+){9}")


@pytest.fixture
def real(start_server):
    """Answers are bounded: so small a model may ramble on for minutes."""
    bounds = ("--context-tokens", "2048", "--max-output-tokens", "250")
    return start_server("--small", *bounds, engine="llama_cpp")


def children_of(pid):
    """Process ids, by what the system says of each process's parent."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        if re.search(rf"^PPid:\s+{pid}$", text, re.MULTILINE):
            found.append(int(status.parent.name))
    return found


def ask_and_wait(page, text):
    count = answers(page).count()
    ask(page, text)
    expect(answers(page)).to_have_count(count + 1)
    expect(last_answer(page).locator(".foot").get_by_label("Details")).to_be_visible(
        timeout=PATIENCE
    )


def answer_again(page):
    """A busy machine may take its time over a word."""
    before = last_answer(page).get_attribute("id")
    last_answer(page).get_by_role("button", name="Answer again").click()
    expect(page.locator(f"#{before}")).to_have_count(0)
    expect(page.locator("article.message.live")).to_have_count(0, timeout=PATIENCE)
    expect(last_answer(page).locator(".foot").get_by_label("Details")).to_be_visible()


def words(page):
    return re.findall(r"\w+", body(last_answer(page)).inner_text())


def test_a_question_gets_a_streamed_answer_that_is_remembered_and_can_be_answered_again(
    real, open_page
):
    page = open_page(real.address)
    ask_and_wait(page, "My dog is called Zebedee. Answer with one short sentence.")
    first = body(last_answer(page)).inner_text()
    assert first.strip()
    ask_and_wait(page, "What is my dog called?")
    facts = last_answer(page).locator(".facts")
    expect(facts).to_contain_text("qwen2.5-coder-0.5b")
    # The first turn was not read again.
    assert re.search(r"reused [1-9]\d* of \d+ tokens", facts.text_content())
    for number in range(2, TRIES + 1):
        # So small a model is not right each time; one that was not sent the name never is.
        if "Zebedee" in body(last_answer(page)).inner_text():
            break
        answer_again(page)
        expect(version(page)).to_have_text(f"{number}/{number}", timeout=PATIENCE)
    expect(body(last_answer(page))).to_contain_text("Zebedee")
    shown = version(page).inner_text() if version(page).count() else "1/1"
    count = int(shown.partition("/")[0]) + 1
    answer_again(page)
    expect(version(page)).to_have_text(f"{count}/{count}")


def test_a_killed_model_process_is_told_its_words_are_kept_and_the_next_question_works(
    real, open_page
):
    page = open_page(real.address)
    ask(page, STORY)
    expect(body(last_answer(page))).to_contain_text(TEN_WORDS, timeout=PATIENCE)
    shown = words(page)
    for pid in children_of(real.process.pid):
        os.kill(pid, signal.SIGKILL)
    expect(last_answer(page)).to_contain_text("ended unexpectedly")
    assert words(page)[: len(shown) - 1] == shown[:-1]  # the last may have been half a word
    ask_and_wait(page, "Say hello.")
    notice = last_answer(page).locator(".notice.error")
    assert not notice.count(), last_answer(page).inner_text()


def test_stopping_in_mid_answer_takes_a_blink(real, open_page):
    page = open_page(real.address)
    ask(page, STORY)
    expect(body(last_answer(page))).to_contain_text(re.compile(r"\w+"), timeout=PATIENCE)
    page.keyboard.press("Escape")
    expect(last_answer(page)).to_contain_text("Stopped.", timeout=5_000)
