"""Reading on in a text that still arrives."""

from webapp.chat.call_cursor import Cursor


def result_of(waiting, cursor, pieces):
    """What a reader says once the pieces have come, and how often it waited."""
    waits = 0
    while True:
        try:
            next(waiting)
        except StopIteration as end:
            return end.value, waits
        waits += 1
        piece = next(pieces, None)
        if piece is None:
            cursor.over = True
        else:
            cursor.chars += piece


def test_a_spelling_is_found_whatever_its_case_and_pieces():
    cursor = Cursor()
    found, waits = result_of(
        cursor.literal(0, ("<tool_call>",)), cursor, iter(["<TO", "OL_", "CALL>"])
    )
    assert (found, waits) == ("<tool_call>", 3)


def test_what_can_become_no_spelling_is_not_waited_for():
    cursor = Cursor()
    assert result_of(cursor.literal(0, ("<tool_call>",)), cursor, iter(["<b"])) == ("", 1)


def test_a_text_that_ends_has_nothing_more():
    cursor = Cursor()
    assert result_of(cursor.has(0), cursor, iter(())) == (False, 1)
    assert result_of(cursor.literal(0, ("<a>",)), cursor, iter(())) == ("", 0)


def test_white_space_and_runs_are_passed():
    cursor = Cursor()
    assert result_of(cursor.skip_space(0), cursor, iter([" \n", "\t x"]))[0] == 4
    cursor = Cursor()
    assert result_of(cursor.run_end(0), cursor, iter(["``", "`x"]))[0] == 3
