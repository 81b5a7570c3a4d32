"""Settings from file, environment and options."""

from pathlib import Path

import pytest

from webapp.errors import BadSetting
from webapp.settings import SETTINGS, Settings, checked_value, load, load_all


def in_folder(tmp_path, text):
    (tmp_path / "settings.toml").write_text(text, "utf-8")
    return load({}, {"data": tmp_path})


def test_the_defaults_bind_the_own_machine_only(tmp_path):
    settings, complaints = load({}, {"data": tmp_path})
    assert (settings.host, settings.port, complaints) == ("127.0.0.1", 5100, [])


def test_options_win_over_variables_and_those_over_the_file(tmp_path):
    (tmp_path / "settings.toml").write_text("port = 1001\nthreads = 3\n", "utf-8")
    environ = {"STRATA_PORT": "1002", "STRATA_DATA": str(tmp_path)}
    assert load(environ, {})[0].port == 1002
    assert load(environ, {"port": 1003})[0].port == 1003
    assert load(environ, {})[0].threads == 3


def test_a_wrong_line_in_the_file_keeps_the_default_and_is_told(tmp_path):
    settings, [complaint] = in_folder(tmp_path, 'port = "far away"\nthreads = 2\n')
    assert (settings.port, settings.threads) == (5100, 2)
    assert "port" in complaint
    assert "1 to 65535" in complaint


@pytest.mark.parametrize("text", ["port = = 1", "colour = 'red'"])
def test_a_file_that_cannot_be_used_is_told_and_the_server_can_start(tmp_path, text):
    settings, complaints = in_folder(tmp_path, text)
    assert settings.port == 5100
    assert len(complaints) == 1


def test_a_file_that_is_no_text_is_told(tmp_path):
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe\x00")
    assert len(load({}, {"data": tmp_path})[1]) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("port", 0), ("port", "65536"), ("port", True), ("small", "maybe"), ("model", 3), ("no", 1)],
)
def test_a_wrong_option_is_refused_with_what_would_be_right(name, value):
    with pytest.raises(BadSetting):
        checked_value(name, value)


def test_a_home_sign_in_a_path_is_understood():
    assert checked_value("data", "~/chats") == Path.home() / "chats"


def test_every_setting_has_a_meaning_and_every_number_a_range():
    for setting in SETTINGS:
        assert setting.metadata["meaning"].endswith(".")
        if type(setting.default) is int:
            lowest, highest = setting.metadata["range"]
            assert lowest <= setting.default <= highest
    assert Settings().max_output_tokens == 2048


def test_a_secret_is_read_and_never_shown(tmp_path):
    settings, _ = load({"STRATA_API_KEY": "sk-secret"}, {"data": tmp_path})
    assert settings.api_key == "sk-secret"
    assert "sk-secret" not in repr(settings)
    _, [complaint] = in_folder(tmp_path, "api_key = 123456789\n")
    assert "api_key must be text" in complaint
    assert "123456789" not in complaint


def test_a_word_is_one_of_those_that_are_known(tmp_path):
    assert checked_value("file_use", "inline") == "inline"
    with pytest.raises(BadSetting, match="auto, inline, embeddings, ask"):
        checked_value("file_use", "shred")
    settings, [complaint] = in_folder(tmp_path, "chunk_cut = 3\n")
    assert (settings.chunk_cut, "structure, plain" in complaint) == ("structure", True)


@pytest.mark.parametrize("value", [-0.1, 1.1, "high", True, "nan", "inf"])
def test_a_score_is_a_number_from_0_to_1(value):
    assert checked_value("retrieval_threshold", "0.5") == 0.5
    assert checked_value("retrieval_threshold", 0) == 0.0
    with pytest.raises(BadSetting, match="0 to 1"):
        checked_value("retrieval_threshold", value)


def test_numbers_without_end_are_refused(tmp_path):
    settings, [complaint] = in_folder(tmp_path, "port = inf\n")
    assert settings.port == 5100
    assert "1 to 65535" in complaint


def test_older_names_of_settings_still_hold_unless_the_new_one_is_there(tmp_path):
    settings, complaints = in_folder(
        tmp_path, "chunk_size_tokens = 300\noverlap_tokens = 0\noverlap_chars = 10\n"
    )
    assert (settings.chunk_size_chars, settings.overlap_chars, complaints) == (300, 10, [])


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("true", "when_full"),
        ('"true"', "when_full"),
        ("false", "off"),
        ('"False"', "off"),
        ('"at_60"', "at_60"),
        ('"at60"', "when_full"),
    ],
)
def test_when_notes_are_made_can_be_said_as_other_programs_say_it(tmp_path, line, meant):
    settings, told = in_folder(tmp_path, f"auto_compact = {line}\n")
    assert settings.auto_compact == meant
    assert bool(told) == (line == '"at60"')


def test_one_wrong_line_does_not_take_the_others_with_it(tmp_path):
    text = "port = = 1\nthreads = 3\napi_key = sk-secret\n[x\nsmall = true\n"
    settings, complaints = in_folder(tmp_path, text)
    assert (settings.port, settings.threads, settings.small) == (5100, 3, True)
    assert [word for each in complaints for word in each.split() if word.isdigit()] == list("134")
    assert "sk-secret" not in " ".join(complaints)


def test_a_setting_that_stands_twice_is_told_and_the_last_holds(tmp_path):
    settings, [complaint] = in_folder(tmp_path, "threads = 3\nthreads = 4\n")
    assert settings.threads == 4
    assert "error" in complaint


@pytest.mark.parametrize(
    "text", ["port = " + "[" * 9000, "port = " + "9" * 9000, "\ufeffthreads = 3", "port = 5100.5"]
)
def test_an_odd_file_does_not_keep_the_server_from_starting(tmp_path, text):
    settings, complaints = in_folder(tmp_path, text)
    assert settings.port == 5100
    assert (settings.threads, len(complaints)) in ((3, 0), (0, 1))


def test_where_a_value_comes_from_is_known(tmp_path):
    (tmp_path / "settings.toml").write_text("port = 1001\nthreads = 3\ndata = 'x'\n", "utf-8")
    loaded = load_all({"STRATA_PORT": "1002"}, {"data": tmp_path, "max_file_mb": None})
    assert loaded.in_file == {"port", "threads"}
    assert loaded.fixed == {"port": "the variable STRATA_PORT", "data": "the option --data"}
    assert "cannot be set here" in loaded.complaints[0]
