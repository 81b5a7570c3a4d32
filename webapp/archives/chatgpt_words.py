"""What a message of ChatGPT's export says, whatever kind of content it has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from webapp.archives.chatgpt_marks import resolved
from webapp.archives.loose import mapping, picture, rows, words
from webapp.chat.thread_markdown import fenced

# Told to the model about its reader, or only how long it thought.
_UNSAID: Final = ("user_editable_context", "model_editable_context", "reasoning_recap")
_WHERE: Final = ("text", "result", "output_str")
_PAGES: Final = ("tether_quote", "sonic_webpage")
_CANVAS: Final = "canmore.create_textdoc"


def text_of(message: Mapping[str, Any]) -> str:
    """Its words; pictures and sounds, which are not in the export's list, are named."""
    content = mapping(message.get("content"))
    metadata = mapping(message.get("metadata"))
    kind = words(content.get("content_type"))
    if kind in _UNSAID:
        return ""
    if message.get("recipient") == _CANVAS and (page := _canvas(asked_of(message))):
        return page
    text = _told(kind, content) or "\n".join(_parts(content.get("parts")))
    return resolved("\n".join(filter(None, (text, *_drawn(metadata)))), metadata)


def thinking_of(message: Mapping[str, Any]) -> str:
    """What the model thought, if the message is nothing else."""
    content = mapping(message.get("content"))
    kind = content.get("content_type")
    if kind == "thoughts":
        thoughts = rows(content.get("thoughts"))
        told = ((words(each.get("summary")), words(each.get("content"))) for each in thoughts)
        found = "\n\n".join("\n".join(filter(None, pair)) for pair in told if any(pair))
        return found or words(content.get("text")) or "\n".join(_parts(content.get("parts")))
    before = mapping(message.get("metadata")).get("is_thinking_preamble_message") is True
    is_aside = before or message.get("channel") == "analysis"
    return text_of(message) if is_aside and kind == "text" else ""


def asked_of(message: Mapping[str, Any]) -> object:
    """What a tool is called with: an object, or the code or text that was sent to it."""
    content = mapping(message.get("content"))
    text = words(content.get("text")) or "\n".join(_parts(content.get("parts")))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _told(kind: str, content: Mapping[str, Any]) -> str:
    text = next(filter(None, (words(content.get(name)) for name in _WHERE)), "")
    if kind == "code":
        language = words(content.get("language"))
        return fenced(text, "" if language == "unknown" else language) if text else ""
    if kind in _PAGES:
        about = words(content.get("title")), words(content.get("url"))
        return "\n".join(filter(None, (*about, text or words(content.get("snippet")))))
    if kind == "tether_browsing_display":
        return text or words(content.get("summary"))
    if kind == "system_error":
        return ": ".join(filter(None, (words(content.get("name")), text)))
    if kind == "computer_output":
        seen, state = mapping(content.get("screenshot")), mapping(content.get("state"))
        told = words(state.get("title")), words(state.get("url")), text
        return "\n".join(filter(None, (*told, picture(seen) if seen else "")))
    return text


def _canvas(asked: object) -> str:
    """A page that was written beside the conversation, with its name."""
    about = mapping(asked)
    text = words(about.get("content"))
    kind, _, language = words(about.get("type")).partition("/")
    shown = fenced(text, language) if kind == "code" and text else text
    return "\n\n".join(filter(None, (f"**{words(about.get('name'))}**" if text else "", shown)))


def _parts(parts: object) -> Iterator[str]:
    listed = parts if isinstance(parts, list) else []
    kinds = [mapping(part).get("content_type") for part in listed]
    for part in listed:
        if isinstance(part, str):
            yield from filter(None, [part])
        else:
            yield from _part(mapping(part), heard="audio_transcription" in kinds)


def _part(about: Mapping[str, Any], *, heard: bool) -> Iterator[str]:
    """Sounds whose words are `heard` are not named beside them."""
    kind = words(about.get("content_type"))
    if kind == "image_asset_pointer":
        made = mapping(mapping(about.get("metadata")).get("dalle"))
        yield picture(about, words(made.get("prompt")))
    elif words(about.get("text")):
        yield words(about["text"])
    elif kind in ("audio_asset_pointer", "real_time_user_audio_video_asset_pointer"):
        yield from [] if heard else ["[audio]"]
        if about.get("video_container_asset_pointer") or about.get("frames_asset_pointers"):
            yield "[video]"
    elif kind and kind != "audio_transcription":
        yield f"[{kind.removesuffix('_asset_pointer').replace('_', ' ')}]"


def _drawn(metadata: Mapping[str, Any]) -> Iterator[str]:
    """Pictures that a program made while it ran."""
    for each in rows(mapping(metadata.get("aggregate_result")).get("messages")):
        if each.get("message_type") == "image":
            yield picture(each)
