"""The settings page, over a real data directory and a real settings.toml."""

import re
from html import unescape

import pytest

from webapp.app import create_app, usable
from webapp.backups import note
from webapp.settings import SETTINGS, load_all


class Page:
    """A browser without a script, before an app whose settings come from `environ` and a file."""

    def __init__(self, tmp_path, environ):
        self.file = tmp_path / "data" / "settings.toml"
        self.file.parent.mkdir()
        self.options = {"data": tmp_path / "data", "models": tmp_path / "m", "engine": "scripted"}
        self.environ = environ
        self.app = create_app(self.reload().settings, reload=self.reload)
        self.client = self.app.test_client()

    def reload(self):
        return usable(load_all(self.environ, self.options))

    @property
    def services(self):
        return self.app.extensions["strata"]

    def get(self, query=""):
        return unescape(self.client.get(f"/settings{query}").text)

    def save(self, **fields):
        return self.client.post("/settings", data=fields)

    def saved(self, **fields):
        """The page that follows."""
        response = self.save(**fields)
        assert response.status_code == 303, unescape(response.text)
        return self.get(response.location.removeprefix("/settings"))

    def close(self):
        self.services.generation.close()
        self.services.documents.close()
        self.services.engine.close()
        self.services.library.close()


@pytest.fixture
def open_settings(tmp_path):
    pages = []

    def make(**environ):
        pages.append(Page(tmp_path, environ))
        return pages[-1]

    yield make
    for page in pages:
        page.close()


@pytest.fixture
def settings_page(open_settings):
    return open_settings()


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_has_a_field_with_its_meaning_default_and_range(settings_page, setting):
    html = settings_page.get()
    row = html.split(f'id="setting-{setting.name}-row"')[1].split('class="setting')[0]
    assert f'name="{setting.name}"' in html
    assert setting.metadata["meaning"] in html
    assert f"<code>{setting.name}</code>" in row or f"<code>{setting.name}</code>" in html
    if type(setting.default) in (int, float):
        lowest, highest = setting.metadata["range"]
        assert f"{lowest:,} to {highest:,}" in html


def test_a_change_is_written_and_holds_at_once(settings_page):
    settings_page.file.write_text("# Mine.\nmax_file_mb = 10 # small\n", "utf-8")
    html = settings_page.saved(max_file_mb="5", retrieval_limit="7", max_output_tokens="1,000")
    assert "Saved: Largest file. It applies at once." in html
    text = settings_page.file.read_text("utf-8")
    assert text.startswith("# Mine.\nmax_file_mb = 5 # small\n")
    services = settings_page.services
    assert services.settings.max_file_mb == 5
    assert services.documents.search_settings.limit == 7
    thread = services.library.create("T")
    assert services.generation.window.settings(thread)["max_output_tokens"] == 1000


def test_what_belongs_to_the_model_holds_with_the_next_answer(settings_page):
    assert "with the next answer" in settings_page.saved(context_tokens="700")
    assert settings_page.services.engine.describe().context_tokens == 700


def test_what_needs_a_new_start_says_so_and_what_holds_until_then(settings_page):
    html = settings_page.saved(port="5200")
    assert "after Strata is restarted" in html
    assert "Waiting for the next start of Strata: Port." in html
    assert "Until then: 5100." in html
    assert settings_page.services.settings.port == 5100


def test_what_is_out_of_range_is_refused_with_the_range_and_kept_as_typed(settings_page):
    response = settings_page.save(port="99999", threads="many", retrieval_limit="7")
    html = unescape(response.text)
    assert response.status_code == 422
    assert "from 1 to 65535" in html
    assert 'value="99999"' in html
    assert 'value="many"' in html
    assert 'value="7"' in html
    assert not settings_page.file.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"engine": "magic"},
        {"engine": "openai_http"},
        {"retrieval_threshold": "nan"},
        {"models": ""},
        {"model": "a\0b"},
        {"model": "x" * 5000},
        {"small": "perhaps"},
        {"port": ""},
        {"data": "/elsewhere"},
        {"reset": "nothing"},
        {"reset": "engine"},
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(settings_page, fields):
    response = settings_page.save(**fields)
    assert response.status_code == 422
    assert 'role="alert"' in response.text or "setting-problem" in response.text
    assert not settings_page.file.exists()


def test_a_default_comes_back_and_other_fields_are_left_alone(settings_page):
    settings_page.saved(threads="3")
    assert 'aria-label="Reset Processor threads"' in settings_page.get()
    settings_page.saved(reset="threads", retrieval_limit="9")
    assert settings_page.file.read_text("utf-8") == ""
    assert settings_page.services.settings.threads == 0


def test_nothing_new_is_nothing_saved(settings_page):
    assert "Nothing was changed." in settings_page.saved(threads="0", api_key="")
    assert not settings_page.file.exists()


def test_a_secret_is_never_shown_and_can_be_replaced_and_cleared(settings_page):
    assert "not set" in settings_page.get("?q=key")
    html = settings_page.saved(api_key="sk-secret")
    assert "sk-secret" not in html
    assert "set; type another to replace it" in html
    assert "sk-other" not in unescape(settings_page.save(api_key="sk-other", port="x").text)
    settings_page.saved(reset="api_key")
    assert settings_page.services.settings.api_key == ""


def test_what_comes_from_outside_is_said_and_not_editable(open_settings):
    page = open_settings(STRATA_THREADS="2")
    html = page.get("?q=threads")
    assert "Set by the variable STRATA_THREADS: change it there." in html
    assert re.search(r'name="threads" value="2"[^>]* disabled', html)
    refused = page.save(threads="4")
    assert refused.status_code == 422
    assert "STRATA_THREADS" in refused.text


def test_the_search_finds_by_name_meaning_and_group(settings_page):
    for query, found, other in (
        ("port", "port", "threads"),
        ("FREES its memory", "unload_after_minutes", "port"),
        ("citations score", "retrieval_threshold", "max_file_mb"),
    ):
        html = settings_page.get(f"?q={query}")
        assert f'name="{found}"' in html
        assert f'name="{other}"' not in html
    assert "No setting matches these words." in settings_page.get("?q=colour")


def test_a_mistake_in_the_file_is_told_and_mended_by_saving(settings_page):
    settings_page.file.write_text("threads = = 2\nport = 99999\n", "utf-8")
    html = settings_page.get()
    assert "Line 1 is not" in html
    assert "port cannot be 99999" in html
    html = settings_page.saved(threads="2", port="5300")
    assert 'role="alert"' not in html
    assert settings_page.file.read_text("utf-8") == "threads = 2\nport = 5300\n"


def test_a_folder_that_takes_nothing_keeps_what_was_typed(settings_page):
    settings_page.file.mkdir()
    response = settings_page.save(threads="3")
    assert response.status_code == 507
    assert 'value="3"' in response.text


def test_a_list_that_htmx_asks_for_is_left_for_the_new_page(settings_page):
    response = settings_page.client.post(
        "/settings", data={"threads": "2"}, headers={"HX-Request": "true"}
    )
    assert response.headers["HX-Redirect"] == "/settings?saved=threads"


def test_the_last_backup_is_told_if_there_ever_was_one(settings_page):
    assert "Last backup" not in settings_page.get()
    note.write(settings_page.file.parent, note.LastBackup(1_767_268_800_000, "/media/<usb>"))
    html = settings_page.client.get("/settings").text
    said = re.search(r'Last backup: <time datetime="2026-01-01[^"]*">1 January 2026', html)
    assert said
    assert "<bdi>/media/&lt;usb&gt;</bdi>" in html
    assert "Last backup" not in settings_page.get("?q=port")
