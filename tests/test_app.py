"""The composition root: settings in, an app that answers out."""

import io

import pytest

from tests.engines import tiny_models
from tests.engines.engine_contract import ask, until
from tests.engines.openai_servers import ModelServer
from webapp.app import (
    chosen_models,
    clock_ms,
    create_app,
    document_options,
    embedding_model,
    engine_for,
    new_id,
    usable,
)
from webapp.chat.messages import is_id, new_thread
from webapp.documents.chunking import Chunking
from webapp.documents.retrieval import Search
from webapp.engines.catalog import load_catalog
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.engines.openai_http import OpenAIHttpEngine
from webapp.engines.scripted import ScriptedEngine
from webapp.errors import BadSetting, NotFound
from webapp.settings import load, load_all
from webapp.threads import backend
from webapp.threads.sqlite import SqliteThreadStore


def settings(tmp_path, **options):
    chosen = {"data": tmp_path / "data", "models": tmp_path / "models", **options}
    return load({}, chosen)[0]


def test_an_app_answers_over_the_data_directory_it_was_given(tmp_path):
    app = create_app(settings(tmp_path, engine="scripted"))
    services = app.extensions["strata"]
    page = app.test_client().get("/", headers={"Host": "localhost"})
    services.generation.close()
    assert page.status_code == 200
    assert str(tmp_path / "data") in page.text


def test_an_app_opens_the_kind_of_store_its_data_directory_uses(tmp_path, clock):
    store = SqliteThreadStore(tmp_path / "data", clock)
    store.create_thread(new_thread(id="t", title="Kept in one file", created=5))
    store.close()
    backend.choose(tmp_path / "data", "sqlite")
    app = create_app(settings(tmp_path, engine="scripted"))
    page = app.test_client().get("/", headers={"Host": "localhost"})
    app.extensions["strata"].generation.close()
    assert "Kept in one file" in page.text


def test_each_engine_is_found_by_its_name_and_a_wrong_one_is_refused(tmp_path):
    scripted = engine_for(settings(tmp_path, engine="scripted", context_tokens=700))
    assert isinstance(scripted, ScriptedEngine)
    assert scripted.describe().context_tokens == 700
    engine = engine_for(settings(tmp_path, engine="llama_cpp"))
    assert isinstance(engine, LlamaCppEngine)
    engine.close()
    served = engine_for(settings(tmp_path, engine="openai_http", base_url="http://127.0.0.1:9"))
    assert isinstance(served, OpenAIHttpEngine)
    served.close()
    with pytest.raises(BadSetting, match="scripted"):
        engine_for(settings(tmp_path, engine="magic"))


def test_what_was_read_is_kept_under_the_data_directory_unless_switched_off(tmp_path):
    model = str(tiny_models.transformer(tmp_path / "tiny.gguf"))
    for data, quota in (("off", 0), ("on", 64)):
        chosen = {"data": tmp_path / data, "kv_cache_mib": quota, "unload_after_minutes": 1}
        engine = engine_for(settings(tmp_path, model=model, context_tokens=1024, **chosen))
        list(engine.generate(ask("word " * 50)))
        if quota:
            until((tmp_path / data / "cache" / "kv" / "models.json").exists)
        engine.close()
    assert list((tmp_path / "on" / "cache" / "kv").rglob("*.kv"))
    assert not (tmp_path / "off").exists()


def test_a_server_elsewhere_needs_its_address(tmp_path):
    with pytest.raises(BadSetting, match="base_url"):
        engine_for(settings(tmp_path, engine="openai_http"))


def test_an_app_answers_with_the_models_of_a_server_elsewhere(tmp_path):
    server = ModelServer()
    chosen = {"engine": "openai_http", "base_url": server.url, "api_key": "sk-secret"}
    app = create_app(settings(tmp_path, **chosen))
    services = app.extensions["strata"]
    thread = services.library.create()
    answer = services.generation.ask(thread.id, "/echo It came from afar.")
    live = services.generation.live(answer.id)
    if live is not None:
        live.wait_done(timeout=20)
    assert "It came from afar." in services.library.message(thread.id, answer.id).text
    page = app.test_client().get("/", headers={"Host": "localhost"})
    assert "sk-secret" not in page.text
    services.generation.close()
    services.engine.close()
    server.end()


def test_what_the_settings_say_of_files_holds(tmp_path):
    chosen = {"max_file_mb": 2, "chunk_size_chars": 100, "overlap_chars": 0, "chunk_cut": "plain"}
    found = {"retrieval_limit": 7, "retrieval_threshold": 0.5, "search_by": "vector"}
    options = document_options(
        settings(tmp_path, **chosen, **found, search_mode="linear", file_use="ask")
    )
    assert (options.file_bytes, options.use) == (2_000_000, "ask")
    assert options.chunking == Chunking(100, 0, "plain")
    assert options.search == Search(7, 0.5, "vector", "linear")


