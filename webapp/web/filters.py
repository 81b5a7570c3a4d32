"""How values look on a page: times, counts, days and the facts of an answer.

Threads and messages also come from other programs, so a filter never trusts a type or a range.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from flask import Flask

from webapp.chat import authors
from webapp.chat.messages import Message, Thread
from webapp.engines.engine import EngineInfo
from webapp.moments import long_date, moment
from webapp.threads.store import DamagedThread
from webapp.web.askers import another_asked, asker_name
from webapp.web.services import services

Row = Thread | DamagedThread


def install(app: Flask) -> None:
    app.jinja_env.filters.update(
        clock=clock,
        long_date=long_date,
        iso=iso,
        count=count,
        memory_words=memory_words,
        gigabytes=gigabytes,
        facts=facts,
        by_day=by_day,
        author=author,
    )
    app.jinja_env.tests["asked_by_another"] = asked_by_another


def clock(milliseconds: float, now: datetime | None = None) -> str:
    """The time of today, or else the day."""
    when = moment(milliseconds) if milliseconds else None
    today = now or datetime.now().astimezone()
    if when is None:
        return ""
    if when.date() == today.date():
        return f"{when:%H:%M}"
    return f"{when.day} {when:%B}" if when.year == today.year else f"{when.day} {when:%B %Y}"


def iso(milliseconds: float) -> str:
    when = moment(milliseconds) if milliseconds else None
    return when.isoformat(timespec="seconds") if when else ""


def memory_words(model: EngineInfo) -> str:
    """What a model takes, of what is free before it is loaded; empty when that is not known."""
    if not model.need_bytes:
        return ""
    need = f"takes {gigabytes(model.need_bytes)} of memory"
    free = model.available_bytes
    return need if free is None else f"{need}, {gigabytes(free)} free"


def gigabytes(size: int) -> str:
    """Of bytes, for a reader; megabytes below one."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def count(number: int) -> str:
    return f"{number:,}"


def author(message: Message) -> str:
    """Who speaks; while an answer is written, the model that writes it."""
    if message.role == "user":
        return asker_name(message)
    if message.role == "assistant" and message.status == "pending":
        return authors.model_name(services().engine.describe().model)
    return authors.author(message)


def asked_by_another(message: Message) -> bool:
    return message.role == "user" and bool(another_asked(message))


def facts(message: Message) -> list[tuple[str, str]]:
    """What is known about the making of an answer, as label and value; empty when nothing is."""
    usage = _usage(message)
    made, seconds = _number(usage, "output_tokens"), _number(usage, "total_seconds")
    first = _number(usage, "first_token_seconds")
    lines = [
        ("Written", f"{count(int(made))} tokens" if made else ""),
        ("Prompt", _prompt_line(usage)),
        ("Left out", _left_out_line(usage)),
        ("First word after", f"{first:.1f} s" if first else ""),
        ("Time", f"{seconds:.1f} s" if seconds else ""),
        ("Speed", _speed(made, seconds - first)),
        ("Model", author(message) if usage.get("model") else ""),
        ("Date", long_date(message.created_at)),
    ]
    return [(label, value) for label, value in lines if value] if usage else []


def by_day(rows: Iterable[Row], now: datetime | None = None) -> list[tuple[str, list[Row]]]:
    """Rows, newest first, under the names of their days; damaged ones come under their own."""
    today = (now or datetime.now().astimezone()).date()
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(_day_name(row, today), []).append(row)
    return list(groups.items())


def _day_name(row: Row, today: Any) -> str:
    if isinstance(row, DamagedThread):
        return "Damaged"
    when = moment(row.updated * 1000) if row.updated else None
    if when is None:
        return "Undated"
    if when.date() >= today:
        return "Today"
    if when.date() == today - timedelta(days=1):
        return "Yesterday"
    if when.date() > today - timedelta(days=7):
        return "Last 7 days"
    return f"{when:%B}" if when.year == today.year else f"{when:%B %Y}"


def _prompt_line(usage: Mapping[str, Any]) -> str:
    prompt, reused = _number(usage, "prompt_tokens"), _number(usage, "reused_tokens")
    if not prompt:
        return ""
    if not reused:
        return f"{count(int(prompt))} tokens"
    return f"reused {count(int(reused))} of {count(int(prompt))} tokens"


def _left_out_line(usage: Mapping[str, Any]) -> str:
    left_out = int(_number(usage, "left_out"))
    if not left_out:
        return ""
    messages = "message" if left_out == 1 else "messages"
    return f"{count(left_out)} earlier {messages} did not fit into the window"


def _speed(tokens: float, seconds: float) -> str:
    return f"{tokens / seconds:.0f} tokens/s" if tokens > 1 and seconds > 0 else ""


def _usage(message: Message) -> Mapping[str, Any]:
    found = message.metadata.get("usage")
    return found if isinstance(found, Mapping) else {}


def _number(usage: Mapping[str, Any], key: str) -> float:
    value = usage.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    return float(value) if 0 <= value < 1e12 else 0.0
