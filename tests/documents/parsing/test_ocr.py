import shutil
import sys

from tests.samples import LARGER
from webapp.documents.parsing import ocr
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.parser import Source


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


def test_spaces_between_characters_of_scripts_without_them_are_taken_out(ocr_of_the_machine):
    ocr_of_the_machine("真 正 的 原因 是 （ dh 命令 ）， カタ カナ 。 A B 한국어 는")
    said = ocr.read_picture(b"x", 20).strip()
    assert said == "真正的原因是（ dh 命令）， カタカナ。 A B 한국어 는".replace("， ", "，")


def test_the_program_of_this_machine_reads_a_scan(capsys):
    scan = LARGER / "scanned.pdf"
    if not (shutil.which("tesseract") and ocr.is_available() and scan.is_file()):
        with capsys.disabled():
            sys.stdout.write(f"\nnothing scanned was read: no tesseract, or no {scan}\n")
        return
    document = parse(Source(scan, scan.name))
    assert "Will there be different versions of packages" in document.text
    assert [place.label for place in document.places] == ["1", "2", "3"]
