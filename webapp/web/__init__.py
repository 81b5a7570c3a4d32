from flask import Blueprint

from webapp.web import (
    beginning,
    changes,
    citations,
    documents,
    editing,
    home,
    importing,
    marks,
    messages,
    model_window,
    notes,
    projects,
    sent,
    threads,
    trash,
    tree,
)

BLUEPRINTS: tuple[Blueprint, ...] = (
    home.bp,
    threads.bp,
    messages.bp,
    editing.bp,
    tree.bp,
    importing.bp,
    changes.bp,
    trash.bp,
    marks.bp,
    model_window.bp,
    notes.bp,
    sent.bp,
    documents.bp,
    citations.bp,
    beginning.bp,
    projects.bp,
)
