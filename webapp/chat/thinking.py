"""What a model thinks before it answers, told apart from the answer.

Models mark thinking with tags; some templates open the tag in the prompt, so that only its end is
seen. A tag in code or in the middle of a sentence is a mention and stays text. One walk from left
to right: outside thinking it steps over code, inside thinking it looks for the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

OPENINGS: Final = (
    "<think>",
    "<thinking>",
    "<thought>",
    "<reasoning>",
    "<seed:think>",
    "[THINK]",
    "◁think▷",
)
CLOSINGS: Final = tuple(f"{tag[0]}/{tag[1:]}" for tag in OPENINGS)

_TAG: Final = re.compile("|".join(map(re.escape, OPENINGS + CLOSINGS)), re.IGNORECASE)
_STEP: Final = re.compile(
    rf"(?P<fence>^ {{0,3}}(?P<bars>`{{3,}}|~{{3,}})[^\n]*)|(?P<ticks>`+)|(?P<tag>{_TAG.pattern})",
    re.IGNORECASE | re.MULTILINE,
)
_BEGINS: Final = re.compile(rf"\s*(?:{'|'.join(map(re.escape, OPENINGS))})", re.IGNORECASE)
_LONGEST: Final = max(map(len, CLOSINGS))
_QUOTES: Final = "`'\"“”‘’"
_SENTENCE_ENDS: Final = tuple(".!?…:;)。！？：；）")


@dataclass(frozen=True)
class Part:
    """A stretch of an answer. `open` thinking has not ended yet."""

    kind: Literal["text", "thinking"]
    text: str
    open: bool = False


def split(text: str, *, finished: bool) -> tuple[Part, ...]:
    """The parts of an answer in order; without thinking, one part with the very same text.

    While it is not `finished`, the start of a tag at the end is held back, so that no tag flashes
    by. Thinking that never ended is text once the answer is finished: a reader must see words."""
    whole = text if finished else text[: len(text) - _begun_tag(text)]
    if not _TAG.search(whole):
        return (Part("text", whole),) if whole else ()
    return _Walk(whole, finished).parts()


def spoken(text: str) -> str:
    """A finished answer without its thinking, for titles, prompts and search."""
    return "\n\n".join(part.text for part in split(text, finished=True) if part.kind == "text")


class Thinking:
    """Whether an answer that grows is still in the thinking it began with. Each step costs its
    own piece, so that a long thought costs no more at its end than at its beginning."""

    def __init__(self) -> None:
        self._over = False

    def goes_on(self, text: str, piece: str) -> bool:
        """`text` is the answer so far, `piece` what was added to it just now."""
        if self._over:
            return False
        begin = _BEGINS.match(text)
        tail = text[-len(piece) - _LONGEST :].lower()
        closed = any(tag.lower() in tail for tag in CLOSINGS)
        if closed or not begin:
            self._over = closed or (bool(text.strip()) and not _begun_tag(text))
            return False
        return True


class _Walk:
    """One pass over a text that has at least one tag."""

    def __init__(self, text: str, finished: bool) -> None:
        self._text = text
        self._finished = finished
        self._found: list[Part] = []
        self._start = 0  # where the stretch now being read begins
        self._mentions = 0  # openings read as text whose closing is text too
        self._thought = False
        self._paragraph_end = 0

    def parts(self) -> tuple[Part, ...]:
        at = 0
        while step := _STEP.search(self._text, at):
            at = self._after(step)
        self._add_text(self._text[self._start :])
        return tuple(self._found)

    def _after(self, step: re.Match[str]) -> int:
        if step["fence"] is not None:
            return self._after_fence(step)
        if step["ticks"] is not None:
            return self._after_code(step)
        return self._after_opening(step) if "/" not in step["tag"] else self._after_closing(step)

    def _after_fence(self, step: re.Match[str]) -> int:
        bars = step["bars"]
        closing = re.compile(rf"^ {{0,3}}{bars[0]}{{{len(bars)},}}[ \t]*$", re.MULTILINE)
        end = closing.search(self._text, step.end())
        return end.end() if end else len(self._text)

    def _after_code(self, step: re.Match[str]) -> int:
        """Behind a code span; behind the backticks alone when nothing closes it."""
        ticks = step["ticks"]
        if self._paragraph_end < step.end():
            found = self._text.find("\n\n", step.end())
            self._paragraph_end = found if found >= 0 else len(self._text)
        closing = re.compile(rf"(?<!`){ticks}(?!`)")
        end = closing.search(self._text, step.end(), self._paragraph_end)
        return end.end() if end else step.end()

    def _after_opening(self, step: re.Match[str]) -> int:
        if not self._opens(step):
            self._mentions += 1
            return step.end()
        end = self._closing_after(step.end())
        if end is None and self._finished:
            # Never ended: the words are kept as text, without the tag.
            rest = self._text[self._skip_space(step.end()) :]
            self._add_text(self._text[self._start : step.start()] + rest)
            self._start = len(self._text)
            return self._start
        self._add_text(self._text[self._start : step.start()])
        self._add_thinking(self._text[step.end() : end.start() if end else None], open=end is None)
        self._start = self._skip_space(end.end()) if end else len(self._text)
        return self._start

    def _opens(self, step: re.Match[str]) -> bool:
        """At the start of a stretch, or alone on its line; anywhere else it is a mention."""
        if self._nothing_before(step):
            return True
        return self._before(step) == "\n" and self._behind(step) == "\n"

    def _closing_after(self, at: int) -> re.Match[str] | None:
        """The end of thinking that begins at `at`. Quoted mentions and, when another end
        follows, those in a code block do not end it."""
        in_code: re.Match[str] | None = None
        fence = ""
        for step in _STEP.finditer(self._text, at):
            if bars := step["bars"]:
                fence = "" if fence and bars.startswith(fence) else fence or bars
            elif step["tag"] and "/" in step["tag"] and not self._quoted(step):
                if not fence:
                    return step
                in_code = in_code or step
        return in_code if self._finished else None

    def _quoted(self, step: re.Match[str]) -> bool:
        before, behind = self._before(step), self._behind(step)
        return bool(before and behind) and before in _QUOTES and behind in _QUOTES

    def _after_closing(self, step: re.Match[str]) -> int:
        if self._mentions:
            self._mentions -= 1
            return step.end()
        if not self._nothing_before(step) and (self._thought or not self._ends(step)):
            return step.end()
        self._add_thinking(self._text[self._start : step.start()], open=False)
        self._start = self._skip_space(step.end())
        return self._start

    def _ends(self, step: re.Match[str]) -> bool:
        """Whether a closing without an opening ends thinking that the template began: glued to
        its words, on a new line, or after a sentence; not in the middle of one."""
        before = self._before(step)
        if before in _QUOTES:
            return False
        if before not in " \t":
            return True
        words = self._text[max(self._start, step.start() - 80) : step.start()].rstrip(" \t")
        return words.endswith((*_SENTENCE_ENDS, "\n"))

    def _before(self, step: re.Match[str]) -> str:
        return self._text[step.start() - 1] if step.start() else "\n"

    def _behind(self, step: re.Match[str]) -> str:
        return self._text[step.end() : step.end() + 1]

    def _nothing_before(self, step: re.Match[str]) -> bool:
        return self._skip_space(self._start) >= step.start()

    def _skip_space(self, at: int) -> int:
        space = re.compile(r"\s*").match(self._text, at)
        return space.end() if space else at

    def _add_text(self, text: str) -> None:
        if text.strip():
            self._found.append(Part("text", text))

    def _add_thinking(self, text: str, *, open: bool) -> None:
        self._thought = True
        kept = text.lstrip() if open else text.strip()
        if kept or open:
            self._found.append(Part("thinking", kept, open))


def _begun_tag(text: str) -> int:
    """How many characters at the end may become a tag, or a tag whose line is not over yet."""
    tail = text[-_LONGEST:]
    for length in range(min(len(tail), _LONGEST), 0, -1):
        piece = tail[-length:].lower()
        if any(tag.lower().startswith(piece) for tag in OPENINGS + CLOSINGS):
            whole = any(tag.lower() == piece for tag in OPENINGS)
            return length if not whole or _undecided(text[: len(text) - length]) else 0
    return 0


def _undecided(before: str) -> bool:
    """An opening at the end of `before` counts only once its line is known to hold no more."""
    return before.endswith("\n") and bool(before.strip())
