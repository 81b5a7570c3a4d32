from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from tests.web.cited_answers import answer
from webapp.archives.bringing import Outcome
from webapp.archives.exports import Export
from webapp.archives.imports import Import
from webapp.assets import templates_folder
from webapp.chat.assistant import BUILT_IN
from webapp.chat.messages import new_message
from webapp.chat.parameters import PARAMETERS
from webapp.chat.records import Put
from webapp.chat.summary import Line, Summary
from webapp.chat.word_diff import word_diff
from webapp.documents.board import FileState
from webapp.documents.file_facts import FileFacts
from webapp.documents.passages import Passage
from webapp.documents.scope import Scope
from webapp.generation.sent import SentPart
from webapp.search.finder import Hit, Hits, NearHits
from webapp.search.index import Said
from webapp.search.snippets import Piece
from webapp.threads.store import Change
from webapp.threads.view import Elsewhere
from webapp.web.allowed import EVERYTHING
from webapp.web.assistants import Editor
from webapp.web.citations import PassageRead
from webapp.web.cited import cited
from webapp.web.file_owners import FileOwner
from webapp.web.files_shown import FilesShown, FoundShown, PassageShown
from webapp.web.first_steps import Steps
from webapp.web.map_boxes import drawing
from webapp.web.model_window import MODES
from webapp.web.models_shown import board
from webapp.web.outlook import outlook
from webapp.web.rendering import body_html, fragment, printable
from webapp.web.search import Asked, Group, Row
from webapp.web.settings_shown import fields


def message(role, text, status="ready"):
    return new_message(id="m", thread_id="t", role=role, text=text, created_at=1, status=status)


def test_a_question_is_shown_exactly_as_written():
    assert body_html(message("user", "**a**\n  <b>")) == "**a**\n  &lt;b&gt;"


def test_a_long_question_is_folded_and_whole(app):
    text = "First line\n" + "<word> " * 3000 + "the end"
    with app.app_context():
        html = body_html(message("user", text))
    shown, folded = html.split("<details", 1)
    assert shown.startswith("First line\n")
    assert f"Show all {len(text):,} characters" in folded
    rest = folded.split("<div>")[1].split("</div>")[0]
    assert unescape(shown + rest) == text


def test_an_answer_is_shown_as_markdown():
    assert "<strong>a</strong>" in body_html(message("assistant", "**a**"))


def test_an_answer_that_grows_is_shown_so_far():
    assert "<strong>a</strong>" in body_html(message("assistant", "**a** and", "pending"))


def test_no_markup_of_a_model_reaches_the_page():
    html = body_html(message("assistant", '<img src=x onerror="a()"><p hx-get="/x">'))
    assert "<img" not in html
    assert "<p hx" not in html


def test_halves_of_surrogate_pairs_can_be_sent():
    assert printable("a\ud83db").encode() == "a\N{REPLACEMENT CHARACTER}b".encode()


def test_a_thread_of_another_program_with_odd_text_can_be_read(page, store, library):
    thread_id = library.create("Odd").id
    store.write(thread_id, [Put(message("assistant", "half \ud83d and \0 nul"))])
    response = page.get(f"/threads/{thread_id}")
    assert response.status_code == 200
    assert "half" in response.text


