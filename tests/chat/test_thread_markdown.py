"""What a conversation looks like as Markdown."""

from hypothesis import given
from markdown_it import MarkdownIt

from tests.chat.trees import any_trees, said
from webapp.archives.markdown_ends import closed
from webapp.chat.messages import new_thread
from webapp.chat.thread_markdown import FileNamed, Told, every_version, fenced, shown_path
from webapp.chat.tree import Tree

THREAD = new_thread(id="t", title="Tides & [moons]", created=0)
NESTED = "````md\n```py\nx = 1\n```\n````"


def told(tree, *files):
    return Told(THREAD, tree, lambda ms: f"at {ms:g}" if ms else "", closed, files)


def headings(markdown):
    tokens = MarkdownIt("commonmark").parse(markdown)
    return [tokens[at + 1].content for at, each in enumerate(tokens) if each.tag == "h2"][::2]


def versions():
    return Tree(
        [
            said("u1", None, 1),
            said("a1", "u1", 2, branchName="Old"),
            said("u2", "a1", 3),
            said("a2", "u1", 4, pinned=True),
        ]
    )


def test_the_shown_path_says_who_speaks_and_names_the_version():
    text = "".join(shown_path(told(versions())))
    assert text.startswith("# Tides \\& \\[moons\\]\n")
    assert headings(text) == ["1. You", "2. Answer, version 2 of 2"]
    assert "*at 4 · the version that is shown · pinned*" in text
    assert "text of a1" not in text


def test_all_versions_stand_in_it_and_say_where_they_go_on_from():
    text = "".join(every_version(told(versions())))
    assert headings(text) == [
        "1. You",
        "2. Answer, version 1 of 2",
        "3. You",
        "4. Answer, version 2 of 2",
    ]
    assert "branch “Old”" in text
    assert "*at 4 · goes on from 1 · the version that is shown · pinned*" in text


def test_fences_in_fences_stay_as_they_were_and_open_ones_end_with_their_message():
    answers = [said("u1", None, 1).with_text(NESTED), said("a1", "u1", 2).with_text("```py\nx")]
    text = "".join(shown_path(told(Tree([*answers, said("u2", "a1", 3)]))))
    assert NESTED in text
    assert headings(text) == ["1. You", "2. Answer", "3. You"]


def test_thoughts_are_told_apart_from_the_answer():
    thought = said("a1", "u1", 2).with_text("<think>hm\n- so</think>\n\nYes.")
    text = "".join(shown_path(told(Tree([said("u1", None, 1), thought]))))
    assert "> **Thoughts**\n>\n> hm\n> - so\n" in text
    assert "\nYes.\n" in text
    assert "<think>" not in text


def test_files_and_results_of_tools_stand_in_it():
    tool = said("s1", "u1", 2, role="tool").with_text("a ``` b")
    files = FileNamed("lease_1.pdf", 1234), FileNamed("b", 1, "files/b")
    text = "".join(shown_path(told(Tree([said("u1", None, 1), tool]), *files)))
    assert "- lease\\_1.pdf, 1,234 bytes\n- [b](<files/b>), 1 bytes\n" in text
    assert fenced("a ``` b") == "````\na ``` b\n````"
    assert fenced("a ``` b") in text


@given(any_trees())
def test_each_message_of_any_tree_has_one_heading(tree):
    assert len(headings("".join(every_version(told(tree))))) == len(tree)
    assert len(headings("".join(shown_path(told(tree))))) == len(tree.active_path())
