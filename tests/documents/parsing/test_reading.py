import json
import logging
import os
import sys
import threading
import time

import psutil
import pytest

from tests.documents.parsing.made import CASES, SAMPLES, pdf, picture_page, said, xlsx
from tests.samples import LARGER
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.limits import USUAL, Limits
from webapp.documents.parsing.parser import Source
from webapp.documents.parsing.reading import read
from webapp.errors import StorageFailed, Unreadable

READY = {
    "letter-gbk.txt": ["关于仓库搬迁的通知", "并把钥匙交给门卫"],
    "greek-utf8.txt": ["κ = 3.2 µm, α < β"],
    "ligature.pdf": ["first flight", "efficient"],
    "report-tables.docx": [
        "Before the table.",
        "Product",
        "Revenue",
        "Kettle",
        "1 280",
        "After the",
    ],
    "cities.csv": ["Porto, Portugal | two lines: river and sea", "Griaß di"],
    "sums.xlsx": ["5"],
    "nul.log": ["start of log", "sensor=7", "end of log"],
}
REFUSED = {
    "scan.pdf": ["no text", "scan"],
    "bomb.docx": ["size", "not opened"],
    "empty.txt": ["empty"],
}
NEVER = ["\ufffd", "\0", "\ufeff", "ProductRevenue", "Kettle1 280", "=SUM", "None"]

# What is known of the sample documents, also of those that are too large for this repository:
# words in their order, or the refusal's code.
KNOWN = {
    "book.epub": [
        "First chapter",
        "Every night he climbed 112 steps",
        "Second chapter",
        "copper wire",
    ],
    "data.json": ['"name": "sensor"', '"readings"'],
    "debian-faq.en.pdf": ["The Debian GNU/Linux FAQ", "Where is the source code?"],
    "developers-reference.pdf": [
        "Debian Developer’s Reference",
        "Recompilation or binary-only NMU",
    ],
    "docling-inflated.xlsx": ["first | second | third", "6 | 0 | -6", "col-1 | col-2"],
    "docling-powerpoint_sample.pptx": ["Test Table Slide", "A merged with B"],
    "docling-word_tables.docx": [
        "A uniform table",
        "Header 0.0 | Header 0.1",
        "A non-uniform table",
    ],
    "emoji.txt": ["👩\u200d👩\u200d👧\u200d👦🇨🇳🇫🇷étéनमस्ते한국어👍🏽"],
    "empty.txt": "empty",
    "events.jsonl": ['{"id": 0, "event": "close", "door": 0}'],
    "faq-zh-cn.html": ["第 1 章 定义和概览", "什么是 Debian GNU/Linux"],
    "fr-windows-1252.txt": ["ce document à condition que la présente notice"],
    "ja-shift-jis.txt": ["この文書は Debian GNU/Linux についてよく聞かれる疑問に答えます"],
    "ko-euc-kr.txt": ["1장. 정의 및 개관"],
    "letter.rtf": [
        "The spare key is kept under the blue pot. Café opens at nine.",
        "中文 means Chinese.",
    ],
    "maint-guide.zh-cn.pdf": ["Debian 新维护者手册", "changelog"],
    "meeting.eml": ["Résumé of the meeting 会议", "We agreed to ship on 21 March.", "list.txt"],
    "mskanji.csv": ["佐藤太郎 | 30 | 東京"],
    "not-a-pdf.pdf": "damaged",
    "notes.md": [
        "title: Lab notes",
        "The balance drifts 0.3 mg per hour.",
        "天平每小时漂移零点三毫克。",
    ],
    "orders.xlsx": [
        "Order | Date | Customer | Amount | VAT",
        "A-1000 | 2025-01-01 | Customer 0 | 19.9",
    ],
    "password.pdf": "password",
    "plan.pptx": [
        "Hire two engineers",
        "Notes: Say that the budget is 40,000 euro.",
        "Beta | 14 October",
    ],
    "program.py": ["class Counter:\n    def __init__(self):", "most_common(10)"],
    "qa.jsonl": ['{"id": "q01", "lang": "en"'],
    "report-tables.docx": ["The north quay handled 4,812 containers", "North | 4,812 | 52 %"],
    "ru-koi8-r.txt": ["Часто задаваемые вопросы о Debian GNU/Linux"],
    "scanned-page.png": "no_text",
    "scanned.pdf": "no_text",
    "semicolon-cp1252.csv": ["Ort | Preis", "Köln | 3,50 €", "Zürich | 4,20 €"],
    "stations.csv": ['Alpha | Łódź | 1998 | said "hello", then left', "S26 | Brno"],
    "tea.html": ["Green tea is best at 75 °C", "Tea | Minutes\nGreen | 2", "code  stays\n  as is"],
    "tika-password.docx": "password",
    "tika-password.xlsx": "password",
    "tika-styles.odt": ["Publicatie Onbekwaamverklaring", "Taalrol | N"],
    "truncated.pdf": "damaged",
    "two-column.pdf": ["Two-Column Document with Lorem Ipsum"],
    "zh-gbk.txt": ["份 Debian 系统安装后的用户指南", "这本书是自由的"],
    "zh-tw-big5.txt": ["系統是一個面向網絡計算機的功能強大的計算平臺"],
    "zh-utf16-bom.txt": ["份 Debian 系统安装后的用户指南"],
    "zh-utf16le-nobom.txt": ["份 Debian 系统安装后的用户指南"],
    "zh-utf8.txt": ["份 Debian 系统安装后的用户指南", "这本书是自由的"],
}