def test_the_scale_of_a_known_embedding_model_is_known_and_of_another_measured(tmp_path):
    engine = engine_for(settings(tmp_path))
    known = embedding_model(settings(tmp_path), engine)
    assert (known.name, known.dimension, known.a) == ("multilingual-e5-small", 384, 0.774)
    assert known.query_prefix == "query: "
    assert embedding_model(settings(tmp_path, embedder=""), engine) == known
    model = tmp_path / "mine.gguf"
    model.write_bytes(b"x" * 1234)
    mine = embedding_model(settings(tmp_path, embedder=str(model)), engine)
    assert (mine.name, mine.dimension) == ("mine (1,234 bytes)", 0)
    engine.close()
    served = settings(tmp_path, engine="openai_http", base_url="http://127.0.0.1:9", embedder="far")
    engine = engine_for(served)
    assert embedding_model(served, engine).name == "far"
    engine.close()


def test_a_file_is_taken_in_and_found_by_the_app_that_was_built(tmp_path):
    app = create_app(settings(tmp_path, engine="scripted"))
    services = app.extensions["strata"]
    scope = services.documents.thread(services.library.create().id)
    services.documents.add(scope, "a.txt", io.BytesIO(b"Ninety days of notice end the contract."))
    [state] = services.documents.wait_over(scope, 30).files
    assert (state.stage, state.problem) == ("ready", None)
    [passage] = services.documents.search([scope], "ninety days of notice").passages
    assert passage.file_name == "a.txt"
    services.generation.close()
    services.documents.close()


def test_the_small_model_is_chosen_on_request_and_a_wrong_name_is_refused(tmp_path):
    chat, embedder = chosen_models(settings(tmp_path, small=True), load_catalog())
    assert "0.5b" in chat.path.name
    assert "e5" in embedder.path.name
    with pytest.raises(NotFound):
        chosen_models(settings(tmp_path, model="nothing"), load_catalog())


def test_ids_are_ids_and_sort_by_the_moment_they_were_made():
    ids = [new_id() for _ in range(50)]
    assert all(map(is_id, ids))
    assert len(set(ids)) == 50
    assert ids[0][:11] <= ids[-1][:11]
    assert clock_ms() > 1_700_000_000_000


def test_a_model_that_only_the_file_names_and_nobody_has_does_not_keep_it_from_starting(tmp_path):
    (tmp_path / "settings.toml").write_text("model = 'gone'\nthreads = 2\n", "utf-8")
    loaded = usable(load_all({}, {"data": tmp_path, "models": tmp_path}))
    assert (loaded.settings.model, loaded.settings.threads) == ("", 2)
    assert "gone" in loaded.complaints[0]
    with pytest.raises(NotFound):
        usable(load_all({"STRATA_MODEL": "gone"}, {"data": tmp_path, "models": tmp_path}))


@pytest.mark.parametrize(
    ("running", "values"),
    [
        ({"engine": "llama_cpp"}, {"engine": "openai_http", "model": "far/model"}),
        ({"engine": "openai_http"}, {"engine": "llama_cpp", "model": "qwen2.5-coder-0.5b"}),
    ],
)
def test_a_model_of_another_engine_waits_with_it_for_the_next_start(tmp_path, running, values):
    data = tmp_path / "data"
    data.mkdir()
    base = {"data": data, "models": tmp_path / "models", "base_url": "http://127.0.0.1:9/v1"}
    (data / "settings.toml").write_text(f'engine = "{running["engine"]}"\n', "utf-8")
    reload = lambda: load_all({}, base)  # noqa: E731
    app = create_app(reload().settings, reload=reload)
    services = app.extensions["strata"]
    engine = services.engine.current
    services.settings_desk.save({**values, "max_output_tokens": 512})
    held = app.extensions["strata"].settings
    assert (held.engine, held.model, held.max_output_tokens) == (running["engine"], "", 512)
    assert services.engine.current is engine
    assert reload().settings.model == values["model"]
    for room in (services.models, services.generation, services.documents, services.engine):
        room.close()


def test_the_model_may_look_into_earlier_chats_as_soon_as_that_is_switched_on(tmp_path):
    base = {"data": tmp_path / "data", "models": tmp_path / "models", "engine": "scripted"}
    app = create_app(settings(tmp_path, engine="scripted"), reload=lambda: load_all({}, base))
    services = app.extensions["strata"]
    thread, other = (services.library.create(title).id for title in ("One", "Other"))
    past = services.generation.lookup.recall
    assert past.within(thread) is None
    services.settings_desk.save({"recall": True})
    assert past.within(thread) is not None
    services.library.sharing.share(thread, {"all": "read"})
    assert past.within(thread) is None and past.within(other) is not None
    for room in (services.models, services.generation, services.documents, services.engine):
        room.close()
