from webapp.documents.parsing import ocr


def test_without_the_program_nothing_is_read(ocr_of_the_machine):
    ocr_of_the_machine(None)
    assert not ocr.is_available()
    assert ocr.read_picture(b"P5 1 1 255\n0", 1) == ""


def test_english_comes_first_of_all_languages_there_are(ocr_of_the_machine):
    ocr_of_the_machine("arguments")
    assert ocr.is_available()
    assert "'-l', 'eng+deu'" in ocr.read_picture(b"P5 1 1 255\n0", 20)


def test_a_program_without_languages_is_none(ocr_of_the_machine):
    ocr_of_the_machine("words", languages="osd\n")
    assert not ocr.is_available()


def test_a_program_that_fails_or_hangs_reads_nothing(ocr_of_the_machine):
    ocr_of_the_machine("words", before="if '-l' in sys.argv: sys.exit(1)")
    assert ocr.read_picture(b"x", 20) == ""
    ocr_of_the_machine("words", before="import signal\nif '-l' in sys.argv: signal.pause()")
    assert ocr.read_picture(b"x", 0.3) == ""
