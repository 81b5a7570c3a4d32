"""What the composition root built, for the routes to call."""

from __future__ import annotations

from dataclasses import dataclass, field

from flask import current_app

from webapp.archives.exports import Exports
from webapp.archives.imports import Imports
from webapp.documents.service import Documents
from webapp.engines.models import Models
from webapp.engines.slot import EngineSlot
from webapp.generation.service import GenerationService
from webapp.people.household import Household
from webapp.search.finder import Finder
from webapp.settings import Settings
from webapp.threads.assistants import Assistants
from webapp.threads.library import ThreadLibrary
from webapp.threads.projects import Projects
from webapp.tls.served import ServedCertificate
from webapp.web.settings_desk import SettingsDesk

EXTENSION = "strata"


@dataclass(frozen=True)
class Services:
    """One of each, for the life of the app."""

    settings: Settings
    library: ThreadLibrary
    generation: GenerationService
    engine: EngineSlot
    documents: Documents
    projects: Projects
    assistants: Assistants
    settings_desk: SettingsDesk
    household: Household
    models: Models
    finder: Finder
    imports: Imports
    certificate: ServedCertificate | None = None
    exports: Exports = field(default_factory=Exports)


def services() -> Services:
    """Those of the app that answers this request."""
    found = current_app.extensions[EXTENSION]
    assert isinstance(found, Services)  # noqa: S101 - a fault of ours, not of a reader
    return found
