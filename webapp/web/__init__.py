from flask import Blueprint

from webapp.web import home, messages, threads

BLUEPRINTS: tuple[Blueprint, ...] = (home.bp, threads.bp, messages.bp)
