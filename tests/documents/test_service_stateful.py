"""Several people do things to the files of one thread at once: nothing hangs, and in the end what
is listed, what is on disk, what is in the table and what is found are the same files."""

import random
import threading
from contextlib import suppress

from tests.documents.searching import WordModel
from tests.documents.taking_in import SECONDS, add, open_documents
from webapp.documents import files
from webapp.errors import StrataError

TEXTS = [f"The {word} is kept in the harbour office.\n" for word in ("rope", "lamp", "chart")]
MOMENTS = ("reading", "ready", "embedding", "uploading")
QUESTION = "kept in the harbour office"


def acts_of(documents, scope, chance, here):
    """What one person does; errors in words are part of it."""
    for _ in range(14):
        assert here.wait(SECONDS)
        with suppress(StrataError):
            one_act(documents, scope, chance)
            documents.search([scope], QUESTION)
            if chance.random() < 0.4:
                documents.wait_over(scope, 2)


def one_act(documents, scope, chance):
    acts, listed = documents.acts, documents.status(scope)
    act = chance.choice(
        [acts.cancel, acts.retry, acts.read_again, acts.remove, acts.choose_use, None, None]
    )
    if act is None or not listed:
        add(documents, scope, chance.choice("ab"), chance.choice(TEXTS))
    elif act == acts.choose_use:
        act(scope, chance.choice(listed).id, "inline")
    else:
        act(scope, chance.choice(listed).id)


def walk(documents, scope, seed, here, faults):
    try:
        acts_of(documents, scope, random.Random(seed), here)
    except BaseException as fault:
        faults.append(fault)


def move(documents, scope, trash, here, faults):
    """Somebody deletes the thread and puts it back, again and again."""
    try:
        for number in range(4):
            now = documents.now(scope)
            until = MOMENTS[number]
            for _ in range(20):
                if any(state.stage == until for state in now.files):
                    break
                now = documents.wait(scope, now.version, 0.2)
            here.clear()
            with documents.leaving(scope):
                scope.folder.parent.rename(trash)
            trash.rename(scope.folder.parent)
            documents.returned(scope)
            here.set()
    except BaseException as fault:
        faults.append(fault)


def check(documents, scope):
    now = documents.wait_over(scope, SECONDS)
    assert all(state.is_over for state in now.files)
    assert documents.wait_idle(SECONDS)
    ready = [state for state in now.files if state.is_ready]
    assert {facts.id: facts.stage for facts in files.load(scope)} == {
        state.id: state.stage for state in now.files
    }
    assert len({state.name for state in now.files}) == len(now.files)
    assert len({state.facts.sha256 for state in now.files}) == len(now.files)
    found = {passage.file_id for passage in documents.search([scope], QUESTION).passages}
    assert found == {state.id for state in ready}
    for state in ready:
        assert len(documents._tables.between(scope.table, state.id, 0, 99)) == state.facts.chunks


def test_people_who_act_at_once_agree_in_the_end(tmp_path):
    documents = open_documents(tmp_path, WordModel())
    scope = documents.thread("t1")
    scope.folder.mkdir(parents=True)
    faults, here, trash = [], threading.Event(), tmp_path / "trash"
    here.set()
    acts = [(walk, (documents, scope, seed, here, faults)) for seed in range(3)]
    acts.append((move, (documents, scope, trash, here, faults)))
    people = [threading.Thread(target=act, args=given) for act, given in acts]
    for person in people:
        person.start()
    for person in people:
        person.join(SECONDS)
        assert not person.is_alive()
    assert faults == []
    check(documents, scope)
    documents.close()
    documents = open_documents(tmp_path, WordModel())
    check(documents, documents.thread("t1"))
    for state in documents.status(scope):
        documents.acts.remove(scope, state.id)
    assert documents.wait_idle(SECONDS)
    assert list(scope.folder.iterdir()) == []
    facts = documents._tables.facts(scope.table)
    assert facts is None or facts.rows == 0
    documents.close()
