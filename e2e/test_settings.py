"""Find a setting, change it, be told what is wrong, put it back: by keyboard, on every screen."""

import re

import pytest
from playwright.sync_api import expect

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def own(start_server, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "settings.toml").write_text("# Mine.\nport = 5199 # not the usual\n", "utf-8")
    return start_server(data=data)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_setting_is_found_changed_refused_and_put_back_by_keyboard(own, open_page, screen):
    page = open_page(own.address + "/settings", viewport=SCREENS[screen], allow=("422",))
    page.get_by_role("searchbox", name="Search the settings").focus()
    page.keyboard.type("largest file attached")
    page.keyboard.press("Enter")
    field = page.get_by_role("textbox", name="Largest file")
    expect(page.locator(".setting")).to_have_count(1)

    field.focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("999")
    page.keyboard.press("Enter")
    expect(page.locator(".setting-problem")).to_contain_text("from 1 to 200")
    expect(field).to_have_value("999")

    field.focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Saved: Largest file")
    text = (own.data / "settings.toml").read_text("utf-8")
    assert text == "# Mine.\nport = 5199 # not the usual\nmax_file_mb = 5\n"

    field.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Reset Largest file")).to_be_focused()
    page.keyboard.press("Enter")
    expect(field).to_have_value("20")
    assert page.evaluate(OVERFLOW) == 0


def test_what_the_command_line_set_cannot_be_typed_over(own, open_page):
    page = open_page(own.address + "/settings?q=port")
    expect(page.get_by_label(re.compile("^Port"))).to_be_disabled()
    expect(page.locator("#setting-port-says")).to_contain_text("the option --port")


@pytest.mark.parametrize("screen", SCREENS)
def test_each_group_is_one_press_away_and_save_stays_in_sight(own, open_page, screen):
    page = open_page(own.address + "/settings", viewport=SCREENS[screen])
    save = page.get_by_role("button", name="Save", exact=True)
    for name in ("This server", "Files", "Model"):
        page.get_by_role("navigation", name="Groups of settings").get_by_role(
            "link", name=name, exact=True
        ).click()
        heading = page.get_by_role("heading", name=name, exact=True)
        expect(heading).to_be_in_viewport(ratio=1)
        bar = page.locator(".settings-save").bounding_box()
        assert heading.bounding_box()["y"] >= bar["y"] + bar["height"]
        expect(save).to_be_in_viewport(ratio=1)
