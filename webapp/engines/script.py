"""What a scripted engine replays, and the words in a question that choose it.

A question may carry commands, each a word of its own. They can be combined with each other and
with ordinary text:

    /slow       twenty pieces a second, so that there is time to press a button
    /fast       two hundred pieces a second, as a quick machine writes
    /long       an answer of four hundred numbered lines
    /markdown   an answer with headings, lists, a table, code and a quotation
    /unsafe     an answer full of markup that a page must not obey
    /hold       writes the beginning of the answer, then waits until it is cancelled
    /wait       reads half of the prompt, then waits until it is cancelled
    /fail       writes the beginning of the answer, then fails with a sentence
    /refuse     fails before the first word
    /empty      ends without a word
    /title      the thread gets a title from the script; without this word it gets none
    /retrieve   asked for a decision, it wants to look up the words after this one, to the line's
                end
    /files      asked for a decision, it wants the list of files
    /recall     asked whether to look into earlier chats, it wants to
    /call       writes the JSON after this word as a call of a tool; once a turn holds a result,
                it answers
    /echo       everything after this word comes back unchanged
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True)
class Say:
    """Text, given out in pieces of one word, each counted as one token."""

    text: str


@dataclass(frozen=True)
class Wait:
    """Go on when `until` is set; a cancelled request waits no longer."""

    until: threading.Event


@dataclass(frozen=True)
class Fail:
    """End with EngineFailed."""

    what: str = "The scripted model failed as it was told to."
    do: str = "Ask again."


Step = Say | Wait | Fail


@dataclass(frozen=True)
class Reply:
    """One scripted answer. `reading` steps come before the prompt counts as read."""

    steps: tuple[Step, ...]
    reading: tuple[Step, ...] = ()
    delay_seconds: float = 0.0


_COMMAND: Final = re.compile(
    r"(?<!\S)/(slow|fast|long|markdown|unsafe|hold|wait|fail|refuse|empty|title|echo|retrieve|files"
    r"|recall)"
    r"(?!\S)"
)
_CALL: Final = re.compile(r"(?<!\S)/call[ \t]+(?=\S)")
_DECISION: Final = re.compile(r"(?<![\w/])/(?:retrieve[ \t]+(?P<words>[^\n]+)|files\b)")
_RESULT: Final = "<tool_response>"
_QUOTES: Final = " \t\r\"'`”’»」"
TITLE: Final = "A scripted title"
NOTES: Final = 3
NOTE_WORDS: Final = 6
SLOW_SECONDS: Final = 0.05
FAST_SECONDS: Final = 0.005

MARKDOWN: Final = """\
## A scripted answer

It has **bold**, *italic* and `inline code`, and a [link](https://example.org/).

1. First things first
2. Then the rest
   - with a nested point

| Memory | Holds |
|---|---|
| window | this turn |
| tree | every version |

```python
def remember(thread: list[str], words: str) -> None:
    thread.append(words)  # nothing is lost
```

> What is written down stays.

Emoji 👩‍👩‍👧‍👦 and 漢字 stay whole.
"""

UNSAFE: Final = """\
<script>window.strataOwned = true</script>
<img src="x" onerror="window.strataOwned = true">
<div hx-get="/threads" hx-trigger="load" style="position:fixed">over everything</div>
[a link](javascript:window.strataOwned=true) ![tracker](https://example.org/pixel.png)
The end of the markup.
"""


def reply_to(question: str, *, called: bool = False) -> Reply:
    """The answer that the question's own commands ask for, or a short one that quotes it.

    `called`: a tool's result is at hand, so the calls it asks for are not made again."""
    before, echo, after = _split_echo(question)
    before, calls = _split_calls(before)
    commands = {match.group(1) for match in _COMMAND.finditer(before)}
    text = after if echo else _answer(commands, _COMMAND.sub("", before).strip())
    text = "\n".join(calls) if calls and not called else text
    pace = {"slow": SLOW_SECONDS, "fast": FAST_SECONDS}
    delay = next((pace[command] for command in pace if command in commands), 0.0)
    return replace(_ending(commands, text), delay_seconds=delay)


def asked_last(turns: Sequence[tuple[str, str]]) -> tuple[str, bool]:
    """The last question, of turns as (role, content), and whether a tool's result follows it."""
    called = False
    for role, content in reversed(turns):
        if role == "tool" or (role == "user" and content.lstrip().startswith(_RESULT)):
            called = True
        elif role == "user":
            return content, called
    return "", called


def decision_on(question: str) -> Reply:
    """The answer to a request for a decision. The last command counts: the question is repeated
    at the end of such a request, perhaps in quotes."""
    found = list(_DECISION.finditer(question))
    if not found:
        decision = {"action": "answer_directly"}
    elif found[-1]["words"] is None:
        decision = {"action": "list_attachments"}
    else:
        decision = {"action": "retrieve", "query": found[-1]["words"].strip(_QUOTES)}
    return Reply((Say(json.dumps(decision, ensure_ascii=False)),))


def recall_on(question: str) -> Reply:
    """The answer to the question whether to look into earlier chats."""
    wanted = any(found[1] == "recall" for found in _COMMAND.finditer(question))
    action = "recall" if wanted else "answer_directly"
    return Reply((Say(json.dumps({"action": action})),))


def title_for(first_question: str) -> Reply:
    """The answer to a request for a title."""
    named = any(found[1] == "title" for found in _COMMAND.finditer(first_question))
    return Reply((Say(TITLE),)) if named else Reply(())


def notes_on(pieces: str) -> Reply:
    """The answer to a request for notes: the first words of some of the numbered pieces."""
    found = re.findall(r"^\[(\d+)\] \w+: (.+)$", pieces, re.MULTILINE)[:NOTES]
    lines = [f"- {' '.join(words.split()[:NOTE_WORDS])} [{number}]" for number, words in found]
    return Reply((Say("\n".join(lines)),))


def _split_echo(question: str) -> tuple[str, bool, str]:
    found = next((m for m in _COMMAND.finditer(question) if m.group(1) == "echo"), None)
    if found is None:
        return question, False, ""
    return question[: found.start()], True, question[found.end() :].lstrip()


def _split_calls(text: str) -> tuple[str, list[str]]:
    """The text without its calls, and these; one that is no JSON goes to the line's end."""
    calls: list[str] = []
    while (found := _CALL.search(text)) is not None:
        try:
            _, end = json.JSONDecoder().raw_decode(text, found.end())
        except (ValueError, RecursionError):
            line = text.find("\n", found.end())
            end = line if line >= 0 else len(text)
        calls.append(f"<tool_call>\n{text[found.end() : end].strip()}\n</tool_call>")
        text = text[: found.start()] + text[end:]
    return text, calls


def _answer(commands: set[str], words: str) -> str:
    if "long" in commands:
        return "".join(f"Line {number} of a long answer.\n\n" for number in range(1, 401))
    if "markdown" in commands:
        return MARKDOWN
    if "unsafe" in commands:
        return UNSAFE
    quoted = " ".join(words.split())[:200]
    return f"You asked: **{quoted}**\n\nThis is a scripted answer.\n" if quoted else MARKDOWN


def _ending(commands: set[str], text: str) -> Reply:
    never = threading.Event()
    if "empty" in commands:
        return Reply(())
    if "refuse" in commands:
        return Reply((Fail(),))
    if "wait" in commands:
        return Reply((Say(text),), reading=(Wait(never),))
    if "hold" in commands:
        return Reply((Say(text), Wait(never)))
    if "fail" in commands:
        return Reply((Say(text), Fail()))
    return Reply((Say(text),))
