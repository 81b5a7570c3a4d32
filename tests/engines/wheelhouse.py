"""Small packages in a folder that pip takes for an index, and catalogue entries made of them."""

import hashlib
import os
import tempfile
import zipfile
from pathlib import Path

import gguf
import numpy as np
import pytest

from webapp.engines.catalog import Download, Entry, WheelSource


class Wheelhouse:
    def __init__(self, folder):
        self.folder = folder

    def add(self, package, version, members, tag="py3-none-any"):
        """A wheel holding `members` (name -> bytes); its path."""
        module = package.replace("-", "_")
        about = f"{module}-{version}.dist-info"
        path = self.folder / f"{module}-{version}-{tag}.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
            metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
            archive.writestr(f"{about}/METADATA", metadata)
            archive.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nTag: {tag}\n")
            archive.writestr(f"{about}/RECORD", "")
        return path

    def add_cut(self, data, count, package="strata-piece{n}"):
        """`data` over `count` packages, as a source of the catalogue names them."""
        size = -(-len(data) // count)
        source = WheelSource(package, "1.0", "piece{n}/data/part{n:02d}.bin", count)
        for n in range(1, count + 1):
            piece = data[(n - 1) * size : n * size]
            self.add(package.format(n=n), "1.0", {source.member_of(n): piece})
        return source

    def remove(self, n):
        for path in self.folder.glob(f"strata_piece{n}-*.whl"):
            path.unlink()


@pytest.fixture
def wheelhouse(tmp_path, monkeypatch):
    folder = tmp_path / "wheelhouse"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_CONSTRAINT", raising=False)
    return Wheelhouse(folder)


def tiny_gguf(architecture="llama", tensors=4, file_type=None, **texts):
    """The bytes of a GGUF that no engine could run but every reader of heads can read."""
    writer = gguf.GGUFWriter(None, architecture)
    writer.add_name("Tiny")
    writer.add_context_length(128)
    writer.add_embedding_length(64)
    writer.add_block_count(2)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_token_list([f"token {n}" for n in range(300)])
    if file_type is not None:
        writer.add_file_type(file_type)
    for key, text in texts.items():
        writer.add_string(key.replace("__", "."), text)
    for n in range(tensors):
        writer.add_tensor(f"blk.{n}.weight", np.full((64, 64), n, np.float32))
    return written(writer)


def written(writer):
    """What a GGUF writer puts into a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        writer.write_header_to_file(path)
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path.read_bytes()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def entry_for(data, *sources, name="tiny", **more):
    """A catalogue entry for `data` that is used as it arrives."""
    file = f"{name}.gguf"
    download = Download(file, len(data), sha256(data), tuple(sources))
    facts = {"bytes": len(data), "sha256": sha256(data), "licence": "MIT", "context": 128}
    facts |= {"title": name.title(), "role": "chat", "memory": 1, "download": download}
    return Entry(**{"name": name, "file": file, **facts, **more})
