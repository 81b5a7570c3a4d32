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
    "<reflection>",
    "<seed:think>",
    "[THINK]",
    "◁think▷",
    "<|begin_of_thought|>",
    "<|START_THINKING|>",
)
_ENDS_IN_WORDS: Final = ("<|end_of_thought|>", "<|END_THINKING|>")
CLOSINGS: Final = (
    *(f"{tag[0]}/{tag[1:]}" for tag in OPENINGS[: -len(_ENDS_IN_WORDS)]),
    *_ENDS_IN_WORDS,
)

_TAG: Final = re.compile("|".join(map(re.escape, OPENINGS + CLOSINGS)), re.IGNORECASE)
_STEP: Final = re.compile(
    rf"(?P<fence>^ {{0,3}}(?P<bars>`{{3,}}|~{{3,}})[^\n]*)|(?P<ticks>`+)|(?P<tag>{_TAG.pattern})",
    re.IGNORECASE | re.MULTILINE,
)
_BEGINS: Final = re.compile(rf"\s*(?:{'|'.join(map(re.escape, OPENINGS))})", re.IGNORECASE)
_CLOSING: Final = frozenset(tag.lower() for tag in CLOSINGS)
_LONGEST: Final = max(map(len, OPENINGS + CLOSINGS))
_QUOTES: Final = "`'\"“”‘’"
_SENTENCE_ENDS: Final = tuple(".!?…:;)。！？：；）")
# Not behind a number: "1. <think>" is an item of a list that speaks of the tag.
_NEW_START: Final = re.compile(r"(?:\n|(?:^|[^\d\s])[.!?…。！？])[ \t]*\Z")
_BEHIND_A_WORD: Final = frozenset(".,:;!?)]}|/`'\"“”‘’。，：；！？）")
# Behind thinking that may have ended so many signs are looked at for the end of what it is in.
_FAR: Final = 24


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


def begins_again(before: str, behind: str) -> bool:
    """Whether an opening in the midst of an answer begins thinking and is no word of it: on a new
    line or behind a sentence, and glued to the words of the thought."""
    glued = bool(behind.strip()) and behind[0] not in _BEHIND_A_WORD
    return glued and _NEW_START.search(before[-80:]) is not None


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
        self._endless = False  # no closing follows any more

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
        return self._after_closing(step) if _closes(step) else self._after_opening(step)

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
        """At the start of a stretch, alone on its line, or where thinking begins again and ends;
        anywhere else it is a mention."""
        before, behind = self._before(step), self._behind(step)
        if self._nothing_before(step) or (before, behind) == ("\n", "\n"):
            return True
        words = self._text[max(self._start, step.start() - 80) : step.start()]
        return begins_again(words, behind) and not (self._finished and self._never_ends(step))

    def _never_ends(self, step: re.Match[str]) -> bool:
        self._endless = self._endless or self._closing_after(step.end()) is None
        return self._endless

    def _closing_after(self, at: int) -> re.Match[str] | None:
        """The end of thinking that begins at `at`. Quoted mentions and, when another end
        follows, those in a code block do not end it; nor do ends of what is nested in it."""
        in_code: re.Match[str] | None = None
        first: re.Match[str] | None = None
        fence, depth, passed = "", 0, 0
        for step in _STEP.finditer(self._text, at):
            passed += first is not None
            if passed > _FAR:
                break
            if bars := step["bars"]:
                fence = "" if fence and bars.startswith(fence) else fence or bars
            elif not step["tag"] or self._quoted(step):
                continue
            elif not _closes(step):
                alone = self._before(step) == "\n" or not self._behind(step).isspace()
                depth += not fence and alone
            elif fence:
                in_code = in_code or step
            elif not depth:
                return step if not first or self._ends_all(step) else first
            else:
                first, depth = first or step, depth - 1
        return first or (in_code if self._finished else None)

    def _ends_all(self, step: re.Match[str]) -> bool:
        """Whether this may be the end of thinking with more of it inside, and an answer is left."""
        return self._ends(step) and self._skip_space(step.end()) < len(self._text)

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
    """An opening at the end of `before` counts only once what stands behind it is known."""
    return bool(before.strip()) and _NEW_START.search(before[-80:]) is not None


def _closes(step: re.Match[str]) -> bool:
    return step["tag"].lower() in _CLOSING
