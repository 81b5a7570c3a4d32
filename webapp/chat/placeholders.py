"""What stands in instructions for something that only the moment knows."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

# In any case, with spaces inside the braces.
_CURRENT_DATE: Final = re.compile(r"\{\{\s*current_date\s*\}\}", re.IGNORECASE)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def filled_in(instructions: str, today: date) -> str:
    """`instructions` with the reader's day wherever `{{current_date}}` stands."""
    return _CURRENT_DATE.sub(spelled(today), instructions)


def spelled(day: date) -> str:
    """In English whatever the machine speaks: Monday, 27 July 2026."""
    return f"{_DAYS[day.weekday()]}, {day.day} {_MONTHS[day.month - 1]} {day.year}"
