"""From a question to the passages that answer it.

One meaning of a score on every path: the cosine on the scale of its model, 0 to 1, 1 best. Where
the model cannot compare (it does not read the script, failed, or did not make the table), words
decide, and the passages say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from webapp.documents.calibration import Reading
from webapp.documents.embedding import EmbeddingModel, TextVectors, cleaned
from webapp.documents.passages import Found, Hit, Passage, StoredPassage
from webapp.documents.ranking import fused, without_repeats
from webapp.documents.scripts import script_of
from webapp.documents.tables import Mode, PassageTables
from webapp.documents.vectors import Vectors
from webapp.errors import BadInput, BadSetting, EngineFailed, NotFound

# Tables, and in each the files that may be found, by id, with their names.
Scope = Mapping[str, Mapping[str, str]]

MOST_PASSAGES: Final = 20
MOST_NEIGHBOURS: Final = 20
_WIDE: Final = 20
_LONGEST_QUESTION: Final = 2000
_LARGEST: Final = 2**31 - 1
_OTHER_MODEL: Final = (
    "Some files are still being embedded by the new model; until then their passages are found by "
    "their words."
)
_UNREAD: Final = "The embedding model {model} does not read {script}; passages were found by words."


@dataclass(frozen=True)
class Search:
    """`limit` passages at most, each with a score of `threshold` at least.

    `hybrid` looks for words too and lets both rankings vote; the threshold holds all the same."""

    limit: int = 3
    threshold: float = 0.3
    how: Literal["vector", "hybrid"] = "hybrid"
    mode: Mode = "auto"

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST_PASSAGES or not 0 <= self.threshold <= 1:
            raise BadSetting(
                f"{self.limit} passages with a score of {self.threshold} cannot be looked for.",
                do=f"Choose 1 to {MOST_PASSAGES} passages and a score from 0 to 1.",
            )

    @property
    def wide(self) -> int:
        """How many candidates each ranking offers."""
        return max(_WIDE, 2 * self.limit)


@dataclass(frozen=True)
class Answers:
    """Best first. `notes` are sentences a person should see."""

    passages: tuple[Passage, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Asked:
    """`vector` is None when the model cannot take this question."""

    question: str
    model: EmbeddingModel
    vector: Vectors | None
    search: Search


class Retrieval:
    """`current` gives the embedding model in use, which may change at any time."""

    def __init__(
        self,
        tables: PassageTables,
        current: Callable[[], TextVectors],
        reading: Reading | None = None,
    ) -> None:
        self._tables = tables
        self._current = current
        self._reading = reading or Reading()

    def search(self, question: str, scope: Scope, search: Search | None = None) -> Answers:
        """Only passages of files in `scope` are looked at. BadInput for an empty question."""
        question = cleaned(question)[:_LONGEST_QUESTION]
        if not question:
            raise BadInput("There is nothing to search for.", do="Write a few words.")
        spaces = self._spaces(scope)
        if not spaces:
            return Answers(())
        vectors = self._current()
        vector, notes = self._vector(vectors, question)
        asked = _Asked(question, vectors.model, vector, search or Search())
        if vector is not None and set(spaces.values()) != {vectors.model.space}:
            notes.append(_OTHER_MODEL)
        by_meaning: list[Passage] = []
        by_words: list[tuple[float, Passage]] = []
        for name, space in spaces.items():
            to = vector if space == vectors.model.space else None
            by_meaning += self._meant(name, scope[name], to, asked)
            by_words += self._worded(name, scope[name], to, asked)
        return Answers(_best(by_meaning, by_words, asked.search), tuple(notes))

    def neighbours(
        self, scope: Scope, file_id: str, first: int, last: int
    ) -> tuple[StoredPassage, ...]:
        """The passages of a file whose order is `first` to `last`, both included, 20 at most.

        NotFound for a file that is not in `scope`."""
        name = next((name for name, files in scope.items() if file_id in files), None)
        if name is None:
            raise NotFound("There is no such file here.", do="List the files, and take one's id.")
        first = min(max(0, first), _LARGEST)
        last = min(last, first + MOST_NEIGHBOURS - 1)
        return tuple(self._tables.between(name, file_id, first, last))

    def _spaces(self, scope: Scope) -> dict[str, str]:
        """Which model made each of the tables that have something to offer."""
        facts = {name: self._tables.facts(name) for name, files in scope.items() if files}
        return {name: each.space for name, each in facts.items() if each and each.rows}

    def _vector(self, vectors: TextVectors, question: str) -> tuple[Vectors | None, list[str]]:
        script = script_of(question)
        try:
            if self._reading.can_read(vectors, script):
                return vectors.of_question(question), []
        except EngineFailed as error:
            return None, [f"{error.what} Passages were found by their words."]
        return None, [_UNREAD.format(model=vectors.model.name, script=script)]

    def _meant(
        self, name: str, files: Mapping[str, str], to: Vectors | None, asked: _Asked
    ) -> list[Passage]:
        if to is None:
            return []
        hits = self._tables.nearest(name, to, asked.search.wide, files, asked.search.mode)
        passages = [_by_meaning(hit, files, asked.model) for hit in hits]
        return [passage for passage in passages if passage.score >= asked.search.threshold]

    def _worded(
        self, name: str, files: Mapping[str, str], to: Vectors | None, asked: _Asked
    ) -> list[tuple[float, Passage]]:
        if to is not None and asked.search.how == "vector":
            return []
        hits = self._tables.matching(name, asked.question, asked.search.wide, files, to)
        best = max((hit.rank for hit in hits), default=0.0)
        passages = [
            (
                hit.rank,
                _by_words(hit, files, best) if to is None else _by_meaning(hit, files, asked.model),
            )
            for hit in hits
        ]
        return [each for each in passages if each[1].score >= asked.search.threshold]


def _best(
    by_meaning: list[Passage], by_words: list[tuple[float, Passage]], search: Search
) -> tuple[Passage, ...]:
    by_meaning.sort(key=lambda passage: -(passage.cosine or 0.0))
    by_words.sort(key=lambda each: -each[0])
    found = fused([by_meaning, [passage for _, passage in by_words]])
    return tuple(without_repeats(found)[: search.limit])


def _by_meaning(hit: Hit, files: Mapping[str, str], model: EmbeddingModel) -> Passage:
    return _named(hit.passage, files, model.score(hit.cosine), hit.cosine, "meaning")


def _by_words(hit: Hit, files: Mapping[str, str], best: float) -> Passage:
    return _named(hit.passage, files, hit.rank / best if best > 0 else 0.0, None, "words")


def _named(
    found: StoredPassage, files: Mapping[str, str], score: float, cosine: float | None, by: Found
) -> Passage:
    return Passage(**vars(found), file_name=files[found.file_id], score=score, cosine=cosine, by=by)
