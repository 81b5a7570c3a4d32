"""`python -m e2e.pictures`: makes the pictures of the README anew, with the starter model.

What the model says is its own, so they are another each time: look at them before keeping them."""

import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from e2e.browser import find_browser
from e2e.conftest import Server
from e2e.talk import answer_again, answers, ask_and_wait, last_answer
from e2e.test_answer_from_pdf import pdf_of
from webapp.chat.messages import new_message, new_thread
from webapp.threads.jsonl import JsonlThreadStore

FOLDER = Path(__file__).parent / "screenshots"
WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
HOUR = 3_600
OTHERS = (
    "Lentils, four ways",
    "A name for the boat",
    "Regular expressions, slowly",
    "Lisbon in May",
)
LEASE = (
    [
        "Lease of the flat at Harbour Street 4",
        "The rent is 740 euro a month and is due on the third working day.",
        "Heating and water are paid by the tenant, by the meter.",
    ],
    [
        "Notice and deposit",
        "Either side may end the lease with ninety days of notice, in writing.",
        "The deposit is two months of rent, 1,480 euro.",
        "It comes back within sixty days after the keys are handed over.",
    ],
    ["Pets", "One cat may be kept. Dogs need the consent of the landlord."],
)


def main():
    expect.set_options(timeout=120_000)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        data = Path(folder) / "data"
        _threads_of_before(data)
        (Path(folder) / "lease.pdf").write_bytes(pdf_of(LEASE))
        server = Server(data, engine="llama_cpp", variables={"STRATA_FILE_USE": "embeddings"})
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            _take(browser, server.address, Path(folder) / "lease.pdf")
        finally:
            browser.close()
            server.stop()


def _threads_of_before(data):
    now = time.time()
    store = JsonlThreadStore(data, lambda: time.time_ns() // 1_000_000)
    for number, title in enumerate(OTHERS):
        created = now - (number + 1) * 20 * HOUR
        thread = new_thread(id=f"before-{number}", title=title, created=created)
        store.create_thread(thread)
        said = {"id": f"said-{number}", "thread_id": thread.id, "role": "user", "text": title}
        store.create_message(thread.id, new_message(**said, created_at=int(created * 1000)))
    store.close()


def _take(browser, address, file):
    page = browser.new_page(viewport=WIDE, color_scheme="light")
    page.goto(address)
    page.locator("#attach-files").set_input_files(file)
    expect(page.locator(".chip.ready")).to_have_count(1)
    ask_and_wait(
        page, "How much notice does the lease ask for, and when does the deposit come back?"
    )
    answer_again(page)
    expect(last_answer(page).locator(".checking")).to_have_count(0)
    number = last_answer(page).locator("a.cite").first
    expect(number).to_be_visible()
    expect(page.locator("#thread-title")).not_to_contain_text("Untitled")
    number.click()
    expect(page.locator("#passage-panel")).to_be_visible()
    page.wait_for_timeout(500)
    page.screenshot(path=FOLDER / "thread-light.png")
    page.keyboard.press("Escape")
    phone = browser.new_page(viewport=PHONE, color_scheme="dark")
    phone.goto(page.url)
    expect(answers(phone)).to_have_count(1)
    phone.wait_for_timeout(500)
    phone.screenshot(path=FOLDER / "phone-dark.png")
    for question in ("And may I keep a dog?", "Write that as one line for a friend."):
        ask_and_wait(page, question)
    answer_again(page)
    page.goto(page.url.split("?")[0].split("#")[0] + "/map")
    page.wait_for_timeout(500)
    page.screenshot(path=FOLDER / "map-light.png")


if __name__ == "__main__":
    sys.exit(main())
