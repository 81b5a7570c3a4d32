"""What is at hand to be taken along, and what stays behind of it."""

import pytest

from tests.archives.lives import LEASE
from webapp.archives.stock import made_assistants, of_nobody, original, without_secrets
from webapp.errors import NotFound


def test_files_are_found_with_their_bytes(stock, owned):
    scope, files = stock.files_of_thread("lived")
    assert [each.name for each in files] == ["lease.txt"]
    assert b"".join(original(scope, "f1")) == LEASE
    assert [each.name for each in stock.files_of_project(owned)[1]] == ["house rules.txt"]
    with pytest.raises(NotFound):
        next(original(scope, "gone"))
    with pytest.raises(NotFound):
        stock.files_of_thread("../x")


def test_only_assistants_that_somebody_made_come_along_and_damaged_ones_are_told(data, owned):
    (data / "assistants/torn").mkdir()
    (data / "assistants/torn/assistant.json").write_text("{")
    found, unread = made_assistants(data)
    assert [each.id for each in found] == ["tutor"]
    assert "torn" in unread[0]


def test_owner_shares_and_keys_stay_behind():
    assert of_nobody({"owner": "a", "shares": {}, "name": "n"}) == {"name": "n"}
    value = {"Api-Key": 1, "deep": [{"password": "x", "max_output_tokens": 5}], "token_count": 1}
    assert without_secrets(value) == {"deep": [{"max_output_tokens": 5}], "token_count": 1}
