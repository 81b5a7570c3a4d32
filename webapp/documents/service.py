"""Documents: what the pages, the tools and the window call to have files read, found and sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from webapp.chat.inlined import InlinedFile, block
from webapp.documents import files
from webapp.documents.acts import FileActs
from webapp.documents.background import Background
from webapp.documents.board import Board, FilesNow, FileState
from webapp.documents.chunking import Chunking
from webapp.documents.current_model import CurrentModel
from webapp.documents.document import Document
from webapp.documents.embedding import Embedder, EmbeddingModel, TextVectors
from webapp.documents.files import Stream
from webapp.documents.ingest import Ingest
from webapp.documents.opening import OpenScopes
from webapp.documents.parsing.limits import MB, Limits
from webapp.documents.passages import StoredPassage
from webapp.documents.reembedding import Reembedding
from webapp.documents.retrieval import Answers, Retrieval, Search
from webapp.documents.routing import Candidate, Route, Use, routes
from webapp.documents.scope import Scope, gone, owner, project_scope, thread_scope
from webapp.documents.scope_locks import ScopeLocks
from webapp.documents.tables import PassageTables
from webapp.documents.uploads import Duplicate, Stored, Uploads
from webapp.documents.vector_cache import VectorCache
from webapp.errors import Conflict, StrataError

# Of a long text so much is counted first: counting all of a book only shows that it is too long.
_CHARACTERS_A_TOKEN: Final = 8


@dataclass(frozen=True)
class DocumentOptions:
    """`file_bytes` is the largest file taken; `use` is how files are sent unless a person chose
    for one; `search` is how passages are looked for unless the call says it."""

    file_bytes: int = 20 * MB
    chunking: Chunking = Chunking()
    search: Search = Search()
    use: Use = "auto"


@dataclass(frozen=True)
class Compared:
    """Unit-length vectors of `model`, one for each text and each passage."""

    model: EmbeddingModel
    texts: list[list[float]]
    passages: list[list[float]]


class Documents:
    """One for each data directory. Calls may come from any thread. `acts` are what a person does
    to one file: cancel, retry, delete.

    Files belong to a scope: `thread(id)` or `project(id)`. A file that is not there is NotFound,
    and so are those of a thread in the trash."""

    def __init__(
        self,
        data: Path,
        embedder: Embedder,
        model: EmbeddingModel,
        *,
        clock_ms: Callable[[], int],
        new_id: Callable[[], str],
        options: DocumentOptions | None = None,
    ) -> None:
        self._data = data
        self._options = options = options or DocumentOptions()
        self._background = Background()
        self._tables = PassageTables(data / "lance", self._background)
        self._model = CurrentModel(embedder, model, VectorCache(data / "cache/vectors.sqlite3"))
        self._retrieval = Retrieval(self._tables, self._model.vectors_if_known)
        self.reembedding = Reembedding(self._tables, self._background, self._model.vectors)
        self._board, self._locks = Board(), ScopeLocks()
        most, parts = options.file_bytes, (self._board, self._locks)
        all_parts = (*parts, self._tables, self._model)
        self._ingest = Ingest(
            *all_parts, self.reembedding, limits=Limits(most), chunking=options.chunking
        )
        self._scopes = OpenScopes(data, *parts, self._tables, self._ingest)
        self.acts = FileActs(*all_parts, ingest=self._ingest, scopes=self._scopes)
        self._uploads = Uploads(
            *parts, self._ingest, clock_ms=clock_ms, new_id=new_id, most_bytes=most
        )

    def thread(self, thread_id: str) -> Scope:
        return thread_scope(self._data, thread_id)

    def project(self, project_id: str) -> Scope:
        return project_scope(self._data, project_id)

    def adopt(self, options: DocumentOptions) -> None:
        """From now on; passages that are there already stay as they were cut."""
        self._options = options
        self._ingest.adopt(Limits(options.file_bytes), options.chunking)
        self._uploads.most_bytes = options.file_bytes

    # --- files come and go ---

    def add(self, scope: Scope, name: str, stream: Stream, size: int = 0) -> Stored | Duplicate:
        """Comes back when the file is safely stored; reading it goes on in the background. A
        duplicate that did not end well is tried again.

        The caller has made sure that the thread or project is there. Unreadable when it is too
        large, StorageFailed when the disk refuses, Conflict when it was cancelled meanwhile."""
        self._scopes.opened(scope)
        added = self._uploads.add(scope, name, stream, size)
        if isinstance(added, Duplicate) and added.state.stage in ("stopped", "rejected"):
            with suppress(Conflict):
                self.acts.retry(scope, added.state.id)
        return added

    # --- files are looked at ---

    def status(self, scope: Scope) -> tuple[FileState, ...]:
        """All files, oldest first."""
        return self.now(scope).files

    def now(self, scope: Scope) -> FilesNow:
        """The same with a version, to `wait` for a later one."""
        self._scopes.opened(scope)
        return self._board.now(scope)

    def wait(self, scope: Scope, after_version: int, timeout: float) -> FilesNow:
        """As it is once the version passes `after_version`, or at the time-out (seconds)."""
        self._scopes.opened(scope)
        return self._board.wait(scope, after_version, timeout)

    def wait_over(self, scope: Scope, timeout: float) -> FilesNow:
        """As it is once no file is being worked on, or at the time-out (seconds)."""
        self._scopes.opened(scope)
        return self._board.wait_over(scope, timeout)

    def state(self, scope: Scope, file_id: str) -> FileState:
        self._scopes.opened(scope)
        return self._board.state(scope, file_id)

    def original(self, scope: Scope, file_id: str) -> Path:
        """The file as it came, stored under a name of ours."""
        self.state(scope, file_id)
        return files.original(scope, file_id)

    def text(self, scope: Scope, file_id: str) -> Document:
        """NotFound while it has none, Damaged when it has to be read again."""
        self.state(scope, file_id)
        return files.text(scope, file_id)

    # --- passages are found ---

    @property
    def search_settings(self) -> Search:
        """How passages are looked for unless a call says otherwise."""
        return self._options.search

    def search(
        self,
        scopes: Iterable[Scope],
        question: str,
        search: Search | None = None,
        file_id: str = "",
    ) -> Answers:
        """In the ready files of all `scopes`, or in that one file only. Its notes say which are not
        ready. BadInput for an empty question."""
        known = {
            scope.table: tuple(each for each in self.status(scope) if file_id in ("", each.id))
            for scope in scopes
        }
        found = self._retrieval.search(
            question, _ready(known.items()), search or self._options.search
        )
        waiting = sum(not state.is_over for states in known.values() for state in states)
        if waiting:
            are = "1 file is" if waiting == 1 else f"{waiting} files are"
            return replace(found, notes=(*found.notes, f"{are} still being read."))
        return found

    def chunks(
        self, scope: Scope, file_id: str, first: int, last: int
    ) -> tuple[StoredPassage, ...]:
        """The passages of a ready file whose order is `first` to `last`, both included; 20 at
        most."""
        ready = _ready([(scope.table, self.status(scope))])
        return self._retrieval.neighbours(ready, file_id, first, last)

    def compared(
        self, scope: Scope, texts: Sequence[str], passages: Sequence[str], file_ids: Sequence[str]
    ) -> Compared:
        """Texts that come from no file, to be compared with passages of the files `file_ids`, one
        for each. Vectors of passages are kept as long as their file. EngineFailed when the model
        does not answer."""
        vectors = self._model.vectors()
        known = {state.id: owner(scope.table, state.id) for state in self.status(scope)}
        owners = [known.get(file_id, "") for file_id in file_ids]
        of_texts = vectors.of_passages(texts)
        of_passages = vectors.of_passages(passages, owners=owners)
        return Compared(vectors.model, of_texts.tolist(), of_passages.tolist())

    def vectors(self) -> TextVectors:
        """Of texts that belong to no file. EngineFailed when the model has to be measured."""
        return self._model.vectors()

    # --- texts are sent ---

    def routes(
        self,
        scope: Scope,
        file_ids: Sequence[str],
        free_tokens: int,
        count: Callable[[str], int],
        use: Use | None = None,
    ) -> dict[str, Route]:
        """How each of these files of one message gets to the model; `count` counts tokens."""
        most = max(0, free_tokens)
        candidates = (self._candidate(scope, file_id, count, most) for file_id in file_ids)
        return routes(candidates, use or self._options.use, free_tokens)

    def inlined(self, scope: Scope, file_ids: Iterable[str]) -> list[dict[str, str]]:
        """Records for a message's `inline_file_contents`."""
        return [
            {"name": self.state(scope, each).name, "content": self.text(scope, each).text}
            for each in file_ids
        ]

    # --- the life of scopes and of this ---

    def resume(self) -> None:
        """Go on with what the last end of the server interrupted. To be called once, when there
        is time for it; a scope that is looked at before goes on by itself."""
        self._scopes.resume()

    @contextmanager
    def leaving(self, scope: Scope) -> Iterator[None]:
        """To be held around what moves a thread to the trash, or deletes a project: work on its
        files ends and its table is dropped, unless the block fails."""
        with self._scopes.leaving(scope):
            yield
        self.forget_deleted()

    def forget_deleted(self) -> None:
        """To be called when threads have left the trash for good: vectors that were kept of their
        files go, in the background. So does what a crash left of this."""
        self._background.add("vectors of deleted files", self._forget_deleted)

    def returned(self, scope: Scope) -> None:
        """A thread is back from the trash: its files are embedded again in the background."""
        self._scopes.returned(scope)

    def wait_idle(self, timeout: float) -> bool:
        """Until all work and upkeep is done; False when that took too long (seconds)."""
        return self._ingest.wait(timeout) and self._background.wait(timeout)

    def stop(self) -> None:
        """Nothing new begins; what waits for the engine ends as soon as that is closed."""
        self._ingest.stop()
        self._background.stop()

    def close(self) -> None:
        """Stop, and wait until all has ended. Idempotent. What is under way goes on next time."""
        self._ingest.close()
        self._background.close()

    # --- inside ---

    def _forget_deleted(self) -> None:
        self._model.forget(gone(self._data, self._model.owners()))

    def _candidate(
        self, scope: Scope, file_id: str, count: Callable[[str], int], most: int
    ) -> Candidate:
        """Tokens beyond `most` need not be exact."""
        state = self.state(scope, file_id)
        tokens = None
        with suppress(StrataError):
            content = files.text(scope, file_id).text
            begin = content[: _CHARACTERS_A_TOKEN * most]
            tokens = count(block(InlinedFile(state.name, begin)))
            if tokens <= most and len(begin) < len(content):
                tokens = count(block(InlinedFile(state.name, content)))
        return Candidate(file_id, tokens, state.facts.use, scope.kind == "project")


def _ready(known: Iterable[tuple[str, tuple[FileState, ...]]]) -> dict[str, dict[str, str]]:
    return {
        table: {state.id: state.name for state in states if state.is_ready}
        for table, states in known
    }
