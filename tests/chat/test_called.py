"""Calls are taken out of an answer, whatever the model's family, and nothing else is."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webapp.chat.called import CallReader, read_calls

DATA = Path(__file__).parents[1] / "data" / "tools"
NAMES = ("retrieve", "list_attachments", "get_chunks")
RYE = '{"name": "retrieve", "arguments": {"query": "rye"}}'
OATS = '{"name": "retrieve", "arguments": {"query": "oats"}}'
ARGS = '{"query": "rye"}'
DEEP_ONE = "<｜tool▁call▁begin｜>"
DEEP = f"<｜tool▁calls▁begin｜>{DEEP_ONE}"
DEEPER = "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
TAGGED = f"<tool_call>\n{RYE}\n</tool_call>"


def read(text):
    shown, calls = read_calls(text, NAMES)
    return shown, [(call.name, dict(call.arguments)) for call in calls if not call.problem]


def problem(text):
    _, (call,) = read_calls(text, NAMES)
    return call.problem


def test_a_call_written_as_text_in_the_field():
    text = (DATA / "call-in-text.txt").read_text("utf-8")
    assert read(text) == ("Let me check the attachments.", [("retrieve", {"query": "rye"})])


@pytest.mark.parametrize(
    "text",
    [
        TAGGED,
        f"<tool_call>{RYE}",
        f"<tool_call>{RYE}}}</tool_call>",
        f"<TOOL_CALL>{RYE}</TOOL_CALL>",
        f"<function_call>{RYE}</function_call>",
        f"<|tool_call|>[{RYE}]<|/tool_call|>",
        "<tool_call>\n<function=retrieve>\n<parameter=query>\nrye\n</parameter>\n</function>\n"
        "</tool_call>",
        '<function=retrieve>{"query": "rye"}</function>',
        '{"name": "retrieve", "parameters": {"query": "rye"}}',
        '<|python_tag|>{"name": "retrieve", "parameters": {"query": "rye"}}<|eom_id|>',
        f"[TOOL_CALLS] [{RYE}]",
        '[TOOL_CALLS]retrieve{"query": "rye"}',
        '[TOOL_CALLS]retrieve[CALL_ID]a1b2c3d4e[ARGS]{"query": "rye"}',
        RYE,
        f"{RYE}\n</tool_call>",
        f"[{RYE}]",
        f"```json\n{RYE}\n```",
        f"```\n{RYE}",
        f"~~~tool_code\n\n{RYE}\n\n~~~\n",
        f"```xml\n{TAGGED}\n```",
        '{"type": "function", "function": {"name": "retrieve", "arguments": {"query": "rye"}}}',
        '{"tool_calls": [{"id": "1", "function": {"name": "retrieve", "arguments": '
        '"{\\"query\\": \\"rye\\"}"}}]}',
        '<tool_call>{"name": "functions.retrieve", "arguments": {"query": "rye"}}</tool_call>',
        '<tool_call>{"name": "retrieve", "query": "rye"}</tool_call>',
        f"<tool_call>\n```json\n{RYE}\n```\n</tool_call>",
        "<tool_call>retrieve\n<arg_key>query</arg_key>\n<arg_value>rye</arg_value>\n</tool_call>",
        '<|python_tag|>retrieve.call(query="rye")',
        f"{DEEP}function<｜tool▁sep｜>retrieve\n```json\n{ARGS}\n```{DEEPER}",
        f"{DEEP}retrieve<｜tool▁sep｜>{ARGS}{DEEPER}",
        f"<tools>\n{RYE}\n</tools>",
        f"<tool_calls>[{RYE}]</tool_calls>",
        f"<|action_start|><|plugin|>{RYE}<|action_end|>",
    ],
)
def test_every_family_of_models_can_call(text):
    assert read(text) == ("", [("retrieve", {"query": "rye"})])


@pytest.mark.parametrize("encoded", [1, 2, 3])
def test_arguments_encoded_more_than_once_are_decoded(encoded):
    arguments = {"query": 'rye "and" oats'}
    for _ in range(encoded):
        arguments = json.dumps(arguments)
    call = json.dumps({"name": "retrieve", "arguments": arguments})
    wanted = [("retrieve", {"query": 'rye "and" oats'})]
    assert read(f"<tool_call>{call}</tool_call>") == ("", wanted)
    assert read(f"Wait. {call}") == ("Wait.", wanted)


CASES = json.loads((DATA / "not-an-object.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES["calls"], ids=lambda case: case["id"])
@pytest.mark.parametrize("around", ["<tool_call>{}</tool_call>", "{}"])
def test_arguments_that_are_no_object_are_one_call_with_a_problem(case, around):
    call = json.dumps({"name": CASES["tool"], "arguments": case["arguments"]})
    shown, (called,) = read_calls(around.replace("{}", call), NAMES)
    assert shown == ""
    assert called.name == CASES["tool"]
    assert called.arguments == case.get("args", {})
    assert ("run" if not called.problem else "error") in case["outcome"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("", "not JSON that can be read"),
        ("retrieve rye", "not JSON that can be read"),
        ('{"name": "retrieve", "arguments": {"query": "rye"}', "not JSON that can be read"),
        ('{"name": "retrieve", "arguments": {"query": rye}}', "not JSON that can be read"),
        ('{"name": "retrieve", "arguments": {"query": NaN}}', "not JSON that can be read"),
        ('{"name": "retrieve", "arguments": {"query": "rye}}', "not JSON that can be read"),
        ("[" * 100_000 + "]" * 100_000, "not JSON that can be read"),
        ("[]", "names no tool"),
        ("[3]", "names no tool"),
        ('{"arguments": {}}', "names no tool"),
        ('{"name": "", "arguments": {}}', "names no tool"),
        ('{"name": "search", "arguments": {}}', "no tool “search”"),
        ('{"name": "retrieve", "arguments": [1]}', "not a JSON object"),
    ],
)
def test_what_a_tag_announces_is_one_call_even_if_it_cannot_be_run(body, said):
    shown, (called,) = read_calls(f"First.\n<tool_call>{body}</tool_call>\nThen.", NAMES)
    assert said in called.problem
    assert shown == "First.\nThen."


def test_a_call_that_breaks_off_is_one_call_with_a_problem():
    assert "not JSON" in problem(
        'One.\n<tool_call>\n{"name": "retrieve", "arguments": {"query": "r'
    )


def test_a_call_in_keys_and_values_may_have_none_or_break_off():
    text = "<tool_call>list_attachments\n</tool_call>"
    assert read(text) == ("", [("list_attachments", {})])
    text = "<tool_call>retrieve\n<arg_key>top_k</arg_key><arg_value>3</arg_value></tool_call>."
    assert read(text) == (".", [("retrieve", {"top_k": 3})])
    assert "not JSON" in problem("<tool_call>retrieve\n<arg_key>query</arg_key><arg_value>r")


def test_line_breaks_in_a_query_are_allowed_inside_tags():
    text = '<tool_call>{"name": "retrieve", "arguments": {"query": "rye\nand oats"}}</tool_call>'
    assert read(text) == ("", [("retrieve", {"query": "rye\nand oats"})])


def test_half_a_character_in_a_query_becomes_a_replacement_character():
    text = '<tool_call>{"name": "retrieve", "arguments": {"query": "a\\ud83d"}}</tool_call>'
    assert read(text) == ("", [("retrieve", {"query": "a\ufffd"})])


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{RYE}</tool_call>\n<tool_call>{OATS}</tool_call>",
        f"<tool_call>{RYE}\n<tool_call>{OATS}</tool_call></tool_call>",
        f"<tool_call>{RYE}\n{OATS}</tool_call>",
        f"<tool_call>[{RYE}, {OATS}]</tool_call>",
        f"[TOOL_CALLS] [{RYE}, {OATS}]",
        '[TOOL_CALLS]retrieve{"query": "rye"}[TOOL_CALLS]retrieve{"query": "oats"}',
        f"{RYE}\n{OATS}",
        f"{RYE}; {OATS}",
        f"[{RYE}, {OATS}]",
        f"```json\n{RYE}\n```\n\n```json\n{OATS}\n```",
        f"<tools>\n{RYE}\n{OATS}\n</tools>",
        f"{DEEP}retrieve<｜tool▁sep｜>{ARGS}<｜tool▁call▁end｜>\n{DEEP_ONE}retrieve<｜tool▁sep｜>"
        f"{ARGS.replace('rye', 'oats')}{DEEPER}",
    ],
)
def test_several_calls_of_one_answer_come_in_their_order(text):
    wanted = [("retrieve", {"query": "rye"}), ("retrieve", {"query": "oats"})]
    assert read(text) == ("", wanted)


def test_a_good_call_next_to_a_bad_one_is_still_run():
    _, calls = read_calls(f"<tool_call>{RYE}{{bad}}</tool_call>{TAGGED}", NAMES)
    assert [bool(call.problem) for call in calls] == [False, True, False]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello.\n",
        " \n ",
        "a < b, [1] and {x}: `{` {",
        "Use the <tool_call> tag for that.\n\nIt has JSON in it.",
        f"Write `{RYE}` for it.",
        f"Write ``<tool_call>`` or `{TAGGED}` for it.",
        f"```json\n{RYE}\n{OATS}\n```",
        f"```python\ncall = {RYE}\n```",
        f"```\nA call:\n{TAGGED}\n```\nThat is all.",
        f"1. So:\n   ```json\n   [{RYE}, {OATS}]\n   ```\n",
        f"````\n```json\n{RYE}\n```\n````",
        '{"name": "Rye", "arguments": {"query": "rye"}}',
        '```json\n{"name": "Rye", "arguments": {}}\n```',
        '{"name": "retrieve", "age": 3}',
        '{"name": ["retrieve"], "arguments": {}}',
        f'{{"examples": [{RYE}]}}',
        f"[1, {RYE}]",
        '{"name": "retrieve", "arguments": {"query": "r',
        f"<think>\n{TAGGED}\n</think>\nNo need to look.",
        f"<think>{RYE}",
        f"[THINK]{TAGGED}[/THINK]Hello.",
        f"Hm.\n<thinking>\n{TAGGED}\n</thinking>\nNo.",
        f"<think>Is `</think>` a tag? {TAGGED}</think>Yes.",
        f"<think>\n```\n</think>\n```\n{TAGGED}\n</think>\nYes.",
        "</tool_call>",
        "<tools>are for the kitchen</tools>",
        '<tools>{"name": "Rye", "arguments": {}}</tools>',
        f"```\n<tools>{RYE}</tools>\nand words\n```",
        "<｜tool▁calls▁begin｜> is a token.",
        "<|python_tag|>import os\nprint(1)",
        "<tool_call>retrieve is its name.",
        f"Hm.\n<think>{TAGGED}</think>No.",
        f"Hm. <think>{RYE}</think>No.",
    ],
)
def test_what_is_no_call_stays_as_it_was_written(text):
    assert read(text) == (text, [])


def test_a_call_after_thinking_is_one():
    text = f"<think>\nLet me look.\n</think>\n\n{TAGGED}"
    assert read(text) == ("<think>\nLet me look.\n</think>", [("retrieve", {"query": "rye"})])


def test_calls_in_thinking_that_the_template_began_are_forgotten_when_it_ends():
    shown, calls = read(f"I could write {TAGGED}</think>\n\n{TAGGED}")
    assert (shown, calls) == ("I could write </think>", [("retrieve", {"query": "rye"})])
    assert read(f"I could write {TAGGED} but no.</think>\nHello.")[1] == []


def test_a_tag_in_the_query_does_not_end_the_call():
    call = '{"name": "retrieve", "arguments": {"query": "what is </tool_call>?"}}'
    wanted = [("retrieve", {"query": "what is </tool_call>?"})]
    assert read(f"<tool_call>{call}</tool_call> Wait.") == ("Wait.", wanted)


def test_a_query_that_never_ends_leaves_the_next_call_whole():
    bad = '<tool_call>{"name": "retrieve", "arguments": {"query": "x</tool_call>'
    shown, calls = read_calls(f"{bad}\nAgain:\n{TAGGED}", NAMES)
    assert shown == "Again:"
    assert [bool(call.problem) for call in calls] == [True, False]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"One.\n\n{TAGGED}\nTwo.", "One.\n\nTwo."),
        (f"One. {RYE} Two.", "One. Two."),
        (f"\n\n{TAGGED}\n\nTwo.\n", "Two.\n"),
        (f"One.\n{TAGGED}\n\n{TAGGED}\n\nTwo.", "One.\n\nTwo."),
    ],
)
def test_the_words_around_a_call_keep_their_distance(text, shown):
    assert read(text)[0] == shown


def test_ids_are_kept_and_no_two_are_equal():
    text = "".join(
        f'<tool_call>{{"id": {id}, "name": "list_attachments"}}</tool_call>'
        for id in ('"call_2"', "null", '"a"', '"a"', '""', "7")
    )
    ids = [call.id for call in read_calls(text, NAMES)[1]]
    assert ids[0] == "call_2"
    assert ids[2] == "a"
    assert len(set(ids)) == len(ids) == 6


def test_text_that_is_certain_is_shown_at_once():
    reader = CallReader(NAMES)
    assert reader.feed("Let me see") == "Let me see"
    assert reader.feed(". ") == "."
    assert reader.feed("A < ") == " A <"
    assert reader.feed('b {"name": "') == " b"
    assert reader.feed("Rye") == ' {"name": "Rye'
    assert reader.feed('", "x": 1} <tool') == '", "x": 1}'
    assert reader.feed("_box>") == " <tool_box>"
    assert reader.feed("\n```py\nx =") == "\n```py\nx ="
    assert reader.feed("\n```\n<think>") == "\n```"
    assert reader.feed("\nI ") == "\n<think>\nI"
    assert reader.end() == " "


def test_a_call_is_known_before_the_answer_ends():
    reader = CallReader(NAMES)
    assert reader.feed(f"Wait.\n{TAGGED}") == "Wait."
    assert [call.name for call in reader.calls] == ["retrieve"]


PIECES = st.lists(
    st.sampled_from(
        [
            TAGGED, RYE, OATS, f"```json\n{RYE}\n```", "```", "```json\n", "\n", "\n\n", " ", "`",
            "``", "~~~\n", "<tool_call>", "</tool_call>", "<think>", "</think>", "\n<think>\n",
            "[TOOL_CALLS]", "[", "{", "}", "]", '"', "\\", ",", ";", ":", "<", '{"name": "',
            "retrieve", '", "arguments": ', '{"query": "rye"}', "null", "3", "<|python_tag|>",
            "<function=retrieve>", "</function>", "<parameter=query>", "words", "◁think▷", "é漢🌾",
            "<tools>", "</tools>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", DEEP,
            "<｜tool▁sep｜>", DEEPER, 'retrieve(query="rye")', ".", "<think>words",
        ]
    ),
    max_size=14,
)  # fmt: skip


@given(PIECES)
@example(["<tool_call>", '{"name": "', "</tool_call>", "\n", TAGGED])
@example(["`", TAGGED, "\n", "`"])
@example(["<tool_call>", "[", TAGGED])
def test_pieces_may_be_cut_anywhere(pieces):
    whole = "".join(pieces)
    results = []
    for cut in (whole, pieces, [whole]):
        reader = CallReader(NAMES)
        shown = "".join([reader.feed(piece) for piece in cut]) + reader.end()
        results.append((shown, tuple(reader.calls)))
    assert results == [read_calls(whole, NAMES)] * 3


@given(st.text(st.characters(exclude_characters="<[{`~◁")))
def test_text_without_any_sign_of_a_call_comes_out_as_it_is(text):
    assert read_calls(text, NAMES) == (text, ())


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>" * 400,
        '<tool_call>{"name": "' * 200,
        "<tool_call>{</tool_call>" * 200,
        '{"arguments":' * 400,
        "[{" * 1_000,
        "`{" * 1_500,
        "`a``b```c\n" * 400,
        "```\n" * 700,
        " \n" * 1_500,
        "<think>\n" * 700,
        TAGGED + "words " * 1_500,
        f"[TOOL_CALLS] [{RYE}" * 70,
        "<function=a>" * 400,
        "<tools>" * 400,
        "<tools>[{" * 300,
        "<tool_call>a<arg_key>" * 150,
        DEEP * 100,
        "<|python_tag|>retrieve(" * 150,
        "<tool_call>```" * 250,
    ],
)
def test_a_long_answer_costs_as_much_as_its_length(text):
    def seconds(text):
        begun = time.process_time()
        reader = CallReader(NAMES)
        for char in text:
            reader.feed(char)
        reader.end()
        return time.process_time() - begun

    short = min(seconds(text) for _ in range(2))
    assert seconds(text * 4) < 10 * short + 0.3
