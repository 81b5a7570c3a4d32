from flask import Blueprint

from webapp.web import changes, editing, home, importing, messages, threads, trash, tree

BLUEPRINTS: tuple[Blueprint, ...] = (
    home.bp,
    threads.bp,
    messages.bp,
    editing.bp,
    tree.bp,
    importing.bp,
    changes.bp,
    trash.bp,
)
