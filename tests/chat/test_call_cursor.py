"""A text is read while it arrives: waiting goes on where it was."""

from webapp.chat.call_cursor import Cursor


def run(cursor, looking, *pieces):
    """What the look ahead found, fed with the pieces one by one."""
    for piece in pieces:
        try:
            next(looking)
        except StopIteration as found:
            return found.value
        cursor.chars += piece
    cursor.over = True
    try:
        next(looking)
    except StopIteration as found:
        return found.value
    raise AssertionError("it still waits although no more comes")


def test_a_spelling_is_found_in_any_case_however_it_is_cut():
    cursor = Cursor()
    assert run(cursor, cursor.literal(0, ("<b>", "<bc>")), "<", "B", "C>") == "<bc>"
    assert run(cursor, cursor.literal(0, ("<b>",))) == ""
    assert cursor.text(1, 3) == "BC"


def test_what_breaks_off_is_no_spelling():
    cursor = Cursor()
    assert run(cursor, cursor.literal(0, ("<b>",)), "<", "b") == ""


def test_white_space_and_runs_are_passed_over_to_their_end():
    cursor = Cursor()
    assert run(cursor, cursor.skip_space(0), " ", "\n", "x") == 2
    cursor = Cursor()
    assert run(cursor, cursor.run_end(0), "`", "`", "a") == 2
    cursor = Cursor()
    assert run(cursor, cursor.run_end(0), "``", "`") == 3


def test_nothing_is_there_once_it_is_over():
    cursor = Cursor()
    assert run(cursor, cursor.has(0)) is False
    assert run(Cursor(), cursor.has(0)) is False
