"""Sentences about anything: how near a question comes to what has nothing to do with it.

Embedding models put all texts near each other, short questions more so than long ones, and texts in
one kind of writing more so than in two. So a cosine says something only beside those of the
background, in the writing of the text that was found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from webapp.search.folding import DENSE
from webapp.search.vector_file import Vectors

_SPACED: Final = (
    "The meeting was moved to Thursday.",
    "He painted the fence green.",
    "Press the button twice to start the engine.",
    "Her uncle plays the violin badly.",
    "The train leaves from platform four.",
    "Please sort these numbers by size.",
    "It has been raining since noon.",
    "A spider sat in the corner of the bath.",
    "This function returns an empty list.",
    "Their team lost by two points.",
    "Good morning, how are you?",
    "She translated the poem into Danish.",
)
_DENSE: Final = (
    "会议改到星期四了。",
    "他把篱笆漆成绿色。",
    "按两下按钮启动机器。",
    "她叔叔拉小提琴拉得不好。",
    "火车从四号站台开出。",
    "请把这些数字按大小排列。",
    "从中午起一直在下雨。",
    "浴缸角落里有一只蜘蛛。",
    "这个函数返回一个空列表。",
    "他们队输了两分。",
    "早上好，你好吗？",
    "她把这首诗翻译成丹麦语。",
)


class Background:
    """Of one model: `embed` makes its vectors, shape (texts, dimension), in the order given."""

    def __init__(self, embed: Callable[[list[str]], Vectors]) -> None:
        vectors = embed([*_SPACED, *_DENSE])
        self._spaced = vectors[: len(_SPACED)].mean(axis=0)
        self._dense = vectors[len(_SPACED) :].mean(axis=0)

    def beside(self, question: Vectors) -> Beside:
        return Beside(float(self._spaced @ question), float(self._dense @ question))


class Beside:
    """The cosines of one question with the background, in the mean of each kind of writing."""

    def __init__(self, spaced: float, dense: float) -> None:
        self._spaced, self._dense = spaced, dense
        self.least = min(spaced, dense)

    def of(self, text: str) -> float:
        """In the writing of this text."""
        return self._dense if DENSE.search(text) else self._spaced
