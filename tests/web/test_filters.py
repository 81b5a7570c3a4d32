from datetime import datetime, timedelta

import pytest

from webapp.chat.messages import Message, Thread
from webapp.engines.engine import EngineInfo
from webapp.threads.store import DamagedThread
from webapp.web import filters

NOON = datetime(2026, 7, 15, 12).astimezone()
DAY = 86_400


def answer(**usage):
    return Message({"id": "a", "role": "assistant", "metadata": {"usage": usage}})


def row(name, *, days_ago):
    return Thread({"id": name, "title": name, "updated": NOON.timestamp() - days_ago * DAY})


def test_threads_stand_under_the_names_of_their_days():
    rows = [row(str(days), days_ago=days) for days in (0, 1, 3, 30, 400)]
    names = [day for day, _ in filters.by_day(rows, now=NOON)]
    assert names == ["Today", "Yesterday", "Last 7 days", "June", "June 2025"]


def test_a_clock_that_was_ahead_is_today():
    assert filters.by_day([row("future", days_ago=-5)], now=NOON)[0][0] == "Today"


def test_a_damaged_and_an_undated_thread_have_their_own_places():
    rows = [DamagedThread("bad", "Not JSON."), Thread({"id": "old"})]
    assert [day for day, _ in filters.by_day(rows, now=NOON)] == ["Damaged", "Undated"]


@pytest.mark.parametrize("moment", [0, 1e20, -1e20, float("inf")])
def test_a_time_that_is_none_is_not_shown(moment):
    assert (filters.clock(moment), filters.long_date(moment), filters.iso(moment)) == ("", "", "")


def test_a_time_is_local_and_readable():
    milliseconds = NOON.timestamp() * 1000
    assert filters.clock(milliseconds, now=NOON) == "12:00"
    assert filters.long_date(milliseconds) == "15 July 2026, 12:00"
    assert filters.iso(milliseconds).startswith("2026-07-15T12:00:00")


def test_a_time_of_another_day_is_a_date():
    milliseconds = NOON.timestamp() * 1000
    assert filters.clock(milliseconds, now=NOON + timedelta(days=2)) == "15 July"
    assert filters.clock(milliseconds, now=NOON + timedelta(days=400)) == "15 July 2026"


def test_counts_are_easy_to_read():
    assert filters.count(1234567) == "1,234,567"


def test_the_facts_of_an_answer_say_what_was_reused():
    known = dict(
        filters.facts(
            answer(
                prompt_tokens=2908,
                reused_tokens=2871,
                output_tokens=100,
                first_token_seconds=0.5,
                total_seconds=5.5,
                model="/models/small-chat.gguf",
            )
        )
    )
    assert known["Prompt"] == "reused 2,871 of 2,908 tokens"
    assert known["Written"] == "100 tokens"
    assert known["Speed"] == "20 tokens/s"
    assert known["Model"] == "small-chat"


@pytest.mark.parametrize("odd", ["many", None, True, -1, float("nan"), 1e300, [1]])
def test_facts_from_another_program_never_break_the_page(odd):
    keys = ("prompt_tokens", "reused_tokens", "output_tokens", "total_seconds", "model")
    known = dict(filters.facts(answer(**dict.fromkeys(keys, odd))))
    assert "Speed" not in known


def test_without_usage_there_are_no_facts():
    assert filters.facts(Message({"id": "a", "role": "assistant"})) == []
    assert filters.facts(Message({"id": "a", "role": "assistant", "metadata": {"usage": 3}})) == []


def test_each_message_has_an_author(app):
    assert filters.author(answer(model="Qwen")) == "Qwen"
    assert filters.author(answer()) == "Answer"
    with app.test_request_context("/"):
        assert filters.author(Message({"id": "q", "role": "user"})) == "You"
    assert filters.author(Message({"id": "q", "role": "odd"})) == "odd"


@pytest.mark.parametrize(
    ("need", "free", "words"),
    [
        (0, None, ""),
        (1_540_000_000, None, "takes 1.5 GB of memory"),
        (1_540_000_000, 8_260_000_000, "takes 1.5 GB of memory, 8.3 GB free"),
    ],
)
def test_what_a_model_takes_is_told_with_what_is_free(need, free, words):
    model = EngineInfo("llama_cpp", "m", "unloaded", 8192, need_bytes=need, available_bytes=free)
    assert filters.memory_words(model) == words
