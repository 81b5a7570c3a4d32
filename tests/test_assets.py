"""Templates and static files are found from a checkout and from a built wheel."""

import re
import subprocess
import sys
from pathlib import Path

from webapp.assets import static_folder, templates_folder

ROOT = Path(__file__).resolve().parent.parent


def test_in_a_checkout_they_stand_beside_the_package():
    assert templates_folder() == ROOT / "templates"
    assert (static_folder() / "favicon.svg").is_file()


def test_in_a_wheel_they_stand_inside_the_package(tmp_path):
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    built = tmp_path / "built"
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", built, ROOT]
    subprocess.run(build, check=True, cwd=tmp_path)
    [wheel] = built.glob("*.whl")
    installed = tmp_path / "installed"
    put = [*pip, "install", "--no-deps", "--no-index", "--no-compile", "-t", installed, wheel]
    subprocess.run(put, check=True, cwd=tmp_path)
    asked = "from webapp import assets; print(assets.templates_folder(), assets.static_folder())"
    answer = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(installed)!r}); {asked}"],
        check=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    ).stdout.split()
    templates, static = map(Path, answer)
    assert templates == installed / "webapp/templates"
    assert static == installed / "webapp/static"
    assert names_in(templates) == names_in(ROOT / "templates")
    assert names_in(static) == names_in(ROOT / "static")


def test_only_the_sheets_of_a_conversation_style_what_has_the_role_of_a_message():
    """`assistant` is also the name of a thing that pages list: one word, two looks."""
    sheets = {"conversation", "prose", "code", "citations", "tree", "window", "print"}
    wrong = {}
    for path in (ROOT / "static/css").glob("*.css"):
        css = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
        first = {one.strip() for part in re.findall(r"([^{}]+)\{", css) for one in part.split(",")}
        roles = [one for one in first if re.match(r"\.(user|assistant|system|tool)(?![-\w])", one)]
        if roles and path.stem not in sheets:
            wrong[path.stem] = roles
    assert wrong == {}


def test_sides_are_named_by_the_way_words_run():
    """What is padded "on the left" is on the wrong side of Arabic and Hebrew."""
    wrong = {}
    for path in (ROOT / "static/css").glob("*.css"):
        found = re.findall(
            r"\b(?:padding|margin|border)-(?:left|right)[-\w]*:", path.read_text("utf-8")
        )
        if found:
            wrong[path.stem] = found
    assert wrong == {}


def names_in(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
