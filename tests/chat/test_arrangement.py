"""What goes into a request, in which order."""

from tests.chat.windows import call, message, patched, result, talk
from webapp.chat.arrangement import OPENING, arranged
from webapp.chat.estimate import estimated
from webapp.chat.limits import Limits
from webapp.chat.scales import Scales
from webapp.chat.summary import Line, Summary, kept_summary


def arrange(path, most, *, scales=None, instructions="", retrieved="", trim="steady"):
    scales = scales or Scales()
    return arranged(
        scales.facts(path),
        scales,
        Limits(0, 0, most),
        instructions=instructions,
        retrieved=retrieved,
        trim=trim,
    )


def ids(found):
    return [member.id for group in found.groups for member in group.members]


NOTES = Summary((Line("Ada likes rye.", ("m0",)),), (("m0", "m3"),), 1, "small")


def test_the_request_is_instructions_then_turns():
    found = arrange(talk(7, 7, 7), None, instructions="Be brief.")
    assert found.parts[0] == ("system", "Be brief.")
    assert [role for role, _ in found.parts] == ["system", "user", "assistant", "user"]


def test_a_summary_stands_in_the_one_system_part():
    path = patched(talk(*[35] * 7), "m3", **kept_summary(NOTES))
    found = arrange(path, None, instructions="Be brief.")
    assert [role for role, _ in found.parts].count("system") == 1
    assert found.parts[0][1].startswith("Be brief.\n\n")
    assert "- Ada likes rye." in found.parts[0][1]
    assert ids(found) == ["m4", "m5", "m6"]
    assert found.summarised == ((0, 4),)


def test_the_newest_summary_on_the_path_counts():
    older = patched(talk(*[35] * 7), "m1", **kept_summary(NOTES))
    both = patched(older, "m3", **kept_summary(Summary((Line("New."),), (("m0", "m3"),), 2, "")))
    assert "New." in arrange(both, None).parts[0][1]
    assert "rye" in arrange(both[:3], None).parts[0][1]


def test_a_summary_without_room_is_left_out_and_told():
    long = Summary((Line("x" * 700),), (("m0", "m3"),), 1, "")
    found = arrange(patched(talk(*[35] * 7), "m3", **kept_summary(long)), 100)
    assert found.summary == 0
    assert found.parts[0][0] == "user"
    assert len(found.notices) == 1


def test_a_summary_is_trimmed_for_a_second_time():
    before = ids(arrange(talk(*[35] * 8), 120))
    found = arrange(patched(talk(*[35] * 8), "m3", **kept_summary(NOTES)), 80)
    assert estimated(found.parts) <= 80
    assert set(ids(found)) < set(before)


def test_pins_are_sent_wherever_they_stand():
    found = arrange(patched(talk(*[35] * 9), "m2", pinned=True), 90)
    assert ids(found)[0] == "m2"
    assert found.start > 3


def test_a_pinned_answer_at_the_beginning_follows_a_turn_that_says_what_is_missing():
    found = arrange(patched(talk(*[35] * 9), "m1", pinned=True), 90)
    assert found.parts[0] == ("user", OPENING)


def test_a_pin_that_does_not_fit_beside_the_newest_message_is_left_out_and_told():
    found = arrange(patched(talk(700, 35, 35), "m0", pinned=True), 60)
    assert ids(found) == ["m1", "m2"]
    assert [group.start for group in found.unpinned] == [0]
    assert len(found.notices) == 1


def test_newer_pins_come_first_when_there_is_not_room_for_all():
    path = patched(talk(*[140] * 6, 35), "m0", pinned=True)
    found = arrange(patched(path, "m4", pinned=True), 70)
    assert ids(found) == ["m4", "m6"]


def test_the_question_stays_while_its_answer_calls_tools_again_and_again():
    loop = [message("q", text="What is rye?")]
    for at in range(6):
        loop += [call(f"c{at}", str(at)), result(f"r{at}", str(at), "x" * 140)]
    found = arrange([*talk(35, 35), *loop], 200)
    assert ids(found)[0] == "q"
    assert ids(found)[-2:] == ["c5", "r5"]
    assert estimated(found.parts) <= 200
    assert "c0" not in ids(found)


def test_passages_stand_before_the_newest_question():
    found = arrange(talk(7, 7, 7), None, retrieved="Passages: rye.")
    assert found.parts[-1][1].startswith("Passages: rye.\n\n2 ")
    assert found.parts[0][1].startswith("0 ")


def test_instructions_that_a_thread_holds_as_messages_too_are_sent_once():
    same = [message(id, "system", text) for id, text in (("s", "Be brief.\n"), ("t", "Be kind."))]
    path = [*same, *talk(7, 7), message("v", "system", "Be kind."), message("q")]
    found = arrange(path, None, instructions="Be brief.")
    assert found.parts[0] == ("system", "Be brief.\n\nBe kind.")


def test_system_messages_of_a_thread_go_to_the_front():
    path = [*talk(7, 7), message("s", "system", "Be kind."), message("q")]
    found = arrange(path, None, instructions="Be brief.")
    assert found.parts[0] == ("system", "Be brief.\n\nBe kind.")
    assert [role for role, _ in found.parts] == ["system", "user", "assistant", "user"]


def test_a_request_that_is_counted_too_long_is_made_smaller():
    asked = []

    def count(parts):
        """More for a whole than for its pieces."""
        asked.append(len(parts))
        return estimated(parts) + 30 * (len(parts) > 3)

    scales = Scales(count)
    found = arrange(talk(*[35] * 9), 100, scales=scales)
    assert found.exact == count(found.parts) <= 100
    assert len(found.parts) > 1
    assert len(asked) < 20


def test_the_beginning_rests_where_the_newest_answer_says():
    path = patched(talk(*[35] * 9), "m7", usage={"window_start": "m4"})
    assert arrange(path, 74).start == 4
    gone = patched(talk(*[35] * 9), "m7", usage={"window_start": "deleted"})
    assert arrange(gone, 74).start == 6


def test_the_exact_walk_takes_no_notice_of_where_the_window_began():
    path = patched(talk(*[35] * 9), "m7", usage={"window_start": "m6"})
    assert arrange(path, 74, trim="exact").start == 4
