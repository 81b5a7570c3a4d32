"""Reading what a form sent."""

from __future__ import annotations

from flask import request

# A text at the limit for messages fits when each character becomes nine bytes ("%E6%97%A5"),
# and one far beyond it still gets a sentence instead of a broken connection.
LARGEST_FORM_BYTES = 24 * 2**20


def posted_text() -> str:
    """The field `text`. Only for routes that take one: elsewhere the app's lower limit holds."""
    request.max_content_length = LARGEST_FORM_BYTES
    request.max_form_memory_size = LARGEST_FORM_BYTES
    return request.form.get("text", "")
