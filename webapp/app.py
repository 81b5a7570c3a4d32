"""The composition root: builds each service once, hands it down, and closes it."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import get_args

from flask import Flask

from webapp.archives.imports import Imports
from webapp.assets import static_folder, templates_folder
from webapp.documents.chunking import chunking_from
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.parsing.limits import MB
from webapp.documents.retrieval import Search
from webapp.documents.routing import Use
from webapp.documents.service import DocumentOptions, Documents
from webapp.documents.tables import Mode
from webapp.engines.catalog import Catalog, load_catalog
from webapp.engines.choice import Choice, choose
from webapp.engines.engine import Engine
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.engines.memory import available_bytes
from webapp.engines.models import Models
from webapp.engines.openai_http import OpenAIHttpEngine
from webapp.engines.scripted import DIMENSION, ScriptedEngine
from webapp.engines.shelf import Shelf
from webapp.engines.slot import EngineSlot
from webapp.errors import BadSetting, NotFound
from webapp.generation.lookup import FileSearch
from webapp.generation.quiet import is_quiet
from webapp.generation.recall import Recall
from webapp.generation.service import GenerationService
from webapp.generation.window import defaults
from webapp.people.household import Household
from webapp.search.finder import Finder
from webapp.settings import SETTINGS_FILE, Loaded, Settings
from webapp.settings_file import SettingsFile
from webapp.threads.assistants import Assistants
from webapp.threads.backend import open_store
from webapp.threads.library import ThreadLibrary
from webapp.threads.observed import ObservedStore, StoredSource
from webapp.threads.projects import Projects
from webapp.tls.served import ServedCertificate
from webapp.web.reach import kin, reaches
from webapp.web.services import EXTENSION, Services
from webapp.web.settings_desk import SettingsDesk
from webapp.web.settings_shown import LIVE, WITH_THE_MODEL
from webapp.web.setup import install

log = logging.getLogger(__name__)


def clock_ms() -> int:
    return time.time_ns() // 1_000_000


def new_id() -> str:
    """Sorts by the moment it was made; 80 random bits keep ids of one moment apart."""
    return f"{clock_ms():011x}{secrets.token_hex(10)}"


def create_app(
    settings: Settings,
    engine: Engine | None = None,
    reload: Callable[[], Loaded] | None = None,
    certificate: ServedCertificate | None = None,
) -> Flask:
    """The app over the data directory of `settings`; `engine` replaces the one it names. `reload`
    reads the settings anew, if given. `certificate` is the one that pages are served with."""
    app = Flask(
        "webapp", template_folder=str(templates_folder()), static_folder=str(static_folder())
    )
    store, finder = _store(settings)
    projects = Projects(settings.data, clock_ms=clock_ms, new_id=new_id)
    library = ThreadLibrary(store, clock_ms=clock_ms, new_id=new_id, projects=projects)
    own_engine = engine or engine_for(settings)
    engine = EngineSlot(own_engine)
    documents = _documents(settings, engine, embedding_model(settings, own_engine))
    recall = Recall(finder, library, on=settings.recall)
    generation = _generation(settings, engine, library, documents, recall)
    desk = _desk(app, settings, reload or (lambda: Loaded(settings)))
    rooms = (library, generation, engine, documents, projects, assistants_of(settings), desk)
    house = Household(settings.data, shared=settings.lan, clock_ms=clock_ms, new_id=new_id)
    library.membership.reaches = partial(reaches, house)
    recall.kin = partial(kin, house, projects)
    _read_quietly(finder, settings, documents, partial(is_quiet, generation, engine))
    models = Models.over(settings.models, load_catalog(), settings.data / "cache", clock_ms)
    imports = Imports(settings.data / "cache" / "imports", clock_ms=clock_ms, new_id=new_id)
    install(app, Services(settings, *rooms, house, models, finder, imports, certificate))
    return app


def _documents(settings: Settings, engine: Engine, model: EmbeddingModel) -> Documents:
    return Documents(
        settings.data,
        engine,
        model,
        clock_ms=clock_ms,
        new_id=new_id,
        options=document_options(settings),
    )


def _store(settings: Settings) -> tuple[ObservedStore, Finder]:
    """What is written to the one is told to the other."""
    kept = open_store(settings.data, clock_ms)
    finder = Finder(settings.data / "cache", StoredSource(kept, settings.data))
    return ObservedStore(kept, finder.indexer), finder


def _read_quietly(
    finder: Finder, settings: Settings, documents: Documents, quiet: Callable[[], bool]
) -> None:
    finder.meaning.vectors = documents.vectors
    finder.reader.on, finder.reader.quiet = finds_by_meaning(settings), quiet


def finds_by_meaning(settings: Settings) -> bool:
    """Whether chats are read by the embedding model. What was never asked is sent nowhere else."""
    return settings.find_by_meaning and settings.engine != "openai_http"


def _generation(
    settings: Settings,
    engine: Engine,
    library: ThreadLibrary,
    documents: Documents,
    recall: Recall,
) -> GenerationService:
    return GenerationService(
        engine,
        library,
        clock_ms=clock_ms,
        window=window_settings(settings),
        documents=documents,
        grounding_threshold=settings.grounding_threshold,
        kept=settings.data / "cache" / "tool_tests.json",
        file_search=file_search(settings),
        recall=recall,
    )


def _desk(app: Flask, settings: Settings, reload: Callable[[], Loaded]) -> SettingsDesk:
    return SettingsDesk(
        SettingsFile(settings.data / SETTINGS_FILE),
        reload,
        check=lambda wanted: engine_for(wanted).close(),
        adopt=lambda wanted: adopt(app, wanted),
    )


def adopt(app: Flask, wanted: Settings) -> None:
    """From now on `wanted` holds, except for what needs a new start."""
    services: Services = app.extensions[EXTENSION]
    held = services.settings
    # What belongs to another engine waits for it, until the next start.
    live = LIVE if wanted.engine == held.engine else LIVE - WITH_THE_MODEL
    new = replace(held, **{name: getattr(wanted, name) for name in live})
    services.documents.adopt(document_options(new))
    generation = services.generation
    generation.window.adopt(defaults(**window_settings(new)))
    if generation.lookup is not None and generation.groundings is not None:
        generation.lookup.how = file_search(new)
        if generation.lookup.recall is not None:
            generation.lookup.recall.on = new.recall
        generation.groundings.threshold = new.grounding_threshold
    services.finder.reader.on = finds_by_meaning(new)
    if any(getattr(held, name) != getattr(new, name) for name in WITH_THE_MODEL):
        services.engine.exchange(engine_for(new))
    app.extensions[EXTENSION] = replace(services, settings=new)


def usable(loaded: Loaded) -> Loaded:
    """Without the models that only settings.toml names and that are nowhere: the usual ones stand
    in, and it is told. NotFound when a variable or an option names them."""
    settings, complaints = loaded.settings, list(loaded.complaints)
    if settings.engine != "llama_cpp":
        return loaded
    for name in ("model", "embedder"):
        alone = replace(Settings(models=settings.models), **{name: getattr(settings, name)})
        try:
            chosen_models(alone, load_catalog())
        except NotFound as error:
            if name in loaded.fixed:
                raise
            complaints.append(f"{settings.data / SETTINGS_FILE}: {error} The default is used.")
            settings = replace(settings, **{name: getattr(Settings(), name)})
    return replace(loaded, settings=settings, complaints=tuple(complaints))


def file_search(settings: Settings) -> FileSearch:
    return next(how for how in get_args(FileSearch) if how == settings.file_search)


def assistants_of(settings: Settings) -> Assistants:
    """Brought up to date; the log says what could not be."""
    assistants = Assistants(settings.data, clock_ms=clock_ms, new_id=new_id)
    for complaint in assistants.migrate():
        log.warning("%s", complaint)
    return assistants


def document_options(settings: Settings) -> DocumentOptions:
    """What holds for files unless a call says otherwise. BadSetting for words nobody knows."""
    search = Search(
        settings.retrieval_limit,
        settings.retrieval_threshold,
        "vector" if settings.search_by == "vector" else "hybrid",
        next(mode for mode in get_args(Mode) if mode == settings.search_mode),
    )
    use = next(use for use in get_args(Use) if use == settings.file_use)
    return DocumentOptions(settings.max_file_mb * MB, chunking_from(vars(settings)), search, use)


def embedding_model(settings: Settings, engine: Engine) -> EmbeddingModel:
    """Which vectors `engine` makes. What the catalogue does not know is measured when needed."""
    if isinstance(engine, ScriptedEngine):
        return EmbeddingModel("scripted", DIMENSION)
    catalog = load_catalog()
    wanted = settings.embedder or catalog.embedding_default().name
    entry = next((each for each in catalog.entries if wanted in (each.name, each.file)), None)
    if entry and (facts := entry.embedding):
        scale = facts.dimension, facts.a, facts.b
        return EmbeddingModel(entry.name, *scale, facts.query_prefix, facts.passage_prefix)
    if settings.engine != "llama_cpp":
        return EmbeddingModel(wanted, 0)
    path = chosen_models(settings, catalog)[1].path
    size = path.stat().st_size if path.exists() else 0
    return EmbeddingModel(f"{path.stem} ({size:,} bytes)", 0)


def window_settings(settings: Settings) -> dict[str, object]:
    """What holds for threads that have no settings of their own."""
    most = settings.max_context_tokens
    return {
        "max_context_tokens": None if most < 0 else most,
        "max_output_tokens": settings.max_output_tokens,
        "auto_compact": settings.auto_compact,
    }


def chosen_models(settings: Settings, catalog: Catalog) -> tuple[Choice, Choice]:
    """The chat model and the embedding model that `settings` ask for, fetched or not."""
    shelf = Shelf(settings.models)
    chat_default = catalog.chat_default(available_bytes(), settings.small)
    chat = choose(settings.model, chat_default, catalog, shelf)
    return chat, choose(settings.embedder, catalog.embedding_default(), catalog, shelf)


def engine_for(settings: Settings) -> Engine:
    """The engine that `settings` name; nothing is loaded yet."""
    if settings.engine == "scripted":
        return ScriptedEngine(context_tokens=settings.context_tokens)
    if settings.engine == "openai_http":
        return _engine_elsewhere(settings)
    if settings.engine != "llama_cpp":
        raise BadSetting(
            f"There is no engine “{settings.engine}”.",
            do="Choose llama_cpp, openai_http or scripted.",
        )
    chat, embedder = chosen_models(settings, load_catalog())
    facts = embedder.entry.embedding if embedder.entry else None
    return LlamaCppEngine(
        chat.path,
        embedder.path,
        context_tokens=settings.context_tokens,
        threads=settings.threads,
        query_prefix=facts.query_prefix if facts else "",
        passage_prefix=facts.passage_prefix if facts else "",
        kv_folder=settings.data / "cache" / "kv",
        kv_bytes=settings.kv_cache_mib << 20,
        unload_after_seconds=settings.unload_after_minutes * 60,
    )


def _engine_elsewhere(settings: Settings) -> Engine:
    """Models by the names that the server has for them; nothing is fetched to this machine. An
    embedder of the catalogue wants its prefixes there too."""
    named = (entry for entry in load_catalog().entries if entry.name == settings.embedder)
    facts = next((entry.embedding for entry in named), None)
    return OpenAIHttpEngine(
        settings.base_url,
        settings.model,
        settings.embedder,
        key=settings.api_key,
        context_tokens=settings.context_tokens,
        query_prefix=facts.query_prefix if facts else "",
        passage_prefix=facts.passage_prefix if facts else "",
    )
