from flask import Flask, request

from webapp.web.forms import LARGEST_FORM_BYTES, posted_text


def test_a_text_may_be_larger_than_other_forms():
    app = Flask("small")
    app.config["MAX_CONTENT_LENGTH"] = 10
    with app.test_request_context("/", method="POST", data={"text": "x" * 1000}):
        assert posted_text() == "x" * 1000
        assert request.max_content_length == LARGEST_FORM_BYTES


def test_a_missing_text_is_empty():
    with Flask("bare").test_request_context("/", method="POST", data={}):
        assert posted_text() == ""
