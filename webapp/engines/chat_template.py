"""From turns to the text a model was trained on, through its own chat template.

What a person writes never becomes a control token: a spelled-out control token in a turn is cut
into two pieces that are tokenized apart. All other text is left exactly as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from webapp.engines.engine import Turn
from webapp.errors import EngineFailed

# A code point that Unicode sets aside for internal use: it cannot be part of anyone's text.
_CUT: Final = "\ufdd0"
_NEVER_TEXT: Final = re.compile("[\ud800-\udfff\ufdd0]")

_Formatter = Callable[[list[dict[str, str]], list[Any]], str]

# Used when a model file brings no template, or one that cannot be read.
CHATML: Final = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CHATML_END: Final = "<|im_end|>"


class ChatTemplate:
    """`source` is the model's template; `controls` the spellings of its control tokens."""

    def __init__(self, source: str, bos: str, eos: str, controls: Sequence[str]) -> None:
        self._formatter, self.problem = _formatter(source, bos, eos)
        marks = sorted({*controls, CHATML_END} - {""}, key=len, reverse=True)
        self._control = re.compile("|".join(re.escape(mark) for mark in marks if len(mark) > 1))

    def pieces(self, turns: Sequence[Turn], tools: Sequence[dict[str, Any]]) -> list[str]:
        """The prompt in pieces, to be tokenized one by one, control tokens included.

        Almost always one piece. EngineFailed when the template refuses these turns."""
        messages = [
            {"role": self._inert(turn.role), "content": self._inert(turn.content)} for turn in turns
        ]
        offered = json.loads(self._inert(json.dumps(list(tools), ensure_ascii=False)))
        return [piece for piece in self._prompt(messages, offered).split(_CUT) if piece]

    def _prompt(self, messages: list[dict[str, str]], tools: list[Any]) -> str:
        try:
            return self._rendered(messages, tools)
        except EngineFailed:
            folded = _system_folded(messages)
            if folded == messages:
                raise
            return self._rendered(folded, tools)

    def _rendered(self, messages: list[dict[str, str]], tools: list[Any]) -> str:
        try:
            return self._formatter(messages, tools)
        except Exception as fault:  # a template is foreign code and may raise anything
            raise EngineFailed(
                f"The model's chat template refuses this conversation: {fault}.",
                do="Begin a new thread, or choose another model.",
            ) from fault

    def _inert(self, text: str) -> str:
        """Cut every control token, also those that overlap another one."""
        clean, before = _NEVER_TEXT.sub("\ufffd", text), ""
        while clean != before:
            before = clean
            clean = self._control.sub(lambda mark: mark[0][0] + _CUT + mark[0][1:], before)
        return clean


def _formatter(source: str, bos: str, eos: str) -> tuple[_Formatter, str]:
    """A formatter, and what is to be told when the model's own template is not used."""
    if not source:
        return _formatter(CHATML, bos, eos)[0], "the model has no chat template"
    try:
        formatter: Any = Jinja2ChatFormatter(template=source, eos_token=eos, bos_token=bos)
    except Exception as fault:  # a template is foreign code and may raise anything
        return _formatter(CHATML, bos, eos)[0], f"the model's chat template is broken: {fault}"
    return lambda messages, tools: formatter(messages=messages, tools=tools or None).prompt, ""


def _system_folded(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """Instructions joined to the first question, for templates without a system role."""
    match messages:
        case [{"role": "system", "content": told}, {"role": "user", "content": asked}, *rest]:
            return [{"role": "user", "content": f"{told}\n\n{asked}"}, *rest]
    return messages
