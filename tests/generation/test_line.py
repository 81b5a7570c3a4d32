"""Who is next, and what leaves the line together."""

from webapp.chat.messages import new_message
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.line import Line, Run
from webapp.generation.turn import Turn


def run(id, plan):
    answer = new_message(id=id, thread_id="t", role="assistant", text="", created_at=1)
    return Run(answer, LiveAnswer("t", id), Turn(0), plan=plan)


def test_who_was_called_does_not_wait_any_more_and_is_still_known():
    line, first = Line(), run("a", "p")
    line.join(first)
    assert line.call(first)
    assert not line.call(first)
    assert line.waiting() == []
    assert line.find("a") is first
    line.leave(first)
    assert line.find("a") is None


def test_only_waiting_answers_of_the_same_plan_are_dropped():
    line = Line()
    first, second, third, other = (run(id, plan) for id, plan in ("ap", "bp", "cp", "dq"))
    for each in (first, second, other, third):
        line.join(each)
    line.call(first)
    assert line.drop_planned_with(first) == [second, third]
    assert line.waiting() == [other]
    assert line.runs() == [first, other]
