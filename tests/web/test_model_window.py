"""The bar of the window and its settings, at the level of the page."""

import re

import pytest


def words(html):
    return re.search(r'<span class="window-words">(.*?)</span>', html)[1]


def known(html):
    return re.search(r'name="known" value="(\w*)"', html)[1]


def look(page, thread_id, **fields):
    return page.htmx(f"/threads/{thread_id}/window", **fields).text


class TestTheBar:
    def test_a_thread_shows_where_its_window_goes(self, page):
        """The fragments `window` and `window_table`."""
        html = page.get(f"/threads/{page.begin()}").text
        assert re.search(r"\d+ of 6,144 tokens", words(html))
        assert "What fills the window" in html
        assert re.search(r'<rect class="part history" x="\d+" y="0" width="\d+"', html)
        assert "style=" not in html

    def test_a_draft_is_on_it_before_it_is_sent(self, page, ids):
        thread_id = page.begin()
        html = look(page, thread_id, text="A draft of some words " * 20, after=ids(thread_id)[-1])
        assert html.startswith('<div id="window"')
        assert "Your draft" in html
        assert "Your draft" not in look(page, thread_id, text=" \n")
        assert ids(thread_id) == ids(thread_id)[:2]

    def test_nearly_full_is_told_in_words(self, page, library):
        thread_id = page.begin()
        library.set_window(thread_id, {"max_context_tokens": 700, "max_output_tokens": 100})
        html = look(page, thread_id, text="word " * 360)
        assert "nearly-full" in html
        assert "More than 85 % of the window is used." in html

    def test_an_impossible_draft_says_why(self, page, crowded):
        thread = crowded("off")
        assert "more than the window holds" in look(page, thread.id, text="word " * 2000)

    def test_marks_come_along_only_when_they_changed(self, page, crowded):
        """The fragment `message_marks`."""
        thread = crowded()
        seen = known(page.get(f"/threads/{thread.id}").text)
        html = look(page, thread.id, known=seen, above=0)
        assert "hx-swap-oob" not in html
        page.htmx(f"{thread.at(thread.path()[0])}/pin", on="yes")
        html = look(page, thread.id, known=seen, above=0)
        assert html.count("-state") == len(thread.path())
        assert known(html) != seen
        assert look(page, thread.id, known=seen, above=10**9).count("-state") == 0
        assert len(look(page, thread.id, above="x")) > 0

    def test_a_draft_that_pushes_messages_out_says_so_of_them(self, page, crowded):
        thread = crowded()
        seen = known(page.get(f"/threads/{thread.id}").text)
        html = look(page, thread.id, known=seen, text="word " * 300)
        assert html.count("Left out") > look(page, thread.id).count("Left out")

    def test_what_is_left_out_can_be_reached_and_noted(self, page, crowded):
        thread = crowded("off")
        html = page.get(f"/threads/{thread.id}").text
        assert f'data-jump="{thread.path()[0].id}"' in html
        assert "Write notes now" in html

    def test_a_leaf_that_is_gone_does_not_disturb_who_writes(self, page):
        thread_id = page.begin()
        assert words(look(page, thread_id, text="x", after="gone"))
        assert page.htmx("/threads/nobody/window", text="x").status_code == 404

    def test_odd_drafts_are_counted_too(self, page):
        thread_id = page.begin()
        for draft in ("\0", "\ud800".encode("utf-16", "surrogatepass"), "漢" * 5000, "x" * 500_000):
            assert words(look(page, thread_id, text=draft))

    def test_an_empty_thread_has_one_and_warns_of_nothing(self, page, library):
        html = page.get(f"/threads/{library.create('Empty').id}").text
        assert words(html)
        assert re.search(r'<p id="window-warning"[^>]*></p>', html)

    def test_without_a_script_it_leads_back_to_the_thread(self, page):
        thread_id = page.begin()
        assert page.send(f"/threads/{thread_id}/window", text="x").status_code == 303


class TestSettings:
    """The fragment `window_settings`."""

    @pytest.fixture
    def at(self, page):
        return f"/threads/{page.begin()}/window/settings"

    def own(self, library, at):
        return library.thread(at.split("/")[2]).metadata.get("window")

    def test_they_are_saved_used_and_shown_again(self, page, library, at):
        response = page.send(
            at, max_context_tokens="1,200", max_output_tokens=" 300 ", auto_compact="at_60"
        )
        assert response.status_code == 303
        expected = {"max_context_tokens": 1200, "max_output_tokens": 300, "auto_compact": "at_60"}
        assert self.own(library, at) == expected
        html = page.get(response.location).text
        assert "Saved; the next request uses it." in html
        assert 'value="1200"' in html
        assert '<option value="at_60" selected>' in html
        assert "of 900 tokens" in page.get(at.removesuffix("/window/settings")).text

    def test_saving_can_be_undone(self, page, library, at):
        html = page.get(page.send(at, max_context_tokens="900", max_output_tokens="50").location)
        undo = re.search(r'action="(/threads/[^"]+/changes/[^"]+/undo)"', html.text)[1]
        page.send(undo)
        assert not self.own(library, at)

    def test_empty_fields_mean_as_for_all_threads(self, page, library, at):
        page.send(at, max_context_tokens="900", max_output_tokens="50", auto_compact="off")
        page.send(at, max_context_tokens="", max_output_tokens="", auto_compact="")
        assert self.own(library, at) == {}
        assert "Nothing was changed." in page.get(page.send(at).location).text

    def test_zero_leaves_nothing_out(self, page, library, at):
        page.send(at, max_context_tokens="0")
        assert self.own(library, at) == {"max_context_tokens": 0}

    @pytest.mark.parametrize(
        ("field", "typed"),
        [
            ("max_context_tokens", "-1"),
            ("max_context_tokens", "much"),
            ("max_context_tokens", "1048577"),
            ("max_context_tokens", "٣٠٠"),
            ("max_context_tokens", "9" * 5000),
            ("max_output_tokens", "15"),
            ("max_output_tokens", "0"),
            ("max_output_tokens", "1.5"),
        ],
    )
    def test_what_is_no_such_number_is_refused_in_words(self, page, library, at, field, typed):
        refused = page.send(at, **{field: typed})
        assert refused.status_code == 422
        assert "Write a whole number from" in refused.text
        assert self.own(library, at) is None

    def test_a_window_without_room_for_a_question_is_refused(self, page, library, at):
        refused = page.send(at, max_context_tokens="2000")
        assert refused.status_code == 422
        assert "has no room beside an answer of 2,048" in refused.text
        assert self.own(library, at) is None

    def test_settings_of_other_programs_do_not_break_the_page(self, page, library, store, at):
        thread = library.thread(at.split("/")[2])
        store.modify_thread(thread.with_metadata({"window": ["odd"]}))
        library._desk.open_threads.close_idle()
        assert page.get(at).status_code == 200
        assert page.get(f"/threads/{thread.id}").status_code == 200
