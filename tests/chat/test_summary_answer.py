"""What a model wrote for a summary, and what is made of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.windows import message, talk
from webapp.chat.compaction import Due, summary_request
from webapp.chat.estimate import estimate
from webapp.chat.limits import Limits
from webapp.chat.scales import Scales
from webapp.chat.summary import Line, Summary, edited, kept_summary, reverted
from webapp.chat.summary_answer import Refused, summary_from
from webapp.chat.window import plan

PATH = talk(*[300] * 6)
EARLIER = Summary((Line("Ada likes rye.", ("y",)),), (("x", "z"),), 1, "")


def request(earlier=None, adjacent=True, path=PATH, budget=2000):
    due = Due(path[-1].id, tuple(path), earlier, earlier is not None and adjacent, budget)
    return summary_request(due)


def read(answer, asked=None):
    return summary_from(answer, asked or request(), now_ms=5, model="small", tokens=estimate)


def lines(answer, asked=None):
    return [(line.text, line.message_ids) for line in read(answer, asked).lines]


ALL = tuple(f"m{at}" for at in range(6))


@pytest.mark.parametrize(
    ("row", "text", "ids"),
    [
        ("- Ada likes rye. [1]", "Ada likes rye.", ("m0",)),
        ("* Ada likes rye [2, 4].", "Ada likes rye.", ("m1", "m3")),
        ("1. Ada likes rye. [2][3]", "Ada likes rye.", ("m1", "m2")),
        ("• Ada likes rye (3-5)", "Ada likes rye", ("m2", "m3", "m4")),
        ("Ada likes rye. [pieces 1, 2]", "Ada likes rye.", ("m0", "m1")),
        ("- 艾达喜欢黑麦。【1、2】", "艾达喜欢黑麦。", ("m0", "m1")),
        ("- **Ada** likes rye.", "Ada likes rye.", ALL),
        ("- 2**3 is 8.", "2**3 is 8.", ALL),
        ("- Ada likes rye. [77]", "Ada likes rye.", ALL),
        ("- Ada likes rye [7, 9].", "Ada likes rye", ALL),
        ("- Ada likes rye. [7] [1]", "Ada likes rye.", ("m0",)),
        ("- The first is list[77].", "The first is list[77].", ALL),
        ("- It was in spring (2024)", "It was in spring (2024)", ALL),
        ("- Use list[0] [2]", "Use list[0]", ("m1",)),
        ("- [1] Ada likes rye.", "Ada likes rye.", ("m0",)),
        ("[2] assistant: Rye. [3]", "Rye.", ("m1", "m2")),
        ("- [2024] was dry.", "[2024] was dry.", ALL),
        ("- Ada likes rye. [1-999999]", "Ada likes rye.", ALL),
        ("- Ada" + " " * 50_000 + "likes rye. [1]", "Ada likes rye.", ("m0",)),
    ],
)
def test_each_line_is_linked_to_where_it_comes_from(row, text, ids):
    assert lines(row) == [(text, ids)]


def test_introductions_empty_lines_and_repetitions_are_no_points():
    said = "Here are the notes:\n\n- One. [1]\n\n- One. [2]\n---\n- Two. [3]"
    assert [text for text, _ in lines(said)] == ["One.", "Two."]


def test_the_example_of_the_task_is_no_point():
    said = "- Bo wants to move to Turku in May. [7]\n- One. [1]"
    assert [text for text, _ in lines(said)] == ["One."]


@pytest.mark.parametrize(
    ("said", "point"),
    [
        (
            "The train is 64 euros; the landlord has not answered yet. [8, 9]",
            "The train is 64 euros",
        ),
        ("The rent is 640 euros; the train is 64. [1]", "the train is 64."),
        ("The rent is 650 euros; it is due. [1]", "The rent is 650 euros; it is due."),
    ],
)
def test_what_a_model_takes_from_the_example_is_cut_out_of_a_point(said, point):
    assert [text for text, _ in lines(f"- {said}")] == [point]


def test_what_was_really_said_is_a_point_whatever_the_example_says():
    said = "The rent is 640 euros; see reference [12]"
    path = [message("m0", text=f"Listen: {said}. And much more about it. " + "Really. " * 20)]
    assert lines(f"- {said}\n- Bo. [1]", request(path=path)) == [
        (said, ("m0",)),
        ("Bo.", ("m0",)),
    ]


def test_thinking_before_the_notes_is_cut_away():
    assert lines("<think>what to note?</think>\n- One. [1]") == [("One.", ("m0",))]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        " \n\n",
        "- \n- …",
        "<think>I should note that Ada likes rye.</think>",
        "<think>I should note that Ada likes rye. And then",
        "<tool_call>\n{}\n</tool_call>",
        '{"name": "retrieve", "arguments": {"query": "rye"}}',
        "- Ada likes rye.\n<|im_start|>user",
        "Error: connection refused",
        "HTTP 502",
        "502 Bad Gateway",
        '{"error": {"message": "no"}}',
        "<!DOCTYPE html><html>",
        "Traceback (most recent call last):",
        "I'm sorry, but I cannot do that.",
        "As an AI language model I have no memory.",
        "抱歉,我无法总结。",
        "The conversation has 9,123 tokens, but the model's context holds 8,192.",
        "- " + "endless " * 3000,
    ],
)
def test_what_is_no_summary_is_refused_with_a_sentence(answer):
    refused = read(answer)
    assert isinstance(refused, Refused)
    assert refused.reason.endswith(".")


@pytest.mark.parametrize(
    "answer",
    [
        "500 euros were paid. [1]",
        "- The error in line 3 was found. [2]",
        "- Ada said sorry. [2]",
        "- No messages from Bo since Monday. [3]",
    ],
)
def test_notes_about_errors_and_excuses_are_notes(answer):
    assert isinstance(read(answer), Summary)


def test_a_summary_longer_than_its_part_is_cut_at_a_line():
    asked = request(budget=600)
    answer = "\n".join(f"- Fact {at}: {'x' * 40} [1]" for at in range(60))
    found = read(answer, asked)
    assert isinstance(found, Summary)
    assert 1 < len(found.lines) < 60
    assert estimate(found.text) <= asked.max_tokens


def test_of_a_first_line_that_is_too_long_the_first_whole_sentences_are_kept():
    asked = request(budget=600)
    english = read(
        "Ada paid 3.50 for rye. " + "Bob went on about ships and 9.99 more. " * 40, asked
    )
    assert isinstance(english, Summary)
    assert english.text.endswith("more.")
    assert english.text.startswith("- Ada paid 3.50 for rye. Bob went on")
    assert estimate(english.text) <= asked.max_tokens
    chinese = read("艾达喜欢黑麦。" * 60 + "鲍勃", asked)
    assert isinstance(chinese, Summary)
    assert chinese.lines[0].text.endswith("黑麦。")


def test_a_line_without_a_sentence_that_fits_is_refused():
    assert isinstance(read("word " * 500, request(budget=600)), Refused)


def test_a_summary_that_saves_nothing_is_refused():
    asked = request(path=[message("m0", text="Hi.")])
    assert isinstance(read("- The user said hi to the assistant. [1]", asked), Refused)


def test_a_summary_grows_by_what_is_new():
    found = read("- Bo likes wheat. [1]\n- ada likes rye. [2]", request(EARLIER))
    assert [line.text for line in found.lines] == ["Ada likes rye.", "Bo likes wheat."]
    assert found.lines[0].message_ids == ("y",)
    assert found.spans == (("x", "m5"),)
    assert (found.made_at, found.model) == (5, "small")


def test_notes_that_grow_remember_what_a_person_changed():
    mine = edited(EARLIER, "- Ada likes wheat.")
    found = read("- Bo likes oats. [1]", request(mine))
    assert [line.text for line in found.lines] == ["Ada likes wheat.", "Bo likes oats."]
    assert found.edited
    assert [line.text for line in reverted(found).lines] == ["Ada likes rye.", "Bo likes oats."]


def test_notes_written_shorter_keep_what_a_person_wrote():
    old = tuple(Line(f"Fact {at} " + "x" * 100, (f"z{at}",)) for at in range(20))
    mine = Line("Ada likes wheat.")
    asked = request(Summary((*old, mine), (("z0", "z19"),), 1, "", old))
    assert [line.text for line in read("- Facts. [1]", asked).lines] == [mine.text, "Facts."]
    assert [line.text for line in read("- Facts. [1]", asked).original] == ["Facts."]
    gone = request(Summary(old[1:], (("z0", "z19"),), 1, "", old))
    assert not read("- Facts. [1]", gone).edited


def test_after_a_gap_the_gap_stays():
    assert read("- B. [1]", request(EARLIER, adjacent=False)).spans == (("x", "z"), ("m0", "m5"))


def test_what_was_cut_away_is_a_gap():
    long = talk(*[900] * 12)
    asked = request(EARLIER, path=long, budget=800)
    found = read("- B. [1]", asked)
    assert found.spans[0] == ("x", "z")
    assert found.spans[1][0] == asked.sources[0][0] != "m0"


def test_a_condensed_summary_replaces_the_earlier_lines_and_keeps_their_links():
    old = tuple(Line(f"Fact {at} " + "x" * 100, (f"z{at}",)) for at in range(20))
    asked = request(Summary(old, (("z0", "z19"),), 1, ""))
    found = read("- Facts 0 and 1. [1, 2]\n- New. [21]", asked)
    assert [line.message_ids for line in found.lines] == [("z0", "z1"), ("m0",)]
    assert found.spans == (("z0", "m5"),)


def test_from_a_full_window_to_the_next_request():
    path, limits = talk(*[350] * 40, 35), Limits(0, 0, 3000)
    planned = plan(path, Scales(), limits, compact="when_full")
    found = read("- The user counts. [1]", summary_request(planned.due))
    node = planned.due.node_id
    noted = [each.with_metadata(kept_summary(found)) if each.id == node else each for each in path]
    again = plan(noted, Scales(), limits, compact="when_full")
    assert "- The user counts." in again.parts[0][1]
    assert again.due is None
    assert "left_out" not in again.states.values()
    assert again.window_start == planned.window_start


@given(st.text(max_size=300))
def test_whatever_a_model_writes_is_a_summary_or_a_sentence(answer):
    found = read(answer)
    if isinstance(found, Summary):
        assert found.lines
        assert all(line.text.strip() and line.message_ids for line in found.lines)
    else:
        assert found.reason
