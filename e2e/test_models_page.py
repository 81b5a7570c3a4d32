"""Models by keyboard alone: fetched from a hub of this test, paused, killed, checked, deleted."""

import threading

import pytest
from playwright.sync_api import expect

from tests.engines.fake_hub import FakeHub
from tests.engines.wheelhouse import tiny_gguf

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
DATA = tiny_gguf(tensors=1000)


@pytest.fixture
def hub():
    hub = FakeHub()
    hub.files["owner/repo/tiny.gguf"] = DATA
    yield hub
    hub.close()


@pytest.fixture
def server(hub, start_server, tmp_path):
    variables = {"HF_ENDPOINT": hub.url, "STRATA_MODELS": str(tmp_path / "models")}
    return start_server(variables={**variables, "HF_HUB_OFFLINE": "0"})


def press(page, name):
    page.get_by_role("button", name=name).focus()
    page.keyboard.press("Enter")


@pytest.mark.parametrize("screen", SCREENS)
def test_a_model_comes_and_goes(hub, server, open_page, tmp_path, screen):
    hub.break_after, hub.hold = len(DATA) // 2, threading.Event()
    page = open_page(f"{server.address}/models", viewport=SCREENS[screen])
    page.get_by_label("From the model hub").focus()
    page.keyboard.type("owner/repo/tiny.gguf")
    page.keyboard.press("Enter")
    row = page.locator("#model-tiny")
    expect(row.get_by_role("progressbar")).to_be_visible()
    expect(row.get_by_text("Downloading")).to_be_visible()
    page.wait_for_load_state()
    server.restart()
    hub.hold.set()
    page.reload()
    expect(row.get_by_text("fetched, paused")).to_be_visible()
    press(page, "Resume tiny")
    expect(row.get_by_text("its sha256 is right")).to_be_visible()
    assert (tmp_path / "models" / "tiny.gguf").read_bytes() == DATA
    press(page, "Check Tiny")
    expect(row.get_by_text("Checked: its sha256 is right.")).to_be_visible()
    overflow = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    page.get_by_role("link", name="Delete Tiny").focus()
    page.keyboard.press("Enter")
    press(page, "Delete it")
    expect(page.get_by_text("was deleted.")).to_be_visible()
    expect(row).to_have_count(0)
    assert not (tmp_path / "models" / "tiny.gguf").exists()


def test_what_is_refused_says_why_and_stays_in_its_field(server, open_page):
    page = open_page(f"{server.address}/models", allow=("404", "422"))
    page.get_by_label("From this machine").fill("/nowhere/at-all.gguf")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("There is no file")
    expect(page.get_by_label("From this machine")).to_have_value("/nowhere/at-all.gguf")
    page.get_by_label("Address").fill("http://127.0.0.1:9/v1")
    press(page, "Test")
    expect(page.get_by_text("Nothing listens at")).to_be_visible()
