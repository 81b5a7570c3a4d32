"""What a message of ChatGPT's export says, whatever kind of content it has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from webapp.archives.loose import mapping, rows, words
from webapp.chat.thread_markdown import fenced

# Marks of places in the text that its page draws as something else.
_MARKS: Final = re.compile("\ue200[^\ue200\ue201]*\ue201|[\ue200-\ue206]")
# Told to the model about its reader, or only how long it thought.
_UNSAID: Final = ("user_editable_context", "model_editable_context", "reasoning_recap")


def text_of(message: Mapping[str, Any]) -> str:
    """Its words; pictures and sounds, which are not in the export's list, are named."""
    content = mapping(message.get("content"))
    kind = words(content.get("content_type"))
    if kind in _UNSAID:
        return ""
    text = _told(kind, content) or "\n".join(_parts(content.get("parts")))
    return _resolved(text, mapping(message.get("metadata")))


def thinking_of(message: Mapping[str, Any]) -> str:
    """What the model thought, if the message is nothing else."""
    content = mapping(message.get("content"))
    if content.get("content_type") != "thoughts":
        return ""
    thoughts = rows(content.get("thoughts"))
    told = ((words(each.get("summary")), words(each.get("content"))) for each in thoughts)
    return "\n\n".join("\n".join(filter(None, pair)) for pair in told if any(pair))


def asked_of(message: Mapping[str, Any]) -> object:
    """What a tool is called with: an object, or the code or text that was sent to it."""
    content = mapping(message.get("content"))
    text = words(content.get("text")) or "\n".join(_parts(content.get("parts")))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _told(kind: str, content: Mapping[str, Any]) -> str:
    text = words(content.get("text")) or words(content.get("result"))
    if kind == "code":
        language = words(content.get("language"))
        return fenced(text, "" if language == "unknown" else language) if text else ""
    if kind == "tether_quote":
        return "\n".join(
            filter(None, (words(content.get("title")), words(content.get("url")), text))
        )
    if kind == "tether_browsing_display":
        return text or words(content.get("summary"))
    if kind == "system_error":
        return ": ".join(filter(None, (words(content.get("name")), text)))
    return text


def _parts(parts: object) -> Iterator[str]:
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str):
            if part:
                yield part
            continue
        about = mapping(part)
        kind = words(about.get("content_type"))
        if kind == "image_asset_pointer":
            yield _picture(about)
        elif words(about.get("text")):
            yield words(about["text"])
        elif kind and not kind.startswith("real_time"):
            yield f"[{kind.removesuffix('_asset_pointer').replace('_', ' ')}]"


def _picture(about: Mapping[str, Any]) -> str:
    made = mapping(mapping(about.get("metadata")).get("dalle"))
    size = [about.get(side) for side in ("width", "height")]
    told = [" × ".join(map(str, size))] if all(type(each) is int for each in size) else []
    told += [words(made.get("prompt"))] if words(made.get("prompt")) else []
    return f"[{': '.join(['A picture', *told])}]"


def _resolved(text: str, metadata: Mapping[str, Any]) -> str:
    """With the links that its marks stand for."""
    for each in rows(metadata.get("content_references")):
        mark, link = words(each.get("matched_text")), words(each.get("alt"))
        if mark.strip() and (link or "\ue200" in mark):
            text = text.replace(mark, link)
    return _MARKS.sub("", text)
