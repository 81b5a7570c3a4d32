"""Numbers, however they are written."""

import pytest

from webapp.chat.figures import figures


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,480 euro, 1.480 Euro, 1480 €, 1'480 CHF, 1\u202f480 F", ["1480"] * 5),
        ("5.50 and 5,5 and 05.5", ["5.5"] * 3),
        ("ninety days, 90 days, neunzig Tage, noventa días", ["90"] * 4),
        ("quatre-vingt-dix jours, soixante jours, dix-sept ans", ["90", "60", "17"]),
        ("twenty-five, Twenty five, fünfundzwanzig, treinta y cinco", ["25", "25", "25", "35"]),
        ("einundzwanzig or twenty-one", ["21", "21"]),
        ("two hundred ships, three thousand men", ["200", "3000"]),
        ("the third working day, the 3rd, day 3", ["3"] * 3),
        (
            "九十天，三百二十元，两千零五年，一九九八年，三万五千",
            ["90", "320", "2005", "1998", "35000"],
        ),
        ("３０ percent", ["30"]),
        ("One of them came first, and no one stayed [2].", []),
        ("A weight, a canine, fourscore, tension, to seize it once, a quince and 一个", []),
        ("", []),
    ],
)
def test_a_number_is_one_however_it_is_written(text, values):
    assert [each.value for each in figures(text)] == values


def test_it_is_told_where_they_stand():
    [found] = figures("Within ninety days.")
    assert "Within ninety days."[found.start : found.end] == "ninety"
