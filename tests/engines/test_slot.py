"""An engine that can be exchanged is an engine, and nothing is lost while it is."""

import threading

import pytest

from tests.engines.engine_contract import EngineContract, Listener, ask, said
from webapp.engines.engine import Text
from webapp.engines.script import Reply, Say, Wait
from webapp.engines.scripted import ScriptedEngine
from webapp.engines.slot import EngineSlot
from webapp.errors import EngineFailed


class TestSlot(EngineContract):
    SLOW_TO_READ = "/wait"
    SLOW_TO_WRITE = "/slow /long"
    ECHO = "/echo {}"

    @pytest.fixture
    def engine(self):
        engine = EngineSlot(ScriptedEngine())
        yield engine
        engine.close()

    @pytest.fixture
    def new_engine(self):
        return lambda: EngineSlot(ScriptedEngine())


@pytest.fixture
def old():
    return ScriptedEngine()


@pytest.fixture
def slot(old):
    slot = EngineSlot(old)
    yield slot
    slot.close()


def test_what_is_asked_after_an_exchange_goes_to_the_new_one(slot, old):
    new = ScriptedEngine(context_tokens=700)
    new.queue("From the new one.")
    slot.exchange(new)
    assert said(slot.generate(ask("?"))) == "From the new one."
    assert slot.describe().context_tokens == 700
    with pytest.raises(EngineFailed):
        list(old.generate(ask("?")))


def test_an_answer_in_the_making_is_finished_by_the_old_one_which_is_closed_then(slot, old):
    go_on = threading.Event()
    old.queue(Reply((Say("Before. "), Wait(go_on), Say("After."))))
    listener = Listener(slot, ask("?"))
    listener.wait_for(Text)
    slot.exchange(ScriptedEngine())
    go_on.set()
    assert said(listener.end()) == "Before. After."
    with pytest.raises(EngineFailed):
        list(old.generate(ask("?")))


def test_an_answer_of_the_old_one_can_still_be_stopped(slot, old):
    old.queue(Reply((Say("Before. "), Wait(threading.Event()), Say("After."))))
    listener = Listener(slot, ask("?"))
    listener.wait_for(Text)
    slot.exchange(ScriptedEngine())
    slot.cancel(ask("?").id)
    assert said(listener.end()) == "Before. "


def test_a_model_that_is_not_ours_to_load_is_left_alone(slot):
    slot.load()
    slot.unload()
    assert not slot.can_load


class Loaded(ScriptedEngine):
    def __init__(self):
        super().__init__()
        self.told = []

    def load(self):
        self.told.append("load")

    def unload(self):
        self.told.append("unload")


def test_a_model_that_is_ours_is_loaded_and_unloaded():
    engine = Loaded()
    slot = EngineSlot(engine)
    slot.load()
    slot.unload()
    assert (slot.can_load, engine.told) == (True, ["load", "unload"])
    slot.close()
