"""Projects on the page: made, shared, changed, deleted, and threads moved in and out."""

import io
import json
import re

import pytest

from tests.generation.with_files import service_over
from webapp.errors import NotFound

SECONDS = 30
RULE = b"The travel allowance is forty euros for each day away.\n"


@pytest.fixture
def generation(documents, engine, library, clock):
    service = service_over(documents, engine, library, clock)
    yield service
    service.close()


@pytest.fixture
def project(projects):
    return projects.make("Tax <b>", "Be brief.")


def taken_in(documents, project, name="rules.txt", words=RULE):
    scope = documents.project(project.id)
    stored = documents.add(scope, name, io.BytesIO(words), len(words))
    assert all(each.is_ready for each in documents.wait_over(scope, SECONDS).files)
    return stored.state.id


class TestTheList:
    def test_a_project_is_made_and_leads_to_its_page(self, page):
        assert "No projects yet." in page.get("/projects").text
        response = page.send("/projects", name="Tax <b>", instructions="Be brief.")
        assert response.status_code == 303
        html = page.get(response.location).text
        assert "<title>Tax &lt;b&gt; – Strata</title>" in html
        assert "Be brief.</textarea>" in html
        assert f'href="{response.location}"' in page.get("/projects").text

    def test_a_name_that_is_none_is_a_sentence_and_what_was_typed_stays(self, page, projects):
        response = page.send("/projects", name=" ", instructions="Be <b>")
        assert response.status_code == 422
        assert "A project needs a name." in response.text
        assert "Be &lt;b&gt;</textarea>" in response.text
        assert projects.all() == []

    def test_the_first_are_beside_every_page(self, page, projects):
        for number in range(8):
            projects.make(f"Project {number}")
        html = page.get("/").text
        assert "Project 5" in html and "Project 6" not in html
        assert "All projects (2 more)" in html

    def test_a_damaged_one_is_named_and_can_be_mended_or_deleted(self, page, settings, projects):
        made = projects.make("Torn")
        (settings.data / "projects" / made.id / "project.json").write_text("{")
        assert made.id in page.get("/projects").text
        response = page.get(f"/projects/{made.id}")
        assert response.status_code == 409
        assert "project.json is damaged" in response.text
        assert page.send(f"/projects/{made.id}", name="", instructions="x").status_code == 409
        assert page.get(f"/projects/{made.id}/removal").status_code == 200
        page.send(f"/projects/{made.id}", name="Mended", instructions="")
        assert projects.project(made.id).name == "Mended"

    def test_a_list_that_cannot_be_read_keeps_nobody_from_a_page(self, page, settings):
        (settings.data / "projects").write_text("no folder")
        assert page.get("/").status_code == 200


class TestOne:
    def test_its_words_are_changed(self, page, projects, project):
        response = page.send(f"/projects/{project.id}", name="Taxes", instructions="Cite.")
        assert "Saved; the next question uses it." in page.get(response.location).text
        assert projects.project(project.id).instructions == "Cite."

    def test_a_change_that_is_refused_keeps_what_was_typed(self, page, projects, project):
        response = page.send(f"/projects/{project.id}", name="x" * 121, instructions="New")
        assert response.status_code == 422
        assert "This name has 121 characters." in response.text
        assert "New</textarea>" in response.text
        assert projects.project(project.id) == project

    def test_a_thread_begins_in_it_with_its_instructions(self, page, library, engine, project):
        response = page.htmx(f"/projects/{project.id}/threads", text="What can I deduct?")
        thread_id = response.headers["HX-Redirect"].split("/")[2]
        page.wait(thread_id)
        assert library.membership.of(thread_id) == project
        first = next(each for each in engine.requests if each.turns[-1].role == "user")
        assert first.turns[0].content.startswith("Be brief.\n\n")
        assert "In the project" in page.get(f"/threads/{thread_id}").text
        assert page.htmx(f"/projects/{project.id}/threads", text=" ").status_code == 422

    def test_threads_are_added_listed_and_taken_out(self, page, library, project):
        thread_id = library.create("Deductions").id
        at = f"/projects/{project.id}"
        assert f'<option value="{thread_id}">Deductions' in page.get(at).text
        assert page.send(f"{at}/members", thread=thread_id).status_code == 303
        html = page.get(at).text
        assert f'action="{at}/members/{thread_id}/removal"' in html
        assert f'<option value="{thread_id}"' not in html
        page.send(f"{at}/members/{thread_id}/removal")
        assert library.membership.of(thread_id) is None
        assert "No thread was chosen." in page.send(f"{at}/members").text
        assert page.send(f"{at}/members", thread="nobody").status_code == 404

    def test_who_is_in_another_by_now_stays_there(self, page, library, projects, project):
        other = projects.make("Other")
        thread_id = library.create("Deductions").id
        library.membership.move(thread_id, other)
        page.send(f"/projects/{project.id}/members/{thread_id}/removal")
        assert library.membership.of(thread_id) == other

    @pytest.mark.parametrize("id", ["nobody", "%00", "x" * 65])
    def test_one_that_is_not_there_is_not_found(self, page, id, settings):
        for path in ("", "/removal", "/files", "/files/list", "/files/f"):
            assert page.get(f"/projects/{id}{path}").status_code == 404
        for path in ("", "/removal", "/threads", "/members"):
            sent = page.send(f"/projects/{id}{path}", name="x", text="x", thread="x")
            assert sent.status_code == 404
        assert not (settings.data / "projects").exists()


