"""Where one is in a thread: the map, versions side by side, addresses that can be shared."""

import re

import pytest


@pytest.fixture
def forked(page, engine, ids):
    """A thread whose answer has two versions, the first with a further turn; the second shown."""
    engine.queue("The tide comes in", "below one", "The tide goes out")
    thread_id = page.begin()
    first = ids(thread_id)[-1]
    page.ask(thread_id, "Further", after=first)
    page.htmx(f"/threads/{thread_id}/messages/{first}/versions")
    page.wait(thread_id)
    return thread_id, first, ids(thread_id)[-1]


class TestMap:
    def test_every_message_is_on_it_and_on_the_outline(self, page, forked):
        thread_id, _, second = forked
        html = page.get(f"/threads/{thread_id}/map").text
        assert "5 messages." in html
        assert len(re.findall(r'class="spot ', html)) == 5
        assert len(re.findall(r'<li class="step', html)) == 5
        here = re.search(r'<a href="([^"]+)" class="spot assistant on here"', html)
        assert here[1] == f"/threads/{thread_id}?at={second}#message-{second}"
        assert "version 1 of 2" in html

    def test_it_marks_the_path_asked_for(self, page, forked):
        thread_id, first, _ = forked
        html = page.get(f"/threads/{thread_id}/map?at={first}").text
        assert len(re.findall(r'class="spot \w+ on', html)) == 4

    def test_nothing_to_show_and_nobody_there_are_told(self, page, library, forked):
        empty = library.create("Empty").id
        assert "Nothing has been said" in page.get(f"/threads/{empty}/map").text
        assert page.get("/threads/nobody/map").status_code == 404
        assert page.get(f"/threads/{forked[0]}/map?at=gone").status_code == 404

    def test_markup_in_messages_and_names_stays_text(self, page, ids):
        thread_id = page.begin('</text><script>alert("x")</script>')
        question = ids(thread_id)[0]
        page.send(f"/threads/{thread_id}/messages/{question}/mark", name="</svg><b>")
        html = page.get(f"/threads/{thread_id}/map").text
        assert "<script>alert" not in html
        assert "</svg><b>" not in html

    def test_two_thousand_messages_are_drawn(self, page, long_thread):
        html = page.get(f"/threads/{long_thread(2000)}/map").text
        assert "2,000 messages, straight stretches folded" in html


class TestSideBySide:
    def test_two_versions_stand_side_by_side_with_what_differs(self, page, forked):
        thread_id, first, second = forked
        at = f"/threads/{thread_id}/messages"
        for address in (f"{at}/{first}/compare", f"{at}/{second}/compare"):
            html = page.get(address).text
            assert "The tide <del>comes in</del>" in html
            assert "The tide <ins>goes out</ins>" in html
        html = page.get(f"{at}/{second}/compare?with={first}").text
        assert "The tide <del>goes out</del>" in html

    def test_the_same_version_twice_is_told(self, page, forked):
        thread_id, first, _ = forked
        html = page.get(f"/threads/{thread_id}/messages/{first}/compare?with={first}").text
        assert "the same version" in html

    def test_what_is_no_version_is_refused(self, page, forked, ids):
        thread_id, first, _ = forked
        question = ids(thread_id)[0]
        at = f"/threads/{thread_id}/messages"
        assert page.get(f"{at}/{question}/compare").status_code == 409
        assert page.get(f"{at}/{first}/compare?with={question}").status_code == 404
        assert page.get(f"{at}/gone/compare").status_code == 404


class TestAddresses:
    def test_a_shared_address_shows_that_branch_and_moves_nothing(self, page, forked, ids):
        thread_id, first, second = forked
        html = page.get(f"/threads/{thread_id}?at={first}").text
        assert "below one" in html
        assert "not the branch that this thread opens with" in html
        assert ids(thread_id)[-1] == second
        assert "another branch" not in page.get(f"/threads/{thread_id}?at={second}").text

    def test_it_can_be_made_the_one_the_thread_opens_with(self, page, forked, ids):
        thread_id, first, _ = forked
        leaf = re.search(
            r'name="message" value="([^"]+)">Open the thread here',
            page.get(f"/threads/{thread_id}?at={first}").text,
        )[1]
        page.send(f"/threads/{thread_id}/active", message=leaf)
        assert ids(thread_id)[1] == first

    def test_a_switch_says_which_address_the_page_has_now(self, page, forked):
        thread_id, first, _ = forked
        response = page.htmx(f"/threads/{thread_id}/active", message=first)
        assert response.headers["HX-Push-Url"] == f"/threads/{thread_id}?at={first}#message-{first}"

    def test_later_messages_on_another_version_are_pointed_to(self, page, forked):
        thread_id, first, _ = forked
        html = page.get(f"/threads/{thread_id}").text
        assert "2 messages continue</a>" not in html
        assert re.search(rf"at={first}#.*2 messages continue on version 1</a>", html, re.S)

    @pytest.mark.parametrize("place", [0, 40, 1000, 2400, 2990, 2999])
    def test_any_message_of_a_long_thread_can_be_opened(self, page, long_thread, place):
        thread_id = long_thread(3000)
        html = page.get(f"/threads/{thread_id}?at=line-{place}").text
        assert f'id="message-line-{place}"' in html
        assert html.count("<article") <= 2100
