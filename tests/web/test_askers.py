"""Who asked what, as each of the people of a shared Strata is told."""

import pytest

from webapp.chat.messages import new_message
from webapp.web.askers import GONE, another_asked, asker_name

HOST = {"Host": "localhost:5100", "Origin": "http://localhost:5100"}


def question(by="", thread_id="t"):
    facts = {"askedBy": by} if by else {}
    return new_message(
        id="q", thread_id=thread_id, role="user", text="Why?", created_at=1, metadata=facts
    )


@pytest.mark.parametrize(("who", "told"), [("writer", "You"), ("owner", "writer")])
def test_a_question_is_yours_or_has_the_name_of_who_asked_it(house, who, told):
    with house.visiting(who):
        assert asker_name(question(house.ids["writer"])) == told


def test_one_that_does_not_say_who_asked_is_the_owners_of_its_thread(house, library):
    mine = library.create("Mine", owner=house.ids["other"]).id
    with house.visiting("other"):
        assert asker_name(question(thread_id=mine)) == "You"
        assert asker_name(question(thread_id="gone")) == "owner"
    with house.visiting("reader"):
        assert asker_name(question(thread_id=mine)) == "other"


def test_who_left_is_named_as_nobody(house):
    house.household.remove(house.ids["other"])
    with house.visiting("owner"):
        assert asker_name(question(house.ids["other"])) == GONE


@pytest.mark.parametrize("by", ["", "somebody", "../x", 7])
def test_without_people_everything_is_yours(app, by):
    with app.test_request_context("/"):
        assert another_asked(question(by)) == ""


def test_alone_again_the_names_of_those_who_asked_stay(house):
    house.household.shared = False
    with house.visiting("owner"):
        assert asker_name(question(house.ids["owner"])) == "You"
        assert asker_name(question(house.ids["writer"])) == "writer"


def test_questions_and_edits_keep_who_wrote_them(house, services, ids):
    at, path = f"/threads/{house.thread}", "messages"
    for who, text in (("owner", "/echo First"), ("writer", "/echo Other")):
        answer = house.client(who).post(f"{at}/{path}", data={"text": text}, headers=HOST)
        assert answer.status_code == 303
        for running in services.generation.running(house.thread):
            assert services.generation.live(running).wait_done(timeout=10).done
        message = ids(house.thread)[0]
        asked = services.library.message(house.thread, message)
        assert asked.metadata["askedBy"] == house.ids[who]
        path = f"messages/{message}/edits"
    page = house.client("reader").get(at, headers=HOST).text
    assert "by-another" in page
    assert '<bdi class="author">writer</bdi>' in page
    assert (
        '<bdi class="author">writer</bdi>' not in house.client("writer").get(at, headers=HOST).text
    )
    map = house.client("reader").get(f"{at}/map", headers=HOST).text
    assert "writer: " in map
    assert "owner: " in map
    assert ". writer" in house.client("owner").get(f"{at}/export/file", headers=HOST).text
