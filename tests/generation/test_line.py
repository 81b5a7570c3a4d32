"""Who is next, and what leaves the line together."""

import threading

import pytest

from webapp.chat.messages import new_message
from webapp.errors import TooOften
from webapp.generation.broadcast import LiveAnswer
from webapp.generation.line import MOST_OF_ONE, REMEMBERED, Line, Run
from webapp.generation.turn import Turn


def run(id, plan):
    answer = new_message(id=id, thread_id="t", role="assistant", text="", created_at=1)
    return Run(answer, LiveAnswer("t", id), Turn(0), plan=plan)


def test_who_was_called_does_not_wait_any_more_and_is_still_known():
    line, first = Line(), run("a", "p")
    line.join(first)
    assert line.give_up(first)
    assert not line.give_up(first)
    assert line.waiting() == []
    assert line.find("a") is first
    line.leave(first)
    assert line.find("a") is None


def test_only_waiting_answers_of_the_same_plan_are_dropped():
    line = Line()
    first, second, third, other = (run(id, plan) for id, plan in ("ap", "bp", "cp", "dq"))
    for each in (first, second, other, third):
        line.join(each)
    line.give_up(first)
    assert line.drop_planned_with(first) == [second, third]
    assert line.waiting() == [other]
    assert line.runs() == [first, other]


def by(person, thread_id, id):
    made = of(thread_id, id)
    made.person = person
    return made


def test_people_take_turns_however_many_threads_they_have():
    line = Line()
    runs = [by("ada", f"a{n}", f"ada{n}") for n in range(4)]
    runs += [by("ben", "b", "ben1"), by("cy", "c", "cy1"), by("ben", "d", "ben2")]
    for each in runs:
        line.join(each)
    foretold = [each.answer.id for each in line.waiting()]
    assert foretold == ["ada0", "ben1", "cy1", "ada1", "ben2", "ada2", "ada3"]
    assert [line.take().answer.id for _ in runs] == foretold


def test_one_person_does_not_fill_the_line():
    line = Line()
    runs = [by("ada", f"a{n}", f"ada{n}") for n in range(MOST_OF_ONE)]
    for each in runs:
        line.refuse_too_many("ada")
        line.join(each)
    with pytest.raises(TooOften, match="6 are on the way"):
        line.refuse_too_many("ada")
    line.refuse_too_many("ben")
    line.refuse_too_many("")
    line.leave(runs[0])
    line.refuse_too_many("ada")
    with pytest.raises(TooOften, match="5 are on the way"):
        line.refuse_too_many("ada", 2)


def of(thread_id, id, plan="p"):
    answer = new_message(id=id, thread_id=thread_id, role="assistant", text="", created_at=1)
    return Run(answer, LiveAnswer(thread_id, id), Turn(0), plan=plan)


def test_threads_take_turns():
    line = Line()
    runs = [of("t", "t1"), of("t", "t2"), of("t", "t3"), of("u", "u1"), of("v", "v1")]
    for each in runs:
        line.join(each)
    foretold = [each.answer.id for each in line.waiting()]
    assert foretold == ["t1", "u1", "v1", "t2", "t3"]
    assert [line.take().answer.id for _ in runs] == foretold


def test_a_thread_that_comes_again_waits_behind_one_that_was_not_served_yet():
    line = Line()
    line.join(of("t", "t1"))
    assert line.take().answer.id == "t1"
    line.join(of("t", "t2"))
    line.join(of("u", "u1"))
    line.join(of("v", "v1"))
    assert [each.answer.id for each in line.waiting()] == ["u1", "v1", "t2"]


def test_taking_waits_for_one_that_joins_and_ends_when_the_line_is_closed():
    line, taken = Line(), []
    taker = threading.Thread(target=lambda: taken.extend(iter(line.take, None)))
    taker.start()
    first = of("t", "t1")
    line.join(first)
    line.close()
    taker.join(timeout=10)
    assert not taker.is_alive()
    assert taken == [first]


def test_old_turns_are_forgotten():
    line = Line()
    for number in range(REMEMBERED + 50):
        line.join(of(f"t{number}", str(number)))
        line.leave(line.take())
    assert len(line._served) == REMEMBERED
