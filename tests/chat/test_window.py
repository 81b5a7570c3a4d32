"""Every message has a state, every token a row."""

import itertools
import json
from pathlib import Path
from time import process_time

import pytest

from tests.chat.windows import call, from_case, message, patched, result, talk
from webapp.chat.estimate import estimated
from webapp.chat.limits import Limits, limits
from webapp.chat.scales import Scales
from webapp.chat.summary import Line, Summary, kept_failure, kept_summary
from webapp.chat.window import DRAFT_ID, plan

CASES = Path(__file__).parents[1] / "data" / "budget"
WHOLE = Limits(0, 0, None)


def case(name, **options):
    given = json.loads((CASES / name).read_text("utf-8"))
    found = limits(given["max_context"], given["max_output"], 0)
    path = from_case(given)
    return plan(path, Scales(), found, instructions=given["system"], **options)


def kept(planned):
    return [id for id, state in planned.states.items() if state in ("sent", "pinned")]


# --- seen in the field ---


def test_plain_trimming_keeps_what_fits_to_the_token_and_the_instructions():
    planned = case("plain.json", trim="exact")
    assert kept(planned) == ["m1", "m2", "m3", "m4"]
    assert planned.left_out == ("m0",)
    assert planned.parts[0] == ("system", "The quick brown fox walks home alon")
    assert planned.ledger.history == 186
    assert planned.ledger.free == 0


def test_a_result_goes_with_its_call():
    planned = case("orphan-result.json", trim="exact")
    assert kept(planned) == ["m3", "m4"]
    assert planned.left_out == ("m0", "m1", "m2")


@pytest.mark.parametrize("name", ["plain.json", "orphan-result.json"])
def test_the_steady_window_begins_with_a_question_and_keeps_the_newest(name):
    planned = case(name)
    assert kept(planned)[-1] == "m4"
    assert planned.parts[1][0] == "user"
    assert planned.ledger.over == 0


def test_without_any_budget_only_the_newest_is_sent():
    planned = plan(talk(35, 35, 35), Scales(), limits(100, 2048, 0), trim="exact")
    assert kept(planned) == ["m2"]


def test_off_leaves_nothing_out_however_long():
    planned = plan(talk(*[3500] * 51), Scales(), limits(0, 2048, 8192), compact="when_full")
    assert planned.left_out == ()
    assert planned.due is None
    assert planned.ledger.over > 0


# --- states ---


def test_each_message_says_what_became_of_it():
    path = [
        *patched(patched(talk(*[35] * 6), "m0", pinned=True), "m1", muted=True),
        message("e", "assistant", "half", status="error"),
        message("q"),
        result("r", "lost"),
        message("last"),
    ]
    planned = plan(path, Scales(), Limits(0, 0, 80))
    assert dict(planned.states) == {
        "m0": "pinned",
        "m1": "muted",
        "m2": "left_out",
        "m3": "left_out",
        "m4": "sent",
        "m5": "sent",
        "e": "skipped",
        "q": "sent",
        "r": "skipped",
        "last": "sent",
    }
    assert list(planned.states) == [each.id for each in path]


def test_muting_makes_room():
    path = talk(*[35] * 9)
    before = plan(path, Scales(), WHOLE).ledger.history
    muted = plan(patched(path, "m3", muted=True), Scales(), WHOLE)
    assert before - muted.ledger.history == 14
    assert "3 x" not in json.dumps(muted.parts)


def test_what_a_summary_stands_for_is_summarised_and_a_gap_is_left_out():
    notes = Summary((Line("x"),), (("m0", "m1"), ("m4", "m5")), 1, "")
    path = patched(patched(talk(*[35] * 9), "m5", **kept_summary(notes)), "m0", pinned=True)
    states = plan(path, Scales(), WHOLE).states
    assert list(states.values()) == [
        "pinned",
        "summarised",
        "left_out",
        "left_out",
        "summarised",
        "summarised",
        "sent",
        "sent",
        "sent",
    ]


def test_what_is_left_out_in_the_middle_of_a_long_tool_loop_says_so():
    loop = [message("q", text="?"), call("c0", "0"), result("r0", "0", "x" * 350)]
    loop += [call("c1", "1"), result("r1", "1", "x" * 35)]
    planned = plan(loop, Scales(), Limits(0, 0, 90))
    assert dict(planned.states) == {
        "q": "sent",
        "c0": "left_out",
        "r0": "left_out",
        "c1": "sent",
        "r1": "sent",
    }
    assert planned.window_start == "q"


def test_a_pin_without_room_is_left_out():
    planned = plan(patched(talk(700, 7, 7), "m0", pinned=True), Scales(), Limits(0, 0, 30))
    assert planned.states["m0"] == "left_out"
    assert planned.notices


def test_the_window_start_goes_into_the_next_plan():
    path, starts = talk(35), []
    for at in range(40):
        planned = plan(path, Scales(), Limits(0, 0, 300))
        starts.append(planned.window_start)
        answer = message(f"a{at}", "assistant", "y" * 70, usage={"window_start": starts[-1]})
        path += [answer, message(f"q{at}", text="x" * 35)]
    moves = sum(a != b for a, b in itertools.pairwise(starts))
    assert 3 <= moves <= 15


