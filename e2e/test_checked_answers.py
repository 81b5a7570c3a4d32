"""From an attached file to an answer whose sentences lead back to it, as it happens."""

from playwright.sync_api import expect

from e2e.talk import ask_and_wait, body, last_answer

FACT = "Either party may end this contract with ninety days of notice."
SAID = f"{FACT} The moon is made of green cheese. It says “with ninety days of notice” there."


def test_numbers_arrive_after_the_answer_and_stay_after_a_reload(server, open_page, tmp_path):
    page = open_page(server.address, viewport={"width": 390, "height": 844})
    ask_and_wait(page, "hello")
    file = tmp_path / "contract.txt"
    file.write_text(FACT + "\n")
    page.locator("#attach-files").set_input_files(file)
    expect(page.locator(".chip.ready")).to_have_count(1)
    ask_and_wait(page, f"/echo {SAID}")
    answer = last_answer(page)
    number = answer.get_by_role("link", name="Source 1: similar passage in contract.txt").first
    expect(number).to_be_visible()
    expect(answer.get_by_role("img", name="found word for word in contract.txt")).to_be_visible()

    page.reload()
    expect(number).to_be_visible()
    expect(body(answer)).to_contain_text("The moon is made of green cheese.")
    page.goto(server.address + number.get_attribute("href"))
    expect(page.locator("mark")).to_have_text(FACT)
    page.get_by_role("link", name="Back to the answer").click()
    expect(number).to_be_visible()