class TestFromTheThread:
    def test_the_menu_moves_it_in_and_out(self, page, library, project):
        thread_id = page.begin()
        at = f"/threads/{thread_id}"
        assert f'<option value="{project.id}">Tax &lt;b&gt;' in page.get(at).text
        response = page.send(f"{at}/project", project=project.id)
        assert (response.status_code, response.location) == (303, at)
        html = page.get(at).text
        assert f'<option value="{project.id}" selected>' in html
        assert f'id="in-project" class="in-project" href="/projects/{project.id}"' in html
        page.send(f"{at}/project", project="")
        assert 'id="in-project"' not in page.get(at).text
        assert page.send(f"{at}/project", project="nobody").status_code == 404
        assert page.send("/threads/nobody/project", project=project.id).status_code == 404

    def test_without_projects_there_is_nothing_to_choose(self, page):
        assert 'id="move-project"' not in page.get(f"/threads/{page.begin()}").text


class TestFiles:
    def test_they_are_attached_listed_searched_and_deleted_like_those_of_a_thread(
        self, page, documents, project
    ):
        at = f"/projects/{project.id}/files"
        sent = {"files": (io.BytesIO(RULE), "rules.txt")}
        response = page.client.post(at, data=sent, content_type="multipart/form-data")
        assert (response.status_code, response.location) == (303, at)
        scope = documents.project(project.id)
        (file,) = documents.wait_over(scope, SECONDS).files
        html = page.get(at).text
        assert 'aria-label="Back to the project"' in html
        assert f'href="{at}/{file.id}"' in html
        assert "rules.txt" in page.get(f"/projects/{project.id}").text
        assert "forty euros" in page.get(f"{at}/found?q=travel+allowance").text
        one = page.get(f"{at}/{file.id}").text
        assert "forty euros" in one
        assert 'id="file-use"' not in one
        refused = page.send(f"{at}/{file.id}/use", use="inline")
        assert "always searched" in refused.text and refused.status_code == 422
        page.send(f"{at}/{file.id}/removal")
        assert documents.status(scope) == ()

    def test_every_thread_of_the_project_finds_them_until_it_is_moved_out(
        self, page, documents, library, project
    ):
        taken_in(documents, project)
        for question in ("What is the travel allowance?", "And the travel allowance of each day?"):
            thread_id = library.create(project_id=project.id).id
            page.ask(thread_id, question)
            answer = library.path(thread_id)[-1]
            [passage] = answer.metadata["usage"]["passages"]
            assert (passage["file"], passage["project"]) == ("rules.txt", project.name)
            [hit] = answer.metadata["usage"]["trace"][0]["hits"]
            assert hit["project"] == project.name
            html = page.get(f"/threads/{thread_id}").text
            assert html.count("project <bdi>Tax &lt;b&gt;</bdi>") == 2
            at = f"/threads/{thread_id}/messages/{answer.id}/passages/1"
            html = page.get(at).text
            assert "project <bdi>Tax &lt;b&gt;</bdi>" in html
            assert re.search(rf'href="/projects/{project.id}/files/[^"]+#passage-0"', html)
        assert "the files of the project" in page.get(f"/threads/{thread_id}/files").text
        library.membership.move(thread_id, None)
        page.ask(thread_id, "What is the travel allowance now?")
        assert "passages" not in library.path(thread_id)[-1].metadata["usage"]
        # What an earlier answer rests on can still be read where it stands.
        assert page.get(at).status_code == 200

    def test_the_passage_of_a_project_that_is_gone_is_shown_as_it_was(
        self, page, documents, library, project
    ):
        taken_in(documents, project)
        thread_id = library.create(project_id=project.id).id
        page.ask(thread_id, "What is the travel allowance?")
        answer = library.path(thread_id)[-1]
        page.send(f"/projects/{project.id}/removal")
        html = page.get(f"/threads/{thread_id}/messages/{answer.id}/passages/1").text
        assert "This file is no longer here." in html and "forty euros" in html


class TestDeleting:
    def test_it_says_what_goes_and_what_stays(self, page, documents, library, project):
        taken_in(documents, project)
        library.create(project_id=project.id)
        html = page.get(f"/projects/{project.id}/removal").text
        assert "and its file" in html
        assert "Its thread stays" in html

    def test_files_and_passages_go_and_threads_lose_only_the_link(
        self, page, documents, library, settings, project
    ):
        taken_in(documents, project)
        scope = documents.project(project.id)
        thread_id = page.begin()
        library.membership.move(thread_id, project)
        response = page.send(f"/projects/{project.id}/removal")
        html = page.get(response.location).text
        assert "The project “Tax &lt;b&gt;” was deleted" in html
        assert page.get(f"/projects/{project.id}").status_code == 404
        assert not scope.folder.parent.exists()
        assert not (settings.data / "lance" / f"{scope.table}.lance").exists()
        with pytest.raises(NotFound):
            documents.status(scope)
        about = json.loads((settings.data / "threads" / thread_id / "thread.json").read_text())
        assert "project" not in about["metadata"]
        assert page.get(f"/threads/{thread_id}").status_code == 200
        assert page.send(f"/projects/{project.id}/removal").status_code == 404
