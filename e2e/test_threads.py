"""The list of threads: rename, delete, undo, trash; and a page without script."""

from playwright.sync_api import expect

from e2e.talk import ask, ask_and_wait, body, last_answer, press_without_script


def test_a_thread_is_renamed_deleted_and_brought_back(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "old name")
    page.get_by_label("This thread").click()
    page.get_by_label("Title").fill("New name")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name="New name")).to_be_visible()
    expect(page.get_by_role("link", name="New name")).to_be_visible()
    page.reload()
    page.get_by_label("This thread").click()
    page.get_by_role("button", name="Move to the trash").click()
    expect(page.get_by_text("is in the trash")).to_be_visible()
    expect(page.get_by_role("link", name="New name")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="New name")).to_be_visible()
    expect(body(last_answer(page))).to_contain_text("old name")


def test_a_title_comes_by_itself_after_the_first_answer_in_head_list_and_window(server, open_page):
    page = open_page(server.address)
    ask(page, "/title /slow Why are there two tides a day?")
    expect(page.get_by_role("heading", name="/title /slow Why")).to_be_visible()
    expect(page.get_by_role("heading", name="A scripted title")).to_be_visible()
    expect(page.get_by_role("link", name="A scripted title")).to_be_visible()
    expect(page).to_have_title("A scripted title – Strata")
    page.reload()
    expect(page.get_by_role("heading", name="A scripted title")).to_be_visible()


def test_a_thread_that_began_with_a_file_gets_its_title_too(start_server, open_page):
    page = open_page(start_server().address)
    file = {"name": "lease.txt", "mimeType": "text/plain", "buffer": b"Notice: ninety days."}
    page.locator("#attach-files").set_input_files(file)
    expect(page.locator(".chip.ready")).to_have_count(1)
    expect(page.get_by_role("heading", name="Untitled")).to_be_visible()
    ask_and_wait(page, "/title What is the notice?")
    expect(page.get_by_role("heading", name="A scripted title")).to_be_visible()
    expect(page.get_by_role("link", name="A scripted title")).to_be_visible()


def test_an_unknown_thread_gets_a_page_that_leads_home(server, open_page):
    page = open_page(f"{server.address}/threads/nobody", allow=("404",))
    expect(page.get_by_text("There is no")).to_be_visible()
    page.get_by_role("link", name="Go to the start page").click()
    expect(page.get_by_label("Your message")).to_be_visible()


def test_without_script_questions_versions_and_stop_work(server, open_page):
    page = open_page(server.address, java_script_enabled=False)
    page.get_by_label("Your message").fill("no script here")
    press_without_script(page, page.get_by_role("button", name="Send"))
    page.reload()
    expect(body(last_answer(page))).to_contain_text("no script here")
    press_without_script(page, last_answer(page).get_by_role("button", name="Answer again"))
    page.reload()
    expect(last_answer(page).locator(".version")).to_have_text("2/2")
    press_without_script(page, page.get_by_role("button", name="Previous version"))
    expect(last_answer(page).locator(".version")).to_have_text("1/2")
    page.get_by_label("Your message").fill("/hold on")
    press_without_script(page, page.get_by_role("button", name="Send"))
    press_without_script(page, page.get_by_role("button", name="Stop the answer"))
    page.reload()
    expect(last_answer(page)).to_contain_text("Stopped.")
