from tests.engines.wheelhouse import tiny_gguf
from webapp.engines.catalog import load_catalog
from webapp.engines.models import SPEEDS, Models, head_of


def test_a_head_is_read_again_when_the_file_changed(tmp_path):
    path = tmp_path / "a.gguf"
    assert head_of(path) is None
    path.write_bytes(tiny_gguf())
    first = head_of(path)
    assert first.name == "Tiny"
    assert head_of(path) is first
    path.write_bytes(tiny_gguf(tensors=8))
    assert head_of(path).file_bytes > first.file_bytes
    path.write_bytes(b"GGUF")
    assert head_of(path) is None


def test_all_parts_look_at_one_folder(tmp_path, clock):
    models = Models.over(tmp_path / "models", load_catalog(), tmp_path / "cache", clock)
    assert models.lane.works() == []
    assert models.speeds.known() == {}
    assert [item.state for item in models.shelf.items(models.catalog)] == ["absent"] * 4
    assert SPEEDS.endswith(".json")
    models.close()
    models.close()
