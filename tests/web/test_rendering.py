from html import unescape

from webapp.chat.messages import new_message
from webapp.chat.records import Put
from webapp.web.rendering import body_html, printable


def message(role, text, status="ready"):
    return new_message(id="m", thread_id="t", role=role, text=text, created_at=1, status=status)


def test_a_question_is_shown_exactly_as_written():
    assert body_html(message("user", "**a**\n  <b>")) == "**a**\n  &lt;b&gt;"


def test_a_long_question_is_folded_and_whole(app):
    text = "First line\n" + "<word> " * 3000 + "the end"
    with app.app_context():
        html = body_html(message("user", text))
    shown, folded = html.split("<details", 1)
    assert shown.startswith("First line\n")
    assert f"Show all {len(text):,} characters" in folded
    rest = folded.split("<div>")[1].split("</div>")[0]
    assert unescape(shown + rest) == text


def test_an_answer_is_shown_as_markdown():
    assert "<strong>a</strong>" in body_html(message("assistant", "**a**"))


def test_an_answer_that_grows_is_shown_so_far():
    assert "<strong>a</strong>" in body_html(message("assistant", "**a** and", "pending"))


def test_no_markup_of_a_model_reaches_the_page():
    html = body_html(message("assistant", '<img src=x onerror="a()"><p hx-get="/x">'))
    assert "<img" not in html
    assert "<p hx" not in html


def test_halves_of_surrogate_pairs_can_be_sent():
    assert printable("a\ud83db").encode() == "a\N{REPLACEMENT CHARACTER}b".encode()


def test_a_thread_of_another_program_with_odd_text_can_be_read(page, store, library):
    thread_id = library.create("Odd").id
    store.write(thread_id, [Put(message("assistant", "half \ud83d and \0 nul"))])
    response = page.get(f"/threads/{thread_id}")
    assert response.status_code == 200
    assert "half" in response.text
