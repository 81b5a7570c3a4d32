from webapp.documents.parsing.line_ends import joined

MARK = "\ufffe"


def test_a_word_broken_at_the_end_of_a_line_is_one_word():
    assert joined([f"we com{MARK}\npile it, com{MARK}pile"]) == ["we compile it, compile"]


def test_a_hyphen_of_the_words_own_comes_back_if_the_text_knows_it():
    pages = [f"the Debian{MARK}based one", "other Debian-based systems"]
    assert joined(pages)[0] == "the Debian-based one"
    known_both = [f"a re{MARK}sign", "resign and re-sign"]
    assert joined(known_both)[0] == "a resign"


def test_pages_without_marks_are_left_alone():
    pages = ["a-b", ""]
    assert joined(pages) is pages
