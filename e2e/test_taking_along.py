"""Everything is taken along, and brought in elsewhere: by the buttons of the pages."""

import shutil

from playwright.sync_api import expect

from e2e.conftest import ROOT
from e2e.talk import answer_again, ask_and_wait, last_answer

EXPORTS = ROOT / "tests/data/exports"


def bring(page, address, path, button):
    page.goto(address)
    page.get_by_role("link", name="Import", exact=True).click()
    page.get_by_label("The file").set_input_files(path)
    page.get_by_role("button", name="See what is in it").click()
    expect(page.get_by_role("status").filter(has_text="would come in")).to_be_visible()
    page.get_by_role("button", name=button).click()
    expect(page.get_by_role("status").filter(has_text="came in")).to_be_visible()


def test_a_person_moves_to_another_machine(start_server, open_page, tmp_path):
    page = open_page(start_server(data=tmp_path / "one").address)
    ask_and_wait(page, "/echo The harbour opens at six.")
    answer_again(page)
    page.get_by_role("link", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    download.value.save_as(tmp_path / "all.zip")
    expect(page.get_by_role("status").filter(has_text="1 thread with 3 messages")).to_be_visible()
    other = start_server(data=tmp_path / "other")
    page = open_page(other.address)
    bring(page, other.address, tmp_path / "all.zip", "Import 1 thread")
    page.get_by_role("link", name="See the threads").click()
    page.locator("main").get_by_role("link", name="harbour").first.click()
    expect(last_answer(page)).to_contain_text("The harbour opens at six.")
    expect(page.get_by_text("2/2")).to_be_visible()
    page.goto(f"{other.address}/import")
    page.get_by_label("The file").set_input_files(tmp_path / "all.zip")
    page.get_by_role("button", name="See what is in it").click()
    expect(page.get_by_text("1 is here already.")).to_be_visible()
    expect(page.get_by_role("button", name="Import")).to_have_count(0)


def test_threads_of_chatgpt_come_in_after_a_look(server, open_page):
    page = open_page(server.address)
    bring(page, server.address, EXPORTS / "chatgpt.json", "Import 3 threads")
    page.get_by_role("group").filter(has_text="Which are damaged").locator("summary").click()
    expect(page.get_by_text("Nothing said: There is no message in it.")).to_be_visible()
    page.get_by_role("link", name="See the threads").click()
    page.locator("main").get_by_role("link", name="Harbour hours").click()
    expect(last_answer(page)).to_contain_text("At six in summer, at eight in winter.")


def test_threads_of_jan_come_in_from_its_folder_after_a_look(start_server, open_page, tmp_path):
    shutil.copytree(ROOT / "tests/data/threads", tmp_path / "jan/threads")
    address = start_server(data=tmp_path / "data").address
    page = open_page(address)
    page.goto(f"{address}/import")
    page.get_by_label("Jan’s data folder").fill(str(tmp_path / "jan"))
    page.get_by_role("button", name="See what is there").click()
    expect(page.get_by_role("status").filter(has_text="would come in")).to_be_visible()
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("status").filter(has_text="came in")).to_be_visible()
    page.get_by_role("link", name="See the threads").click()
    page.locator("main").get_by_role("link", name="Harbour walk").click()
    expect(last_answer(page)).to_be_visible()


def test_threads_of_claude_come_in_with_thinking_folded(server, open_page):
    page = open_page(server.address)
    bring(page, server.address, EXPORTS / "claude.json", "Import 2 threads")
    page.get_by_role("link", name="See the threads").click()
    page.locator("main").get_by_role("link", name="Ropes").click()
    expect(last_answer(page)).to_contain_text("Polyester, braided.")
    page.get_by_role("button", name="Previous version").last.click()
    expect(page.get_by_text("Let me look.")).to_be_visible()
    expect(page.get_by_text("Nylon stretches.")).to_be_hidden()
