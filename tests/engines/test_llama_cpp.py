import os
import signal
import threading

import pytest

from tests.engines import tiny_models
from tests.engines.engine_contract import EngineContract, Listener, ask, said, until
from tests.engines.real_models import chat_model, embed_model
from tests.engines.test_model_files import CHAT, gguf
from webapp.engines.engine import Request, Text, Turn
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.errors import EngineFailed, ModelFileMissing


def engine_on(chat, embed=None, *, context_tokens=1024, **kept):
    return LlamaCppEngine(
        chat,
        embed,
        context_tokens=context_tokens,
        threads=2,
        query_prefix="query: ",
        passage_prefix="passage: ",
        **kept,
    )


@pytest.fixture(scope="module")
def engine():
    engine = engine_on(chat_model(), embed_model())
    engine.load()
    yield engine
    engine.close()


@pytest.mark.model
class TestLlamaCpp(EngineContract):
    SLOW_TO_READ = "One two three four five six seven eight nine ten. " * 60
    SLOW_TO_WRITE = "Write all whole numbers from one to one hundred as words."
    ECHO = 'print("{}") prints what? Only the output.'

    @pytest.fixture
    def new_engine(self):
        return lambda: engine_on(chat_model(), embed_model())

    def test_it_describes_itself_without_waiting(self, new_engine):
        engine = new_engine()
        before = engine.describe()
        assert before.state == "unloaded"
        assert before.need_bytes > chat_model().stat().st_size
        assert before.available_bytes > 0
        engine.load()
        info = engine.describe()
        assert (info.engine, info.state) == ("llama_cpp", "loading")
        assert info.model == chat_model().stem
        assert info.context_tokens == 1024
        assert info.available_bytes is None
        engine.close()
        assert engine.describe().state == "unloaded"
        assert engine.child_pid is None

    def test_a_killed_child_leaves_the_text_and_the_next_question_works(self, engine):
        listener = Listener(engine, ask(self.SLOW_TO_WRITE, max_tokens=200))
        listener.wait_for(Text)
        waiting = Listener(engine, ask("Repeat: tree", id="waiting"))
        killed = engine.child_pid
        os.kill(killed, signal.SIGKILL)
        assert said(listener.end())
        assert "SIGKILL" in listener.error.what
        assert "Ask again" in listener.error.do
        assert said(waiting.end()), "who waited is answered by the new child"
        assert engine.child_pid != killed
        assert engine.describe().state == "ready"

    def test_an_aborting_child_is_told_too(self, engine):
        listener = Listener(engine, ask(self.SLOW_TO_WRITE, max_tokens=200))
        listener.wait_for(Text)
        os.kill(engine.child_pid, signal.SIGABRT)
        listener.end()
        assert "SIGABRT" in listener.error.what
        assert engine.count((Turn("user", "Still there?"),)) > 0

    @pytest.mark.parametrize(
        "schema", [{"type": "nonsense"}, {"enum": []}, {"type": "string", "maxLength": 100_000}]
    )
    def test_a_schema_that_cannot_be_kept_leaves_the_child_alive(self, engine, schema):
        assert said(engine.generate(ask("Name a colour.")))
        before = engine.child_pid
        with pytest.raises(EngineFailed, match="cannot be held to this schema"):
            list(engine.generate(ask("Name a colour.", schema=schema)))
        assert said(engine.generate(ask("Name a colour.")))
        assert engine.child_pid == before

    def test_a_model_removed_while_it_runs_is_told_at_the_next_start(self, tmp_path):
        path = tmp_path / "model.gguf"
        path.symlink_to(chat_model())
        engine = engine_on(path)
        assert said(engine.generate(ask("Name a colour.", max_tokens=2)))
        path.unlink()
        assert said(engine.generate(ask("Name a colour.", max_tokens=2)))
        listener = Listener(engine, ask("Name a colour."))
        listener.wait_for(Text)
        os.kill(engine.child_pid, signal.SIGKILL)
        listener.end()
        with pytest.raises(ModelFileMissing) as told:
            list(engine.generate(ask("Name a colour.")))
        assert str(path) in told.value.what
        assert engine.describe().state == "failed"
        path.symlink_to(chat_model())
        assert said(engine.generate(ask("Name a colour.", max_tokens=2)))
        engine.close()

    def test_without_an_embedding_model_it_says_so(self, engine):
        with pytest.raises(EngineFailed, match="No embedding model"):
            engine_on(chat_model()).embed(["words"], "query")

    def test_a_missing_embedding_model_is_told_and_answers_go_on(self, tmp_path):
        engine = engine_on(chat_model(), tmp_path / "gone.gguf")
        with pytest.raises(ModelFileMissing, match=r"gone\.gguf"):
            engine.embed(["words"], "query")
        assert said(engine.generate(ask("Name a colour.", max_tokens=2)))
        engine.close()

    def test_questions_and_passages_get_the_models_own_prefixes(self, engine):
        (query,), (passage,) = engine.embed(["words"], "query"), engine.embed(["words"], "passage")
        assert query != pytest.approx(passage, abs=0.001)


