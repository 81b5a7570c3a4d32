import pytest

from tests.documents.parsing.made import CASES, SAMPLES
from tests.documents.parsing.parser_contract import ParserContract
from webapp.documents.document import describe
from webapp.documents.parsing.choosing import parse
from webapp.documents.parsing.csv_rows import ONE_COLUMN, CsvParser, is_header, separator_of
from webapp.documents.parsing.parser import Source


class TestCsv(ParserContract):
    parser = CsvParser
    expected = ("station | city", 'said "hello", then left', "S59")

    @pytest.fixture
    def sample(self):
        return SAMPLES / "stations.csv", "stations.csv"


def read(tmp_path, data, name="x.csv"):
    path = tmp_path / "0"
    path.write_bytes(data)
    return parse(Source(path, name))


def test_a_record_is_one_line_with_its_commas_quotes_and_line_breaks():
    document = parse(Source(CASES / "cities.csv", "cities.csv"))
    assert document.text.split("\n")[1:] == [
        "Porto, Portugal | two lines: river and sea",
        'Graz, Austria | say "Griaß di"',
    ]
    place = next(p for p in document.within(30, 40) if p.kind == "columns")
    assert place.label == "city, country | note"


def test_rows_are_counted_as_a_spreadsheet_counts_them(tmp_path):
    document = read(tmp_path, b'a,b\n"1\n2",x\n\n3,y\n')
    assert describe(document.within(document.text.index("3"), len(document.text))) == "row 4"


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a;b;c\n1,5;2,5;3\n", ";"),
        ("a\tb\n1,2\t3\n", "\t"),
        ("a|b\nc|d\n", "|"),
        ("Hello, world\none\ntwo, three, four\n", ","),
        ("sep=|\na,b|c\n", "|"),
        ('"a;b;c;d",x\n"e;f;g",y\n', ","),
        ("", ONE_COLUMN),
        ("Name\nAda\nBen, the second\nCy\n", ONE_COLUMN),
    ],
)
def test_the_separator_is_the_one_that_makes_even_rows(text, separator):
    assert separator_of(text) == separator


def test_a_first_row_of_names_is_a_header():
    assert is_header(["Name", "Price", ""])
    assert not is_header(["Name", "Name"])
    assert not is_header(["Name", "3,50"])
    assert not is_header(["Only"])


def test_years_are_names_where_what_stands_below_them_are_not(tmp_path):
    years = ["Country", "2019", "2020"]
    assert is_header(years, ["Spain", "5", "6"])
    assert is_header(["Country", "2020", "2019"], ["Spain", "5,5", ""])
    assert not is_header(years, ["Ada", "1990", "2010"])
    assert not is_header(years, ["Spain", "north", "south"])
    assert not is_header(["1999", "2019", "2020"], ["1", "5", "6"])
    assert not is_header(["Country", "2019", "7"], ["Spain", "5", "6"])
    assert not is_header(years)
    document = read(tmp_path, b"Country;2019;2020\nSpain;5;6\n")
    assert [p.label for p in document.places if p.kind == "columns"] == ["Country | 2019 | 2020"]


def test_short_german_and_japanese_tables_are_read():
    german = parse(Source(SAMPLES / "semicolon-cp1252.csv", "x.csv")).text
    assert german == "Ort | Preis\nKöln | 3,50 €\nZürich | 4,20 €"
    assert "佐藤太郎 | 30 | 東京" in parse(Source(SAMPLES / "mskanji.csv", "x.csv")).text


def test_formulas_and_an_open_quote_stay_text(tmp_path):
    assert "=1+1" in read(tmp_path, b"a,b\n=1+1,=cmd()\n").text
    assert "never closed" in read(tmp_path, b'a,b\n1,"never closed\n2,3\n').text


def test_a_huge_cell_and_many_columns_are_read(tmp_path):
    assert "x" * 300_000 in read(tmp_path, b"a," + b"x" * 300_000 + b"\n").text
    assert read(tmp_path, b",".join([b"c"] * 20_000)).text.count("c") == 20_000


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a^b^c\n1^2^3\n", ["a | b | c", "1 | 2 | 3"]),
        (b"name~city\nAnn~Porto\n", ["name | city", "Ann | Porto"]),
        (b"name\x01city\nAnn\x01Porto\n", ["name | city", "Ann | Porto"]),
        (b"name\x1fcity\x1eAnn\x1fPorto\x1e", ["name | city", "Ann | Porto"]),
        (b"sep=;\nname;city\nAnn;Porto\n", ["name | city", "Ann | Porto"]),
        (b"a,b\n'Ann','Porto, Portugal'\n'Bob','Rome'\n", ["a | b", "Ann | Porto, Portugal"]),
        (b"name,size\nit's,19'\n", ["name | size", "it's | 19'"]),
    ],
)
def test_odd_separators_and_quotes(tmp_path, data, lines):
    assert read(tmp_path, data).text.split("\n")[: len(lines)] == lines


def test_a_quote_that_is_never_closed_does_not_swallow_the_other_records(tmp_path):
    document = read(tmp_path, b'name,city\n"Ann,Porto\nBob,Rome\n' + b"Eve,Graz\n" * 99)
    assert document.text.split("\n")[1:4] == ['"Ann | Porto', "Bob | Rome", "Eve | Graz"]


def test_names_of_columns_may_follow_empty_lines(tmp_path):
    document = read(tmp_path, b"\n\nname,city\nAnn,Porto\n")
    assert [place.label for place in document.places if place.kind == "columns"] == ["name | city"]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"Name\nAda\nBen, the second\nCy\n", ["Name", "Ada", "Ben, the second", "Cy"]),
        (b"Report\n\na;b\n1,5;2\n3,5;4\n", ["Report", "a | b", "1,5 | 2", "3,5 | 4"]),
        (b'a, b\n1, "x, y"\n', ["a | b", "1 | x, y"]),
        (b'a,b\n1,"say \\"hi\\" now"\n', ["a | b", '1 | say "hi" now']),
        (b'a,b\n"C:\\dir\\",z\n', ["a | b", "C:\\dir\\ | z"]),
    ],
)
def test_commas_of_prose_and_quotes_of_other_programs(tmp_path, data, lines):
    assert read(tmp_path, data).text.split("\n") == lines
