"""The tool that finds what the files say about something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from webapp.documents.document import describe
from webapp.documents.passages import Passage
from webapp.documents.retrieval import MOST_PASSAGES
from webapp.documents.tools.tool import Arguments, Outcome, Reach, function, result, written

# Of what the threshold took away the trace shows the best; all are counted.
_SHOWN_REMOVED: Final = 3


class Retrieve:
    name = "retrieve"

    def schema(self, limit: int) -> dict[str, Any]:
        return function(
            self.name,
            "Find passages of the attached files that answer a question. "
            "Use the query only; do not pass text of the documents.",
            {
                "query": {
                    "type": "string",
                    "description": "What to look for, in words that make sense by themselves.",
                },
                "top_k": {
                    "type": "integer",
                    "description": "How many passages at most.",
                    "minimum": 1,
                    "maximum": limit,
                },
            },
            ("query",),
        )

    def run(self, reach: Reach, arguments: Arguments) -> Outcome:
        # The threshold is applied here, so that what it takes away can be told.
        wide = replace(reach.search, limit=MOST_PASSAGES, threshold=0.0)
        answers = reach.documents.search(reach.scopes, arguments["query"], wide)
        found = [each for each in answers.passages if each.file_id not in reach.skipped]
        threshold = reach.search.threshold
        fit = [each for each in found if each.score >= threshold]
        removed = [each for each in found if each.score < threshold]
        kept = tuple(fit[: arguments.get("top_k", reach.search.limit)])
        trace = {
            "hits": [
                *_hits(reach, kept, kept=True),
                *_hits(reach, removed[:_SHOWN_REMOVED], kept=False),
            ],
            "threshold": threshold,
            "removed": len(removed),
            "note": " ".join(answers.notes),
        }
        results = [result(each, score=round(each.score, 4)) for each in kept]
        notes = {"notes": list(answers.notes)} if answers.notes else {}
        return Outcome(written({"results": results, **notes}), kept, trace)


def _hits(reach: Reach, passages: Sequence[Passage], *, kept: bool) -> list[dict[str, Any]]:
    return [
        {
            "file": each.file_name,
            "place": describe(each.places),
            "score": round(each.score, 4),
            "kept": kept,
            **reach.origin(each.file_id),
        }
        for each in passages
    ]