@pytest.fixture
def never():
    return threading.Event()


@pytest.fixture
def hear():
    heard = []

    def progress(stage, done, total):
        heard.append((stage, done, total))

    progress.heard = heard
    return progress


@pytest.fixture
def reading(tmp_path, hear, never):
    """Reads with a program in place of ours: a script that may do anything."""

    def run(script, *, limits=USUAL, cancelled=never, progress=hear):
        path = tmp_path / "file"
        path.write_text("words")
        program = tmp_path / "child.py"
        program.write_text(f"import os, sys, time, json, signal, threading\n{script}\n")
        command = [sys.executable, str(program)]
        return read(path, "x.txt", progress, cancelled, limits=limits, command=command)

    return run


def refused(read, *args, **more):
    with pytest.raises(Unreadable) as error:
        read(*args, **more)
    return error.value


@pytest.mark.parametrize("name", READY)
def test_files_that_went_wrong_elsewhere_are_ready(name, hear, never):
    text = read(CASES / name, name, hear, never).text
    at = 0
    for words in READY[name]:
        at = text.index(words, at) + len(words)
    assert not [words for words in NEVER if words in text]


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_cannot_be_read_are_refused_in_words(name, hear, never, ocr_of_the_machine):
    ocr_of_the_machine(None)
    started = time.monotonic()
    error = refused(read, CASES / name, name, hear, never)
    assert all(words in str(error) for words in REFUSED[name])
    assert error.do
    assert time.monotonic() - started < 10


def test_the_sample_documents_end_as_is_known_of_them(capsys, ocr_of_the_machine):
    ocr_of_the_machine(None)
    there = [name for name in KNOWN if (LARGER / name).is_file()]
    if len(there) < len(KNOWN):
        with capsys.disabled():
            sys.stdout.write(f"\n{len(there)} of {len(KNOWN)} sample documents are in {LARGER}\n")
    for name in there:
        source, known = Source(LARGER / name, name), KNOWN[name]
        if isinstance(known, str):
            error = refused(parse, source)
            assert error.code == known, name
            assert error.do, name
        else:
            text = parse(source).text
            places = [text.find(words) for words in known]
            assert -1 not in places, name
            assert places == sorted(places), name
            assert "\ufffd" not in text, name


def test_pages_are_heard_of_while_they_are_read(tmp_path, hear, never):
    path = pdf(tmp_path / "0", [said("The lamp keeper climbed the steps")] * 3)
    document = read(path, "x.pdf", hear, never)
    assert [place.label for place in document.places] == ["1", "2", "3"]
    assert hear.heard == [("reading", n, 3) for n in (1, 2, 3)]


def test_pictures_are_heard_of_as_such(tmp_path, hear, never, ocr_of_the_machine):
    ocr_of_the_machine("thirty letters that were in a picture")
    read(pdf(tmp_path / "0", [picture_page()]), "x.pdf", hear, never)
    assert hear.heard == [("reading", 1, 1), ("pictures", 0, 1)]


def test_a_path_and_a_name_may_be_anything_a_system_allows(tmp_path, hear, never):
    folder = tmp_path / "Ü mlaut\n漢"
    folder.mkdir()
    path = folder / "0"
    path.write_text("words")
    assert read(path, "odd\ud800\0\n../name.txt", hear, never).text == "words"


def test_a_file_that_is_gone_is_said(tmp_path, hear, never):
    with pytest.raises(StorageFailed) as failed:
        read(tmp_path / "gone", "x.txt", hear, never)
    assert failed.value.do


def test_a_program_that_cannot_be_started_is_said(tmp_path, hear, never):
    (tmp_path / "f").write_text("words")
    error = refused(read, tmp_path / "f", "x", hear, never, command=[str(tmp_path / "missing")])
    assert error.code == "not_started"


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("", "damaged"),
        ("sys.exit(3)", "damaged"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "damaged"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "too_big_in_memory"),
        ("os.kill(os.getpid(), signal.SIGXCPU)", "too_slow"),
        (
            "print('memory allocation of 9 bytes failed', file=sys.stderr, flush=True); os.abort()",
            "too_big_in_memory",
        ),
        ("raise MemoryError", "too_big_in_memory"),
        ("print('not json', flush=True); signal.pause()", "damaged"),
        ("print('[1]', flush=True); signal.pause()", "damaged"),
        ('print(\'{"kind": "end"}\', flush=True); signal.pause()', "damaged"),
        ('print(\'{"kind": "progress", "done": 1}\', flush=True); signal.pause()', "damaged"),
        ("while True: sys.stdout.write('x' * 65536)", "damaged"),
        ("while True: print(json.dumps({'kind': 'text', 'text': 'x' * 60000}))", "too_large"),
    ],
)
def test_however_the_program_ends_a_sentence_comes_of_it(reading, script, code):
    assert refused(reading, script).code == code


