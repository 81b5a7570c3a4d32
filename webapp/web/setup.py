"""Puts the room `web` into an app: services, blueprints, filters, errors, guard, socket."""

from __future__ import annotations

import functools
from typing import Final

from flask import Flask
from jinja2 import Environment, StrictUndefined

from webapp.chat import assistant, branches, continuing
from webapp.chat.estimate import estimate
from webapp.chat.wording import LONGEST_MESSAGE, LONGEST_TITLE
from webapp.threads.projects import LONGEST_INSTRUCTIONS, LONGEST_PROJECT_NAME
from webapp.web import (
    BLUEPRINTS,
    access,
    allowed,
    assistants,
    beginning,
    cited,
    documents,
    errors,
    filters,
    guard,
    live,
    outlook,
    readers_day,
    rendering,
    sent,
    sharing,
    thread_assistant,
)
from webapp.web.own_names import own_names
from webapp.web.services import EXTENSION, Services

PROJECT_FILES = "/projects/<project_id>/files"
PROJECT_SHARING = "/projects/<project_id>/sharing"


def install(app: Flask, services: Services) -> None:
    app.extensions[EXTENSION] = services
    _prepare_templates(app)
    errors.install(app)
    guard.install(app, own_names() if services.household.shared else ())
    access.install(app)
    allowed.install(app)
    live.install(app)
    readers_day.install(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    app.register_blueprint(documents.bp, name="project_files", url_prefix=PROJECT_FILES)
    app.register_blueprint(sharing.bp, name="project_sharing", url_prefix=PROJECT_SHARING)


# Known to all templates: to import one costs more than to use it, and pages use hundreds.
MACROS: Final = {
    "icons": ("icon", "strata", "face"),
    "forms": ("posts", "opens", "counted"),
    "found": ("marked",),
}


def _prepare_templates(app: Flask) -> None:
    environment = app.jinja_env
    environment.undefined = StrictUndefined
    environment.trim_blocks = environment.lstrip_blocks = True
    environment.tests["damaged"] = rendering.is_damaged
    environment.filters["title_trigger"] = rendering.title_trigger
    environment.filters["body_html"] = rendering.body_html
    environment.globals.update(
        longest_message=LONGEST_MESSAGE,
        longest_title=LONGEST_TITLE,
        longest_name=branches.LONGEST_NAME,
        listed=rendering.LISTED,
        longest_project_name=LONGEST_PROJECT_NAME,
        longest_instructions=LONGEST_INSTRUCTIONS,
    )
    environment.filters.update(
        branches=branches.listed, branch_name=branches.name_of, first_words=branches.first_words
    )
    environment.filters.update(outlook=outlook.outlook_of, left_out_of=sent.left_out_of)
    environment.filters["cited"] = cited.cited
    environment.tests["grounding_awaited"] = cited.is_awaited
    environment.tests["request_kept"] = sent.is_kept
    environment.tests.update(starred=branches.is_starred, can_continue=continuing.can_continue)
    environment.filters["draft"] = beginning.draft_of
    _prepare_assistants(environment)
    filters.install(app)
    _prepare_macros(environment)


def _prepare_macros(environment: Environment) -> None:
    for file, names in MACROS.items():
        module = environment.get_template(f"macros/{file}.html").module
        for name in names:
            macro = getattr(module, name)
            # A page draws the same few icons some hundred times.
            environment.globals[name] = functools.cache(macro) if name == "icon" else macro


def _prepare_assistants(environment: Environment) -> None:
    environment.globals.update(
        longest_icon=assistant.LONGEST_ICON,
        longest_assistant_name=assistant.LONGEST_NAME,
        built_in_id=assistant.BUILT_IN.id,
        built_in_icon=assistant.BUILT_IN.icon,
    )
    environment.tests["damaged_assistant"] = rendering.is_damaged_assistant
    environment.filters.update(
        standing=thread_assistant.standing,
        parameter_words=thread_assistant.parameter_words,
        is_as_built_in=assistants.is_as_built_in,
        estimate=estimate,
    )
