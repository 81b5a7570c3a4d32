"""Threads that other programs, editors and accidents left: what opens, what is told, and that each
act on a conversation works there as anywhere, in either store."""

import json

import pytest

from webapp.chat.messages import new_message
from webapp.threads import backend
from webapp.threads.library import ThreadLibrary
from webapp.threads.migration import migrate

ABOUT = b'{"id":"t","object":"thread","title":"Bread","created":1767225600,"assistants":[]}'
WHOLE = "u1 a1 u2 a2"
ABSENT = object()


def said(id, parent=ABSENT, **fields):
    """Its role is told by its id: `a…` answers."""
    metadata = {} if parent is ABSENT else {"parentId": parent}
    message = new_message(
        id=id,
        thread_id="t",
        role="assistant" if id[0] == "a" else "user",
        text=f"text of {id}",
        created_at=int("0" + "".join(filter(str.isdigit, id))),
        metadata=metadata,
    )
    return {**message.data, **fields}


def log(*lines, end=b"\n"):
    return b"".join(
        (each if isinstance(each, bytes) else json.dumps(each).encode()) + end for each in lines
    )


def talk(**fields):
    """Two turns; `fields` go to the message of that id."""
    parents = {"u1": None, "a1": "u1", "u2": "a1", "a2": "u2"}
    return [said(id, parent, **fields.get(id, {})) for id, parent in parents.items()]


def legacy():
    return [said(id) for id in WHOLE.split()]


def sealed_wrong(message):
    return json.dumps(message)[:-1].encode() + b',"at":5,"crc":1}'


# The log, the active path in ids, and how many sentences the reader is told.
CASES = {
    "as Jan writes it": (log(*talk()), WHOLE, 0),
    "never branched": (log(*legacy()), WHOLE, 0),
    "ends of Windows": (log(*talk(), end=b"\r\n"), WHOLE, 0),
    "a byte order mark": (b"\xef\xbb\xbf" + log(*talk()), WHOLE, 0),
    "no last line end": (log(*talk())[:-1], WHOLE, 0),
    "blank lines": (log(b"", *talk(), b"  ", b"\t"), WHOLE, 0),
    "two records on a line": (log(*talk()).replace(b"\n", b"", 1), WHOLE, 0),
    "a torn tail": (log(*talk())[:-30], "u1 a1 u2", 1),
    "a wrong checksum": (log(*talk()[:2], sealed_wrong(talk()[2]), talk()[3]), "u1 a1 a2", 2),
    "bytes of no text": (log(*talk()).replace(b"text of a2", b"caf\xe9"), "u1 a1 u2", 1),
    "half a character": (log(*talk()).replace(b"text of a2", b"\\ud83d"), WHOLE, 0),
    "an id used twice": (log(*talk(), said("a1", "u1")), WHOLE, 1),
    "NULs at the end": (log(*talk(), b"\0" * 64), WHOLE, 1),
    "nothing": (b"", "", 0),
    "a patch before its message": (
        log({"id": "a1", "patch": {"metadata": {"pinned": True}}}, *talk()),
        WHOLE,
        0,
    ),
    "changes of unknown messages": (
        log(*talk(), {"id": "x", "append": "y"}, {"id": "x", "deleted": True}),
        WHOLE,
        0,
    ),
    "a message deleted in the midst": (log(*talk(), {"id": "u2", "deleted": True}), "u1 a1 a2", 1),
    "deleted and put again": (log(*talk(), {"id": "a2", "deleted": True}, talk()[3]), WHOLE, 0),
    "added to once deleted": (
        log(*talk(), {"id": "a2", "deleted": True}, {"id": "a2", "append": "y"}),
        "u1 a1 u2",
        0,
    ),
    "newest first": (log(*reversed(talk())), WHOLE, 0),
    "a ring": (log(said("u1", "a2"), *talk()[1:]), WHOLE, 1),
    "its own parent": (log(said("u1", "u1"), *talk()[1:]), WHOLE, 1),
    "a question without its answer": (log(*talk()[:2], said("u3", "a2")), "u1 a1 u3", 1),
    "an answer without its question": (log(said("u1", None), said("a2", "u2")), "u1 a2", 1),
    "an answer without a parent": (log(*talk()[:3], said("a2", None)), WHOLE, 0),
    "a branched end of an old thread": (
        log(*legacy()[:2], said("u2", "a1"), said("a2", "u2"), said("a3", "u2")),
        "u1 a1 u2 a3",
        0,
    ),
    "a pointer further down": (
        log(*talk(u1={"metadata": {"parentId": None, "activeChildId": "u2"}}), said("a3", "u1")),
        "u1 a3",
        0,
    ),
    "equal times": (
        log(*talk(a1={"created_at": 5}, u2={"created_at": 5}), said("a5", "u1")),
        "u1 a5",
        0,
    ),
    "no times": (log(*({**each, "created_at": None} for each in talk())), WHOLE, 0),
    "no metadata": (log(*({**each, "metadata": None} for each in talk())), WHOLE, 0),
    "a parent that is a number": (log(said("u1", 5), *talk()[1:]), WHOLE, 0),
    "content as a text": (log(*talk(u1={"content": "plain"}, a1={"content": "plain"})), WHOLE, 0),
    "content that is none": (log(*talk(a1={"content": None}, u2={"content": {}})), WHOLE, 0),
    "an unknown role": (log(*talk(u2={"role": "narrator"})), WHOLE, 0),
    "an unknown status": (log(*talk(a2={"status": "weird"})), WHOLE, 0),
    "of another thread": (log(*({**each, "thread_id": "x"} for each in talk())), WHOLE, 0),
}  # fmt: skip


