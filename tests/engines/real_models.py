"""The small real models that tests run, from the folder that a person's own Strata uses."""

import os

from webapp.engines.catalog import load_catalog
from webapp.engines.shelf import Shelf
from webapp.settings import load


def chat_model():
    return _path("qwen2.5-coder-0.5b")


def embed_model():
    return _path("multilingual-e5-small")


def _path(name):
    return Shelf(load(os.environ, {})[0].models).fetch(load_catalog().entry(name))
