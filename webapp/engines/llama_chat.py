"""Questions to a chat model, one at a time, with what was read last kept in memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import llama_cpp as lib

from webapp.engines.chat_template import CHATML_END, ChatTemplate
from webapp.engines.engine import Event, Finished, Reading, Request, Text, Turn
from webapp.engines.grammar import new_grammar
from webapp.engines.llama_memory import ContextMemory
from webapp.engines.llama_native import Log, NativeModel, StopFlag, free_sampler, new_sampler
from webapp.engines.text_stream import StopStrings, WholeCharacters
from webapp.errors import EngineFailed

Reason = Literal["stop", "length", "cancelled"]

# Tokens read between two reports; larger batches were not measurably faster.
_BATCH: Final = 128


class ChatModel:
    """Answers in one thread; `prompt` may be called from any other at the same time."""

    def __init__(
        self,
        path: Path,
        context_tokens: int,
        threads: int,
        stop: StopFlag,
        log: Log,
        *,
        kv_folder: Path | None = None,
        kv_bytes: int = 0,
    ) -> None:
        self._native = NativeModel(path, log)
        trained = self._native.trained_context
        self.context_tokens = min(context_tokens, trained) if context_tokens else trained
        self._stop = stop
        self._native.open_context(
            self.context_tokens, min(_BATCH, self.context_tokens), threads, stop, embedding=False
        )
        self._template = self._own_template()
        self.memory = ContextMemory(self._native, stop, kv_folder, kv_bytes)

    @property
    def notice(self) -> str:
        """What is to be told about the model's template, if it was not used."""
        return self._template.problem

    def prompt(self, turns: Sequence[Turn], tools: Sequence[dict[str, Any]] = ()) -> list[int]:
        """The tokens of the whole prompt."""
        vocabulary = self._native.vocabulary
        tokens: list[int] = []
        for piece in self._template.pieces(turns, tools):
            tokens += self._native.tokenize(piece, beginning_and_end=False, special=True)
        beginning = lib.llama_vocab_bos(vocabulary)
        if lib.llama_vocab_get_add_bos(vocabulary) and tokens[:1] != [beginning]:
            return [beginning, *tokens]
        return tokens

    def answer(self, request: Request, tell: Callable[[Event], None]) -> None:
        """Tell every event of one answer. EngineFailed at any point."""
        prompt = self.prompt(request.turns, request.tools)
        self._refuse_overflow(prompt)
        stops = (*request.stop, CHATML_END) if self._template.problem else request.stop
        run = _Run(len(prompt), stops, tell)
        room = min(request.max_tokens, self.context_tokens - len(prompt))
        sampler = self._sampler(request)
        try:
            read = self._read(prompt, run, passing=request.schema is not None)
            run.finish(run.write(self._tokens(sampler), room) if read else "cancelled")
        finally:
            free_sampler(sampler)

    def _own_template(self) -> ChatTemplate:
        native = self._native
        bos = native.text_of(lib.llama_vocab_bos(native.vocabulary))
        eos = native.text_of(lib.llama_vocab_eos(native.vocabulary))
        return ChatTemplate(native.chat_template, bos, eos, native.control_texts())

    def _refuse_overflow(self, prompt: Sequence[int]) -> None:
        if len(prompt) + 1 > self.context_tokens:
            raise EngineFailed(
                f"The conversation has {len(prompt):,} tokens, but the model's context holds "
                f"{self.context_tokens:,}.",
                do="Shorten the question, begin a new thread, or set a larger window.",
            )
        if not prompt:
            raise EngineFailed("There is nothing to answer.", do="Write a question.")

    def _read(self, prompt: list[int], run: _Run, *, passing: bool) -> bool:
        """Bring the prompt into memory, using again what is there; False if stopped."""
        run.reused = done = self.memory.recall(prompt, passing=passing)
        run.tell(Reading(done, len(prompt), run.reused))
        while done < len(prompt):
            end = self.memory.batch_end(done, len(prompt), _BATCH)
            if not self.memory.take(prompt[done:end]):
                return False
            done = end
            self.memory.save_before_last(done, len(prompt))
            run.tell(Reading(done, len(prompt), run.reused))
        return True

    def _sampler(self, request: Request) -> Any:
        native = self._native
        grammar = None
        if request.schema is not None:
            grammar = new_grammar(native.vocabulary, request.schema)
        return new_sampler(native.vocabulary_size, request.sampling, grammar)

    def _tokens(self, sampler: Any) -> Iterator[bytes | Reason]:
        """The bytes of each token, computed when the next is asked for; at the end a reason."""
        while not self._stop.raised:
            token = self._native.sample(sampler)
            if self._native.ends_answer(token):
                yield "stop"
                return
            yield self._native.piece(token)
            if not self.memory.take([token]):
                break
        yield "cancelled"


class _Run:
    """One answer on its way: its counts, its clock, and its text as it becomes certain."""

    def __init__(
        self, prompt_tokens: int, stops: Sequence[str], tell: Callable[[Event], None]
    ) -> None:
        self.tell = tell
        self.reused = 0
        self._prompt_tokens = prompt_tokens
        self._characters = WholeCharacters()
        self._stops = StopStrings(stops)
        self._output_tokens = 0
        self._begun = time.monotonic()
        self._first_token_seconds = 0.0

    def write(self, tokens: Iterator[bytes | Reason], room: int) -> Reason:
        """Pass text on until the model, a stop string or the room ends it."""
        if room <= 0:
            return "length"
        for piece in tokens:
            if isinstance(piece, str):
                return piece
            if not self._output_tokens:
                self._first_token_seconds = time.monotonic() - self._begun
            self._output_tokens += 1
            self._say(self._stops.feed(self._characters.feed(piece)))
            if self._stops.stopped:
                return "stop"
            if self._output_tokens >= room:
                return "length"
        return "stop"

    def finish(self, reason: Reason) -> None:
        self._say(self._stops.end())
        seconds = time.monotonic() - self._begun
        counts = (self._prompt_tokens, self.reused, self._output_tokens)
        self.tell(Finished(reason, *counts, self._first_token_seconds, seconds))

    def _say(self, text: str) -> None:
        if text:
            self.tell(Text(text, self._output_tokens))
