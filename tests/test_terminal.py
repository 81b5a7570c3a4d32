from webapp.terminal import printable


def test_text_stays_and_what_no_terminal_should_see_does_not():
    assert printable("Straße 東京 “quoted” 🙂") == "Straße 東京 “quoted” 🙂"
    assert printable("odd\udcff\x1b[31m\n\0") == "odd??[31m??"
