"""Sentences are cut where a reader would cut them."""

import time
from pathlib import Path

import pytest
from hypothesis import given

from tests.chat.test_protected import MARKDOWN
from webapp.chat.sentences import sentences

FOLDER = Path(__file__).parents[1] / "data" / "grounding"


def texts(markdown):
    return [sentence.text for sentence in sentences(markdown)]


def test_abbreviations_versions_and_addresses_end_no_sentence():
    assert texts((FOLDER / "sentences.md").read_text("utf-8")) == [
        "See Fig. 2 in Smith et al. for v1.2.3 of the tool.",
        "Mail a.b@example.org or open https://example.org/a.b now!",
        "Is 3.14 enough?",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das gilt z. B. Samstags nicht. Am 3. Oktober ist frei.", 2),
        ("Dr. Meier und Prof. Schulz kamen. Sie blieben bis zum Ende.", 2),
        ("J. R. Smith wrote it in the U.S. Army. The book was sold.", 2),
        ("They sell apples, pears, etc. The rest is given away.", 2),
        ("See No. 5 of the list, p. 12, for it. It is at no. 7 too.", 2),
        ("Well... maybe it is not so. Who knows what it is?", 2),
        ('He said "It is over now." Then he went home.', 2),
        ('"Is it over now?" he asked. Nobody said a word.', 2),
        ("„Es ist jetzt vorbei.“ Dann ging er heim.", 2),
        ("« C'est fini maintenant. » Puis il est parti.", 2),
        ("他说：“今天天气很好。”然后他走了很远。", 2),
        ("（这是真的吗，朋友？）当然是真的，朋友！", 2),
        ("**Bold sentence here.** _Another *nested* one._ A third one.", 3),
        ("This is what it says.[1] Another one follows.", 2),
        ("- One item is here\n- Two items are here", 2),
        ("> A quoted line goes\n> on to the next.", 1),
        ("# A heading is no sentence.\n\nBut this one is.", 1),
        ("| Head of it. | Other |\n|---|---|\n| The fee is 20 euros | x |", 1),
        ("```\nThis is code. And more of it.\nNever closed here.", 0),
        ("[All of it is a link.](https://x.y)", 0),
        ("<pre>\nNo words.\n\nBut a program here.\n</pre>\n\nThese are words here.", 1),
        ("<script>\nlet x = 'These are words.';\n</script>\nThese are words here.", 1),
        ("\\begin{align}\nx &= 1. y\n\\end{align}\nThese are words here.", 1),
        ("<pre>never closed, so these are words.", 1),
        ("> [!NOTE]\n> These are the words of it.", 1),
    ],
)
def test_as_many_sentences_as_a_reader_counts(text, expected):
    found = texts(text)
    assert len(found) == expected, found


@pytest.mark.parametrize(
    "text",
    [
        "El Sr. García llegó tarde a casa. La Sra. López esperaba.",
        "Véase el art. 5 y el núm. 7 de la pág. 3 allí. La ley no vale aquí.",
        "M. Dupont est arrivé hier soir. Mme Durand attendait.",
        "Il sig. Rossi e la dott. Bianchi arrivano. Vedi pag. 3 del testo.",
        "Dat is bijv. Amsterdam of d.w.z. Utrecht. Dhr. Jansen komt morgen.",
        "Mieszka na ul. Długiej, np. Adam i m.in. Ewa. Zob. rys. 2 na str. 5.",
        "См. рис. 2 на стр. 5 отчёта на ул. Ленина. Это конец всего текста.",
        "Это книги, тетради и т. д. Потом он ушёл домой.",
        "И. И. Иванов написал книгу. Она была очень хорошей.",
        "Detta gäller t.ex. Stockholm och bl.a. Malmö. Det är verkligen allt.",
        "Capt. Smith, Lt. Jones and Gov. Brown met. They talked for hours.",
        "His name is Max. He likes Fifth Ave. Number Ten.",
        "\\*It is written here.\\* Another one follows it.",
        "یہ ایک جملہ ہے اردو میں۔ یہ دوسرا جملہ ہے یہاں۔",
        "Press <kbd>Ctrl. C</kbd> to copy the text. It is then kept.",
        "Am Montag, 3. Mai 2024, kamen sie an. Es regnete den ganzen Tag.",
        "Die Firma (z.B. GmbH & Co. KG) haftet. So ist es immer gewesen.",
    ],
)
def test_two_sentences_in_each_language_are_two(text):
    found = texts(text)
    assert len(found) == 2, found


def test_closing_signs_belong_to_the_sentence_they_close():
    assert texts("**Bold sentence here.** Next one is here.")[0] == "**Bold sentence here.**"
    assert texts("今天天气很好。**重点在这里呢。**")[0] == "今天天气很好。"


@given(MARKDOWN)
def test_a_sentence_is_the_text_at_its_place(text):
    end = 0
    for sentence in sentences(text):
        assert end <= sentence.start < sentence.end <= len(text)
        assert sentence.text == text[sentence.start : sentence.end] == sentence.text.strip()
        end = sentence.end


@pytest.mark.parametrize(
    ("before", "again", "behind"),
    [
        ("", "$$\n", ""),
        ("", "\\[\n", ""),
        ("", "$$\n\\[\n\n\n", ""),
        ("", "a|b\n-|-\n", ""),
        ("a|b\n-|-", " ", "x"),
        ("a|b\n", "- ", "x|"),
        ("[q]: b\n\n", "[a", "]"),
        ("[q]: b\n\n", "[", "]"),
        ("", "> ```\n> a\n", ""),
        ("", "e.g. ", ""),
        ("", "<pre>\n", ""),
        ("", "<code>a", ""),
        ("", "\\begin{math}\n", ""),
    ],
)
def test_a_text_four_times_as_long_takes_about_four_times_as_long(before, again, behind):
    def seconds(times):
        text = before + again * times + behind * times
        took = []
        for _ in range(2):
            began = time.process_time()
            sentences(text)
            took.append(time.process_time() - began)
        return min(took)

    times = 10_000 // len(again)
    assert seconds(4 * times) < 10 * seconds(times) + 0.05
