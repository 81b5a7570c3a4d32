"""Exports bent in any way: what can be read comes and can be shown, and nothing else happens."""

import contextlib
import json
import random
import zipfile
from copy import deepcopy
from pathlib import Path

import pytest

from tests.archives.lives import lived
from webapp.archives.bringing import Bringing, Rooms
from webapp.archives.sources import source
from webapp.archives.whose import Whose
from webapp.chat.thread_markdown import Told, every_version
from webapp.chat.tree import Tree
from webapp.errors import BadInput
from webapp.threads.assistants import Assistants

EXPORTS = Path(__file__).resolve().parent.parent / "data" / "exports"
NOTHING = (None, True, 0, -1, 1e308, 10**400, "", [], {})
ODD = (*NOTHING, "x", "../..", "\ud800", "\0", [[]], [{}], {"a": []})


@pytest.fixture
def rooms(library, projects, data, clock, new_id):
    assistants = Assistants(data, clock_ms=clock, new_id=new_id)
    return Rooms(library, projects, assistants, data, 1000)


def texts():
    thread, messages = lived()
    ours = {"format": "strata-thread", "version": 1, "thread": dict(thread.data), "files": []}
    ours["messages"] = [dict(each.data) for each in messages]
    others = (path.read_text("utf-8") for path in sorted(EXPORTS.glob("*.json")))
    return [json.dumps([ours]), *others]


def places(value, found):
    """Every place in a JSON value, as its container and key."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        found.append((value, key))
        if isinstance(inner, dict | list):
            places(inner, found)
    return found


def bent(text, dice):
    """With some places holding something else, gone, or doubled."""
    value = json.loads(text)
    for _ in range(dice.randint(1, 6)):
        there = places(value, [])
        if not there:
            break
        container, key = dice.choice(there)
        act = dice.randrange(3)
        if act == 0 or not isinstance(container, list):
            container[key] = deepcopy(dice.choice([*ODD, dice.choice(there)[0]]))
        elif act == 1:
            del container[key]
        else:
            container.append(deepcopy(container[key]))
    return json.dumps(value).encode()


def torn(data, dice):
    data = bytearray(data)
    for _ in range(dice.randint(1, 8)):
        at = dice.randrange(len(data))
        act = dice.randrange(3)
        if act == 0:
            data[at] = dice.randrange(256)
        elif act == 1:
            del data[at : at + dice.randrange(1, 60)]
        else:
            data[at:at] = data[at - 9 : at + 9]
    return bytes(data)


def brought(path, rooms):
    """Whatever came of it can be shown and told."""
    with contextlib.suppress(BadInput), source(path, 1) as found:
        Bringing(rooms, Whose(), dry=True, heard=lambda now: None).run(found)
        done = Bringing(rooms, Whose(), dry=False, heard=lambda now: None).run(found)
        for sentence in (*done.damaged, *done.notes):
            assert "Traceback" not in sentence


def shown(rooms):
    for row in rooms.library.threads():
        rooms.library.view(row.id)
        rooms.library.acts.map(row.id)
        thread, messages = rooms.library.acts.whole(row.id)
        told = Told(thread, Tree(messages, thread.active_root_id), str, str)
        assert "".join(every_version(told))


@pytest.mark.parametrize("seed", range(4))
def test_odd_values_in_any_place(rooms, tmp_path, seed):
    dice = random.Random(seed)
    for number in range(10):
        for text in texts():
            path = tmp_path / f"{number}.json"
            path.write_bytes(bent(text, dice))
            brought(path, rooms)
    shown(rooms)


@pytest.mark.parametrize("seed", range(2))
def test_torn_bytes(rooms, tmp_path, seed):
    dice = random.Random(seed)
    for number in range(10):
        for text in texts():
            path = tmp_path / f"{number}.json"
            path.write_bytes(torn(text.encode(), dice))
            brought(path, rooms)
    shown(rooms)


def test_torn_zips(rooms, tmp_path, taken):
    dice = random.Random(1)
    whole = taken()
    with zipfile.ZipFile(tmp_path / "chat.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(EXPORTS / "chatgpt.json", "conversations.json")
        archive.writestr("file-Tide1-tides.csv", "hour,height\n" * 50)
    for number in range(80):
        for data in (whole, (tmp_path / "chat.zip").read_bytes()):
            path = tmp_path / f"{number}.zip"
            path.write_bytes(torn(data, dice))
            brought(path, rooms)
    shown(rooms)
