import struct
import zipfile

import pytest

from tests.documents.parsing.made import CASES, zipped
from webapp.documents.parsing.archive import Archive, attribute, local, within
from webapp.documents.parsing.parser import Source
from webapp.errors import Unreadable


def opened(path):
    return Archive(Source(path, "x.docx"))


def refused(path):
    with pytest.raises(Unreadable) as error:
        opened(path)
    return error.value.code


def test_members_are_read_as_xml_without_their_namespaces(tmp_path):
    path = zipped(tmp_path / "a", {"x.xml": '<n:a xmlns:n="u" n:key="1"><!-- c --><n:b/></n:a>'})
    with opened(path) as archive:
        root = archive.xml("x.xml")
        assert local(root) == "a"
        assert [local(child) for child in root] == ["b"]
        assert attribute(root, "key") == "1"
        assert attribute(root, "other", "-") == "-"
        with pytest.raises(KeyError):
            archive.read("missing")


def test_relations_are_followed_from_where_they_stand(tmp_path):
    links = (
        '<R><Relationship Id="a" Type="http://x/slide" Target="../slides/one%20b.xml"/>'
        '<Relationship Id="b" Type="http://x/image" Target="http://far/" TargetMode="External"/>'
        "</R>"
    )
    path = zipped(tmp_path / "a", {"ppt/deep/_rels/p.xml.rels": links})
    with opened(path) as archive:
        assert archive.related("ppt/deep/p.xml") == {"a": ("slide", "ppt/slides/one b.xml")}
        assert archive.related("ppt/other.xml") == {}


def test_a_link_never_leads_out_of_the_archive():
    assert within("OPS", "../../../etc/x.xhtml#part") == "etc/x.xhtml"
    assert within("OPS", "/a.xml") == "a.xml"


def claiming(path, size):
    """The same archive, whose list says that every member unpacks to `size` bytes."""
    data = bytearray(path.read_bytes())
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 24 : at + 28] = struct.pack("<I", size)
        at = data.find(b"PK\x01\x02", at + 4)
    path.write_bytes(data)
    return path


def test_a_large_unpacked_size_is_refused_before_anything_is_read(tmp_path):
    assert refused(CASES / "bomb.docx") == "archive_bomb"
    many = zipped(tmp_path / "many", {f"{n}.bin": bytes(range(256)) * 20 for n in range(30)})
    assert refused(claiming(many, 7_000_000)) == "archive_bomb"


def test_a_ratio_no_document_has_is_refused(tmp_path):
    one = zipped(tmp_path / "one", {"a.bin": b"\0" * 99})
    assert refused(claiming(one, 11_000_000)) == "archive_bomb"
    with opened(claiming(one, 9_000_000)) as archive:
        assert archive.names == {"a.bin"}


def test_more_entries_than_any_document_has_are_refused(tmp_path):
    members = {f"{n}": b"" for n in range(5_001)}
    assert refused(zipped(tmp_path / "a", members)) == "archive_bomb"


@pytest.mark.parametrize("name", ["../x.xml", "a/../../x", "..\\x", "/etc/x", "C:\\x", "\\\\h\\x"])
def test_names_that_lead_out_are_refused(tmp_path, name):
    assert refused(zipped(tmp_path / "a", {name: b"x"})) == "archive_bomb"


def test_a_locked_archive_needs_a_password(tmp_path):
    path = zipped(tmp_path / "a", {"word/document.xml": b"x" * 50})
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert refused(path) == "password"


def test_an_archive_without_its_end_is_damaged(tmp_path):
    path = zipped(tmp_path / "a", {"x.xml": b"<a/>"})
    path.write_bytes(path.read_bytes()[:-30])
    assert refused(path) == "damaged"


def test_a_size_that_lies_is_noticed(tmp_path):
    path = zipped(tmp_path / "a", {"x.xml": b"<a>" + b" " * 100_000 + b"</a>"})
    claiming(path, 50)
    with opened(path) as archive, pytest.raises(zipfile.BadZipFile):
        archive.xml("x.xml")


def test_entities_are_not_blown_up(tmp_path):
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "ha"}">' for n in range(10))
    text = f"<!DOCTYPE a [{lines}]><a>before &l9; after</a>"
    path = zipped(tmp_path / "a", {"x.xml": text})
    with opened(path) as archive, pytest.raises(Unreadable) as refused:
        archive.xml("x.xml")
    assert refused.value.code == "archive_bomb"


def test_no_file_of_the_machine_is_read_through_an_entity(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the key")
    text = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}">]><a>&x;</a>'
    with opened(zipped(tmp_path / "a", {"x.xml": text})) as archive:
        assert "the key" not in "".join(archive.xml("x.xml").itertext())