class TestFragments:
    """Each is given what it shows and leans on nothing a page around it would have set."""

    @pytest.fixture
    def given(self, app, page, library, services):
        thread_id = page.begin()
        view = library.view(thread_id)
        shown = view.shown[-1]
        with app.test_request_context("/"):
            seen = outlook(thread_id)
        of_thread = {"thread": view.thread}
        of_message = {"shown": shown, "thread_id": thread_id, "outlook": seen}
        of_mark = {**of_message, "message": shown.message, "oob": False}
        one_line = Summary((Line("A point."),), ((shown.message.id, shown.message.id),), 1, "m")
        url = {"thread_id": thread_id, "message_id": shown.message.id}
        window_of = {"outlook": seen, "known": ""}
        model = services.engine.describe()
        elsewhere = replace(shown, elsewhere=Elsewhere("m", 1, 7))
        map_of_thread = {"thread_id": thread_id, "drawing": drawing(*library.acts.map(thread_id))}
        loss = library.acts.loss(thread_id, shown.message.id)
        side = {"other": shown, "side": "left", "kind": "added", "runs": word_diff("a", "b")}
        settings = services.settings
        models_board = board(services.models, settings, settings, can_load=True)
        first_model = models_board.groups["chat"][0]
        return {
            "tree_acts": of_message,
            "tree_branches": {"row": view.thread, "oob": False},
            "tree_cancel": of_message,
            "tree_continue": {"message": shown.message, "thread_id": thread_id},
            "tree_delete": {**of_message, "loss": loss},
            "tree_edit": of_message,
            "tree_elsewhere": {"shown": elsewhere, "thread_id": thread_id},
            "tree_keys": {"can": EVERYTHING},
            "tree_map": map_of_thread,
            "tree_mark": of_message,
            "tree_outline": map_of_thread,
            "tree_side": {**of_message, **side},
            "tree_undo": {"what": "x", "undo": "m", "thread_id": thread_id, "oob": False},
            "tree_visit": {"view": view},
            "answer_form": {"address": "/x", "label": "Again", "title": ""},
            "change_row": {"change": Change("c", 1, "Renamed", ()), "thread_id": thread_id},
            "past_message": of_message,
            "composer": {
                "action": "/x",
                "target": "#x",
                "swap": "none",
                "draft_key": "x",
                "draft": "",
                "placeholder": "Ask",
            },
            "conversation": {"view": view, "above": 0, "outlook": seen},
            "model_row": {"row": first_model, "board": models_board, "model": model},
            "models_board": {"board": models_board, "model": model},
            **self.of_search(view.thread),
            "import_state": {"now": Import("a.zip", "looked", Outcome("ChatGPT", 3, 2, 9))},
            "export_progress": {"export": Export("ended", 2, 2, 9, ("One could not be read.",))},
            "first_steps": {"steps": Steps(True, True, False), "model": model},
            "earlier": {"view": view, "above": 0, "outlook": seen},
            "message": of_message,
            "message_foot": of_message,
            "model_state": {"model": model},
            "news": {"what": "x", "thread_id": thread_id},
            "notice": {"what": "x", "do": "y", "kind": "error"},
            "renamed": of_thread,
            "setting": {"field": fields(services.settings_desk.reload(), services.settings)[0]},
            "sidebar": {"rows": [], "more_rows": 0, "list_trouble": "", "theme": "auto"},
            "theme": {"theme": "auto"},
            "thread_menu": of_thread,
            "thread_row": {"row": view.thread, "here": None},
            "thread_title": of_thread,
            "turn": {"turn": view.shown, "thread_id": thread_id, "outlook": seen},
            "marks": {"message": shown.message, "url": url},
            "message_marks": {**of_message, "marked": [shown.message]},
            "message_notes": of_mark,
            "message_state": of_mark,
            "sent_part": {"part": SentPart("user", "Why?")},
            "tree_notes": {**of_message, "notes": one_line},
            "window": window_of,
            "window_settings": {
                "thread_id": thread_id,
                "own": {},
                "loaded": 8192,
                "usual": services.generation.window.settings(view.thread),
                "modes": MODES,
            },
            "window_table": window_of,
            "versions": of_message,
            **self.of_files(view.thread),
            **self.of_projects(services.projects.make("Tax"), view.thread),
            **self.of_sources(thread_id),
            **self.of_assistants(view.thread),
        }

    def of_assistants(self, thread):
        editor = Editor("", "", "Cook", "C", "Cook well.")
        return {
            "assistant_choice": {"assistants": [BUILT_IN], "chosen": "", "form": ""},
            "assistant_form": {"editor": editor, "parameters": PARAMETERS},
            "assistant_link": {"thread": thread},
            "assistant_preview": {"told": "Cook well."},
            "assistant_row": {"entry": BUILT_IN, "default": BUILT_IN},
        }

    def of_sources(self, thread_id):
        message = answer()
        read = PassageRead(cited(message).sources[0], (("The house ", False), ("is old", True)))
        return {
            "cited_body": {"message": message},
            "cited_passage": {"read": read},
            "message_sources": {"message": message, "thread_id": thread_id, "tries": 0},
            "trace_call": {"call": cited(message).calls[0]},
        }

    def of_projects(self, project, thread):
        typed = {"name": project.name, "instructions": ""}
        listed = {"projects": [project]}
        return {
            "project_form": {"action": "/projects", "save": "Save", "typed": typed, "trouble": "x"},
            "project_link": {"project": project},
            "project_list": listed,
            "project_move": {**listed, "thread": thread},
            "project_threads": {"project": project, "threads": [thread], "others": [thread]},
        }

    def of_search(self, thread):
        hit = Hit(Said(thread.id, "m", "user", 1, "A tide"), (Piece("A "), Piece("tide", True)))
        row = Row(hit, "/threads/t?at=m", "version 1 of 2")
        shown = {"asked": Asked("tide"), "hits": Hits((hit,)), "groups": [Group(thread, (row,))]}
        shown["by_meaning"] = True
        near = {"asked": Asked("tide"), "near": NearHits((hit,), 2, "Note."), "rows": [row]}
        return {
            "search_results": shown,
            "search_hit": {"row": row},
            "search_near": {**near, "waits": True},
            "search_files": {"rows": [], "notes": ("Note.",)},
        }

    def of_files(self, thread):
        scope = Scope("thread", thread.id, Path("files"), "attachments_t")
        owner = FileOwner(scope, "Tides", "/threads/t/files", "/threads/t", thread)
        file = FileState(FileFacts("f1", "a.pdf"), "embedding", 1, 3)
        passage = Passage("f1-0", "f1", 0, "x", 0, 1, (), "a.pdf", 0.7)
        found = FoundShown(
            "/threads/t/files", "Why?", [PassageShown(passage, True)], ("Note.",), 0.3
        )
        shown = {"shown": FilesShown("/threads/t/files", (file,))}
        return {
            "file_attach": {"at": "/threads/t/files"},
            "file_button": {},
            "file_chips": shown,
            "file_form": {"at": "/threads/t/files"},
            "file_found": {"found": found},
            "file_link": {**shown, "oob": False},
            "file_list": shown,
            "file_owner": {"owner": owner, "back": "files"},
            "file_passage": {"passage": passage, "place": "p. 1"},
            "file_row": {**shown, "file": file},
            "file_search": {"found": found},
            "file_use": {**shown, "file": file},
        }

    def test_every_fragment_renders_alone(self, app, given):
        names = {path.stem for path in (templates_folder() / "fragments").glob("*.html")}
        assert names == given.keys()
        with app.test_request_context("/"):
            for name, values in given.items():
                assert fragment(name, **values).strip(), name

    def test_every_template_fits_on_a_screen(self):
        for path in templates_folder().rglob("*.html"):
            assert len(path.read_text("utf-8").splitlines()) <= 60, path.name
