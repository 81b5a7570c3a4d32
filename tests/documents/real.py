"""The real embedding models that tests run, from the folder that a person's own Strata uses."""

import os

from webapp.documents.embedding import EmbeddingModel, TextVectors
from webapp.engines.catalog import load_catalog
from webapp.engines.llama_cpp import LlamaCppEngine
from webapp.engines.shelf import Shelf
from webapp.settings import load


def open_model(name):
    """An engine that embeds with the model `name`, and its vectors of texts."""
    shelf, catalog = Shelf(load(os.environ, {})[0].models), load_catalog()
    entry = catalog.entry(name)
    facts = entry.embedding
    engine = LlamaCppEngine(
        shelf.fetch(catalog.entry("qwen2.5-coder-0.5b")),
        shelf.fetch(entry),
        context_tokens=512,
        threads=2,
        query_prefix=facts.query_prefix,
        passage_prefix=facts.passage_prefix,
    )
    model = EmbeddingModel(
        name, facts.dimension, facts.a, facts.b, facts.query_prefix, facts.passage_prefix
    )
    return engine, TextVectors(engine, model)
