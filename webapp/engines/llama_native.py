"""One GGUF model in llama.cpp: load, tokens, decode. Used by the child only.

Calls into the library release the interpreter's lock, so another thread can raise the stop flag
while a batch is being computed. The low-level functions are used because the library's own
`Llama` cuts pieces of more than 32 bytes, cannot be interrupted, and sets aside memory for the
scores of a whole batch.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import llama_cpp as lib

from webapp.engines.engine import Sampling
from webapp.engines.model_files import unloadable
from webapp.errors import EngineFailed

ABORTED: Final = 2
_WARNING: Final = 3
_ERROR: Final = 4
_REPEAT_WINDOW: Final = 64
# Colder than this is as good as greedy, and numbers divided by less grow out of bounds.
_COLDEST: Final = 0.001
# Parameters of a context that do not change what it computes; pointers are left out by their type.
_NO_FACTS: Final = {"n_batch", "n_ubatch", "n_threads", "n_threads_batch", "no_perf"}
_TOKEN_CONTROL: Final = lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_UNKNOWN


class StopFlag:
    """Raised by one thread, seen by llama.cpp between two steps of its computation.

    llama.cpp asks a C function with a pointer: `strlen` of a text that is empty until the flag is
    raised. A function of ours would have to take the interpreter's lock a thousand times a token.
    """

    def __init__(self) -> None:
        self._text = ctypes.create_string_buffer(2)
        name = ctypes.util.find_library("msvcrt") if sys.platform == "win32" else None
        self._library = ctypes.CDLL(name)

    def raise_flag(self) -> None:
        self._text[0] = b"\1"

    def lower(self) -> None:
        self._text[0] = b"\0"

    @property
    def raised(self) -> bool:
        return self._text.value != b""

    def watch(self, context: Any) -> None:
        """Let computations in this context end early; the flag must outlive the context."""
        ask = ctypes.cast(self._library.strlen, lib.ggml_abort_callback)
        lib.llama_set_abort_callback(context, ask, ctypes.cast(self._text, ctypes.c_void_p))


class Log:
    """Warnings go to standard error; the last error is kept for the sentence a person gets.

    The newest one hears everything, and is kept for that: the library calls it at any time, also
    after nobody here holds it any more, and a call of what is gone ends the process."""

    _heard_by: Log  # the reference that keeps it

    def __init__(self) -> None:
        self.last_error = ""
        self._callback = lib.llama_log_callback(self._write)
        lib.llama_log_set(self._callback, ctypes.c_void_p(0))
        Log._heard_by = self

    def _write(self, level: int, text: bytes, _: Any) -> None:
        line = text.decode("utf-8", "replace")
        if level == _ERROR:
            self.last_error = line.strip()
        if level in (_WARNING, _ERROR):
            sys.stderr.write(line)


class NativeModel:
    """Weights and vocabulary, and after `open_context` a place to compute in."""

    def __init__(self, path: Path, log: Log) -> None:
        self.path = path
        self._log = log
        log.last_error = ""
        lib.llama_backend_init()
        self._model = lib.llama_model_load_from_file(
            os.fsencode(path), lib.llama_model_default_params()
        )
        if not self._model:
            raise unloadable(path, log.last_error)
        self.vocabulary = lib.llama_model_get_vocab(self._model)
        self._context: Any = None
        self._memory: Any = None
        self._embedding = False
        self.facts: dict[str, Any] = {}

    @property
    def trained_context(self) -> int:
        return int(lib.llama_model_n_ctx_train(self._model))

    @property
    def vocabulary_size(self) -> int:
        return int(lib.llama_vocab_n_tokens(self.vocabulary))

    @property
    def dimension(self) -> int:
        return int(lib.llama_model_n_embd(self._model))

    @property
    def chat_template(self) -> str:
        """The model's own Jinja template, or nothing."""
        source = lib.llama_model_chat_template(self._model, None)
        return source.decode("utf-8", "replace") if source else ""

    def open_context(
        self, tokens: int, batch: int, threads: int, stop: StopFlag, *, embedding: bool
    ) -> None:
        """Set aside memory for `tokens`, computed at most `batch` at a time."""
        params = lib.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = tokens, batch, batch
        params.n_threads = params.n_threads_batch = threads
        params.flash_attn_type = lib.LLAMA_FLASH_ATTN_TYPE_DISABLED
        params.embeddings, params.no_perf = embedding, True
        self._context = lib.llama_init_from_model(self._model, params)
        if not self._context:
            raise unloadable(self.path, self._log.last_error)
        self._embedding = embedding
        self.facts = _facts(params)
        self._memory = lib.llama_get_memory(self._context)
        self._stop = stop  # asked by the context as long as that lives
        stop.watch(self._context)

    def tokenize(self, text: str, *, beginning_and_end: bool, special: bool) -> list[int]:
        """`special`: texts of control tokens become these tokens instead of plain text."""
        data = text.encode("utf-8", "replace")
        room = len(data) // 2 + 16
        for _ in range(2):
            tokens = (lib.llama_token * room)()
            found = lib.llama_tokenize(
                self.vocabulary, data, len(data), tokens, room, beginning_and_end, special
            )
            if found >= 0:
                return tokens[:found]
            room = -found
        raise EngineFailed("The model's tokenizer failed on this text.", do="Shorten the text.")

    def piece(self, token: int) -> bytes:
        """The bytes of a token; none for control tokens. It may end within a character."""
        room = 128
        while True:
            buffer = ctypes.create_string_buffer(room)
            size = lib.llama_token_to_piece(self.vocabulary, token, buffer, room, 0, False)
            if size >= 0:
                return buffer.raw[:size]
            room = -size

    def control_texts(self) -> list[str]:
        """How the control tokens are spelled, such as the mark that ends a turn."""
        marks = (
            lib.llama_vocab_get_text(self.vocabulary, token)
            for token in range(self.vocabulary_size)
            if lib.llama_vocab_get_attr(self.vocabulary, token) & _TOKEN_CONTROL
        )
        return [mark.decode("utf-8", "replace") for mark in marks if mark]

    def text_of(self, token: int) -> str:
        text = lib.llama_vocab_get_text(self.vocabulary, token) if token >= 0 else b""
        return text.decode("utf-8", "replace") if text else ""

    def ends_answer(self, token: int) -> bool:
        return bool(lib.llama_vocab_is_eog(self.vocabulary, token))

    def forget_after(self, kept: int) -> bool:
        """Keep only the first `kept` tokens in memory; False if the model cannot do it partly."""
        if kept and lib.llama_memory_seq_rm(self._memory, 0, kept, -1):
            return True
        if self._memory:
            lib.llama_memory_clear(self._memory, True)
        return not kept

    @property
    def forgets_partly(self) -> bool:
        """Whether the end of what it read can be dropped; recurrent models keep one sum of all."""
        recurrent = lib.llama_model_is_recurrent(self._model)
        return bool(self._memory) and not (recurrent or lib.llama_model_is_hybrid(self._model))

    @property
    def state_bytes(self) -> int:
        """What `state` would give, without computing it."""
        return int(lib.llama_state_seq_get_size(self._context, 0)) if self._memory else 0

    def state(self, tokens: int) -> bytearray | None:
        """The memory as bytes; None if it does not hold just so many tokens."""
        if not self._holds(tokens):
            return None
        state = bytearray(self.state_bytes)
        view = (ctypes.c_uint8 * len(state)).from_buffer(state)
        size = lib.llama_state_seq_get_data(self._context, view, len(state), 0)
        return state if size == len(state) else None

    def put_state(self, state: bytearray, tokens: int) -> bool:
        """Replace the memory; False, with nothing in memory, if it does not take these bytes.

        They must be what `state` gave, on the same model with the same `facts`."""
        self.forget_after(0)
        view = (ctypes.c_uint8 * len(state)).from_buffer(state)
        size = lib.llama_state_seq_set_data(self._context, view, len(state), 0)
        if size == len(state) and self._holds(tokens):
            return True
        self.forget_after(0)
        return False

    def _holds(self, tokens: int) -> bool:
        last = lib.llama_memory_seq_pos_max(self._memory, 0) if self._memory else -1
        return 0 < tokens == last + 1

    def decode(self, tokens: Sequence[int]) -> bool:
        """Compute the next tokens; False if the stop flag ended it. EngineFailed otherwise."""
        size = len(tokens)
        numbers = (lib.llama_token * size)(*tokens)  # both arrays live until the call is over
        every_output = (ctypes.c_int8 * size)(*[1] * size)
        batch = lib.llama_batch_get_one(numbers, size)
        if self._embedding:
            batch.logits = every_output
        code = lib.llama_decode(self._context, batch)
        if code not in (0, ABORTED):
            raise EngineFailed(
                f"The model {self.path.name} failed to compute (code {code}).", do="Ask again."
            )
        return bool(code == 0)

    def sample(self, sampler: Any) -> int:
        return int(lib.llama_sampler_sample(sampler, self._context, -1))

    def pooled(self) -> list[float]:
        """The vector of the text just decoded, as the model gives it; empty if it has none."""
        vector = lib.llama_get_embeddings_seq(self._context, 0)
        return vector[: self.dimension] if vector else []


