from webapp.documents.parsing.parser import HEAD_BYTES, Source


def test_a_source_knows_its_ending_its_head_and_its_bytes(tmp_path):
    path = tmp_path / "0"
    path.write_bytes(b"x" * (HEAD_BYTES + 1))
    source = Source(path, "Report.v2.PDF")
    assert source.suffix == ".pdf"
    assert len(source.head) == HEAD_BYTES
    assert len(source.data) == HEAD_BYTES + 1
    source.progress(1, 2)


def test_names_without_an_ending_have_none(tmp_path):
    for name in ("README", ".profile", "", "a.b/c", "trailing."):
        assert Source(tmp_path, name).suffix in ("", ".")
