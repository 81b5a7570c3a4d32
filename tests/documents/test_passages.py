"""Names of tables and passages."""

import pytest

from webapp.documents.passages import passage_id, project_table, thread_table
from webapp.errors import BadInput


def test_a_thread_and_a_project_have_a_table_each():
    assert thread_table("ab-1_2") == "attachments_ab-1_2"
    assert project_table("ab-1_2") == "project_ab-1_2"
    assert passage_id("file", 3) == "file-3"


@pytest.mark.parametrize("id", ["", "../x", "a/b", "a b", "名", "x" * 65, "a.lance", "a\0"])
def test_an_id_that_is_none_never_meets_a_path(id):
    with pytest.raises(BadInput):
        thread_table(id)
    with pytest.raises(BadInput):
        project_table(id)
