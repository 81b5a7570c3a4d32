from dataclasses import replace

from webapp.settings import SETTINGS, Loaded, Settings
from webapp.web.settings_shown import (
    GROUPS,
    LIVE,
    effect_of,
    fields,
    grouped,
    label_of,
    typed_again,
    words_of,
)

NAMES = {setting.name for setting in SETTINGS}


def test_every_setting_is_shown_once_and_no_group_names_another():
    shown = [field.name for field in fields(Loaded(Settings()), Settings())]
    assert sorted(shown) == sorted(NAMES)
    assert {name for _, names in GROUPS for name in names.split()} <= NAMES
    assert LIVE <= NAMES


def test_when_a_change_holds_is_said_for_each():
    assert effect_of("file_use") == "at once"
    assert effect_of("chunk_cut") == "for files attached from now on"
    assert "loaded again" in effect_of("model")
    assert effect_of("host") == "after Strata is restarted"


def test_words_are_what_would_be_typed():
    assert [words_of(each) for each in (True, False, 5, 0.3, "a")] == ["on", "off", "5", "0.3", "a"]
    assert label_of("retrieval_limit") == "Passages found"
    assert label_of("new_setting") == "New setting"


def test_what_waits_says_what_holds_until_then_but_no_key():
    wanted = replace(Settings(), port=1, api_key="new")
    of = {field.name: field for field in fields(Loaded(wanted), Settings())}
    assert (of["port"].value, of["port"].waits) == ("1", "5100")
    assert (of["api_key"].value, of["api_key"].waits) == ("set", "another key")


def test_what_was_typed_stays_and_a_key_does_not():
    shown = fields(Loaded(Settings()), Settings())
    again = typed_again(shown, {"port": "x", "api_key": "sk"}, {"port": "No."})
    of = {field.name: field for field in again}
    assert (of["port"].value, of["port"].problem, of["api_key"].value) == ("x", "No.", "")
    assert list(grouped(again)) == [name for name, _ in GROUPS]
