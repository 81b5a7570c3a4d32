"""The page of models, with the fragments `models_board` and `model_row`."""

import re
from dataclasses import replace

import pytest

from tests.engines.fake_hub import hub
from tests.engines.openai_servers import ModelServer
from tests.engines.wheelhouse import tiny_gguf
from webapp.errors import NotFound
from webapp.settings import Loaded

__all__ = ["hub"]
SECONDS = 30


@pytest.fixture
def here(settings):
    """A model file of one's own in the models folder."""
    settings.models.mkdir()
    path = settings.models / "mine.gguf"
    path.write_bytes(tiny_gguf())
    return path


def over(services, file):
    lane = services.models.lane
    return lane.wait(file, lambda work: work is None or not work.is_busy, SECONDS)


def row(html, stem):
    return html.split(f'id="model-{stem}"')[1].split("</li>")[0]


def test_the_catalogue_is_shown_with_what_each_takes(page):
    html = page.get("/models").text
    for words in ("qwen2.5-coder-0.5b", "multilingual-e5-small", "Apache-2.0", "of context"):
        assert words in html
    assert len(re.findall(r"<meter", html)) == 4
    assert html.count(">Fetch<") == 5  # four of the catalogue, one of the hub
    assert 'hx-trigger="load' not in html.split('id="models-board"')[1].split("<ul")[0]


def test_a_file_of_the_hub_is_fetched_and_told(page, services, hub):
    hub.files["owner/repo/tiny.gguf"] = tiny_gguf()
    assert page.send("/models/fetch", name=" owner/repo/tiny.gguf ").status_code == 303
    assert over(services, "tiny.gguf").state == "done"
    html = row(page.get("/models/board").text, "tiny")
    assert "its sha256 is right" in html
    assert ">Use<" in html
    assert "no chat template" in html


def test_what_is_no_name_is_refused_and_stays_in_the_field(page):
    response = page.send("/models/fetch", name="<not/a/model>")
    assert response.status_code == 422
    assert 'value="&lt;not/a/model&gt;"' in response.text
    assert page.send("/models/fetch", name="nobody").status_code == 404
    assert page.send("/models/fetch", file="gone.gguf").status_code == 404


def test_what_is_under_way_can_be_paused_and_ended(page, services, hub):
    for act, left in (("pause", "paused"), ("cancel", None)):
        page.send("/models/fetch", name="owner/repo/never.gguf")
        over(services, "never.gguf")
        assert "Try again" in page.get("/models").text
        page.send(f"/models/{act}", file="never.gguf")
        work = services.models.lane.of("never.gguf")
        assert (work.state if work else None) in (left, "failed")
    assert services.models.lane.of("never.gguf") is None


def test_a_part_of_an_earlier_run_is_offered_to_go_on(page, settings):
    settings.models.mkdir()
    (settings.models / "half.gguf.part").write_bytes(b"x" * 5_000_000)
    html = row(page.get("/models").text, "half")
    assert "5 MB fetched, paused" in html
    assert "Resume" in html


def test_a_file_of_this_machine_is_linked_and_a_download_of_its_name_is_not_disturbed(
    page, settings, tmp_path
):
    own = tmp_path / "own.gguf"
    own.write_bytes(tiny_gguf())
    settings.models.mkdir()
    part = settings.models / "own.gguf.part"
    part.write_bytes(b"x")
    refused = page.send("/models/files", path=str(own))
    assert refused.status_code == 409
    assert f'value="{own}"' in refused.text
    part.unlink()
    assert page.send("/models/files", path=str(own)).status_code == 303
    assert (settings.models / "own.gguf").samefile(own)
    assert page.send("/models/files", path="own.gguf").status_code == 422


def test_a_model_is_checked_and_deleted_after_a_question(page, services, here):
    page.send("/models/verify", name="mine")
    assert "looks whole" in over(services, "mine.gguf").told
    assert "looks whole" in page.get("/models").text
    page.send("/models/dismiss", file="mine.gguf")
    assert services.models.lane.works() == []
    html = page.get("/models/removal?name=mine").text
    assert "of disk space" in html
    assert here.exists()
    assert "was+deleted" in page.send("/models/removal", name="mine").location
    assert not here.exists()
    assert page.get("/models/removal?name=mine").status_code == 404


