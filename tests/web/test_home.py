from dataclasses import replace

from webapp.engines.engine import EngineInfo
from webapp.engines.scripted import ScriptedEngine


class Loading(ScriptedEngine):
    """A model that is on its way."""

    def describe(self):
        return replace(super().describe(), state="loading")


class Broken(ScriptedEngine):
    def describe(self):
        return EngineInfo("scripted", "", "failed", 0, problem="No model at <there>.")


def test_the_start_page_invites_a_first_question(page, settings):
    html = page.get("/").text
    assert 'action="/threads"' in html
    assert "data-example" in html
    assert str(settings.data) in html
    assert "Your threads will be listed here." in html


def test_an_example_fills_the_composer_without_a_script(page):
    html = page.get("/?draft=%3Cb%3EWhy%3F").text
    assert "&lt;b&gt;Why?</textarea>" in html


def test_the_model_that_is_ready_is_named(page):
    html = page.get("/").text
    assert "Scripted model" in html
    assert "hx-trigger" not in html.split('id="model"')[1].split("</div>")[0]


def test_a_model_that_loads_is_asked_for_again(app, services):
    app.extensions["strata"] = replace(services, engine=Loading())
    html = app.test_client().get("/model").text
    assert 'hx-get="/model"' in html
    assert html.lstrip().startswith('<div id="model"')


def test_a_model_that_failed_says_why_where_it_can_be_read(app, services):
    app.extensions["strata"] = replace(services, engine=Broken())
    html = app.test_client().get("/").text
    assert "No model at &lt;there&gt;." in html


def test_the_theme_is_chosen_without_a_script_and_comes_with_the_next_page(page):
    response = page.send("/theme", theme="dark", back="/trash")
    assert (response.status_code, response.location) == (303, "/trash")
    assert 'data-theme="dark"' in page.get("/").text


def test_a_theme_nobody_knows_changes_nothing(page):
    page.send("/theme", theme='"><script>', back="/")
    page.client.set_cookie("strata_theme", "purple")
    assert 'data-theme="auto"' in page.get("/").text


def test_after_choosing_a_theme_nobody_is_sent_away(page):
    for elsewhere in ("//evil.example", "https://evil.example", "/\\evil.example", "", "x"):
        assert page.send("/theme", theme="light", back=elsewhere).location == "/"


def test_pages_are_not_kept_by_the_browser_but_static_files_may_be(page):
    assert page.get("/").headers["Cache-Control"] == "no-store"
    with page.get("/static/favicon.svg") as icon:
        assert icon.status_code == 200
        assert "no-store" not in icon.headers["Cache-Control"]