def _facts(params: Any) -> dict[str, Any]:
    """All that has to be the same for a state to fit again, besides the model."""
    names = [name for name, *_ in params._fields_ if name not in _NO_FACTS]
    values = {name: getattr(params, name) for name in names}
    told = {name: value for name, value in values.items() if isinstance(value, int | float)}
    return {**told, "library": lib.__version__, "byteorder": sys.byteorder}


def new_sampler(vocabulary_size: int, sampling: Sampling, grammar: Any = None) -> Any:
    """A chain that the caller frees with `free_sampler`, the grammar with it. Values out of range
    are drawn in."""
    chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
    if grammar:  # first, so that the others only choose among what fits
        lib.llama_sampler_chain_add(chain, grammar)
    repeat = min(max(_number(sampling.repeat_penalty, 1.0), 0.01), 100.0)
    temperature = max(_number(sampling.temperature, 0.7), 0.0)
    parts = [lib.llama_sampler_init_penalties(vocabulary_size, _REPEAT_WINDOW, repeat, 0.0, 0.0)]
    if temperature < _COLDEST:
        parts.append(lib.llama_sampler_init_greedy())
    else:
        top_p = min(max(_number(sampling.top_p, 1.0), 0.0), 1.0)
        seed = lib.LLAMA_DEFAULT_SEED if sampling.seed is None else sampling.seed & 0xFFFFFFFF
        parts += [
            lib.llama_sampler_init_top_k(min(max(int(sampling.top_k), 0), 2**31 - 1)),
            lib.llama_sampler_init_top_p(top_p, 1),
            lib.llama_sampler_init_temp(temperature),
            lib.llama_sampler_init_dist(seed),
        ]
    for part in parts:
        lib.llama_sampler_chain_add(chain, part)
    return chain


def free_sampler(chain: Any) -> None:
    lib.llama_sampler_free(chain)


def _number(value: float, otherwise: float) -> float:
    return float(value) if math.isfinite(value) else otherwise