@pytest.fixture
def opened(tmp_path, clock, new_id):
    """Makes a library over such a thread, in either store."""
    root = tmp_path / "data"
    stores = []

    def make(content, kind, about=ABOUT):
        if not root.exists():
            (root / "threads/t").mkdir(parents=True)
            (root / "threads/t/thread.json").write_bytes(about)
            (root / "threads/t/messages.jsonl").write_bytes(content)
            if kind == "sqlite":
                migrate(root, kind, clock)
        stores.append(backend.open_store(root, clock))
        return ThreadLibrary(stores[-1], clock_ms=clock, new_id=new_id)

    yield make
    for store in stores:
        store.close()


def path(library):
    return [message.id for message in library.path("t")]


def answered(library, question):
    answer = library.begin_answer("t", question)
    library.finish_answer("t", answer.id, text="Yes.", status="ready", error="", usage={})
    return answer.id


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_healthy_part_opens_and_every_act_works_on_it(opened, case, kind):
    content, wanted, notices = case
    library = opened(content, kind)
    assert path(library) == wanted.split()
    if kind == "jsonl":
        assert len(library.view("t").notices) == notices
    question = library.ask("t", "Next?").id
    first = answered(library, question)
    line = [*wanted.split(), question, first]
    assert path(library) == line
    second = answered(library, question)
    assert path(library) == [*line[:-1], second]
    library.switch("t", first)
    library.acts.edit("t", line[0], "Anew")
    library.switch("t", line[0])
    assert path(library) == line
    again = opened(content, kind)
    assert path(again) == line
    assert again.shown("t", first).versions == (first, second)
    assert len(again.shown("t", line[0]).versions) == 2


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
@pytest.mark.parametrize(
    "about",
    [
        *(b"", b"{", b"[]", b"null", b'{"id":"t"} }', ABOUT.decode().encode("utf-16")),
        *(b"\xef\xbb\xbf" + ABOUT, ABOUT.replace(b'"t"', b'"other"'), b'{"title":5}'),
        *(b'{"metadata":[],"created":"x","updated":null}', b'{"updated":NaN}'),
        b'{"metadata":{"activeRootId":"a1"}}',
    ],
)
def test_whatever_the_thread_says_of_itself_its_messages_open_and_go_on(opened, about, kind):
    library = opened(log(*talk()), kind, about)
    assert [each.id for each in library.threads()] == ["t"]
    assert path(library) == WHOLE.split()
    question = library.ask("t", "Next?").id
    assert path(opened(b"", kind)) == [*WHOLE.split(), question]
