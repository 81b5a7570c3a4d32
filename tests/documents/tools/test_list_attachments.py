import json
from dataclasses import replace

from webapp.documents.tools.list_attachments import ListAttachments


def names(outcome):
    return [each["file_name"] for each in json.loads(outcome.text)["files"]]


def test_it_lists_the_files_of_the_conversation_with_their_ids(reach, ids):
    outcome = ListAttachments().run(reach, {})
    assert names(outcome) == ["contract.txt", "garden.txt"]
    first = json.loads(outcome.text)["files"][0]
    assert (first["file_id"], first["chunks"]) == (ids["contract.txt"], 1)
    assert outcome.passages == ()


def test_files_that_the_model_has_anyway_are_listed_too(reach, ids):
    skipping = replace(reach, skipped=frozenset({ids["contract.txt"]}))
    assert names(ListAttachments().run(skipping, {})) == ["contract.txt", "garden.txt"]
    assert [state.name for state in skipping.searched()] == ["garden.txt"]