# --- the ledger ---


def test_every_row_of_the_ledger_has_its_tokens():
    file = {"name": "a.txt", "content": "x" * 70}
    path = patched(talk(35, 35, 35), "m2", inline_file_contents=[file])
    path = patched(
        patched(path, "m0", pinned=True),
        "m0",
        **kept_summary(Summary((Line("note"),), (("gone", "m0"),), 1, "")),
    )
    planned = plan(
        path,
        Scales(tools=30),
        limits(1000, 200, 0),
        instructions="Be brief.",
        retrieved="x" * 35,
        draft="x" * 35,
    )
    rows = dict(planned.ledger.rows())
    assert rows["system"] == 3 + 4
    assert rows["tools"] == 30
    assert rows["pinned"] == 14
    assert rows["inlined"] == 24
    assert rows["retrieved"] == 10
    assert rows["draft"] == 14
    assert rows["reserve"] == 200
    assert rows["summary"] > 0
    assert sum(rows.values()) == 1000


def test_counted_rows_add_up_to_the_finished_request():
    path = [message(f"q{at}", text="one two three") for at in range(5)]

    def count(parts):
        return 11 + sum(6 + len(content.split()) for _, content in parts)

    planned = plan(path, Scales(count), limits(None, 100, 1000), instructions="Be brief.")
    assert planned.ledger.used == count(planned.parts)
    assert sum(tokens for _, tokens in planned.ledger.rows()) == 1000


def test_a_draft_is_planned_as_the_question_it_will_be():
    planned = plan(talk(35, 35), Scales(), WHOLE, draft="And now?")
    assert planned.parts[-1] == ("user", "And now?")
    assert planned.states[DRAFT_ID] == "sent"
    assert plan(talk(35, 35), Scales(), WHOLE, draft=" \n").ledger.draft == 0


# --- what is due ---


def test_what_leaves_a_full_window_is_due():
    path = talk(*[35] * 9)
    planned = plan(path, Scales(), Limits(0, 0, 115), compact="when_full")
    assert planned.due.node_id == "m3"
    assert [each.id for each in planned.due.messages] == ["m0", "m1", "m2", "m3"]
    assert plan(path, Scales(), Limits(0, 0, 200), compact="when_full").due is None
    assert plan(path, Scales(), Limits(0, 0, 115)).due is None


def test_only_what_is_newly_dropped_is_due():
    notes = Summary((Line("x"),), (("m0", "m3"),), 1, "")
    path = patched(talk(*[35] * 11), "m3", **kept_summary(notes))
    planned = plan(path, Scales(), Limits(0, 0, 110), compact="when_full")
    assert next(each.id for each in planned.due.messages) == "m4"
    assert planned.due.earlier == notes
    assert planned.due.adjacent


def test_at_sixty_the_summary_is_due_while_all_is_still_sent():
    path = talk(*[35] * 9)
    planned = plan(path, Scales(), Limits(0, 0, 200), compact="at_60")
    assert planned.left_out == ()
    assert planned.due.node_id == "m3"
    assert plan(path, Scales(), Limits(0, 0, 220), compact="at_60").due is None


def test_what_failed_is_not_bought_again():
    path = patched(talk(*[35] * 9), "m3", **kept_failure("no", 1, "small"))
    assert plan(path, Scales(), Limits(0, 0, 115), compact="when_full").due is None
    more = [*path, *[message(f"n{at}", ("assistant", "user")[at % 2], "x" * 35) for at in range(4)]]
    planned = plan(more, Scales(), Limits(0, 0, 115), compact="when_full")
    assert next(each.id for each in planned.due.messages) == "m4"
    assert not planned.due.adjacent


def test_pinned_and_muted_messages_are_not_summarised():
    path = patched(patched(talk(*[35] * 9), "m0", pinned=True), "m1", muted=True)
    planned = plan(path, Scales(), Limits(0, 0, 90), compact="when_full")
    assert next(each.id for each in planned.due.messages) == "m2"


def test_after_a_summary_nothing_is_due_until_more_is_dropped():
    path = talk(*[35] * 9)
    first = plan(path, Scales(), Limits(0, 0, 115), compact="when_full").due
    notes = Summary((Line("n"),), (("m0", first.node_id),), 1, "")
    again = plan(
        patched(path, first.node_id, **kept_summary(notes)),
        Scales(),
        Limits(0, 0, 125),
        compact="when_full",
    )
    assert again.due is None
    assert again.ledger.summary > 0
    assert estimated(again.parts) <= 125


# --- speed ---


def seconds(length):
    path, scales = talk(*[200] * length), Scales()
    planned = limits(8192, 2048, 0)
    plan(path, scales, planned, compact="when_full")
    times = []
    for _ in range(7):
        start = process_time()
        plan(path, scales, planned, compact="when_full")
        times.append(process_time() - start)
    return min(times)


def test_planning_a_long_conversation_again_grows_about_as_its_length():
    assert seconds(20_001) < 30 * seconds(2_001)
