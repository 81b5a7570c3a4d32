"""What the engine's context holds of which conversation, and what is kept of others in files.

A prompt keeps what it shares with the tokens in memory. Where a file shares more, it is loaded
instead; what that drops is saved first. The rest is written down in pauses. Used by the child only.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from webapp.engines.kv_identity import ModelHash, identity
from webapp.engines.kv_shelf import KvShelf, Saved, usable
from webapp.engines.llama_native import NativeModel, StopFlag
from webapp.errors import EngineFailed

# Tokens that a file must spare more than memory does; that must be lost for memory to be saved
# before; and that a state must hold to be kept at all.
_WORTH_LOADING: Final = 32
_WORTH_STAYING: Final = 32
_WORTH_SAVING: Final = 128
# Silence before a pause is used; larger states are written after longer ones, and so less often.
_SECONDS: Final = 0.5
_BYTES_A_SECOND: Final = 50e6
_HASHES: Final = "models.json"


class ContextMemory:
    """The tokens of one native context, always the same as what that holds.

    `folder` is where states are kept, at most `most_bytes` of them; None or 0: nowhere."""

    def __init__(
        self, native: NativeModel, stop: StopFlag, folder: Path | None, most_bytes: int
    ) -> None:
        self._native = native
        self._stop = stop
        self._folder = folder
        self._most_bytes = most_bytes
        self._tokens = array("i")
        self._passing = False
        self._shelf: KvShelf | None = None
        self._hash = ModelHash(native.path, folder / _HASHES) if folder and most_bytes else None
        self._open_shelf()

    def recall(self, prompt: Sequence[int], *, passing: bool = False) -> int:
        """Make memory hold as much of the prompt's beginning as there is, and nothing else; how
        many tokens that are. The last is never among them: only a fresh reading gives the scores
        of what follows. Nobody goes on from a `passing` prompt: of many that begin alike one file
        is enough."""
        wanted = array("i", prompt[:-1]).tobytes()
        kept = usable(self._tokens.tobytes(), wanted, partly=self._native.forgets_partly)
        saved = self._shelf.best(wanted, kept + _WORTH_LOADING) if self._shelf else None
        if len(self._tokens) - kept >= _WORTH_STAYING and not self._is_spare():
            self.save()
        self._passing = passing
        kept = self._load(saved, kept) if saved else kept
        kept = kept if self._native.forget_after(kept) else 0
        del self._tokens[kept:]
        return kept

    def take(self, tokens: Sequence[int]) -> bool:
        """Compute tokens that follow those in memory; False if stopped before or meanwhile."""
        if self._stop.raised:
            return False
        try:
            taken = self._native.decode(tokens)
        except EngineFailed:
            self._forget_from(0)
            raise
        if taken:
            self._tokens.extend(tokens)
        else:  # part of them may have been computed
            self._forget_from(len(self._tokens) if self._native.forgets_partly else 0)
        return taken

    def batch_end(self, done: int, total: int, most: int) -> int:
        """Where a batch of a prompt should end. A model that cannot forget partly must be saved
        before the last token, which each reading needs afresh."""
        end = min(done + most, total)
        return end if self._native.forgets_partly or done >= total - 1 else min(end, total - 1)

    def save_before_last(self, done: int, total: int) -> None:
        """Called after each batch of a prompt."""
        if done == total - 1 and not self._native.forgets_partly:
            self.save()

    def silence(self) -> float:
        """Seconds to wait for the next task before `use_pause`."""
        return _SECONDS + self._native.state_bytes / _BYTES_A_SECOND

    def use_pause(self, wanted: Callable[[], bool]) -> None:
        """Save what is in memory; ends early when `wanted()`."""
        if self._hash and not self._shelf:
            self._hash.advance(wanted)
            self._open_shelf()
        if not self._is_spare():
            self.save(wanted)

    def save(self, wanted: Callable[[], bool] = lambda: False) -> None:
        """Write down what is in memory, if that spares enough and is not there yet."""
        tokens = self._tokens.tobytes()
        worth = self._shelf and len(self._tokens) >= _WORTH_SAVING
        if not self._shelf or not worth or wanted() or self._shelf.is_kept(tokens):
            return
        if self._native.state_bytes > self._most_bytes:
            return
        with suppress(MemoryError):  # a state is copied before it is written
            state = self._native.state(len(self._tokens))
            if state:
                self._shelf.save(tokens, state, wanted)

    def _is_spare(self) -> bool:
        """What is in memory passes, and a file has most of it."""
        tokens, most = self._tokens.tobytes(), len(self._tokens) * 3 // 4
        return bool(self._passing and self._shelf and self._shelf.best(tokens, most))

    def _open_shelf(self) -> None:
        if self._hash and self._hash.digest and self._folder:
            whose = identity(self._hash.digest, self._native.facts)
            partly = self._native.forgets_partly
            self._shelf = KvShelf(self._folder, self._most_bytes, whose, partly=partly)

    def _load(self, saved: Saved, otherwise: int) -> int:
        """Tokens of the prompt in memory after loading a file, which may turn out damaged."""
        state = self._shelf.lend(saved) if self._shelf else None
        if state is None or not self._shelf:
            return otherwise
        tokens = array("i")
        tokens.frombytes(saved.tokens)
        del self._tokens[:]
        loaded = self._native.put_state(state, len(tokens))
        self._shelf.take_back(saved, usable=loaded)
        if not loaded:
            return 0
        self._tokens = tokens
        return saved.shared

    def _forget_from(self, kept: int) -> None:
        kept = kept if self._native.forget_after(kept) else 0
        del self._tokens[kept:]
