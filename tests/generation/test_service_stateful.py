"""Whatever two things people do while an answer is in whatever state, one message is left of it."""

import threading
from collections import Counter

import pytest

from webapp.engines.script import Fail, Reply, Say, Wait
from webapp.errors import StrataError

SECONDS = 10


class Scene:
    """A thread with one good exchange, and a second answer that has come to a certain state."""

    def __init__(self, generation, library, engine):
        self.generation = generation
        self.library = library
        self.engine = engine
        self.thread = library.create("A title").id
        self.release = threading.Event()
        engine.queue("good")
        self.good = self.begin("first").id
        self.wait(self.good)
        self.question = self.answer = self.other = None
        self.gone = False

    def begin(self, text):
        return self.generation.ask(self.thread, text)

    def second(self, reply):
        self.engine.queue(reply)
        pending = self.begin("second")
        self.answer, self.question = pending.id, str(pending.parent_id)

    def wait(self, message_id, condition=lambda now: now.done):
        live = self.generation.live(message_id)
        now = live.snapshot() if live else None
        while now and not condition(now):
            before = now.version
            now = live.wait(before, SECONDS)
            assert now.version > before, now

    def everything_over(self):
        self.release.set()
        for thread_id in (self.thread, self.other):
            for message_id in self.generation.running(thread_id) if thread_id else ():
                self.wait(message_id)

    # --- what people do ---

    def stop(self):
        self.generation.stop(self.answer)

    def delete(self):
        self.generation.delete(self.thread, self.answer, all_versions=False)

    def delete_question(self):
        self.generation.delete(self.thread, self.question, all_versions=True)

    def delete_thread(self):
        self.generation.delete_thread(self.thread)

    def switch(self):
        self.library.switch(self.thread, self.answer)

    def reload(self):
        for shown in self.library.view(self.thread).shown:
            self.library.shown(self.thread, shown.message.id)

    def reconnect(self):
        live = self.generation.live(self.answer)
        if live:
            live.wait(-1, SECONDS)

    def ask_on(self):
        self.generation.ask(self.thread, "third")

    def answer_again(self):
        self.generation.regenerate(self.thread, self.answer)

    def edit(self):
        self.generation.edit(self.thread, self.question, "second, better")

    def undo(self):
        self.generation.undo(self.thread, self.answer)


def queued(scene):
    scene.other = scene.library.create("Another").id
    scene.engine.queue(Reply((Say("other "), Wait(scene.release))))
    first = scene.generation.ask(scene.other, "before")
    scene.wait(first.id, lambda now: now.text)
    scene.second(Reply((Say("second"),)))


def reading(scene):
    scene.second(Reply((Say("words "),), reading=(Wait(scene.release),)))
    scene.wait(scene.answer, lambda now: now.phase == "reading")


def thinking(scene):
    scene.second(Reply((Say("<think>\nHm "), Wait(scene.release), Say("\n</think>\nwords"))))
    scene.wait(scene.answer, lambda now: now.phase == "thinking" and "Hm" in now.text)


def writing(scene):
    scene.second(Reply((Say("words "), Wait(scene.release), Say("and more"))))
    scene.wait(scene.answer, lambda now: now.text == "words ")


def finished(scene):
    scene.second(Reply((Say("words"),)))
    scene.wait(scene.answer)


def failed(scene):
    scene.second(Reply((Say("words "), Fail())))
    scene.wait(scene.answer)


STATES = (queued, reading, thinking, writing, finished, failed)
ACTS = (
    Scene.stop,
    Scene.delete,
    Scene.delete_question,
    Scene.delete_thread,
    Scene.switch,
    Scene.reload,
    Scene.reconnect,
    Scene.ask_on,
    Scene.answer_again,
    Scene.edit,
    Scene.undo,
)


def do(act, scene):
    """An act, or the sentence that refuses it. Anything else fails the test."""
    try:
        act(scene)
    except StrataError as refusal:
        assert str(refusal).endswith((".", "!"))
        return
    if act in (Scene.delete, Scene.delete_question, Scene.delete_thread):
        # Nobody goes on writing what was thrown away.
        assert scene.generation.live(scene.answer) is None
        scene.gone = scene.gone or act is not Scene.delete_thread
    if act is Scene.undo:
        scene.gone = False


def check(scene):
    """Nothing is doubled, nothing is left hanging, and the thread goes on."""
    library, generation = scene.library, scene.generation
    scene.everything_over()
    if scene.thread in [each.id for each in library.trash()]:
        library.restore(scene.thread)
    with library._desk.held(scene.thread) as opened:
        messages = [opened.tree.message(id) for id in opened.tree]
    assert [message.id for message in messages if message.id == scene.answer] == (
        [] if scene.gone else [scene.answer]
    )
    assert max(Counter(message.id for message in messages).values()) == 1
    assert not [message.id for message in messages if message.status == "pending"]
    assert generation.running(scene.thread) == ()
    questions = [message.text for message in messages if message.role == "user"]
    assert len(questions) == len(set(questions)), questions
    [kept] = [message for message in messages if message.id == scene.good]
    assert kept.text == "good"
    scene.engine.queue("on it goes")
    scene.engine._replies.rotate(1)
    last = generation.ask(scene.thread, "and on")
    scene.wait(last.id)
    assert library.message(scene.thread, last.id).text == "on it goes"
    scene.engine._replies.clear()


@pytest.mark.parametrize("first", ACTS, ids=lambda act: act.__name__)
@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_two_acts_one_after_another_leave_one_message(generation, library, engine, state, first):
    for second in ACTS:
        scene = Scene(generation, library, engine)
        state(scene)
        do(first, scene)
        do(second, scene)
        check(scene)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
@pytest.mark.parametrize(
    "pair",
    [
        (Scene.stop, Scene.stop),
        (Scene.stop, Scene.delete),
        (Scene.stop, Scene.delete_thread),
        (Scene.delete, Scene.delete_question),
        (Scene.delete, Scene.ask_on),
        (Scene.answer_again, Scene.ask_on),
        (Scene.edit, Scene.stop),
        (Scene.undo, Scene.stop),
    ],
    ids=lambda pair: "-".join(act.__name__ for act in pair),
)
def test_two_acts_at_the_same_moment_leave_one_message(generation, library, engine, state, pair):
    scene, barrier, faults = Scene(generation, library, engine), threading.Barrier(2), []
    state(scene)

    def person(act):
        barrier.wait()
        try:
            do(act, scene)
        except BaseException as fault:
            faults.append(fault)

    people = [threading.Thread(target=person, args=(act,)) for act in pair]
    for each in people:
        each.start()
    for each in people:
        each.join(SECONDS)
    assert faults == []
    check(scene)
