from flask import Blueprint

from webapp.web import editing, home, messages, threads, tree

BLUEPRINTS: tuple[Blueprint, ...] = (
    home.bp,
    threads.bp,
    messages.bp,
    editing.bp,
    tree.bp,
)
