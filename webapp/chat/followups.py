"""What to look for when a question leans on what was said before it ("and the fee?").

A question that stands by itself is searched as it is: no rewording finds more. One that leans on
earlier ones is searched in the words that the model made of it, when they add what was left out,
and else together with the question before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

LONGEST_SEARCHED: Final = 300
"""Characters; of a longer question a model's words for it say better what is looked for."""
_FEW_WORDS: Final = 3
_FEW_CHARACTERS: Final = 6
_LEANS: Final = re.compile(
    r"^\W*(?:and|but|or|so|also|then|why|how so|what about|how about|what else|which one|who else"
    r"|und|aber|oder|wieso|et|mais|pourquoi|y|pero|e|ma)\b"
    r"|\b(?:it|its|that|this|these|those|they|them|their|he|she|him|her|his|there|same|former|latter"
    r"|above|es|das|dies|diese[rsnm]?|sie|ihn|davon|dort|cela|ça|ceci|eso|esto|ello|questo)\b",
    re.IGNORECASE,
)
_LEANS_CJK: Final = re.compile(
    r"^\W*(?:那|还有|以及|では|それ|그리고|그럼)|[它他她]|其中|这个|那个|这些|那些|上面"
)
_WORD: Final = re.compile(r"\w+")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EMPTY_WORDS: Final = (
    "a an and are as at be been but by can could did do does for from had has have how i if in "
    "into is it its me my no not of on or our should so than that the their them then there these "
    "they this those to us was we were what when where which who whom whose why will with would "
    "you your about please tell"
)
EMPTY: Final = frozenset(_EMPTY_WORDS.split())
"""Words that say nothing of what is looked for."""


def leans(question: str) -> bool:
    """Whether it can hardly be understood without what was said before."""
    if _CJK.search(question):
        letters = sum(character.isalnum() for character in question)
        return letters <= _FEW_CHARACTERS or bool(_LEANS_CJK.search(question))
    return len(_content(question)) < _FEW_WORDS or bool(_LEANS.search(question))


def is_reworded(question: str, earlier: Sequence[str]) -> bool:
    """Whether a model is asked for words to search with."""
    return len(question) > LONGEST_SEARCHED or (bool(earlier) and leans(question))


def searched(question: str, earlier: Sequence[str], reworded: str = "") -> str:
    """The words to search with. `earlier` are the questions before it, oldest first; `reworded`
    is what a model made of it, if it was asked."""
    if not is_reworded(question, earlier):
        return question
    if len(question) > LONGEST_SEARCHED:
        return reworded or question
    if _content(reworded) - _content(question):
        return reworded
    return f"{_last(earlier)}\n{question}"


def _last(earlier: Sequence[str]) -> str:
    """The newest question that stands by itself: a chain of short ones leans on it."""
    return next((each for each in reversed(earlier) if not leans(each)), earlier[-1])


def _content(text: str) -> set[str]:
    """Words that say what is looked for; of scripts without spaces, characters."""
    words: set[str] = set()
    for word in _WORD.findall(text.lower()):
        words |= set(word) if _CJK.search(word) else {word}
    return words - EMPTY
