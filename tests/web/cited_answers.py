"""Answers with the facts that an answer from files is kept with."""

from webapp.chat.messages import new_message
from webapp.generation.groundings import digest

PASSAGE = "The house is old. The notice period is ninety days. It has a garden."
TEXT = "The notice period is ninety days. The moon is **made of cheese**, it says “ninety years”."
FIRST, SECOND = [0, 33], [34, len(TEXT)]


def passage(**facts):
    known = {"n": 1, "id": "f1-3", "file_id": "f1", "file": "contract.pdf", "place": "page 4"}
    known |= {"order": 3, "last_order": 3, "score": 0.81, "by": "meaning", "text": PASSAGE}
    return known | {"start": 100, "end": 100 + len(PASSAGE)} | facts


def grounding(text=TEXT, **facts):
    marks = [{"at": 33, "sentence": FIRST, "passage": 0, "score": 0.93, "span": [18, 51]}]
    begin = text.find("“ninety years”") + 1
    known = {"version": 1, "embedder": "e5", "threshold": 0.65, "text_digest": digest(text)}
    known |= {"passages": [passage()], "marks": marks, "unsupported": [SECOND]}
    known |= {"quotes": [{"start": begin, "end": begin + 12, "passage": None}]}
    return known | facts


def usage(**facts):
    hits = [
        {"file": "contract.pdf", "place": "page 4", "score": 0.81, "kept": True},
        {"file": "garden.txt", "place": "line 1", "score": 0.12, "kept": False},
    ]
    call = {"tool": "retrieve", "arguments": {"query": "notice period"}, "by": "automatic"}
    call |= {"hits": hits, "threshold": 0.3, "removed": 1, "note": "", "milliseconds": 12}
    return {"passages": [passage()], "trace": [call]} | facts


def answer(text=TEXT, *, thread_id="thread", id="answer", **metadata):
    facts = {"usage": usage(), "grounding": grounding(text)} | metadata
    return new_message(
        id=id, thread_id=thread_id, role="assistant", text=text, created_at=1, metadata=facts
    )