def test_the_model_in_use_is_not_deleted(page, app, services, settings, here):
    used = replace(settings, model="mine", engine="llama_cpp")
    app.extensions["strata"] = replace(services, settings=used)
    assert "in use" in row(page.get("/models").text, "mine")
    assert "Choose another model first" in page.get("/models/removal?name=mine").text
    assert page.send("/models/removal", name="mine").status_code == 409
    assert here.exists()


def test_choosing_a_model_saves_the_setting(page, services, here):
    response = page.send("/models/use", name="mine")
    assert response.status_code == 303
    assert 'model = "mine"' in services.settings_desk.file.path.read_text()
    assert page.send("/models/use", name="qwen2.5-coder-0.5b").status_code == 422


def test_a_choice_that_cannot_be_kept_says_why(page, services, here, monkeypatch):
    def refuse(_):
        raise NotFound("There is no such model.")

    monkeypatch.setattr(services.settings_desk, "save", refuse)
    response = page.send("/models/use", name="mine")
    assert response.status_code == 404
    assert "There is no such model." in response.text


def test_speed_is_measured_and_drawn(page, app, services, settings, here, monkeypatch):
    used = replace(settings, model="mine", engine="llama_cpp")
    app.extensions["strata"] = replace(services, settings=used)
    assert "Measure speed" in page.get("/models").text
    begun = []
    monkeypatch.setattr(
        type(services.models.speeds), "begin", lambda _, engine: begun.append(engine)
    )
    page.send("/models/speed")
    assert begun == [services.engine]
    services.models.speeds._path.parent.mkdir(parents=True, exist_ok=True)
    services.models.speeds._path.write_text('{"mine": {"reading": 80.0, "writing": 20.0, "at": 1}}')
    html = row(page.get("/models").text, "mine")
    assert "80.0 tokens/s" in html
    assert '<rect width="25.0"' in html


def test_a_model_that_is_not_ours_to_load_is_left_alone(page):
    assert page.send("/models/load").status_code == 303
    assert page.send("/models/unload").status_code == 303


def test_a_server_elsewhere_is_tried_and_nothing_is_saved(page, services):
    server = ModelServer()
    try:
        html = page.send("/models/server", base_url=server.url, embedder="vectors").text
    finally:
        server.end()
    assert "small answers." in html
    assert "vectors embeds." in html
    assert not services.settings_desk.file.path.exists()
    bad = page.send("/models/server", base_url="ftp://x")
    assert bad.status_code == 422
    assert 'class="bad"' in bad.text


def test_the_model_chosen_for_the_next_start_is_not_deleted(
    page, services, settings, here, monkeypatch
):
    wanted = replace(settings, model="mine", engine="llama_cpp")
    monkeypatch.setattr(services.settings_desk, "reload", lambda: Loaded(wanted))
    assert "from the next start" in row(page.get("/models").text, "mine")
    assert "chosen for the next start" in page.get("/models/removal?name=mine").text
    assert page.send("/models/removal", name="mine").status_code == 409
    assert here.exists()


@pytest.mark.parametrize(
    ("state", "words"),
    [("ready", ">loaded<"), ("unloaded", ">not loaded<"), ("loading", "loading…")],
)
def test_whether_the_model_in_use_is_loaded_is_told(
    page, app, services, settings, here, monkeypatch, state, words
):
    used = replace(settings, model="mine", engine="llama_cpp")
    app.extensions["strata"] = replace(services, settings=used)
    slot, info = type(services.engine), services.engine.describe()
    monkeypatch.setattr(slot, "can_load", property(lambda _: True))
    monkeypatch.setattr(slot, "describe", lambda _: replace(info, state=state))
    html = page.get("/models/board").text
    assert words in row(html, "mine")
    assert ("hx-get" in html) == (state == "loading")


def test_the_settings_lead_to_the_models(page):
    assert 'href="/models">their own page' in page.get("/settings").text
