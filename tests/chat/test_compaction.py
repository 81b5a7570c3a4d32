"""How a model is asked for a summary."""

import math

import pytest

from tests.chat.windows import call, message, patched, result, talk
from webapp.chat.compaction import ROLE, TASK, Due, summary_request, with_earlier
from webapp.chat.estimate import estimated
from webapp.chat.limits import Limits
from webapp.chat.scales import Scales
from webapp.chat.summary import Line, Summary, edited
from webapp.chat.window import plan


def due(*messages, budget=2000, earlier=None):
    return Due(messages[-1].id, messages, earlier, earlier is not None, budget)


def asked(request):
    [system, user] = request.parts
    assert system == ("system", ROLE)
    assert user[1].endswith(TASK)
    assert request.excerpt in user[1]
    return request.excerpt


def test_messages_are_numbered_with_their_roles():
    request = summary_request(due(message("a", text="Hi"), message("b", "assistant", "Hello")))
    assert asked(request) == "[1] user: Hi\n\n[2] assistant: Hello"
    assert request.sources == (("a",), ("b",))
    assert request.span == ("a", "b")


def test_results_of_tools_and_names_of_files_are_read_too():
    file = {"name": "contract.pdf", "content": "very long text"}
    request = summary_request(
        due(
            message("a", text="See", inline_file_contents=[file]),
            call("b", "1", text="I look."),
            result("c", "1", "90 days"),
        )
    )
    text = asked(request)
    assert "(files: contract.pdf)" in text
    assert "very long text" not in text
    assert 'I look.\n(called retrieve {"query": "rye"})' in text
    assert "tool: 90 days" in text


def test_thinking_is_not_read():
    request = summary_request(
        due(message("a"), message("b", "assistant", "<think>secret</think>Open."))
    )
    assert "secret" not in asked(request)


def test_only_the_end_is_read_when_it_is_too_much():
    path = talk(*[500] * 100)
    request = summary_request(due(*path, budget=1000))
    text = asked(request)
    assert len(text) <= math.floor(1000 * 3.5)
    assert text.endswith(path[-1].text)
    assert request.span[0] == request.sources[0][0] != "m0"
    assert estimated(request.parts) <= 1000


def test_a_tokenizer_that_counts_more_cuts_more():
    def count(parts):
        return sum(len(content) for _, content in parts)

    request = summary_request(due(*talk(*[500] * 10), budget=2000), count)
    assert count(request.parts) <= 2000
    assert asked(request).endswith("x")


def test_one_message_longer_than_all_room_loses_its_beginning():
    request = summary_request(due(message("a", text="begin " + "x" * 9000 + " end"), budget=500))
    assert asked(request).endswith(" end")
    assert "begin" not in asked(request)


def test_the_earlier_summary_is_told_and_only_what_is_new_is_read():
    earlier = Summary((Line("Ada likes rye.", ("z",)),), (("y", "z"),), 1, "")
    request = summary_request(due(message("a", text="New."), earlier=earlier))
    assert not request.condenses
    assert "Ada" not in asked(request)
    assert "not to be repeated:\n- Ada likes rye.\n\n" in request.parts[1][1]
    assert request.sources == (("a",),)


def test_an_earlier_summary_that_has_grown_long_is_written_shorter():
    lines = tuple(Line(f"Fact {at} " + "x" * 100, (f"z{at}",)) for at in range(20))
    earlier = Summary(lines, (("z0", "z19"),), 1, "")
    request = summary_request(due(message("a", text="New."), earlier=earlier))
    assert request.condenses
    assert request.sources[0] == ("z0",)
    assert request.sources[-1] == ("a",)
    assert asked(request).startswith("[1] earlier note: Fact 0")


def test_what_a_person_noted_is_told_and_never_written_shorter():
    lines = tuple(Line(f"Fact {at} " + "x" * 100, (f"z{at}",)) for at in range(20))
    own = Line("Mine " + "y" * 2000)
    earlier = Summary((*lines, own), (("z0", "z19"),), 1, "", lines)
    request = summary_request(due(message("a", text="New."), earlier=earlier))
    assert request.condenses
    assert request.kept == (own,)
    assert "earlier note: Mine" not in asked(request)
    assert f"not to be repeated:\n- {own.text}\n\n" in request.parts[1][1]
    alone = Summary((own,), (("z0", "z19"),), 1, "", lines)
    assert not summary_request(due(message("a", text="New."), earlier=alone)).condenses


def test_own_notes_longer_than_the_budget_are_told_by_their_end():
    earlier = Summary((Line("y" * 9000 + " the end"),), (("x", "z"),), 1, "")
    request = summary_request(due(message("a", text="New."), earlier=earlier))
    assert estimated(request.parts) <= 2000
    assert "yyy the end\n\nPieces" in request.parts[1][1]


EARLIER = Summary((Line("Ada likes rye.", ("z",)),), (("y", "z"),), 1, "")


@pytest.mark.parametrize("now", [None, edited(EARLIER, "- Ada likes wheat.")])
def test_earlier_notes_that_a_person_changed_meanwhile_take_the_place_of_what_was_told(now):
    request = summary_request(due(message("a", text="New."), earlier=EARLIER))
    assert with_earlier(request, EARLIER) is request
    changed = with_earlier(request, now)
    assert (changed.due.earlier, changed.due.adjacent) == (now, now is not None)
    assert changed.kept == (now.lines if now else ())


def test_a_reply_that_was_to_replace_lines_changed_meanwhile_is_of_no_use():
    lines = tuple(Line(f"Fact {at} " + "x" * 100, (f"z{at}",)) for at in range(20))
    earlier = Summary(lines, (("z0", "z19"),), 1, "")
    request = summary_request(due(message("a", text="New."), earlier=earlier))
    assert with_earlier(request, earlier) is request
    assert with_earlier(request, edited(earlier, "- Mine.")) is None


def test_the_answer_has_a_part_of_the_budget():
    assert summary_request(due(message("a"), budget=3000)).max_tokens == 500
    assert summary_request(due(message("a"), budget=100)).max_tokens == 64
    assert summary_request(due(message("a"), budget=10**6)).max_tokens == 1024


def test_nothing_is_due_when_all_that_leaves_says_nothing():
    path = [message("e", "assistant", "half", status="error"), *talk(*[350] * 5)]
    pinned = path
    for at in range(4):
        pinned = patched(pinned, f"m{at}", muted=True)
    planned = plan(pinned, Scales(), Limits(0, 0, 110), compact="when_full")
    assert planned.due is None


def test_the_oldest_of_a_first_compaction_are_said_to_be_left_out():
    path = talk(*[500] * 101)
    planned = plan(path, Scales(), Limits(0, 0, 1000), compact="when_full")
    request = summary_request(planned.due)
    assert not planned.due.adjacent
    assert 0 < len(planned.due.messages) < 20
    assert len(planned.left_out) > 80
    assert request.span == (request.sources[0][0], planned.due.node_id)
