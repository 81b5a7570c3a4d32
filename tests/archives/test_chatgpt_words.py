"""Every kind of content says something, or is passed over."""

import pytest

from webapp.archives.chatgpt_words import asked_of, text_of, thinking_of


def message(kind, metadata=None, **content):
    return {"content": {"content_type": kind, **content}, "metadata": metadata or {}}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (message("text", parts=["a", "b", ""]), "a\nb"),
        (message("text", parts="no list"), ""),
        (message("code", language="python", text="x = 1"), "```python\nx = 1\n```"),
        (message("code", language="unknown", text="x = '```'"), "````\nx = '```'\n````"),
        (message("execution_output", text="3"), "3"),
        (message("tether_browsing_display", result="", summary="seen"), "seen"),
        (message("system_error", name="Limit", text="Too many."), "Limit: Too many."),
        (message("reasoning_recap", content="Thought"), ""),
        (message("user_editable_context", user_profile="x"), ""),
        (message("something_new", text="words"), "words"),
        (message("something_new", parts=["words"]), "words"),
        (
            message(
                "multimodal_text",
                parts=[
                    {"content_type": "audio_transcription", "text": "spoken"},
                    {"content_type": "audio_asset_pointer", "asset_pointer": "x"},
                    {"content_type": "video_asset_pointer", "asset_pointer": "x"},
                    {"content_type": "real_time_user_audio_video_asset_pointer"},
                    {
                        "content_type": "image_asset_pointer",
                        "width": "wide",
                        "metadata": {"dalle": {"prompt": "a cat"}},
                    },
                    {"content_type": "image_asset_pointer", "metadata": None},
                ],
            ),
            "spoken\n[video]\n[A picture: a cat]\n[A picture]",
        ),
        ({}, ""),
        ({"content": None, "metadata": None}, ""),
    ],
)
def test_what_a_message_says(content, text):
    assert text_of(content) == text


def test_thoughts_are_told_apart_from_words():
    thoughts = [{"summary": "S", "content": "C"}, {"content": "D"}, {}]
    assert thinking_of(message("thoughts", thoughts=thoughts)) == "S\nC\n\nD"
    assert thinking_of(message("thoughts", parts=["E"])) == "E"
    assert thinking_of(message("text", parts=["x"])) == ""
    assert thinking_of({**message("text", parts=["x"]), "channel": "analysis"}) == "x"
    assert thinking_of({**message("text", parts=["x"]), "channel": "final"}) == ""
    before = {"is_thinking_preamble_message": True}
    assert thinking_of(message("text", before, parts=["Let me see."])) == "Let me see."


def test_a_page_beside_the_conversation_can_be_read():
    def canvas(text):
        return text_of({**message("code", text=text), "recipient": "canmore.create_textdoc"})

    told = canvas('{"name": "Plan", "type": "document", "content": "# Plan"}')
    assert told == "**Plan**\n\n# Plan"
    code = canvas('{"name": "a.py", "type": "code/python", "content": "x"}')
    assert code == "**a.py**\n\n```python\nx\n```"
    assert canvas("torn {") == "```\ntorn {\n```"


def test_what_a_tool_is_asked_is_an_object_or_a_text():
    assert asked_of(message("code", text='{"q": 1}')) == {"q": 1}
    assert asked_of(message("text", parts=["plain"])) == "plain"
    assert asked_of(message("code", text="[" * 100_000)) == "[" * 100_000
