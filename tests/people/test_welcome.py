import pytest

from webapp.people.welcome import FILE, Welcome


def test_it_is_over_for_who_ended_it_and_stays_so(tmp_path):
    welcome = Welcome(tmp_path)
    assert not welcome.is_over("")
    welcome.end("")
    welcome.end("")
    assert welcome.is_over("")
    assert not welcome.is_over("ada")
    Welcome(tmp_path).end("ada")
    assert Welcome(tmp_path).is_over("")
    assert Welcome(tmp_path).is_over("ada")


@pytest.mark.parametrize("text", ['{"people": 3}', '{"people": [1, null]}', "{}"])
def test_what_others_wrote_into_the_file_ends_nothing(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    assert not Welcome(tmp_path).is_over("")


def test_a_damaged_file_is_left_alone(tmp_path, caplog):
    (tmp_path / FILE).write_text("not json")
    assert Welcome(tmp_path).is_over("")
    Welcome(tmp_path).end("ada")
    assert (tmp_path / FILE).read_text() == "not json"
    assert "was not kept" in caplog.text
