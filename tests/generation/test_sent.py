"""What was sent is kept by reference where it can be, and read back word for word."""

from webapp.chat.messages import new_message
from webapp.errors import NotFound
from webapp.generation.sent import read, record


def message(id, role, text, **metadata):
    made = new_message(id=id, thread_id="t", role=role, text=text, created_at=1)
    return made.with_fields(status="ready").with_metadata(metadata)


def finder(*messages):
    known = {each.id: each for each in messages}

    def find(id):
        if id not in known:
            raise NotFound("No.", do="Look.")
        return known[id]

    return find


QUESTION, ANSWER = message("q", "user", "Why?"), message("a", "assistant", "<think>x</think>Thus.")
PARTS = (("system", "Be brief."), ("user", "Why?"), ("assistant", "Thus."))


def test_messages_are_kept_by_their_ids_and_the_rest_as_it_was():
    kept = record(PARTS, (QUESTION, ANSWER))
    assert [sorted(each) for each in kept] == [
        ["role", "text"],
        *[["digest", "message", "role"]] * 2,
    ]
    found = read(kept, finder(QUESTION, ANSWER))
    assert [(part.role, part.content, part.exact) for part in found] == [
        (*part, True) for part in PARTS
    ]


def test_turns_that_were_joined_are_kept_as_they_were_sent():
    again = message("r", "user", "Really?")
    parts = (("user", "Why?\n\nReally?"),)
    kept = record(parts, (QUESTION, again))
    assert read(kept, finder())[0].content == "Why?\n\nReally?"


def test_a_message_that_changed_or_went_is_told():
    kept = record(PARTS, (QUESTION, ANSWER))
    other = message("a", "assistant", "Otherwise.")
    assert [part.exact for part in read(kept, finder(QUESTION, other))] == [True, True, False]
    gone = read(kept, finder(QUESTION))[-1]
    assert (gone.exact, gone.content) == (False, "This message was deleted since.")


def test_records_of_another_make_are_passed_over():
    for odd in (None, 3, "x", {}, [1, None], [["role", "user"]]):
        assert read(odd, finder()) == []
    assert read([{"role": 3}], finder())[0].exact is False
