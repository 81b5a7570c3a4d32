import logging

import pytest
from flask import Flask

from webapp import errors as kinds
from webapp.web import errors


def every_kind():
    found = [each for each in vars(kinds).values() if isinstance(each, type)]
    return [each for each in found if each is not kinds.Forbidden]


@pytest.fixture
def faulty(app: Flask, engine, monkeypatch):
    """Makes the start page fail with a given error."""

    def fail_with(error):
        def raises():
            raise error

        app.view_functions["home.start"] = raises
        return app.test_client()

    return fail_with


@pytest.mark.parametrize("kind", every_kind())
def test_every_error_of_ours_is_a_page_with_both_sentences(faulty, kind):
    response = faulty(kind("It <broke>.", do="Mend it.")).get("/")
    assert response.status_code == errors.status_of(kind("x")) >= 400
    assert "It &lt;broke&gt;." in response.text
    assert "Mend it." in response.text
    assert 'href="/"' in response.text


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_who_may_not_be_here_sees_the_sentence_and_no_titles(page, headers):
    page.begin("A very private title")
    response = page.get("/", headers={"Host": "attacker.example", **headers})
    assert response.status_code == 403
    assert response.mimetype == "text/plain"
    assert "private" not in response.text


def test_htmx_gets_a_notice_and_the_page_stays(faulty):
    response = faulty(kinds.StorageFailed("The disk is full.")).get(
        "/", headers={"HX-Request": "true"}
    )
    assert response.status_code == 507
    assert response.headers["HX-Retarget"] == "#notices"
    assert response.headers["HX-Reswap"] == "innerHTML"
    assert 'role="alert"' in response.text
    assert "<html" not in response.text


def test_the_nearest_class_decides_the_status():
    class Fuller(kinds.StorageFailed):
        """A kind nobody wrote down."""

    assert errors.status_of(Fuller("x")) == 507
    assert errors.status_of(kinds.ModelFileMissing("x")) == 503
    assert errors.status_of(kinds.StrataError("x")) == 500


def test_a_fault_of_ours_is_logged_and_told_calmly(faulty, caplog):
    with caplog.at_level(logging.ERROR, "webapp.web.errors"):
        response = faulty(ZeroDivisionError("secret detail")).get("/")
    assert response.status_code == 500
    assert "Something went wrong in Strata itself." in response.text
    assert "secret detail" not in response.text
    assert "secret detail" in caplog.text


def test_an_address_that_is_none_leads_home(page):
    response = page.get("/no/such/page")
    assert response.status_code == 404
    assert 'href="/"' in response.text


def test_a_wrong_method_is_told_in_words(page):
    response = page.get("/threads/x/trash")
    assert response.status_code == 405
    assert "cannot be used that way" in response.text


def test_a_form_beyond_all_limits_is_told_in_words(page):
    response = page.client.post(
        "/threads", data={"text": "x"}, environ_overrides={"CONTENT_LENGTH": str(10**9)}
    )
    assert response.status_code == 413
    assert "more than one message can hold" in response.text
