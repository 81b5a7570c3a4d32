"""What fits into the window."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.budget import budget, first_sent, without
from webapp.chat.estimate import estimated

SYSTEM = ("system", "Be brief.")


def talk(*lengths):
    """Questions and answers in turn, of these lengths in characters."""
    roles = ("user", "assistant")
    return [(roles[at % 2], "x" * length) for at, length in enumerate(lengths)]


def sent(parts, begun, most):
    return without(parts, first_sent(parts, begun, most, estimated))


def test_a_part_of_the_window_is_kept_for_the_answer_but_never_all_of_it():
    assert budget(8192, 2048) == 6144
    assert budget(2048, 2048) == 1024


def test_what_fits_is_sent_whole():
    parts = [SYSTEM, *talk(35, 35, 35)]
    assert sent(parts, 0, 1000) == parts


def test_too_much_loses_its_oldest_turns_and_begins_with_a_question():
    parts = [SYSTEM, *talk(350, 350, 350, 350, 35)]
    left = sent(parts, 0, 300)
    assert left == [SYSTEM, *parts[-1:]]
    assert [role for role, _ in sent(parts, 0, 400)] == ["system", "user", "assistant", "user"]


def test_the_newest_question_stays_even_when_it_alone_is_too_long():
    assert sent([SYSTEM, *talk(35, 35, 9000)], 0, 100) == [SYSTEM, ("user", "x" * 9000)]


def test_the_beginning_stays_where_it_was_while_that_fits():
    parts = talk(35, 35, 35, 35, 35)
    assert first_sent(parts, 2, 10_000, estimated) == 2


def test_a_beginning_that_is_no_question_any_more_moves_to_the_next_one():
    assert first_sent(talk(35, 35, 35, 35, 35), 1, 10_000, estimated) == 2
    assert first_sent(talk(35, 35, 35), 99, 10_000, estimated) == 2


def test_the_prefix_stays_equal_for_many_turns_once_it_was_cut():
    lengths, begun, beginnings = [], 0, []
    for _ in range(60):
        lengths += [70, 140]
        begun = first_sent(talk(*lengths, 70), begun, 1000, estimated)
        beginnings.append(begun)
    moves = sum(1 for at in range(1, 60) if beginnings[at] != beginnings[at - 1])
    assert beginnings == sorted(beginnings)
    assert 1 <= moves <= 12


@given(
    st.lists(st.integers(0, 400), min_size=1, max_size=40).filter(lambda each: len(each) % 2),
    st.integers(0, 45),
    st.integers(0, 2000),
    st.booleans(),
)
def test_whatever_is_left_begins_with_a_question_ends_as_before_and_fits_if_it_can(
    lengths, begun, most, instructed
):
    parts = [*([SYSTEM] if instructed else []), *talk(*lengths)]
    left = sent(parts, begun, most)
    said = left[instructed:]
    assert left[:instructed] == parts[:instructed]
    assert said
    assert said[0][0] == "user"
    assert left[-1] == parts[-1]
    assert estimated(left) <= most or len(said) == 1
