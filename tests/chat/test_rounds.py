"""Every call gets exactly one result, and after some rounds the model must answer."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.chat.called import Called, read_calls
from webapp.chat.rounds import AGAIN, NO_MORE, TOO_MANY, Rounds


def called(query, name="retrieve", problem=""):
    return Called("c", name, {"query": query}, problem)


def sentences(steps):
    return [step.sentence for step in steps]


def test_a_call_is_run():
    (step,) = Rounds().take([called("rye")])
    assert step.runs
    assert step.called == called("rye")


def test_an_equal_call_is_answered_once():
    rounds = Rounds()
    one = Called("1", "retrieve", {"query": "rye", "top_k": 3})
    same = Called("2", "retrieve", {"top_k": 3, "query": "rye"})
    assert sentences(rounds.take([one, same, called("rye")])) == ["", AGAIN, ""]
    assert sentences(rounds.take([same, called("rye", "get_chunks")])) == [AGAIN, ""]


def test_a_call_with_a_problem_gets_its_sentence_each_time():
    text = '<tool_call>{"name": "search", "arguments": {}}</tool_call><tool_call>{</tool_call>'
    _, calls = read_calls(text, ("retrieve",))
    rounds = Rounds()
    for _ in range(2):
        unknown, malformed = sentences(rounds.take(calls))
        assert "There are: retrieve." in unknown
        assert "not JSON" in malformed


def test_after_six_rounds_the_model_must_answer():
    rounds = Rounds()
    for number in range(6):
        assert not rounds.must_answer
        assert rounds.take([called(number)])[0].runs
    assert rounds.must_answer
    assert sentences(rounds.take([called("more"), called("x", problem="No.")])) == [NO_MORE] * 2


def test_a_reply_without_calls_is_no_round():
    rounds = Rounds(most=1)
    assert rounds.take([]) == ()
    assert not rounds.must_answer


def test_a_flood_of_calls_is_not_run():
    said = sentences(Rounds().take([called(number) for number in range(50)]))
    assert said == [""] * 8 + [TOO_MANY] * 42


@given(st.lists(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=10), max_size=9))
def test_every_call_gets_exactly_one_step_in_its_order(replies):
    rounds, run = Rounds(), []
    for reply in replies:
        calls = [called(query, problem="No." if bad else "") for query, bad in reply]
        steps = rounds.take(calls)
        assert [step.called for step in steps] == calls
        run += [step.called.arguments["query"] for step in steps if step.runs]
    assert len(run) == len(set(run))
