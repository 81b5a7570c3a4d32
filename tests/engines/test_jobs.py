from webapp.engines.jobs import Job, Line, Urgency


def in_line(*urgencies):
    line, jobs = Line(), [Job({}, urgency) for urgency in urgencies]
    for job in jobs:
        line.join(job)
    return line, jobs


def test_answers_go_before_questions_to_documents_and_these_before_passages():
    line, (passage, query, answer) = in_line(Urgency.PASSAGE, Urgency.QUERY, Urgency.ANSWER)
    assert [line.next() for _ in range(4)] == [answer, query, passage, None]


def test_within_one_urgency_who_came_first_goes_first():
    line, jobs = in_line(*[Urgency.ANSWER] * 5)
    assert [line.next() for _ in jobs] == jobs


def test_a_job_that_needs_no_turn_is_never_next():
    line, (count, answer) = in_line(None, Urgency.ANSWER)
    assert line.next() is answer
    assert line.next() is None
    assert line.take_beside() == [count]
    assert line.take_beside() == []


def test_who_leaves_is_not_called():
    line, (first, second) = in_line(Urgency.ANSWER, Urgency.ANSWER)
    assert line.leave(first)
    assert not line.leave(first)
    assert line.waits()
    assert line.take_all() == [second]
    assert line.take_all() == []
    assert not line.waits()


def test_jobs_have_numbers_of_their_own_and_a_cancelled_one_ends():
    one, other = Job({"task": "count"}, None), Job({}, None)
    assert one.number != other.number
    assert one.frame == {"task": "count", "job": one.number}
    one.end_cancelled()
    assert one.inbox.get_nowait()["kind"] == "cancelled"
