"""What things cost, and how often it is counted."""

from tests.chat.windows import call, message, result
from webapp.chat.groups import group_at
from webapp.chat.scales import Scales


def weigh(scales, *path):
    return scales.cost(group_at(scales.facts(path), 0))


def counting():
    """A template with a frame of 20 tokens, 7 for a turn, and a token for each word; without
    instructions it puts in 5 words of its own."""
    asked = []

    def count(parts):
        asked.append(list(parts))
        own = 0 if parts[0][0] == "system" else 12
        return 20 + own + sum(7 + len(content.split()) for _, content in parts)

    return count, asked


def test_without_a_tokenizer_it_is_the_estimate():
    scales = Scales()
    assert weigh(scales, message("m", text="x" * 70)).whole == 24
    assert scales.lead("x" * 35) == 14
    assert scales.lead("") == 4
    assert scales.text("x" * 7) == 2
    assert (scales.frame, scales.exact([("user", "x")])) == (0, None)


def test_a_group_of_estimates_is_the_sum_of_its_messages():
    scales = Scales()
    alone = [weigh(scales, each).whole for each in (message("c", "assistant", "see"),)]
    assert alone == [5]
    path = [call("c", "1"), result("r", "1", "x" * 35)]
    group = group_at(scales.facts(path), 0)
    assert scales.cost(group).whole == sum(each.estimate for each in scales.facts(path))


def test_frames_and_texts_add_up_to_what_the_template_counts():
    count, _ = counting()
    scales = Scales(count)
    path = [message("a", text="one two"), message("b", "assistant", "three"), message("c")]
    costs = [scales.cost(group_at(scales.facts(path), at)).whole for at in range(3)]
    parts = [part for facts in scales.facts(path) for part in facts.alone]
    assert scales.frame + sum(costs) == count(parts)


def test_instructions_cost_what_they_add():
    count, _ = counting()
    scales = Scales(count)
    said = [("system", "Be very brief."), ("user", "x")]
    assert scales.frame + scales.turn + scales.lead("Be very brief.") == max(count(said), 40)


def test_a_text_is_counted_once_whatever_message_it_stands_in():
    count, asked = counting()
    scales = Scales(count)
    for id in ("a", "b", "c"):
        weigh(scales, message(id, text="the same words"))
    assert len(asked) == 2 + 1


def test_inlined_files_have_a_row_of_their_own():
    scales = Scales()
    file = {"name": "a", "content": "x" * 350}
    cost = weigh(scales, message("m", text="x" * 35, inline_file_contents=[file]))
    assert cost.whole == cost.words + cost.files
    assert cost.files == 103
    assert 14 <= cost.words <= 15


def test_what_tools_cost_is_part_of_the_frame():
    assert Scales(tools=30).frame == 30
