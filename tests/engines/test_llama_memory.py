"""What is read only once, counted by the engine: tiny models first, then the real one."""

import pytest

from tests.engines import tiny_models
from tests.engines.engine_contract import GREEDY, said
from tests.engines.real_models import chat_model
from webapp.engines.engine import Request, Turn
from webapp.engines.kv_identity import ModelHash
from webapp.engines.llama_chat import ChatModel
from webapp.engines.llama_memory import ContextMemory
from webapp.engines.llama_native import Log, StopFlag

QUOTA = 64 << 20
LEASE = ("user", "The notice period is ninety days. " * 12 + "How long is it?")
TRAIN = ("user", "The train leaves at nine. " * 15 + "When does it leave?")


def chat_on(path, context=2048):
    return ChatModel(path, context, 2, StopFlag(), Log())


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def loaded(models):
    return chat_on(tiny_models.transformer(models / "transformer.gguf"))


@pytest.fixture(scope="module")
def recurrent(models):
    return chat_on(tiny_models.recurrent(models / "recurrent.gguf"))


@pytest.fixture
def states(tmp_path):
    return tmp_path / "kv"


@pytest.fixture
def chat(loaded, states):
    return restarted(loaded, states)


def restarted(chat, folder, quota=QUOTA):
    """The model as after a new start, without loading its weights again; whose states these are
    is known already."""
    if folder and quota:
        ModelHash(chat.memory._native.path, folder / "models.json").advance(lambda: False)
    chat.memory = ContextMemory(chat.memory._native, chat._stop, folder, quota)
    return chat


def answer(chat, *turns, max_tokens=4):
    events = []
    request = Request("r", tuple(Turn(*turn) for turn in turns), max_tokens, GREEDY)
    chat.answer(request, events.append)
    return events[-1], said(events)


def unread(finished):
    return finished.prompt_tokens - finished.reused_tokens


def files(folder):
    return sorted(folder.rglob("*.kv"))


def pause(chat):
    chat.memory.use_pause(lambda: False)


def test_another_conversation_and_back_reads_nothing_again(chat):
    first, words = answer(chat, LEASE)
    assert first.reused_tokens == 0
    answer(chat, TRAIN)
    again, same_words = answer(chat, LEASE)
    assert (unread(again), same_words) == (1, words)
    back, _ = answer(chat, TRAIN)
    assert unread(back) == 1


def test_each_branch_tip_comes_back_after_a_restart(chat, states):
    tips = [(LEASE, ("assistant", f"{word} days. " * 12), ("user", "Sure?")) for word in ("9", "8")]
    for tip in tips:
        answer(chat, *tip)
        pause(chat)
    assert len(files(states)) == 2
    restarted(chat, states)
    assert [unread(answer(chat, *tip)[0]) for tip in tips] == [1, 1]


def test_a_branch_left_before_any_pause_comes_back_too(chat):
    tips = [(LEASE, ("assistant", f"{word} days. " * 12), ("user", "Sure?")) for word in ("9", "8")]
    for tip in tips:
        answer(chat, *tip)
    assert unread(answer(chat, *tips[0])[0]) == 1


def test_the_same_is_not_written_twice_and_a_longer_one_takes_its_place(chat, states):
    answer(chat, LEASE)
    pause(chat)
    (path,) = files(states)
    written = path.stat().st_mtime_ns
    pause(chat)
    answer(chat, LEASE)
    pause(chat)
    assert [each.stat().st_mtime_ns for each in files(states)] == [written]
    answer(chat, LEASE, ("assistant", "Ninety days."), ("user", "Tell me more. " * 8))
    pause(chat)
    (longer,) = files(states)
    assert longer != path


@pytest.mark.parametrize("place", [0.0, 0.001, 0.5, 1.0])
def test_a_damaged_file_is_read_around_and_gone(chat, states, place):
    _, words = answer(chat, LEASE)
    pause(chat)
    (path,) = files(states)
    restarted(chat, states)
    raw = bytearray(path.read_bytes())
    raw[int(place * (len(raw) - 1))] ^= 255
    path.write_bytes(raw)
    again, same_words = answer(chat, LEASE)
    assert (again.reused_tokens, same_words) == (0, words)
    assert files(states) == []


def test_a_state_the_library_refuses_is_read_around_and_gone(chat, states):
    _, words = answer(chat, LEASE)
    tokens, shelf = chat.memory._tokens.tobytes(), chat.memory._shelf
    shelf.save(tokens, bytearray(b"no state of any model" * 99), lambda: False)
    restarted(chat, states)
    again, same_words = answer(chat, LEASE)
    assert (again.reused_tokens, same_words) == (0, words)
    assert files(states) == []


