"""A line of Python is a call of a known tool, or nothing."""

import pytest

from webapp.chat.call_python import python_call

NAMES = ("retrieve", "list_attachments")


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('retrieve(query="rye")', {"query": "rye"}),
        ('retrieve.call(query="rye", top_k=3)', {"query": "rye", "top_k": 3}),
        ("retrieve(query='it\\'s \"rye\"')", {"query": 'it\'s "rye"'}),
        ('retrieve( query = "a, b=c(d)" , )', {"query": "a, b=c(d)"}),
        ("retrieve(query=None, top_k=True)", {"query": None, "top_k": True}),
        ('functions.retrieve(query="rye")\n', {"query": "rye"}),
    ],
)
def test_named_values_are_its_arguments(text, arguments):
    call = python_call(text, NAMES)
    assert (call.name, call.arguments, call.problem) == ("retrieve", arguments, "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "import os",
        "retrieve",
        'print("rye")',
        'retrieve("rye")',
        "retrieve(query=other)",
        "retrieve(query=other())",
        'retrieve(query="rye"); print(1)',
        'retrieve(query="rye" top_k=3)',
        'x = retrieve(query="rye")',
        f'retrieve(query="{"x" * 5_000}")',
    ],
)
def test_anything_else_is_no_call(text):
    assert python_call(text, NAMES) is None


def test_a_tool_without_arguments_is_called_without():
    assert python_call("list_attachments()", NAMES).arguments == {}
