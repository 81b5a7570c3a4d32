import pytest

from webapp.search.folding import composed
from webapp.search.keywords import MOST_KEYWORDS, best_stretch, keywords


def words(text):
    return [each.word for each in keywords(text)]


def test_words_that_say_nothing_are_left_out_unless_there_are_no_others():
    assert words("What is the name of my Dog?") == ["name", "dog"]
    assert words("what was it") == ["what", "was", "it"]


def test_long_words_are_looked_for_by_their_beginning():
    assert words("decided recommendation") == ["decid", "recommendati"]


def test_short_words_and_dense_writing_have_a_table_of_their_own():
    assert words("AI 笔记本 C#") == ["ai", "笔记", "记本", "c#"]
    assert [each.is_long for each in keywords("harbour AI 笔记")] == [True, False, False]


def test_there_are_never_too_many():
    assert len(keywords(" ".join(f"w{n}x" for n in range(200)))) == MOST_KEYWORDS


def stretch(text, question, most=120, weight=lambda word: 1.0):
    found = keywords(question)
    text = composed(text)
    got = best_stretch(text, {each: weight(each.word) for each in found}, most)
    return got and (text[got.start : got.end], round(got.share, 2))


def test_the_stretch_is_where_most_of_the_words_stand():
    text = f"A dog barked. {'Nothing happens here. ' * 30}The dog is called Bello. {'End. ' * 40}"
    found, share = stretch(text, "How is the dog called?")
    assert "The dog is called Bello." in found and share == 1 and len(found) <= 120
    assert not found.startswith(" ") and text.count(found) == 1


def test_what_counts_more_decides():
    text = f"usual usually usual. {'x ' * 200} zanzibar"
    found, share = stretch(text, "usual zanzibar", weight={"usual": 1, "zanzib": 3}.get)
    assert "zanzibar" in found and share == 0.75


def test_a_word_in_the_middle_of_another_is_none():
    assert stretch("The start of the party", "art") is None
    assert stretch("C is a letter, C# is music", "C#") == ("C is a letter, C# is music", 1.0)


@pytest.mark.parametrize("text", ["", "ß" * 500, "é" * 500 + "harbour", "\n" * 300 + "harbour\n"])
def test_a_stretch_is_always_within_its_text(text):
    text = composed(text)
    got = best_stretch(text, dict.fromkeys(keywords("harbour é"), 1.0), 100)
    assert got is None or 0 <= got.start < got.end <= len(text)
