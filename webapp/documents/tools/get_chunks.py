"""The tool that reads on in a file, from one passage to another."""

from __future__ import annotations

from typing import Any

from webapp.documents.document import describe
from webapp.documents.passages import Passage
from webapp.documents.retrieval import MOST_NEIGHBOURS
from webapp.documents.tools.tool import Arguments, Outcome, Reach, function, result, written
from webapp.errors import BadInput, NotFound


class GetChunks:
    name = "get_chunks"

    def schema(self, limit: int) -> dict[str, Any]:  # noqa: ARG002
        order = {"type": "integer", "minimum": 0}
        return function(
            self.name,
            f"Read passages of one file in their order, {MOST_NEIGHBOURS} at most. Use sparingly: "
            "prefer retrieve, which finds what is relevant.",
            {
                "file_id": {"type": "string", "description": "As retrieve gave it."},
                "start_order": {**order, "description": "The order of the first passage."},
                "end_order": {**order, "description": "The order of the last passage."},
            },
            ("file_id", "start_order", "end_order"),
        )

    def run(self, reach: Reach, arguments: Arguments) -> Outcome:
        file_id, first, last = (arguments[key] for key in ("file_id", "start_order", "end_order"))
        if last < first:
            raise BadInput("end_order is before start_order.", do="Call the tool again.")
        for scope, state in reach.files():
            if state.id == file_id:
                chunks = reach.documents.chunks(scope, file_id, first, last)
                passages = tuple(
                    Passage(**vars(each), file_name=state.name, by="order") for each in chunks
                )
                return Outcome(
                    written({"results": [result(each) for each in passages]}),
                    passages,
                    {"hits": [{**_hit(each), **reach.origin(file_id)} for each in passages]},
                )
        raise NotFound("There is no such file here.", do="Call list_attachments for the ids.")


def _hit(passage: Passage) -> dict[str, Any]:
    place = describe(passage.places)
    return {"file": passage.file_name, "place": place, "score": None, "kept": True}