def test_a_state_of_fewer_tokens_than_it_claims_is_refused(chat, states):
    _, words = answer(chat, LEASE)
    memory = chat.memory
    tokens = memory._tokens.tobytes()
    memory._shelf.save(tokens + tokens, memory._native.state(len(memory._tokens)), lambda: False)
    restarted(chat, states)
    assert answer(chat, LEASE)[1] == words
    assert files(states) == []


def test_another_context_length_does_not_take_the_files(chat, states):
    answer(chat, LEASE)
    pause(chat)
    other = restarted(chat_on(chat.memory._native.path, context=1024), states)
    assert answer(other, LEASE)[0].reused_tokens == 0


@pytest.mark.parametrize("quota", [0, 1000])
def test_without_room_nothing_is_written(loaded, states, quota):
    chat = restarted(loaded, states, quota)
    answer(chat, LEASE)
    pause(chat)
    assert files(states) == []


def test_without_a_folder_only_memory_is_used(loaded):
    chat = restarted(loaded, None)
    answer(chat, LEASE)
    pause(chat)
    assert unread(answer(chat, LEASE)[0]) == 1
    answer(chat, TRAIN)
    assert unread(answer(chat, LEASE)[0]) > 300


def test_the_quota_is_never_passed(loaded, states):
    chat = restarted(loaded, states, 600_000)
    for number in range(6):
        answer(chat, ("user", f"{number}. {LEASE[1]}"))
        pause(chat)
        sizes = [path.stat().st_size for path in files(states)]
        assert 0 < sum(sizes) <= 600_000
    assert len(sizes) < 6


def test_somebody_who_asks_ends_the_pause(chat, states):
    answer(chat, LEASE)
    chat.memory.use_pause(lambda: True)
    assert files(states) == []


def test_a_stopped_reading_keeps_what_was_read(chat):
    chat._stop.raise_flag()
    answer(chat, LEASE)
    chat._stop.lower()
    pause(chat)
    first, words = answer(chat, LEASE)
    assert (unread(answer(chat, LEASE)[0]), answer(chat, LEASE)[1]) == (1, words)
    assert first.reused_tokens == 0


def test_the_first_run_computes_whose_states_these_are_in_a_pause(loaded, states):
    path = loaded.memory._native.path
    chat = ChatModel(path, 2048, 2, StopFlag(), Log(), kv_folder=states, kv_bytes=QUOTA)
    answer(chat, LEASE)
    assert not states.exists()
    pause(chat)
    assert len(files(states)) == 1


def test_a_model_that_cannot_forget_partly_takes_whole_states(recurrent, states):
    unaided = answer(restarted(recurrent, None), LEASE)
    chat = restarted(recurrent, states)
    assert not chat.memory._native.forgets_partly
    first, words = answer(chat, LEASE)
    assert (first.reused_tokens, words) == (0, unaided[1])
    again, same_words = answer(chat, LEASE)
    assert (unread(again), same_words) == (1, words), "the state before the last token was kept"
    answer(chat, TRAIN)
    back, words_then = answer(restarted(chat, states), LEASE)
    assert (unread(back), words_then) == (1, words)


@pytest.mark.model
def test_the_real_model_answers_the_same_from_a_file_and_reads_only_what_is_new(states):
    chat = restarted(chat_on(chat_model(), context=512), states)
    first, words = answer(chat, LEASE)
    follow_up = (LEASE, ("assistant", words), ("user", "Thanks."))
    _, said_then = answer(chat, *follow_up)
    assert unread(first) > 100
    answer(chat, TRAIN)
    back, said_again = answer(chat, *follow_up)
    assert (unread(back), said_again) == (1, said_then)
    pause(chat)
    again, words_again = answer(restarted(chat, states), LEASE)
    assert (unread(again), words_again) == (1, words)


def test_requests_with_a_schema_that_begin_alike_share_one_file(chat, states):
    schema = {"type": "object", "properties": {"go": {"const": True}}, "required": ["go"]}

    def decide(question):
        events = []
        turns = (Turn("system", "Say go to everything. " * 12), Turn("user", question))
        chat.answer(Request("d", turns, 2, GREEDY, schema=schema), events.append)
        return events[-1]

    answer(chat, LEASE)
    assert decide("One?").reused_tokens < 20
    answer(chat, LEASE)
    kept = files(states)
    for question in ("Two?", "Three?", "Four?"):
        assert unread(decide(question)) < 60  # of 448; letters are tokens here
        assert unread(answer(chat, LEASE)[0]) == 1
    assert files(states) == kept and len(kept) == 2
