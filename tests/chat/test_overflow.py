"""Engines that find a prompt too long, in their own words."""

import pytest

from webapp.chat.limits import Limits
from webapp.chat.overflow import Overflow, after_overflow, overflow

SENTENCES = [
    ("The conversation has 9,123 tokens, but the model's context holds 8,192.", (9123, 8192)),
    (
        '{"error": {"message": "This model\'s maximum context length is 4097 tokens. However, your'
        ' messages resulted in 5000 tokens.", "code": "context_length_exceeded"}}',
        (5000, 4097),
    ),
    (
        "This model's maximum context length is 4097 tokens, however you requested 4360 tokens"
        " (3860 in the messages, 500 in the completion).",
        (3860, 4097),
    ),
    (
        '{"error":{"code":400,"message":"the request exceeds the available context size",'
        '"type":"exceed_context_size_error","n_prompt_tokens":6012,"n_ctx":4096}}',
        (6012, 4096),
    ),
    ("request (6012 tokens) exceeds the available context size (4096 tokens)", (6012, 4096)),
    ("the request exceeds the available context size. try increasing it", (0, 0)),
    (
        "This model's maximum context length is 2048 tokens. However, you requested 2500 tokens",
        (2500, 2048),
    ),
    (
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        (5000, 4096),
    ),
    ("Requested tokens (2100) exceed context window of 2048", (2100, 2048)),
    ("prompt is too long: 200001 tokens > 200000 maximum", (200001, 200000)),
    (
        "The input token count (40000) exceeds the maximum number of tokens allowed (32768).",
        (40000, 32768),
    ),
    ("context_length_exceeded", (0, 0)),
]


@pytest.mark.parametrize(("said", "numbers"), SENTENCES)
def test_it_is_recognised_with_its_numbers(said, numbers):
    assert overflow(said) == Overflow(*numbers)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "The model crashed. Ask again.",
        "401 Unauthorized",
        "Rate limit reached: 40000 tokens per minute",
        "max_tokens must be at least 1",
        "No such model: context",
        "9" * 100_000,
    ],
)
def test_other_errors_are_not_taken_for_it(said):
    assert overflow(said) is None


@pytest.mark.parametrize(
    "found", [Overflow(), Overflow(9000, 8192), Overflow(0, 10), Overflow(5, 0), Overflow(1, 9**9)]
)
@pytest.mark.parametrize("limits", [Limits(8192, 2048, 6144), Limits(0, 2048, None)])
@pytest.mark.parametrize("counted", [1, 100, 6000, 30_000])
def test_the_retry_always_asks_for_less(found, limits, counted):
    retry = after_overflow(limits, found, counted)
    assert 0 <= retry.prompt < counted
    assert limits.prompt is None or retry.prompt < limits.prompt


def test_the_retry_is_in_tokens_as_they_are_counted_here():
    # We counted 4,000, the engine 8,000: of its 4,096 less 96 for the answer, ours are half.
    retry = after_overflow(Limits(0, 96, None), Overflow(8000, 4096), 4000)
    assert retry.prompt == int(2000 * 0.95)