def test_a_program_that_hangs_is_ended_in_time(reading):
    error = refused(reading, "signal.pause()", limits=Limits(seconds=0.5))
    assert error.code == "too_slow"


def test_a_program_that_only_talks_of_progress_is_ended_in_time(reading):
    script = "while True: print(json.dumps({'kind': 'progress', 'done': 1, 'total': 10**9}))"
    limits = Limits(seconds=0.3, pages=2, seconds_a_page=0.1)
    assert refused(reading, script, limits=limits).code == "too_slow"


def test_a_program_that_takes_too_much_memory_is_ended(reading):
    script = "held = bytearray(150 << 20); held[::4096] = b'x' * len(held[::4096]); signal.pause()"
    assert (
        refused(reading, script, limits=Limits(memory_bytes=100 << 20)).code == "too_big_in_memory"
    )


def test_memory_that_a_file_asks_for_is_limited(tmp_path, hear, never):
    path = tmp_path / "0"
    path.write_bytes("漢字 ".encode() * 6_000_000)
    limits = Limits(file_bytes=10**9, memory_bytes=200 << 20)
    assert refused(read, path, "x.txt", hear, never, limits=limits).code == "too_big_in_memory"


def test_a_sheet_that_is_full_of_nothing_is_refused_in_words(tmp_path, hear, never):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    names = [a + b + c for a in "ABCDEF" for b in letters for c in letters]
    diagonal = "".join(
        f'<row r="{n}"><c r="{name}{n}"><v>1</v></c></row>' for n, name in enumerate(names, 1)
    )
    error = refused(read, xlsx(tmp_path / "0", {"A": diagonal}), "x.xlsx", hear, never)
    assert error.code == "too_big_in_memory"


@pytest.mark.parametrize(
    "script", ["signal.pause()", 'while True: print(\'{"kind": "text", "text": ""}\')']
)
def test_cancelling_ends_it_within_half_a_second(reading, script):
    cancelled, asked = threading.Event(), []

    def cancel(*_):
        asked.append(time.monotonic())
        cancelled.set()

    begin = 'print(\'{"kind": "progress", "done": 0, "total": 1}\', flush=True)\n'
    assert reading(begin + script, cancelled=cancelled, progress=cancel) is None
    assert time.monotonic() - asked[0] < 0.5


def test_what_the_program_started_ends_with_it(reading, tmp_path):
    pipe = tmp_path / "pipe"  # has an end as soon as nobody holds it open any more
    os.mkfifo(pipe)
    ended = threading.Thread(target=pipe.read_bytes, daemon=True)
    ended.start()
    cancelled = threading.Event()
    progress = json.dumps({"kind": "progress", "done": 0, "total": 1})
    started = (
        f"import signal; held = open({str(pipe)!r}, 'w'); "
        f"print({progress!r}, flush=True); signal.pause()"
    )
    script = f"import subprocess; subprocess.run([sys.executable, '-c', {started!r}])"
    assert reading(script, cancelled=cancelled, progress=lambda *_: cancelled.set()) is None
    ended.join(10)
    assert not ended.is_alive()


def test_what_the_program_says_on_the_side_goes_to_the_log_and_to_nobody(reading, caplog):
    script = "sys.stderr.write('Traceback: secret\\n' + 'noise\\n' * 100_000); sys.exit(1)"
    with caplog.at_level(logging.INFO):
        error = refused(reading, script)
    assert "secret" not in str(error) and "Traceback" not in str(error)
    assert "Traceback: secret" in caplog.text
    assert caplog.text.count("noise") < 1_000


def test_what_listens_may_fail_and_the_program_ends(tmp_path, never):
    path = pdf(tmp_path / "0", [said("words and words and words")] * 2)

    def progress(*_):
        raise RuntimeError("the page is gone")

    with pytest.raises(RuntimeError):
        read(path, "x.pdf", progress, never)
    everyone = psutil.process_iter(["ppid", "cmdline"])
    ours = [one.info["cmdline"] for one in everyone if one.info["ppid"] == os.getpid()]
    assert not [command for command in ours if "parsing.child" in str(command)]


def test_four_files_are_read_at_once(tmp_path, hear, never):
    found = {}

    def work(name):
        found[name] = read(SAMPLES / name, name, hear, never).text

    names = ["letter.rtf", "tea.html", "orders.xlsx", "book.epub"]
    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[name] for name in names)
