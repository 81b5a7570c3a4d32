import re

import pytest
from jinja2 import UndefinedError

from webapp.web.rendering import fragment, page
from webapp.web.services import services as current


@pytest.fixture
def page_links(app):
    client = app.test_client()
    html = client.get("/").text
    return client, re.findall(r'(?:href|src)="(/static/[^"]+)"', html)


def test_routes_find_the_services_the_app_was_built_with(app, services):
    with app.app_context():
        assert current() is services


def test_a_template_that_leans_on_what_it_was_not_given_fails(app):
    with app.test_request_context("/"), pytest.raises(UndefinedError):
        fragment("notice")


def test_every_route_that_changes_something_is_a_post(app):
    for rule in app.url_map.iter_rules():
        assert rule.methods <= {"GET", "HEAD", "OPTIONS"} or rule.methods <= {"POST", "OPTIONS"}


def test_a_page_names_its_scripts_and_styles_and_has_none_inside(app):
    with app.test_request_context("/nowhere"):
        html = page("emptying", trashed=[]).get_data(as_text=True)
    assert "<style" not in html
    assert "style=" not in html
    assert "onclick" not in html
    assert html.count("<script ") == html.count("<script defer src=")


def test_every_script_and_style_a_page_names_is_there(page_links):
    client, links = page_links
    assert links
    for link in links:
        with client.get(link) as response:
            assert response.status_code == 200, link
