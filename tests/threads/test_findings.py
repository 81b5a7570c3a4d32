from webapp.threads.findings import Finding, counted, told


def test_things_are_counted_in_words():
    assert [counted(n, "line") for n in (0, 1, 2, 12_000)] == [
        "0 lines",
        "1 line",
        "2 lines",
        "12,000 lines",
    ]


def test_things_are_named_up_to_a_few():
    assert told([], "line", "is torn", "are torn") == ""
    assert told([3], "line", "is torn", "are torn") == "1 line is torn: 3."
    assert told([3, 7], "line", "is torn", "are torn") == "2 lines are torn: 3, 7."
    many = told(range(1, 1011), "line", "is torn", "are torn")
    assert many == "1,010 lines are torn: 1, 2, 3, 4, 5, 6, 7, 8 and 1,002 more."


def test_a_finding_says_where_and_what():
    assert str(Finding("t", "line 3 is torn.")) == "t: line 3 is torn."
