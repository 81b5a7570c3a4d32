"""Every call gets exactly one result, and after six rounds there are words."""

from webapp.chat.called import Called
from webapp.chat.rounds import AGAIN, MOST_AT_ONCE, MOST_ROUNDS, NO_MORE, TOO_MANY, Rounds


def call(query="rye", **more):
    return Called("1", "retrieve", {"query": query}, **more)


def test_a_new_call_runs_and_an_equal_one_is_told_so():
    rounds = Rounds()
    assert [step.runs for step in rounds.take([call(), call("oats")])] == [True, True]
    (again,) = rounds.take([call()])
    assert not again.runs and again.sentence == AGAIN


def test_a_call_with_a_problem_gets_it_as_its_result():
    (step,) = Rounds().take([call(problem="No JSON.")])
    assert step.sentence == "No JSON."


def test_the_order_of_arguments_makes_no_other_call():
    one = Called("1", "get_chunks", {"a": 1, "b": 2})
    other = Called("2", "get_chunks", {"b": 2, "a": 1})
    assert [step.runs for step in Rounds().take([one, other])] == [True, False]


def test_too_many_calls_at_once_are_not_run():
    steps = Rounds().take([call(str(n)) for n in range(MOST_AT_ONCE + 2)])
    assert [step.sentence for step in steps[-2:]] == [TOO_MANY, TOO_MANY]
    assert all(step.runs for step in steps[:-2])


def test_after_six_rounds_the_model_must_answer():
    rounds = Rounds()
    for n in range(MOST_ROUNDS):
        assert not rounds.must_answer
        rounds.take([call(str(n))])
    assert rounds.must_answer
    assert [step.sentence for step in rounds.take([call("late")])] == [NO_MORE]


def test_a_reply_without_calls_is_no_round():
    rounds = Rounds(most=1)
    assert rounds.take([]) == () and not rounds.must_answer
