"""What stands in instructions for the day of the reader."""

from datetime import date

import pytest

from webapp.chat.placeholders import filled_in, spelled

DAY = date(2026, 7, 27)


@pytest.mark.parametrize(
    "written",
    [
        "{{current_date}}",
        "{{ current_date }}",
        "{{CURRENT_DATE}}",
        "{{\tCurrent_Date\n}}",
        "{{   current_date}}",
    ],
)
def test_the_day_stands_in_for_its_name_in_any_case_and_with_spaces(written):
    assert filled_in(f"Today: {written}.", DAY) == "Today: Monday, 27 July 2026."


def test_every_occurrence_is_replaced():
    assert filled_in("{{current_date}} {{Current_Date}}{{ current_date }}", DAY) == " ".join(
        ["Monday, 27 July 2026", "Monday, 27 July 2026Monday, 27 July 2026"]
    )


@pytest.mark.parametrize(
    "other",
    ["", "{current_date}", "{{current date}}", "{{current_time}}", "{{ {current_date} }}", "{{"],
)
def test_anything_else_stays_as_it_is(other):
    assert filled_in(other, DAY) == other


def test_a_great_many_braces_take_no_time():
    text = "{{ " * 20_000
    assert filled_in(text, DAY) == text


def test_days_are_spelled_out():
    assert spelled(date(2024, 2, 29)) == "Thursday, 29 February 2024"
