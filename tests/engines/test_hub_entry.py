"""A GGUF on the model hub, named by a person."""

import pytest

from tests.engines.fake_hub import hub
from tests.engines.wheelhouse import sha256, tiny_gguf
from webapp.engines.catalog import load_catalog
from webapp.engines.hub_entry import hub_entry, is_hub_reference
from webapp.engines.shelf import Shelf
from webapp.errors import BadInput, Conflict, DownloadFailed

__all__ = ["hub"]
CATALOG = load_catalog()
DATA = tiny_gguf(pooling_type="x")


def test_a_file_of_the_hub_becomes_an_entry_that_can_be_fetched(hub, tmp_path):
    hub.files["owner/repo/quants/mine.gguf"] = DATA
    entry = hub_entry("owner/repo/quants/mine.gguf", CATALOG)
    assert (entry.name, entry.bytes, entry.sha256) == ("mine", len(DATA), sha256(DATA))
    shelf = Shelf(tmp_path)
    assert shelf.fetch(entry).read_bytes() == DATA
    item = shelf.item(CATALOG, "mine")
    assert (item.state, shelf.verify(item)) == ("present", "good")


def test_the_catalogues_own_file_is_the_catalogues_entry():
    entry = CATALOG.chat_default(None, small=True)
    source = entry.download.sources[0]
    assert hub_entry(f"{source.repo}/{source.file}", CATALOG) is entry


def test_another_file_with_a_name_of_the_catalogue_is_refused():
    file = CATALOG.entries[0].file
    with pytest.raises(Conflict, match="already has"):
        hub_entry(f"owner/repo/{file}", CATALOG)


@pytest.mark.parametrize(
    "name",
    [
        "owner/model.gguf",
        "owner/repo/model.bin",
        "../../etc/x.gguf",
        "owner/repo/../x.gguf",
        "owner/repo/.gguf",
        "owner//x.gguf",
        "a/b/c\x00.gguf",
        "a/b/" + "c" * 300 + ".gguf",
        "a/b/c.gguf\n",
        "/owner/repo/x.gguf",
        "owner/repo/\udcff.gguf",
    ],
)
def test_what_does_not_name_a_gguf_is_refused_without_asking_anyone(name):
    assert is_hub_reference(name)
    with pytest.raises(BadInput, match="does not name a GGUF"):
        hub_entry(name, CATALOG)


def test_a_name_without_a_slash_is_no_reference():
    assert not is_hub_reference("qwen2.5-coder-0.5b")


def test_a_file_the_hub_does_not_have_is_said(hub):
    with pytest.raises(DownloadFailed, match=r"did not give mine\.gguf"):
        hub_entry("owner/repo/mine.gguf", CATALOG)


def test_a_file_without_a_checksum_is_refused(hub):
    hub.files["owner/repo/mine.gguf"] = DATA
    hub.claimed["owner/repo/mine.gguf"] = "abc"
    with pytest.raises(DownloadFailed, match="cannot be checked"):
        hub_entry("owner/repo/mine.gguf", CATALOG)