LONG = "The notice period is ninety days. " * 20 + "How long is it?"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return tiny_models.transformer(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture
def engine_in(tmp_path, tiny):
    """New engines over one data directory, closed at the end."""
    engines = []

    def make(**kept):
        facts = {"kv_folder": tmp_path / "kv", "kv_bytes": 64 << 20} | kept
        engines.append(engine_on(tiny, context_tokens=2048, **facts))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close()


def states(tmp_path):
    return list((tmp_path / "kv").rglob("*.kv"))


def test_what_was_read_is_kept_in_a_pause_and_used_after_a_kill(engine_in, tmp_path):
    engine = engine_in()
    first = list(engine.generate(ask(LONG)))
    until(lambda: states(tmp_path))
    os.kill(engine.child_pid, signal.SIGKILL)
    again = list(engine_in().generate(ask(LONG)))
    assert again[-1].reused_tokens == first[-1].prompt_tokens - 1
    assert said(again) == said(first)


def test_what_was_read_is_kept_when_the_server_ends(engine_in, tmp_path):
    engine = engine_in()
    list(engine.generate(ask("Short.")))
    until((tmp_path / "kv" / "models.json").exists)
    first = list(engine.generate(ask(LONG)))
    engine.close()
    again = list(engine_in().generate(ask(LONG)))
    assert again[-1].reused_tokens == first[-1].prompt_tokens - 1


def test_a_kill_at_any_moment_leaves_no_broken_state_in_use(engine_in, tmp_path):
    engine = engine_in()
    expected = said(engine.generate(ask(LONG)))
    until(lambda: states(tmp_path))
    moments = threading.Event()
    for number in range(6):
        list(engine.generate(ask(f"{number}. {LONG}", max_tokens=1)))
        moments.wait(0.1 * number)
        killed = engine.child_pid
        os.kill(killed, signal.SIGKILL)
        until(lambda: engine.child_pid != killed)  # noqa: B023 - called at once
        assert said(engine.generate(ask(LONG))) == expected


def test_two_data_directories_share_nothing(engine_in, tmp_path):
    list(engine_in().generate(ask(LONG)))
    until(lambda: states(tmp_path))
    other = list(engine_in(kv_folder=tmp_path / "other").generate(ask(LONG)))
    assert other[-1].reused_tokens == 0


def test_a_model_nobody_asks_is_unloaded_and_comes_back_with_what_it_read(engine_in, tmp_path):
    engine = engine_in(unload_after_seconds=1.5)
    first = list(engine.generate(ask(LONG)))
    until(lambda: engine.describe().state == "unloaded")
    assert engine.child_pid is None
    assert engine.describe().context_tokens == 2048
    again = list(engine.generate(ask(LONG)))
    assert again[-1].reused_tokens == first[-1].prompt_tokens - 1


def refused(engine):
    with pytest.raises(ModelFileMissing) as told:
        list(engine.generate(Request("r", (Turn("user", "Hi"),))))
    info = engine.describe()
    assert (info.state, info.problem) == ("failed", str(told.value))
    assert engine.child_pid is None
    assert told.value.do
    engine.close()
    return told.value.what


@pytest.mark.parametrize(
    "content", [b"", b"GGUF", b"MZ and so on" * 99, b"GGUF" + bytes(200)], ids=repr
)
def test_what_is_no_model_is_refused_by_name(tmp_path, content):
    path = tmp_path / "no model.gguf"
    path.write_bytes(content)
    assert str(path) in refused(engine_on(path))


def test_a_model_that_is_not_there_is_refused_by_name(tmp_path):
    assert str(tmp_path / "gone.gguf") in refused(engine_on(tmp_path / "gone.gguf"))
    assert str(tmp_path) in refused(engine_on(tmp_path))


def test_a_model_larger_than_any_memory_is_refused_by_its_size(tmp_path):
    path = gguf(tmp_path / "huge.gguf", size=2**40, **CHAT)
    assert "GiB of memory" in refused(engine_on(path))


@pytest.mark.model
def test_half_a_model_is_refused_by_name(tmp_path):
    path = tmp_path / "half.gguf"
    with chat_model().open("rb") as whole:
        path.write_bytes(whole.read(20_000_000))
    assert "half.gguf" in refused(engine_on(path))


def test_a_model_only_the_library_can_refuse_is_refused_by_name(tmp_path):
    path = gguf(tmp_path / "hollow.gguf", **CHAT)
    assert "hollow.gguf cannot be loaded" in refused(engine_on(path))
