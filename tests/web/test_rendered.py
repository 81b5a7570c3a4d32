from webapp.web.rendered import RenderedTexts


def counted():
    """A renderer and the list of what it was asked for."""
    asked = []

    def render(text):
        asked.append(text)
        return f"<p>{text}</p>"

    return render, asked


def test_the_same_text_is_rendered_once():
    render, asked = counted()
    kept = RenderedTexts(most_characters=1000)
    assert kept.html("m", "words", render) == kept.html("m", "words", render) == "<p>words</p>"
    assert asked == ["words"]


def test_a_changed_text_is_rendered_anew():
    render, asked = counted()
    kept = RenderedTexts(most_characters=1000)
    kept.html("m", "before", render)
    assert kept.html("m", "after", render) == "<p>after</p>"
    assert asked == ["before", "after"]


def test_what_was_looked_at_longest_ago_goes_first():
    render, asked = counted()
    kept = RenderedTexts(most_characters=30)
    for message in ("a", "b", "a", "c"):
        kept.html(message, message * 5, render)
    kept.html("a", "aaaaa", render)
    assert asked == ["aaaaa", "bbbbb", "ccccc"]
    kept.html("b", "bbbbb", render)
    assert asked[-1] == "bbbbb"


def test_a_text_larger_than_all_room_is_still_given():
    render, _ = counted()
    kept = RenderedTexts(most_characters=10)
    assert len(kept.html("m", "x" * 100, render)) == 107


def test_a_text_with_half_a_surrogate_pair_has_a_place_too():
    render, _ = counted()
    assert RenderedTexts(most_characters=99).html("m", "\ud800", render) == "<p>\ud800</p>"
