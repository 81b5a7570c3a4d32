"""A disk is lost in mid-answer; what was backed up a moment ago comes back on another one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.talk import answer_again, ask, ask_and_wait, body, last_answer

ROOT = Path(__file__).resolve().parent.parent


def strata(*words):
    command = [sys.executable, "-m", "webapp", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_what_was_backed_up_while_an_answer_streams_is_restored_with_all_versions(
    start_server, open_page, tmp_path, kind
):
    first = start_server()
    if kind == "sqlite":
        first.stop()
        strata("migrate", "--to", "sqlite", "--data", first.data)
        first.start()
    page = open_page(first.address, allow=("WebSocket", "ERR_CONNECTION", "Failed to load"))
    ask_and_wait(page, "the harbour at noon")
    answer_again(page)
    ask(page, "/slow /long please")
    for line in (4, 12, 24):
        expect(body(last_answer(page))).to_contain_text(f"Line {line} of")
        strata("backup", tmp_path / "backups", "--data", first.data)
    address = page.url.removeprefix(first.address)
    first.kill()
    page.close()
    shutil.rmtree(first.data)

    strata("restore", tmp_path / "backups", "--data", first.data)
    assert "All is well" in strata("doctor", "--data", first.data)
    assert "All is well" in strata("backup", "verify", tmp_path / "backups")
    again = start_server()
    page = open_page(again.address + address)
    expect(body(last_answer(page))).to_contain_text("Line 5 of")
    expect(last_answer(page)).to_contain_text("Stopped. The text so far is kept.")
    expect(page.locator("article.message.assistant").first.locator(".version")).to_contain_text(
        "2/2"
    )
    ask_and_wait(page, "and at night")
    expect(body(last_answer(page))).to_contain_text("and at night")
    page.goto(again.address + "/settings")
    expect(page.get_by_text("Last backup:")).to_have_count(0)
    strata("backup", tmp_path / "backups", "--data", again.data)
    page.reload()
    expect(page.get_by_text("Last backup:")).to_contain_text(str(tmp_path / "backups"))
