import json

import pytest

from webapp.engines.openai_refusal import Overflow, error_in, one_line, refusal_of


def refusal(value, status=400):
    return refusal_of(status, json.dumps(value).encode())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"error": {"message": "No.", "code": "x"}}, "No."),
        ({"error": "No."}, "No."),
        ({"detail": "No."}, "No."),
        ({"message": "No."}, "No."),
        ({"error": {"message": "No.", "param": "seed"}}, "No. (seed)"),
        ({"detail": [{"loc": ["body", "top_k"], "msg": "too small"}]}, "body.top_k: too small"),
        ({"error": {"message": None}}, ""),
        ({"error": 5}, ""),
        ({}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_the_servers_words_are_found_in_every_form(value, message):
    assert refusal(value).message == message


def test_a_plain_text_is_a_message_and_a_web_page_is_none():
    assert refusal_of(500, b"Out of\r\n memory\0").message == "Out of memory"
    assert refusal_of(502, b"<html><h1>Bad Gateway</h1>").message == ""
    assert refusal_of(500, b"[" * 100_000).message
    assert refusal_of(500, b"\xff\xfe").message


@pytest.mark.parametrize(
    ("said", "prompt", "context"),
    [
        (
            "This model's maximum context length is 4,096 tokens. However, you requested 14074 "
            "tokens (12026 in the messages, 2048 in the completion).",
            12026,
            4096,
        ),
        (
            "'max_tokens' is too large: 2048. This model's maximum context length is 1024 tokens "
            "and your request has 900 input tokens (2048 > 1024 - 900).",
            900,
            1024,
        ),
        (
            "This model's maximum context length is 8192 tokens, however you requested 9000 "
            "tokens (9000 in your prompt; 0 for the completion).",
            9000,
            8192,
        ),
        ("input (1202 tokens) is too large to process. current batch size: 512", 1202, 512),
        ("prompt is too long: 20000 tokens > 18000 maximum", 20000, 18000),
        ("Requested tokens (700) exceed context window of 512", 700, 512),
        ("The context window is exceeded.", 0, 0),
    ],
)
def test_a_text_too_long_is_known_by_the_words_of_many_servers(said, prompt, context):
    assert refusal({"error": {"message": said}}).overflow == Overflow(prompt, context)


def test_numbers_beside_the_message_count_first():
    value = {"message": "too big", "type": "exceed_context_size_error", "code": 400}
    value |= {"n_prompt_tokens": 700, "n_ctx": 512}
    assert refusal({"error": value}).overflow == Overflow(700, 512)


def test_other_refusals_are_no_overflow():
    assert refusal({"error": {"message": "temperature must be at most 2"}}).overflow is None
    assert refusal({"error": {"message": "context length paid up"}}, 429).overflow is None


@pytest.mark.parametrize(
    "value",
    [
        {"error": {"message": "gone", "code": "model_not_found"}},
        {"error": "model 'x' not found"},
        {"error": {"message": "The model `x` does not exist."}},
        {"error": {"message": "x is not a valid model ID"}},
    ],
)
def test_a_missing_model_is_known(value):
    assert refusal(value, 404).means_no_model
    assert not refusal(value, 500).means_no_model
    assert not refusal({"error": "Not Found"}, 404).means_no_model


def test_an_error_among_good_things_is_found():
    assert error_in({"error": {"message": "No."}}).message == "No."
    assert error_in({"error": None}) is None
    assert error_in({"choices": []}) is None
    assert error_in("error") is None


def test_a_sentence_stays_one_line_and_short():
    assert one_line("a\n\tb\u202ec\ud800") == "a b c"
    assert len(one_line("word " * 1000)) <= 300
