"""What the composition root built, for the routes to call."""

from __future__ import annotations

from dataclasses import dataclass

from flask import current_app

from webapp.documents.service import Documents
from webapp.engines.engine import Engine
from webapp.generation.service import GenerationService
from webapp.settings import Settings
from webapp.threads.library import ThreadLibrary
from webapp.threads.projects import Projects

EXTENSION = "strata"


@dataclass(frozen=True)
class Services:
    """One of each, for the life of the app."""

    settings: Settings
    library: ThreadLibrary
    generation: GenerationService
    engine: Engine
    documents: Documents
    projects: Projects


def services() -> Services:
    """Those of the app that answers this request."""
    found = current_app.extensions[EXTENSION]
    assert isinstance(found, Services)  # noqa: S101 - a fault of ours, not of a reader
    return found
